package commandline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Shells returns the shells for which there is a completion.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Complete has a shell complete the value of a flag with one of a few, which the Markdown page lists. The command must have the flag.
func Complete(c *cobra.Command, flag string, choices ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	if err = errors.Join(err, c.Flags().SetAnnotation(flag, choicesKey, choices)); err != nil {
		panic(err)
	}
}

func (l *Line) completionCommand() *cobra.Command {
	c := l.Command("completion SHELL", "print a shell completion script",
		"completion prints a script with which bash, zsh, fish or powershell completes commands, flags, and the values of flags.",
		strings.ReplaceAll("  source <(PROGRAM completion bash)\n  PROGRAM completion zsh >\"${fpath[1]}/_PROGRAM\"\n"+
			"  PROGRAM completion fish >~/.config/fish/completions/PROGRAM.fish\n  PROGRAM completion powershell | Out-String | Invoke-Expression",
			"PROGRAM", l.root.Name()),
		func(_ context.Context, args []string) (int, error) {
			if len(args) != 1 || !slices.Contains(Shells(), args[0]) {
				return ExitUsage, UsageError("completion takes one of %s", strings.Join(Shells(), ", "))
			}
			if err := l.writeCompletion(args[0]); err != nil {
				return l.program.Failure, fmt.Errorf("the completion can't be written: %w", err)
			}
			return 0, nil
		})
	c.ValidArgsFunction = cobra.FixedCompletions(Shells(), cobra.ShellCompDirectiveNoFileComp)
	return l.Describe(c, l.ofAll())
}

func (l *Line) writeCompletion(shell string) error {
	switch shell {
	case "bash":
		return l.root.GenBashCompletionV2(l.out, true)
	case "zsh":
		return l.root.GenZshCompletion(l.out)
	case "fish":
		return l.root.GenFishCompletion(l.out, true)
	default:
		return l.root.GenPowerShellCompletionWithDesc(l.out)
	}
}
