package conformance

import (
	"context"
	"errors"
	"io"

	"ndkoracle/trace"
)

// RecordHosts is Record with a trace for each of two hosts: events of the QPs that connect go to first, events of those that accept go to second. QPs
// that share a CQ are of one host. If they are of both sides, all of them are of the first. The run is kept in memory.
func RecordHosts(ctx context.Context, s Scenario, p Provider, seed uint64, ops int, first, second io.Writer) error {
	whole, err := RecordTrace(ctx, s, p, seed, ops)
	if whole == nil {
		return err
	}
	return errors.Join(err, writeHosts(whole, first, second))
}

// writeHosts writes the parts of two hosts of a trace, each with numbers of its own; what speaks of no object is of the first, and of
// moments of rest both tell.
func writeHosts(whole *trace.Trace, first, second io.Writer) error {
	h := hostsOf(whole)
	var writers [2]*trace.Writer
	for i, w := range []io.Writer{first, second} {
		var err error
		if writers[i], err = trace.NewWriter(w, whole.Header); err != nil {
			return err
		}
	}
	var seqs [2]uint64
	for i := range whole.Events {
		e := whole.Events[i]
		for host, w := range writers {
			if e.Fn != "quiesce" && h.of(&e) != host {
				continue
			}
			seqs[host]++
			e.Seq = seqs[host]
			if err := w.Write(&e); err != nil {
				return err
			}
		}
	}
	end := trace.End{}
	if whole.End != nil {
		end = *whole.End
	}
	return errors.Join(writers[0].Close(end), writers[1].Close(end))
}

// hosts says of each object whether it is of the second host.
type hosts struct {
	second map[string]bool   // CQs, QPs and regions
	ops    map[string]int    // the host of each call
	with   map[string]string // of a CQ or a QP, another that it shares something with; itself stands for all of these
}

func hostsOf(t *trace.Trace) *hosts {
	h := &hosts{second: map[string]bool{}, ops: map[string]int{}, with: map[string]string{}}
	connects := map[string]bool{}
	for i := range t.Events {
		switch e := &t.Events[i]; {
		case e.Ph != trace.Call:
		case e.Fn == "NdkCreateQp":
			h.with[h.find(e.ReceiveCq)] = h.find(e.Qp)
			h.with[h.find(e.InitiatorCq)] = h.find(e.Qp)
		case e.Fn == "NdkConnect":
			connects[e.Qp] = true
		}
	}
	first := map[string]bool{} // what has a QP that connects
	for p := range connects {
		first[h.find(p)] = true
	}
	for i := range t.Events {
		e := &t.Events[i]
		for _, name := range []string{e.Cq, e.Qp} {
			h.second[name] = name != "" && !first[h.find(name)]
		}
		switch { // a region is of the QP that makes its token valid
		case e.Ph == trace.Call && e.Fn == "NdkFastRegister":
			h.second[e.Mr] = h.second[e.Qp]
		case e.Ph == trace.Call && e.Fn == "NdkBind":
			h.second[e.Mw] = h.second[e.Qp]
		}
	}
	return h
}

func (h *hosts) find(name string) string {
	for h.with[name] != "" && h.with[name] != name {
		name = h.with[name]
	}
	return name
}

// of returns the host of an event: 0 or 1.
func (h *hosts) of(e *trace.Event) int {
	if host, known := h.ops[e.Op]; known && e.Op != "" {
		return host
	}
	host := h.ops[e.For]
	for _, name := range []string{e.Cq, e.Qp, e.Mr, e.Mw} {
		if h.second[name] {
			host = 1
		}
	}
	if e.Op != "" {
		h.ops[e.Op] = host
	}
	return host
}
