package hwbinding

import (
	"slices"
	"time"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// markers is how many of the provider's own requests the send queue has room for: one of Quiesce, one of a flush.
const markers = 2

type qpState int

const (
	idle qpState = iota
	connected
	broken // by a failed request, NdkFlush, a bad token or a CQ error: what is in the queues is cancelled
	closed
)

// boundQueue is a queue of a QP and the CQ that it completes in.
type boundQueue struct {
	workQueue
	cq *cq
}

type qp struct {
	object
	pd         *pd
	dev        deviceQP
	attributes ndk.QpAttributes
	state      qpState
	explained  bool // why the QP is broken shows in what the consumer did or in a completion
	meeting    *meeting
	connection *connection // nil before it was connected
	out, in    *direction  // of the connection
	initiator  boundQueue
	receive    boundQueue
	windows    map[*mw]struct{} // bound here
	marking    bool             // a marker of Quiesce is under way
}

// NdkCreateQp returns STATUS_INVALID_PARAMETER for a CQ that is nil, of another provider or adapter, closed or in error,
// for a depth of 0, and for anything above the adapter's limits (ADP-04). STATUS_INSUFFICIENT_RESOURCES also means that
// too many QPs share a CQ.
func (p *pd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	info := p.adapter.NdkQueryAdapterInfo()
	a := p.adapter
	a.lock()
	defer a.unlock()
	receiveCq, _ := attributes.ReceiveCq.(*cq)
	initiatorCq, _ := attributes.InitiatorCq.(*cq)
	switch {
	case p.closing, !a.takes(receiveCq), !a.takes(initiatorCq),
		attributes.ReceiveQueueDepth == 0, attributes.ReceiveQueueDepth > info.MaxReceiveQueueDepth,
		attributes.InitiatorQueueDepth == 0, attributes.InitiatorQueueDepth > info.MaxInitiatorQueueDepth,
		int64(attributes.MaxReceiveRequestSge) > int64(a.attributes.MaxSGE),
		int64(attributes.MaxInitiatorRequestSge) > int64(a.attributes.MaxSGE),
		attributes.InlineDataSize > info.MaxInlineDataSize:
		return nil, ndk.STATUS_INVALID_PARAMETER
	case len(receiveCq.qps) >= cqReserve/qpReserve, len(initiatorCq.qps) >= cqReserve/qpReserve:
		return nil, ndk.STATUS_INSUFFICIENT_RESOURCES
	}
	dev, err := p.dev.CreateQP(initiatorCq.dev, receiveCq.dev, verbs.QPInitAttr{
		MaxSendWR: int(attributes.InitiatorQueueDepth) + markers, MaxRecvWR: int(attributes.ReceiveQueueDepth),
		MaxSendSGE: max(1, int(attributes.MaxInitiatorRequestSge)), // an inline request is one element
		MaxRecvSGE: max(1, int(attributes.MaxReceiveRequestSge)), MaxInlineData: int(attributes.InlineDataSize),
	})
	if err == nil {
		if err = dev.ToInit(verbs.IBV_ACCESS_REMOTE_READ | verbs.IBV_ACCESS_REMOTE_WRITE); err != nil {
			a.note(dev.Destroy())
		}
	}
	if err != nil {
		a.note(explainLocking(err))
		return nil, refusalOf(err)
	}
	q := &qp{
		object: a.newObject(&p.object, &receiveCq.object, &initiatorCq.object),
		pd:     p, dev: dev, attributes: attributes,
		initiator: boundQueue{workQueue{depth: int(attributes.InitiatorQueueDepth)}, initiatorCq},
		receive:   boundQueue{workQueue{depth: int(attributes.ReceiveQueueDepth)}, receiveCq},
		windows:   map[*mw]struct{}{},
	}
	q.onClosing = q.shut
	q.onClosed = q.forget
	receiveCq.qps[q]++
	initiatorCq.qps[q]++
	a.objects[&q.object] = struct{}{}
	a.qps[q] = struct{}{}
	return q, ndk.STATUS_SUCCESS
}

func (a *adapter) takes(c *cq) bool {
	return c != nil && c.adapter == a && !c.closing && c.health == ndk.STATUS_SUCCESS
}

// completed finds the request of a completion of the device, and completes it into its CQ.
func (a *adapter) completed(wc verbs.WC) {
	r, known := a.requests[wc.WRID]
	if !known {
		return // of a QP that was closed (A21)
	}
	delete(a.requests, wc.WRID)
	a.progress = time.Now()
	r.Status = statusOf(wc.Status)
	if r.Status != ndk.STATUS_SUCCESS {
		r.ProviderErrorCode = wc.VendorErr // RES-05
	}
	q, queue := r.qp, r.queue
	if queue == &q.receive {
		q.received(r.request, wc)
	} else {
		if r.Status == ndk.STATUS_CANCELLED && !q.explained && !r.marker {
			// The QP was not flushed (RES-10): this is the request that failed, and the device does not say why. Soft-RoCE
			// reports a send with a bad local token that way.
			r.Status = ndk.STATUS_INTERNAL_ERROR
		}
		q.initiated(r.request)
	}
	queue.cq.await(wc.Status, r.solicited())
	q.finish(queue, queue.complete(r.request))
	if r.Status != ndk.STATUS_SUCCESS {
		q.explained = q.explained || r.Status != ndk.STATUS_CANCELLED
		q.breakDown(broken)
	}
}

// received completes a receive with what the sender says of its message.
func (q *qp) received(r *request, wc verbs.WC) {
	if q.in != nil {
		q.in.addReceives(-1)
	}
	if r.Status == ndk.STATUS_CANCELLED || q.in == nil {
		return // no message took it
	}
	message := q.in.receive()
	r.message = message
	window := q.windowOf(message)
	switch {
	case message.invalidates && window == nil:
		// INV-05. A device may take a token for valid that its owner has made invalid.
		r.Status = ndk.STATUS_CANCELLED
		q.in.abort(message)
		q.adapter.later = append(q.adapter.later, q.connection.abort)
	case r.Status == ndk.STATUS_SUCCESS:
		r.BytesTransferred = wc.ByteLen
		if message.invalidates {
			window.unbind()
			r.Type = ndk.NdkOperationTypeReceiveAndInvalidate // RES-02
			r.TypeSpecificCompletionOutput = uint64(message.token)
		}
	}
}

// windowOf returns the window that the message invalidates, nil when its token is not valid here.
func (q *qp) windowOf(m *message) *mw {
	for w := range q.windows {
		if m.invalidates && w.valid && w.token == m.token {
			return w
		}
	}
	return nil
}

// initiated records what an initiator request did to a token.
func (q *qp) initiated(r *request) {
	q.marking = q.marking && !r.marker
	if r.message != nil && r.Status == ndk.STATUS_CANCELLED && q.out.hasAborted(r.message) {
		r.Status = ndk.STATUS_CONNECTION_ABORTED // it was executed: the peer refused it (INV-05)
	}
	w := r.window
	if w == nil || w.token != r.token || w.dev == nil {
		return // nothing, or long past
	}
	bind, succeeded := r.Type == ndk.NdkOperationTypeBind, r.Status == ndk.STATUS_SUCCESS
	switch {
	case bind && !succeeded, !bind && succeeded:
		w.unbind()
	case !bind:
		w.valid = true // it was not made invalid after all
		w.qp.in.allow(w.token)
	}
}

// finish places the completions of requests that are done.
func (q *qp) finish(queue *boundQueue, done []*request) {
	for _, r := range done {
		if r.ended {
			q.initiated(r)
		}
		queue.cq.put(completion{r.ResultEx, r.solicited()})
	}
}

// breakDown leaves the QP unusable. Both queues are flushed: what the device has, by the device; what it has not, here.
func (q *qp) breakDown(state qpState) {
	if q.state >= state {
		return
	}
	wasBroken := q.state == broken
	q.state = state
	q.meeting.end(ndk.STATUS_CONNECTION_ABORTED)
	if q.in != nil {
		q.in.abandon()
	}
	if wasBroken {
		return
	}
	if !q.adapter.gone {
		if err := q.dev.ToError(); err != nil {
			q.adapter.deviceFailed(err)
		}
	}
	q.initiator.endDeferred(ndk.STATUS_CANCELLED)
	if state != closed {
		q.mark()
	}
	q.finish(&q.initiator, q.initiator.settle())
	q.initiator.cq.watchSoon()
	q.receive.cq.watchSoon()
}

// mark posts a marker behind unsignalled requests, whose end nothing else would tell. It transfers nothing.
func (q *qp) mark() {
	if q.initiator.unmarked == 0 || q.adapter.gone {
		return
	}
	r := &request{marker: true, silent: true, signalled: true}
	q.adapter.issue(r, q, &q.initiator)
	q.initiator.addMarker(r)
	work := verbs.SendWR{WRID: r.id, Opcode: verbs.IBV_WR_RDMA_WRITE, Flags: verbs.IBV_SEND_SIGNALED}
	if _, err := q.dev.PostSend([]verbs.SendWR{work}); err != nil {
		q.adapter.note(err)
		delete(q.adapter.requests, r.id)
		q.finish(&q.initiator, q.initiator.complete(r))
	}
	q.initiator.cq.watchSoon()
}

// NdkFlush does nothing to a closed QP. The QP can't be used any more afterwards: later requests are cancelled or refused (FLUSH-05).
func (q *qp) NdkFlush() {
	q.adapter.lock()
	defer q.adapter.unlock()
	if q.state == closed {
		return
	}
	q.explained = true
	q.breakDown(broken)
}

// NdkCloseQp completes at once. What had not completed never does (A21).
func (q *qp) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status { return q.close(completion) }

func (q *qp) shut() {
	q.initiator.cq.look()
	q.receive.cq.look()
	q.explained = true
	q.breakDown(closed)
	for w := range q.windows {
		w.free() // a window bound to a QP would keep it in use
	}
}

func (q *qp) forget() {
	a := q.adapter
	a.note(q.dev.Destroy())
	for _, queue := range []*boundQueue{&q.initiator, &q.receive} {
		for _, r := range queue.requests {
			delete(a.requests, r.id)
		}
		queue.requests = nil
		delete(queue.cq.qps, q)
	}
	delete(a.qps, q)
}

// indicate gives the deferred requests to the device with one call. last is the request of the present call, nil when
// that failed already; what indicate returns is the status of that request.
func (q *qp) indicate(last *request) ndk.Status {
	chain := q.initiator.chain()
	if len(chain) == 0 {
		return ndk.STATUS_SUCCESS
	}
	work := make([]verbs.SendWR, len(chain))
	var messages []*message
	for i, r := range chain {
		q.adapter.issue(r, q, &q.initiator)
		r.work.WRID = r.id
		if r.message != nil && r.message.invalidates && !q.out.claim(r.message.token) {
			// INV-05: the peer's device is to abort the connection. No device takes 0 for a token.
			r.message.token, r.work.RKey = 0, 0
		}
		if r.signalled {
			r.work.Flags |= verbs.IBV_SEND_SIGNALED
		}
		work[i] = r.work
		if r.message != nil {
			messages = append(messages, r.message)
		}
	}
	q.out.send(messages)
	q.adapter.progress = time.Now()
	n, err := q.dev.PostSend(work)
	q.initiator.posted(n)
	q.initiator.cq.watchSoon()
	if n == len(chain) {
		return ndk.STATUS_SUCCESS
	}
	unsent := 0
	for _, r := range chain[n:] {
		delete(q.adapter.requests, r.id)
		if r.message != nil {
			unsent++
			if r.message.token != 0 {
				q.out.allow(r.message.token)
			}
		}
	}
	q.out.unsend(unsent)
	status := refusalOf(err)
	if err == nil {
		status = ndk.STATUS_INTERNAL_ERROR
	}
	if last != nil {
		q.initiator.removeLast()
	}
	if refused := chain[n]; refused != last {
		// It was accepted, so it completes, as a failure, which the QP does not survive.
		q.initiator.endDeferred(status)
		q.explained = true
		q.breakDown(broken)
	}
	return status
}

// The flags that a call takes (POST-11).
const chainFlags = ndk.NDK_OP_FLAG_SILENT_SUCCESS | ndk.NDK_OP_FLAG_READ_FENCE | ndk.NDK_OP_FLAG_DEFER

var takenFlags = map[ndk.OperationType]ndk.OpFlags{
	ndk.NdkOperationTypeSend:         chainFlags | ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | ndk.NDK_OP_FLAG_INLINE,
	ndk.NdkOperationTypeRead:         chainFlags | ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, // which is ignored: INV-03
	ndk.NdkOperationTypeWrite:        chainFlags | ndk.NDK_OP_FLAG_INLINE,
	ndk.NdkOperationTypeFastRegister: chainFlags | registrationFlags,
	ndk.NdkOperationTypeBind:         chainFlags | remoteAccess,
	ndk.NdkOperationTypeInvalidate:   chainFlags,
}

func (q *qp) NdkSend(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeSend, verbs.IBV_WR_SEND, requestContext, flags, sgl)
	r.message = &message{solicited: flags.Has(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT)}
	return q.post(r, sgl, flags, nil)
}

