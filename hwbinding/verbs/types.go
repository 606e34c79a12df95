package verbs

import (
	"fmt"
	"syscall"
	"unsafe"
)

// WCStatus is enum ibv_wc_status.
type WCStatus uint32

// The statuses of a completion.
const (
	IBV_WC_SUCCESS WCStatus = iota
	IBV_WC_LOC_LEN_ERR
	IBV_WC_LOC_QP_OP_ERR
	IBV_WC_LOC_EEC_OP_ERR
	IBV_WC_LOC_PROT_ERR
	IBV_WC_WR_FLUSH_ERR
	IBV_WC_MW_BIND_ERR
	IBV_WC_BAD_RESP_ERR
	IBV_WC_LOC_ACCESS_ERR
	IBV_WC_REM_INV_REQ_ERR
	IBV_WC_REM_ACCESS_ERR
	IBV_WC_REM_OP_ERR
	IBV_WC_RETRY_EXC_ERR
	IBV_WC_RNR_RETRY_EXC_ERR
	IBV_WC_LOC_RDD_VIOL_ERR
	IBV_WC_REM_INV_RD_REQ_ERR
	IBV_WC_REM_ABORT_ERR
	IBV_WC_INV_EECN_ERR
	IBV_WC_INV_EEC_STATE_ERR
	IBV_WC_FATAL_ERR
	IBV_WC_RESP_TIMEOUT_ERR
	IBV_WC_GENERAL_ERR
)

var wcStatusNames = [...]string{
	"SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR", "MW_BIND_ERR",
	"BAD_RESP_ERR", "LOC_ACCESS_ERR", "REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR", "RETRY_EXC_ERR",
	"RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR", "REM_INV_RD_REQ_ERR", "REM_ABORT_ERR", "INV_EECN_ERR",
	"INV_EEC_STATE_ERR", "FATAL_ERR", "RESP_TIMEOUT_ERR", "GENERAL_ERR",
}

// String returns the whole name, as traces have it.
func (s WCStatus) String() string { return name("IBV_WC_", wcStatusNames[:], uint32(s)) }

// WCOpcode is enum ibv_wc_opcode. It has a meaning only in a completion that succeeded.
type WCOpcode uint32

// The opcodes of completions that this package's requests can have.
const (
	IBV_WC_SEND       WCOpcode = 0
	IBV_WC_RDMA_WRITE WCOpcode = 1
	IBV_WC_RDMA_READ  WCOpcode = 2
	IBV_WC_BIND_MW    WCOpcode = 5
	IBV_WC_LOCAL_INV  WCOpcode = 6
	IBV_WC_RECV       WCOpcode = 128
)

var wcOpcodeNames = [...]string{"SEND", "RDMA_WRITE", "RDMA_READ", "COMP_SWAP", "FETCH_ADD", "BIND_MW", "LOCAL_INV"}

// String returns the name without its prefix, as traces have it.
func (o WCOpcode) String() string {
	if o == IBV_WC_RECV {
		return "RECV"
	}
	return name("", wcOpcodeNames[:], uint32(o))
}

// WROpcode is enum ibv_wr_opcode.
type WROpcode uint32

// The requests that this package posts.
const (
	IBV_WR_RDMA_WRITE    WROpcode = 0
	IBV_WR_SEND          WROpcode = 2
	IBV_WR_RDMA_READ     WROpcode = 4
	IBV_WR_LOCAL_INV     WROpcode = 7
	IBV_WR_BIND_MW       WROpcode = 8
	IBV_WR_SEND_WITH_INV WROpcode = 9
)

var wrOpcodeNames = [...]string{
	"RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "SEND", "SEND_WITH_IMM", "RDMA_READ", "ATOMIC_CMP_AND_SWP",
	"ATOMIC_FETCH_AND_ADD", "LOCAL_INV", "BIND_MW", "SEND_WITH_INV",
}

// String returns the name without its prefix, as traces have it.
func (o WROpcode) String() string { return name("", wrOpcodeNames[:], uint32(o)) }

// SendFlags is enum ibv_send_flags.
type SendFlags uint32

// The flags of a request.
const (
	IBV_SEND_FENCE     SendFlags = 1
	IBV_SEND_SIGNALED  SendFlags = 2
	IBV_SEND_SOLICITED SendFlags = 4
	IBV_SEND_INLINE    SendFlags = 8
)

var sendFlagNames = [...]string{"FENCE", "SIGNALED", "SOLICITED", "INLINE"}

