package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ndkoracle/internal/prove"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// mostStates is how large a graph may be to be compared.
const mostStates = 60_000

// proofModules are the modules that are read in the place of a module for TLC.
var proofModules = map[string][]string{
	"MCCompletionQueue":          {"ProofCompletionQueue"},
	"MCConsumer":                 {"ProofConsumer"},
	"MCQueuePair":                {"ProofQueuePair"},
	"wrong/WrongCompletionQueue": {"ProofCompletionQueue", "WrongCompletionQueue"},
	"wrong/WrongQueuePair":       {"ProofQueuePair", "WrongQueuePair"},
}

// graphs compares the formulas with TLC, for the constants of TLC's configurations. Where a configuration holds, both must have the
// same states, and the same steps with their actions and arguments; where it fails, the formulas must break the property that TLC
// finds broken, after as many steps.
func graphs(ctx context.Context, o options, checker *prove.Checker, jar tlc.Jar) (bad int, err error) {
	begun := time.Now()
	manifest, err := tlc.ReadManifest(o.dir)
	if err != nil {
		return 0, err
	}
	runner := tlc.Runner{Jar: jar, Dir: o.dir, Build: o.build, Timeout: 10 * time.Minute}
	claims, err := prove.ReadManifest(filepath.Join(o.dir, "proof"))
	if err != nil {
		return 0, err
	}
	usual := map[string]string{} // of the configurations of the usual run: what overrides them
	for _, claim := range claims {
		if !claim.More && claim.Kind == prove.Safety && claim.Verdict == prove.Proved {
			usual[claim.Configuration] = claim.Over
		}
	}
	compared := 0
	for _, c := range manifest {
		modules := proofModules[c.Module]
		text, err := os.ReadFile(filepath.Join(o.dir, c.Cfg()))
		if err != nil {
			return bad, err
		}
		if modules == nil || c.States > mostStates || !o.only.MatchString(c.Name) || !strings.Contains(string(text), "SPECIFICATION Safety") {
			continue
		}
		from := time.Now()
		what, err := compare(ctx, checker, runner, c, modules)
		if err := ctx.Err(); err != nil {
			return bad, err
		}
		compared++
		if err != nil {
			bad++
			what = "NOT THE SAME: " + strings.ReplaceAll(err.Error(), "\n", "\n    ")
		}
		fmt.Printf("%-42s %5.1f s  %s\n", c.Name, time.Since(from).Seconds(), what)
		over := usual[c.Name]
		if over == "" {
			continue
		}
		from = time.Now()
		if what, err = auxiliary(ctx, checker, runner, c, modules[0], over); err != nil {
			bad++
			what = "AUXILIARY INVARIANTS NOT AS PROVED: " + strings.ReplaceAll(err.Error(), "\n", "\n    ")
		}
		fmt.Printf("%-42s %5.1f s  %s\n", "", time.Since(from).Seconds(), what)
	}
	if compared == 0 {
		return bad, fmt.Errorf("no configuration that can be compared matches")
	}
	fmt.Printf("%d configurations compared with TLC, %d not the same, %.0f s\n", compared, bad, time.Since(begun).Seconds())
	return bad, nil
}

func compare(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, modules []string) (string, error) {
	claim := prove.Claim{Name: c.Name, Kind: prove.Safety, Modules: modules, Configuration: c.Name}
	p, err := checker.Load(ctx, claim)
	if err != nil {
		return "", err
	}
	if c.Verdict == tlc.Fail {
		property, depth, err := p.Broken(p.Largest())
		switch {
		case err != nil:
			return "", err
		case property != c.Property || depth != c.Depth:
			return "", fmt.Errorf("TLC finds %s broken at depth %d, and the formulas break %q at depth %d", c.Property, c.Depth, property, depth)
		}
		return fmt.Sprintf("breaks %s at depth %d, as in TLC", property, depth), nil
	}
	g, err := p.Explore(p.Largest())
	if err != nil {
		return "", err
	}
	machine, err := mc.Read(os.DirFS(runner.Dir), c.Module, c.Name)
	if err != nil {
		return "", err
	}
	theirs, err := runner.Graph(ctx, c, machine.Actions())
	if err != nil {
		return "", err
	}
	difference, err := prove.Compare(g, theirs)
	if err == nil && difference != "" {
		err = fmt.Errorf("%s", difference)
	}
	return fmt.Sprintf("%d states and %d steps, as in TLC", len(g.States), len(g.Steps)), err
}

// ofChecks is a line of a configuration that says what TLC is to check.
var ofChecks = regexp.MustCompile(`(?m)^(INVARIANT|PROPERT).*\n`)

// auxiliary has TLC check the auxiliary invariants in a configuration. It must find as many states as without.
func auxiliary(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, module, over string) (string, error) {
	names, err := checker.Auxiliary(over)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(runner.Dir, c.Cfg()))
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(runner.Build, "auxiliary")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	for _, pattern := range []string{"*.tla", filepath.Join("proof", "*.tla")} {
		files, err := filepath.Glob(filepath.Join(runner.Dir, pattern))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o644)
			}
			if err != nil {
				return "", err
			}
		}
	}
	cfg := ofChecks.ReplaceAllString(string(text), "") + "INVARIANTS " + strings.Join(names, " ") + "\n"
	if err := os.WriteFile(filepath.Join(folder, "Auxiliary.cfg"), []byte(cfg), 0o644); err != nil {
		return "", err
	}
	runner.Dir, runner.Build = folder, filepath.Join(runner.Build, "auxiliary-output")
	result, err := runner.Run(ctx, tlc.Configuration{Name: "Auxiliary", Module: module})
	switch {
	case err != nil:
		return "", err
	case result.Verdict != tlc.Pass:
		return "", fmt.Errorf("TLC: %s %s %v", result.Verdict, result.Property, result.Errors)
	case result.States != c.States:
		return "", fmt.Errorf("TLC found %d states, pinned are %d", result.States, c.States)
	}
	return fmt.Sprintf("TLC finds no state that breaks one of the %d auxiliary invariants", len(names)), nil
}
