package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/outfile"
	"ndkoracle/internal/perfetto"
	"ndkoracle/internal/tlcjudge"
	"ndkoracle/trace"
)

// conversion is what the flags of convert ask for.
type conversion struct {
	settings *settings
	to       string   // jsonl, ctf, perfetto or tla
	given    []string // flags that are of the judging of a trace
}

// convert writes a trace in another form, or as the TLA+ modules by which TLC decides it.
func (p *program) convert(ctx context.Context, out *bufio.Writer, c conversion, named []string) (int, error) {
	s, to := c.settings, c.to
	switch err := s.readable(); {
	case err != nil:
		return exitUsage, err
	case to == "" || len(named) != 2:
		return exitUsage, commandline.UsageError("convert takes --to jsonl, ctf or perfetto, a trace, and the file to write; or --to tla, a trace, and the folder to write to")
	case to != "tla":
		if len(c.given) > 0 {
			return exitUsage, commandline.UsageError("%s is of convert --to tla: nothing is judged for %s", c.given[0], to)
		}
		return p.rewrite(ctx, out, to, named[0], named[1], s.options.Timeout)
	}
	names, err := tlcjudge.Files()
	if err != nil {
		return exitInternal, err
	}
	taken, err := p.taken([]input{{name: named[0]}})
	if err != nil {
		return exitUsage, err
	}
	for _, name := range names {
		if err := take(taken, "convert", filepath.Join(named[1], name)); err != nil {
			return exitUsage, err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	t, code, err := p.readOne(ctx, named[0])
	if err != nil {
		return code, err
	}
	folder := named[1]
	s.options.MaxOperations = max(1, len(t.Events)) // whoever runs TLC by hand decides how long to wait
	options := s.optionsFor(t)
	if err := tlcjudge.Decidable(tlcjudge.Case{Trace: t, Options: options}); err != nil {
		return exitInconclusive, fmt.Errorf("%s: %w", oneLine(named[0]), err)
	}
	err, inTime := within(ctx, p.grace, func() error { return tlcjudge.Write(ctx, folder, tlcjudge.Case{Trace: t, Options: options}) })
	if !inTime || err != nil && ctx.Err() != nil {
		code, why := ended(ctx)
		return code, fmt.Errorf("%s after %d events of %s: the modules are not written", why, eventsOf(t), oneLine(named[0]))
	}
	if err != nil {
		return exitInternal, fmt.Errorf("the modules can't be written: %w", err)
	}
	w := &textReporter{out: out}
	w.line(0, "%s: written to %s; there, java -cp TLA2TOOLS_JAR tlc2.TLC -config %[3]s.cfg %[3]s.tla has TLC explain it", oneLine(named[0]), oneLine(folder),
		tlcjudge.Root)
	return exitConformant, nil
}

// givenBut returns the flags that were given, but for some.
func givenBut(set *pflag.FlagSet, but ...string) (given []string) {
	set.Visit(func(f *pflag.Flag) {
		if !slices.Contains(but, f.Name) {
			given = append(given, "--"+f.Name)
		}
	})
	return given
}

// rewrite writes a trace as JSON Lines, in the Common Trace Format, or for Perfetto, compressed where the name of the file says so.
func (p *program) rewrite(ctx context.Context, out *bufio.Writer, to, from, file string, limit time.Duration) (int, error) {
	return p.copyTrace(ctx, out, copying{"convert", from, file, limit}, func(w io.Writer, source io.Reader) (events int, err error) {
		r, err := trace.NewReader(oneLine(from), source)
		if err == nil {
			err = rewritten(w, r, to, strings.HasSuffix(file, ".zst"))
			events = r.Events()
		}
		return events, err
	})
}

// copying is how a trace is written to another file.
type copying struct {
	by         string // the command
	from, file string
	limit      time.Duration
}

// copyTrace writes what a function makes of a trace to a file, or to standard output where its name is -.
func (p *program) copyTrace(ctx context.Context, out *bufio.Writer, c copying, do func(io.Writer, io.Reader) (events int, err error)) (int, error) {
	from, file := c.from, c.file
	taken, err := p.taken([]input{{name: from}})
	if err == nil && file != "-" {
		err = take(taken, c.by, file)
	}
	if err != nil {
		return exitUsage, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, errTime)
	defer cancel()
	var refused error
	events := 0
	write := func(w io.Writer) error {
		source, stop := p.reader(ctx, input{name: from})
		defer stop()
		var err error
		events, err = do(w, source)
		if malformed := (*trace.Error)(nil); errors.As(err, &malformed) {
			refused = err
		}
		return err
	}
	err, inTime := within(ctx, p.grace, func() error {
		if file == "-" {
			return write(out)
		}
		return outfile.Place{Name: file}.Write(ctx, write)
	})
	switch {
	case !inTime || err != nil && ctx.Err() != nil:
		code, why := ended(ctx)
		if !inTime {
			return code, fmt.Errorf("%s: %s is not written", why, oneLine(file))
		}
		return code, fmt.Errorf("%s after %d events of %s: %s is not written", why, events, oneLine(from), oneLine(file))
	case refused != nil:
		r := malformed(from, refused)
		return exitMalformed, fmt.Errorf("%s: %s", at(oneLine(from), r.line), r.reason)
	case err != nil:
		return exitInternal, fmt.Errorf("%s can't be written: %w", oneLine(file), err)
	}
	return exitConformant, nil
}

// rewritten writes a trace in a form.
func rewritten(w io.Writer, r *trace.Reader, to string, compressed bool) error {
	convert := trace.ConvertToLines
	switch to {
	case "ctf":
		convert = trace.ConvertToCtf
	case "perfetto":
		convert = perfetto.Convert
	}
	if !compressed {
		return convert(w, r)
	}
	encoder, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(convert(encoder, r), encoder.Close())
}
