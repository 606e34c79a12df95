package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/outfile"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
)

// An output is where files beside the report go, one a trace: a file, or a directory for more than one trace.
type output struct {
	flag, suffix string
	path         string // "" where none is asked for
}

// isFolder reports whether the path is a directory, or is named as one.
func (o *output) isFolder() bool {
	info, err := os.Stat(o.path)
	return strings.HasSuffix(o.path, string(filepath.Separator)) || err == nil && info.IsDir()
}

// check says what is wrong with the path for these traces.
func (o *output) check(inputs []input) error {
	switch {
	case !o.isFolder() && len(inputs) > 1:
		return commandline.UsageError("--%s %s is a file, and there are %d traces: name a directory, with a / at its end if it does not exist yet",
			o.flag, oneLine(o.path), len(inputs))
	case !o.isFolder():
		return nil
	}
	of := map[string]string{}
	for _, in := range inputs {
		name := o.fileOf(in)
		if of[name] != "" && of[name] != in.name {
			return commandline.UsageError("--%s would write %s for both %s and %s", o.flag, oneLine(name), oneLine(of[name]), in.shown())
		}
		of[name] = in.name
	}
	return nil
}

// checkOutputs says what is wrong with the files that are to be written: none is written twice, and none is a trace that is read.
func (p *program) checkOutputs(s *settings, inputs []input) error {
	taken, err := p.taken(inputs)
	if err != nil {
		return err
	}
	if s.baselineFile != "" {
		taken.Read("the baseline", s.baselineFile)
	}
	for _, f := range s.formats {
		if f.file == "" {
			continue
		}
		if err := take(taken, "--format "+f.name, f.file); err != nil {
			return err
		}
	}
	for _, o := range []*output{&s.witness, &s.minimize, &s.html} {
		if o.path == "" {
			continue
		}
		if err := o.check(inputs); err != nil {
			return err
		}
		for _, in := range inputs {
			if err := take(taken, "--"+o.flag, o.fileOf(in)); err != nil {
				return err
			}
		}
	}
	return nil
}

// taken returns the files that are read, and those that standard output and standard error go to. The error says that standard output goes to one that
// is read.
func (p *program) taken(inputs []input) (*outfile.Taken, error) {
	taken := &outfile.Taken{}
	for _, in := range inputs {
		if in.name != "-" {
			taken.Read("the trace", in.name)
		} else if f, isFile := p.stdin.(*os.File); isFile {
			taken.ReadStream("the trace", f)
		}
	}
	if f, isFile := p.stdout.(*os.File); isFile {
		if err := taken.WriteStream("standard output", f); err != nil {
			return nil, commandline.UsageError("%s", err)
		}
	}
	if to, known := p.stderr.(noCommands); known {
		if f, isFile := to.out.(*os.File); isFile {
			if err := taken.WriteStream("standard error", f); err != nil {
				return nil, commandline.UsageError("%s", err)
			}
		}
	}
	return taken, nil
}

// take says why a flag can't have a file written: it has been taken.
func take(taken *outfile.Taken, by, name string) error {
	if name == "-" {
		return commandline.UsageError("%s - names no file", by)
	}
	if err := taken.Write(by, name); err != nil {
		return commandline.UsageError("%s", oneLine(err.Error()))
	}
	return nil
}

// placeOf returns the place of the file for a trace: in a directory by its name, and by its path below the directory that it was found in.
func (o *output) placeOf(in input) outfile.Place {
	if !o.isFolder() {
		return outfile.Place{Name: o.path}
	}
	base := cmp.Or(in.below, filepath.Base(in.name))
	if in.name == "-" {
		base = "stdin"
	}
	for _, suffix := range []string{".zst", ".jsonl", ".ctf", ".ndktrace"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return outfile.Place{Folder: o.path, Name: base + o.suffix}
}

// fileOf returns the path of the file for a trace.
func (o *output) fileOf(in input) string { return o.placeOf(in).String() }

// save writes the file for a trace, within the time for one. An error is told, and the run fails. It returns the path of the file that was written,
// or "".
func (p *program) save(ctx context.Context, r *result, s *settings, place outfile.Place, what string, write func(io.Writer) error) string {
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	err := place.Write(ctx, write)
	if err == nil {
		return place.String()
	}
	fmt.Fprintf(p.stderr, "tracecheck: %s of %s can't be written to %s: %v\n", what, printable(r.report.File), oneLine(place.String()), err)
	r.unsaved = true
	return ""
}

// prove writes the witness of a conformant trace into memory. One that does not hold is a mistake in this program.
func prove(r *result, s *settings) {
	o := s.optionsFor(r.trace)
	claim := witness.Claim{Dialect: cmp.Or(o.Dialect, r.trace.Header.Dialect), Assume: o.Assume, DeviceLevel: o.DeviceLevel, Order: r.report.Order}
	var proof bytes.Buffer
	err := witness.Write(&proof, r.trace, claim, r.report.Witness)
	if err == nil {
		_, err = witness.Verify(bytes.NewReader(proof.Bytes()), r.trace)
	}
	if err != nil {
		*r = result{trace: r.trace, report: r.report, code: exitInternal, reason: "the witness is refused: " + err.Error()}
		return
	}
	r.proof = proof.Bytes()
}

// saveWitness writes the witness of a trace, and says why there is none in the file that was named.
func (p *program) saveWitness(ctx context.Context, in input, r *result, s *settings) {
	switch {
	case s.witness.path == "" || r.code == exitMalformed || r.code == exitInternal:
	case r.proof != nil:
		r.witness = p.save(ctx, r, s, s.witness.placeOf(in), "the witness", func(w io.Writer) error {
			_, err := w.Write(r.proof)
			return err
		})
	case !s.witness.isFolder():
		why := string(r.report.Verdict)
		switch {
		case r.report.Verdict != verdict.Conformant:
		case r.report.Events > linearize.MaxEvents:
			why = fmt.Sprintf("it has %d events, and the engine porcupine, which finds witnesses, takes %d at most; the engine stream, which decided it, "+
				"keeps no more than it needs", r.report.Events, linearize.MaxEvents)
		default:
			why = "the engine porcupine found none within its limits (--max-operations, --timeout), or the trace has receives of a shared receive queue, which a " +
				"witness has no steps for; the engine stream keeps none"
		}
		fmt.Fprintf(p.stderr, "tracecheck: no witness of %s: %s\n", printable(r.report.File), why)
	}
}
