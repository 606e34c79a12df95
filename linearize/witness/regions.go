package witness

import (
	"slices"

	"ndkoracle/model"
)

// region names the memory region or window that a call is about.
func (c *call) region() string {
	if c.begin.Mr != "" {
		return "mr " + c.begin.Mr
	}
	return "mw " + c.begin.Mw
}

// region names the memory region or window that r gives its token, or "".
func (r *request) region() string {
	switch {
	case r.Token == model.NoToken || !r.accepted:
		return ""
	case r.Op == model.FastRegister:
		return "mr " + r.post.begin.Mr
	case r.Op != model.Bind:
		return ""
	}
	for _, w := range r.post.begin.Wrs {
		if w.Wr == r.wr {
			return "mw " + w.Mw
		}
	}
	return "mw " + r.post.begin.Mw
}

// tokensOf returns the tokens that requests gave a region or window.
func (f *facts) tokensOf(region string) []uint32 {
	var all []uint32
	for _, r := range f.requests {
		if r.region() == region && !slices.Contains(all, *r.token) {
			all = append(all, *r.token)
		}
	}
	return all
}

// isDead reports whether a step lets a token die that is invalid already: then nothing happens.
func (r *replay) isDead(s Step) bool {
	return s.Action == model.TokenDies && r.state.Tokens[r.facts.tokens[*s.Token]] == model.Invalid
}
