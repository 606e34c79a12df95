package refimpl

import (
	"slices"
	"sync"

	"ndkoracle/ndk"
)

type qpState int

const (
	idle qpState = iota
	connected
	broken // by a failed request, NdkFlush, a CQ error, or an abort (INV-05): what is in the queues is cancelled
	closed
)

type qp struct {
	object
	policy
	pd         *pd
	attributes ndk.QpAttributes
	state      qpState
	peer       *qp
	meeting    *rendezvous
	initiator  queue
	receive    queue
	work       *sync.Cond // signalled when the device may have something to do
}

// NdkCreateQp returns STATUS_INVALID_PARAMETER for a CQ that is nil, of another provider or adapter, closed or in error,
// for a depth of 0, and for anything above the adapter's limits (ADP-04).
func (p *pd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	a := p.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	receiveCq, _ := attributes.ReceiveCq.(*cq)
	initiatorCq, _ := attributes.InitiatorCq.(*cq)
	if p.closing || !a.takes(receiveCq) || !a.takes(initiatorCq) ||
		attributes.ReceiveQueueDepth == 0 || attributes.ReceiveQueueDepth > maxQueueDepth ||
		attributes.InitiatorQueueDepth == 0 || attributes.InitiatorQueueDepth > maxQueueDepth ||
		attributes.InlineDataSize > maxInlineData {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	q := &qp{
		object:     a.newObject(&p.object, &receiveCq.object, &initiatorCq.object),
		policy:     a.newPolicy(),
		pd:         p,
		attributes: attributes,
		initiator:  queue{depth: int(attributes.InitiatorQueueDepth), cq: initiatorCq},
		receive:    queue{depth: int(attributes.ReceiveQueueDepth), cq: receiveCq},
		work:       sync.NewCond(&a.mu),
	}
	q.onClosing = q.shut
	q.busy = func() bool { return len(q.initiator.requests)+len(q.receive.requests) > 0 }
	q.onClosed = q.forget
	receiveCq.qps[q], initiatorCq.qps[q] = struct{}{}, struct{}{}
	a.objects[&q.object] = struct{}{}
	a.qps[q] = struct{}{}
	a.goroutines.Go(q.runDevice)
	return q, ndk.STATUS_SUCCESS
}

func (a *adapter) takes(c *cq) bool {
	return c != nil && c.adapter == a && !c.closing && c.health == ndk.STATUS_SUCCESS
}

// The flags that a call takes (POST-11).
const (
	chainFlags        = ndk.NDK_OP_FLAG_SILENT_SUCCESS | ndk.NDK_OP_FLAG_READ_FENCE | ndk.NDK_OP_FLAG_DEFER
	accessFlags       = ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ | ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE
	registrationFlags = accessFlags | ndk.NDK_OP_FLAG_RDMA_READ_SINK
)

var takenFlags = map[ndk.OperationType]ndk.OpFlags{
	ndk.NdkOperationTypeSend:         chainFlags | ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | ndk.NDK_OP_FLAG_INLINE,
	ndk.NdkOperationTypeRead:         chainFlags | ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE,
	ndk.NdkOperationTypeWrite:        chainFlags | ndk.NDK_OP_FLAG_INLINE,
	ndk.NdkOperationTypeFastRegister: chainFlags | registrationFlags,
	ndk.NdkOperationTypeBind:         chainFlags | accessFlags,
	ndk.NdkOperationTypeInvalidate:   chainFlags,
}

func (q *qp) NdkSend(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	return q.post(q.newRequest(ndk.NdkOperationTypeSend, requestContext, flags, sgl), nil)
}

func (q *qp) NdkSendAndInvalidate(
	requestContext any, sgl []ndk.Sge, flags ndk.OpFlags, remoteToken ndk.Token,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeSend, requestContext, flags, sgl) // RES-01
	r.peerInvalidate, r.remoteToken = true, remoteToken
	return q.post(r, nil)
}

func (q *qp) NdkRead(
	requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token, flags ndk.OpFlags,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeRead, requestContext, flags, sgl)
	r.remoteAddress, r.remoteToken = remoteAddress, remoteToken
	return q.post(r, nil)
}

func (q *qp) NdkWrite(
	requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token, flags ndk.OpFlags,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeWrite, requestContext, flags, sgl)
	r.remoteAddress, r.remoteToken = remoteAddress, remoteToken
	return q.post(r, nil)
}

// NdkFastRegister returns STATUS_INVALID_PARAMETER for an Mr that is nil, of another PD, closed or not made for it
// (MEM-01), and for an empty buffer. It fails in its completion, with STATUS_ACCESS_VIOLATION, while the Mr's token is
// valid.
func (q *qp) NdkFastRegister(requestContext any, handle ndk.Mr, buffer []byte, flags ndk.OpFlags) ndk.Status {
	m, _ := handle.(*mr)
	r := q.newRequest(ndk.NdkOperationTypeFastRegister, requestContext, flags, nil)
	return q.post(r, func() ndk.Status {
		if m == nil || !m.fastRegister || !q.owns(&m.revocable) || len(buffer) == 0 {
			return ndk.STATUS_INVALID_PARAMETER
		}
		r.register(&m.revocable, buffer)
		return ndk.STATUS_SUCCESS
	})
}