func (q *qp) NdkSendAndInvalidate(
	requestContext any, sgl []ndk.Sge, flags ndk.OpFlags, remoteToken ndk.Token,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeSend, verbs.IBV_WR_SEND_WITH_INV, requestContext, flags, sgl) // RES-01
	r.work.RKey = uint32(remoteToken)
	r.message = &message{
		solicited:   flags.Has(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT),
		invalidates: true, token: uint32(remoteToken),
	}
	return q.post(r, sgl, flags, func() ndk.Status {
		if !q.adapter.attributes.MemMgtExtensions {
			return ndk.STATUS_NOT_SUPPORTED
		}
		return ndk.STATUS_SUCCESS
	})
}

func (q *qp) NdkRead(
	requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token, flags ndk.OpFlags,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeRead, verbs.IBV_WR_RDMA_READ, requestContext, flags, sgl)
	r.work.RemoteAddr, r.work.RKey = remoteAddress, uint32(remoteToken)
	return q.post(r, sgl, flags, nil)
}

func (q *qp) NdkWrite(
	requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token, flags ndk.OpFlags,
) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeWrite, verbs.IBV_WR_RDMA_WRITE, requestContext, flags, sgl)
	r.work.RemoteAddr, r.work.RKey = remoteAddress, uint32(remoteToken)
	return q.post(r, sgl, flags, nil)
}

