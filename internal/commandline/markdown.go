package commandline

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choicesKey is the annotation of a flag that lists its values.
const choicesKey = "choices"

// markdownPage returns the page of a command, for the folder commands of docs/.
func (l *Line) markdownPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	var page strings.Builder
	section := func(title string) { fmt.Fprintf(&page, "\n## %s\n\n", title) }
	fmt.Fprintf(&page, "# %s\n\n%s.\n\n%s\n", c.CommandPath(), markdown(capitalised(c.Short)), markdown(c.Long))
	section("Usage")
	fmt.Fprintf(&page, "```text\n%s\n```\n", c.UseLine())
	section("Examples")
	fmt.Fprintf(&page, "```sh\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(c.Example, "\n  ", "\n"), "  "))
	if c.HasAvailableSubCommands() {
		section("Commands")
		page.WriteString("| command | what it does |\n|---|---|\n")
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&page, "| [`%s`](%s.md) | %s |\n", sub.Name(), pageName(sub), cell(sub.Short))
			}
		}
	}
	section("Flags")
	page.WriteString("| flag | value | default | meaning |\n|---|---|---|---|\n")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { page.WriteString(markdownFlag(f)) })
	if c == l.root {
		fmt.Fprintf(&page, "\nThe flags of [`%s`](%s.md) can be given without its name.\n", l.main.Name(), pageName(l.main))
	}
	if exits := l.details[c].Exits; exits != nil {
		section("Exit codes")
		page.WriteString("| exit | meaning |\n|---|---|\n")
		for _, exit := range exits {
			fmt.Fprintf(&page, "| %s | %s |\n", cell(exit.Code), cell(exit.Meaning))
		}
	}
	section("See also")
	for _, document := range l.details[c].See {
		fmt.Fprintf(&page, "- [%s](../%s)\n", document.About, document.File)
	}
	if c.HasParent() {
		fmt.Fprintf(&page, "- [all commands of %s](%s.md)\n", l.root.Name(), pageName(l.root))
	} else {
		page.WriteString("- [all programs](README.md)\n")
	}
	return page.String()
}

// markdownFlag returns the row of a flag.
func markdownFlag(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "`--" + f.Name + "`"
	if f.Shorthand != "" {
		name = "`-" + f.Shorthand + "`, " + name
	}
	if value != "" {
		value = "`" + value + "`"
	}
	if choices := f.Annotations[choicesKey]; choices != nil {
		value += ": `" + strings.Join(choices, "`, `") + "`"
	}
	initial := initialOf(f)
	if initial != "" {
		initial = "`" + initial + "`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, value, initial, cell(usage))
}

var (
	special     = regexp.MustCompile("[\\\\`*_\\[\\]<>]")
	flagInText  = regexp.MustCompile(`(^|[\s(])(--?[a-z][a-z-]*)`)
	replaceable = strings.NewReplacer("|", `\|`, "\n", " ")
)

// markdown returns a text that means itself in Markdown, with flags as code.
func markdown(text string) string {
	return flagInText.ReplaceAllString(special.ReplaceAllString(text, `\$0`), "$1`$2`")
}

// cell returns a text for a cell of a table.
func cell(text string) string { return replaceable.Replace(markdown(text)) }

func capitalised(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
