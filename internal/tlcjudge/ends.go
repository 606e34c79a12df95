package tlcjudge

import (
	"math"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
)

// tellsOfEnd reports whether the post of a request was refused because the QP is not connected: the connection has ended by then
// (POST-08). Until NdkCompleteConnect has succeeded it need not be connected yet (A37).
func (r *request) tellsOfEnd() bool {
	last, connected := r.post.last, r.qp.connected
	if !r.refused || r.queue() == "receive" || last == nil || last.Status != "STATUS_CONNECTION_INVALID" {
		return false
	}
	if connected == nil || connected.place > r.post.lastPlace {
		return false // nothing had connected the QP yet
	}
	return !slices.ContainsFunc(r.qp.completions, func(c *call) bool { return c.overAt() > r.post.place })
}

// overAt is the place by which a call is known to have ended, by its return or by its completion callback.
func (c *call) overAt() int {
	switch {
	case c.answer() != "PENDING":
		return c.lastPlace
	case c.completion != nil:
		return c.completion.place
	}
	return math.MaxInt
}

// mayHaveConnected reports whether a connection may have come of the call, though it failed: what the connection carried tells.
func (c *call) mayHaveConnected() bool {
	return c.kind == "connect" && !isVerbs(c.fn) && !(c.answer() == "FAILURE" && calls.TriedNothing(c.last.Status))
}

// failsToConnect reports whether a call that was to connect a QP failed, by its return or by its completion callback. What is
// pending may be cancelled for it.
func (c *call) failsToConnect() bool {
	return c.mayHaveConnected() && c.isToldFailed()
}

// isInVain reports whether a call that was to connect a QP failed with a status which says that no connection was made.
func (c *call) isInVain() bool {
	switch {
	case !c.failsToConnect():
		return false
	case c.answer() == "FAILURE":
		return calls.MadeNoConnection(c.last.Status)
	}
	return calls.MadeNoConnection(c.completion.first.Status)
}

// isToldFailed reports whether a call failed, by its return or by its completion callback.
func (c *call) isToldFailed() bool {
	return c.answer() == "FAILURE" || c.completion != nil && !c.completion.reportsSuccess()
}

// failedAt is the event at which a call that was to connect a QP is known to have failed, or 0.
func (c *call) failedAt() int {
	switch {
	case !c.failsToConnect():
		return 0
	case c.answer() == "FAILURE":
		return c.end
	}
	return c.completion.begin
}

// region is the memory region or window that a call closes.
func (c *call) region() string {
	if c.first.Mr != "" {
		return "mr " + c.first.Mr
	}
	return "mw " + c.first.Mw
}

// ofRegion returns a QP of which a request made a token valid for the region or window that c closes, or names one that dies with it, or nil. It
// notes the tokens that calls told of that.
func (h *history) ofRegion(c *call) *qp {
	c.told = h.toldTokens(c)
	for _, p := range h.qpList {
		if slices.ContainsFunc(p.requests, func(r *request) bool {
			t := r.localToken()
			return r.validates(c.region()) || t != nil && slices.Contains(c.told, *t)
		}) {
			return p
		}
	}
	return nil
}

// toldTokens returns the tokens that calls told of the region or window that c closes, where they die with it: memory that is registered
// later may have the same one, which the trace does not show.
func (h *history) toldTokens(c *call) (tokens []uint32) {
	for _, k := range h.calls {
		switch {
		case slices.Contains(givesToken, k.fn) && k.answer() != "FAILURE" && k.endsAfter(c.place):
			return nil
		case kinds[k.fn] == "token dies" && k.region() == c.region() && k.place < c.place:
			tokens = nil
		case strings.HasPrefix(k.fn, "NdkGetRemoteToken") && k.region() == c.region() && k.last != nil && k.lastPlace < c.place && k.last.Token != nil:
			tokens = append(tokens, *k.last.Token)
		}
	}
	return tokens
}

// endsAfter reports whether a call had not completed by an event.
func (c *call) endsAfter(place int) bool {
	if c.answer() == "PENDING" {
		return c.completion == nil || c.completion.place > place
	}
	return c.lastPlace > place
}

// validates reports whether r registers or binds memory under a token of the region or window.
func (r *request) validates(region string) bool {
	switch {
	case r.token == nil:
		return false
	case r.op == "FastRegister":
		return region == "mr "+r.post.first.Mr
	case r.op != "Bind":
		return false
	}
	for _, w := range r.post.first.Wrs {
		if w.Wr == r.wr {
			return region == "mw "+w.Mw
		}
	}
	return region == "mw "+r.post.first.Mw
}

// deadTokens names the tokens that die with the region or window that c closes.
func (c *call) deadTokens() []string {
	var tokens []string
	dies := func(token uint32) {
		if t := c.component.tokens[token]; t != "" && !slices.Contains(tokens, t) {
			tokens = append(tokens, t)
		}
	}
	for _, r := range c.component.requests {
		if r.validates(c.region()) {
			dies(*r.token)
		}
	}
	for _, token := range c.told {
		dies(token)
	}
	return tokens
}
