package linearize

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/search"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// In a partially ordered trace, the events of one thread are in the order of their lines, and those of different threads in the order of their times.
// Events of different threads at one time may have happened in either order: that is a tie. The trace is allowed if one of its possible orders is. Orders
// are tried until one is allowed, or all are known to break a rule: a rule that is broken before a tie is broken in each order of the events after it.

// maxOrders is how many orders, and beginnings of them, are tried.
const maxOrders = 1 << 6

// A partial is a trace in a partial order, while it is decided.
type partial struct {
	trace  *trace.Trace
	judge  func(*trace.Trace) *verdict.Report // in a total order
	events []trace.Event                      // in the order that is being tried
	ties   []trace.Tie
	tried  int
	spent  bool              // no more are tried
	broken []*verdict.Report // of the beginnings that break a rule, one at least for each order
	open   *verdict.Report   // of an order that could not be decided
}

// checkPartial decides a trace in a partial order by a way to decide one in a total order.
func checkPartial(ctx context.Context, t *trace.Trace, o Options,
	judge func(context.Context, *trace.Trace, Options) *verdict.Report,
) *verdict.Report {
	p := &partial{trace: t, judge: func(total *trace.Trace) *verdict.Report { return judge(ctx, total, o) }}
	var err error
	if p.events, p.ties, err = t.ByTime(); err != nil {
		return unordered(t, o, err.Error())
	}
	if t.End == nil && !slices.IsSortedFunc(t.Events, func(a, b trace.Event) int { return cmp.Compare(a.T, b.T) }) {
		return unordered(t, o, "the trace has no end record, and its lines are not in the order of time: what is missing may have come before what is there")
	}
	byLine := p.of(len(p.events))
	if len(p.ties) == 0 || byLine.Decided() && !byLine.Violated() {
		return byLine
	}
	if allowed := p.allowed(ctx, 0); allowed != nil {
		return allowed
	}
	differ := slices.ContainsFunc(p.broken, func(b *verdict.Report) bool { return b.Verdict != p.broken[0].Verdict })
	told := fmt.Sprintf("lines %d and %d have one time, so their order is unknown: in the order of the lines the trace is %s",
		p.ties[0].First, p.ties[0].Last, byLine.Describe())
	switch {
	case ctx.Err() != nil:
		return unordered(t, o, fmt.Sprintf("%v while orders of the events were tried", context.Cause(ctx)))
	case p.spent:
		return unordered(t, o, fmt.Sprintf("%s, and after %d orders no more are tried", told, maxOrders))
	case p.open != nil:
		return p.open
	case differ:
		return unordered(t, o, told+", and all others break a rule as well, but not always by the same side")
	}
	byLine.Findings = p.breaches(len(byLine.Findings))
	byLine.Settle()
	return byLine
}

// unordered is the report of a trace of which nothing is judged, as its order is not told.
func unordered(t *trace.Trace, o Options, reason string) *verdict.Report {
	r := &verdict.Report{File: t.Name, Engine: string(o.Engine), Events: len(t.Events), Rules: map[string]verdict.RuleCoverage{}}
	d, err := o.ResolveDialect(t.Header.Dialect)
	if r.Dialect = d.Name; err != nil {
		reason = err.Error()
	}
	search.LeaveOpen(t, d, reason, r)
	r.Conclude(d)
	return r
}

// of judges the first n events, in the order that is being tried.
func (p *partial) of(n int) *verdict.Report {
	total := *p.trace
	total.Header.Order = "total"
	if total.Events = slices.Clone(p.events[:n]); n < len(p.events) && total.End != nil {
		total.End = &trace.End{Dropped: total.End.Dropped}
	}
	total.Events = withoutReads(total.Events, p.events[n:])
	r := p.judge(&total)
	if len(p.ties) > 0 {
		r.Cases = nil // another order may have others
	}
	r.Order = trace.SeqsOf(p.events)
	return r
}

