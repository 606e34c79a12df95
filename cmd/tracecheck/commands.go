package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const about = `tracecheck decides whether recorded traces of an NDK provider keep the rules of NDKPI.

Where the first argument is no command, it is a trace to judge, or a flag of check.

Exit: 0 conformant, 1 violation, 2 usage, 3 unreadable or malformed, 4 inconclusive, 5 internal error,
130 interrupted, by SIGTERM too. All traces are checked; the worst decides, in the order 5, 3, 1, 4, 0.`

// commandLine is one command line, and what became of it.
type commandLine struct {
	*program
	out  *bufio.Writer
	code int
	err  error
}

// A work carries out a command on its arguments. It returns the exit code, and an error where there is something to say of it.
type work func(ctx context.Context, args []string) (int, error)

// command returns a command. What it needs beside a name, its flags, is added to it.
func (l *commandLine) command(use, short, long, example string, do work) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: strings.Join(wrap(long, textWidth), "\n"), Example: example, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			l.code, l.err = do(c.Context(), args)
			return nil
		},
	}
}

// watched is a work that ends when there is no memory for it. Judging sees to that by itself.
func (l *commandLine) watched(do work) work {
	return func(ctx context.Context, args []string) (int, error) {
		ctx, stop := l.guard.Watch(ctx)
		defer stop()
		return do(ctx, args)
	}
}

// root returns the command that has all others.
func (l *commandLine) root() *cobra.Command {
	root := &cobra.Command{
		Use: "tracecheck [check] [flags] FILE|DIR|GLOB|- …", Short: "judge recorded traces of an NDK provider", Long: about, Args: cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		Example:               "  tracecheck run.ndktrace.jsonl\n  tracecheck --format sarif=found.sarif --quiet traces/\n  tracecheck explain ARM-04",
		SilenceErrors:         true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Run:               func(c *cobra.Command, _ []string) { _ = c.Help() },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // a trace, too
		},
	}
	root.Flags().Bool("version", false, "print the version, as the command version does")
	root.SetOut(l.out)
	root.SetErr(l.stderr)
	root.SetFlagErrorFunc(flagError)
	check := l.checkCommand()
	root.AddCommand(check, l.explainCommand(), l.rulesCommand(), l.statsCommand(), l.verifyCommand(), l.convertCommand(), l.fixCommand(), l.schemaCommand(),
		l.versionCommand(), l.completionCommand(), l.manCommand())
	root.SetHelpCommand(l.helpCommand())
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if help(c, args); c == root {
			c.Printf("\nFlags of check, for which the command need not be named:\n%s", check.LocalFlags().FlagUsagesWrapped(textWidth))
		}
	})
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
		c.Flags().VisitAll(func(f *pflag.Flag) { completeChoices(c, f) })
	}
	return root
}

// completeChoices has a shell complete the values of a flag that has a few.
func completeChoices(c *cobra.Command, f *pflag.Flag) {
	if v, known := f.Value.(*value); known && v.choices != nil {
		_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.choices, cobra.ShellCompDirectiveNoFileComp)) // there is one for each flag
	}
}

// dispatch carries out a command line.
func (p *program) dispatch(ctx context.Context, out *bufio.Writer, args []string) (int, error) {
	l := &commandLine{program: p, out: out}
	root := l.root()
	args, err := routed(root, args)
	if err != nil {
		return exitUsage, err
	}
	root.SetArgs(args)
	root.SetContext(ctx)
	if err := root.ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errUsage) {
			err = usageError("%s", err)
		}
		return exitUsage, err
	}
	return l.code, l.err
}

// routed returns the arguments with the command in front that they are for: check, where they name none.
func routed(root *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"check"}, nil
	}
	switch first := args[0]; {
	case first == "--version":
		return slices.Concat([]string{"version"}, args[1:]), nil
	case first == "-h" || first == "--help" || first == "help":
		return args, nil
	case first == cobra.ShellCompRequestCmd || first == cobra.ShellCompNoDescRequestCmd: // what a shell asks when it completes
		if len(args) > 2 && !isCommand(root, args[1]) || len(args) == 2 && strings.HasPrefix(args[1], "-") {
			return slices.Insert(slices.Clone(args), 1, "check"), nil
		}
		return args, nil
	case isCommand(root, first):
		return args, nil
	default:
		if meant := misspelt(root, first); meant != "" {
			return nil, usageError("%q is neither a command nor a file; did you mean %s?", first, meant)
		}
		return slices.Concat([]string{"check"}, args), nil
	}
}

func isCommand(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// unknownCommand is the error of a word that should be a command.
func unknownCommand(root *cobra.Command, word string) error {
	if meant := misspelt(root, word); meant != "" {
		return usageError("%q is not a command; did you mean %s?", word, meant)
	}
	return usageError("%q is not a command", word)
}

// misspelt returns the commands that a word may have been meant for, or "". A file that is there, and what looks like the name of one, is a trace.
func misspelt(root *cobra.Command, word string) string {
	if len(word) < 3 || strings.HasPrefix(word, "-") || strings.ContainsAny(word, `./\*?[`) {
		return ""
	}
	if _, err := os.Stat(word); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return strings.Join(root.SuggestionsFor(word), " or ")
}
