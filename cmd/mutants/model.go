package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ndkoracle/internal/graph"
	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The files of the model that are changed: the steps of CQs.
var mutated = []string{"cq.go"}

//go:embed survivors.tsv
var survivorsFile string

// survivors returns the mutants that no comparison can find, with the reasons.
func survivors() (map[string]string, error) {
	reasons := map[string]string{}
	n := 0
	for line := range strings.Lines(survivorsFile) {
		n++
		name, reason, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, twice := reasons[name]; !ok || reason == "" || twice {
			return nil, fmt.Errorf("survivors.tsv:%d: not a mutant and its reason, or one that is there twice", n)
		}
		reasons[name] = reason
	}
	return reasons, nil
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

// tryModel tries the mutants of the model, and returns how many are not found as they should be.
func tryModel(ctx context.Context, o options, jar tlc.Jar, scratch string) (bad int, err error) {
	reasons, err := survivors()
	if err != nil {
		return 0, err
	}
	mutants, sources, err := modelMutants(o.root)
	if err != nil {
		return 0, err
	}
	if o.sample > 0 { // what survives is compared in every configuration: that takes its time
		mutants = slices.DeleteFunc(mutants, func(m mutate.Mutant) bool { return reasons[m.String()] != "" })
	}
	chosen := map[int]mutate.Mutant{}
	for _, i := range choose(o, mutants) {
		chosen[i] = mutants[i]
	}
	if len(chosen) == 0 {
		return 0, nil
	}
	all := len(chosen) == len(mutants) && o.sample == 0
	t := tally{of: "model", start: time.Now()}
	configurations, err := keepGraphs(ctx, o, jar)
	if err != nil {
		return 0, err
	}
	program, notGo, err := buildMutants(ctx, o.root, scratch, sources, chosen)
	if err != nil {
		return 0, err
	}
	numbers := append([]int{nothing}, slices.Sorted(maps.Keys(chosen))...)
	for i, outcome := range tryAll(o, len(numbers), func(i int) (string, error) {
		found, _, err := try(ctx, o, program, numbers[i], against(configurations, chosen[numbers[i]].File))
		return found, err
	}) {
		f := <-outcome
		if ctx.Err() != nil {
			return t.bad, errors.New("interrupted")
		}
		if numbers[i] == nothing {
			t.report("(nothing is changed)", f, "", "this is how it is told that a graph is the same")
			continue
		}
		name := chosen[numbers[i]].String()
		t.report(name, f, "", reasons[name])
		delete(reasons, name)
	}
	if all {
		for _, name := range slices.Sorted(maps.Keys(reasons)) {
			t.bad++
			fmt.Printf("survivors.tsv explains what is no mutant: %s\n", name)
		}
	}
	t.sum()
	fmt.Printf("(%d more are not Go, and were not built.)\n", notGo)
	return t.bad, nil
}

// nothing is the number of no mutant.
const nothing = -1

// closest is the module that tells most of what a file of the model does.
var closest = map[string]string{"cq.go": "MCCompletionQueue", "qp.go": "MCQueuePair"}

// against returns the names of the configurations in which a mutant of the file is soon found, and then the others: those of
// the module that is closest, then those of the whole, in either case small ones first.
func against(configurations []tlc.Configuration, file string) string {
	rank := func(c tlc.Configuration) int { return slices.Index([]string{"MCNdk", closest[file]}, c.Module) }
	configurations = slices.SortedStableFunc(slices.Values(configurations), func(a, b tlc.Configuration) int {
		return cmp.Or(rank(b)-rank(a), a.States-b.States)
	})
	names := make([]string, len(configurations))
	for i, c := range configurations {
		names[i] = c.Name
	}
	return strings.Join(names, ",")
}

// largest is the number of states above which a configuration is left out: it finds nothing that the others do not.
const largest = 40000

// keepGraphs sees to it that TLC's graphs are there, and returns the configurations that they are of. In those of the
// consumer the contract takes no step that it does not take in its own.
func keepGraphs(ctx context.Context, o options, jar tlc.Jar) ([]tlc.Configuration, error) {
	manifest, err := tlc.ReadManifest(o.tla())
	if err != nil {
		return nil, err
	}
	runner := o.runner()
	runner.Jar = jar
	manifest = slices.DeleteFunc(manifest, func(c tlc.Configuration) bool {
		return c.Deep || c.Verdict == tlc.Fail || c.Module == "MCConsumer" || c.States > largest
	})
	for i, outcome := range tryAll(o, len(manifest), func(i int) (string, error) {
		machine, err := mc.Read(os.DirFS(o.tla()), manifest[i].Module, manifest[i].Name)
		if err == nil {
			_, err = runner.Graph(ctx, manifest[i], machine.Actions())
		}
		return "", err
	}) {
		if f := <-outcome; f.err != nil {
			return nil, fmt.Errorf("%s: %w", manifest[i].Name, f.err)
		}
	}
	return manifest, nil
}

func (o options) runner() tlc.Runner {
	return tlc.Runner{Dir: o.tla(), Build: filepath.Join(o.build, "tlc"), Timeout: 15 * time.Minute}
}

// notTried is what the program of a mutant exits with if it could compare nothing: another number than that of a panic, which
// is 2.
const notTried = 3

// try has a mutant compare its graphs, and returns what found it, and the way to the difference.
func try(ctx context.Context, o options, program string, number int, configurations string) (found, way string, err error) {
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	mutant := exec.CommandContext(limited, program, "-root", o.root, "-build", o.build, "-against", configurations)
	mutant.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(number))
	var said, complaint bytes.Buffer
	mutant.Stdout, mutant.Stderr = &said, &complaint
	err = mutant.Run()
	exit := new(exec.ExitError)
	switch {
	case err == nil:
		return "", "", nil
	case limited.Err() != nil:
		return "it does not end", "", nil
	case !errors.As(err, &exit):
		return "", "", err
	case exit.ExitCode() == notTried:
		return "", "", errors.New(complaint.String())
	case exit.ExitCode() != 1:
		return "it panics", "", nil
	}
	found, way, _ = strings.Cut(said.String(), "\n")
	return found, way, nil
}

