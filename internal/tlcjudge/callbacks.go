package tlcjudge

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// callbackRules name the rule that a callback of a CQ breaks, which is missing at the moment of rest on a line, or entered there and not owed.
// TLC decides that it is: by which rule is read off the trace, as for the other engines.
type callbackRules struct {
	missing, unowed func(cq string, line int) monitor.Named
}

// nameCallback names the rule of a finding that is of a callback.
func (q *question) nameCallback(f *verdict.Finding, a *answer) {
	c := q.events[a.reached].call
	var named monitor.Named
	switch {
	case c.kind == "rest" && breach.IsOfMissing(f.Rule):
		named = q.missing(f, a)
	case (c.kind == "callback" || c.kind == "event") && c.cq != nil && breach.IsOfUnowed(f.Rule) && reportsNoError(c):
		named = q.names.unowed(c.cq.name, f.Line)
	}
	if named.Rule != "" {
		f.Rule, f.Also, f.Message, f.See = named.Rule, named.Also, named.Message, named.See
	}
}

// missing names the rule of a missing callback. Of several CQs that may lack one it is the first whose rule TLC has named, or that has a
// completion for it.
func (q *question) missing(f *verdict.Finding, a *answer) monitor.Named {
	var best monitor.Named
	for _, cq := range q.cqs {
		named := q.names.missing(cq.name, f.Line)
		said := slices.ContainsFunc(a.refused, func(r refusal) bool { return r.rule == named.Rule })
		switch {
		case f.Rule == "ARM-08" && named.Rule != "ARM-08": // an error of the CQ that it does not report
		case said && named.Rule != "ARM-03":
			return named
		case best.Rule == "" || best.Rule == "ARM-03":
			best = named
		}
	}
	return best
}

func reportsNoError(c *call) bool {
	return c.first.Status == "" || c.first.Status == "STATUS_SUCCESS"
}
