package histories

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// What the words of a trace say of its objects and its requests. A field that is left out is unknown: the referee tries all that it may be.

// mostMeanings bounds how many meanings of a trace the referee tries.
const mostMeanings = 64

// A meaning is one that the words of a trace may have: objects, peers, types of queue pairs, operations.
type meaning struct {
	contract *model.Contract
	requests map[int]model.Request // by id
	channels []string              // of each CQ, or ""
	named    bool                  // the trace names channels
}

// An open word is one that the trace does not record: each choice changes a meaning.
type openWord []func(*meaning)

// meanings returns every meaning that a trace may have, or none where there are too many.
func meanings(d model.Dialect, events []trace.Event) []*meaning {
	w := &words{m: meaning{contract: &model.Contract{Dialect: d}, requests: map[int]model.Request{}}, qpOf: map[int]int{}}
	for i := range events {
		w.take(&events[i])
	}
	w.types(w.peers())
	w.signaling()
	all := []*meaning{&w.m}
	for _, choices := range w.open {
		var more []*meaning
		for _, m := range all {
			for _, choose := range choices {
				one := m.clone()
				choose(one)
				more = append(more, one)
			}
		}
		if all = more; len(all) > mostMeanings {
			return nil
		}
	}
	return all
}

func (m *meaning) clone() *meaning {
	contract := *m.contract
	contract.Qps = slices.Clone(contract.Qps)
	return &meaning{&contract, maps.Clone(m.requests), m.channels, m.named}
}

// words collects what a trace tells, and what it does not.
type words struct {
	m      meaning
	ofQps  []wordsOfQp
	qpOf   map[int]int // by request
	tokens []uint32    // those that the trace names
	open   []openWord
}

type wordsOfQp struct {
	kind      string // its qp_type, or "" where that is unknown
	signals   *bool
	conn      string
	connected bool
}

func (w *words) take(e *trace.Event) {
	c := w.m.contract
	if e.Ph != trace.Call {
		return
	}
	switch calls.KindOf(e) {
	case calls.CreateCq:
		c.Depth, w.m.channels = append(c.Depth, int(*e.Depth)), append(w.m.channels, e.Channel)
	case calls.CreateQp:
		q := wordsOfQp{kind: e.QpType, signals: e.SqSigAll}
		if !isVerbs(e) {
			q.kind, q.signals = "RC", notation.Bool(false)
		}
		w.ofQps = append(w.ofQps, q)
		c.Qps = append(c.Qps, model.Binding{InitiatorCq: index(e.InitiatorCq), ReceiveCq: index(e.ReceiveCq), Peer: -1})
	case calls.ConnectQp:
		q := &w.ofQps[index(e.Qp)]
		q.connected, q.conn = true, cmp.Or(e.Conn, q.conn)
	case calls.Post:
		w.post(e)
	}
	w.m.named = w.m.named || e.Channel != ""
}

func isVerbs(e *trace.Event) bool { return strings.HasPrefix(e.Fn, "ibv_") }

// peers finds out which queue pairs are joined, and returns of each the one that it may be joined with, or -1. Two that are connected without
// the name of a connection may be peers, or not.
func (w *words) peers() []int {
	of := make([]int, len(w.ofQps))
	for i := range of {
		of[i] = -1
		for j := range of {
			a, b := w.ofQps[i], w.ofQps[j]
			if i == j || !a.connected || !b.connected || a.conn != b.conn {
				continue
			}
			if of[i] = j; i < j && a.conn == "" {
				w.open = append(w.open, openWord{func(m *meaning) { m.join(i, -1) }, func(m *meaning) { m.join(i, j) }})
			} else if a.conn != "" {
				w.m.contract.Qps[i].Peer = j
			}
		}
	}
	return of
}

// join makes two queue pairs peers that are none yet.
func (m *meaning) join(i, j int) {
	if qps := m.contract.Qps; j >= 0 && qps[i].Peer < 0 && qps[j].Peer < 0 {
		qps[i].Peer, qps[j].Peer = j, i
	}
}

