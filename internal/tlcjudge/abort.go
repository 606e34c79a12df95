package tlcjudge

import (
	"fmt"
	"slices"

	"ndkoracle/trace"
)

// findAborts finds from where on the connection of each QP may have ended without a flush: a connector was closed, or a disconnect
// event says so, which comes at some time after that (A23). What names neither its QP nor its connection may be of any.
func (h *history) findAborts() {
	if h.trace.End == nil || !h.trace.End.Quiescent {
		h.mayBeLostBehindTheEnd()
	}
	for _, c := range h.calls {
		if c.failsToConnect() {
			c.qp.abort(c.place)
		}
		if p := h.qps[c.first.Qp]; p != nil && slices.Contains(p.completions, c) && c.isToldFailed() {
			p.abort(c.place)
		}
		if c.kind != "abort" {
			continue
		}
		e, from := c.first, c.place
		if e.Ph == trace.Enter {
			from = 0
		}
		for _, p := range h.qpList {
			named := (e.Qp == "" || e.Qp == p.name) && (e.Conn == "" || e.Conn == p.conn)
			if named && p.connected != nil && p.connected.place < c.lastPlace {
				p.abort(max(from, p.connected.place))
			}
		}
	}
}

// mayBeLostBehindTheEnd lets the connections end whose loss a post behind the end of a trace that is cut may yet tell of.
func (h *history) mayBeLostBehindTheEnd() {
	for _, p := range h.qpList {
		if p.connected != nil && p.closed == nil && !isVerbs(p.connected.fn) {
			p.abort(p.connected.place)
		}
	}
}

func (p *qp) abort(from int) {
	if p.aborted == 0 || from < p.aborted {
		p.aborted = from
	}
}

// abortedFrom returns after how many events of the component an abort may have ended the connection of p; more than there are, if
// none may.
func (c *component) abortedFrom(p *qp) string {
	if p.aborted == 0 {
		return fmt.Sprint(len(c.events) + 1)
	}
	events, _ := slices.BinarySearchFunc(c.events, p.aborted, func(e event, place int) int { return e.at - place })
	return fmt.Sprint(events)
}
