// Command readers reads a report of tracecheck as reviewdog does, and prints what it found: a line for each remark. It is a module of its own, as the
// program needs nothing of this.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/reviewdog/reviewdog/parser"
)

var formats = map[string]func() parser.Parser{"checkstyle": parser.NewCheckStyleParser, "sarif": parser.NewSarifParser}

func main() {
	if len(os.Args) != 2 || formats[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: readers checkstyle|sarif <REPORT")
		os.Exit(2)
	}
	if err := read(os.Stdout, os.Stdin, formats[os.Args[1]]()); err != nil {
		fmt.Fprintf(os.Stderr, "readers: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func read(out io.Writer, report io.Reader, p parser.Parser) error {
	diagnostics, err := p.Parse(report)
	if err != nil {
		return err
	}
	for _, d := range diagnostics {
		at := d.GetLocation()
		line := at.GetRange().GetStart().GetLine()
		if _, err := fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\n", at.GetPath(), line, d.GetSeverity(), d.GetCode().GetValue(), d.GetMessage()); err != nil {
			return err
		}
	}
	return nil
}
