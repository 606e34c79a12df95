package monitor

import (
	"fmt"
	"maps"
	"strings"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// badTokens checks that a message which names a token that is not valid ends its connection: INV-05. It did where the message and the receive that
// it was for both fail; then nothing that is posted afterwards succeeds at either end, nor what is behind the two on their queues, whenever that was
// posted: a queue is executed in order. What a message does that is known to have succeeded, the engines follow.
type badTokens struct {
	nothing
	noRequest
	n        *ends
	validity validity
	ends     named[messages]        // by queue pair: what it sends
	bad      map[string]*badMessage // by queue pair, of both ends: the first that is not over
	good     map[received]int64     // messages that name a token which is not known to be bad, by the receive that each is for: the token
	count    *int
}

// A received is a receive, by its queue pair and its position there.
type received struct {
	qp       string
	position int
}

// messages are those that a queue pair has sent.
type messages struct {
	sent      int
	uncertain bool // which receive is for which is not known
}

// A badMessage names a token that is not valid.
type badMessage struct {
	request       *workRequest
	from, to      *qpArguments
	receive       int // the position of the receive that it is for
	what          string
	see           []int
	failed, taken bool      // the message, and the receive, were known to have failed
	message, end  failure   // how the message and the receive ended, for the requests behind them
	behind        []success // told behind one of them, before it was known that both have failed
}

// A success is a request that succeeded, and the poll that showed it.
type success struct {
	request *workRequest
	cq      string
	place   Place
}

var _ = decides(
	rule{ID: breach.BadToken, On: on{declared.BadToken}, Rests: declared.Matching | declared.Tokens},
)

func newBadTokens(m *Monitor) checks {
	if m.ends == nil {
		return nothing{}
	}
	b := &badTokens{n: m.ends, ends: newNamed[messages](), bad: map[string]*badMessage{}, good: map[received]int64{}, count: m.counter(breach.BadToken),
		validity: validity{tokens: map[int64]*madeToken{}, made: map[string]*madeToken{}, of: map[Object][]int64{}, posts: map[string]*trace.Event{}}}
	b.validity.revived = b.revived
	return b
}

// revived forgets the messages under way that name a token which is made valid now: the other end looks at it when a message arrives.
func (b *badTokens) revived(token int64) {
	for _, m := range b.bad {
		if token == unknown || m.request.token == token {
			b.forget(m.from.name)
		}
	}
}

func (b *badTokens) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.ConnectQp:
		b.forget(e.Qp)
		b.of(e.Qp).uncertain = b.of(e.Qp).uncertain || b.of(e.Qp).sent > 0
	case calls.CloseQp:
		b.forget(e.Qp)
		b.ends.remove(e.Qp)
		maps.DeleteFunc(b.good, func(r received, _ int64) bool { return r.qp == e.Qp })
	}
	b.validity.begin(b.n.s.m, c, e)
}

func (b *badTokens) end(c *Call, e *trace.Event) { b.validity.end(b.n.s.m, c, e) }

func (b *badTokens) done(c *Call, succeeded bool) {
	if c.Kind == calls.CloseRegion && succeeded {
		b.validity.closed(c, b.n.s.m.now.Line)
	}
}

func (b *badTokens) of(qp string) *messages {
	s := b.ends.get(qp)
	if s == nil {
		s = &messages{}
		b.ends.put(qp, s)
	}
	return s
}

// forget drops the bad message of the connection of a queue pair.
func (b *badTokens) forget(qp string) {
	if m := b.bad[qp]; m != nil {
		delete(b.bad, m.from.name)
		delete(b.bad, m.to.name)
	}
}

func (b *badTokens) called(r *workRequest, _ *Call, _ []string) {
	p := r.queue.qp
	if p == nil || r.op == model.ReceiveOp {
		return
	}
	sent := b.of(p.name)
	sent.uncertain = sent.uncertain || r.overlaps || b.n.verbs() && r.opcode == ""
	if !r.op.IsSend() {
		return
	}
	index := sent.sent
	sent.sent++
	if r.op != model.SendAndInvalidate || r.token == unknown {
		return
	}
	defer b.validity.called(r, b.n.s.m.now.Index)
	to := b.n.s.peer(p)
	why, line := b.validity.isBad(b.n.s.m, r.token)
	if to == nil || !to.created || !p.created || p.kind != "" && p.kind != "RC" {
		return
	}
	if why == "" {
		if !sent.uncertain && !to.receive.uncertain && len(b.good) < maxMade {
			b.good[received{to.name, index}] = r.token
		}
		return
	}
	if *b.count++; sent.uncertain || to.receive.uncertain || b.bad[p.name] != nil {
		return
	}
	m := &badMessage{request: r, from: p, to: to, receive: index, see: []int{r.place.Line, line},
		what: fmt.Sprintf("%s had ended the connection by the token %d (%s)", r.wr, r.token, why)}
	b.bad[p.name], b.bad[to.name] = m, m
}

