// Command tracegen writes long traces that keep the contract, for benchmarks, to standard output.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ndkoracle/internal/synthetic"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var o synthetic.Options
	set := flag.NewFlagSet("tracegen", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Uint64Var(&o.Seed, "seed", 1, "`N` that all choices are drawn from")
	set.Uint64Var(&o.Events, "events", 1_000_000, "`N` events to write, in whole rounds: a few more are")
	set.IntVar(&o.Cqs, "cqs", 4, "`N` completion queues, each with a thread of its own")
	set.IntVar(&o.Pairs, "pairs", 2, "`N` connected queue pairs of each completion queue")
	set.IntVar(&o.Depth, "depth", 8, "`N` requests outstanding at once in each pair")
	irregular := set.Bool("irregular", false, "a random walk of the contract on two completion queues, instead of rounds; of the flags above it takes the first two")
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case set.NArg() > 0:
		fmt.Fprintf(stderr, "tracegen: %q is not a flag, and nothing else is expected\n", set.Arg(0))
		return 2
	}
	write := synthetic.Write
	if *irregular {
		write = synthetic.WriteIrregular
	}
	if err := write(stdout, o); err != nil {
		fmt.Fprintf(stderr, "tracegen: %v\n", err)
		return 1
	}
	return 0
}
