package linearize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/model"
)

// explain says why no explanation survived the event at death: it takes the furthest explanation of all events before,
// and asks the model why it does not allow what happened next.
func (c *component) explain(ctx context.Context, death moment) (Finding, *story, error) {
	order, err := c.witness(ctx, death-1)
	if err != nil {
		return Finding{}, nil, err
	}
	nodes := c.saturate(ctx, c.replay(ctx, order), death)
	if err := context.Cause(ctx); err != nil {
		return Finding{}, nil, err
	}
	slices.SortStableFunc(nodes, func(a, b *node) int { return -further(a, b) })
	last, culprit, refusal := c.culprit(nodes[0], death)
	for _, n := range nodes[1:] {
		if refusal != noneTooMany {
			break
		}
		last, culprit, refusal = c.culprit(n, death) // a way that leaves one to overflow says more
	}
	story := c.tell(last.path())
	f := Finding{Verdict: ProviderViolation, Rule: refusal.Rule, Before: c.describeAll(nodes)}
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

// place is where an event stands. The end of a trace has a place too.
type place struct {
	line int
	seq  uint64
}

func (h *history) eventAt(at moment) place {
	if at < len(h.trace.Events) {
		return place{h.trace.Events[at].Line, h.trace.Events[at].Seq}
	}
	if len(h.trace.Events) == 0 {
		return place{}
	}
	last := h.trace.Events[len(h.trace.Events)-1]
	return place{last.Line + 1, last.Seq + 1}
}

// culprit takes what had to have happened by death, one operation after the other, until the model refuses one. It returns
// the way to there, the operation, and the refusal.
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
	return n, due[len(due)-1], notPlaced
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
		arm: o.arm, status: o.status, call: o.call, ret: o.ret})
	if len(next) > 0 {
		return o, notPlaced
	}
	if depth == 0 || refusal != notPlaced && refusal != outOfTurn {
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
			if q.Phase < model.Executed && c.executesElsewhere(r) && !(r == o.request && o.effect != doComplete) {
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

// see returns the spans that matter to an operation.
func (c *component) see(o *operation) []*span {
	var spans []*span
	if o.request != nil {
		spans = append(spans, o.request.post)
		if d := o.request.delivery; d != nil {
			spans = append(spans, d.poll)
		}
	}
	return spans
}

// sentence says what happened, and why that is not allowed.
func (c *component) sentence(o *operation, refusal *model.Refusal) string {
	return c.happened(o) + ", and " + refusal.Why
}

func (c *component) happened(o *operation) string {
	switch o.effect {
	case doPoll:
		results := o.span.end.Results
		if len(results) == 0 {
			return fmt.Sprintf("%s of %s returned no completion", o.span.fn, c.cqs[o.cq].name)
		}
		var wrs []string
		for _, r := range results {
			wrs = append(wrs, r.Wr)
		}
		return fmt.Sprintf("%s of %s returned %s", o.span.fn, c.cqs[o.cq].name, strings.Join(wrs, ", "))
	case doEnter:
		if o.status != model.OK {
			return fmt.Sprintf("the callback of %s was entered with %v", c.cqs[o.cq].name, o.status)
		}
		return "the callback of " + c.cqs[o.cq].name + " was entered"
	case doRead:
		return "an event of " + c.cqs[o.cq].name + " was read"
	case doExit:
		return "the callback of " + c.cqs[o.cq].name + " returned"
	case doRest:
		return "the provider was at rest"
	case doComplete:
		d := o.request.delivery
		if d == nil {
			return fmt.Sprintf("%s completed into %s", o.request.wr, c.cqs[o.cq].name)
		}
		return fmt.Sprintf("%s completed into %s with %s", o.request.wr, c.cqs[o.cq].name, d.result.Status)
	case doExecute:
		return fmt.Sprintf("the %v %s ended with %v", o.request.op, o.request.wr, o.request.outcome)
	case doDeliver:
		return fmt.Sprintf("%s named token %d to the peer", o.request.wr, *o.request.token)
	case doFailCq:
		return fmt.Sprintf("%s reported %v", c.cqs[o.cq].name, o.status)
	case doCloseCq, doCloseCqAtOnce, doCloseDone:
		return "the close of " + c.cqs[o.cq].name + " completed"
	}
	return o.span.fn + " was called"
}

// refine replaces a general rule by the one that the way to it shows to be broken.
func (c *component) refine(f *Finding, see *[]*span, o *operation, refusal *model.Refusal, t *story) {
	switch {
	case refusal == callbackDue:
		c.refineOwed(f, see, t)
	case refusal.Rule == "ARM-01":
		if a := t.accounts[o.cq]; a.armed > 0 {
			f.Rule, f.Also = "ARM-02", []string{"ARM-01"}
			f.Message = fmt.Sprintf("%s, and no callback is owed: it was armed %s, and each arm that was satisfied has had its callback (%d entered before)",
				c.happened(o), times(a.armed), a.entered)
		}
	case refusal.Rule == "RES-08":
		for _, r := range o.request.qp.initiator {
			if r.silent && r.delivery == nil && (o.request.queue == model.Receive || r.position < o.request.position) {
				f.Rule, f.Also = "FLAG-02", []string{"RES-08"}
				f.Message += "; " + r.wr + ", a silent request posted before it, can only have failed, and has no completion"
				*see = append(*see, r.post)
				return
			}
		}
	case refusal.Rule == "POLL-08":
		if r := t.remote[c.token(o.request)]; r != nil {
			f.Also = []string{"POLL-07"}
			f.Message = fmt.Sprintf("%s, and the peer's NdkSendAndInvalidate, received as %s, had invalidated the token", c.happened(o), r.wr)
			if r.delivery.poll.fn == "NdkGetCqResults" {
				f.Rule, f.Also = "POLL-07", []string{"POLL-08"}
				f.Message += "; that the receive was fetched by plain NdkGetCqResults changes nothing"
			}
			*see = append(*see, r.post, r.delivery.poll)
		}
	}
}

// refineOwed says why the callback is owed.
func (c *component) refineOwed(f *Finding, see *[]*span, t *story) {
	for i, a := range t.accounts {
		if len(a.debts) == 0 {
			continue
		}
		d := a.debts[len(a.debts)-1]
		name, arms := c.cqs[i].name, ""
		for k, s := range d.arms {
			if k > 0 {
				arms += " then "
			}
			one, _ := armOf(s.begin)
			arms += one.String()
		}
		f.Rule, f.Also = d.rule, []string{"ARM-03"}
		*see = append(*see, d.arms...)
		switch {
		case d.rule == "ARM-05":
			f.Rule, f.Also = "ARM-03", nil
			f.Message = fmt.Sprintf("the provider was at rest, and a callback of %s is owed and was not entered: only if an arm %s was satisfied at once do the events before make sense",
				name, arms)
			return
		case d.request == nil:
			f.Message = fmt.Sprintf("the provider was at rest, and a callback of %s is owed and was not entered: when it was armed %s, it held a completion placed since the last callback",
				name, arms)
			return
		}
		f.Message = fmt.Sprintf("the provider was at rest, and a callback of %s is owed and was not entered: it was armed %s, and the completion of %s (%s) matches",
			name, arms, d.request.wr, d.request.kindOfCompletion())
		*see = append(*see, d.request.post)
		if d.request.delivery != nil {
			*see = append(*see, d.request.delivery.poll)
		}
		return
	}
}

func (r *request) kindOfCompletion() string {
	if r.delivery != nil && failed(r) {
		return r.delivery.result.Status
	}
	if solicited, known := r.solicited(); r.queue == model.Receive && known && solicited {
		return "solicited, success"
	}
	return "success"
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

const maxDescribed = 4

// describeAll tells the explanations that were alive, a line each and no two alike, the furthest first, and no more than a
// few.
func (c *component) describeAll(nodes []*node) []string {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b *node) int { return b.state.progress() - a.state.progress() })
	var lines []string
	for _, n := range nodes {
		line := c.describe(n.state)
		if slices.Contains(lines, line) {
			continue
		}
		if len(lines) == maxDescribed {
			return append(lines, "and others")
		}
		lines = append(lines, line)
	}
	return lines
}

func (c *component) describe(s state) string {
	var parts []string
	for i, q := range s.model.Cqs {
		part := fmt.Sprintf("%s: armed %v, %s (%d placed since the last callback), %s owed",
			c.cqs[i].name, q.Arm, counted(len(q.Entries), "completion"), q.Fresh, counted(q.Due, "callback"))
		if q.Running {
			part += ", one running"
		}
		if q.Health != model.OK {
			part += ", " + q.Health.String()
		}
		if q.Open != model.Open {
			part += ", " + q.Open.String()
		}
		parts = append(parts, part)
	}
	for i, p := range s.model.Qps {
		if len(p.Initiator)+len(p.Receive) > 0 || p.State != model.Connected {
			parts = append(parts, fmt.Sprintf("%s: %v, %s and %s pending", c.qps[i].name, p.State,
				counted(len(p.Initiator), "initiator request"), counted(len(p.Receive), "receive")))
		}
	}
	return strings.Join(parts, "; ")
}