// NdkBind returns STATUS_INVALID_PARAMETER for an Mr or Mw that is nil, of another PD or closed, and for an empty buffer. Its completion has
// STATUS_ACCESS_VIOLATION while the window's token is valid, if the buffer is not inside the Mr (MEM-15), and if remote writing is allowed where local
// writing is not (MEM-16).
func (q *qp) NdkBind(
	requestContext any, mrHandle ndk.Mr, mwHandle ndk.Mw, buffer []byte, flags ndk.OpFlags,
) ndk.Status {
	m, _ := mrHandle.(*mr)
	w, _ := mwHandle.(*mw)
	r := q.newRequest(ndk.NdkOperationTypeBind, requestContext, flags, nil)
	return q.post(r, func() ndk.Status {
		if m == nil || w == nil || !q.owns(&m.revocable) || !q.owns(&w.revocable) || len(buffer) == 0 {
			return ndk.STATUS_INVALID_PARAMETER
		}
		r.register(&w.revocable, buffer)
		r.region.within = m
		return ndk.STATUS_SUCCESS
	})
}

// NdkInvalidate returns STATUS_INVALID_PARAMETER for an object that is nil, of another PD, closed, registered by
// NdkRegisterMr (INV-07) or never registered. A token that is invalid already fails with STATUS_ACCESS_VIOLATION.
func (q *qp) NdkInvalidate(requestContext any, handle ndk.MrOrMw, flags ndk.OpFlags) ndk.Status {
	var object *revocable
	switch o := handle.(type) {
	case *mr:
		object = &o.revocable
	case *mw:
		object = &o.revocable
	}
	r := q.newRequest(ndk.NdkOperationTypeInvalidate, requestContext, flags, nil)
	return q.post(r, func() ndk.Status {
		if object == nil || !q.owns(object) || object.named == nil || !object.named.revocable {
			return ndk.STATUS_INVALID_PARAMETER
		}
		r.object, r.region = object, object.named
		if r.region.dead && q.may(InvalidateFailsInline) {
			return ndk.STATUS_ACCESS_VIOLATION
		}
		return ndk.STATUS_SUCCESS
	})
}

func (q *qp) newRequest(
	operation ndk.OperationType, context any, flags ndk.OpFlags, sgl []ndk.Sge,
) *request {
	r := &request{flags: flags}
	r.Type, r.QPContext, r.RequestContext = operation, q.attributes.QPContext, context
	if !flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		r.sgl = slices.Clone(sgl)
		return r
	}
	length := 0
	for _, sge := range sgl {
		length += len(sge.Buffer)
	}
	if length > int(q.attributes.InlineDataSize) {
		length = int(q.attributes.InlineDataSize) + 1 // too much: admit refuses it
	}
	r.inline = make([]byte, 0, length)
	for _, sge := range sgl {
		r.inline = append(r.inline, sge.Buffer[:min(len(sge.Buffer), length-len(r.inline))]...)
	}
	return r
}

// register gives object a new token, which can be read from now on (MEM-05, MEM-17).
func (r *request) register(object *revocable, buffer []byte) {
	r.object = object
	r.region = object.adapter.newRegion(object.pd, buffer, r.flags&registrationFlags)
	r.region.revocable = true
	object.named = r.region
}

func (q *qp) owns(object *revocable) bool { return object.pd == q.pd && !object.closing }

// post queues an initiator request, or refuses it and indicates all that were deferred before (DEF-05). prepare does
// what the operation demands, after everything else was checked.
func (q *qp) post(r *request, prepare func() ndk.Status) ndk.Status {
	a := q.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	defer q.wake()
	status := q.admit(r)
	if status == ndk.STATUS_SUCCESS && prepare != nil {
		status = prepare()
	}
	if status != ndk.STATUS_SUCCESS {
		return q.refuse(r, status)
	}
	q.initiator.post(r)
	if !r.flags.Has(ndk.NDK_OP_FLAG_DEFER) || q.may(IndicateDeferred) {
		q.initiator.indicate()
	}
	if q.may(CompleteBeforeReturn) {
		for q.step() {
		}
	}
	return ndk.STATUS_SUCCESS
}

func (q *qp) refuse(r *request, status ndk.Status) ndk.Status {
	if q.state != closed && q.adapter.seeded(bugRefusedPostCompletes) {
		r.Status = status
		q.initiator.cq.place(completion{r.ResultEx, &q.initiator, false})
	}
	if !q.adapter.seeded(bugRefusedPostNoDoorbell) {
		q.initiator.indicate()
	}
	if status == ndk.STATUS_INSUFFICIENT_RESOURCES && q.adapter.seeded(bugFailureSwallowed) {
		return ndk.STATUS_SUCCESS
	}
	return status
}

