package hwbinding

import "time"

// grace is how long a device that has nothing to do must have been silent: an event can come after the completion that
// it is for was polled.
const grace = 10 * time.Millisecond

// patience is how long a device may be silent about an expected completion or event. After it, the peer of a silent request is suspected to have failed,
// and a missing event counts as lost. It is long because looking at the peer's receives removes them from the device, and because a processor of a
// virtual machine can be stopped between a completion and its event.
const patience = 500 * time.Millisecond

// Quiesce implements Adapter.
func (a *adapter) Quiesce(timeout time.Duration) bool {
	deadline := time.Now().Add(timeout)
	for !a.resting() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// MarkQuiesce implements Adapter.
func (a *adapter) MarkQuiesce() {
	a.lock()
	defer a.unlock()
	a.dev.Quiesce()
}

func (a *adapter) resting() bool {
	a.lock()
	defer a.unlock()
	for c := range a.cqs {
		if c.expects() {
			c.look()
		}
	}
	// Poll the device only where necessary. The device should still have the completions that a consumer finds when it arms.
	for q := range a.qps {
		silent := q.initiator.awaited(0) && time.Since(a.progress) >= patience // perhaps because the peer has failed
		if q.state == connected && (silent || q.out.unclear()) {
			a.later = append(a.later, q.connection.peerOf(q).lookForReceives)
		}
	}
	silence := grace
	for q := range a.qps {
		if q.state == connected && q.receive.cq.arm != armNone && q.in.arriving() {
			silence = patience // the event for the message is still to come, unless the sender has failed
		}
	}
	for c := range a.cqs {
		if c.awaited != noEvent && !a.gone {
			silence = patience
		}
	}
	rest := a.completing == 0 && time.Since(a.progress) >= silence
	for c := range a.cqs {
		rest = rest && !c.expects() && !c.notifying
	}
	if rest {
		a.giveUpEvents()
	}
	return rest
}

// giveUpEvents treats the events that are still due as lost. A device that makes no event for a failed completion while it is armed solicited-only
// (ARM-11) never does: the provider does not wait for such an event a second time.
func (a *adapter) giveUpEvents() {
	for c := range a.cqs {
		a.failsMute = a.failsMute || c.awaited == eventOfFail && !a.gone
		c.awaited = noEvent
	}
}

// expects says whether the device will complete something here of itself.
func (c *cq) expects() bool {
	if c.adapter.gone {
		return false
	}
	for q := range c.qps {
		if q.initiator.cq == c && q.expectsInitiator() || q.receive.cq == c && q.expectsReceive() {
			return true
		}
	}
	return false
}

// expectsInitiator sends a marker after unsignalled requests: their end would be told by nothing else.
func (q *qp) expectsInitiator() bool {
	if q.state != connected {
		return q.initiator.awaited(0)
	}
	waiting := q.out.waiting()
	if waiting == 0 && q.initiator.unmarked > 0 && !q.marking {
		q.marking = true
		q.mark()
	}
	return q.initiator.awaited(waiting)
}

func (q *qp) lookForReceives() {
	q.adapter.lock()
	defer q.adapter.unlock()
	if q.state != closed {
		q.receive.cq.look()
	}
}

// expectsReceive: a receive waits for a message as long as the QP is whole; afterwards it is flushed.
func (q *qp) expectsReceive() bool {
	return q.state == broken && q.receive.awaited(0)
}