// NdkFastRegister always returns STATUS_NOT_SUPPORTED, or what else is wrong with the call.
func (q *qp) NdkFastRegister(requestContext any, _ ndk.Mr, _ []byte, flags ndk.OpFlags) ndk.Status {
	r := q.newRequest(ndk.NdkOperationTypeFastRegister, 0, requestContext, flags, nil)
	return q.post(r, nil, flags, func() ndk.Status { return ndk.STATUS_NOT_SUPPORTED })
}

// NdkBind returns STATUS_INVALID_PARAMETER for an Mr or Mw that is nil, of another PD, not registered or closed, and for a buffer that is empty or not
// inside the Mr (MEM-15). It returns STATUS_ACCESS_VIOLATION while the window's token is valid, and if remote writing is allowed where local writing is
// not (MEM-16). It ends a chain: the device reads a window's old token from the window, so one bind has to be posted before the next is made.
func (q *qp) NdkBind(
	requestContext any, mrHandle ndk.Mr, mwHandle ndk.Mw, buffer []byte, flags ndk.OpFlags,
) ndk.Status {
	m, _ := mrHandle.(*mr)
	w, _ := mwHandle.(*mw)
	r := q.newRequest(ndk.NdkOperationTypeBind, verbs.IBV_WR_BIND_MW, requestContext, flags, nil)
	return q.post(r, nil, flags&^ndk.NDK_OP_FLAG_DEFER, func() ndk.Status {
		access := accessOf(flags & remoteAccess)
		switch {
		case m == nil, w == nil, m.pd != q.pd, w.pd != q.pd, m.closing, w.closing, m.dev == nil,
			len(buffer) == 0, !m.contains(buffer):
			return ndk.STATUS_INVALID_PARAMETER
		case w.valid, access&^m.access != 0:
			return ndk.STATUS_ACCESS_VIOLATION
		}
		if w.dev == nil {
			dev, err := q.pd.dev.AllocMW()
			if err != nil {
				q.adapter.note(err)
				return refusalOf(err)
			}
			w.dev = dev
		}
		r.window, r.token = w, verbs.IncRKey(w.dev.RKey)
		r.work.Bind = verbs.BindMW{
			MW: w.dev, RKey: r.token, MR: m.dev,
			Addr: ndk.VirtualAddress(buffer), Length: uint64(len(buffer)), Access: access &^ verbs.IBV_ACCESS_LOCAL_WRITE,
		}
		w.bind(m, q, r.token)
		return ndk.STATUS_SUCCESS
	})
}

