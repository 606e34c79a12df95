package refimpl

import (
	"runtime"

	"ndkoracle/ndk"
)

// runDevice is the device goroutine of a QP: it takes hidden steps until the QP is closed.
func (q *qp) runDevice() {
	q.adapter.mu.Lock()
	defer q.adapter.mu.Unlock()
	for !q.closed {
		if q.step() {
			q.finishClose()
			q.adapter.mu.Unlock()
			runtime.Gosched() // between two steps anyone may act
			q.adapter.mu.Lock()
			continue
		}
		q.adapter.rest.Broadcast()
		q.work.Wait()
	}
	q.adapter.rest.Broadcast()
}

func (q *qp) canStep() bool {
	return q.initiator.executed > 0 || q.receive.executed > 0 || q.canExecute()
}

// step performs one hidden step: it executes a request, or places the completion of one. It returns false if neither is possible.
func (q *qp) step() bool {
	placeable := q.initiator.executed > 0 || q.receive.executed > 0
	if q.canExecute() && (!placeable || q.may(ExecuteAhead)) {
		q.execute()
		return true
	}
	if !placeable {
		return false
	}
	first := &q.receive
	if first.executed == 0 || q.initiator.executed > 0 && q.may(InitiatorQueueFirst) {
		first = &q.initiator
	}
	q.complete(first)
	return true
}

// complete removes the oldest request of a queue, which was executed, and places its completion, unless it is silent (FLAG-01, FLAG-02).
func (q *qp) complete(from *queue) {
	r := from.remove()
	if r.flags.Has(ndk.NDK_OP_FLAG_SILENT_SUCCESS) &&
		(r.Status == ndk.STATUS_SUCCESS || q.adapter.seeded(bugSilentFailureLost)) {
		return
	}
	entry := completion{r.ResultEx, from, r.solicited}
	from.cq.place(entry)
	if q.adapter.seeded(bugDuplicateCompletion) && len(from.cq.entries) < from.cq.depth {
		from.cq.place(entry)
	}
}

// canExecute says whether the oldest initiator request that was not executed can be: a send waits for a receive, unless
// it fails before it would need one. Nothing else waits, because a QP that is not connected has cancelled its requests.
func (q *qp) canExecute() bool {
	r := q.initiator.next()
	if q.state != connected {
		return r != nil || q.state != idle && q.receive.next() != nil
	}
	if r == nil {
		return false
	}
	if r.Type != ndk.NdkOperationTypeSend || q.peer.state != connected || q.peer.receive.next() != nil {
		return true
	}
	_, status := q.source(r)
	return status != ndk.STATUS_SUCCESS
}

// execute executes one request, whole: the next one begins when all reads before it are complete, with or without
// NDK_OP_FLAG_READ_FENCE (FLAG-04).
func (q *qp) execute() {
	r := q.initiator.next()
	switch {
	case q.state != connected && r != nil:
		q.finish(&q.initiator, ndk.STATUS_CANCELLED)
	case q.state != connected:
		q.finish(&q.receive, ndk.STATUS_CANCELLED)
	case r.Type == ndk.NdkOperationTypeSend:
		q.deliver(r)
	default:
		q.finish(&q.initiator, q.perform(r))
	}
}

// finish gives a queue's next request its outcome. A failure breaks the QP.
func (q *qp) finish(of *queue, status ndk.Status) {
	r := of.next()
	of.finish(status)
	if status == ndk.STATUS_SUCCESS {
		return
	}
	if r.Type == ndk.NdkOperationTypeFastRegister || r.Type == ndk.NdkOperationTypeBind {
		q.adapter.invalidate(r.region)
	}
	if status != ndk.STATUS_CANCELLED {
		q.breakDown(broken)
	}
}

// perform does a request that involves no request of the peer, and returns its status.
func (q *qp) perform(r *request) ndk.Status {
	switch r.Type {
	case ndk.NdkOperationTypeFastRegister:
		return q.fastRegister(r)
	case ndk.NdkOperationTypeBind:
		return q.bind(r)
	case ndk.NdkOperationTypeInvalidate:
		return q.invalidate(r)
	case ndk.NdkOperationTypeRead:
		return q.read(r)
	default:
		return q.write(r)
	}
}

func (q *qp) fastRegister(r *request) ndk.Status {
	if r.object.closing || r.object.current.isValid() {
		return ndk.STATUS_ACCESS_VIOLATION
	}
	r.object.current = r.region
	q.adapter.validate(r.region)
	return ndk.STATUS_SUCCESS
}

func (q *qp) bind(r *request) ndk.Status {
	under := r.region.within.current
	address, length := ndk.VirtualAddress(r.region.memory), uint64(len(r.region.memory))
	if r.object.closing || r.object.current.isValid() || !under.isValid() || under.part(address, length) == nil {
		return ndk.STATUS_ACCESS_VIOLATION
	}
	if r.region.flags.Has(ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE) && !under.flags.Has(ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE) {
		return ndk.STATUS_ACCESS_VIOLATION // MEM-16
	}
	r.object.current = r.region
	q.adapter.validate(r.region)
	return ndk.STATUS_SUCCESS
}

func (q *qp) invalidate(r *request) ndk.Status {
	if !r.region.valid {
		return ndk.STATUS_ACCESS_VIOLATION // POLL-08
	}
	q.adapter.invalidate(r.region)
	return ndk.STATUS_SUCCESS
}

