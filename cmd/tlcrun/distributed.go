package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/internal/tlc"
)

// workers of the distributed mode, beside its server.
const workers = 2

// runDistributed runs the largest of the configurations in TLC's distributed mode. It returns 1 if that does not find the
// states that are pinned for it.
func runDistributed(ctx context.Context, runner tlc.Runner, selected []*tlc.Configuration) (bad int, err error) {
	selected = slices.DeleteFunc(slices.Clone(selected), func(c *tlc.Configuration) bool {
		return c.Verdict != tlc.Pass || strings.Contains(c.Name, "/") // which it reads no configuration from
	})
	if len(selected) == 0 {
		return 0, errors.New("TLC's distributed mode reads none of these configurations: they must hold, and be in no folder below the modules'")
	}
	c := slices.MaxFunc(selected, func(a, b *tlc.Configuration) int { return cmp.Compare(a.States, b.States) })
	result, err := runner.RunDistributed(ctx, *c, workers)
	switch {
	case ctx.Err() != nil:
		return 0, errors.New("interrupted")
	case err != nil:
		return 0, err
	case result.Verdict != tlc.Pass:
		fmt.Printf("%-36s %s: %s\n", c.Name, result.Verdict, strings.Join(result.Errors, "; "))
		return 1, nil
	case result.States != c.States:
		fmt.Printf("%-36s %d distinct states, pinned are %d\n", c.Name, result.States, c.States)
		return 1, nil
	}
	fmt.Printf("%-36s %8d states             %6.1f s  a server and %d workers find what one process finds\n", c.Name, result.States,
		result.Elapsed.Seconds(), workers)
	return 0, nil
}
