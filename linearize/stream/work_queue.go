package stream

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A workQueue is one of a QP's queues: its requests that are outstanding, and what is known of the others.
type workQueue struct {
	qp          *qp
	queue       model.Queue
	cq          *cq
	waiting     outstanding
	waitingRoom []*request // the array of waiting, from its beginning
	next        int        // position of the next request
	returned    int        // accepted requests whose post had returned
	atClose     eventIndex // when the QP began to close: the latest moment of rest after which a poll had found the CQ empty
	fetched     int        // of those that wait, how many a poll of a CQ fetched that is left open
	sendsAccepted
	endedCounts
	latestPoint
	matching
	guessing
	shadowSends
}

// outstanding holds the requests of a queue that are not delivered, in posting order.
type outstanding []*request

// endedCounts counts the requests of a queue that are over.
type endedCounts struct {
	took      int // receives, or sends, that succeeded
	lost      int // receives that ended otherwise
	sendsDone int // sends that are over
	settled   int // silent requests that are over, and behind which nothing is told yet
}

// sendsAccepted counts the sends that a queue accepted.
type sendsAccepted struct {
	sends    int // of the accepted requests, how many are sends
	names    int // of the accepted requests, how many name a token
	solicits int // of the accepted requests, how many solicit
}

func (l *workQueue) add(r *request) {
	l.enqueue(r)
	l.qp.s.requestCases.add(r)
	if r.deferred && l.queue == model.Initiator {
		l.qp.deferred, l.qp.chained = append(l.qp.deferred, r), true
	}
	r.cancelled = r.silent && l.qp.onlyCancelled(r.called)
	if s := l.qp.s; s.byName != nil {
		s.byName[r.wr] = r
	}
	if l.cq != nil {
		l.cq.pending++
		l.cq.added = l.qp.s.at
		l.cq.checkRoom()
	}
	if l.qp.shadow != nil {
		l.qp.shadow.posted(r)
	}
}

// enqueue puts r behind what is outstanding.
func (l *workQueue) enqueue(r *request) {
	r.wq, r.position = l, l.next
	l.next++
	r.sends = l.sends
	if r.op.IsSend() {
		l.sends++
		l.mixes(r)
		if r.op == model.SendAndInvalidate {
			l.names++
		}
		if r.solicit {
			l.solicits++
		}
	}
	switch {
	case !r.isMessage():
	case r.index() >= l.known:
		if r.op.IsSend() {
			l.loose(r)
		}
	case l.promised > 0:
		l.promised--
		r.promised = true
	default:
		l.messages, l.messageRoom = extend(l.messages, l.messageRoom, r)
	}
	l.waiting, l.waitingRoom = extend(l.waiting, l.waitingRoom, r)
}

// without removes r from a list. Usually r is the last element or one of the first.
func without(list []*request, r *request) []*request {
	if last := len(list) - 1; last >= 0 && list[last] == r {
		return list[:last]
	}
	switch i := slices.Index(list, r); i {
	case -1:
		return list
	case 0:
		return list[1:]
	default:
		return slices.Delete(list, i, i+1)
	}
}

// send returns the outstanding send that has exactly before sends of its queue ahead of it, or nil.
func (o outstanding) send(before int) *request {
	behind, _ := slices.BinarySearchFunc(o, before+1, func(r *request, n int) int { return cmp.Compare(r.sends, n) })
	if behind == 0 {
		return nil
	}
	if r := o[behind-1]; r.op.IsSend() && r.sends == before {
		return r
	}
	return nil
}

// takenFirst puts the requests of r's post ahead of posts that overlap it and have a completion: r was delivered, and none of theirs, so its post was taken
// first. Where the order matters to more than completions, or another post was taken in part, nothing changes.
func (l *workQueue) takenFirst(r *request) {
	own := l.waiting.placeOf(r)
	end := own
	for own > 0 && l.waiting[own-1].called == r.called {
		own--
	}
	for end < len(l.waiting) && l.waiting[end].called == r.called {
		l.waiting[end].begun = true
		end++
	}
	from, signaled := own, false // from there on whole posts move back; whether what was looked at of one has a completion
	for i := own - 1; i >= 0; i-- {
		o := l.waiting[i]
		if signaled = signaled || !o.silent; o.begun || !o.overlaps(r) || !l.mayMove(o) {
			break
		}
		if i > 0 && l.waiting[i-1].called == o.called {
			continue
		}
		if !signaled {
			break
		}
		from, signaled = i, false
	}
	if from == own || slices.ContainsFunc(l.waiting[own:end], func(o *request) bool { return !l.mayMove(o) }) {
		return
	}
	position, sends := l.waiting[from].position, l.waiting[from].sends
	moved := slices.Concat(l.waiting[own:end], l.waiting[from:own])
	copy(l.waiting[from:], moved)
	for _, o := range moved {
		o.position, o.sends = position, sends
		position++
		if o.op.IsSend() {
			sends++
		}
	}
}

// mayMove reports whether a request may change its place: only its completion depends on it. Of a message, what the other end received depends on it as well.
func (l *workQueue) mayMove(r *request) bool {
	p := l.qp
	met := p.remote != nil || p.shadow != nil || p.peer != nil
	return r.returned != 0 && r.place == 0 && !r.missed && !r.deferred && !r.fence && !r.localInvalidate && !(met && (r.op.IsSend() || l.queue == model.Receive))
}

// extend appends to a list that shrinks at its beginning. It moves the list back to the beginning of its array, where that is
// half free, before it takes another one.
func extend[T any](list, array []T, v T) (longer, in []T) {
	if len(list) == cap(list) && len(list) <= cap(array)/2 {
		list = append(array[:0], list...)
	}
	if longer = append(list, v); cap(longer) > cap(list) {
		array = longer[:0]
	}
	return longer, array
}

// placeOf returns where r is among what waits.
func (o outstanding) placeOf(r *request) int {
	i, _ := slices.BinarySearchFunc(o, r.position, func(o *request, position int) int { return cmp.Compare(o.position, position) })
	return i
}

// moveUp puts r before all other outstanding requests of its queue.
func (o outstanding) moveUp(r *request) {
	i := slices.Index(o, r)
	copy(o[1:i+1], o[:i])
	o[0] = r
}

// maxNamed is how many requests of a queue are told by name.
const maxNamed = 3

// count says how many requests of a queue are pending, and which are the oldest.
func (o outstanding) count(what string) string {
	counted := verdict.Counted(len(o), what)
	if len(o) == 0 {
		return counted
	}
	var names []string
	for _, r := range o[:min(len(o), maxNamed)] {
		names = append(names, r.wr)
	}
	if len(o) > maxNamed {
		names = append(names, "…")
	}
	return counted + " (" + strings.Join(names, ", ") + ")"
}

// signals handles a request without SIGNALED that succeeded and has a completion. Where the trace does not record sq_sig_all, that shows that all
// requests are signaled, and signals reports so.
func (l *workQueue) signals() bool {
	kind := &l.qp.kind
	if kind.signaling {
		return false
	}
	kind.signalsAll, kind.signaling = true, true
	for _, r := range l.waiting {
		r.silent = false
	}
	return true
}
