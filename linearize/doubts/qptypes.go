package doubts

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A queue pair of libibverbs with a peer is RC or UC. The engines judge one of unknown type as RC. What UC allows is left undecided here: it may
// lose a message, so that its send succeeds without a receive, and the messages behind it reach earlier receives. A message that is not lost may
// come long after its send has succeeded.

// qpTypes follows the queue pairs whose creation does not record the type, or is older than the trace. Its memory is bounded.
type qpTypes struct {
	typed    map[string]bool // whose creation records it
	of       map[string]*untyped
	posts    map[string]*untyped // by op: posts of sends that have not returned
	receives map[string]*untyped // by wr: those that no poll has delivered
	names    []string            // in order of creation
}

// maxReceives bounds the receives that are followed. Of more, some count as not received.
const maxReceives = 1 << 16

// untyped is a queue pair of unknown type, and how many messages it sent and received.
type untyped struct {
	line           int
	conn           string
	posted         int // sends of the post that has not returned
	sent, received int
}

func (q *qpTypes) take(e *trace.Event) {
	switch e.Fn {
	case "ibv_create_qp", "ibv_create_qp_ex", resets.ToInit:
		switch {
		case e.Ph != trace.Call:
		case e.QpType != "":
			q.isTyped(e.Qp)
		case len(q.of) < maxObjects:
			q.create(e)
		}
		return
	case "ibv_modify_qp":
		older := q.of[e.Qp] == nil && !q.typed[e.Qp] && len(q.typed) < maxObjects
		if e.Ph == trace.Call && e.Conn != "" && older && len(q.of) < maxObjects {
			q.create(e)
		}
	}
	if len(q.of) == 0 {
		return
	}
	switch {
	case e.Fn == "ibv_modify_qp" && e.Ph == trace.Call && e.Conn != "":
		if u := q.of[e.Qp]; u != nil {
			u.conn = strings.Clone(e.Conn)
		}
	case e.Fn == "ibv_post_send" && e.Ph == trace.Call:
		if u := q.of[e.Qp]; u != nil {
			u.posted = sends(e.Wrs)
			q.posts[strings.Clone(e.Op)] = u
		}
	case e.Fn == "ibv_post_send" && e.Ph == trace.Ret:
		if u := q.posts[e.Op]; u != nil {
			u.sent += u.posted
			delete(q.posts, e.Op)
		}
	case e.Fn == "ibv_post_recv" && e.Ph == trace.Call:
		if u := q.of[e.Qp]; u != nil {
			for i := range e.Wrs {
				if len(q.receives) < maxReceives {
					q.receives[strings.Clone(e.Wrs[i].Wr)] = u
				}
			}
		}
	case e.Fn == "ibv_poll_cq" && e.Ph == trace.Ret:
		for i := range e.Results {
			r := &e.Results[i]
			if u := q.receives[r.Wr]; u != nil {
				if delete(q.receives, r.Wr); r.Status == "IBV_WC_SUCCESS" {
					u.received++
				}
			}
		}
	}
}

func (q *qpTypes) isTyped(qp string) {
	if q.typed == nil {
		q.typed = map[string]bool{}
	}
	if len(q.typed) < maxObjects {
		q.typed[strings.Clone(qp)] = true
	}
}

func (q *qpTypes) create(e *trace.Event) {
	if q.of == nil {
		q.of, q.posts, q.receives = map[string]*untyped{}, map[string]*untyped{}, map[string]*untyped{}
	}
	name := strings.Clone(e.Qp)
	if q.of[name] == nil {
		q.names = append(q.names, name)
	}
	q.of[name] = &untyped{line: e.Line}
}

// sends counts the work requests that a receive of the peer takes.
func sends(wrs []trace.WorkRequest) int {
	n := 0
	for i := range wrs {
		if isMessage(wrs[i].Opcode) {
			n++
		}
	}
	return n
}

func isMessage(opcode string) bool {
	return opcode == "" || strings.HasPrefix(opcode, "SEND") || opcode == "RDMA_WRITE_WITH_IMM"
}

// mayLose reports whether a queue pair may have lost a message: its peer is not known to have received as many as it sent.
func (q *qpTypes) mayLose(name string) bool {
	u, received, peers := q.of[name], 0, 0
	for _, other := range q.names {
		if o := q.of[other]; other != name && o.conn == u.conn {
			received, peers = received+o.received, peers+1
		}
	}
	return u.conn != "" && (peers != 1 || u.sent > received)
}

// applyTypes leaves undecided what a type other than RC allows. Of each rule it keeps one finding of a queue pair, and counts the others.
func (d *Doubts) applyTypes(r *verdict.Report, spoken map[int]*trace.Event) {
	for _, name := range d.types.names {
		connected, loses := d.types.of[name].conn != "", d.types.mayLose(name)
		like := map[string][]int{} // findings by rule
		for i := range r.Findings {
			f := &r.Findings[i]
			doubted := connected && f.RestsOn(declared.Arrival) || loses && f.RestsOn(declared.Matching)
			isOfType := f.RestsOn(declared.TheMessage) || doubted && ofMessage(f, spoken)
			if f.Verdict != verdict.ProviderViolation || f.Alone || !isOfType {
				continue
			}
			if groups := d.groupsOf(f, spoken); len(groups) == 0 || groups[d.root(object{"qp", name})] {
				f.Verdict = verdict.Inconclusive
				f.Message = fmt.Sprintf("%s, if %s is RC: line %d does not record its qp_type, and UC may lose messages: that field decides it",
					f.Message, name, d.types.of[name].line)
				like[f.Rule] = append(like[f.Rule], i)
			}
		}
		r.Findings = fold(r.Findings, like)
	}
}

// fold keeps the first finding of each rule, and says how many others like it there are.
func fold(findings []verdict.Finding, like map[string][]int) []verdict.Finding {
	folded := map[int]bool{}
	for rule, all := range like {
		if len(all) > 1 {
			findings[all[0]].Message += fmt.Sprintf("; the same holds for %s more by %s", verdict.Counted(len(all)-1, "finding"), rule)
		}
		for _, i := range all[1:] {
			folded[i] = true
		}
	}
	kept := findings[:0]
	for i := range findings {
		if !folded[i] {
			kept = append(kept, findings[i])
		}
	}
	return kept
}

// ofMessage reports whether an event that a finding refers to posts a send or a receive, or is not at hand. One that refers to none, or that rests on hidden
// times, may be of any.
func ofMessage(f *verdict.Finding, spoken map[int]*trace.Event) bool {
	return f.Hidden || len(f.See) == 0 || slices.ContainsFunc(f.See, func(line int) bool { return spoken[line] == nil || postsMessage(spoken[line]) }) ||
		spoken[f.Line] != nil && postsMessage(spoken[f.Line])
}

func postsMessage(e *trace.Event) bool {
	return e.Fn == "ibv_post_recv" || e.Fn == "ibv_post_send" && sends(e.Wrs) > 0
}
