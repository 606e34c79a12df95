package mutate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Definition is one of a module's in TLA+: all that it says until the next one. It starts with its name.
type Definition struct {
	Module, Name string
	Text         string
	At           int // its place in the module, in bytes
}

var headOfDefinition = regexp.MustCompile(`(?m)^(\w+)(?:\(.*?\))? ==`)

// Definitions returns the definitions of a module, in its order. Each begins at the margin, and what follows is indented.
func Definitions(module, text string) []Definition {
	var all []Definition
	for _, m := range headOfDefinition.FindAllStringSubmatchIndex(text, -1) {
		end := m[1]
		for end < len(text) {
			next := strings.IndexByte(text[end:], '\n') + 1
			if next == 0 {
				end = len(text)
				break
			}
			end += next
			if end == len(text) || text[end] != ' ' {
				break
			}
		}
		all = append(all, Definition{module, text[m[2]:m[3]], strings.TrimRight(text[m[0]:end], "\n"), m[0]})
	}
	return all
}

// A Clause is a part of a definition: a conjunct, a disjunct, a case, or what follows IF, THEN or ELSE.
type Clause struct {
	Text     string
	from, to int // in the definition
}

var (
	comment   = regexp.MustCompile(`\\\*.*`)
	separator = regexp.MustCompile(`/\\|\\/|\[\]|\b(?:CASE|IF|THEN|ELSE|LET|IN)\b`)
	word      = regexp.MustCompile(`[A-Za-z_]\w*`)
	literal   = regexp.MustCompile(`"[^"]*"`)
	stays     = regexp.MustCompile(`^(?:UNCHANGED|INSTANCE)\b`)
	begins    = regexp.MustCompile(`[(,]$`)
)

// blank returns the text with what matches replaced by blanks: all else keeps its place.
func blank(text string, what *regexp.Regexp) string {
	return what.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// Clauses returns the clauses of a definition.
func (d Definition) Clauses() []Clause {
	code := blank(d.Text, comment)
	at := strings.Index(code, "==") + len("==")
	var all []Clause
	add := func(to int) {
		if text := strings.TrimSpace(code[at:to]); strings.Trim(text, "()") != "" {
			all = append(all, Clause{text, at, to})
		}
	}
	for _, m := range separator.FindAllStringIndex(blank(code, literal), -1) {
		if m[0] >= at {
			add(m[0])
			at = m[1]
		}
	}
	add(len(code))
	return all
}

// modules returns the texts of the modules in a folder, but those of the consumer and of recorded traces, which are no part of
// the contract.
func modules(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tla"))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".tla"); !strings.HasSuffix(name, "Consumer") && !strings.HasPrefix(name, "Trace") {
			texts[name] = string(text)
		}
	}
	return texts, nil
}

// contract returns the definitions that say which steps the contract has: those that MCInit and MCNext name, what these
// name, and so on, in all of the modules.
func contract(modules map[string]string) []Definition {
	byName := map[string][]Definition{}
	for name, text := range modules {
		for _, d := range Definitions(name, text) {
			byName[d.Name] = append(byName[d.Name], d)
		}
	}
	var all []Definition
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, d := range byName[name] {
			all = append(all, d)
			for _, used := range word.FindAllString(blank(blank(d.Text, comment), literal), -1) {
				visit(used)
			}
		}
	}
	visit("MCInit")
	visit("MCNext")
	return all
}

// Missed returns the clauses of the contract in a folder that no edit changes. A clause need not be changed that says what
// stays as it is: TLC does not run without it; nor one that ends within a bracket: it is the beginning of what follows.
// The module Dialect is words only, and the MC modules are bounds.
func Missed(dir string, edits []Edit) ([]string, error) {
	texts, err := modules(dir)
	if err != nil {
		return nil, err
	}
	definitions := contract(texts)
	var missed []string
	for _, d := range definitions {
		if d.Module == "Dialect" || strings.HasPrefix(d.Module, "MC") {
			continue
		}
		for _, c := range d.Clauses() {
			if !stays.MatchString(c.Text) && !begins.MatchString(c.Text) && !d.changed(c, edits) {
				missed = append(missed, d.Module+"!"+d.Name+": "+strings.Join(strings.Fields(c.Text), " "))
			}
		}
	}
	slices.Sort(missed)
	return missed, nil
}

// changed reports whether an edit changes a clause of the definition.
func (d Definition) changed(c Clause, edits []Edit) bool {
	for _, e := range edits {
		if e.Module == d.Module && e.Definition == d.Name {
			if from := strings.Index(d.Text, e.Old); from >= 0 && from < c.to && from+len(e.Old) > c.from {
				return true
			}
		}
	}
	return false
}
