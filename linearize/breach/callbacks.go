package breach

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/model"
)

// A missing callback breaks the first of these rules that the trace shows. That is ARM-04 if its completion was in the CQ when the CQ was armed. Else it is
// the rule by which a completion matches the arm, the first of matching if there are several. Else it is ARM-03.
var (
	matching = []string{merged, forFailed, solicited, forAny, forErrors}
	unowed   = []string{unarmed, armUsedUp, forErrors, forPlain, forNone}
)

// What an engine finds in the way of its next step, where the model would allow it.
var (
	CallbackDue   = &model.Refusal{Rule: neglected, Why: "a callback is owed and was not entered"}
	ErrorUntold   = errorUntold("the CQ")
	OtherExpected = &model.Refusal{Rule: armUsedUp, Why: "an earlier callback was for a completion of another kind, or placed earlier"}
	TooFew        = &model.Refusal{Rule: forNone, Why: "what was seen would take more completions than requests were outstanding"}
	HadEnded      = &model.Refusal{Rule: forNone, Why: "what is still outstanding had ended by a moment of rest"}
	OwedBefore    = &model.Refusal{Rule: forNone, Why: "what is still outstanding had completed by a moment of rest, so its callback came before"}
)

func errorUntold(cq string) *model.Refusal {
	return &model.Refusal{Rule: forErrors, Why: "the error of " + cq + " was not reported to its arm"}
}

// ErrorUntoldOf is ErrorUntold where an engine follows several CQs.
func ErrorUntoldOf(cq string) *model.Refusal { return errorUntold(cq) }

// IsOfMissing reports whether a rule is one that a missing callback can break.
func IsOfMissing(rule string) bool {
	return rule == neglected || rule == overdue || slices.Contains(matching, rule)
}

// IsOfUnowed reports whether a rule is one that a callback can break which is entered and not owed.
func IsOfUnowed(rule string) bool { return slices.Contains(unowed, rule) }

// IsOfClosed reports whether a refusal is that the CQ is closed, whatever it was armed for.
func IsOfClosed(r *model.Refusal) bool { return r.Rule == ofClosed }

// IsOfUnarmed reports whether a refusal is that no arm is outstanding.
func IsOfUnarmed(r *model.Refusal) bool { return r.Rule == unarmed }

// Matching returns the rule by which a completion matches what a CQ is armed for.
func Matching(armed model.Arm, failed bool) string {
	switch {
	case armed == model.ERRORS:
		return forErrors
	case armed == model.SOLICITED && failed:
		return forFailed
	case armed == model.SOLICITED:
		return solicited
	}
	return forAny
}

// MatchingMerged returns the rule by which a completion matches several arms, one of which alone it would not match.
func MatchingMerged() string { return merged }

// Precedes reports whether a rule by which a completion matches is named rather than another, or none, by which another completion matches.
func Precedes(rule, other string) bool {
	return rule != "" && (other == "" || slices.Index(matching, rule) < slices.Index(matching, other))
}

// TooFewFor returns what is wrong of a callback for which there were too few completions, by what its CQ is armed for. It is not ok where the refusal
// says all.
func TooFewFor(armed model.Arm) (b Breach, ok bool) {
	switch armed {
	case model.ERRORS:
		return Breach{Rule: forErrors, Also: []string{forNone}}, true
	case model.SOLICITED:
		return Breach{Rule: forPlain, Also: []string{forNone}}, true
	}
	return Breach{}, false
}

// ForNothing returns the rule that a callback breaks which was for nothing that its CQ held.
func ForNothing() string { return forNone }

// OrLate returns the rule that is broken too where a callback may have been owed before, and entered late.
func OrLate() string { return neglected }

// Callbacks are those of one CQ, with the words for them: where events are read from a channel, no callback is entered.
type Callbacks struct {
	Cq   string
	Arms []model.Arm // since the latest callback, or those that the missing one is owed for
	Read bool        // events are read
}

// NotEntered is the breach that one is missing at a moment of rest. For which completion is not known.
func (c Callbacks) NotEntered() Breach {
	what, event := "a callback", "was not entered"
	if c.Read {
		what, event = "an event", "did not come"
	}
	return breaks(neglected, "the provider was at rest, and %s of %s is owed and %s", what, c.Cq, event)
}

