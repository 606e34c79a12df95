package tlc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// CounterExample is Run with one thing more: each step of the counter-example names its action with the arguments, as
// MCNdkArmCq("q", "ANY"). Actions are all instances of the MC module's actions. They take the place of MCNext, in a module
// around the configuration's, and the counter-example is as short as that of Run.
func (r Runner) CounterExample(ctx context.Context, c Configuration, actions []string) (Result, error) {
	r.Build = filepath.Join(r.Build, "counterexample")
	folder := r.folder(c)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Result{}, err
	}
	cfg, err := os.ReadFile(filepath.Join(r.Dir, c.Cfg()))
	if err != nil {
		return Result{}, err
	}
	module := wrapModule(path.Base(c.Module), actions, "")
	if err := os.WriteFile(filepath.Join(folder, wrapper+".tla"), module, 0o644); err != nil {
		return Result{}, err
	}
	configuration := append(bytes.TrimSpace(cfg), "\nCONSTANT MCNext <- "+wrapper+"Next\n"...)
	if err := os.WriteFile(filepath.Join(folder, wrapper+".cfg"), configuration, 0o644); err != nil {
		return Result{}, err
	}
	result, err := r.run(ctx, c, folder, wrapper, wrapper+".cfg", nil, "-lncheck", "final")
	for i := range result.Trace {
		step := &result.Trace[i]
		if number, ok := strings.CutPrefix(step.Action, prefix); ok {
			n, err := strconv.Atoi(number)
			if err != nil || n >= len(actions) {
				return result, fmt.Errorf("step %d is of %s, which is not defined", step.Number, step.Action)
			}
			step.Action = actions[n]
		}
	}
	return result, err
}
