//go:build !(linux && cgo && ibverbs)

package hwbinding

import (
	"strings"
	"testing"
)

// A program without libibverbs says so, and what would help.
func TestOpenWithout(t *testing.T) {
	_, err := Open(Options{})
	if err == nil || !strings.Contains(err.Error(), "install libibverbs-dev") {
		t.Errorf("Open: %v", err)
	}
	if _, err := Devices(); err == nil {
		t.Error("Devices gave no error")
	}
}
