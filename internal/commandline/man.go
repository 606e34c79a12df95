package commandline

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/outfile"
)

// manCommand is for those who package the program.
func (l *Line) manCommand() *cobra.Command {
	inMarkdown := false
	c := l.Command("man [--markdown] FOLDER", "write the manual pages", "man writes a manual page for the program, and one for each of its commands, into a folder.",
		fmt.Sprintf("  %s man /usr/local/share/man/man1", l.root.Name()),
		func(ctx context.Context, args []string) (int, error) {
			if len(args) != 1 {
				return ExitUsage, UsageError("man takes the folder to write to")
			}
			for _, of := range append([]*cobra.Command{l.root}, l.root.Commands()...) {
				if of.Hidden {
					continue
				}
				name, page := pageName(of)+".1", l.manPage
				if inMarkdown {
					name, page = pageName(of)+".md", l.markdownPage
				}
				write := func(w io.Writer) error {
					_, err := io.WriteString(w, page(of))
					return err
				}
				if err := (outfile.Place{Folder: args[0], Name: name}).Write(ctx, write); err != nil {
					return l.program.Failure, fmt.Errorf("the manual pages can't be written to %s: %w", strings.ReplaceAll(args[0], "\n", `\n`), err)
				}
			}
			return 0, nil
		})
	c.Flags().BoolVar(&inMarkdown, "markdown", false, "write the pages in Markdown, as docs/commands/ has them")
	c.Hidden = true
	return c
}

// pageName returns the name of the page of a command, without its suffix.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the manual page of a command.
func (l *Line) manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	var page strings.Builder
	section := func(title string) { fmt.Fprintf(&page, ".SH %s\n", title) }
	fmt.Fprintf(&page, ".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", roff(strings.ToUpper(pageName(c))), roff(l.root.Name()), roff(l.program.Version))
	section("NAME")
	fmt.Fprintf(&page, "%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&page, "%s\n", roff(c.UseLine()))
	section("DESCRIPTION")
	fmt.Fprintf(&page, "%s\n", strings.ReplaceAll(roff(c.Long), "\n\n", "\n.PP\n"))
	if c.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&page, ".TP\n\\fB%s\\fR(1)\n%s\n", roff(pageName(sub)), roff(sub.Short))
			}
		}
	}
	section("OPTIONS")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { page.WriteString(manOption(f)) })
	section("EXAMPLES")
	fmt.Fprintf(&page, ".nf\n%s\n.fi\n", roff(c.Example))
	if exits := l.details[c].Exits; exits != nil {
		section("EXIT STATUS")
		for _, exit := range exits {
			fmt.Fprintf(&page, ".TP\n\\fB%s\\fR\n%s\n", roff(exit.Code), roff(exit.Meaning))
		}
	}
	section("SEE ALSO")
	if c.HasParent() {
		fmt.Fprintf(&page, "\\fB%s\\fR(1)\n", roff(l.root.Name()))
	}
	for _, document := range l.details[c].See {
		fmt.Fprintf(&page, ".br\n%s: docs/%s of the source\n", roff(document.About), roff(document.File))
	}
	return page.String()
}

// manOption returns the paragraph of a flag.
func manOption(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	names := `\fB` + roff("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		names = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + names
	}
	if value != "" {
		names += ` \fI` + roff(value) + `\fR`
	}
	if initial := initialOf(f); initial != "" {
		usage += fmt.Sprintf(" (default %s)", initial)
	}
	return fmt.Sprintf(".TP\n%s\n%s\n", names, roff(usage))
}

// initialOf returns the value of a flag that is not given, "" if that is zero: help does not show it either.
func initialOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false":
		return ""
	}
	return f.DefValue
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
