// Package sources follows each sentence of the texts on which the project rests to the rules, to tla/, to model/ and to the
// traces that keep and break it. docs/sources.md is its output.
//
// The texts themselves are not in the repository: statements.tsv says in words of its own what each sentence says.
package sources

//go:generate go run generate.go

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/internal/ruletable"
	"ndkoracle/rules"
)

// A Cell of a statement says where it stands, or why it does not stand there.
type Cell string

// The cells of a statement, in the order of the columns.
const (
	Rule     Cell = "rule"
	Operator Cell = "operator" // in tla/
	Model    Cell = "model"    // in model/
	Kept     Cell = "kept"     // by a trace
	Broken   Cell = "broken"   // by a trace
)

var cells = []Cell{Rule, Operator, Model, Kept, Broken}

// A Text is one language of a public page.
type Text struct {
	Key       string // en
	Page      string // C: the first letter of the statements of its page
	PageTitle string // in English
	Language  string
	Title     string
	Sentences int // headings, items and cells of a table counted as sentences
}

// A Statement is what one sentence says, or a part of what it says.
type Statement struct {
	ID          string   // C4.2a: page, place, sentence, and the part of it
	In          []string // the texts that have it, by their keys
	Place       string
	Says        string
	Differences string // between the texts
	Rules       []string

	Operators, Model []string
	Kept, Broken     ruletable.Example
	Own              map[Cell]string // why cells are empty, by reasons.tsv
	Inherited        map[Cell]string // why cells are empty, by the rules
}

var statementID = regexp.MustCompile(`^([A-Z])(\d+)\.(\d+)([a-z]?)$`)

// sentence is the id without the part.
func (s Statement) sentence() string { return strings.TrimRight(s.ID, "abcdefghijklmnopqrstuvwxyz") }

// page is the letter of the page.
func (s Statement) page() string { return s.ID[:1] }

func (s Statement) has(c Cell) bool {
	switch c {
	case Rule:
		return len(s.Rules) > 0
	case Operator:
		return len(s.Operators) > 0
	case Model:
		return len(s.Model) > 0
	case Kept:
		return s.Kept.File != ""
	default:
		return s.Broken.File != ""
	}
}

// A Book is all that is known of the texts.
type Book struct {
	Texts      []Text
	Statements []Statement
	astray     []string // traces and reasons of statements that do not exist
}

const folder = "internal/sources/"

// Read reads the texts and the statements, and follows each statement by its rules. The error says what can't be read.
func Read(repository fs.FS) (Book, error) {
	var book Book
	rows, err := ruletable.Rows(repository)
	if err != nil {
		return book, err
	}
	byRule := map[string]ruletable.Row{}
	for _, row := range rows {
		byRule[row.Rule.ID] = row
	}
	if book.Texts, err = readTexts(repository); err != nil {
		return book, err
	}
	if book.Statements, err = readStatements(repository); err != nil {
		return book, err
	}
	known := map[string]*Statement{}
	for i := range book.Statements {
		s := &book.Statements[i]
		s.follow(byRule)
		known[s.ID] = s
	}
	if err := book.readTraces(repository, known); err != nil {
		return book, err
	}
	for _, s := range known {
		s.inherit(byRule)
	}
	return book, book.readReasons(repository, known)
}

