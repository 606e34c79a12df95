// Package commandline has what the command lines of tracecheck and ndkrecord share: one command that is meant where none is named, help, shell completion,
// manual pages, and errors of usage that name what may have been meant.
package commandline

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// ExitUsage is the exit code of a mistake in the command line.
const ExitUsage = 2

// A Program says what the help and the manual pages say of a program, and how its arguments are read.
type Program struct {
	Use     string // its name, and the arguments that it takes
	Short   string // what it does, in a few words
	Long    string
	Example string
	Version string
	Files   bool // the first argument may be a file
	OneDash bool // a long flag may have one dash, as in package flag
	Failure int  // the exit code of a command that can't write its output
	Details Details
}

// A Work carries out a command on its arguments. It returns the exit code, and an error where there is something to say of it.
type Work func(ctx context.Context, args []string) (int, error)

// A Line is a command line: the commands of a program, and the outcome of the one that was run.
type Line struct {
	program Program
	root    *cobra.Command
	main    *cobra.Command
	details map[*cobra.Command]Details
	out     io.Writer
	code    int
	err     error
}

// New returns a command line without commands. Help and what commands print go to out.
func New(p Program, out, stderr io.Writer) *Line {
	l := &Line{program: p, out: out, details: map[*cobra.Command]Details{}}
	l.root = &cobra.Command{
		Use: p.Use, Short: p.Short, Long: wrapped(p.Long), Example: p.Example, Args: cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: mostDistance,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Run:               func(c *cobra.Command, _ []string) { _ = c.Help() },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if p.Files {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	l.Describe(l.root, p.Details)
	l.root.Flags().Bool("version", false, "print the version, like the command version")
	l.root.SetOut(out)
	l.root.SetErr(stderr)
	l.root.SetFlagErrorFunc(flagError)
	l.root.SetUsageFunc(writeUsage)
	return l
}

// Command returns a command. Its flags are for the caller to add.
func (l *Line) Command(use, short, long, example string, do Work) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: wrapped(long), Example: example, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			l.code, l.err = do(c.Context(), args)
			return nil
		},
	}
}

// Add adds the commands of the program, and help, completion and man. The command main is meant where none is named.
func (l *Line) Add(main *cobra.Command, others ...*cobra.Command) {
	l.main = main
	l.root.AddCommand(main)
	l.root.AddCommand(others...)
	l.root.AddCommand(l.completionCommand(), l.manCommand())
	l.root.SetHelpCommand(l.helpCommand())
	l.root.SetHelpFunc(l.writeHelp)
	for _, c := range l.root.Commands() {
		c.Flags().SortFlags = false
	}
}

// Root returns the command that has all others.
func (l *Line) Root() *cobra.Command { return l.root }

// Run carries out a command line. It returns the exit code, and an error where there is something to say of it.
func (l *Line) Run(ctx context.Context, args []string) (int, error) {
	args, err := l.Route(args)
	if err != nil {
		return ExitUsage, err
	}
	l.root.SetArgs(args)
	if err := l.root.ExecuteContext(ctx); err != nil {
		if !IsUsage(err) {
			err = UsageError("%w", err)
		}
		return ExitUsage, err
	}
	if IsUsage(l.err) {
		return ExitUsage, l.err
	}
	return l.code, l.err
}

// Route returns the arguments with the command in front that they are for: the main one, where they name none.
func (l *Line) Route(args []string) ([]string, error) {
	if l.program.OneDash {
		args = l.withTwoDashes(args)
	}
	if len(args) == 0 {
		return []string{l.main.Name()}, nil
	}
	switch first := args[0]; {
	case first == "--version":
		return slices.Concat([]string{"version"}, args[1:]), nil
	case first == "-h" || first == "--help" || first == "help":
		return args, nil
	case first == cobra.ShellCompRequestCmd || first == cobra.ShellCompNoDescRequestCmd: // what a shell asks when it completes
		if len(args) > 2 && l.find(args[1]) == nil || len(args) == 2 && strings.HasPrefix(args[1], "-") {
			return slices.Insert(slices.Clone(args), 1, l.main.Name()), nil
		}
		return args, nil
	case l.find(first) != nil:
		return args, nil
	default:
		if l.mayBeCommand(first) {
			if meant := l.misspelt(first); meant != "" && l.program.Files {
				return nil, UsageError("%q is neither a command nor a file; did you mean %s?", first, meant)
			} else if meant != "" {
				return nil, l.unknownCommand(first)
			}
		}
		return slices.Concat([]string{l.main.Name()}, args), nil
	}
}

// find returns the command of this name, or nil.
func (l *Line) find(name string) *cobra.Command {
	all := l.root.Commands()
	if i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// mayBeCommand reports whether a word can have been meant for a command. A flag can't, nor can a file where the program takes files: one that is there, or
// what looks like the name of one.
func (l *Line) mayBeCommand(word string) bool {
	if strings.HasPrefix(word, "-") {
		return false
	}
	if !l.program.Files {
		return true
	}
	_, err := os.Stat(word)
	return !strings.ContainsAny(word, `./\*?[`) && errors.Is(err, fs.ErrNotExist)
}
