// Package search judges a short trace by porcupine's search over all orders of its hidden steps, component by component. docs/how-it-works.md has its place.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// DefaultMaxOperations is the largest component that is put to porcupine, whose cost may grow exponentially with what can
// float in time.
const DefaultMaxOperations = 20_000

// DefaultMaxMemory bounds what one search may remember, in bytes.
const DefaultMaxMemory = 128 << 20

// Options bound a search. The zero value takes the defaults.
type Options struct {
	MaxOperations int  // of a component; 0 is DefaultMaxOperations
	MaxMemory     int  // of one search, in bytes, about; 0 is DefaultMaxMemory
	Witness       bool // tell the steps that explain a conformant trace
	Alone         bool // leave the clauses over hidden times unasked: for tests that hold them against the search
}

// Judge decides a trace in a total order by a dialect, and notes in r what it finds. A cancelled context leaves open what is
// not decided by then.
func Judge(ctx context.Context, t *trace.Trace, d model.Dialect, o Options, r *verdict.Report) {
	judged := *r
	j := newJudge(t, d, o, &judged)
	j.judge(ctx)
	for _, wr := range j.history.culprits {
		if !accuses(&judged) {
			break
		}
		again := *r
		other := newJudgeOf(newHistory(t, d, wr), o, &again)
		if other.judge(ctx); !accuses(&again) {
			j, judged = other, again
		}
	}
	if other := asUC(t); other != nil && accuses(&judged) {
		again := *r
		if newJudge(other, d, o, &again).judge(ctx); !accuses(&again) {
			for i := range judged.Findings {
				f := &judged.Findings[i]
				f.Rests, f.Hidden = f.Rests|declared.Matching, true
			}
		}
	}
	*r = judged
	j.report = r
	j.cover()
	r.Witness = j.witness()
}

// accuses reports whether a finding blames the provider.
func accuses(r *verdict.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return f.Verdict == verdict.ProviderViolation })
}

// LeaveOpen records in r why nothing of a trace is judged, and which rules it may exercise.
func LeaveOpen(t *trace.Trace, d model.Dialect, reason string, r *verdict.Report) {
	j := newJudge(t, d, Options{}, r)
	j.unfit(reason)
	j.cover()
}

// judge has the state of the check of one trace.
type judge struct {
	report    *verdict.Report
	history   *history
	dialect   model.Dialect
	limit     int // of operations
	memory    int // in bytes
	counts    map[string]int
	open      map[string]string // rules that events may have exercised that were not judged, and why not
	explained []witness.Placed  // the steps of the components that were explained
	explains  bool              // the caller asks for them, and all could be determined so far
	asks      bool              // the clauses over hidden times
	hidden    *clauses.Engine   // what they find, or nil
}

func newJudge(t *trace.Trace, d model.Dialect, o Options, r *verdict.Report) *judge {
	return newJudgeOf(newHistory(t, d, ""), o, r)
}

func newJudgeOf(h *history, o Options, r *verdict.Report) *judge {
	d := h.dialect
	h.monitor = monitor.New(h.trace.Header, d)
	h.cancels = d.A15 == model.A15Cancelled
	return &judge{report: r, history: h, dialect: d, limit: cmp.Or(o.MaxOperations, DefaultMaxOperations),
		memory: cmp.Or(o.MaxMemory, DefaultMaxMemory), open: map[string]string{}, explains: o.Witness && !h.guessed, asks: !o.Alone}
}

func (j *judge) judge(ctx context.Context) {
	h := j.history
	if j.asks {
		j.hidden = h.hidden
	}
	h.check()
	j.report.Warnings = append(j.report.Warnings, h.monitor.Advice()...)
	j.counts = h.counts
	components := h.components(j.dialect)
	j.report.Components = len(components)
	j.report.Findings = h.blameless()
	for _, c := range components {
		c.memory = j.memory
		c.countTurns()
		j.report.Operations += len(c.ops)
		if !j.component(ctx, c) {
			j.hear(c, never)
		}
	}
	j.excuse(ctx, components)
	end := h.trace.End
	if end == nil || !end.Quiescent {
		j.report.Undecided("", verdict.NotAtRest)
	}
}

// check performs the checks that need no search.
func (h *history) check() {
	h.checkBoundary()
}

// unfit says why nothing is judged, though the trace may exercise many rules.
func (j *judge) unfit(reason string) {
	j.report.Undecided("", reason)
	j.history.check()
	for id := range j.history.counts {
		j.open[id] = reason
	}
	j.leaveOpen(j.history.spans, 0, reason)
}

// countTurns counts the completions that polls delivered before the limit, and those in between of polls that overlap it.
func (c *component) countTurns() {
	for i, q := range c.cqs {
		for _, r := range q.delivered {
			if r.delivery.poll.ret < c.limit {
				c.turns[i] = r.delivery.order + 1
			}
		}
	}
}

