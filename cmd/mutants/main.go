// Command mutants changes one clause of the contract at a time, and checks that some check finds the change.
//
// A mutant of the specification is an edit in tla/mutants.tsv: TLC must find that it breaks the property named there, or the
// comparison of its state graph with the model's that it has other steps. A mutant of the model is made by rule: its state
// graphs are compared with those of TLC until one differs. What changes no graph has a reason why not, in tla/mutants.tsv or
// in survivors.tsv: nothing is different, or no configuration goes where it is.
//
// It prints a line for each mutant: after how long it was found, and by what. It exits with 1 if a mutant is not found as it
// should be, and with 2 if nothing could be tried.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"ndkoracle/internal/command"
	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
)

type options struct {
	root, build string
	only        *regexp.Regexp
	sample      int
	seed        uint64
	jobs        int
	timeout     time.Duration
	pin         bool
	serve       bool
}

func main() { command.Main("mutants", parseOptions, run) }

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "folder of the repository")
	flags.StringVar(&o.build, "build", "build", "folder for what is built, and for the graphs of TLC")
	flags.StringVar(&only, "run", "", "try only the mutants whose names match this regular expression")
	flags.IntVar(&o.sample, "sample", 0, "try so many mutants of either side, chosen at random, instead of all")
	flags.Uint64Var(&o.seed, "seed", 0, "of the choice; 0 is another one each time")
	flags.IntVar(&o.jobs, "jobs", 2, "mutants at a time")
	flags.DurationVar(&o.timeout, "timeout", 3*time.Minute, "longest time of TLC for one mutant")
	flags.BoolVar(&o.pin, "pin", false, "write into tla/mutants.tsv what finds each")
	flags.BoolVar(&o.serve, "serve", false, "not for hand: compare graphs of the mutants in this program, as the input asks")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: mutants are selected with -run", flags.Arg(0))
	case o.jobs < 1:
		return o, fmt.Errorf("-jobs %d: at least one is needed", o.jobs)
	case o.sample < 0:
		return o, fmt.Errorf("-sample %d: mutants cannot be fewer than none", o.sample)
	}
	for o.seed == 0 {
		o.seed = rand.Uint64() >> 32
	}
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	return o, nil
}

func (o options) tla() string { return filepath.Join(o.root, "tla") }

// run returns how many mutants are not as they should be.
func run(ctx context.Context, o options) (bad int, err error) {
	if o.serve {
		return 0, serve(o, os.Stdin, os.Stdout)
	}
	if err := tlc.CheckJava(); err != nil {
		return 0, err
	}
	jar, err := tlc.FindJar(ctx, filepath.Join(o.build, "tlc"))
	if err != nil {
		return 0, err
	}
	if o.sample > 0 {
		fmt.Printf("a sample: -sample %d -seed %d\n", o.sample, o.seed)
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	fmt.Printf("%8s  %-44s  %s\n", "after", "found by", "mutant")
	ofSpecification, err := trySpecification(ctx, o, jar, scratch)
	if err != nil {
		return ofSpecification.bad, err
	}
	ofModel, err := tryModel(ctx, o, jar, scratch)
	if err != nil {
		return ofModel.bad, err
	}
	fmt.Println(ofSpecification)
	fmt.Println(ofModel)
	return ofSpecification.bad + ofModel.bad, nil
}

// choose returns which of the mutants are to be tried, by their places.
func choose[M fmt.Stringer](o options, mutants []M) []int {
	var chosen []int
	for i, m := range mutants {
		if o.only.MatchString(m.String()) {
			chosen = append(chosen, i)
		}
	}
	if o.sample > 0 && o.sample < len(chosen) {
		random := rand.New(rand.NewPCG(o.seed, 0))
		random.Shuffle(len(chosen), func(i, k int) { chosen[i], chosen[k] = chosen[k], chosen[i] })
		chosen = chosen[:o.sample]
		slices.Sort(chosen)
	}
	return chosen
}

// A fate is what became of a mutant.
type fate struct {
	found string // what found it: a property, mutate.ByGraph or a test; "" if nothing did
	where string // in the graphs
	took  time.Duration
	err   error
}

// tryAll tries n mutants, some at a time, and returns a channel for the fate of each.
func tryAll(o options, n int, try func(i int) fate) []chan fate {
	fates := make([]chan fate, n)
	for i := range fates {
		fates[i] = make(chan fate, 1)
	}
	var next atomic.Int64
	for range o.jobs {
		go func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				start := time.Now()
				f := try(i)
				f.took = time.Since(start)
				fates[i] <- f
			}
		}()
	}
	return fates
}

// A tally counts mutants by what became of them, and prints a line for each.
type tally struct {
	of, other        string // whose mutants they are, and what finds them besides the graphs
	byGraph, byOther int
	same, bad        int
	start            time.Time
	took             time.Duration
}

func newTally(of, other string) *tally { return &tally{of: of, other: other, start: time.Now()} }

// report prints what became of a mutant, which is to be found by what is expected, mutate.Same for nothing;
// why says why the graphs don't find it.
func (t *tally) report(name string, f fate, expected, why string) {
	verdict := cmp.Or(f.where, f.found)
	switch found := f.found; {
	case f.err != nil:
		t.bad++
		verdict = fmt.Sprintf("NOT TRIED: %v", f.err)
	case found == "" && expected == mutate.Same:
		t.same++
		verdict = "the same"
	case found != expected:
		t.bad++
		verdict = fmt.Sprintf("FOUND BY %s, NOT BY %s", cmp.Or(verdict, "NOTHING"), expected)
	case found == mutate.ByGraph:
		t.byGraph++
	default:
		t.byOther++
	}
	if why != "" {
		verdict += ": " + why
	}
	fmt.Printf("%6.1f s  %-44s  %s\n", f.took.Seconds(), verdict, name)
}

// end stops the clock.
func (t *tally) end() { t.took = time.Since(t.start) }

func (t *tally) String() string {
	return fmt.Sprintf("%d mutants of the %s: %d found by the graph, %d by %s, %d the same for a reason, "+
		"%d not as they should be; %.0f s", t.byGraph+t.byOther+t.same+t.bad, t.of, t.byGraph, t.byOther, t.other, t.same, t.bad, t.took.Seconds())
}
