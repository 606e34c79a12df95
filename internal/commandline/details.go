package commandline

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// An Exit is an exit code, and what it means.
type Exit struct{ Code, Meaning string }

// A Document is a file of docs/, and what it is about.
type Document struct{ File, About string }

// Details are what the help, the manual page and the Markdown page of a command say besides its description.
type Details struct {
	Exits []Exit
	See   []Document
}

// Describe keeps the details of a command.
func (l *Line) Describe(c *cobra.Command, d Details) *cobra.Command {
	l.details[c] = d
	return c
}

// ofAll are the details of the commands that every program has.
func (l *Line) ofAll() Details {
	return Details{See: l.program.Details.See,
		Exits: []Exit{{"0", "done"}, {strconv.Itoa(ExitUsage), "usage"}, {strconv.Itoa(l.program.Failure), "the output could not be written"}}}
}

// exits returns the line of the help that lists the exit codes of a command, or "" where none is defined.
func (l *Line) exits(c *cobra.Command) string {
	var all []string
	for _, exit := range l.details[c].Exits {
		all = append(all, exit.Code+" "+exit.Meaning)
	}
	if all == nil {
		return ""
	}
	return "\n\n" + wrapped("Exit: "+strings.Join(all, ", ")+".")
}
