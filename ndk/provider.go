package ndk

import "unsafe"

// A Token names a registered region of memory to the local or to a remote adapter.
type Token uint32

// Sge is NDK_SGE: one stretch of local memory of a request. The token may be invalid on a request with
// NDK_OP_FLAG_INLINE (FLAG-07).
type Sge struct {
	Buffer            []byte
	MemoryRegionToken Token
}

// Result is NDK_RESULT. BytesTransferred has a meaning for receives only (RES-04), in bytes.
type Result struct {
	Status           Status
	BytesTransferred uint32
	QPContext        any
	RequestContext   any
}

// ResultEx is NDK_RESULT_EX. ProviderErrorCode is 0 when Status is STATUS_SUCCESS (RES-05).
// TypeSpecificCompletionOutput is the invalidated token when Type is NdkOperationTypeReceiveAndInvalidate, and
// undefined otherwise (RES-03).
type ResultEx struct {
	Result
	Type                         OperationType
	ProviderErrorCode            uint32
	TypeSpecificCompletionOutput uint64
}

// AdapterInfo is the part of NDK_ADAPTER_INFO that consumers of this module need.
type AdapterInfo struct {
	VersionMajor, VersionMinor uint16
	MaxCqDepth                 uint32
	MaxInitiatorQueueDepth     uint32
	MaxReceiveQueueDepth       uint32
	MaxInlineDataSize          uint32
	FastRegister               bool // NdkFastRegister is supported
	Bind                       bool // NdkBind is supported
	RemoteInvalidate           bool // NdkSendAndInvalidate is supported
}

// CqNotification is where a CQ's notifications go: the NdkCqNotificationCallback of NdkCreateCq.
//
// A provider notifies in two moves. It calls Enter at the very moment from which it treats the completions in the CQ as
// reported (ARM-04), with whatever lock makes that moment atomic; Enter does not call back into the provider. It then
// calls the function that Enter returned, without a lock: that is the consumer's callback, which may poll, arm and
// close. The callback has returned when that function returns. Calls of one CQ never overlap (ARM-06).
type CqNotification interface {
	Enter(cq Cq, cqStatus Status) (callback func())
}

// NdkCqNotificationCallback is the usual CqNotification: a function. CqStatus is STATUS_SUCCESS,
// STATUS_BUFFER_OVERFLOW or STATUS_INTERNAL_ERROR (ARM-15).
type NdkCqNotificationCallback func(cq Cq, cqStatus Status)

// Enter implements CqNotification.
func (f NdkCqNotificationCallback) Enter(cq Cq, cqStatus Status) func() {
	return func() { f(cq, cqStatus) }
}

// NdkCloseCompletion is called once when a close that returned STATUS_PENDING has completed (ASY-01), and never when it
// returned another status (ASY-02).
type NdkCloseCompletion func()

// Adapter is NDK_ADAPTER.
//
// Go calls may block where kernel calls may not, so a call that NDKPI lets return STATUS_PENDING returns its final
// status here; only closing, which a callback may do to its own CQ, is asynchronous.
type Adapter interface {
	NdkQueryAdapterInfo() AdapterInfo
	NdkCreatePd() (Pd, Status)
	// NdkCreateCq returns STATUS_INVALID_PARAMETER for a depth of 0 or above MaxCqDepth (RSZ-01). notification may be
	// nil: then arming has no effect that could be seen.
	NdkCreateCq(depth uint32, notification CqNotification) (Cq, Status)
	// NdkConnect joins qp to the QP that was, or within the provider's limit of time is, offered with NdkAccept under
	// the same address: any text. It stands for the connector's and the listener's calls of NDKPI.
	// STATUS_CONNECTION_REFUSED or STATUS_IO_TIMEOUT when no QP was offered.
	NdkConnect(qp Qp, address string) Status
	NdkAccept(qp Qp, address string) Status
	// NdkCloseAdapter closes everything that is still open and returns after the last callback has returned (LIFE-14).
	// It must not be called from a callback (LIFE-13).
	NdkCloseAdapter()
}

// Pd is NDK_PD, a protection domain.
type Pd interface {
	NdkCreateMr(fastRegister bool) (Mr, Status)
	NdkCreateMw() (Mw, Status)
	NdkCreateQp(attributes QpAttributes) (Qp, Status)
	NdkClosePd(completion NdkCloseCompletion) Status
}

