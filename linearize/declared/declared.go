// Package declared has the declarations of the rules that the judge decides. A rule is declared once: in the file that decides it, or in engines.go if the
// streaming engine and the search decide it by the steps of the model. Other statements about a rule come from its declaration: whether it is checkable,
// what exercises it, whether a trace of libibverbs can break it, and why tla/ does not define it.
package declared

import (
	"slices"

	"ndkoracle/rules"
)

// An Occasion is what in a trace exercises a rule, in words: "a poll returns".
type Occasion string

// A Ground is what a breach of a rule may rest on: where that is in doubt, so is the breach. Several may be added up.
type Ground uint8

// The grounds.
const (
	OwnWords   Ground = 1 << iota // nothing but the words of the events that break it
	Tokens                        // which memory tokens are valid
	Children                      // which objects were created, whether or not an event names what they are part of
	Matching                      // which message reached which receive, as far as the order of messages tells
	TheMessage                    // that the message itself reached its receive: nothing else shows whether one before it was lost
	Arrival                       // when a message reached its receive
)

// A Rule is the declaration of one.
type Rule struct {
	ID        string
	On        []Occasion
	OnlyNdk   bool   // it has no counterpart in libibverbs
	OnlyCalls bool   // it is of callbacks: it has no counterpart where events are read
	Eventual  bool   // it speaks of what must happen in the end
	Alone     bool   // a breach says what a completion, or an answer, should have said: the state of all else stays as it is known
	Rests     Ground // what it rests on beside the objects that it is of
	Undefined string // why tla/ has no definition of it; "" where that has one, or reasons.tsv of the rule table says why
}

var (
	all        = map[string]*Rule{}
	byOccasion = map[Occasion][]string{}
)

// Add declares rules. A variable of the package that decides them calls it: `var _ = declared.Add(…)`.
func Add(some ...Rule) struct{} {
	for _, r := range some {
		if _, known := rules.Get(r.ID); !known || all[r.ID] != nil || len(r.On) == 0 {
			panic("declared: " + r.ID + " is declared twice, or is no rule, or nothing exercises it")
		}
		all[r.ID] = &r
		for _, o := range r.On {
			byOccasion[o] = append(byOccasion[o], r.ID)
		}
	}
	return struct{}{}
}

// Get returns the declaration of a rule, or nil.
func Get(id string) *Rule { return all[id] }

// Grounds returns what each breach of a rule may rest on.
func Grounds(id string) Ground {
	if r := all[id]; r != nil {
		return r.Rests
	}
	return 0
}

// IsAlone reports whether nothing else follows from a breach of a rule.
func IsAlone(id string) bool {
	r := all[id]
	return r != nil && r.Alone
}

// By returns the ids of the rules that an occasion exercises.
func By(o Occasion) []string { return byOccasion[o] }

// IDs returns the ids of all rules that are declared, in the order of the rulebook.
func IDs() []string {
	var ids []string
	for _, rule := range rules.All() {
		if all[rule.ID] != nil {
			ids = append(ids, rule.ID)
		}
	}
	return slices.Clip(ids)
}
