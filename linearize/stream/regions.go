package stream

import (
	"slices"

	"ndkoracle/model"
)

// A region is a memory region or window. Its tokens die with it (INV-05).
type region struct {
	created bool     // the trace holds its creation
	tokens  []*token // that requests gave it
}

// region returns the region or window of a name, a new one where none of that name is open.
func (s *Stream) region(name string) *region {
	r := s.regions[name]
	if r == nil {
		r = &region{}
		s.regions[name] = r
	}
	return r
}

// manyTokens is how many tokens a region has before those that are invalid are forgotten.
const manyTokens = 256

// gives records that a request may give r the token t.
func (r *region) gives(t *token) {
	if slices.Contains(r.tokens, t) {
		return
	}
	if r.tokens = append(r.tokens, t); len(r.tokens) > manyTokens {
		r.tokens = slices.DeleteFunc(r.tokens, (*token).isOver)
	}
}

// regionCloses handles the call that closes a region: from here on its tokens may be dead.
func (s *Stream) regionCloses(u *underWay, name string) {
	if r := s.regions[name]; r != nil {
		delete(s.regions, name)
		u.dying = r.tokens
	}
	for _, t := range u.dying {
		t.becomes(func(c tokenCourse) []tokenCourse { return []tokenCourse{c, t.dead(c)} })
	}
}

// regionClosed handles that the close had succeeded: its tokens are dead. A request that is under way may make one valid again.
func (u *underWay) regionClosed() {
	for _, t := range u.dying {
		if !slices.ContainsFunc(t.pending, func(r *posting) bool { return registers(r.op) }) {
			t.becomes(func(c tokenCourse) []tokenCourse { return []tokenCourse{t.dead(c)} })
		}
	}
	u.dying = nil
}

// dead returns c after its token has died by now.
func (t *token) dead(c tokenCourse) tokenCourse {
	if c.validity != model.Invalid {
		c.validity, c.since = model.Invalid, t.s.at
	}
	return c
}
