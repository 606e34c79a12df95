package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// see returns the spans that matter to an operation.
func (c *component) see(o *operation) []*span {
	var spans []*span
	if o.request != nil {
		spans = append(spans, o.request.post)
		if d := o.request.delivery; d != nil {
			spans = append(spans, d.poll)
		}
	}
	if o.effect == doResize {
		spans = append(spans, o.span)
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
	case doResize:
		return fmt.Sprintf("%s of %s to %d succeeded", o.span.fn, c.cqs[o.cq].name, o.depth)
	case doCloseCq, doCloseCqAtOnce, doCloseDone:
		return "the close of " + c.cqs[o.cq].name + " completed"
	}
	if of := cmp.Or(o.span.begin.Wr, o.span.begin.Qp, o.span.begin.Cq); of != "" {
		return o.span.fn + " of " + of + " was called"
	}
	return o.span.fn + " was called"
}

// refine replaces a general rule by the one that the way to it shows to be broken.
func (c *component) refine(f *verdict.Finding, see *[]*span, o *operation, refusal *model.Refusal, t *story) {
	switch {
	case refusal == breach.CallbackDue:
		c.refineOwed(f, see, t)
	case (o.effect == doEnter || o.effect == doRead) && o.status == model.OK && breach.IsOfUnowed(refusal.Rule):
		named := c.h.unowed(c.cqs[o.cq].name, f.Line)
		f.Rule, f.Also, f.Message, f.See = named.Rule, named.Also, named.Message, named.See
	case breach.IsOfOverflow(refusal) && o.effect == doEnter && c.cqs[o.cq].reportedBefore(o.span):
		b := breach.ErrorAgain(c.happened(o))
		f.Rule, f.Message = b.Rule, b.Message
	case breach.IsOfOverflow(refusal):
		if refused := c.latestRefusedResize(o); refused != nil { // it was to change nothing
			f.Also = []string{breach.OrResized()}
			*see = append(*see, refused)
		}
	case breach.IsOfUncaused(refusal):
		if r := o.request.failedSilently(); r != nil {
			b := breach.CancelledBehind(c.happened(o), r.wr)
			f.Rule, f.Also, f.Message = b.Rule, []string{refusal.Rule}, b.Message
			*see = append(*see, r.post)
		}
	case breach.IsOfDeadToken(refusal):
		if r := t.remote[c.token(o.invalidates())]; r != nil {
			b := breach.InvalidatedByPeer(c.happened(o), r.wr, r.delivery.poll.fn == "NdkGetCqResults")
			f.Rule, f.Also, f.Message = b.Rule, b.Also, b.Message
			*see = append(*see, r.post, r.delivery.poll)
		}
	}
}

// latestRefusedResize returns the latest resize of the CQ of o that was refused, where none that came behind it was not, or nil.
func (c *component) latestRefusedResize(o *operation) *span {
	var latest *span
	for _, s := range c.spans {
		if s.kind == calls.ResizeCq && s.begin.Cq == c.cqs[o.cq].name && s.call < o.ret {
			latest = s
			if _, succeeded := c.h.resizedBy(s); succeeded {
				latest = nil
			}
		}
	}
	return latest
}

// failedSilently returns the silent request of its queue that may have failed and cancelled r or a request before it, or nil. It has no completion,
// and no request behind it succeeded before r.
func (r *request) failedSilently() *request {
	for _, o := range slices.Backward(r.qp.queue(r.queue)[:r.position]) {
		switch {
		case o.told && o.outcome == model.SUCCESS:
			return nil
		case o.silent && o.delivery == nil:
			return o
		}
	}
	return nil
}

// reportedBefore reports whether a callback of q before another one says that q failed.
func (q *cq) reportedBefore(callback *span) bool {
	return slices.ContainsFunc(q.notified, func(s *span) bool { return s.call < callback.call && reportsError(s) })
}

// invalidates returns the NdkInvalidate that an operation executes or posts.
func (o *operation) invalidates() *request {
	if o.request != nil {
		return o.request
	}
	i := slices.IndexFunc(o.span.requests, func(r *request) bool { return r.op == model.Invalidate })
	return o.span.requests[max(i, 0)]
}

// refineOwed says why the callback is owed, as every engine does.
func (c *component) refineOwed(f *verdict.Finding, see *[]*span, t *story) {
	for i, a := range t.accounts {
		if a.owed > 0 {
			named := c.h.missing(c.cqs[i].name, f.Line)
			f.Rule, f.Also, f.Message, f.See = named.Rule, named.Also, named.Message, named.See
			f.Rests = named.Rests
			return
		}
	}
}