// buildMutants returns the path of a program that has all the mutants in it; those that are not Go are taken out, and
// counted.
func buildMutants(ctx context.Context, root, dir string, sources map[string][]byte, mutants map[int]mutate.Mutant) (program string, notGo int, err error) {
	program = filepath.Join(dir, "mutants")
	for {
		overlay := filepath.Join(dir, "overlay.json")
		if err := writeOverlay(overlay, root, dir, sources, mutants); err != nil {
			return "", 0, err
		}
		// All complaints of the compiler, not the first ten.
		build := exec.CommandContext(ctx, "go", "build", "-gcflags=ndkoracle/model=-e", "-overlay", overlay, "-o", program, "./cmd/mutants")
		build.Dir = root
		out, err := build.CombinedOutput()
		if err == nil {
			return program, notGo, nil
		}
		before := len(mutants)
		for number := range mutate.NotGo(out) {
			delete(mutants, number)
		}
		notGo += before - len(mutants)
		if len(mutants) == before {
			return "", 0, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
}

// writeOverlay writes the files with all mutants in them, and the list that puts them in the place of the model's.
func writeOverlay(overlay, root, dir string, sources map[string][]byte, mutants map[int]mutate.Mutant) error {
	model, err := filepath.Abs(filepath.Join(root, "model"))
	if err != nil {
		return err
	}
	texts := map[string][]byte{"mutant.go": []byte(mutate.Chooser)}
	for file, source := range sources {
		if texts[file], err = mutate.Together(file, source, mutants); err != nil {
			return err
		}
	}
	replace := map[string]string{}
	for file, text := range texts {
		replace[filepath.Join(model, file)] = filepath.Join(dir, file)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, list, 0o644)
}

// compareSelf is what the program of a mutant does: it compares its model with the graphs that were kept, and says where
// the first difference is.
func compareSelf(o options) (bad int, err error) {
	manifest, err := tlc.ReadManifest(o.tla())
	if err != nil {
		return 0, err
	}
	for _, name := range strings.Split(o.against, ",") {
		i := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })
		if i < 0 {
			return 0, fmt.Errorf("no configuration %s", name)
		}
		c := manifest[i]
		g, err := o.runner().Kept(c)
		if err != nil {
			return 0, err
		}
		machine, err := mc.Read(os.DirFS(o.tla()), c.Module, c.Name)
		if err != nil {
			return 0, err
		}
		difference, err := graph.Compare(machine, g)
		switch {
		case err != nil:
			fmt.Printf("%s: %v\n", name, err)
			return 1, nil
		case difference != nil:
			action, _, _ := strings.Cut(difference.Action, "(")
			fmt.Printf("%s %s\n%s", name, action, difference)
			return 1, nil
		}
	}
	return 0, nil
}
