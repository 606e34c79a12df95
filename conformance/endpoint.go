package conformance

import (
	"bytes"
	"fmt"

	"ndkoracle/ndk"
)

const (
	queueDepth = 32 // of a QP's initiator queue and of its receive queue
	maxPayload = 48 // bytes of a message; a receive takes as many
	inlineSize = 16 // bytes that a QP takes inline, where the adapter has as much
)

// post is one request that the consumer made, and what it heard of it.
type post struct {
	buffer []byte // where data arrives; nil where none does
	want   []byte // what must have arrived when the request succeeded
	done   bool
	status ndk.Status
	bytes  int
}

// endpoint is a QP and its consumer. Its initiator's methods take one thread at a time, and receive another
// (POST-01 to POST-03); all take the QP as the calling thread sees it.
type endpoint struct {
	run                *Run
	qp                 ndk.Qp // as the main thread sees it
	initiator, receive *queue
	peer               *endpoint
	inline             int // bytes

	sent     [][]byte // payloads of the sends that were accepted, in order; the initiator's thread
	open     bool     // a chain awaits its last request (DEF-06); the initiator's thread
	targets  []*post  // reads and writes; the initiator's thread
	receives []*post  // in order; the receiving thread
	broken   bool     // a failure or a flush was caused: the QP is of no more use
	closing  bool
}

func (r *Run) newEndpoint(initiator, receive *queue) (*endpoint, error) {
	inline := min(inlineSize, int(r.info.MaxInlineDataSize))
	qp, status := r.pd.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: receive.cq, InitiatorCq: initiator.cq,
		ReceiveQueueDepth: queueDepth, InitiatorQueueDepth: queueDepth,
		MaxReceiveRequestSge: 1, MaxInitiatorRequestSge: 1,
		InlineDataSize: uint32(inline),
	})
	if status != ndk.STATUS_SUCCESS {
		return nil, fmt.Errorf("NdkCreateQp: %v", status)
	}
	return &endpoint{run: r, qp: qp, initiator: initiator, receive: receive, inline: inline}, nil
}

// accept posts a receive with room for any message.
func (e *endpoint) accept(qp ndk.Qp) ndk.Status { return e.acceptInto(qp, maxPayload, e.run.token) }

// acceptInto posts a receive of size bytes under the given token.
func (e *endpoint) acceptInto(qp ndk.Qp, size int, token ndk.Token) ndk.Status {
	p := &post{buffer: e.run.take(size)}
	e.run.posted.Add(1)
	status := qp.NdkReceive(p, []ndk.Sge{{Buffer: p.buffer, MemoryRegionToken: token}})
	if status.Success() {
		e.receives = append(e.receives, p)
	}
	return status
}

// initiated records how a request of the initiator went.
func (e *endpoint) initiated(status ndk.Status, flags ndk.OpFlags) ndk.Status {
	e.run.posted.Add(1)
	e.open = status.Success() && flags.Has(ndk.NDK_OP_FLAG_DEFER)
	return status
}

// send posts NdkSend of a new message.
func (e *endpoint) send(qp ndk.Qp, flags ndk.OpFlags) ndk.Status {
	return e.sendWith(flags, func(sgl []ndk.Sge) ndk.Status { return qp.NdkSend(&post{}, sgl, flags) })
}

// sendAndInvalidate posts NdkSendAndInvalidate of a new message.
func (e *endpoint) sendAndInvalidate(qp ndk.Qp, flags ndk.OpFlags, token ndk.Token) ndk.Status {
	return e.sendWith(flags, func(sgl []ndk.Sge) ndk.Status {
		return qp.NdkSendAndInvalidate(&post{}, sgl, flags, token)
	})
}

func (e *endpoint) sendWith(flags ndk.OpFlags, call func([]ndk.Sge) ndk.Status) ndk.Status {
	limit := maxPayload
	if flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		limit = e.inline
	}
	message := e.run.message(limit)
	payload := bytes.Clone(message)
	status := e.initiated(call([]ndk.Sge{{Buffer: message, MemoryRegionToken: e.run.token}}), flags)
	if flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		clear(message) // free on return (FLAG-07)
	}
	if status.Success() {
		e.sent = append(e.sent, payload)
	}
	return status
}

// transfer is send by the main thread, after a receive at the peer where none is left for it: a send without one would
// never end.
func (e *endpoint) transfer(flags ndk.OpFlags) ndk.Status {
	e.provide()
	return e.send(e.qp, flags)
}

// provide sees to it that the peer has a receive for the next send.
func (e *endpoint) provide() {
	if len(e.peer.receives) <= len(e.sent) {
		e.peer.accept(e.peer.qp)
	}
}

// sendBadly posts a send whose local token names nothing: it is accepted and fails, and the QP with it.
func (e *endpoint) sendBadly(qp ndk.Qp, flags ndk.OpFlags) ndk.Status {
	sgl := []ndk.Sge{{Buffer: e.run.message(maxPayload), MemoryRegionToken: e.run.unknownToken()}}
	e.broken = true
	return e.initiated(qp.NdkSend(&post{}, sgl, flags&^ndk.NDK_OP_FLAG_INLINE), flags)
}

// sendRefused posts a send that the provider has to refuse: a valid one where the provider can be made to, otherwise one
// whose memory lies outside the region of its token.
func (e *endpoint) sendRefused(qp ndk.Qp, flags ndk.OpFlags) ndk.Status {
	r := e.run
	if r.provider.CanRefuse {
		r.refuse.Store(true)
		defer r.refuse.Store(false)
		return e.send(qp, flags)
	}
	sgl := []ndk.Sge{{Buffer: make([]byte, 1), MemoryRegionToken: r.token}}
	return e.initiated(qp.NdkSend(&post{}, sgl, flags&^ndk.NDK_OP_FLAG_INLINE), flags)
}

// sendLong posts a send of as many bytes as a message can have.
func (e *endpoint) sendLong() ndk.Status {
	sgl := []ndk.Sge{{Buffer: e.run.take(maxPayload), MemoryRegionToken: e.run.token}}
	return e.initiated(e.qp.NdkSend(&post{}, sgl, 0), 0)
}

// flush calls NdkFlush, after which the QP is of no more use.
func (e *endpoint) flush() {
	e.broken, e.open = true, false
	e.qp.NdkFlush()
}

// endChain ends an open chain with a send that is not deferred (DEF-06).
func (e *endpoint) endChain() {
	if e.open {
		e.transfer(0)
	}
}

// verify compares what arrived with what was sent; an error wraps ErrData. Receives take messages in order: the n-th
// receive that was posted gets the n-th message.
func (e *endpoint) verify() error {
	for n, p := range e.receives {
		if !p.done || p.status != ndk.STATUS_SUCCESS || n >= len(e.peer.sent) {
			continue
		}
		if want := e.peer.sent[n]; p.bytes != len(want) || !bytes.Equal(p.buffer[:min(p.bytes, len(p.buffer))], want) {
			return fmt.Errorf("%w: receive %d of a QP got %d bytes that are not the %d bytes sent",
				ErrData, n+1, p.bytes, len(want))
		}
	}
	for _, p := range e.targets {
		if p.done && p.status == ndk.STATUS_SUCCESS && !bytes.Equal(p.buffer, p.want) {
			return fmt.Errorf("%w: a read or write of %d bytes", ErrData, len(p.want))
		}
	}
	return nil
}