// types says of what type each queue pair is. Peers are of the same.
func (w *words) types(peers []int) {
	for i, q := range w.ofQps {
		kind, peer := q.kind, w.m.contract.Qps[i].Peer
		if kind == "" && peer >= 0 {
			kind = w.ofQps[peer].kind
		}
		set := func(t model.QpType) func(*meaning) {
			return func(m *meaning) {
				if m.contract.Qps[i].Type = t; peer >= 0 {
					m.contract.Qps[peer].Type = t
				}
			}
		}
		switch {
		case kind == "UC":
			set(model.UC)(&w.m)
		case kind == "UD":
			set(model.UD)(&w.m)
		case kind == "" && peer < i: // UC promises what UD does
			w.open = append(w.open, openWord{set(model.RC), set(model.UC)})
		}
	}
}

// signaling says which requests are silent, of the queue pairs whose sq_sig_all is unknown.
func (w *words) signaling() {
	for i, q := range w.ofQps {
		all := func(m *meaning) {
			for id, r := range m.requests {
				if w.qpOf[id] == i {
					r.Silent = false
					m.requests[id] = r
				}
			}
		}
		switch {
		case q.signals == nil:
			w.open = append(w.open, openWord{func(*meaning) {}, all})
		case *q.signals:
			all(&w.m)
		}
	}
}

// post records the request of a post. Of libibverbs those without SIGNALED are silent, but for what the creation of their queue pair says.
func (w *words) post(e *trace.Event) {
	wr := trace.WorkRequest{Wr: e.Wr, Flags: e.Flags, Token: e.Token}
	if isVerbs(e) {
		wr = e.Wrs[0]
	}
	q := model.Request{Id: idOf(wr.Wr), Token: model.NoToken, Fence: w.has(wr, "READ_FENCE", "FENCE"),
		Solicit: w.has(wr, "SEND_AND_SOLICIT_EVENT", "SOLICITED"), Silent: w.has(wr, "SILENT_SUCCESS")}
	ops := []model.Op{model.ReceiveOp}
	if isVerbs(e) && e.Fn != "ibv_post_recv" {
		q.Silent, ops = !w.has(wr, "SIGNALED"), operations(wr)
	} else if !isVerbs(e) {
		ops = named(strings.TrimPrefix(e.Fn, "Ndk"), model.Op.String)
	}
	if wr.Token != nil {
		q.Token = w.tokenOf(*wr.Token)
	}
	var choices openWord
	for _, q.Op = range ops {
		choices = append(choices, func(m *meaning) { m.requests[q.Id] = q })
	}
	if len(choices) == 1 {
		choices[0](&w.m)
	} else {
		w.open = append(w.open, choices)
	}
	w.qpOf[q.Id] = index(e.Qp)
}

func (w *words) has(wr trace.WorkRequest, flags ...string) bool {
	return slices.ContainsFunc(flags, func(flag string) bool { return slices.Contains(wr.Flags, flag) })
}

// operations returns what a work request for the initiator queue may do: what its opcode says, or, without one, what agrees with the rest of it.
func operations(wr trace.WorkRequest) []model.Op {
	switch {
	case wr.Opcode != "":
		return named(wr.Opcode, func(op model.Op) string { return opcodes[op] })
	case slices.Contains(wr.Flags, "SOLICITED") && wr.Token != nil:
		return []model.Op{model.SendAndInvalidate}
	case slices.Contains(wr.Flags, "SOLICITED"):
		return []model.Op{model.Send}
	case wr.Token != nil:
		return []model.Op{model.FastRegister, model.Invalidate, model.SendAndInvalidate}
	}
	return []model.Op{model.Send, model.Read, model.Write}
}

func named(name string, of func(model.Op) string) []model.Op {
	for op := model.Send; op <= model.Write; op++ {
		if of(op) == name {
			return []model.Op{op}
		}
	}
	panic("no operation is called " + name)
}

// tokenOf numbers the tokens that a trace names.
func (w *words) tokenOf(token uint32) int {
	at := slices.Index(w.tokens, token)
	if at < 0 {
		at, w.tokens = len(w.tokens), append(w.tokens, token)
		w.m.contract.Tokens++
	}
	return at
}

// waits reports whether a call waits for the events of a CQ: on its channel, or, where no channels are named, for the only CQ.
func (m *meaning) waits(on *trace.Event, cq int) bool {
	if m.named {
		return on.Channel != "" && on.Channel == m.channels[cq]
	}
	return on.Cq == CqName(cq) || on.Cq == "" && on.Channel == "" && len(m.contract.Depth) == 1
}