// table reads a file of this folder: its rows without the head, each with as many cells as that.
func table(repository fs.FS, name, head string, each func(cells []string) error) error {
	text, err := fs.ReadFile(repository, folder+name)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != head {
		return fmt.Errorf("%s:1: the header is not %q", name, head)
	}
	columns := strings.Count(head, "\t") + 1
	for i, line := range lines[1:] {
		row := strings.Split(line, "\t")
		err := fmt.Errorf("%d cells, not %d", len(row), columns)
		if len(row) == columns {
			err = each(row)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
	}
	return nil
}

func readTexts(repository fs.FS) (all []Text, err error) {
	err = table(repository, "texts.tsv", "text\tpage\tpage's title\tlanguage\ttitle\tsentences", func(c []string) error {
		sentences, err := strconv.Atoi(c[5])
		all = append(all, Text{c[0], c[1], c[2], c[3], c[4], sentences})
		return err
	})
	return all, err
}

func readStatements(repository fs.FS) (all []Statement, err error) {
	known := map[string]bool{}
	err = table(repository, "statements.tsv", "id\tin\tplace\tstatement\tdifferences\trules", func(c []string) error {
		s := Statement{ID: c[0], In: strings.Fields(c[1]), Place: c[2], Says: c[3], Differences: c[4], Rules: strings.Fields(c[5]),
			Own: map[Cell]string{}, Inherited: map[Cell]string{}}
		switch {
		case !statementID.MatchString(s.ID):
			return fmt.Errorf("%q is not an id such as C4.2a", s.ID)
		case known[s.ID]:
			return fmt.Errorf("two statements are %s", s.ID)
		case s.Place == "" || s.Says == "":
			return fmt.Errorf("%s has no place or does not say anything", s.ID)
		}
		for _, id := range s.Rules {
			if _, ok := rules.Get(id); !ok {
				return fmt.Errorf("%s: there is no rule %s", s.ID, id)
			}
		}
		known[s.ID] = true
		all = append(all, s)
		return nil
	})
	return all, err
}

// follow fills the cells with what the rules of the statement have.
func (s *Statement) follow(byRule map[string]ruletable.Row) {
	for _, id := range s.Rules {
		row := byRule[id]
		s.Operators = union(s.Operators, row.Definitions, row.Properties)
		s.Model = union(s.Model, row.Model)
		if s.Kept.File == "" {
			s.Kept = row.Kept
		}
		if s.Broken.File == "" {
			s.Broken = row.Broken
		}
	}
}

// union appends what is not there yet.
func union(all []string, more ...[]string) []string {
	for _, names := range more {
		for _, name := range names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// none stands in traces.tsv where no trace of the rules shows the statement.
const none = "-"

// readTraces puts those traces in place that were chosen for a statement, instead of the first ones of its rules.
func (b *Book) readTraces(repository fs.FS, known map[string]*Statement) error {
	uses, err := ruletable.Uses(repository)
	if err != nil {
		return err
	}
	return table(repository, "traces.tsv", "statement\tkept\tbroken", func(c []string) error {
		s := known[c[0]]
		if s == nil {
			b.astray = append(b.astray, "traces.tsv: there is no statement "+c[0])
			return nil
		}
		if c[1] == "" && c[2] == "" {
			return fmt.Errorf("%s has no trace to choose", s.ID)
		}
		if err := choose(&s.Kept, c[1], uses, "keeps", s.keptBy); err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		if err := choose(&s.Broken, c[2], uses, "breaks", s.brokenBy); err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		return nil
	})
}

// choose finds the first use of a trace that shows a statement in one way.
func choose(into *ruletable.Example, name string, uses []ruletable.Use, how string, shows func(ruletable.Use) bool) error {
	if name == "" {
		return nil
	}
	*into = ruletable.Example{}
	if name == none {
		return nil
	}
	for _, use := range uses {
		base, _, _ := strings.Cut(use.File, ".")
		if base == name && shows(use) && (into.File == "" || into.Read != "" && use.Read == "") {
			*into = use.Example
		}
	}
	if into.File == "" {
		return fmt.Errorf("the corpus has no %s that %s a rule of the statement", name, how)
	}
	return nil
}

// keptBy is whether a trace keeps a rule of the statement, or is said to show one.
func (s Statement) keptBy(use ruletable.Use) bool {
	return use.Conformant && slices.ContainsFunc(s.Rules, func(id string) bool {
		return slices.Contains(use.Keeps, id) || slices.Contains(use.Shows, id)
	})
}

// brokenBy is whether a trace breaks a rule of the statement, or one by which such a rule is judged.
func (s Statement) brokenBy(use ruletable.Use) bool {
	return slices.ContainsFunc(s.Rules, func(id string) bool {
		rule, _ := rules.Get(id)
		return use.Breaks == id || use.Breaks != "" && slices.Contains(rule.JudgedAs, use.Breaks)
	})
}

const ofPermission = "a permission: nothing breaks it"

// inherit records why cells are empty where the rules of the statement have a reason.
func (s *Statement) inherit(byRule map[string]ruletable.Row) {
	if !s.has(Rule) {
		return
	}
	because := func(of ruletable.Cell) string {
		var all []string
		for _, id := range s.Rules {
			if why := byRule[id].Without[of]; why != "" {
				all = union(all, []string{why})
			}
		}
		return strings.Join(all, "; ")
	}
	definition, trace := because(ruletable.Definition), because(ruletable.Trace)
	broken := trace
	if !slices.ContainsFunc(s.Rules, func(id string) bool { r, _ := rules.Get(id); return r.Class != rules.Permission }) {
		broken = ofPermission
	}
	for cell, why := range map[Cell]string{Operator: definition, Model: definition, Kept: trace, Broken: broken} {
		if !s.has(cell) && why != "" {
			s.Inherited[cell] = why
		}
	}
}

func (b *Book) readReasons(repository fs.FS, known map[string]*Statement) error {
	return table(repository, "reasons.tsv", "statement\twithout\tbecause", func(c []string) error {
		for _, id := range strings.Fields(c[0]) {
			s := known[id]
			if s == nil {
				b.astray = append(b.astray, "reasons.tsv: there is no statement "+id)
				continue
			}
			for _, name := range strings.Fields(c[1]) {
				switch cell := Cell(name); {
				case !slices.Contains(cells, cell):
					return fmt.Errorf("%q is none of the cells %q", name, cells)
				case s.Own[cell] != "":
					return fmt.Errorf("two reasons why %s has no %s", id, cell)
				default:
					s.Own[cell] = c[2]
				}
			}
		}
		if c[0] == "" || c[1] == "" || c[2] == "" {
			return fmt.Errorf("not statements, the cells that are empty, and why: %q", c)
		}
		return nil
	})
}