// answered removes a message whose post was refused. Which receive another one takes is not known any more where posts overlap, or were of several
// requests.
func (b *badTokens) answered(p *posting, refused bool) {
	q := p.queue.qp
	switch {
	case !refused || q == nil:
	case len(p.requests) == 1 && !p.requests[0].overlaps && p.requests[0].refused:
		if r := p.requests[0]; r.op.IsSend() {
			b.of(q.name).sent--
			if m := b.bad[q.name]; m != nil && m.request == r {
				b.forget(q.name)
			}
		}
	default:
		b.of(q.name).uncertain = true
		if peer := b.n.s.peer(q); peer != nil {
			b.of(peer.name).uncertain = true
		}
	}
}

func (b *badTokens) completed(r *workRequest, c *Call, result *trace.Result) {
	outcome := calls.OutcomeOf(result.Status)
	p := r.queue.qp
	if outcome == model.SUCCESS {
		b.validity.succeeded(r, b.n.s.m.now, b.tokenOf(r, result))
	}
	delete(b.validity.made, r.wr)
	if p == nil {
		return
	}
	m := b.bad[p.name]
	ofMessage := m != nil && r == m.request
	ofReceive := m != nil && p == m.to && r.queue == p.receive && r.position == m.receive
	if m != nil && outcome == model.SUCCESS && len(m.behind) < mostBehind && (m.isBehind(r) != nil) {
		m.behind = append(m.behind, success{r, c.Cq, b.n.s.m.now})
	}
	if outcome != model.SUCCESS && !ofMessage && !ofReceive {
		b.of(p.name).uncertain = true
		if peer := b.n.s.peer(p); peer != nil {
			b.of(peer.name).uncertain = true
		}
		if m != nil && (r.queue == m.request.queue && r.position < m.request.position || r.queue == m.to.receive && r.position < m.receive) {
			b.forget(p.name) // which receive it is for is not known
		}
	}
	if !ofMessage && !ofReceive {
		return
	}
	if outcome != model.FAILED || ofReceive && m.isTooLong(r, result.Status) {
		b.forget(p.name)
		return
	}
	how := failure{breach.BadToken, r.position, r.place.Line, r.wr, result.Status}
	if ofMessage {
		m.failed, m.message = true, how
	} else {
		m.taken, m.end = true, how
	}
	if m.see = append(m.see, b.n.s.m.now.Line); m.failed && m.taken {
		b.aborted(m)
	}
}

// tokenOf returns the token that r, which succeeded, is known to have invalidated, as its result says or as the message does that it took, or unknown.
func (b *badTokens) tokenOf(r *workRequest, result *trace.Result) int64 {
	p := r.queue.qp
	if p == nil || r.op != model.ReceiveOp || result.Token != nil {
		return known(result.Token)
	}
	of := received{p.name, r.position}
	token, isKnown := b.good[of]
	delete(b.good, of)
	if peer := b.n.s.peer(p); !isKnown || peer == nil || b.of(peer.name).uncertain || p.receive.uncertain || r.overlaps {
		return unknown
	}
	return token
}

// mostBehind is how many requests are kept that succeeded behind a bad message.
const mostBehind = 16

// isBehind returns how the message, or its receive, ended that r is behind on its queue, or nil.
func (m *badMessage) isBehind(r *workRequest) *failure {
	switch {
	case r.overlaps:
	case r.queue == m.request.queue && r.position > m.request.position:
		return &m.message
	case r.queue == m.to.receive && r.position > m.receive:
		return &m.end
	}
	return nil
}

// isTooLong reports whether the message may have failed because the receive has too little room.
func (m *badMessage) isTooLong(r *workRequest, status string) bool {
	return m.request.bytes > r.bytes && r.bytes != unknown || strings.Contains(status, "BUFFER") || strings.Contains(status, "LEN_ERR")
}

// aborted records that the connection has ended.
func (b *badTokens) aborted(m *badMessage) {
	for _, p := range []*qpArguments{m.from, m.to} {
		if old := b.n.of[p.name]; old == nil || old.at.Index > m.request.place.Index { // its failure is that of the message
			b.n.of[p.name] = &qpEnd{rule: breach.BadToken, what: m.what, at: b.n.s.m.now, see: m.see}
		}
	}
	for queue, how := range map[queueOf]failure{{m.from.name, model.Initiator}: m.message, {m.to.name, model.Receive}: m.end} {
		if _, known := b.n.failed[queue]; !known {
			b.n.failed[queue] = how
		}
	}
	for _, s := range m.behind {
		b.n.reportBehind(s, m.isBehind(s.request))
	}
	b.forget(m.from.name)
}