func (q *qp) read(r *request) ndk.Status {
	sink, status := q.local(r.sgl, ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE)
	if status != ndk.STATUS_SUCCESS {
		return status
	}
	source, status := q.remote(r, size(sink), ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ)
	if status != ndk.STATUS_SUCCESS {
		return status
	}
	move(sink, [][]byte{source})
	if r.flags.Has(ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) && len(r.sgl) > 0 {
		first := q.adapter.regions[r.sgl[0].MemoryRegionToken] // INV-01
		if first == nil || !first.revocable {
			return ndk.STATUS_ACCESS_VIOLATION
		}
		q.adapter.invalidate(first)
	}
	return ndk.STATUS_SUCCESS
}

func (q *qp) write(r *request) ndk.Status {
	source, status := q.source(r)
	if status != ndk.STATUS_SUCCESS {
		return status
	}
	sink, status := q.remote(r, size(source), ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE)
	if status != ndk.STATUS_SUCCESS {
		return status
	}
	move([][]byte{sink}, source)
	return ndk.STATUS_SUCCESS
}

// deliver executes a send and the peer's receive together, or as far as they come.
func (q *qp) deliver(r *request) {
	source, status := q.source(r)
	if status != ndk.STATUS_SUCCESS {
		q.finish(&q.initiator, status)
		return
	}
	peer := q.peer
	if peer.state != connected {
		q.finish(&q.initiator, ndk.STATUS_CONNECTION_ABORTED)
		return
	}
	receive := peer.receive.next()
	sink, status := peer.local(receive.sgl, ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE)
	if status == ndk.STATUS_SUCCESS && size(sink) < size(source) {
		status = ndk.STATUS_BUFFER_TOO_SMALL
	}
	if status != ndk.STATUS_SUCCESS {
		peer.finish(&peer.receive, status)
		q.finish(&q.initiator, ndk.STATUS_REMOTE_RESOURCES)
		return
	}
	if r.peerInvalidate && !peer.invalidateForPeer(r.remoteToken) {
		q.abort()
		return
	}
	move(sink, source)
	receive.BytesTransferred = uint32(size(source))
	receive.solicited = r.flags.Has(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT)
	if r.peerInvalidate {
		receive.Type = ndk.NdkOperationTypeReceiveAndInvalidate // RES-02
		receive.TypeSpecificCompletionOutput = uint64(r.remoteToken)
	}
	peer.finish(&peer.receive, ndk.STATUS_SUCCESS)
	q.finish(&q.initiator, ndk.STATUS_SUCCESS)
	if peer.receive.executed == 1 && q.may(ReceiveBeforeSend) {
		peer.complete(&peer.receive)
	}
	q.wake()
}

// invalidateForPeer makes a token invalid before the receive that tells of it completes (RES-09, INV-06). It returns
// false for a token that is invalid or may not be invalidated.
func (q *qp) invalidateForPeer(token ndk.Token) bool {
	r := q.adapter.usable(token, q.pd, 0)
	if r == nil || !r.revocable {
		return q.adapter.seeded(bugBadTokenAccepted)
	}
	if !q.adapter.seeded(bugTokenSurvivesPlainPoll) {
		q.adapter.invalidate(r)
	}
	return true
}

// abort ends the connection because this side's send named a bad token: no receive succeeds (INV-05).
func (q *qp) abort() {
	status := ndk.STATUS_SUCCESS
	if q.may(AbortedSendFails) {
		status = ndk.STATUS_CONNECTION_ABORTED
	}
	q.finish(&q.initiator, status)
	q.breakDown(broken)
	q.peer.breakDown(broken)
}

// source returns the local bytes that a send or a write moves.
func (q *qp) source(r *request) ([][]byte, ndk.Status) {
	if r.flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		return [][]byte{r.inline}, ndk.STATUS_SUCCESS
	}
	return q.local(r.sgl, 0)
}

// local returns the memory of a scatter/gather list: STATUS_ACCESS_VIOLATION when a token does not allow it. An empty
// buffer needs no token.
func (q *qp) local(sgl []ndk.Sge, flags ndk.OpFlags) ([][]byte, ndk.Status) {
	memory := make([][]byte, 0, len(sgl))
	for _, sge := range sgl {
		if len(sge.Buffer) == 0 {
			continue
		}
		r := q.adapter.usable(sge.MemoryRegionToken, q.pd, flags)
		if r == nil || r.part(ndk.VirtualAddress(sge.Buffer), uint64(len(sge.Buffer))) == nil {
			return nil, ndk.STATUS_ACCESS_VIOLATION
		}
		memory = append(memory, sge.Buffer)
	}
	return memory, ndk.STATUS_SUCCESS
}

// remote returns the peer's memory that a read or write names: STATUS_REMOTE_RESOURCES when its token does not allow it
// (POST-15), STATUS_CONNECTION_ABORTED when the peer is no longer there. No bytes need no token.
func (q *qp) remote(r *request, length uint64, flags ndk.OpFlags) ([]byte, ndk.Status) {
	if q.peer.state != connected {
		return nil, ndk.STATUS_CONNECTION_ABORTED
	}
	if length == 0 {
		return nil, ndk.STATUS_SUCCESS
	}
	region := q.adapter.usable(r.remoteToken, q.peer.pd, flags)
	if region == nil {
		return nil, ndk.STATUS_REMOTE_RESOURCES
	}
	memory := region.part(r.remoteAddress, length)
	if memory == nil {
		return nil, ndk.STATUS_REMOTE_RESOURCES
	}
	return memory, ndk.STATUS_SUCCESS
}

func size(memory [][]byte) uint64 {
	n := uint64(0)
	for _, part := range memory {
		n += uint64(len(part))
	}
	return n
}

// move copies the source's bytes into the sink, which has room for them.
func move(sink, source [][]byte) {
	for _, from := range source {
		for len(from) > 0 {
			n := copy(sink[0], from)
			from, sink[0] = from[n:], sink[0][n:]
			if len(sink[0]) == 0 {
				sink = sink[1:]
			}
		}
	}
}
