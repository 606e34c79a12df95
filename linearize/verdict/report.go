// Package verdict is the answer of any engine about a trace: a verdict, findings, and the result for each rule.
package verdict

import (
	"time"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// Verdict is the answer for a trace.
type Verdict string

// The verdicts, from tracecheck's exit codes: 0, 1, 1, 4, 3.
const (
	Conformant        Verdict = "conformant"
	ProviderViolation Verdict = "provider violation"
	ConsumerViolation Verdict = "consumer violation"
	Inconclusive      Verdict = "inconclusive"
	Malformed         Verdict = "malformed"
)

// Finding is one violation, or one question that could not be answered.
type Finding struct {
	Verdict Verdict  // ProviderViolation, ConsumerViolation or Inconclusive
	Rule    string   // the rule's id, "" where an inconclusive answer is of no rule in particular
	Also    []string // ids of rules that other explanations would have broken
	Line    int      // place in the file: the event at which the last explanation died
	Seq     uint64
	Message string   // what happened, in a sentence
	Before  []string // the explanations alive just before, each described as a state; bounded
	Instead []string // what each of those would have allowed in place of the event, or ""
	See     []int    // lines of earlier events that matter, in order
	Follows *Origin  // the violation of objects of the same group that it may only follow from, or nil
	Alone   bool     // boundary events show it: it rests on no hidden step and on no message
	Hidden  bool     // hidden times contradict each other: it may rest on any message, whatever it refers to
	Shown   int      // how many events had been read when it was found, and it rests on no later one; 0 where it may rest on all
	More    int      // number of omitted findings that may only follow from this one
	Assumes []string // ids of the readings relied on: A1 … A35

	Rests declared.Ground // what it depends on in addition to what each breach of its rule does
}

// RestsOn reports whether a finding may rest on a ground.
func (f *Finding) RestsOn(g declared.Ground) bool { return (f.Rests|declared.Grounds(f.Rule))&g != 0 }

// Origin is a violation from which later ones may follow.
type Origin struct {
	Rule string
	File string // where it is in the trace of another host, or ""
	Line int
}

// Coverage says what became of one rule.
type Coverage string

// What can become of a rule in one trace.
const (
	Checked      Coverage = "checked"       // exercised, and kept or broken
	Vacuous      Coverage = "vacuous"       // checkable, but nothing in the trace exercised it
	Undecided    Coverage = "inconclusive"  // exercised, but the trace does not record enough to decide it
	NotCheckable Coverage = "not checkable" // no engine names it (see rules.Rule.WithoutCheck), or the trace's dialect has no such thing
)

// Report is the whole answer for one trace.
type Report struct {
	File       string
	Engine     string // whose answer it is, or ""
	Dialect    string
	With       string // the trace of another host that it was judged with, or ""
	Events     int
	Components int // groups of objects that share something, checked apart
	Operations int // porcupine operations of all components, hidden steps included
	Verdict    Verdict
	Findings   []Finding
	Rules      map[string]RuleCoverage // every rule of the rulebook, by id
	Cases      *cases.Counts           // how often each case of the rules occurred, or nil if the engine does not count them
	Assumes    []string                // ids of the readings that the verdict rests on
	Witness    []witness.Placed        // where Options ask for it and porcupine explains the trace: every step, in order, also where only what its end does is undecided
	Order      []uint64                // of a trace in a partial order: the values of seq, in the order that was judged
	Warnings   []trace.Warning         // of the engine, beside those of the trace
	Elapsed    time.Duration           // not printed where output has to be the same byte for byte
}

// RuleCoverage is what became of a rule, and how often it was exercised.
type RuleCoverage struct {
	Coverage Coverage
	Count    int    // times exercised
	Why      string // for NotCheckable and Undecided
}
