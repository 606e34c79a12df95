package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/outfile"
)

// The formats of reports. One goes to standard output, others to files.
var formatNames = []string{"text", "json", "table", "sarif", "junit", "github", "codeclimate", "checkstyle", "baseline"}

// A format is asked for by --format NAME or --format NAME=FILE.
type format struct {
	name string
	file string // "" for standard output
}

// addFormat reads an argument of --format.
func (s *settings) addFormat(text string) error {
	name, file, toFile := strings.Cut(text, "=")
	f := format{name, file}
	same := func(o format) bool { return o.file == f.file }
	switch {
	case !slices.Contains(formatNames, name):
		return commandline.UsageError("must be one of %s, or one of them with =FILE", strings.Join(formatNames, ", "))
	case toFile && file == "":
		return commandline.UsageError("%s names no file", text)
	case slices.ContainsFunc(s.formats, same) && !toFile:
		return commandline.UsageError("standard output takes one format; name a file, as in %s=FILE, for another one", name)
	case slices.ContainsFunc(s.formats, same):
		return commandline.UsageError("%s takes one format", oneLine(file))
	}
	s.formats = append(s.formats, f)
	return nil
}

// reports writes results in every format that is asked for.
type reports struct {
	all   []reporter
	files []*fileReport
}

// A fileReport is kept until it is whole.
type fileReport struct {
	format
	text bytes.Buffer
	out  *bufio.Writer
}

// reports returns what writes to out, text unless another format is asked for there, and to files.
func (p *program) reports(out *bufio.Writer, s *settings, single bool) *reports {
	r := &reports{}
	if !slices.ContainsFunc(s.formats, func(f format) bool { return f.file == "" }) {
		r.all = append(r.all, p.reporter("text", out, s, single, p.colors(s)))
	}
	for _, f := range s.formats {
		if f.file == "" {
			r.all = append(r.all, p.reporter(f.name, out, s, single, p.colors(s)))
			continue
		}
		kept := &fileReport{format: f}
		kept.out = bufio.NewWriter(&kept.text)
		r.files = append(r.files, kept)
		r.all = append(r.all, p.reporter(f.name, kept.out, s, single, false))
	}
	return r
}

// reporter returns what writes one format.
func (p *program) reporter(name string, out *bufio.Writer, s *settings, single, color bool) reporter {
	switch name {
	case "json":
		return &jsonReporter{out: out, settings: s}
	case "table":
		return &tableReporter{out: out, settings: s}
	case "sarif":
		return &sarifReporter{out: out, settings: s}
	case "junit":
		return &junitReporter{out: out, settings: s}
	case "github":
		return &githubReporter{out: out, settings: s}
	case "codeclimate":
		return &codeclimateReporter{out: out, settings: s}
	case "checkstyle":
		return &checkstyleReporter{out: out, settings: s}
	case "baseline":
		return &baselineReporter{out: out, settings: s, known: map[string]string{}}
	}
	return &textReporter{out: out, settings: s, single: single, answers: map[string]int{}, color: color}
}

// colors reports whether text on standard output is coloured.
func (p *program) colors(s *settings) bool {
	return s.color == "always" ||
		s.color == "auto" && p.stdoutIsTerminal && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

func (r *reports) result(one *result) {
	for _, to := range r.all {
		to.result(one)
	}
}

func (r *reports) end(sum *summary) {
	for _, to := range r.all {
		to.end(sum)
	}
}

// save writes the files, and says which can't be written. It reports whether all were.
func (r *reports) save(ctx context.Context, s *settings, errors io.Writer) bool {
	saved := true
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	for _, f := range r.files {
		_ = f.out.Flush() // into memory
		if err := (outfile.Place{Name: f.file}).Write(ctx, func(w io.Writer) error {
			_, err := f.text.WriteTo(w)
			return err
		}); err != nil {
			fmt.Fprintf(errors, "tracecheck: the report in format %s can't be written to %s: %v\n", f.name, oneLine(f.file), err)
			saved = false
		}
	}
	return saved
}
