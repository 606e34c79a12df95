package tlcjudge

import (
	"fmt"
	"slices"

	"ndkoracle/trace"
)

// findAborts finds from where on the connection of each QP may have ended without a flush: a connector was closed, or a disconnect
// event says so, which comes at some time after that (A23). What names neither its QP nor its connection may be of any.
func (h *history) findAborts() {
	for _, c := range h.calls {
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
