package main

import (
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

func parse(t *testing.T, args ...string) options {
	t.Helper()
	o, err := parseOptions(append([]string{"-tla", filepath.Join("..", "..", "tla"), "-build", filepath.Join("..", "..", "build", "tlc")}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOptionErrors(t *testing.T) {
	for arg, want := range map[string]string{"claim": "selected with -run", "-run=(": "-run", "-timeout=x": "timeout"} {
		if _, err := parseOptions([]string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", arg, err, want)
		}
	}
	if _, err := parseOptions([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v", err)
	}
	if _, err := run(t.Context(), parse(t, "-run", "^no such claim$")); err == nil || !strings.Contains(err.Error(), "no claim") {
		t.Errorf("got %v", err)
	}
}

// A claim that is as it says makes no claim bad, and neither does a comparison with TLC, with one that must fail (ARM-07).
func TestRun(t *testing.T) {
	for _, args := range [][]string{{"-run", "^CQ-ndspi-reading-A24-1$"}, {"-graph", "-run", "^(CQ-ndspi-reading-A24-1|wrong/last-arm-wins)$"}} {
		if bad, err := run(t.Context(), parse(t, args...)); bad != 0 || err != nil {
			t.Errorf("%q: %d, %v", args, bad, err)
		}
	}
}
