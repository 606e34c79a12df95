// Package clause finds the clauses of an action: those of tla/ that TLC evaluates when it takes the action from one state, and
// those of the model's functions that decide it and set what it changes.
package clause

import (
	"fmt"
	"strings"
)

// A Clause is a part of a definition of tla/, or of a function of the model.
type Clause struct {
	File     string
	From, To int    // lines
	In       string // the definition or function
	Text     string // on one line; "" is all of it
}

// String says where the clause is, and what it is.
func (c Clause) String() string {
	lines := fmt.Sprint(c.From)
	if c.To > c.From {
		lines += fmt.Sprintf("-%d", c.To)
	}
	if c.Text == "" {
		return fmt.Sprintf("%s:%s %s", c.File, lines, c.In)
	}
	return fmt.Sprintf("%s:%s %s: %s", c.File, lines, c.In, c.Text)
}

// oneLine returns a text with single blanks in the place of all others.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