// succeedsOnUnusable returns the event that shows the success of a request posted on a QP after a CQ of the QP had reported an error, or -1 (ARM-18). The
// model does not forbid that: there, a request posted on a QP whose CQ has failed may succeed. What the CQ itself delivers after its error is a matter of
// ARM-17.
func succeedsOnUnusable(events []trace.Event) int {
	cqs, unusable, late, polls := map[string][]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for i := range events {
		e := &events[i]
		switch kind := calls.KindOf(e); {
		case e.Ph == trace.Call && kind == calls.CreateQp:
			cqs[e.Qp] = []string{e.InitiatorCq, e.ReceiveCq}
		case e.Ph == trace.Enter && kind == calls.Callback && e.Status != "STATUS_SUCCESS":
			for qp, of := range cqs {
				if unusable[qp] == "" && slices.Contains(of, e.Cq) {
					unusable[qp] = e.Cq
				}
			}
		case e.Ph == trace.Call && kind == calls.Post && unusable[e.Qp] != "":
			late[e.Wr] = unusable[e.Qp]
		case e.Ph == trace.Call && kind == calls.PollCq:
			polls[e.Op] = e.Cq
		case e.Ph == trace.Ret:
			for _, r := range e.Results {
				if by := late[r.Wr]; by != "" && by != polls[e.Op] && calls.OutcomeOf(r.Status) == model.SUCCESS {
					return i
				}
			}
		}
	}
	return -1
}

// receivesUnsent returns the event at which more receives of a queue pair of type UC have succeeded than its peer has posted messages, or -1: its
// messages may be lost, and none comes from elsewhere (POLL-05). What is posted in the error state is not sent (FLUSH-06). A queue pair that is connected
// twice may hear of others; where an attempt was refused it was not connected.
func receivesUnsent(events []trace.Event) int {
	kinds, conns, loose, receives := map[string]string{}, map[string]string{}, map[string]bool{}, map[string]string{}
	posted, received := map[string]int{}, map[string]int{}
	moves, contested := map[string]*trace.Event{}, map[string]bool{} // calls of ibv_modify_qp, by op
	flushed := map[string]bool{}                                     // queue pairs in their error state
	peer := func(qp string) string {
		for other, conn := range conns {
			if other != qp && conn == conns[qp] && kinds[other] == "UC" && !loose[other] {
				return other
			}
		}
		return ""
	}
	for i := range events {
		e := &events[i]
		if e.Fn == "ibv_modify_qp" && e.Ph == trace.Call {
			for op, other := range moves {
				if other.Qp == e.Qp && other.State != e.State { // either may be the last
					contested[op], contested[e.Op] = true, true
				}
			}
			moves[e.Op] = e
			flushed[e.Qp] = flushed[e.Qp] && (e.State == "ERR" || e.State == "SQE" || e.State == "SQD")
		}
		if move := moves[e.Op]; e.Ph == trace.Ret && move != nil {
			delete(moves, e.Op)
			flushed[move.Qp] = flushed[move.Qp] || !contested[e.Op] && move.State == "ERR" && e.Errno == ""
			if move.State == "RTR" && e.Errno == "" {
				loose[move.Qp] = loose[move.Qp] || move.Conn == "" || conns[move.Qp] != "" && conns[move.Qp] != move.Conn
				conns[move.Qp] = move.Conn
			}
		}
		switch kind := calls.KindOf(e); {
		case e.Ph == trace.Call && kind == calls.CreateQp:
			kinds[e.Qp] = e.QpType
		case e.Ph == trace.Call && kind == calls.UnsettleQp:
			loose[e.Qp] = true
		case e.Ph == trace.Call && e.Fn == "ibv_post_recv":
			for _, w := range e.Wrs {
				receives[w.Wr] = e.Qp
			}
		case e.Ph == trace.Call && kind == calls.Post:
			for k := range e.Wrs {
				if op, _ := calls.OpOfRequest(&e.Wrs[k]); op.IsSend() && !flushed[e.Qp] {
					posted[e.Qp]++
				}
			}
		case e.Ph == trace.Ret:
			for _, r := range e.Results {
				qp := receives[r.Wr]
				if qp == "" || calls.OutcomeOf(r.Status) != model.SUCCESS {
					continue
				}
				delete(receives, r.Wr)
				received[qp]++
				if other := peer(qp); kinds[qp] == "UC" && !loose[qp] && other != "" && received[qp] > posted[other] {
					return i
				}
			}
		}
	}
	return -1
}
