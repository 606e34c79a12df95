package stream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// joined is what joins the stream to that of the other host, where the traces of two are judged together.
type joined struct {
	name   string     // of the trace, where there is another
	other  *Stream    // of the other host, or nil
	knows  eventIndex // up to here, by the other's clock, its trace is known to come before the present
	forced bool       // the present event tells of what the other host can't have done before
	ended  bool       // all events were taken
	whole  bool       // the events are all that happened on the host
}

// A Host is one of two whose traces are judged together.
type Host struct {
	In     *trace.Reader
	Stream *Stream
	Trace  *trace.Trace    // takes some events that findings speak of
	Report *verdict.Report // takes what is found
	Lone   []string        // takes the connections that have no end in the other trace
	Err    error           // of the reader: the trace is none

	source         *batches
	batch, before  *batch
	next, findings int
	spoken         spokenOf
}

// Join judges the traces of two hosts while it reads them. An event of one host waits until the other host's trace has recorded its cause, such as the
// send of a message that was received. If both wait, or the other trace is at its end, the event can't have happened. If one trace can't be read, its Host
// has an error, and neither is judged. If the context is cancelled, what is not read by then is undecided. The order of the hosts does not matter.
func Join(ctx context.Context, hosts [2]*Host) {
	for i, h := range hosts {
		h.Stream.name, h.Stream.other = h.Report.File, hosts[1-i].Stream
		h.Stream.resets.Join()
		h.source = readBatches(ctx, h.In)
		defer h.source.close()
		defer context.AfterFunc(ctx, h.Stream.machine.Halt)()
	}
	if hosts[1].precedes(hosts[0]) {
		hosts[0], hosts[1] = hosts[1], hosts[0]
	}
	hosts[1].Stream.conns, hosts[1].Stream.turns = hosts[0].Stream.conns, hosts[0].Stream.turns
	for !hosts[0].Stream.ended || !hosts[1].Stream.ended {
		took := 0
		for _, h := range hosts {
			took += h.take(ctx)
		}
		switch {
		case ctx.Err() != nil:
			cut(ctx, hosts)
			return
		case hosts[0].Err != nil || hosts[1].Err != nil:
			return
		case took == 0:
			release(hosts)
		}
	}
	for _, h := range hosts {
		h.finish()
	}
}

// precedes reports whether the trace of h is followed before that of another host wherever either may be: what is known by then of the
// other is judged by. What they tell first decides that, and of two that begin alike their names.
func (h *Host) precedes(o *Host) bool {
	h.peek()
	o.peek()
	if h.batch == nil || o.batch == nil {
		return false // it is over before it has begun
	}
	inText := func(a, b trace.Event) int {
		return bytes.Compare(trace.AppendEvent(nil, &a), trace.AppendEvent(nil, &b))
	}
	return cmp.Or(cmp.Compare(fmt.Sprint(h.In.Header()), fmt.Sprint(o.In.Header())),
		slices.CompareFunc(h.batch.events, o.batch.events, inText), cmp.Compare(h.Report.File, o.Report.File)) < 0
}

// cut reports that ctx ended the check: both traces are taken to end where they were read to, with more behind.
func cut(ctx context.Context, hosts [2]*Host) {
	for _, h := range hosts {
		h.Stream.ended, h.Err = true, nil
	}
	for _, h := range hosts {
		h.Trace.Events = h.spoken.inOrder()
		h.Stream.cut(ctx, h.Trace, h.Report)
	}
}

// take handles the next events, as many as there are at hand and as wait for nothing, and returns how many. The end is one.
func (h *Host) take(ctx context.Context) int {
	took := 0
	for ; h.peek() && !h.Stream.ends(ctx, h.Report.Events) && took < eventsAtHand; took++ {
		if e := &h.batch.events[h.next]; h.Stream.awaits(e) || h.Stream.hopes(e) {
			break
		}
		h.takeOne()
	}
	if took == 0 && h.batch != nil && h.next == len(h.batch.events) && h.batch.err != nil && !h.Stream.ended {
		if h.batch.err != io.EOF {
			h.Err = h.batch.err
			return 0
		}
		end := h.In.End()
		h.Stream.ended, h.Stream.whole = true, end != nil && end.Dropped == 0 && end.Quiescent
		return 1
	}
	return took
}

// peek reports whether there is a next event.
func (h *Host) peek() bool {
	for h.batch == nil || h.next == len(h.batch.events) && h.batch.err == nil {
		b, more := <-h.source.full
		if !more {
			return false
		}
		if h.before != nil {
			h.source.free <- h.before // there is room for all
		}
		h.before, h.batch, h.next = h.batch, b, 0
	}
	return h.next < len(h.batch.events)
}

func (h *Host) takeOne() {
	s := h.Stream
	s.Take(&h.batch.events[h.next])
	h.next++
	h.Report.Events++
	for ; h.findings < len(s.findings); h.findings++ {
		var before []trace.Event
		if h.before != nil {
			before = h.before.events
		}
		h.spoken.keep(&s.findings[h.findings].Finding, before, h.batch.events[:h.next])
	}
	h.findings = len(s.findings)
}

// release lets one of two hosts go on that wait for each other: one that waits for nothing which has to come first. Where both do, that may be
// because one end of a connection is not told: that of its QP is judged alone then. Otherwise what it tells can't be.
func release(hosts [2]*Host) {
	for _, h := range hosts {
		if h.peek() && !h.Stream.awaits(&h.batch.events[h.next]) {
			h.takeOne()
			return
		}
	}
	for _, h := range hosts {
		if h.peek() && h.Stream.partUnmet(&h.batch.events[h.next]) {
			return
		}
	}
	for _, h := range hosts {
		if h.peek() {
			h.Stream.forced = true
			h.takeOne()
			h.Stream.forced = false
			return
		}
	}
}

