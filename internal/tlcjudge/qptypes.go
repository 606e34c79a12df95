package tlcjudge

import "strings"

// promises is the type of the QP, by the names of Promises in module Dialect. An XRC QP promises what a reliable connection does,
// and so does a QP whose type the trace does not record.
func (p *qp) promises() string {
	switch t := strings.TrimPrefix(p.qpType(), "IBV_QPT_"); t {
	case "UC", "UD":
		return t
	}
	return "RC"
}

func (p *qp) qpType() string {
	if p.created == nil {
		return ""
	}
	return p.created.first.QpType
}

// untyped returns a QP of libibverbs whose peer the trace records, but not its type, or nil.
func (c *component) untyped() *qp {
	for _, p := range c.qps {
		if p.peer != nil && p.created != nil && isVerbs(p.created.fn) && p.qpType() == "" {
			return p
		}
	}
	return nil
}

// recovers reports whether a call may bring back the initiator queue of an unreliable QP, which a failure had stopped.
func (c *call) recovers(p *qp) bool {
	return c.fn == "ibv_modify_qp" && strings.TrimPrefix(c.first.State, "IBV_QPS_") == "RTS" && p.promises() != "RC"
}
