package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ndkoracle/internal/graph"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// A comparison is of one configuration's graph, as TLC found it, with the model's.
type comparison struct {
	states, steps int
	difference    *graph.Difference
	took          time.Duration
	err           error
}

// compareAll compares the graphs of the configurations, and returns how many are not the same.
func compareAll(ctx context.Context, runner tlc.Runner, selected []*tlc.Configuration, jobs int) (bad int, err error) {
	start := time.Now()
	states, steps := 0, 0
	for i, outcome := range runAll(selected, jobs, func(c tlc.Configuration) comparison { return compare(ctx, runner, c) }) {
		answer := <-outcome
		if err := ctx.Err(); err != nil {
			return 0, errors.New("interrupted")
		}
		name := selected[i].Name
		if answer.err != nil {
			fmt.Printf("%-36s NOT COMPARED\n    %s\n", name, strings.ReplaceAll(answer.err.Error(), "\n", "\n    "))
			bad++
			continue
		}
		verdict := "the same in the model"
		if answer.difference != nil {
			verdict = "NOT THE SAME IN THE MODEL"
			bad++
		}
		fmt.Printf("%-36s %8d states %9d steps  %6.1f s  %s\n", name, answer.states, answer.steps, answer.took.Seconds(), verdict)
		if answer.difference != nil {
			fmt.Print(answer.difference)
		}
		states, steps = states+answer.states, steps+answer.steps
	}
	fmt.Printf("%d of %d graphs are the same, %d states and %d steps with their actions and arguments, in %.0f s\n",
		len(selected)-bad, len(selected), states, steps, time.Since(start).Seconds())
	return bad, nil
}

func compare(ctx context.Context, runner tlc.Runner, c tlc.Configuration) comparison {
	start := time.Now()
	machine, err := mc.Read(os.DirFS(runner.Dir), c.Module, c.Name)
	if err != nil {
		return comparison{err: err}
	}
	g, err := runner.Graph(ctx, c, machine.Actions())
	if err != nil {
		return comparison{err: err}
	}
	difference, err := graph.Compare(machine, g)
	switch {
	case difference != nil || err != nil:
	case g.States() != c.States || g.Depth != c.Depth:
		err = fmt.Errorf("TLC found %d states, depth %d; pinned are %d and %d", g.States(), g.Depth, c.States, c.Depth)
	default:
		err = compareExplorer(machine, g)
	}
	return comparison{g.States(), len(g.To), difference, time.Since(start), err}
}

// compareExplorer compares the numbers of the graph with those of the explorer, which remembers where steps lead.
func compareExplorer(machine *mc.Machine, g *tlc.Graph) error {
	machine.Checked = nil
	found, err := machine.Explore(1)
	if err != nil {
		return err
	}
	if found.States != g.States() || found.Steps != len(g.To) || found.Depth != g.Depth {
		return fmt.Errorf("TLC found %d states, %d steps, depth %d; the explorer of the model %d states, %d steps, depth %d",
			g.States(), len(g.To), g.Depth, found.States, found.Steps, found.Depth)
	}
	return nil
}
