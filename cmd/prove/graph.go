package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	overs, err := auxiliaries(checker, claims, manifest)
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

// notSame is in each report of something that is not as it should be.
const notSame = "NOT AS IN TLC: "

// compareAndCheck compares one configuration, and has TLC check auxiliary invariants in it. It returns lines for the user.
func compareAndCheck(ctx context.Context, checker *prove.Checker, runner tlc.Runner, c tlc.Configuration, overs []prove.Auxiliary) string {
	modules := proofModules[c.Module]
	report := reportLine(c.Name, func() (string, error) { return compare(ctx, checker, runner, c, modules) })
	for _, over := range overs {
		report += reportLine("", func() (string, error) { return auxiliary(ctx, checker, runner, c, over) })
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
