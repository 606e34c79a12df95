package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// input is a trace to read, or the reason why an argument led to none.
type input struct {
	name  string // as shown; "-" reads standard input
	below string // of one found below a directory: its path there
	err   error
}

// shown returns the name of an input as it is shown, on one line.
func (in input) shown() string { return oneLine(in.name) }

var traceSuffixes = []string{".ndktrace.jsonl", ".ndktrace.jsonl.zst", ".ndktrace.ctf", ".ndktrace.ctf.zst"}

// expand turns the arguments into traces: a directory into those below it, a pattern into what it matches, each in lexical order.
// An argument that leads to no trace gives an input with an error, so that the others are checked all the same.
func expand(args []string) []input {
	var inputs []input
	for _, arg := range args {
		inputs = append(inputs, expandOne(arg)...)
	}
	return inputs
}

func expandOne(arg string) []input {
	if arg == "-" {
		return []input{{name: arg}}
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, `*?[`) {
		if inputs, isPattern := expandPattern(arg); isPattern {
			return inputs
		}
	}
	if err != nil {
		return []input{{name: arg, err: reason(err)}}
	}
	if info.IsDir() {
		return expandFolder(arg)
	}
	return []input{{name: arg}}
}

// expandPattern returns what a pattern matches. What is not a pattern can only be the name of a file.
func expandPattern(pattern string) (inputs []input, isPattern bool) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, false
	}
	if len(names) == 0 {
		return []input{{name: pattern, err: errors.New("no file matches")}}, true
	}
	slices.Sort(names)
	for _, name := range names {
		inputs = append(inputs, expandOne(name)...)
	}
	return inputs, true
}

func expandFolder(folder string) []input {
	var inputs []input
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		isTrace := slices.ContainsFunc(traceSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
		switch {
		case err != nil:
			inputs = append(inputs, input{name: name, err: reason(err)})
		case isTrace && !entry.IsDir():
			below, err := filepath.Rel(folder, name)
			inputs = append(inputs, input{name: name, below: below, err: err})
		}
		return nil
	})
	if err != nil {
		inputs = append(inputs, input{name: folder, err: reason(err)})
	}
	if len(inputs) == 0 {
		return []input{{name: folder, err: fmt.Errorf("no %s below this directory", strings.Join(traceSuffixes, ", "))}}
	}
	return inputs
}

// reason is the error without the path that the system puts in front: the name is said already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// reader returns the bytes of an input. Reading stops when ctx is done, even while a pipe without a writer is being opened or read; close stops the
// reading that is left.
func (p *program) reader(ctx context.Context, in input) (r io.Reader, close func()) {
	pipe, pump := io.Pipe()
	stop := context.AfterFunc(ctx, func() { pump.CloseWithError(ctx.Err()) })
	go func() {
		source := p.stdin
		if in.name != "-" {
			file, err := os.Open(in.name)
			if err != nil {
				pump.CloseWithError(reason(err))
				return
			}
			defer file.Close()
			source = file
		}
		_, err := io.Copy(pump, counted{source, &p.bytesRead})
		pump.CloseWithError(reason(err))
	}()
	return pipe, func() {
		stop()
		pipe.Close()
	}
}
