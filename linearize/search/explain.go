package search

import (
	"context"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// explain says why no explanation survived the event at death: it takes the furthest explanation of all events before,
// and asks the model why it does not allow what happened next.
func (c *component) explain(ctx context.Context, death moment) (verdict.Finding, *story, error) {
	order, err := c.linearize(ctx, death-1)
	if err != nil {
		return verdict.Finding{}, nil, err
	}
	l := c.opens(ctx)
	defer l.close()
	nodes := c.saturate(c.replay(order), death)
	if err := l.err(); err != nil {
		return verdict.Finding{}, nil, err
	}
	slices.SortStableFunc(nodes, func(a, b *node) int { return -further(a, b) })
	last, culprit, refusal := c.culprit(nodes[0], death)
	for _, n := range nodes[1:] {
		if refusal != breach.NoneTooMany {
			break
		}
		last, culprit, refusal = c.culprit(n, death) // a way that leaves one to overflow says more
	}
	if err := l.err(); err != nil {
		return verdict.Finding{}, nil, err
	}
	if culprit.effect == doRead && c.h.unplaced[culprit.span.begin.Op] && !breach.IsOfClosed(refusal) { // a CQ that is closed gives no events, on any channel
		return c.unplaced(culprit), c.storyOfPath(last.path(), death), nil
	}
	story := c.storyOfPath(last.path(), death)
	f := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: refusal.Rule, Hidden: refusal == breach.NotPlaced}
	f.Before, f.Instead = c.describeAll(nodes, c.event(death))
	e := c.h.eventAt(death)
	f.Line, f.Seq = e.line, e.seq
	see := c.see(culprit)
	f.Message = c.sentence(culprit, refusal)
	c.refine(&f, &see, culprit, refusal, story)
	for _, s := range see {
		if line := c.h.trace.Events[s.call].Line; line != f.Line && !slices.Contains(f.See, line) {
			f.See = append(f.See, line)
		}
	}
	slices.Sort(f.See)
	return f, story, nil
}

// unplaced leaves an event open that nothing explains: on which channel its call waited the trace does not say.
func (c *component) unplaced(o *operation) verdict.Finding {
	return verdict.Finding{Verdict: verdict.Inconclusive, Message: c.happened(o) + ", which nothing explains, and " + verdict.NotOnChannel}
}

// culprit performs the operations that had to happen by death, one after the other, until the model refuses one. It returns the path to there, the
// operation, and the refusal.
func (c *component) culprit(n *node, death moment) (*node, *operation, *model.Refusal) {
	var due []*operation
	for _, o := range c.ops {
		if o.ret == death {
			due = append(due, o)
		}
	}
	slices.SortStableFunc(due, func(a, b *operation) int { return rank(a.effect) - rank(b.effect) })
	for _, o := range due {
		if n.took(o) {
			continue
		}
		next := c.follow(n, o)
		if len(next) == 0 {
			o, refusal := c.chase(n.state, o, len(c.ops))
			return n, o, refusal
		}
		n = furthest(next)
	}
	return n, due[len(due)-1], breach.NotPlaced
}

// rank puts hidden steps before what depends on them.
func rank(e effect) int {
	switch {
	case e == doRest:
		return 2
	case e.hidden():
		return 0
	}
	return 1
}

// chase goes from an operation that is refused because another one is missing to that one.
func (c *component) chase(s state, o *operation, depth int) (*operation, *model.Refusal) {
	next, refusal := c.step(s, &operation{effect: o.effect, cq: o.cq, qp: o.qp, span: o.span, request: o.request,
		arm: o.arm, status: o.status, depth: o.depth, call: o.call, ret: o.ret})
	if len(next) > 0 {
		return o, breach.NotPlaced
	}
	if depth == 0 || refusal != breach.NotPlaced && refusal != breach.OutOfTurn {
		return o, refusal
	}
	missing := c.missing(s, o)
	if missing == nil || missing == o {
		return o, refusal
	}
	return c.chase(s, missing, depth-1)
}

// missing returns the hidden step that o waits for.
func (c *component) missing(s state, o *operation) *operation {
	switch o.effect {
	case doPoll:
		entries := s.model.Cqs[o.cq].Entries
		for i, result := range o.span.end.Results {
			r := c.h.byWr[result.Wr]
			if i >= len(entries) || r != nil && entries[i].Request != r.id {
				return c.stepOf(r, doComplete)
			}
		}
	case doComplete, doExecute, doDeliver:
		if o.effect == doComplete {
			if turn, _ := c.turn(o); s.placed[o.cq] < turn {
				return c.stepOf(c.cqs[o.cq].delivered[s.placed[o.cq]], doComplete)
			}
		}
		for _, q := range s.queueOf(o.request) {
			r := c.h.requests[q.Id]
			passes := o.effect != doComplete && c.request(o.request).MayPass(q)
			if q.Phase < model.Executed && c.executesElsewhere(r) && !passes && !(r == o.request && o.effect != doComplete) {
				if r.message != nil && c.delivers(r.message) {
					r = r.message
				}
				if c.delivers(r) {
					return c.stepOf(r, doDeliver)
				}
				return c.stepOf(r, doExecute)
			}
			if r == o.request {
				break
			}
		}
	}
	return nil
}

func (c *component) stepOf(r *request, e effect) *operation {
	for _, o := range c.ops {
		if o.effect == e && o.request == r && r != nil {
			return o
		}
	}
	return nil
}
