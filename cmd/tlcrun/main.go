// Command tlcrun checks the contract in tla/ with TLC: every configuration of tla/manifest.tsv that runs in seconds,
// those that must fail included. It prints a line a configuration, and exits with 1 if one of them is not as the
// manifest expects, with 2 if it was not used as it should be or TLC could not be run at all.
//
// With -graph it compares instead the complete state graph of every configuration that holds with that of the model in Go,
// and prints the first difference as a way from the initial state, with the clauses that differ. The graphs are kept, and TLC runs again only when what
// they are made from has changed.
//
// With -distributed it runs the largest configuration in TLC's distributed mode, which must find the same states.
//
// With -trace it writes the counter-examples of the configurations that must fail as traces that tracecheck reads.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ndkoracle/internal/command"
	"ndkoracle/internal/tlc"
)

type options struct {
	dir, build   string
	only         *regexp.Regexp
	more, deep   bool
	full         bool
	pin, verbose bool
	graph        bool
	traces       string
	distributed  bool
	jobs         int
	timeout      time.Duration
}

func main() { command.Main("tlcrun", parseOptions, run) }

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	flags := flag.NewFlagSet("tlcrun", flag.ContinueOnError)
	flags.StringVar(&o.dir, "tla", "tla", "folder of the modules and of "+tlc.ManifestName)
	flags.StringVar(&o.build, "build", filepath.Join("build", "tlc"), "folder for the jar and for TLC's output")
	flags.StringVar(&only, "run", "", "run only the configurations whose names match this regular expression, deep and full ones too")
	flags.BoolVar(&o.more, "more", false, "run those of other readings and of patterns of use, and larger ones, too; -graph and -trace do")
	flags.BoolVar(&o.deep, "deep", false, "run the configurations that take minutes, too")
	flags.BoolVar(&o.full, "full", false, "run those, too, that take tens of minutes")
	flags.BoolVar(&o.graph, "graph", false, "compare the state graphs of those that hold with the model's, instead of checking properties")
	flags.StringVar(&o.traces, "trace", "", "write the counter-examples of those that must fail as traces into this `folder`, instead")
	flags.BoolVar(&o.distributed, "distributed", false, "run the largest in TLC's distributed mode, a server and two workers, instead")
	flags.BoolVar(&o.pin, "pin", false, "write the states and depths that were found into the manifest")
	flags.BoolVar(&o.verbose, "v", false, "print the counter-examples of configurations that must fail, too")
	flags.IntVar(&o.jobs, "jobs", 2, "TLC processes at a time, each with one worker")
	flags.DurationVar(&o.timeout, "timeout", 40*time.Minute, "longest time for one configuration")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: configurations are selected with -run", flags.Arg(0))
	}
	instead := 0
	for _, given := range []bool{o.graph, o.traces != "", o.distributed} {
		if given {
			instead++
		}
	}
	if instead > 1 || instead > 0 && (o.pin || o.verbose) {
		return o, errors.New("-graph, -trace and -distributed are instead of a check: none writes pins or prints counter-examples, nor goes with another")
	}
	if o.jobs < 1 {
		return o, fmt.Errorf("-jobs %d: at least one is needed", o.jobs)
	}
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	o.full = o.full || only != "" || o.distributed
	o.deep = o.deep || o.full
	o.more = o.more || o.deep || o.graph || o.traces != ""
	return o, nil
}