// NdkInvalidate returns STATUS_INVALID_PARAMETER for anything but an open Mw that was bound (INV-07), and STATUS_ACCESS_VIOLATION if its token is
// already invalid (POLL-08), which some devices would accept.
func (q *qp) NdkInvalidate(requestContext any, handle ndk.MrOrMw, flags ndk.OpFlags) ndk.Status {
	w, _ := handle.(*mw)
	r := q.newRequest(ndk.NdkOperationTypeInvalidate, verbs.IBV_WR_LOCAL_INV, requestContext, flags, nil)
	return q.post(r, nil, flags, func() ndk.Status {
		if w == nil || w.pd != q.pd || w.closing || !w.bound {
			return ndk.STATUS_INVALID_PARAMETER
		}
		if w.valid {
			w.qp.receive.cq.look() // the peer may have been faster
		}
		switch {
		case q.state != connected:
			return ndk.STATUS_CONNECTION_INVALID
		case !w.valid || !w.qp.in.claim(w.token):
			return ndk.STATUS_ACCESS_VIOLATION
		}
		r.window, r.token, r.work.RKey = w, w.token, w.token
		w.valid = false
		return ndk.STATUS_SUCCESS
	})
}

func (q *qp) newRequest(
	operation ndk.OperationType, opcode verbs.WROpcode, context any, flags ndk.OpFlags, sgl []ndk.Sge,
) *request {
	r := &request{silent: flags.Has(ndk.NDK_OP_FLAG_SILENT_SUCCESS)}
	r.Type, r.QPContext, r.RequestContext = operation, q.attributes.QPContext, context
	r.work.Opcode = opcode
	if flags.Has(ndk.NDK_OP_FLAG_READ_FENCE) {
		r.work.Flags |= verbs.IBV_SEND_FENCE
	}
	if flags.Has(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT) {
		r.work.Flags |= verbs.IBV_SEND_SOLICITED
	}
	if !flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		r.work.SGList = elements(sgl)
		return r
	}
	r.work.Flags |= verbs.IBV_SEND_INLINE
	for _, sge := range sgl {
		room := int(q.attributes.InlineDataSize) + 1 - len(r.inline) // one more than there may be: admit refuses it
		r.inline = append(r.inline, sge.Buffer[:min(len(sge.Buffer), room)]...)
	}
	if len(r.inline) > 0 {
		r.work.SGList = []verbs.SGE{{Addr: ndk.VirtualAddress(r.inline), Length: uint32(len(r.inline))}}
	}
	return r
}

