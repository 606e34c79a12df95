// Command prove decides the claims of tla/proof/manifest.tsv: that invariants and properties of the contract hold for every depth,
// every number of requests and every length of a chain. It evaluates the TLA+ text into conditions, and has z3 refute each; with
// -more cvc5 has to refute each as well. With -graph it compares instead what the formulas say with what TLC finds, for small
// constants. It prints a line a claim, and exits with 1 if one of them is not as the manifest expects,
// with 2 if the claims could not be decided at all.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ndkoracle/internal/command"
	"ndkoracle/internal/prove"
	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
	"ndkoracle/internal/tlc"
)

type options struct {
	dir, build   string
	only         *regexp.Regexp
	named        bool
	more, graphs bool
	needs        bool
	mutants      int
	seed         uint64
	pin, verbose bool
	limit        time.Duration
}

func main() { command.Main("prove", parseOptions, run) }

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.StringVar(&o.dir, "tla", "tla", "folder of the modules; the claims are in its folder proof")
	flags.StringVar(&o.build, "build", filepath.Join("build", "tlc"), "folder for the jar with SANY")
	flags.StringVar(&only, "run", "", "decide only the claims whose names match this regular expression, all of them")
	flags.BoolVar(&o.more, "more", false, "decide the claims of other readings and the wrong ones, too, and have cvc5 refute each condition as well")
	flags.BoolVar(&o.graphs, "graph", false, "compare the formulas with TLC for small constants, instead")
	flags.BoolVar(&o.needs, "needs", false, "see that no auxiliary invariant can be left out, instead; -run selects the files that name them")
	flags.IntVar(&o.mutants, "mutants", 0, "decide the claims of so many changed specifications, instead; -run selects by what is changed")
	flags.Uint64Var(&o.seed, "seed", 1, "chooses the changed specifications")
	flags.BoolVar(&o.pin, "pin", false, "write the counts that were found into the manifest")
	flags.BoolVar(&o.verbose, "v", false, "print the step that breaks a claim that should fail, too, and the paths that cannot be taken")
	flags.DurationVar(&o.limit, "timeout", 20*time.Second, "longest time for one condition")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: claims are selected with -run", flags.Arg(0))
	}
	if o.limit < time.Millisecond {
		return o, fmt.Errorf("-timeout %v: a solver needs a millisecond at least", o.limit)
	}
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	o.named = only != ""
	return o, nil
}

