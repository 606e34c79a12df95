package stream

import (
	"slices"

	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
)

// guessing holds the sends of a queue for which it is a guess which receives took them.
type guessing struct {
	unmatched *monitor.Unmatched // the sends behind one that failed, or nil
	guessed   []*request         // those whose receive was told before them, by a guess
	first     *request           // the first of all sends
	mixed     bool               // the sends are not all alike
}

// A receive that succeeds takes the message in its place, unless that send has failed by itself: then it takes a later one. While
// nothing is told of the send, and a later one has been posted, that is a guess. What is found meanwhile stands once the send is
// known to have succeeded.

// guess handles r, which succeeded, by the message in its place. Which message it was matters where they differ.
func (r *request) guess() {
	sends := r.wq.other()
	if sends == nil || r.index() >= r.wq.known || len(sends.messages) == 0 {
		return
	}
	if r.wq.took+1 == sends.sends {
		sends.guessed = nil // each of them has been received
		return
	}
	for len(sends.guessed) > 0 && sends.guessed[0].hasSucceeded() {
		sends.guessed = sends.guessed[1:]
	}
	if m := sends.messages[0]; sends.mixed && !m.over && !slices.Contains(sends.guessed, m) && len(sends.guessed) < MaxFollowing {
		sends.guessed = append(sends.guessed, m)
	}
}

// mixes records whether it makes a difference which of the sends was received.
func (g *guessing) mixes(r *request) {
	if g.first == nil {
		g.first = r
	} else if r.op != g.first.op || r.solicit != g.first.solicit || r.op == model.SendAndInvalidate {
		g.mixed = true
	}
}

// hasSucceeded reports whether r, a send, is known to have.
func (r *request) hasSucceeded() bool {
	if r.over || r.place != 0 {
		return r.outcome == model.SUCCESS
	}
	by := r.silentBy()
	return !r.cancelled && by != 0 && by <= r.wq.emptyAtRest()
}

// guesses returns the sends on which rests what is found of a group.
func (s *Stream) guesses(g *group) []*request {
	var all []*request
	for _, p := range s.qpsInOrder {
		if p.group.root() == g.root() || p.peer != nil && p.peer.group.root() == g.root() {
			all = append(all, p.wqs[model.Initiator].guessed...)
		}
	}
	return slices.DeleteFunc(all, (*request).hasSucceeded)
}

// guessed returns the first send on which a finding rests and that may have failed, or nil.
func (f *finding) guessed() *request {
	if i := slices.IndexFunc(f.guesses, func(m *request) bool { return !m.hasSucceeded() }); i >= 0 {
		return f.guesses[i]
	}
	return nil
}

// isOfAnotherMessage reports whether a finding compares the length or the opcode of a receive with a send which has failed: another message came in its
// place.
func (f *finding) isOfAnotherMessage() bool {
	m := f.guessed()
	return f.ofContent && m != nil && m.over
}

// A matching is a queue's part in finding which sends of a connection go to which of its receives.
type matching struct {
	messages    []*request // sends, or receives, that have not failed, and whose other half has not been told yet
	messageRoom []*request // the array of messages, from its beginning
	taken       []*request // those whose other half was told, and which were not
	known       int        // from which index on it is not known which send goes to which receive, or never
	promised    int        // receives yet to be posted that sends have gone to already
	received    int        // other halves that were told
}
