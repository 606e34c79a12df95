// Package command is the frame of the programs that check the contract: they end with 0 where all is as expected, 1 where something is not, and 2 where
// they could not tell.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main parses the arguments of a program, runs it until it ends or is interrupted, and ends the process. run returns how much was not as expected.
func Main[O any](name string, parse func([]string) (O, error), run func(context.Context, O) (int, error)) {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	bad := 0
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		bad, err = run(ctx, o)
		stop()
	}
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	case bad > 0:
		os.Exit(1)
	}
}