// Names returns the flags' names without their prefix.
func (f SendFlags) Names() []string {
	var names []string
	for bit, name := range sendFlagNames {
		if f&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Access is enum ibv_access_flags.
type Access uint32

// What may be done with memory.
const (
	IBV_ACCESS_LOCAL_WRITE  Access = 1
	IBV_ACCESS_REMOTE_WRITE Access = 2
	IBV_ACCESS_REMOTE_READ  Access = 4
	IBV_ACCESS_MW_BIND      Access = 16
)

// QPState is enum ibv_qp_state.
type QPState uint32

// The states of a QP that this package knows.
const (
	IBV_QPS_RESET QPState = 0
	IBV_QPS_INIT  QPState = 1
	IBV_QPS_RTR   QPState = 2
	IBV_QPS_RTS   QPState = 3
	IBV_QPS_ERR   QPState = 6
)

var qpStateNames = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

// String returns the name without its prefix, as traces have it.
func (s QPState) String() string { return name("", qpStateNames[:], uint32(s)) }

// EventType is enum ibv_event_type.
type EventType uint32

// The asynchronous events that this package's users act on; the others have names all the same.
const (
	IBV_EVENT_CQ_ERR        EventType = 0
	IBV_EVENT_QP_FATAL      EventType = 1
	IBV_EVENT_QP_REQ_ERR    EventType = 2
	IBV_EVENT_QP_ACCESS_ERR EventType = 3
	IBV_EVENT_DEVICE_FATAL  EventType = 8
)

var eventNames = [...]string{
	"CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG", "PATH_MIG_ERR",
	"DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE", "SM_CHANGE", "SRQ_ERR",
	"SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER", "GID_CHANGE", "WQ_FATAL",
}

// String returns the name without its prefix, as traces have it.
func (t EventType) String() string { return name("", eventNames[:], uint32(t)) }

func name(prefix string, names []string, value uint32) string {
	if int(value) < len(names) {
		return prefix + names[value]
	}
	return fmt.Sprintf("%s%d", prefix, value)
}

// AsyncEvent is struct ibv_async_event. Object is the name of the CQ or QP it is about, "" for one about the device, a
// port, or an object that was destroyed.
type AsyncEvent struct {
	Type   EventType
	Object string
}

// DeviceAttr is the part of struct ibv_device_attr that users of this package need.
type DeviceAttr struct {
	MaxCQE, MaxQPWR, MaxSGE int
	MaxQPRdAtom             int  // reads outstanding at a QP
	MemMgtExtensions        bool // IBV_WR_LOCAL_INV and IBV_WR_SEND_WITH_INV
	MemWindowType2          bool // IBV_WR_BIND_MW
}

// QPInitAttr is struct ibv_qp_init_attr of an RC QP whose requests are signalled one by one. In requests, elements and
// bytes.
type QPInitAttr struct {
	MaxSendWR, MaxRecvWR   int
	MaxSendSGE, MaxRecvSGE int
	MaxInlineData          int
}

// SGE is struct ibv_sge. The address is of memory that stays where it is until the request is complete.
type SGE struct {
	Addr   uint64
	Length uint32
	LKey   uint32
}

// SendWR is struct ibv_send_wr without its chain: PostSend has a list as its argument.
type SendWR struct {
	WRID       uint64
	Opcode     WROpcode
	Flags      SendFlags
	SGList     []SGE
	RemoteAddr uint64 // of RDMA_READ and RDMA_WRITE
	RKey       uint32 // of the same; of LOCAL_INV and SEND_WITH_INV: the rkey to invalidate
	Bind       BindMW // of BIND_MW
}

// BindMW has the arguments of IBV_WR_BIND_MW: MW gets the key RKey and permits Access to a part of MR.
type BindMW struct {
	MW     *MW
	RKey   uint32
	MR     *MR
	Addr   uint64
	Length uint64
	Access Access
}

// RecvWR is struct ibv_recv_wr without its chain.
type RecvWR struct {
	WRID   uint64
	SGList []SGE
}

// WC is struct ibv_wc. Only WRID, Status, VendorErr and QPNum have a meaning when Status is not IBV_WC_SUCCESS.
type WC struct {
	WRID           uint64
	Status         WCStatus
	Opcode         WCOpcode
	VendorErr      uint32
	ByteLen        uint32
	QPNum          uint32
	WithInv        bool // IBV_WC_WITH_INV
	InvalidatedKey uint32
}

// MR is struct ibv_mr.
type MR struct {
	LKey, RKey uint32
	c          unsafe.Pointer
}

// MW is struct ibv_mw. Its RKey changes with each bind: who posts IBV_WR_BIND_MW chooses the next one, see IncRKey.
type MW struct {
	RKey uint32
	Name string // in the trace
	c    unsafe.Pointer
}

// IncRKey is ibv_inc_rkey: the next key of the same object.
func IncRKey(key uint32) uint32 { return key&^0xff | (key+1)&0xff }

// Address is the address of a QP, which the QP that connects to it needs.
type Address struct {
	QPNum uint32
	LID   uint16
	GID   [16]byte
}

// Error is a call of libibverbs that failed.
type Error struct {
	Call  string
	Errno syscall.Errno
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Call, e.Errno) }

// Unwrap lets errors.Is find the errno.
func (e *Error) Unwrap() error { return e.Errno }

// errnoName returns the name of an errno as traces have it.
func errnoName(e syscall.Errno) string {
	if name, ok := errnoNames[e]; ok {
		return name
	}
	return fmt.Sprintf("%d", int(e))
}

var errnoNames = map[syscall.Errno]string{
	syscall.EPERM: "EPERM", syscall.EINTR: "EINTR", syscall.EIO: "EIO", syscall.EAGAIN: "EAGAIN",
	syscall.ENOMEM: "ENOMEM", syscall.EACCES: "EACCES", syscall.EFAULT: "EFAULT", syscall.EBUSY: "EBUSY",
	syscall.ENODEV: "ENODEV", syscall.EINVAL: "EINVAL", syscall.ENOSPC: "ENOSPC", syscall.ENOSYS: "ENOSYS",
	syscall.EOPNOTSUPP: "EOPNOTSUPP", syscall.ETIMEDOUT: "ETIMEDOUT",
}