// component searches one component, and reports where and why no explanation is left, and whether it found that.
func (j *judge) component(ctx context.Context, c *component) (found bool) {
	switch {
	case c.reason != "":
		j.report.Undecided("", c.reason)
		j.leaveOpen(c.spans, 0, c.reason)
		return false
	case len(c.ops) > j.limit:
		reason := fmt.Sprintf("%s and what it shares objects with make %d operations, and this engine takes %d at most (--max-operations)",
			c.name(), len(c.ops), j.limit)
		j.report.Undecided("", reason)
		j.leaveOpen(c.spans, 0, reason)
		return false
	}
	last := len(c.h.trace.Events)
	if c.limit != never {
		last = c.limit - 1
		j.leaveOpen(c.spans, c.limit, "events after a violation are not judged")
	}
	order, death, err := c.search(ctx, last)
	if err != nil {
		j.gaveUp(c, death, err)
		return false
	}
	if death == never {
		if reason := c.unfollowed(); reason != "" {
			j.report.Undecided("", reason)
		}
		// Along one explanation is counted how often each rule had something to say.
		j.add(c.storyOf(ctx, order, last))
		j.addSteps(ctx, c, order)
		return false
	}
	if death < c.doubt.from() && j.hear(c, death) { // what follows from that may be what the search found
		j.leaveOpen(c.spans, death, "events after a violation are not judged")
		return true
	}
	finding, story, err := c.explain(ctx, death)
	if err != nil {
		j.gaveUp(c, death, err)
		return false
	}
	if c.doubt.from() == never && j.names(ctx, c, &finding, death) {
		j.leaveOpen(c.spans, death, "events after a violation are not judged")
		return true
	}
	if j.hasSaid(&finding, death) {
		j.leaveOpen(c.spans, death, "events after a violation are not judged")
		return true
	}
	if c.doubt.from() <= death {
		finding.Verdict = verdict.Inconclusive
		finding.Message += c.h.describeDoubt(c.doubt)
	}
	j.report.Findings = append(j.report.Findings, finding)
	j.leaveOpen(c.spans, death, "events after a violation are not judged")
	j.add(story)
	if finding.Rule != "" {
		j.counts[finding.Rule]++
	}
	return finding.Verdict != verdict.Inconclusive
}

// hasSaid reports whether a later event has told the same of a request, by the same rule, without a search: a moment of rest, where nothing is left, comes
// before the poll that shows how a request ended. Where a request failed, which ends its connection, and its token was not valid, the monitor names that.
func (j *judge) hasSaid(finding *verdict.Finding, death moment) bool {
	if all := j.history.trace.Events; int(death) >= len(all) || calls.KindOf(&all[death]) != calls.Quiesce {
		return false
	}
	sees := func(line int) bool { return slices.Contains(finding.See, line) }
	return slices.ContainsFunc(j.report.Findings, func(f verdict.Finding) bool {
		return breach.SaysMore(f.Rule, finding.Rule) && f.Line > finding.Line && slices.ContainsFunc(f.See, sees)
	})
}

// storyOf describes what an order of the events up to last explains.
func (c *component) storyOf(ctx context.Context, order []*operation, last moment) *story {
	l := c.opens(ctx)
	defer l.close()
	return c.storyOfPath(furthest(c.replay(order)).path(), last)
}

func (j *judge) add(s *story) {
	for id, n := range s.counts {
		j.counts[id] += n
	}
}

// gaveUp reports that the search ended without an answer: or with the one that no explanation is left by the event at death,
// but not in which rule's way it was.
func (j *judge) gaveUp(c *component, death moment, err error) {
	reason := fmt.Sprintf("%v while searching the %d operations of %s%s", err, len(c.ops), c.name(), instead(err))
	if errors.Is(err, context.Canceled) {
		reason = "interrupted " + reason
	}
	j.leaveOpen(c.spans, 0, reason)
	if death == never {
		j.report.Undecided("", reason)
		return
	}
	at := c.h.eventAt(death)
	j.report.Findings = append(j.report.Findings, verdict.Finding{Verdict: verdict.Inconclusive, Line: at.line, Seq: at.seq,
		Message: "nothing explains the events up to here, and which rule is broken was not found: " + reason})
}

// instead says what may decide a component that the search gave up, where the error does not.
func instead(err error) string {
	if errors.Is(err, ErrTime) || errors.Is(err, context.Canceled) {
		return ""
	}
	return verdict.Shorter + "stream"
}

func (c *component) name() string {
	if len(c.cqs) > 0 {
		return c.cqs[0].name
	}
	return c.qps[0].name
}
