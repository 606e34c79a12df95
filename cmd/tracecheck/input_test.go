package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A directory stands for all traces below it, a pattern for what it matches, sorted; anything else is read as it is.
func TestExpand(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{
		"b.ndktrace.jsonl", "a.ndktrace.jsonl.zst", "sub/c.ndktrace.jsonl", "notes.txt", "sub/deep/d.ndktrace.jsonl.zst",
		"odd[1].ndktrace.jsonl", "empty.ndktrace.jsonl/readme",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("conformant"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, given := range []struct {
		arg  string
		want []string
	}{
		{"", []string{"a.ndktrace.jsonl.zst", "b.ndktrace.jsonl", "odd[1].ndktrace.jsonl", "sub/c.ndktrace.jsonl",
			"sub/deep/d.ndktrace.jsonl.zst"}},
		{"*.jsonl*", []string{"a.ndktrace.jsonl.zst", "b.ndktrace.jsonl", "empty.ndktrace.jsonl: no ", "odd[1].ndktrace.jsonl"}},
		{"notes.txt", []string{"notes.txt"}},
		{"odd[1].ndktrace.jsonl", []string{"odd[1].ndktrace.jsonl"}},
		{"none*", []string{"none*: no file matches"}},
		{"b[", []string{"b[: no such file or directory"}},
		{"missing", []string{"missing: no such file or directory"}},
		{"empty.ndktrace.jsonl", []string{"empty.ndktrace.jsonl: no .ndktrace.jsonl, .ndktrace.jsonl.zst, .ndktrace.ctf, .ndktrace.ctf.zst below"}},
	} {
		var got []string
		for _, in := range expand([]string{filepath.Join(folder, given.arg)}) {
			name := strings.TrimPrefix(in.name, folder+"/")
			if in.err != nil {
				name += ": " + in.err.Error()
			}
			got = append(got, name)
		}
		if !slices.EqualFunc(got, given.want, strings.HasPrefix) {
			t.Errorf("%q gives %q, want %q", given.arg, got, given.want)
		}
	}
}

// An interrupt ends the reading of a pipe without a writer.
func TestInterruptEndsReading(t *testing.T) {
	b := newBench(t)
	silent, writer := io.Pipe()
	b.stdin = silent
	ctx, stop := context.WithCancel(context.Background())
	r, done := b.reader(ctx, input{name: "-"})
	stop()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("the reading ended with %v", err)
	}
	done()
	writer.Close()
}

// What can't be read is told with its name and the reason, exit 3, and the others are judged all the same.
func TestUnreadableInput(t *testing.T) {
	b := newBench(t)
	good := files(t, "conformant")[0]
	missing := filepath.Join(t.TempDir(), "missing.ndktrace.jsonl")
	code := b.do(missing, good, t.TempDir(), "-")
	if code != exitMalformed {
		t.Errorf("exit %d, want %d", code, exitMalformed)
	}
	for _, want := range []string{
		missing + ": unreadable: no such file or directory\n", good + ": conformant", "-: conformant",
		"below this directory", "4 traces: 2 conformant, 2 unreadable",
	} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%s", want, &b.out)
		}
	}
}