// run returns how many claims are not as expected.
func run(ctx context.Context, o options) (bad int, err error) {
	begun := time.Now()
	folder := filepath.Join(o.dir, "proof")
	claims, err := prove.ReadManifest(folder)
	if err != nil {
		return 0, err
	}
	jar, err := tlc.FindJar(ctx, o.build)
	if err != nil {
		return 0, err
	}
	checker := prove.Checker{
		Folder: o.dir,
		Reader: sany.Reader{Jar: jar.Path, Folders: []string{o.dir, folder, filepath.Join(o.dir, "wrong")}},
		Limit:  o.limit,
	}
	if err := checker.Supposed(claims); err != nil {
		return 0, err
	}
	if o.graphs {
		return graphs(ctx, o, &checker, jar)
	}
	checker.Solvers = []smt.Solver{smt.Z3}
	if o.more {
		checker.Solvers = append(checker.Solvers, smt.CVC5)
	}
	for _, s := range checker.Solvers {
		if err := s.Check(ctx, o.limit); err != nil {
			return 0, err
		}
	}
	if o.needs {
		return needs(ctx, o, &checker, claims)
	}
	if o.mutants > 0 {
		return mutants(ctx, o, &checker, claims)
	}
	reasons, err := prove.ReadDead(folder)
	if err != nil {
		return 0, err
	}
	var list []*prove.Claim
	for i := range claims {
		if o.only.MatchString(claims[i].Name) && (!claims[i].More || o.more || o.named) {
			list = append(list, &claims[i])
		}
	}
	if len(list) == 0 {
		return bad, fmt.Errorf("no claim of %s matches", filepath.Join(folder, prove.ManifestName))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	conditions := 0
	dead := map[string]bool{}
	each(list, func(claim *prove.Claim) decision {
		result, err := checker.Check(ctx, *claim)
		return decision{result, err}
	}, func(claim *prove.Claim, d decision) {
		if d.err != nil || failed != nil {
			failed = cmp.Or(failed, d.err)
			cancel() // the others need not be decided
			return
		}
		conditions += d.result.Conditions
		if o.pin {
			claim.Pin(d.result)
		}
		complaints := claim.Complaints(d.result)
		for _, step := range d.result.Dead {
			dead[step] = true
			if reasons[step] == "" {
				complaints = append(complaints, fmt.Sprintf("no state can take a path of %s, and no reason is listed", step))
			}
		}
		report(*claim, d.result, complaints, o.verbose)
		if len(complaints) > 0 {
			bad++
		}
	})
	if failed != nil {
		return bad, failed
	}
	if len(list) == len(claims) {
		for _, step := range prove.Stale(reasons, dead) {
			bad++
			fmt.Printf("tla/proof/dead.tsv has a reason for %s, and each path of it can be taken\n", step)
		}
	}
	if o.pin {
		if err := prove.WriteManifest(folder, claims); err != nil {
			return bad, err
		}
	}
	fmt.Printf("%d claims, %d conditions, %d not as expected, %.0f s\n", len(list), conditions, bad, time.Since(begun).Seconds())
	return bad, nil
}

// decision is what came of a claim.
type decision struct {
	result prove.Result
	err    error
}

// report prints a line, and what is wrong, with the first model that shows it.
func report(claim prove.Claim, r prove.Result, complaints []string, verbose bool) {
	word := map[prove.Verdict]string{prove.Proved: "proved", prove.Fails: "fails as it must"}[claim.Verdict]
	if len(complaints) > 0 {
		word = "NOT AS EXPECTED"
	}
	what := claim.Name
	if claim.Property != "" {
		what += ", " + claim.Property
	}
	fmt.Printf("%-70s %-16s %3d paths %5d conditions %5.1f s\n", what, word, r.Paths, r.Conditions, r.Elapsed.Seconds())
	for _, c := range complaints {
		fmt.Println("   ", c)
	}
	if verbose {
		for _, d := range r.Dead {
			fmt.Println("    cannot be taken:", d)
		}
	}
	if len(complaints) == 0 && !verbose {
		return
	}
	for _, f := range r.Failures {
		if f.Model != "" {
			fmt.Printf("    %s breaks %s:\n    %s\n", f.Step, f.Property, strings.ReplaceAll(strings.TrimSpace(f.Model), "\n", "\n    "))
			return
		}
	}
}

// needs sees that there is a claim for each auxiliary invariant that cannot be proved without it.
func needs(ctx context.Context, o options, checker *prove.Checker, claims []prove.Claim) (bad int, err error) {
	var absences []absence
	seen := map[string]bool{}
	for _, claim := range claims {
		if !o.only.MatchString(claim.Over) || claim.Verdict != prove.Proved {
			continue
		}
		lists, err := checker.Auxiliaries(claim)
		if err != nil {
			return bad, err
		}
		for _, name := range lists[0].Invariants { // those of its own column are what it claims
			if !seen[claim.Over+name] {
				absences = append(absences, absence{over: claim.Over, name: name})
			}
			seen[claim.Over+name] = true
		}
	}
	each(absences, func(a absence) absence {
		a.need, a.err = checker.Need(ctx, claims, a.over, a.name)
		return a
	}, func(_, a absence) {
		err = cmp.Or(err, a.err)
		switch {
		case a.err != nil:
		case a.need.Claim == "":
			bad++
			fmt.Printf("%-14s %-24s NOT NEEDED by any claim\n", a.over, a.name)
		case a.need.Failure.Answer != smt.Sat:
			fmt.Printf("%-14s %-24s needed by %s: else %s of %s is not decided\n", a.over, a.name, a.need.Claim, a.need.Failure.Property, a.need.Failure.Step)
		default:
			fmt.Printf("%-14s %-24s needed by %s: else %s may break %s\n", a.over, a.name, a.need.Claim, a.need.Failure.Step, a.need.Failure.Property)
		}
	})
	return bad, err
}

// absence is a run without one auxiliary invariant.
type absence struct {
	over, name string
	need       prove.Need
	err        error
}
