package hwbinding

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// connectTimeout is how long NdkConnect and NdkAccept wait for each other.
const connectTimeout = 5 * time.Second

// offer is what a QP waits under for its counterpart.
type offer struct {
	address string
	accept  bool // by NdkAccept; otherwise by NdkConnect
}

// meeting is a QP that waits for its counterpart. answer takes the outcome, once.
type meeting struct {
	offer  offer
	qp     *qp
	answer chan ndk.Status
}

// Adapters of one process meet here, so that two devices can be connected. The lock is taken with the lock of an adapter
// held, never the other way round.
var meetings = struct {
	sync.Mutex
	waiting map[offer]*meeting
}{waiting: map[offer]*meeting{}}

var connections atomic.Uint64

// connection is two QPs that were joined.
type connection struct {
	name string // in the verbs trace
	ends [2]*qp
}

func (c *connection) peerOf(q *qp) *qp {
	if c.ends[0] == q {
		return c.ends[1]
	}
	return c.ends[0]
}

// abort breaks both ends (INV-05). It is called without a lock.
func (c *connection) abort() {
	for _, q := range c.ends {
		q.adapter.lock()
		q.explained = true
		q.breakDown(broken)
		q.adapter.unlock()
	}
}

// NdkConnect returns STATUS_IO_TIMEOUT if no QP was offered within 5 s, and STATUS_ADDRESS_ALREADY_EXISTS while another QP connects to the same address.
// It returns STATUS_CONNECTION_INVALID for a QP that is, was, or is about to be connected. It returns STATUS_CONNECTION_ABORTED if the QP was flushed or
// closed meanwhile, or if the device can't connect it.
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
	if !ok || q == nil || q.adapter != a {
		return ndk.STATUS_INVALID_PARAMETER
	}
	m := &meeting{mine, q, make(chan ndk.Status, 1)}
	other, status := m.arrange(taken)
	switch {
	case status != ndk.STATUS_SUCCESS:
		return status
	case other != nil:
		status = join(q, other.qp)
		other.answer <- status
		return status
	}
	timer := time.AfterFunc(connectTimeout, func() {
		a.lock()
		defer a.unlock()
		m.end(ndk.STATUS_IO_TIMEOUT)
	})
	defer timer.Stop()
	return <-m.answer
}

// arrange returns the counterpart that waits already, which is this QP's from now on, or lets this QP wait for it.
func (m *meeting) arrange(taken ndk.Status) (*meeting, ndk.Status) {
	a := m.qp.adapter
	a.lock()
	defer a.unlock()
	meetings.Lock()
	defer meetings.Unlock()
	if m.qp.state != idle || m.qp.meeting != nil {
		return nil, ndk.STATUS_CONNECTION_INVALID
	}
	if meetings.waiting[m.offer] != nil {
		return nil, taken
	}
	m.qp.meeting = m
	sought := offer{m.offer.address, !m.offer.accept}
	if other := meetings.waiting[sought]; other != nil {
		delete(meetings.waiting, sought)
		return other, ndk.STATUS_SUCCESS
	}
	meetings.waiting[m.offer] = m
	return nil, ndk.STATUS_SUCCESS
}

// end answers a waiting call, if no counterpart has come. The adapter is locked.
func (m *meeting) end(status ndk.Status) {
	if m == nil {
		return
	}
	meetings.Lock()
	defer meetings.Unlock()
	if meetings.waiting[m.offer] == m {
		delete(meetings.waiting, m.offer)
		m.qp.meeting = nil
		m.answer <- status
	}
}

// join connects both QPs. When that fails neither can be used.
func join(a, b *qp) ndk.Status {
	c := &connection{fmt.Sprintf("conn%d", connections.Add(1)), [2]*qp{a, b}}
	addressA, okA := a.address()
	addressB, okB := b.address()
	there, back := newDirection(), newDirection()
	if okA && okB && a.connect(c, addressB, there, back) && b.connect(c, addressA, back, there) {
		return ndk.STATUS_SUCCESS
	}
	c.abort()
	return ndk.STATUS_CONNECTION_ABORTED
}

func (q *qp) address() (verbs.Address, bool) {
	q.adapter.lock()
	defer q.adapter.unlock()
	address, err := q.dev.Address()
	q.adapter.note(err)
	return address, err == nil && q.state == idle
}

func (q *qp) connect(c *connection, peer verbs.Address, out, in *direction) bool {
	a := q.adapter
	a.lock()
	defer a.unlock()
	q.meeting = nil
	if q.state != idle {
		return false
	}
	if err := q.dev.Connect(peer, c.name, min(max(a.attributes.MaxQPRdAtom, 1), 16)); err != nil {
		a.note(err)
		return false
	}
	q.state, q.connection, q.out, q.in = connected, c, out, in
	in.addReceives(len(q.receive.requests))
	return true
}
