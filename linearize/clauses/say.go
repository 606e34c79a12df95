package clauses

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/timeline"
)

var deeds = map[byte]string{executedAt: "was executed", completedAt: "completed", arrivedAt: "arrived", failedAt: "failed, if it did,", flushedAt: "took effect",
	endedAt: "ended", lostAt: "was lost", overflowedAt: "overflowed, if it did,", firstFailure: "happened",
	validFrom: "made its token valid", answeredAt: "was answered"}

// String says what was found: the headline, then the bounds that contradict each other, each with the line and the clause that it
// rests on, the first cause first.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (line %d)", f.ID, f.Headline(), f.Line)
	chain := slices.Clone(f.Chain)
	slices.Reverse(chain)
	for _, l := range chain {
		fmt.Fprintf(&b, "\n  line %d: %s (%s)", l.Reason.Line, say(l), Rules[l.Reason.Rule].ID)
	}
	return b.String()
}

// Headline says in a sentence what the provider did.
func (f Finding) Headline() string { return fmt.Sprintf(Rules[f.Rule].Headline, f.subject()) }

// Instead says what the contract would have allowed, or "".
func (f Finding) Instead() string {
	if Rules[f.Rule].Instead == "" {
		return ""
	}
	return fmt.Sprintf(Rules[f.Rule].Instead, f.subject())
}

// subject is what a finding is about: the request whose bound rests on the clause that names it, or that this bound follows from, where it is of a
// connection; or else the first request in the chain, or a flush. Of a message that had to wait it is the message. Where a request failed, which ended its
// connection, or the queue pair was moved into its error state, it is the one that succeeded behind it.
func (f Finding) subject() string {
	if f.Rule == endedByFailure || f.Rule == errorState {
		return f.succeededBehind()
	}
	for i, l := range f.Chain {
		switch {
		case l.Reason.Rule != f.Rule:
		case f.Rule == held:
			for i > 0 && f.Chain[i-1].Deed == arrivedAt {
				i--
			}
			return f.Chain[i].Of
		case isOfRequest(l.Label) || f.Rule == flushReturned && l.Deed == flushedAt:
			return l.Of
		case i+1 < len(f.Chain) && isOfRequest(f.Chain[i+1].Label):
			return f.Chain[i+1].Of
		}
	}
	for _, l := range f.Chain {
		if isOfRequest(l.Label) {
			return l.Of
		}
	}
	for _, l := range f.Chain {
		if l.Deed == flushedAt {
			return l.Of
		}
	}
	return f.Qp
}

// succeededBehind returns the request by whose success a connection ended no earlier, or says whose it was. The chain may close at that request, and so
// lack its own link.
func (f Finding) succeededBehind() string {
	for _, l := range f.Chain {
		if (l.Deed == endedAt || l.Deed == lostAt) && l.Cause.Deed == executedAt && l.Reason.Rule != receivedLater {
			return l.Cause.Of
		}
	}
	return "a request of " + f.Qp
}

func isOfRequest(l timeline.Label) bool {
	switch l.Deed {
	case executedAt, completedAt, arrivedAt, failedAt:
		return true
	}
	return false
}

func say(l timeline.Link) string {
	what := fmt.Sprintf("%s %s no earlier", l.Of, deeds[l.Deed])
	if l.Deadline {
		what = fmt.Sprintf("but %s %s by then", l.Of, deeds[l.Deed])
	}
	return what + ": " + Because(l)
}

// Because says why a bound holds.
func Because(l timeline.Link) string {
	because := Rules[l.Reason.Rule].Because
	if strings.Contains(because, "%s") {
		return fmt.Sprintf(because, l.Of)
	}
	return because
}
