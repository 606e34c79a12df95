package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"ndkoracle/internal/mutate"
)

// A program has all the mutants in it. It is this command, which compares the graphs of the mutant that it is told, and the
// tests of the model.
type program struct {
	command, tests string
}

// buildMutants builds the program of the mutants.
func buildMutants(ctx context.Context, root, dir string, sources map[string][]byte, mutants map[int]mutate.Mutant) (program, error) {
	p := program{command: filepath.Join(dir, "mutants"), tests: filepath.Join(dir, "model.test")}
	overlay := filepath.Join(dir, "overlay.json")
	if err := writeOverlay(overlay, root, dir, sources, mutants); err != nil {
		return p, err
	}
	if err := goRun(ctx, root, "build", "-overlay", overlay, "-o", p.command, "./cmd/mutants"); err != nil {
		return p, err
	}
	return p, goRun(ctx, root, "test", "-c", "-vet=off", "-overlay", overlay, "-o", p.tests, "./model")
}

func goRun(ctx context.Context, root string, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// becomer is the file that stands in the place of become.go.
const becomer = `package main

import "ndkoracle/model"

func become(number int) { model.Mutant = number }
`

// writeOverlay writes the files with all mutants in them, and the list that puts them in the place of others.
func writeOverlay(overlay, root, dir string, sources map[string][]byte, mutants map[int]mutate.Mutant) error {
	texts := map[string][]byte{"model/mutant.go": []byte(mutate.Chooser), "cmd/mutants/become.go": []byte(becomer)}
	for file, source := range sources {
		var err error
		if texts["model/"+file], err = mutate.Together(file, source, mutants); err != nil {
			return err
		}
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for file, text := range texts {
		written := filepath.Join(dir, filepath.Base(file))
		replace[filepath.Join(root, file)] = written
		if err := os.WriteFile(written, text, 0o644); err != nil {
			return err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, list, 0o644)
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// test has the tests of the model run on a mutant, and returns the name of the first that fails, or "".
func (p program) test(ctx context.Context, root string, number int) (string, error) {
	tests := exec.CommandContext(ctx, p.tests, "-test.failfast", "-test.timeout=10s")
	tests.Dir = filepath.Join(root, "model")
	tests.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(number))
	out, err := tests.CombinedOutput()
	if exit := new(exec.ExitError); err == nil || !errors.As(err, &exit) {
		return "", err
	}
	if name := failedTest.FindSubmatch(out); name != nil {
		return string(name[1]), nil
	}
	return "", fmt.Errorf("the tests of the model end with %w\n%s", err, out)
}
