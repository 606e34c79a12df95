package commandline

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TextWidth is how many characters a line of help and of reports has at most, where words allow it.
const TextWidth = 118

// Wrap breaks text between words into lines of at most width characters, where words allow it.
func Wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func wrapped(text string) string { return strings.Join(Wrap(text, TextWidth), "\n") }

func (l *Line) helpCommand() *cobra.Command {
	c := l.Command("help [COMMAND]", "describe a command", "help describes a command, or lists all.", fmt.Sprintf("  %s help %s", l.root.Name(), l.main.Name()),
		func(_ context.Context, args []string) (int, error) {
			of := l.root
			switch {
			case len(args) > 1:
				return ExitUsage, UsageError("help takes one command")
			case len(args) == 1:
				if of = l.find(args[0]); of == nil {
					return ExitUsage, l.unknownCommand(args[0])
				}
			}
			of.InitDefaultHelpFlag()
			return 0, of.Help()
		})
	return l.Describe(c, l.ofAll())
}

// writeHelp writes the help of a command. That of the program has the flags of the main command as well.
func (l *Line) writeHelp(c *cobra.Command, _ []string) {
	c.Printf("%s%s\n\n%s", c.Long, l.exits(c), c.UsageString())
	if c == l.root {
		c.Printf("\nFlags of %s, for which the command need not be named:\n%s", l.main.Name(), l.main.LocalFlags().FlagUsagesWrapped(TextWidth))
	}
}

// writeUsage writes how a command is called, in the layout of the library, and with its flags wrapped.
func writeUsage(c *cobra.Command) error {
	c.Printf("Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		c.Printf("  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		c.Printf("\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		c.Printf("\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				c.Printf("  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		c.Printf("\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(TextWidth))
	}
	if c.HasAvailableSubCommands() {
		c.Printf("\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	return nil
}