// withoutReads leaves out the calls for an event of a CQ that return behind the events that are judged: they may have read it by now.
func withoutReads(events, behind []trace.Event) []trace.Event {
	later := map[string]bool{}
	for i := range behind {
		if e := &behind[i]; e.Ph == trace.Ret && calls.KindOf(e) == calls.ReadEvent {
			later[e.Op] = true
		}
	}
	return slices.DeleteFunc(events, func(e trace.Event) bool { return e.Ph == trace.Call && later[e.Op] })
}

// allowed looks for an order that is allowed, from the k'th tie on, and returns its report. There is none where the order
// chosen for the ties before breaks a rule before that tie, whatever follows.
func (p *partial) allowed(ctx context.Context, k int) *verdict.Report {
	if p.tried++; p.tried > maxOrders || ctx.Err() != nil {
		p.spent = true
		return nil
	}
	n := len(p.events)
	if k < len(p.ties) {
		n = p.ties[k].From
	}
	r := p.of(n)
	switch {
	case r.Violated():
		p.name(r, n)
		p.broken = append(p.broken, r)
		return nil
	case k == len(p.ties) && r.Decided():
		return r
	case k == len(p.ties):
		p.open = cmp.Or(p.open, r)
		return nil
	}
	t := p.ties[k]
	var found *verdict.Report
	complete := t.Orders(slices.Clone(p.events[t.From:t.To]), func(order []trace.Event) bool {
		copy(p.events[t.From:t.To], order)
		found = p.allowed(ctx, k+1)
		return found == nil && !p.spent
	})
	p.spent = p.spent || found == nil && !complete
	return found
}

// name lets the breach that the first n events show have the rule that it has in the whole trace, in the order that is being tried: that a completion is
// lost shows later than that it is out of order.
func (p *partial) name(r *verdict.Report, n int) {
	if n == len(p.events) {
		return
	}
	whole, isBreach := p.of(len(p.events)), func(f verdict.Finding) bool { return f.Verdict == r.Verdict }
	i, j := slices.IndexFunc(r.Findings, isBreach), slices.IndexFunc(whole.Findings, isBreach)
	if i >= 0 && j >= 0 && whole.Findings[j].Line <= r.Findings[i].Line {
		r.Findings[i] = whole.Findings[j]
	}
}

// leavesOpen reports whether a finding says what is not decided, other than as the trace ends.
func leavesOpen(f verdict.Finding) bool {
	return f.Verdict == verdict.Inconclusive && f.Message != verdict.NotAtRest
}

// breaches returns the certain findings, if each order breaks a rule: all findings before the first tie, or the first finding in the order of the lines,
// with the rules that the other orders break. The rest of the findings in the order of the lines, of in all, are undecided.
func (p *partial) breaches(of int) []verdict.Finding {
	certain := slices.DeleteFunc(slices.Clone(p.broken[0].Findings), func(f verdict.Finding) bool { return f.Verdict == verdict.Inconclusive })
	if len(p.broken) > 1 {
		certain = certain[:1]
		f := &certain[0]
		f.Message += fmt.Sprintf("; lines %d and %d have one time, and each other order of them breaks a rule as well",
			p.ties[0].First, p.ties[0].Last)
		for _, b := range p.broken[1:] {
			if rule := b.Findings[0].Rule; rule != f.Rule && !slices.Contains(f.Also, rule) {
				f.Also = append(f.Also, rule)
			}
		}
	}
	for _, b := range p.broken {
		if i := slices.IndexFunc(b.Findings, leavesOpen); i >= 0 && len(p.broken) > 1 {
			certain = append(certain, b.Findings[i])
			break
		}
	}
	if of > len(certain) {
		message := fmt.Sprintf("what is found from line %d on may rest on the order of events of one time (field t)", p.ties[0].First)
		certain = append(certain, verdict.Finding{Verdict: verdict.Inconclusive, Message: message})
	}
	return certain
}
