package facts

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// memory is a region or window.
type memory struct {
	created bool // in the trace
	tokens  []uint32
}

// mostTokens is how many tokens of a region are remembered.
const mostTokens = 256

func (r *Reader) memoryOf(name string) *memory {
	m := r.memory[name]
	if m == nil {
		m = &memory{}
		r.memory[name] = m
	}
	return m
}

// gives records that a request may give memory a token, which ends with each region and window that it names.
func (r *Reader) gives(token *uint32, names ...string) {
	for _, name := range names {
		if m := r.memoryOf(name); name != "" && token != nil && !slices.Contains(m.tokens, *token) && len(m.tokens) < mostTokens {
			m.tokens = append(m.tokens, *token)
		}
	}
}

// withToken adds to a request the token that it names, if its operation changes one. The token may be old if a call gave memory a token that the trace
// does not record, or if the trace does not record the creation of the memory to invalidate.
func (r *Reader) withToken(q Request, token *uint32, window, region string) Request {
	if token == nil || !q.Op.ChangesToken() {
		return q
	}
	if q.Op.Registers() {
		r.gives(token, window, region)
	}
	q.Given = r.Given()
	q.Token, q.Old = token, q.Given > 0 || q.Op == model.Invalidate && !r.memoryOf(cmp.Or(window, region)).created
	return q
}

// Given returns the latest event by which a call may have given memory a token that the trace does not record, or 0.
func (r *Reader) Given() int {
	if r.giving > 0 {
		return r.at
	}
	return r.given
}

// gaveToken handles the end of a call that may have given memory a token which the trace does not record.
func (r *Reader) gaveToken(c *Call, success bool) {
	if !calls.GivesUntoldToken(c.Fn) {
		return
	}
	if r.giving--; success {
		r.given = r.at
	}
}

// told handles that a call tells the remote token of memory: it ends with that, unless a close of it had been called by then.
func (r *Reader) told(c *Call, token *uint32) {
	if name := c.memory[0]; c.of == r.memory[name] {
		r.gives(token, name)
	}
}

// tellsToken reports whether a function tells the remote token of a region or window.
func tellsToken(fn string) bool {
	return fn == "NdkGetRemoteTokenFromMr" || fn == "NdkGetRemoteTokenFromMw"
}

func (r *Reader) memoryClosed(c *Call, m Moment) {
	if len(c.dying) > 0 {
		r.to.TokensDied(c.Moment, m, c.dying)
	}
}
