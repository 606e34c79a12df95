package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize/witness"
)

// verifyWitness replays a witness of a trace with the model alone.
func (p *program) verifyWitness(ctx context.Context, out *bufio.Writer, limit time.Duration, args []string) (int, error) {
	if len(args) != 2 || args[0] == "-" && args[1] == "-" {
		return exitUsage, commandline.UsageError("verify-witness takes a witness and its trace")
	}
	if _, err := p.taken([]input{{name: args[0]}, {name: args[1]}}); err != nil {
		return exitUsage, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
	t, code, err := p.readOne(ctx, args[1])
	if err != nil {
		return code, err
	}
	in, stop := p.reader(ctx, input{name: args[0]})
	defer stop()
	replay, err := witness.Verify(in, t)
	var refused *witness.Refused
	switch w := (&textReporter{out: out}); {
	case ctx.Err() != nil:
		code, why := ended(ctx)
		return code, fmt.Errorf("%s after %d of the %d events of %s", why, replay.Events, eventsOf(t), oneLine(args[0]))
	case errors.As(err, &refused):
		w.line(0, "%s: refused: %s", at(oneLine(args[0]), refused.Line), refused.Reason)
		return exitViolation, nil
	case err != nil:
		return exitMalformed, fmt.Errorf("%s: %w", oneLine(args[0]), err)
	default:
		w.line(0, "%s: holds: the contract of %s allows %s, by %d steps, %d of them hidden, among its %d events", oneLine(args[0]),
			claimed(replay.Claim), oneLine(args[1]), replay.Steps, replay.Hidden, replay.Events)
	}
	return exitConformant, nil
}

// claimed describes a dialect, and the readings that are not the default.
func claimed(c witness.Claim) string {
	text := c.Dialect
	if c.DeviceLevel {
		text += " at device level"
	}
	var readings []string
	for _, id := range slices.SortedFunc(maps.Keys(c.Assume), byReading) {
		readings = append(readings, id+"="+c.Assume[id])
	}
	if readings != nil {
		text += " with " + strings.Join(readings, ", ")
	}
	return text
}