// QpAttributes are the arguments of NdkCreateQp; depths in requests, InlineDataSize in bytes.
type QpAttributes struct {
	ReceiveCq, InitiatorCq                       Cq
	QPContext                                    any
	ReceiveQueueDepth, InitiatorQueueDepth       uint32
	MaxReceiveRequestSge, MaxInitiatorRequestSge uint32
	InlineDataSize                               uint32
}

// Cq is NDK_CQ. The consumer serialises NdkArmCq, NdkGetCqResults and NdkGetCqResultsEx on one CQ (POLL-01). All of
// them may be called from the CQ's own callback.
type Cq interface {
	// NdkArmCq asks for one callback (ARM-01 to ARM-12).
	NdkArmCq(notifyType NotifyType)
	// NdkGetCqResults moves the oldest completions into results and returns their number; 0 only when the CQ is empty
	// (POLL-03).
	NdkGetCqResults(results []Result) int
	// NdkGetCqResultsEx is NdkGetCqResults with more to tell of each completion (POLL-06).
	NdkGetCqResultsEx(results []ResultEx) int
	// NdkCloseCq returns STATUS_SUCCESS, or STATUS_PENDING when a callback is running or a QP still uses the CQ
	// (LIFE-04, LIFE-08); completion, which may be nil, is called in that case only.
	NdkCloseCq(completion NdkCloseCompletion) Status
}

// Qp is NDK_QP. At most one thread at a time may post initiator requests, and at most one may call NdkReceive (POST-01, POST-02).
//
// A call that posts a request returns STATUS_SUCCESS if the request is queued. With any other status the request is not queued and never completes
// (DEF-03), and every earlier deferred request of the QP is now indicated to the hardware (DEF-05). The other statuses are:
//
//   - STATUS_CONNECTION_INVALID if the QP is not connected (POST-08);
//   - STATUS_INSUFFICIENT_RESOURCES if the queue is full;
//   - STATUS_INVALID_PARAMETER for flags that the call does not accept (POST-11), memory outside the token's region, or too much inline data;
//   - STATUS_NOT_SUPPORTED if the adapter has no such request.
type Qp interface {
	NdkSend(requestContext any, sgl []Sge, flags OpFlags) Status
	NdkSendAndInvalidate(requestContext any, sgl []Sge, flags OpFlags, remoteToken Token) Status
	NdkReceive(requestContext any, sgl []Sge) Status
	NdkRead(requestContext any, sgl []Sge, remoteAddress uint64, remoteToken Token, flags OpFlags) Status
	NdkWrite(requestContext any, sgl []Sge, remoteAddress uint64, remoteToken Token, flags OpFlags) Status
	// NdkFastRegister gives mr, created for fast registration, the memory of buffer. mr's remote token can be read when
	// the call returns (MEM-05).
	NdkFastRegister(requestContext any, mr Mr, buffer []byte, flags OpFlags) Status
	// NdkBind binds mw to buffer, which lies inside mr. mw's remote token can be read when the call returns (MEM-17).
	NdkBind(requestContext any, mr Mr, mw Mw, buffer []byte, flags OpFlags) Status
	// NdkInvalidate invalidates the token of an Mr that was fast-registered or an Mw that was bound (INV-07). If the token is already invalid, it fails,
	// inline or in its completion (POLL-08).
	NdkInvalidate(requestContext any, object MrOrMw, flags OpFlags) Status
	// NdkFlush cancels what is pending in both queues (FLUSH-01): each request completes, with STATUS_CANCELLED where
	// it had not finished. It is VOID in ndkpi.h: it does not fail.
	NdkFlush()
	NdkCloseQp(completion NdkCloseCompletion) Status
}

// MrOrMw is the argument of NdkInvalidate: an Mr or an Mw.
type MrOrMw interface {
	// RemoteToken is NdkGetRemoteTokenFromMr or NdkGetRemoteTokenFromMw.
	RemoteToken() Token
}

// Mr is NDK_MR, a memory region.
type Mr interface {
	MrOrMw
	// NdkRegisterMr makes buffer usable by the adapter; flags are NDK_OP_FLAG_ALLOW_…. The buffer belongs to the
	// adapter until the Mr is closed.
	NdkRegisterMr(buffer []byte, flags OpFlags) Status
	NdkGetLocalTokenFromMr() Token
	NdkCloseMr(completion NdkCloseCompletion) Status
}

// Mw is NDK_MW, a memory window.
type Mw interface {
	MrOrMw
	NdkCloseMw(completion NdkCloseCompletion) Status
}

// VirtualAddress returns where buffer begins: what a peer passes as remoteAddress to reach its first byte. It returns 0
// for an empty buffer.
func VirtualAddress(buffer []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))
}