// finish handles the end of a trace, when both are at theirs.
func (h *Host) finish() {
	s, t := h.Stream, h.Trace
	t.Events = h.spoken.inOrder()
	t.End, t.Warnings, t.More = h.In.End(), h.In.Warnings(), uint64(h.Report.Events-len(t.Events))
	s.finishRemote("the trace of " + s.other.name + " does not hold all that its host did (see its end record)")
	met := s.retired.met
	for _, p := range s.qpsInOrder {
		if met = met || p.isRemote(); p.conn != "" && p.peer == nil && !slices.Contains(h.Lone, p.conn) {
			h.Lone = append(h.Lone, p.conn)
		}
	}
	if !met {
		h.Report.Undecided("", fmt.Sprintf("no connection of this trace (field conn) has its other end in %s, from its creation on, of type RC and without a shared receive queue: there is nothing to join", s.other.name))
	}
	s.Finish(t.End, h.Report)
	s.doubts.Adopt(&s.other.doubts, s.other.name)
	s.doubts.Apply(h.Report, t.Events)
}

// finishRemote handles the end of the trace of the other host. Unless that trace is whole, what rests on that host is in doubt, for the reason
// notAll.
func (s *Stream) finishRemote(notAll string) {
	for _, p := range s.qpsInOrder {
		switch {
		case !p.isRemote():
		case s.other.whole:
			p.checkFollowed()
			p.checkReceived()
			p.checkSent()
			p.checkFlushed()
		default:
			p.checkFollowed()
			p.group.leaveInDoubt(notAll)
		}
	}
}

// awaits reports whether an event tells of something that comes after what the other host's trace has told by now: of a message
// that succeeded and whose other half is not posted.
func (s *Stream) awaits(e *trace.Event) bool { return s.ofWorkQueues(e, (*workQueue).awaits) }

// hopes reports whether the other host's trace may yet tell what an event is judged by, though it need not: what cancelled a request, or that
// the send of a message failed which is told to be received.
func (s *Stream) hopes(e *trace.Event) bool { return s.ofWorkQueues(e, (*workQueue).hopes) }

// ofWorkQueues reports whether is holds for a work queue and the results of a poll that an event ends, while the other host's trace has more events.
func (s *Stream) ofWorkQueues(e *trace.Event, is func(*workQueue, []trace.Result) bool) bool {
	if s.other.ended || e.Ph != trace.Ret || len(e.Results) == 0 {
		return false
	}
	u := s.open.Find(e.Op)
	if u == nil || u.cq == nil || u.cq.stopped() {
		return false
	}
	results := e.Results
	if len(u.cq.polls.list) > 1 {
		results = u.cq.polls.resultsHeld(results)
	}
	return slices.ContainsFunc(u.cq.wqs, func(l *workQueue) bool { return is(l, results) })
}

// resultsHeld returns the results of polls that have returned while others are under way, and those of one more.
func (u *pollsUnderWay) resultsHeld(last []trace.Result) []trace.Result {
	var all []trace.Result
	for _, p := range u.list {
		all = append(all, p.results...)
	}
	return append(all, last...)
}

// awaits reports whether results, of those that are of the queue, take more than the other host's trace has told of.
func (l *workQueue) awaits(results []trace.Result) bool {
	unmet := l.qp.isUnmet()
	if !unmet && !l.qp.isRemote() {
		return false
	}
	waiting, takes := l.waiting, 0
	for i := range results {
		at := slices.IndexFunc(waiting, func(r *request) bool { return r.wr == results[i].Wr })
		if at < 0 {
			continue
		}
		if unmet {
			return true
		}
		succeeded := calls.OutcomeOf(results[i].Status) == model.SUCCESS
		for k, r := range waiting[:at+1] { // silent ones before it have succeeded
			if r.isMessage() && r.index() < l.known && (k == at && succeeded || k < at && r.silent) {
				takes++
			}
		}
		if !succeeded {
			break // which messages those behind it take is not known
		}
		waiting = waiting[at+1:]
	}
	return takes > 0 && takes > len(l.other().messages)
}

// hopes reports whether the other host's trace may yet tell what results, of those that are of the queue, are judged by.
func (l *workQueue) hopes(results []trace.Result) bool {
	if !l.qp.isRemote() {
		return false
	}
	for i := range results {
		at := slices.IndexFunc(l.waiting, func(r *request) bool { return r.wr == results[i].Wr })
		if at < 0 {
			continue
		}
		switch r, outcome := l.waiting[at], calls.OutcomeOf(results[i].Status); {
		case outcome == model.CANCELLED && !l.qp.mayBeBroken():
			return true
		case outcome == model.SUCCESS && r.op == model.ReceiveOp && l.other().waiting.send(r.index()) != nil:
			return true
		}
	}
	return false
}

// isUnmet reports whether the other end of the connection of p is still to be told.
func (p *qp) isUnmet() bool {
	return p.conn != "" && p.peer == nil && len(p.s.conns[p.conn]) == 1
}

// partUnmet parts each connection whose other end has not been found, where e is of a CQ of its queue pair. It reports whether there was one.
func (s *Stream) partUnmet(e *trace.Event) bool {
	parted := false
	if u := s.open.Find(e.Op); u != nil && u.cq != nil {
		for _, l := range u.cq.wqs {
			if l.qp.isUnmet() {
				l.qp.part()
				parted = true
			}
		}
	}
	return parted
}
