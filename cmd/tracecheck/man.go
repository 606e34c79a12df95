package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/outfile"
	"ndkoracle/internal/release"
)

// manCommand is for those who package the program.
func (l *commandLine) manCommand() *cobra.Command {
	var c *cobra.Command
	c = l.command("man FOLDER", "write the manual pages", "man writes a manual page for the program, and one for each of its commands, into a folder.",
		"  tracecheck man /usr/local/share/man/man1",
		func(ctx context.Context, args []string) (int, error) {
			if len(args) != 1 {
				return exitUsage, usageError("man takes the folder to write to")
			}
			for _, of := range append([]*cobra.Command{c.Root()}, c.Root().Commands()...) {
				if of.Hidden {
					continue
				}
				err := outfile.Place{Folder: args[0], Name: manName(of) + ".1"}.Write(ctx, func(w io.Writer) error { return manPage(w, of) })
				if err != nil {
					return exitInternal, fmt.Errorf("the manual pages can't be written to %s: %w", oneLine(args[0]), err)
				}
			}
			return exitConformant, nil
		})
	c.Hidden = true
	return c
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage writes the manual page of a command.
func manPage(out io.Writer, c *cobra.Command) error {
	c.InitDefaultHelpFlag()
	var page strings.Builder
	section := func(title string) { fmt.Fprintf(&page, ".SH %s\n", title) }
	fmt.Fprintf(&page, ".TH %s 1 \"\" %q \"User Commands\"\n", roff(strings.ToUpper(manName(c))), "tracecheck "+roff(release.Version()))
	section("NAME")
	fmt.Fprintf(&page, "%s \\- %s\n", roff(manName(c)), roff(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&page, "%s\n", roff(c.UseLine()))
	section("DESCRIPTION")
	fmt.Fprintf(&page, "%s\n", strings.ReplaceAll(roff(c.Long), "\n\n", "\n.PP\n"))
	if c.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&page, ".TP\n\\fB%s\\fR(1)\n%s\n", roff(manName(sub)), roff(sub.Short))
			}
		}
	}
	section("OPTIONS")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		short := ""
		if f.Shorthand != "" {
			short = "\\fB" + roff("-"+f.Shorthand) + "\\fR, "
		}
		fmt.Fprintf(&page, ".TP\n%s\\fB%s\\fR", short, roff("--"+f.Name))
		if value != "" {
			fmt.Fprintf(&page, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(&page, "\n%s\n", roff(usage))
	})
	section("EXAMPLES")
	fmt.Fprintf(&page, ".nf\n%s\n.fi\n", roff(c.Example))
	section("SEE ALSO")
	if also := "tracecheck"; c.HasParent() {
		fmt.Fprintf(&page, "\\fB%s\\fR(1)\n", also)
	} else {
		page.WriteString("docs/tracecheck.md of the source\n")
	}
	_, err := io.WriteString(out, page.String())
	return err
}

// roff returns a text that means itself in a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
