//go:build unix

package outfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Write gives up a pipe without a reader when the time is over, and reports an error if the reader goes away. Below a folder it gives way.
func TestPipes(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("the time is over"))
	defer cancel()
	if err := (Place{Name: pipe}).Write(limited, text("")); err == nil || !strings.Contains(err.Error(), "the time is over") {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		reader, err := os.Open(pipe)
		gone <- errors.Join(err, reader.Close())
	}()
	err := Place{Name: pipe}.Write(t.Context(), func(w io.Writer) error { return errors.Join(<-gone, text("a line")(w)) })
	if err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("error %v", err)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v)", info, err)
	}
	if err := (Place{folder, "pipe"}).Write(t.Context(), text("a file")); err != nil {
		t.Error(err)
	}
	has(t, pipe, "a file")
}

// A reader that opens a pipe, and takes nothing, is given up when the time is over.
func TestPipeThatIsNotRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	reader := make(chan *os.File, 1)
	go func() {
		f, _ := os.Open(pipe)
		reader <- f
	}()
	limited, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("the time is over"))
	defer cancel()
	err := Place{Name: pipe}.Write(limited, text(strings.Repeat("x", 1<<20)))
	if err == nil || !strings.Contains(err.Error(), "the time is over before all of it was read") {
		t.Errorf("error %v", err)
	}
	(<-reader).Close()
}
