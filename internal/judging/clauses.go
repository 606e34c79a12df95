package judging

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/timeline"
)

// OfQueuePairs reports whether a rule is one that the clauses state.
func OfQueuePairs(rule string) bool {
	return rule != "" && slices.ContainsFunc(clauses.Rules[:], func(r clauses.Rule) bool { return r.ID == rule })
}

// SayingOf is what the clauses found, one finding a line, with its chain.
func SayingOf(e *clauses.Engine) string {
	text := fmt.Sprintf("%d findings, undecided %v", len(e.Findings), e.Undecided)
	for _, f := range e.Findings {
		text += "\n  " + chainOf(f)
	}
	return text
}

// chainOf writes the chain of a finding, the last bound first.
func chainOf(f clauses.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s at line %d:", f.ID, f.Qp, f.Line)
	for _, l := range f.Chain {
		relation := ">="
		if l.Deadline {
			relation = "<="
		}
		fmt.Fprintf(&b, " %c(%s)%s%d+%d[%s line %d]", l.Deed, l.Of, relation, l.At.Event(), l.At-timeline.At(l.At.Event()), clauses.Rules[l.Reason.Rule].ID, l.Reason.Line)
	}
	return b.String()
}
