// Package explain says in words of a report what the clauses over hidden times find.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/timeline"
	"ndkoracle/linearize/verdict"
)

// A message has the reasons next to the contradiction, at most mostReasons of them, and no more than mostWords words. The lines of all are named.
const (
	mostReasons = 3
	mostWords   = 40
)

// Finding returns a violation as a report tells it, at the event in the line and with the value of seq that shows it.
func Finding(f *clauses.Finding, line int, seq uint64) verdict.Finding {
	told := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: f.ID, Line: line, Seq: seq, Message: f.Headline() + because(f), Hidden: len(f.Chain) > 1}
	if missedByPoll := func(l timeline.Link) bool { return clauses.Rules[l.Reason.Rule].ID == "POLL-03" }; clauses.IsOfOwed(f.ID) && slices.ContainsFunc(f.Chain, missedByPoll) {
		told.Also = []string{"POLL-03"} // it had not completed, or was not delivered
	}
	if said := f.Instead(); said != "" {
		told.Instead = []string{said}
	}
	if f.Rest != 0 {
		told.Line, told.See, line = f.Rest, []int{line}, f.Rest
	}
	for _, at := range append(linesOf(f), f.Line) {
		if at != 0 && at != line && !slices.Contains(told.See, at) {
			told.See = append(told.See, at)
		}
	}
	slices.Sort(told.See)
	return told
}

func linesOf(f *clauses.Finding) []int {
	lines := make([]int, 0, len(f.Chain)+1)
	for _, l := range f.Chain {
		lines = append(lines, l.Reason.Line)
	}
	return lines
}

// because lists the reasons, the first cause first, each once. What the message begins with is none.
func because(f *clauses.Finding) string {
	var reasons []string
	words := len(strings.Fields(f.Headline()))
	for _, l := range f.Chain {
		said := say(l)
		if l.Reason.Rule == f.Rule || said == "" || slices.Contains(reasons, said) {
			continue
		}
		if words += len(strings.Fields(said)); len(reasons) == mostReasons || words > mostWords {
			break
		}
		reasons = append(reasons, said)
	}
	slices.Reverse(reasons)
	if len(reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(reasons, "; ")
}

func say(l timeline.Link) string {
	if l.Reason.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s (line %d)", clauses.Because(l), l.Reason.Line)
}
