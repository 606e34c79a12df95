package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
		return usageError("--%s %s is a file, and there are %d traces: name a directory, with a / at its end if it does not exist yet",
			o.flag, o.path, len(inputs))
	case !o.isFolder():
		return nil
	}
	of := map[string]string{}
	for _, in := range inputs {
		name := o.fileOf(in)
		if of[name] != "" && of[name] != in.name {
			return usageError("--%s would write %s for both %s and %s", o.flag, name, of[name], in.name)
		}
		of[name] = in.name
	}
	return nil
}

// checkOutputs says what is wrong with the files that are to be written: none is written twice, and none is a trace that is read.
func (s *settings) checkOutputs(inputs []input) error {
	by := map[string]string{} // the flag that writes a file, by its path
	read := map[string]bool{}
	for _, in := range inputs {
		read[resolved(in.name)] = in.name != "-"
	}
	takes := func(flag, name string) error {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil // a device
		}
		path := resolved(name)
		switch {
		case name == "-":
			return usageError("--%s - names no file", flag)
		case read[path]:
			return usageError("--%s would write over the trace %s", flag, name)
		case by[path] != "" && by[path] != flag:
			return usageError("--%s and --%s would both write %s", by[path], flag, name)
		}
		by[path] = flag
		return nil
	}
	for _, f := range s.formats {
		if f.file != "" {
			if err := takes("format "+f.name, f.file); err != nil {
				return err
			}
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
			if err := takes(o.flag, o.fileOf(in)); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolved returns the path of a file by which it is known whatever it is called, or else its name.
func resolved(name string) string {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// fileOf names the file for a trace: in a directory by its name, and by its path below the directory that it was found in.
func (o *output) fileOf(in input) string {
	if !o.isFolder() {
		return o.path
	}
	base := cmp.Or(in.below, filepath.Base(in.name))
	if in.name == "-" {
		base = "stdin"
	}
	for _, suffix := range []string{".zst", ".jsonl", ".ndktrace"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return filepath.Join(o.path, base+o.suffix)
}

// writeFile writes a file. One that can't be written whole is taken away again, where it is a regular one.
func writeFile(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return reason(err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666) // opened to read, too, a pipe would be its own reader
	if err != nil {
		return reason(err)
	}
	if err = errors.Join(write(file), file.Close()); err == nil {
		return nil
	}
	if info, statErr := os.Stat(name); statErr == nil && info.Mode().IsRegular() {
		err = errors.Join(err, os.Remove(name))
	}
	return reason(err)
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
		*r = result{trace: r.trace, report: r.report, code: exitInternal, reason: "the witness does not hold: " + err.Error()}
		return
	}
	r.proof = proof.Bytes()
}

// saveWitness writes the witness of a trace, and says why there is none in the file that was named.
func (p *program) saveWitness(in input, r *result, s *settings) {
	switch {
	case s.witness.path == "" || r.code == exitMalformed || r.code == exitInternal:
	case r.proof != nil:
		r.witness = s.witness.fileOf(in)
		p.saved(r, r.witness, "the witness", writeFile(r.witness, func(w io.Writer) error {
			_, err := w.Write(r.proof)
			return err
		}))
	case !s.witness.isFolder():
		why := string(r.report.Verdict)
		switch {
		case r.report.Verdict != verdict.Conformant:
		case r.report.Events > linearize.MaxEvents:
			why = fmt.Sprintf("it has %d events, and the engine porcupine, which finds witnesses, takes %d at most; the engine stream, which decided it, "+
				"keeps no more than it needs", r.report.Events, linearize.MaxEvents)
		default:
			why = "the engine porcupine found none within its limits (--max-operations, --timeout), and the engine stream, which decided it, keeps none"
		}
		fmt.Fprintf(p.stderr, "tracecheck: no witness of %s: %s\n", printable(r.report.File), why)
	}
}

// saved says why a file could not be written. The verdict stands; the run failed.
func (p *program) saved(r *result, name, what string, err error) {
	if err != nil {
		fmt.Fprintf(p.stderr, "tracecheck: %s of %s can't be written to %s: %v\n", what, printable(r.report.File), printable(name), err)
		r.unsaved, r.witness, r.minimized, r.page = true, "", "", ""
	}
}