// NotEnteredFor is the breach that one is missing for a completion of some kind, which matches the arms by a rule.
func (c Callbacks) NotEnteredFor(wr, kind, rule string) Breach {
	return breaks(rule, "%s: it was armed %s, and the completion of %s (%s) matches", c.NotEntered().Message, c.types(), wr, kind).or(neglected)
}

// NotEnteredAtArm is the breach that one is missing for a completion of some kind that was there when the CQ was armed.
func (c Callbacks) NotEnteredAtArm(wr, kind string) Breach {
	return breaks(overdue, "%s: the completion of %s (%s), placed since the last callback, satisfies the arm %s, whether it came before or after",
		c.NotEntered().Message, wr, kind, c.types()).or(neglected)
}

// Unowed is the breach that one was entered, and none was owed. The CQ was never armed, or holds only unsolicited successes.
func (c Callbacks) Unowed(never bool, armed model.Arm, plain bool) Breach {
	what, entered, owed := "the callback", "was entered", "callback"
	if c.Read {
		what, entered, owed = "an event", "was read", "event"
	}
	start := fmt.Sprintf("%s of %s %s, and no %s is owed: ", what, c.Cq, entered, owed)
	switch {
	case never:
		return breaks(unarmed, "%sit was never armed", start)
	case len(c.Arms) == 0:
		return breaks(armUsedUp, "%sit was not armed since the one before", start).or(unarmed)
	case armed == model.ERRORS:
		return breaks(forErrors, "%sit was armed ERRORS, and the CQ has reported no error", start).or(forNone)
	case armed == model.SOLICITED && plain:
		return breaks(forPlain, "%sit was armed SOLICITED, and holds only unsolicited successes", start)
	}
	return breaks(forNone, "%sit was armed %s, and no completion that matches has come since", start, c.types())
}

// types names what the CQ was armed for.
func (c Callbacks) types() string {
	var types []string
	for _, a := range c.Arms {
		types = append(types, a.String())
	}
	return strings.Join(types, " then ")
}

// UsedUp is the breach that a callback was entered, as seen says, when every arm had had its own.
func UsedUp(seen string) Breach {
	return breaks(armUsedUp, "%s, and no callback is owed: each arm that was satisfied has had its callback", seen).or(unarmed)
}

// Unread is the breach that an event was not read by a moment of rest, as seen says.
func Unread(seen string) Breach { return breaks(neglected, "%s, and %s", seen, CallbackDue.Why) }

// OffChannel is the breach that an event of a CQ was read where none of it can be.
func OffChannel(cq, why string) Breach {
	return breaks(unarmed, "an event of %s was read, and none can be: %s", cq, why)
}

// ErrorUnarmed is the breach that a callback reports an error of a CQ that was never armed.
func ErrorUnarmed(cq, status string) Breach {
	return breaks(unarmed, "the callback of %s reports %s, and %s was never armed", cq, status, cq).or(reported)
}

// NotEnteredThough is the breach that the callback for a request is missing that had completed by a moment of rest, and matched the arm by a rule.
func NotEnteredThough(cq, wr, rule string) Breach {
	return breaks(rule, "the provider was at rest, and a callback of %s that the completion of %s makes due was not entered: it had completed by then", cq, wr).or(neglected)
}

// LateOrNotEntered is the breach that a request had not completed by a moment of rest, or a callback is missing for it. Its completion matches the arm by a rule.
func LateOrNotEntered(wr, rule string) Breach {
	return breaks(rule, "the provider was at rest, and either %s, posted with success, had not completed, or a callback that its completion makes due was not entered",
		wr).or(neglected, overdue, inTheEnd)
}

// LateOrNotEnteredAtArm is the breach that of a request that was to complete by a moment of rest before the CQ was armed.
func LateOrNotEnteredAtArm(cq, wr, rule string) Breach {
	return breaks(overdue, "the provider was at rest, and a callback of %s was not entered that was due when it was armed: %s, posted with success, "+
		"had completed by an earlier moment of rest, or should have", cq, wr).or(neglected, rule, inTheEnd)
}