// admit checks what all initiator posts have in common.
func (q *qp) admit(r *request) ndk.Status {
	a := q.adapter
	n := a.posts
	a.posts++
	switch {
	case a.options.Refuse != nil && a.options.Refuse(n):
		return ndk.STATUS_INSUFFICIENT_RESOURCES
	case q.peer == nil || q.state == closed:
		return ndk.STATUS_CONNECTION_INVALID // POST-08
	case r.flags&^takenFlags[r.Type] != 0:
		return ndk.STATUS_INVALID_PARAMETER
	case len(r.inline) > int(q.attributes.InlineDataSize):
		return ndk.STATUS_INVALID_PARAMETER // FLAG-05
	case len(r.sgl) > int(q.attributes.MaxInitiatorRequestSge) || !q.inRegions(r.sgl):
		return ndk.STATUS_INVALID_PARAMETER // POST-07, POST-12
	case len(q.initiator.requests) >= q.initiator.depth:
		return ndk.STATUS_INSUFFICIENT_RESOURCES // POST-06
	case q.state != connected && q.may(RefuseWhenBroken):
		return ndk.STATUS_CONNECTION_INVALID
	}
	return ndk.STATUS_SUCCESS
}

// inRegions says whether each buffer is inside the memory of its token, as far as tokens are valid: one that is not may
// become so before the request executes.
func (q *qp) inRegions(sgl []ndk.Sge) bool {
	for _, sge := range sgl {
		r := q.adapter.usable(sge.MemoryRegionToken, q.pd, 0)
		if r != nil && len(sge.Buffer) > 0 && r.part(ndk.VirtualAddress(sge.Buffer), uint64(len(sge.Buffer))) == nil {
			return false
		}
	}
	return true
}

// NdkReceive may come before the QP is connected (POST-09). Its memory is looked at when a message comes.
func (q *qp) NdkReceive(requestContext any, sgl []ndk.Sge) ndk.Status {
	q.adapter.mu.Lock()
	defer q.adapter.mu.Unlock()
	switch {
	case q.state == closed:
		return ndk.STATUS_CONNECTION_INVALID
	case len(sgl) > int(q.attributes.MaxReceiveRequestSge) || !q.inRegions(sgl):
		return ndk.STATUS_INVALID_PARAMETER
	case len(q.receive.requests) >= q.receive.depth:
		return ndk.STATUS_INSUFFICIENT_RESOURCES
	}
	q.receive.post(q.newRequest(ndk.NdkOperationTypeReceive, requestContext, 0, sgl))
	q.receive.indicate()
	q.wake()
	return ndk.STATUS_SUCCESS
}

// NdkFlush does nothing to a closed QP. The QP can't be used any more afterwards: what is posted then is cancelled or
// refused (FLUSH-05).
func (q *qp) NdkFlush() {
	q.adapter.mu.Lock()
	defer q.adapter.mu.Unlock()
	if q.state == closed {
		return
	}
	if n := len(q.initiator.requests); n > q.initiator.executed && q.adapter.seeded(bugFlushMissesLast) {
		q.initiator.requests = q.initiator.requests[:n-1]
		q.initiator.indicated = min(q.initiator.indicated, n-1)
	}
	q.breakDown(broken)
}

// NdkCloseQp flushes the QP (LIFE-10) and is pending until the device is done with it.
func (q *qp) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status { return q.close(completion) }

func (q *qp) shut() {
	q.breakDown(closed)
	if q.busy() && q.may(CloseDropsCompletions) {
		q.initiator, q.receive = queue{cq: q.initiator.cq}, queue{cq: q.receive.cq}
	}
	if q.busy() && !q.may(CloseWaitsForTheDevice) {
		for q.step() {
		}
	}
}

func (q *qp) forget() {
	delete(q.initiator.cq.qps, q)
	delete(q.receive.cq.qps, q)
	delete(q.adapter.qps, q)
	q.work.Signal()
}

// breakDown leaves the QP unusable and cancels what was not executed, deferred requests included (RES-10).
func (q *qp) breakDown(state qpState) {
	if q.state != closed {
		q.state = state
	}
	q.meeting.end(ndk.STATUS_CONNECTION_ABORTED)
	for _, queue := range []*queue{&q.initiator, &q.receive} {
		queue.indicate()
		for queue.next() != nil {
			q.finish(queue, ndk.STATUS_CANCELLED)
		}
	}
	q.wake()
}

// wake makes the devices of the QP and its peer look at their queues again.
func (q *qp) wake() {
	q.work.Signal()
	if q.peer != nil {
		q.peer.work.Signal()
	}
}
