package search

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A trace is of one adapter, whose tokens are numbers: a token that one QP makes valid can be made invalid through another.

// joinTokens joins the QPs whose requests change the same token.
func (h *history) joinTokens(sets union) {
	join := func(p *qp, token *uint32) {
		if token != nil {
			sets.join("qp "+p.name, fmt.Sprint("token ", *token))
		}
	}
	for _, p := range h.qps {
		for _, r := range p.initiator {
			if !r.op.IsSend() || p.peer != nil {
				join(p, r.token)
			}
		}
		for _, r := range p.receive {
			join(p, r.invalid)
		}
	}
}

// usesTokens reports whether p names tokens to its peer.
func (p *qp) usesTokens() bool {
	return slices.ContainsFunc(p.initiator, func(r *request) bool { return r.op == model.SendAndInvalidate })
}

// findInvalidated finds the token that the message of each receive made invalid which is executed by itself, not with the send of its peer:
// the one that its completion tells, or the only one that the peer had named by then.
func (h *history) findInvalidated() {
	for _, p := range h.qps {
		var first, other *request
		if p.peer != nil {
			first, other = p.peer.namesFirst()
		}
		for _, r := range p.receive {
			d := r.delivery
			if d == nil || failed(r) || r.message != nil || r.arrived != nil || d.result.Type != "ReceiveAndInvalidate" {
				continue
			}
			switch r.invalid = d.result.Token; {
			case r.invalid != nil:
			case other != nil && other.post.call < d.poll.ret:
				h.guessed = true
			case first != nil:
				r.invalid = first.token
			}
		}
	}
}

// namesFirst returns the first send of p that names a token, and the first that names another one, or nil.
func (p *qp) namesFirst() (first, other *request) {
	for _, s := range p.sends {
		switch {
		case s.op != model.SendAndInvalidate || s.token == nil:
		case first == nil:
			first = s
		case *s.token != *first.token:
			return first, s
		}
	}
	return first, nil
}

// recordsToken reports whether the post of r names a token, though its receive tells another one.
func (r *request) recordsToken() bool {
	e := r.post.begin
	i := slices.IndexFunc(e.Wrs, func(w trace.WorkRequest) bool { return w.Wr == r.wr })
	return i >= 0 && e.Wrs[i].Token != nil || i < 0 && e.Token != nil
}

// bindTokens numbers the tokens of c. Where some request made a token valid and the trace does not record which, any may be
// valid, and none is followed.
func (c *component) bindTokens() {
	names := slices.ContainsFunc(c.qps, func(p *qp) bool { return p.peer != nil && p.usesTokens() })
	valid, invalid := c.h.madeValid, c.h.madeInvalid
	switch {
	case names && (valid != nil || invalid != nil):
		r := cmp.Or(valid, invalid)
		switch c.reason = verdict.TokenUntold(r.wr); {
		case r.op == model.Read:
			c.reason = verdict.ReadInvalidates(r.wr)
		case r.recordsToken():
			c.reason = verdict.TokenContradicted(r.wr)
		}
	case valid == nil:
		for _, p := range c.qps {
			for _, r := range p.initiator {
				if r.token == nil {
					continue
				}
				if _, known := c.tokens[*r.token]; !known {
					if c.h.oldTokens[*r.token] {
						c.old = append(c.old, len(c.tokens))
					}
					c.tokens[*r.token] = len(c.tokens)
				}
			}
		}
	}
	c.contract.Tokens = len(c.tokens)
}

// findUnknownTokens finds a request that made a token valid, and one that made a token invalid, where the trace, or this
// engine, does not know which token.
func (h *history) findUnknownTokens() {
	for _, r := range h.requests {
		if !r.accepted {
			continue
		}
		switch r.op {
		case model.FastRegister, model.Bind:
			if r.token == nil {
				h.madeValid = r
			}
		case model.Invalidate:
			if r.token == nil {
				h.madeInvalid = r
			}
		case model.SendAndInvalidate:
			if r.token == nil && r.qp.peer != nil {
				h.madeInvalid = r
			}
		case model.Read:
			if slices.Contains(r.flags, "RDMA_READ_LOCAL_INVALIDATE") {
				h.madeInvalid = r
			}
		case model.ReceiveOp:
			if r.qp.peer == nil && r.delivery != nil && !failed(r) && r.invalid == nil &&
				(r.delivery.result.Type == "" || r.delivery.result.Type == "ReceiveAndInvalidate") {
				h.madeInvalid = r
			}
		}
	}
}

// token returns the index of the token that r makes valid or invalid, or model.NoToken. What tokens of a peer reads and
// writes reach its memory through is not followed.
func (c *component) token(r *request) int {
	if r.op == model.Read || r.op == model.Write {
		return model.NoToken
	}
	return c.index(r.token)
}

// nameOf returns the token of an index.
func (c *component) nameOf(index int) *uint32 {
	for name, i := range c.tokens {
		if i == index {
			return &name
		}
	}
	return nil
}

// index returns the index of a token that a request of c names, or model.NoToken.
func (c *component) index(token *uint32) int {
	if token != nil {
		if i, known := c.tokens[*token]; known {
			return i
		}
	}
	return model.NoToken
}