func elements(sgl []ndk.Sge) []verbs.SGE {
	list := make([]verbs.SGE, 0, len(sgl))
	for _, sge := range sgl {
		if len(sge.Buffer) > 0 { // a length of 0 means 2^31 to verbs
			list = append(list, verbs.SGE{
				Addr: ndk.VirtualAddress(sge.Buffer), Length: uint32(len(sge.Buffer)), LKey: uint32(sge.MemoryRegionToken),
			})
		}
	}
	return list
}

// post queues an initiator request, or refuses it and indicates all that were deferred before (DEF-05). prepare does
// what the operation demands, after everything else was checked.
func (q *qp) post(r *request, sgl []ndk.Sge, flags ndk.OpFlags, prepare func() ndk.Status) ndk.Status {
	q.adapter.lock()
	defer q.adapter.unlock()
	status := q.admit(r, sgl, flags)
	if status == ndk.STATUS_SUCCESS && prepare != nil {
		status = prepare()
	}
	if status != ndk.STATUS_SUCCESS {
		q.indicate(nil) // the completions of the earlier requests report their outcome
		return status
	}
	q.initiator.add(r)
	if flags.Has(ndk.NDK_OP_FLAG_DEFER) {
		return ndk.STATUS_SUCCESS
	}
	if status = q.indicate(r); status != ndk.STATUS_SUCCESS {
		r.Status = status
		q.initiated(r)
	}
	return status
}

