package main

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	pagesof "ndkoracle/internal/documents"
)

// A shown command names tracecheck as a page does, by whatever path. What stands for something else, or for a choice, is no command line.
var (
	shownBlock  = regexp.MustCompile("(?s)```\\w*\n(.*?)```|((?:\n {4}[^\n]+)+)")
	shownSpan   = regexp.MustCompile("`([^`\n]+)`")
	shownFlag   = regexp.MustCompile("`(--[a-z][a-z-]*)[ =`]")
	ofOthers    = regexp.MustCompile(`\b(?:podman|docker|go|make|scripts/\S+) [^;&|]*$`)
	commandEnds = regexp.MustCompile(`;|&&|\|\||\||>|<| #|$`)
)

// shownCommands returns the arguments of each command line of tracecheck in a text.
func shownCommands(text string) (all [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		for _, command := range commandEnds.Split(strings.TrimSpace(line), -1) {
			words := strings.Fields(command)
			for i, word := range words {
				if program := strings.TrimSuffix(path.Base(word), ".exe"); program != "tracecheck" || ofOthers.MatchString(strings.Join(words[:i+1], " ")) {
					continue
				}
				if args := words[i+1:]; len(args) > 0 && !strings.ContainsAny(strings.Join(args, ""), "…[") {
					for k := range args {
						args[k] = strings.Trim(args[k], `"'`)
					}
					all = append(all, args)
				}
				break
			}
		}
	}
	return all
}

// refused returns why a command line is not one of tracecheck: an unknown command or flag, or a value that a flag does not take.
func refused(root *cobra.Command, args []string) error {
	args, err := routed(root, args)
	if err != nil {
		return err
	}
	command, rest, err := root.Find(args)
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
	root := func() *cobra.Command { return (&commandLine{program: &b.program}).root() }
	flags := map[string]bool{"--help": true, "--version": true}
	for _, c := range root().Commands() {
		for word := range strings.FieldsSeq(c.LocalFlags().FlagUsages()) {
			flags[strings.TrimRight(word, ",")] = true
		}
	}
	commands, named := 0, 0
	for name, page := range pages {
		texts := []string{}
		for _, m := range shownBlock.FindAllStringSubmatch(page, -1) {
			texts = append(texts, m[1]+m[2])
		}
		for _, m := range shownSpan.FindAllStringSubmatch(page, -1) {
			texts = append(texts, m[1])
		}
		for _, text := range texts {
			for _, args := range shownCommands(text) {
				if commands++; len(args) == 1 && flags[args[0]] {
					continue // a flag, as text names it
				}
				if err := refused(root(), args); err != nil {
					t.Errorf("%s: tracecheck %s: %v", name, strings.Join(args, " "), err)
				}
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
		found := shownCommands(wrong)
		if len(found) != 1 || refused(root(), found[0]) == nil {
			t.Errorf("%s: accepted, of %q", wrong, found)
		}
	}
}
