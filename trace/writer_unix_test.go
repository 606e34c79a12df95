//go:build unix

package trace

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe whose reader has gone can't be written to: nothing waits for one.
func TestCreateAPipeWithoutAReader(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File)
	go func() {
		reader, err := os.Open(pipe)
		if err != nil {
			t.Error(err)
		}
		opened <- reader
	}()
	file, err := Create(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := (<-opened).Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := file.Write([]byte("{}")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("wrote %d bytes, %v, want %v", n, err, syscall.EPIPE)
	}
}