// run returns how many configurations are not as expected.
func run(ctx context.Context, o options) (bad int, err error) {
	start := time.Now()
	manifest, err := tlc.ReadManifest(o.dir)
	if err != nil {
		return 0, err
	}
	var selected []*tlc.Configuration
	for i := range manifest {
		c := &manifest[i]
		if o.graph && c.Verdict == tlc.Fail || o.traces != "" && c.Verdict == tlc.Pass {
			continue
		}
		if o.only.MatchString(c.Name) && (o.more || !c.More) && (o.deep || !c.Deep) && (o.full || !c.Full) {
			selected = append(selected, c)
		}
	}
	if len(selected) == 0 {
		return 0, fmt.Errorf("no configuration of %s matches", filepath.Join(o.dir, tlc.ManifestName))
	}
	if err := tlc.CheckJava(); err != nil {
		return 0, err
	}
	jar, err := tlc.FindJar(ctx, o.build)
	if err != nil {
		return 0, err
	}
	runner := tlc.Runner{Jar: jar, Dir: o.dir, Build: o.build, Timeout: o.timeout}
	if err := os.MkdirAll(o.build, 0o755); err != nil {
		return 0, err
	}
	if err := runner.KeepClasses(ctx); err != nil {
		return 0, err
	}
	fmt.Printf("%d configurations, TLC from %s\n", len(selected), jar.Source)

	switch {
	case o.graph:
		return compareAll(ctx, runner, selected, o.jobs)
	case o.traces != "":
		return writeTraces(ctx, runner, selected, o.jobs, o.traces)
	case o.distributed:
		return runDistributed(ctx, runner, selected)
	}
	version := ""
	for i, outcome := range runAll(selected, o.jobs, func(c tlc.Configuration) answer {
		result, err := runner.Run(ctx, c)
		return answer{result, err}
	}) {
		answer := <-outcome
		if err := ctx.Err(); err != nil {
			return 0, errors.New("interrupted")
		}
		version = answer.result.Version
		if !report(o, runner, selected[i], answer) {
			bad++
		}
	}
	if o.pin {
		if err := tlc.WriteManifest(o.dir, manifest); err != nil {
			return 0, err
		}
	}
	fmt.Printf("%s: %d of %d configurations as expected, in %.0f s\n",
		version, len(selected)-bad, len(selected), time.Since(start).Seconds())
	return bad, nil
}

type answer struct {
	result tlc.Result
	err    error
}

// runAll runs something on the configurations, some at a time, and returns a channel for the answer of each.
func runAll[T any](selected []*tlc.Configuration, jobs int, run func(tlc.Configuration) T) []chan T {
	answers := make([]chan T, len(selected))
	for i := range answers {
		answers[i] = make(chan T, 1)
	}
	todo := make(chan int)
	for range jobs {
		go func() {
			for i := range todo {
				answers[i] <- run(*selected[i])
			}
		}()
	}
	go func() {
		for i := range selected {
			todo <- i
		}
		close(todo)
	}()
	return answers
}

// report prints the line of a configuration, and what is wrong with it. It says whether all is as expected.
func report(o options, runner tlc.Runner, c *tlc.Configuration, a answer) bool {
	if a.err != nil {
		fmt.Printf("%-36s NOT RUN\n    %v\n", c.Name, a.err)
		return false
	}
	r := a.result
	if o.pin && r.Verdict == c.Verdict {
		c.States, c.Depth = r.States, r.Depth
	}
	complaints := c.Complaints(r)
	pinned := "pinned"
	if r.States != c.States || r.Depth != c.Depth {
		pinned = "NOT AS PINNED"
	}
	fmt.Printf("%-36s %8d states  depth %3d  %6.1f s  %s  %s\n",
		c.Name, r.States, r.Depth, r.Elapsed.Seconds(), verdictText(c, r, complaints), pinned)
	for _, complaint := range complaints {
		fmt.Printf("    %s\n", strings.ReplaceAll(complaint, "\n", "\n    "))
	}
	if len(complaints) > 0 {
		fmt.Printf("    all that TLC said: %s\n", runner.Log(*c))
	}
	if len(r.Trace) > 0 && (o.verbose || r.Verdict != c.Verdict || len(complaints) > 0) {
		fmt.Print(tlc.Explain(r.Trace))
	}
	return len(complaints) == 0
}

func verdictText(c *tlc.Configuration, r tlc.Result, complaints []string) string {
	switch {
	case r.Verdict == c.Verdict && r.Verdict == tlc.Fail:
		return fmt.Sprintf("%-38s", "breaks "+c.Property+", as it must")
	case r.Verdict == tlc.Pass && c.Verdict == tlc.Pass:
		return fmt.Sprintf("%-38s", "holds")
	}
	return fmt.Sprintf("%-38s", "UNEXPECTED: "+string(r.Verdict))
}
