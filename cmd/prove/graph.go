package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	"MCNdk":                      {"ProofNdk"},
	"wrong/WrongCompletionQueue": {"ProofCompletionQueue", "WrongCompletionQueue"},
	"wrong/WrongQueuePair":       {"ProofQueuePair", "WrongQueuePair"},
	"wrong/WrongNdk":             {"ProofNdk", "WrongNdk"},
}

// graphs compares the formulas with TLC, for the constants of TLC's configurations. Where a configuration holds, both must have the
// same states, and the same steps with their actions and arguments, and each has each invariant and property; where it fails, the formulas
// must break the property that TLC finds broken, after as many steps. What TLC finds broken of what happens in the end must have a run
// from Init to what a claim says of it.
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
	overs, err := auxiliaries(claims, manifest)
	if err != nil {
		return 0, err
	}
	var list []tlc.Configuration
	var runs []prove.Claim
	for _, c := range manifest {
		text, err := os.ReadFile(filepath.Join(o.dir, c.Cfg()))
		if err != nil {
			return bad, err
		}
		safety := strings.Contains(string(text), "SPECIFICATION Safety")
		if proofModules[c.Module] != nil && c.States <= mostStates && o.only.MatchString(c.Name) && safety {
			list = append(list, c)
		}
		for _, claim := range claims {
			if claim.Configuration == c.Name && claim.Verdict == prove.Fails && !safety && o.only.MatchString(claim.Name) {
				runs = append(runs, claim)
			}
		}
	}
	if len(list)+len(runs) == 0 {
		return bad, fmt.Errorf("no configuration that can be compared matches")
	}
	told := func(report string) {
		if strings.Contains(report, notSame) {
			bad++
		}
		fmt.Print(report)
	}
	each(list, func(c tlc.Configuration) string {
		return compareAndCheck(ctx, checker, runner, c, overs[c.Name])
	}, func(_ tlc.Configuration, report string) { told(report) })
	each(runs, func(claim prove.Claim) string {
		return reportLine(claim.Name, func() (string, error) { return runFromInit(ctx, checker, claim) })
	}, func(_ prove.Claim, report string) { told(report) })
	if err := ctx.Err(); err != nil {
		return bad, err
	}
	fmt.Printf("%d configurations compared with TLC, %d runs to what fails in the end, %d not as in TLC, %.0f s\n",
		len(list), len(runs), bad, time.Since(begun).Seconds())
	return bad, nil
}

// elsewhere says in which configurations of TLC the auxiliary invariants are checked of claims that have a configuration of their own.
var elsewhere = map[string][]string{
	"proof/Ndk":     {"Ndk-tokens", "Ndk-mishaps", "Ndk-own", "Ndk-close", "Ndk-ndspi", "Ndk-verbs-reads", "Ndk-resize", "Ndk-connect"},
	"proof/NdkOnce": {"Ndk-tokens", "Ndk-token-dies", "Ndk-undefined-peer"},
}

// auxiliaries returns, by configuration of TLC, the files whose auxiliary invariants it has to check: each is checked somewhere.
func auxiliaries(claims []prove.Claim, manifest []tlc.Configuration) (map[string][]string, error) {
	overs := map[string][]string{}
	add := func(configuration, over string) bool {
		known := slices.ContainsFunc(manifest, func(c tlc.Configuration) bool { return c.Name == configuration })
		if known && !slices.Contains(overs[configuration], over) {
			overs[configuration] = append(overs[configuration], over)
		}
		return known
	}
	checked := map[string]bool{}
	for _, claim := range claims {
		if !claim.More && claim.Kind == prove.Safety && claim.Verdict == prove.Proved && add(claim.Configuration, claim.Over) {
			checked[claim.Over] = true
		}
	}
	for over, list := range elsewhere {
		for _, configuration := range list {
			if !add(configuration, over) {
				return nil, fmt.Errorf("the auxiliary invariants of %s are to be checked in %s, and TLC has no such configuration", over, configuration)
			}
			checked[over] = true
		}
	}
	for _, claim := range claims {
		if !checked[claim.Over] {
			return nil, fmt.Errorf("no configuration of TLC checks the auxiliary invariants of %s, which %s supposes", claim.Over, claim.Name)
		}
	}
	return overs, nil
}

// notSame is in each report of something that is not as it should be.
const notSame = "NOT AS IN TLC: "

// compareAndCheck compares one configuration, and has TLC check auxiliary invariants in it. It returns lines for the user.
func compareAndCheck(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, overs []string) string {
	modules := proofModules[c.Module]
	report := reportLine(c.Name, func() (string, error) { return compare(ctx, checker, runner, c, modules) })
	for _, over := range overs {
		report += reportLine("", func() (string, error) { return auxiliary(ctx, checker, runner, c, modules[0], over) })
	}
	return report
}

// reportLine returns a line of what was done, and how long it took.
func reportLine(name string, what func() (string, error)) string {
	from := time.Now()
	said, err := what()
	if err != nil {
		said = notSame + strings.ReplaceAll(err.Error(), "\n", "\n    ")
	}
	return fmt.Sprintf("%-42s %5.1f s  %s\n", name, time.Since(from).Seconds(), said)
}

// runFromInit looks for a run from Init to what breaks the property of a claim that must fail, of something that must happen in the end.
func runFromInit(ctx context.Context, checker *prove.Checker, claim prove.Claim) (string, error) {
	depth, err := checker.Run(ctx, claim)
	if err == nil && depth == 0 {
		err = fmt.Errorf("no run from Init breaks %s", claim.Property)
	}
	return fmt.Sprintf("a run from Init breaks %s at depth %d", claim.Property, depth), err
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
	return fmt.Sprintf("%d states and %d steps, as in TLC, none breaks an invariant or a property", len(g.States), len(g.Steps)), err
}

// ofChecks is a line of a configuration that says what TLC is to check.
var ofChecks = regexp.MustCompile(`(?m)^(INVARIANT|PROPERT).*\n`)

// auxiliary has TLC check the auxiliary invariants in a configuration, with the form of the variables and what is supposed of the constants. It must find as many states as without.
func auxiliary(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, module, over string) (string, error) {
	names, err := checker.Auxiliary(over)
	names = append([]string{"Shape", "Bounds"}, names...)
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
	runner.Dir, runner.Build = folder, filepath.Join(folder, "output")
	result, err := runner.Run(ctx, tlc.Configuration{Name: "Auxiliary", Module: module})
	switch {
	case err != nil:
		return "", err
	case result.Verdict != tlc.Pass:
		return "", fmt.Errorf("TLC: %s %s %v", result.Verdict, result.Property, result.Errors)
	case result.States != c.States:
		return "", fmt.Errorf("TLC found %d states, pinned are %d", result.States, c.States)
	}
	return fmt.Sprintf("TLC finds no state that breaks one of the %d auxiliary invariants of %s", len(names), over), nil
}
