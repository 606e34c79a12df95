package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A run neither writes over a file that it reads nor writes one twice: by another path, a symbolic link, a hard link, a folder that is a link, or an
// open file; whether it is there yet or not.
func TestTaken(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	err := errors.Join(os.WriteFile(at("a"), nil, 0o666), os.WriteFile(at("b"), nil, 0o666), os.Link(at("a"), at("hard")), os.Symlink("a", at("soft")),
		os.Link(at("b"), at("hard b")), os.Symlink(folder, at("linked")))
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	read := func(t *Taken) error { t.Read("the trace", at("a")); return nil }
	readStream := func(t *Taken) error { t.ReadStream("the trace", open(at("a"))); return nil }
	write := func(by, name string) func(*Taken) error { return func(t *Taken) error { return t.Write(by, at(name)) } }
	stream := func(by, name string) func(*Taken) error {
		return func(t *Taken) error { return t.WriteStream(by, open(at(name))) }
	}
	for _, test := range []struct {
		steps []func(*Taken) error
		want  string // of the last; the others succeed
	}{
		{[]func(*Taken) error{read, write("x", "a")}, "x would write over the trace " + at("a")},
		{[]func(*Taken) error{read, write("x", "hard")}, "x would write over the trace " + at("hard")},
		{[]func(*Taken) error{read, write("x", "soft")}, "x would write over the trace " + at("soft")},
		{[]func(*Taken) error{read, write("x", "linked/a")}, "x would write over the trace " + at("linked/a")},
		{[]func(*Taken) error{readStream, write("x", "hard")}, "x would write over the trace " + at("hard")},
		{[]func(*Taken) error{read, stream("standard output", "hard")}, "standard output would write over the trace that is read"},
		{[]func(*Taken) error{readStream, stream("standard output", "a")}, "standard output would write over the trace that is read"},
		{[]func(*Taken) error{write("x", "b"), write("y", "hard b")}, "x and y would both write " + at("hard b")},
		{[]func(*Taken) error{write("x", "b"), write("x", "hard b")}, "x would write " + at("hard b") + " twice"},
		{[]func(*Taken) error{write("x", "new"), write("y", "./new")}, "x and y would both write " + at("./new")},
		{[]func(*Taken) error{write("x", "new"), write("y", "linked/new")}, "x and y would both write " + at("linked/new")},
		{[]func(*Taken) error{stream("standard output", "b"), write("x", "b")}, "standard output and x would both write " + at("b")},
		{[]func(*Taken) error{stream("standard output", "b"), stream("standard error", "b")}, ""},
		{[]func(*Taken) error{read, write("x", "b"), write("y", "new"), write("y", "new")}, ""}, // asked twice of one
	} {
		taken, last := &Taken{}, len(test.steps)-1
		for i, step := range test.steps {
			want := ""
			if i == last {
				want = test.want
			}
			if err := step(taken); err == nil && want != "" || err != nil && err.Error() != want {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}
