package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// A specification is tla/ with what is needed to change and check it.
type specification struct {
	runner   tlc.Runner // of the specification as it is
	scratch  string
	manifest []tlc.Configuration
}

func newSpecification(ctx context.Context, o options, jar tlc.Jar, scratch string) (specification, error) {
	s := specification{runner: o.runner(), scratch: scratch}
	s.runner.Jar, s.runner.Timeout = jar, o.timeout
	var err error
	if s.manifest, err = tlc.ReadManifest(o.tla()); err != nil {
		return s, err
	}
	return s, s.runner.KeepClasses(ctx)
}

// trySpecification tries the edits, and tells what became of them.
func trySpecification(ctx context.Context, o options, jar tlc.Jar, scratch string) (*tally, error) {
	t := newTally("specification", "a property")
	edits, err := mutate.ReadEdits(o.tla())
	if err != nil {
		return t, err
	}
	s, err := newSpecification(ctx, o, jar, scratch)
	if err != nil {
		return t, err
	}
	if o.sample > 0 { // what changes nothing is compared in all of its graph: that takes its time
		edits = slices.DeleteFunc(edits, func(e mutate.Edit) bool { return !e.IsFound() })
	}
	chosen := choose(o, edits)
	pin := func() error { // what was found is kept, though it be not all
		if !o.pin {
			return nil
		}
		return mutate.WriteEdits(o.tla(), edits)
	}
	for i, outcome := range tryAll(o, len(chosen), func(i int) fate { return s.try(ctx, edits[chosen[i]], o.pin) }) {
		f := <-outcome
		if ctx.Err() != nil {
			return t, errors.Join(errors.New("interrupted"), pin())
		}
		e := &edits[chosen[i]]
		if o.pin && f.err == nil && f.found != "" {
			e.Found, e.Why = f.found, ""
		}
		t.report(e.String(), f, e.Found, e.Why)
	}
	if len(chosen) == len(edits) && o.sample == 0 {
		missed, err := mutate.Missed(o.tla(), edits)
		if err != nil {
			return t, err
		}
		for _, clause := range missed {
			t.bad++
			fmt.Printf("no mutant changes %s\n", clause)
		}
	}
	t.end()
	return t, pin()
}

// try returns what finds an edit, or "": the property that is expected to, or the graph; any property if none is expected.
func (s specification) try(ctx context.Context, e mutate.Edit, any bool) fate {
	found, err := s.find(ctx, e, any)
	return fate{found: found, err: err}
}

func (s specification) find(ctx context.Context, e mutate.Edit, any bool) (found string, err error) {
	runner, err := s.change(e)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(runner.Dir)
	for _, name := range strings.Split(e.Configuration, ",") {
		i := slices.IndexFunc(s.manifest, func(c tlc.Configuration) bool { return c.Name == name })
		if i < 0 {
			return "", fmt.Errorf("there is no configuration %s", name)
		}
		c := s.manifest[i]
		if any || e.Found != mutate.ByGraph && e.IsFound() {
			if found, err = breaks(ctx, runner, c, e.Found, any); found != "" || err != nil {
				return found, err
			}
		}
		if any || e.Found == mutate.ByGraph || !e.IsFound() {
			machine, err := mc.Read(os.DirFS(s.runner.Dir), c.Module, c.Name)
			if err != nil {
				return "", err
			}
			g, err := s.runner.Graph(ctx, c, machine.Actions())
			if err != nil {
				return "", err
			}
			if same, err := runner.Same(ctx, c, g); !same || err != nil {
				return mutate.ByGraph, err
			}
		}
	}
	return "", nil
}

// change makes a copy of tla/ with the edit in it, and returns a runner for it.
func (s specification) change(e mutate.Edit) (tlc.Runner, error) {
	dir, err := os.MkdirTemp(s.scratch, "tla")
	if err != nil {
		return tlc.Runner{}, err
	}
	if err := os.CopyFS(dir, os.DirFS(s.runner.Dir)); err != nil {
		return tlc.Runner{}, err
	}
	file := filepath.Join(dir, e.Module+".tla")
	text, err := os.ReadFile(file)
	if err != nil {
		return tlc.Runner{}, err
	}
	changed, err := e.Apply(string(text))
	if err != nil {
		return tlc.Runner{}, err
	}
	runner := s.runner
	runner.Dir, runner.Build = dir, filepath.Join(dir, "build")
	return runner, os.WriteFile(file, []byte(changed), 0o644)
}

// breaks runs TLC with the property alone, or with any that the configuration checks, and returns the one that breaks.
func breaks(ctx context.Context, runner tlc.Runner, c tlc.Configuration, property string, any bool) (string, error) {
	file := filepath.Join(runner.Dir, c.Cfg())
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	try := func(property string) (tlc.Result, error) {
		alone, err := tlc.CheckOnly(string(text), property)
		if err != nil {
			return tlc.Result{}, fmt.Errorf("%s: %w", c.Cfg(), err)
		}
		if err := os.WriteFile(file, []byte(alone), 0o644); err != nil {
			return tlc.Result{}, err
		}
		result, err := runner.Run(ctx, c)
		if err == nil && result.Verdict == tlc.Error {
			err = errors.New(strings.Join(result.Errors, "\n"))
		}
		return result, err
	}
	if !any {
		result, err := try(property)
		if err != nil || result.Verdict != tlc.Fail {
			return "", err
		}
		return property, nil
	}
	result, err := runner.Run(ctx, c)
	switch {
	case err != nil || result.Verdict == tlc.Pass:
		return "", err
	case result.Verdict == tlc.Fail && result.Property != "":
		_, property, of := strings.Cut(result.Property, "!") // of a module that the checked one instantiates
		if !of {
			property = result.Property
		}
		return property, nil
	}
	// A temporal property, which TLC does not name, or something that has no value before a property is looked at.
	for _, property := range tlc.Checked(string(text)) {
		if alone, err := try(property); err == nil && alone.Verdict == tlc.Fail {
			return property, nil
		}
	}
	return "", errors.New(strings.Join(result.Errors, "\n"))
}
