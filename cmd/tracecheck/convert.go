package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"

	"ndkoracle/internal/tlcjudge"
)

// convert writes a trace as the TLA+ modules by which TLC decides it.
func (p *program) convert(ctx context.Context, out *bufio.Writer, args []string) (int, error) {
	s, to := &settings{}, ""
	set := readingFlags("convert", s)
	timeLimit(set, &s.options.Timeout, "")
	set.Var(oneOf(&to, "tla"), "to", "the `form` to write: tla")
	named, err := parse(set, args)
	if err == nil {
		err = s.readable()
	}
	switch {
	case err != nil:
		return exitUsage, err
	case to == "" || len(named) != 2:
		return exitUsage, usageError("convert takes --to tla, a trace, and the folder to write to")
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
