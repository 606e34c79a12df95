package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The files of the model that are changed: all that decide which steps there are. In the others are names, and the reasons of
// refusals, which the graphs don't have.
var mutated = []string{"cq.go", "qp.go", "token.go", "state.go", "step.go", "enabled.go", "dialect.go", "srq.go"}

//go:embed survivors.tsv
var survivorsFile string

// A survivor is a mutant that no graph tells from the model.
type survivor struct {
	by  string // the test of the model that does, or mutate.Same if there is nothing to tell
	why string
}

// survivors returns the survivors by the names of the mutants.
func survivors() (map[string]survivor, error) {
	all := map[string]survivor{}
	n := 0
	for line := range strings.Lines(survivorsFile) {
		n++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || f[2] == "" || f[1] != mutate.Same && !strings.HasPrefix(f[1], "Test") {
			return nil, fmt.Errorf("survivors.tsv:%d: not a mutant, %s or a test, and why", n, mutate.Same)
		}
		if all[f[0]] != (survivor{}) {
			return nil, fmt.Errorf("survivors.tsv:%d: %s is there twice", n, f[0])
		}
		all[f[0]] = survivor{f[1], f[2]}
	}
	return all, nil
}

// modelMutants returns all mutants of the model, and the files that they change.
func modelMutants(root string) (mutants []mutate.Mutant, sources map[string][]byte, err error) {
	files, err := filepath.Glob(filepath.Join(root, "model", "*.go"))
	if err != nil {
		return nil, nil, err
	}
	constants := map[string][]string{}
	all := map[string][]byte{}
	sources = map[string][]byte{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		some, err := mutate.Constants(file, source)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(constants, some)
		all[filepath.Base(file)] = source
		if slices.Contains(mutated, filepath.Base(file)) {
			sources[filepath.Base(file)] = source
		}
	}
	// Everything that makes the steps. What a judge asks besides is not in the graphs.
	reached, err := mutate.Reached(all, "Init", "Step", "Actions")
	if err != nil {
		return nil, nil, err
	}
	for _, file := range mutated {
		some, err := mutate.Model(file, sources[file], constants, reached)
		if err != nil {
			return nil, nil, err
		}
		mutants = append(mutants, some...)
	}
	return mutants, sources, nil
}

// tryModel tries the mutants of the model, and tells what became of them.
func tryModel(ctx context.Context, o options, jar tlc.Jar, scratch string) (*tally, error) {
	t := newTally("model", "a test")
	explained, err := survivors()
	if err != nil {
		return t, err
	}
	mutants, sources, err := modelMutants(o.root)
	if err != nil {
		return t, err
	}
	if o.sample > 0 { // what survives is compared in every configuration: that takes its time
		mutants = slices.DeleteFunc(mutants, func(m mutate.Mutant) bool { return explained[m.String()] != survivor{} })
	}
	chosen := map[int]mutate.Mutant{}
	for _, i := range choose(o, mutants) {
		chosen[i+1] = mutants[i]
	}
	if len(chosen) == 0 {
		return t, nil
	}
	all := len(chosen) == len(mutants) && o.sample == 0
	configurations, err := keepGraphs(ctx, o, jar)
	if err != nil {
		return t, err
	}
	program, err := buildMutants(ctx, o.root, scratch, sources, chosen)
	if err != nil {
		return t, err
	}
	workers := newPool(o, program)
	defer workers.stop()
	numbers := slices.Sorted(maps.Keys(chosen))
	for i, outcome := range tryAll(o, len(numbers), func(i int) fate { return workers.try(ctx, question{numbers[i], configurations}) }) {
		f := <-outcome
		if ctx.Err() != nil {
			return t, errors.New("interrupted")
		}
		name := chosen[numbers[i]].String()
		expected := explained[name]
		t.report(name, f, cmp.Or(expected.by, mutate.ByGraph), expected.why)
		delete(explained, name)
	}
	if all {
		for _, name := range slices.Sorted(maps.Keys(explained)) {
			t.bad++
			fmt.Printf("survivors.tsv explains what is no mutant: %s\n", name)
		}
	}
	t.end()
	return t, nil
}

// nothing is the number of no mutant.
const nothing = 0

// try returns what finds a mutant: its graph, or if that is the same a test of the model.
func (p *pool) try(ctx context.Context, q question) fate {
	a, err := p.ask(ctx, q)
	if err != nil {
		return fate{err: err}
	}
	if a.Found != "" {
		return fate{found: mutate.ByGraph, where: a.Found}
	}
	test, err := p.program.test(ctx, p.options.root, q.Mutant)
	return fate{found: test, err: err}
}

// largest is the number of states above which a configuration is left out: it finds nothing that the others do not.
const largest = 40000

// keepGraphs sees to it that TLC's graphs are there, and returns the names of the configurations that they are of, the small
// ones first: most mutants are found at once. In those of the consumer the contract takes no step that it does not take in its
// own.
func keepGraphs(ctx context.Context, o options, jar tlc.Jar) ([]string, error) {
	manifest, err := tlc.ReadManifest(o.tla())
	if err != nil {
		return nil, err
	}
	runner := o.runner()
	runner.Jar = jar
	if err := runner.KeepClasses(ctx); err != nil {
		return nil, err
	}
	manifest = slices.DeleteFunc(manifest, func(c tlc.Configuration) bool {
		return c.Deep || c.Verdict == tlc.Fail || c.Module == "MCConsumer" || c.States > largest
	})
	for i, outcome := range tryAll(o, len(manifest), func(i int) fate {
		machine, err := mc.Read(os.DirFS(o.tla()), manifest[i].Module, manifest[i].Name)
		if err == nil {
			_, err = runner.Graph(ctx, manifest[i], machine.Actions())
		}
		return fate{err: err}
	}) {
		if f := <-outcome; f.err != nil {
			return nil, fmt.Errorf("%s: %w", manifest[i].Name, f.err)
		}
	}
	slices.SortStableFunc(manifest, func(a, b tlc.Configuration) int { return a.States - b.States })
	names := make([]string, len(manifest))
	for i, c := range manifest {
		names[i] = c.Name
	}
	return names, nil
}

func (o options) runner() tlc.Runner {
	return tlc.Runner{Dir: o.tla(), Build: filepath.Join(o.build, "tlc"), Timeout: 15 * time.Minute}
}
