package main

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"

	pagesof "ndkoracle/internal/documents"
)

var shownFlag = regexp.MustCompile("`(--[a-z][a-z-]*)[ =`]")

// refused returns why a command line is not one of tracecheck: an unknown command or flag, or a value that a flag does not take.
func refused(l *commandLine, args []string) error {
	args, err := l.Route(args)
	if err != nil {
		return err
	}
	command, rest, err := l.Root().Find(args)
	if err != nil {
		return err
	}
	return command.ParseFlags(rest)
}

// The documents show no command line that tracecheck refuses, and name no flag that no command has.
func TestDocumentsShowCommandsThatExist(t *testing.T) {
	pages, err := pagesof.Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	line := func() *commandLine { return b.line(bufio.NewWriter(&b.out)) }
	flags := map[string]bool{"--help": true, "--version": true}
	for _, c := range line().Root().Commands() {
		for word := range strings.FieldsSeq(c.LocalFlags().FlagUsages()) {
			flags[strings.TrimRight(word, ",")] = true
		}
	}
	commands, named := 0, 0
	for name, page := range pages {
		for _, args := range pagesof.Commands(page, "tracecheck") {
			if commands++; len(args) == 1 && flags[args[0]] {
				continue // a flag, as text names it
			}
			if err := refused(line(), args); err != nil {
				t.Errorf("%s: tracecheck %s: %v", name, strings.Join(args, " "), err)
			}
		}
		if strings.HasPrefix(name, "docs/tracecheck") || name == "docs/ci.md" {
			for _, m := range shownFlag.FindAllStringSubmatch(page, -1) {
				if named++; !flags[m[1]] {
					t.Errorf("%s: no command has the flag %s", name, m[1])
				}
			}
		}
	}
	if commands < 60 || named < 50 {
		t.Errorf("%d commands and %d flags were looked at", commands, named)
	}
	for _, wrong := range []string{"bin/tracecheck --no-such a", "tracecheck expalin ARM-04", "x; ./tracecheck --format xml a", "tracecheck stats --minimize a b"} {
		found := pagesof.Commands("`"+wrong+"`", "tracecheck")
		if len(found) != 1 || refused(line(), found[0]) == nil {
			t.Errorf("%s: accepted, of %q", wrong, found)
		}
	}
}
