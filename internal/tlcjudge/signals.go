package tlcjudge

import (
	"slices"

	"ndkoracle/trace"
)

// signalsAll reports whether a QP of libibverbs signals all its requests. Where the trace does not record that, what its requests did tells.
func (h *history) signalsAll(p *qp) bool {
	if p.created == nil {
		return false
	}
	if all := p.created.first.SqSigAll; all != nil {
		return *all
	}
	return h.signalling[p.name]
}

// signalling finds the QPs of which a request without SIGNALED completes with success.
func signalling(t *trace.Trace) map[string]bool {
	of, found := map[string]string{}, map[string]bool{} // the QP of each such request, by wr
	for i := range t.Events {
		e := &t.Events[i]
		for _, w := range e.Wrs {
			if e.Fn == "ibv_post_send" && !hasVerbsFlag(w.Flags, "SIGNALED") {
				of[w.Wr] = e.Qp
			}
		}
		for _, r := range e.Results {
			if qp := of[r.Wr]; qp != "" && outcomes(r.Status)[0] == "SUCCESS" {
				found[qp] = true
			}
		}
	}
	return found
}

// unsignaled returns a QP with requests that are taken for silent, though the trace does not record whether it signals all, or nil.
func (c *component) unsignaled() *qp {
	for _, p := range c.qps {
		unknown := p.created != nil && isVerbs(p.created.fn) && p.created.first.SqSigAll == nil
		if unknown && slices.ContainsFunc(p.requests, func(r *request) bool { return r.silent }) {
			return p
		}
	}
	return nil
}