// admit checks what all initiator posts have in common.
func (q *qp) admit(r *request, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	inline := flags.Has(ndk.NDK_OP_FLAG_INLINE)
	switch {
	case q.state != connected:
		return ndk.STATUS_CONNECTION_INVALID // POST-08, ARM-18
	case flags&^takenFlags[r.Type] != 0:
		return ndk.STATUS_INVALID_PARAMETER
	case len(r.inline) > int(q.attributes.InlineDataSize):
		return ndk.STATUS_INVALID_PARAMETER // FLAG-05
	case !inline && (len(sgl) > int(q.attributes.MaxInitiatorRequestSge) || !q.inRegions(sgl)):
		return ndk.STATUS_INVALID_PARAMETER // POST-07, POST-12
	}
	r.doomed = !inline && slices.ContainsFunc(sgl, func(sge ndk.Sge) bool {
		return len(sge.Buffer) > 0 && q.adapter.regions[sge.MemoryRegionToken] == nil
	})
	if q.initiator.full() {
		q.initiator.cq.look()
	}
	switch {
	case q.initiator.full():
		return ndk.STATUS_INSUFFICIENT_RESOURCES // POST-06
	case q.state != connected:
		return ndk.STATUS_CONNECTION_INVALID
	}
	return ndk.STATUS_SUCCESS
}

// inRegions says whether each buffer is inside the memory of its token, as far as tokens are known: one that is not is
// left to the device, which fails the request.
func (q *qp) inRegions(sgl []ndk.Sge) bool {
	return !slices.ContainsFunc(sgl, func(sge ndk.Sge) bool {
		m := q.adapter.regions[sge.MemoryRegionToken]
		return m != nil && m.pd == q.pd && len(sge.Buffer) > 0 && !m.contains(sge.Buffer)
	})
}

// NdkReceive may be called before the QP is connected (POST-09). On a broken QP the receive is cancelled without the device, because some devices flush
// only what was posted before.
func (q *qp) NdkReceive(requestContext any, sgl []ndk.Sge) ndk.Status {
	a := q.adapter
	a.lock()
	defer a.unlock()
	if q.receive.full() {
		q.receive.cq.look()
	}
	switch {
	case q.state == closed:
		return ndk.STATUS_CONNECTION_INVALID
	case len(sgl) > int(q.attributes.MaxReceiveRequestSge) || !q.inRegions(sgl):
		return ndk.STATUS_INVALID_PARAMETER
	case q.receive.full():
		return ndk.STATUS_INSUFFICIENT_RESOURCES
	}
	r := &request{signalled: true}
	r.Type, r.QPContext, r.RequestContext = ndk.NdkOperationTypeReceive, q.attributes.QPContext, requestContext
	q.receive.add(r)
	if q.state == broken {
		q.receive.endDeferred(ndk.STATUS_CANCELLED)
		q.finish(&q.receive, q.receive.settle())
		return ndk.STATUS_SUCCESS
	}
	a.issue(r, q, &q.receive)
	if q.in != nil {
		q.in.addReceives(1)
	}
	if _, err := q.dev.PostRecv([]verbs.RecvWR{{WRID: r.id, SGList: elements(sgl)}}); err != nil {
		delete(a.requests, r.id)
		q.receive.removeLast()
		if q.in != nil {
			q.in.addReceives(-1)
		}
		return refusalOf(err)
	}
	q.receive.posted(1)
	q.receive.cq.watchSoon()
	return ndk.STATUS_SUCCESS
}
