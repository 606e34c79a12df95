// Package rules is the rulebook of NDKPI. Each rule has an id, and comes from Microsoft's documentation. Where that documentation is ambiguous, the
// rulebook has the possible readings.
//
// An id such as ARM-04 identifies a rule everywhere: in this table, in the specification, the model, the checks, the tests and the recorded traces.
package rules

import (
	_ "embed"
	"slices"
	"strings"
)

// Who has to keep a rule, or is permitted something by it.
type Who string

// The parties of a connection. The peer's provider is the one at the other end.
const (
	Provider      Who = "provider"
	Consumer      Who = "consumer"
	Both          Who = "provider and consumer"
	PeersProvider Who = "peer's provider"
)

// Class is the kind of a rule: what a trace has to show to break it.
type Class string

// The classes of rules.
const (
	Safety            Class = "safety"
	Liveness          Class = "liveness"
	SafetyAndLiveness Class = "safety and liveness"
	BoundedLiveness   Class = "bounded liveness"
	Permission        Class = "permission"
	Advice            Class = "advice"
)

var classMeanings = map[Class]string{
	Safety:            "something must never happen; one event shows a breach",
	Liveness:          "something must happen eventually; judged only when the provider was at rest",
	SafetyAndLiveness: "something must happen eventually, and never wrongly or twice",
	BoundedLiveness:   "something must happen at once or within a given bound",
	Permission:        "both behaviours are allowed and must be accepted; it can't be broken",
	Advice:            "sound practice, or expected, but not a stated duty; a breach causes a warning and is not a violation",
}

// Meaning says in a phrase what the class asks of whoever judges a trace.
func (c Class) Meaning() string { return classMeanings[c] }

// Rule is one rule of NDKPI.
type Rule struct {
	ID        string // ARM-04
	Group     string // ARM, the id's first part
	Who       Who
	Class     Class
	Text      string   // what it requires, in a sentence or two
	Source    string   // the pages of the documentation, separated by semicolons
	Ambiguity string   // what is ambiguous or wrong in the documentation; "" if nothing is
	Readings  []string // ids of the readings of what is ambiguous
	JudgedAs  []string // ids of the rules that the judge names where this one is broken; nil where it names this one, or none
}

// WithoutCheck says what the judge does about the rule if no engine checks it.
func (r Rule) WithoutCheck() string {
	switch {
	case r.JudgedAs != nil:
		return "judged as " + strings.Join(r.JudgedAs, ", ")
	case r.Class == Permission:
		return "a permission: nothing to check"
	default:
		return "no engine of this program checks it yet"
	}
}

// Reading is how an open question of the documentation is answered.
type Reading struct {
	ID       string // A1
	Question string
	Default  string
	Strict   string
	Choices  []string // values that may be chosen instead, the default's first; nil when only the default is built
	Dialects []string // in which the question arises; nil for all
}

// Matters reports whether the question arises in a dialect.
func (r Reading) Matters(dialect string) bool {
	return r.Dialects == nil || slices.Contains(r.Dialects, dialect)
}

// IsOfCalls reports whether the question is what calls return. No step of the contract asks for it, so tla/ has no choice of it.
func (r Reading) IsOfCalls() bool { return r.ID == "A22" }

//go:embed rules.tsv
var ruleTable string

//go:embed readings.tsv
var readingTable string

//go:embed judged-as.tsv
var judgedAsTable string

var (
	allRules    = parseRules(ruleTable, judgedAsTable)
	allReadings = parseReadings(readingTable)
	ruleByID    = index(allRules, func(r Rule) string { return r.ID })
	readingByID = index(allReadings, func(r Reading) string { return r.ID })
)

// All returns the rules in the order of the table, group by group.
func All() []Rule { return slices.Clone(allRules) }

// Get returns the rule with the id.
func Get(id string) (Rule, bool) {
	rule, ok := ruleByID[id]
	return rule, ok
}

// Readings returns the readings, A1 first.
func Readings() []Reading { return slices.Clone(allReadings) }

// GetReading returns the reading with the id.
func GetReading(id string) (Reading, bool) {
	reading, ok := readingByID[id]
	return reading, ok
}

var groupTitles = []struct{ group, title string }{
	{"ARM", "Arming and notification"},
	{"POLL", "Polling a completion queue"},
	{"RES", "Results"},
	{"DEF", "Deferred processing"},
	{"POST", "Posting requests"},
	{"FLAG", "Flags of requests"},
	{"INV", "Invalidation"},
	{"MEM", "Memory registration"},
	{"FLUSH", "Flushing"},
	{"RSZ", "Resizing a completion queue"},
	{"MOD", "Interrupt moderation"},
	{"SRQ", "Shared receive queues"},
	{"ASY", "Asynchronous requests"},
	{"LIFE", "Lifetime of objects"},
	{"CONN", "Connecting"},
	{"DISC", "Disconnecting"},
	{"ADP", "Adapters"},
}

// Groups returns the groups in the order of the table.
func Groups() []string {
	groups := make([]string, len(groupTitles))
	for i, known := range groupTitles {
		groups[i] = known.group
	}
	return groups
}

// GroupTitle returns what a group's rules are about, "" for an unknown group.
func GroupTitle(group string) string {
	for _, known := range groupTitles {
		if known.group == group {
			return known.title
		}
	}
	return ""
}

func parseRules(table, judgedAs string) []Rule {
	others := map[string][]string{}
	for _, row := range rows(judgedAs, 2) {
		others[row[0]] = list(row[1])
	}
	var rules []Rule
	for _, row := range rows(table, 7) {
		group, _, _ := strings.Cut(row[0], "-")
		rules = append(rules, Rule{
			ID: row[0], Group: group, Who: Who(row[1]), Class: Class(row[2]), Text: row[3], Source: row[4],
			Ambiguity: row[5], Readings: list(row[6]), JudgedAs: others[row[0]],
		})
		delete(others, row[0])
	}
	for id := range others {
		panic("rules: judged-as.tsv names an unknown rule: " + id)
	}
	return rules
}

func parseReadings(table string) []Reading {
	var readings []Reading
	for _, row := range rows(table, 6) {
		readings = append(readings, Reading{
			ID: row[0], Question: row[1], Default: row[2], Strict: row[3], Choices: list(row[4]), Dialects: list(row[5]),
		})
	}
	return readings
}

// rows splits a table into its cells, without the head. The tables are part of the program, so a row with another
// number of cells is a mistake in the source.
func rows(table string, columns int) [][]string {
	var cells [][]string
	for line := range strings.Lines(table) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			panic("rules: a row needs as many cells as the head: " + line)
		}
		cells = append(cells, row)
	}
	return cells[1:]
}

// list splits a cell that holds several values.
func list(cell string) []string {
	if cell == "" {
		return nil
	}
	return strings.Split(cell, ", ")
}

func index[T any](items []T, id func(T) string) map[string]T {
	byID := make(map[string]T, len(items))
	for _, item := range items {
		byID[id(item)] = item
	}
	return byID
}
