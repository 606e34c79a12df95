// Package cases names the cases that the contract distinguishes within its rules: what an arm merges with, what it finds, where in its chain a post
// is refused. A judge that passes because nothing was exercised is the main danger, and a rule that was exercised in its plainest case alone is the next.
package cases

import (
	"slices"
	"strings"

	"ndkoracle/model"
)

// A Case is one of them.
type Case uint8

// The cases. The merge table has one for each type that may be outstanding, and each that may be asked for: Merge tells which.
const (
	ArmFoundMatch Case = iota
	ArmFoundOthers
	ArmFoundNothing
	ArmInCallback
	CallbackDeferred
	mergeTable

	StatusBufferOverflow = mergeTable + cells + iota - 6
	StatusInternalError
	CloseInCallback
	PollFull
	PollFewer
	PollNothing
	InvalidatedByPlainPoll
	InvalidatedByExtendedPoll
	InvalidateRefused
	InvalidateFailed
	PollInCallback
	CancelledInitiator
	CancelledReceive
	DeferredEarly
	RefusedSecond
	RefusedThird
	RefusedFourth
	RefusedLater
	ChainEndedByPost
	ChainEndedByFlush
	SilentFailed
	SilentCancelled
	CloseCqFirst

	number
)

// types are those that a consumer may ask for, cells those of the merge table.
const (
	types = Case(model.ANY)
	cells = types * (types + 1)
)

// Number is how many cases there are.
const Number = int(number)

var told = [Number]struct{ id, text string }{
	ArmFoundMatch:             {"ARM-04/MATCH", "a CQ was armed with a matching completion placed since the last callback: by NDKPI the arm MUST be satisfied at once"},
	ArmFoundOthers:            {"ARM-05/OTHERS", "a CQ was armed with only other completions: by NDKPI the arm MAY be satisfied at once"},
	ArmFoundNothing:           {"ARM-05/NOTHING", "an empty CQ was armed"},
	ArmInCallback:             {"ARM-06/ARM", "NdkArmCq was called while a callback of the CQ ran"},
	CallbackDeferred:          {"ARM-06/DEFERRED", "a callback was owed when another one of the CQ returned"},
	StatusBufferOverflow:      {"ARM-15/BUFFER-OVERFLOW", "a callback reported STATUS_BUFFER_OVERFLOW"},
	StatusInternalError:       {"ARM-15/INTERNAL-ERROR", "a callback reported STATUS_INTERNAL_ERROR"},
	CloseInCallback:           {"ARM-20/CALLBACK", "NdkCloseCq was called while a callback of the CQ ran"},
	PollFull:                  {"POLL-02/FULL", "a poll returned as many completions as it had room for"},
	PollFewer:                 {"POLL-02/FEWER", "a poll returned some completions, and fewer than it had room for"},
	PollNothing:               {"POLL-03/NOTHING", "a poll that had room returned none"},
	InvalidatedByPlainPoll:    {"POLL-07/PLAIN", "NdkGetCqResults fetched a receive whose message invalidated a token"},
	InvalidatedByExtendedPoll: {"POLL-07/EXTENDED", "NdkGetCqResultsEx fetched a receive whose message invalidated a token"},
	InvalidateRefused:         {"POLL-08/INLINE", "an NdkInvalidate of a token that the peer had invalidated was refused inline"},
	InvalidateFailed:          {"POLL-08/COMPLETION", "an NdkInvalidate of a token that the peer had invalidated failed in its completion"},
	PollInCallback:            {"POLL-10/CALLBACK", "a poll of a CQ was called while a callback of it ran"},
	CancelledInitiator:        {"RES-10/INITIATOR", "a request of an initiator queue was cancelled"},
	CancelledReceive:          {"RES-10/RECEIVE", "a receive was cancelled"},
	DeferredEarly:             {"DEF-02/EARLY", "a deferred request had completed before its chain ended"},
	RefusedSecond:             {"DEF-05/SECOND", "a post was refused at the second place of its chain"},
	RefusedThird:              {"DEF-05/THIRD", "a post was refused at the third place of its chain"},
	RefusedFourth:             {"DEF-05/FOURTH", "a post was refused at the fourth place of its chain"},
	RefusedLater:              {"DEF-05/LATER", "a post was refused after the fourth place of its chain"},
	ChainEndedByPost:          {"DEF-06/POST", "a request without NDK_OP_FLAG_DEFER ended a chain"},
	ChainEndedByFlush:         {"DEF-06/FLUSH", "a flush ended a chain"},
	SilentFailed:              {"FLAG-02/FAILED", "a request with NDK_OP_FLAG_SILENT_SUCCESS failed"},
	SilentCancelled:           {"FLAG-02/CANCELLED", "a request with NDK_OP_FLAG_SILENT_SUCCESS was cancelled"},
	CloseCqFirst:              {"LIFE-04/CQ", "NdkCloseCq was called before the close of a QP that uses the CQ"},
}

func init() {
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		while := outstanding.String() + " was outstanding"
		if outstanding == model.NONE {
			while = "nothing was outstanding"
		}
		for t := model.ERRORS; t <= model.ANY; t++ {
			c := &told[Merge(outstanding, t)]
			c.id, c.text = "ARM-07/"+outstanding.String()+"+"+t.String(), "the CQ was armed for "+t.String()+" while "+while
		}
	}
}

// Merge returns the cell of the merge table in which a CQ is armed for a type while another one is outstanding, or NONE.
func Merge(outstanding, t model.Arm) Case {
	return mergeTable + Case(outstanding)*types + Case(t) - 1
}

// Refused returns the case of a post that was refused behind that many deferred requests of its chain, at least one.
func Refused(behind int) Case { return RefusedSecond + Case(min(behind, 4)-1) }

// ID names c by its rule and, behind a slash, itself.
func (c Case) ID() string { return told[c].id }

// Rule returns the id of the rule that c belongs to.
func (c Case) Rule() string {
	rule, _, _ := strings.Cut(c.ID(), "/")
	return rule
}

// Text says when c is met.
func (c Case) Text() string { return told[c].text }

// All returns the cases, in the order of the rulebook's groups.
func All() []Case {
	all := make([]Case, Number)
	for i := range all {
		all[i] = Case(i)
	}
	return all
}

// Get returns the case of an id.
func Get(id string) (Case, bool) {
	i := slices.IndexFunc(All(), func(c Case) bool { return c.ID() == id })
	return Case(max(i, 0)), i >= 0
}

// A Count says how often a case was met: between the two, both included.
type Count struct{ AtLeast, AtMost int }

// Counts are the counts of all cases.
type Counts [Number]Count

// Met records that a case was met, for certain.
func (c *Counts) Met(which Case) { c.Add(which, Count{1, 1}) }

// MayHave records that a case may have been met.
func (c *Counts) MayHave(which Case) { c.Add(which, Count{0, 1}) }

// Add adds a count.
func (c *Counts) Add(which Case, n Count) {
	c[which].AtLeast += n.AtLeast
	c[which].AtMost += n.AtMost
}
