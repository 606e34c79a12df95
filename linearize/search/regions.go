package search

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// A token dies with the memory region or window that has it (INV-05).

// gives returns the memory region or window that r gives a token, or "".
func (r *request) gives() string {
	switch {
	case r.token == nil || !r.accepted:
		return ""
	case r.op == model.FastRegister:
		return "mr " + r.post.begin.Mr
	case r.op != model.Bind:
		return ""
	}
	for _, w := range r.post.begin.Wrs {
		if w.Wr == r.wr {
			return "mw " + w.Mw
		}
	}
	return "mw " + r.post.begin.Mw
}

// closes returns the memory region or window that s closes, or "".
func (s *span) closes() string {
	switch {
	case s.kind != calls.CloseRegion:
		return ""
	case s.begin.Mr != "":
		return "mr " + s.begin.Mr
	}
	return "mw " + s.begin.Mw
}

// dying returns the tokens that die with the region or window that s closes.
func (h *history) dying(s *span) []uint32 {
	region := s.closes()
	if region == "" {
		return nil
	}
	if h.tokensOf == nil {
		h.tokensOf = map[string][]uint32{}
		for _, r := range h.requests {
			if of := r.gives(); of != "" && !slices.Contains(h.tokensOf[of], *r.token) {
				h.tokensOf[of] = append(h.tokensOf[of], *r.token)
			}
		}
	}
	return h.tokensOf[region]
}

// listClose adds that tokens die, each by the moment at which the close had succeeded.
func (c *component) listClose(s *span) {
	for _, token := range c.h.dying(s) {
		i, known := c.tokens[token]
		if !known {
			continue
		}
		done := c.h.doneAt(s)
		c.add(operation{effect: doDie, call: s.call, ret: done, maybe: done == never, span: s, token: i})
	}
}

// performDie lets a token die, where it is not invalid already.
func (c *component) performDie(w *walk, o *operation) {
	w.each(func(w *walk, s state) {
		if s.model.Tokens[o.token] != model.Invalid {
			w.take(model.Action{Name: model.TokenDies, Token: o.token})
		}
	})
}
