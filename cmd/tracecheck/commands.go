package main

import (
	"bufio"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/release"
)

const about = `tracecheck decides whether recorded traces of an NDK provider keep the rules of NDKPI.

A first argument that is not a command is a trace to judge, or a flag of check. All traces are checked; the worst verdict decides the exit code, in the order 5, 3, 1, 4, 0.`

// commandLine is one command line.
type commandLine struct {
	*program
	*commandline.Line
	out *bufio.Writer
}

// watched is a work that ends when there is no memory for it. Judging sees to that by itself.
func (l *commandLine) watched(do commandline.Work) commandline.Work {
	return func(ctx context.Context, args []string) (int, error) {
		ctx, stop := l.guard.Watch(ctx)
		defer stop()
		return do(ctx, args)
	}
}

// line returns the command line, with all commands.
func (p *program) line(out *bufio.Writer) *commandLine {
	l := &commandLine{program: p, out: out, Line: commandline.New(commandline.Program{
		Use: "tracecheck [check] [flags] FILE|DIR|GLOB|- …", Short: "judge recorded traces of an NDK provider", Long: about,
		Example: "  tracecheck run.ndktrace.jsonl\n  tracecheck --format sarif=found.sarif --quiet traces/\n  tracecheck explain ARM-04",
		Version: release.Version(), Files: true, Failure: exitInternal, Details: ofJudging(),
	}, out, p.stderr)}
	l.Add(l.checkCommand(), l.explainCommand(), l.rulesCommand(), l.statsCommand(), l.verifyCommand(), l.convertCommand(), l.fixCommand(), l.schemaCommand(),
		l.versionCommand())
	for _, c := range l.Root().Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { completeChoices(c, f) })
	}
	return l
}

// completeChoices has a shell complete the values of a flag that has a few.
func completeChoices(c *cobra.Command, f *pflag.Flag) {
	if v, known := f.Value.(*value); known && v.choices != nil {
		commandline.Complete(c, f.Name, v.choices...)
	}
}
