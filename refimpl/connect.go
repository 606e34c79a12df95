package refimpl

import (
	"time"

	"ndkoracle/ndk"
)

// offer is what a QP waits under for its counterpart.
type offer struct {
	address string
	accept  bool // by NdkAccept; otherwise by NdkConnect
}

// rendezvous is a QP that waits for its counterpart. answer takes the outcome, once.
type rendezvous struct {
	offer  offer
	qp     *qp
	answer chan ndk.Status
}

// NdkConnect returns STATUS_IO_TIMEOUT if no QP was offered in time, and STATUS_ADDRESS_ALREADY_EXISTS while another QP connects to the same address. It
// returns STATUS_CONNECTION_INVALID for a QP that is, was, or is about to be connected, and STATUS_CONNECTION_ABORTED if the QP was flushed or closed
// meanwhile.
func (a *adapter) NdkConnect(qp ndk.Qp, address string) ndk.Status {
	return a.meet(qp, offer{address, false}, ndk.STATUS_ADDRESS_ALREADY_EXISTS)
}

// NdkAccept is the other half of NdkConnect, with the same statuses but STATUS_SHARING_VIOLATION for an address where
// another QP is offered already (CONN-11).
func (a *adapter) NdkAccept(qp ndk.Qp, address string) ndk.Status {
	return a.meet(qp, offer{address, true}, ndk.STATUS_SHARING_VIOLATION)
}

func (a *adapter) meet(handle ndk.Qp, mine offer, taken ndk.Status) ndk.Status {
	q, ok := handle.(*qp)
	if !ok || q.adapter != a {
		return ndk.STATUS_INVALID_PARAMETER
	}
	a.mu.Lock()
	if q.state != idle || q.meeting != nil {
		defer a.mu.Unlock()
		return ndk.STATUS_CONNECTION_INVALID
	}
	if other := a.offers[offer{mine.address, !mine.accept}]; other != nil {
		defer a.mu.Unlock()
		other.end(ndk.STATUS_SUCCESS)
		join(q, other.qp)
		return ndk.STATUS_SUCCESS
	}
	if a.offers[mine] != nil {
		defer a.mu.Unlock()
		return taken
	}
	meeting := &rendezvous{mine, q, make(chan ndk.Status, 1)}
	a.offers[mine], q.meeting = meeting, meeting
	a.mu.Unlock()

	select {
	case status := <-meeting.answer:
		return status
	case <-time.After(a.options.ConnectTimeout):
	}
	a.mu.Lock()
	meeting.end(ndk.STATUS_IO_TIMEOUT)
	a.mu.Unlock()
	return <-meeting.answer
}

// end answers the waiting call, unless it has been answered.
func (m *rendezvous) end(status ndk.Status) {
	if m == nil || m.qp.meeting != m {
		return
	}
	m.qp.meeting = nil
	delete(m.qp.adapter.offers, m.offer)
	m.answer <- status
}

func join(a, b *qp) {
	a.state, b.state = connected, connected
	a.peer, b.peer = b, a
}
