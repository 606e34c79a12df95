package ndk

import (
	"fmt"
	"strings"
)

// NotifyType is the type of an arm. Its numbers are not its order of strength: see Stronger.
type NotifyType uint32

// What an arm asks to be notified of (ARM-08 to ARM-12).
const (
	NDK_CQ_NOTIFY_ERRORS    NotifyType = 0
	NDK_CQ_NOTIFY_ANY       NotifyType = 1
	NDK_CQ_NOTIFY_SOLICITED NotifyType = 2
)

var notifyNames = [...]string{"ERRORS", "ANY", "SOLICITED"}

// String returns the name without its prefix, as traces have it.
func (t NotifyType) String() string {
	if int(t) < len(notifyNames) {
		return notifyNames[t]
	}
	return fmt.Sprintf("%d", uint32(t))
}

// OpFlags is the Flags argument of a request.
type OpFlags uint32

// Flags of requests. NDK_OP_FLAG_ALLOW_REMOTE_WRITE contains NDK_OP_FLAG_ALLOW_LOCAL_WRITE.
// NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE has the header's value: the one that NdkRead's page prints is DEFER's.
const (
	NDK_OP_FLAG_SILENT_SUCCESS             OpFlags = 0x001
	NDK_OP_FLAG_READ_FENCE                 OpFlags = 0x002
	NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT     OpFlags = 0x004
	NDK_OP_FLAG_ALLOW_REMOTE_READ          OpFlags = 0x008
	NDK_OP_FLAG_ALLOW_LOCAL_WRITE          OpFlags = 0x010
	NDK_OP_FLAG_ALLOW_REMOTE_WRITE         OpFlags = 0x030
	NDK_OP_FLAG_INLINE                     OpFlags = 0x040
	NDK_OP_FLAG_RDMA_READ_SINK             OpFlags = 0x080
	NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE OpFlags = 0x100
	NDK_OP_FLAG_DEFER                      OpFlags = 0x200
)

// Longest match first: ALLOW_REMOTE_WRITE has two bits.
var flagNames = []struct {
	flag OpFlags
	name string
}{
	{NDK_OP_FLAG_ALLOW_REMOTE_WRITE, "ALLOW_REMOTE_WRITE"},
	{NDK_OP_FLAG_SILENT_SUCCESS, "SILENT_SUCCESS"},
	{NDK_OP_FLAG_READ_FENCE, "READ_FENCE"},
	{NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT, "SEND_AND_SOLICIT_EVENT"},
	{NDK_OP_FLAG_ALLOW_REMOTE_READ, "ALLOW_REMOTE_READ"},
	{NDK_OP_FLAG_ALLOW_LOCAL_WRITE, "ALLOW_LOCAL_WRITE"},
	{NDK_OP_FLAG_INLINE, "INLINE"},
	{NDK_OP_FLAG_RDMA_READ_SINK, "RDMA_READ_SINK"},
	{NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, "RDMA_READ_LOCAL_INVALIDATE"},
	{NDK_OP_FLAG_DEFER, "DEFER"},
}

// Has reports whether all bits of flag are set.
func (f OpFlags) Has(flag OpFlags) bool { return f&flag == flag }

// Names returns the flags' names without their prefix, as in traces. Bits without a name come last, in hexadecimal.
func (f OpFlags) Names() []string {
	var names []string
	for _, known := range flagNames {
		if f.Has(known.flag) {
			names = append(names, known.name)
			f &^= known.flag
		}
	}
	if f != 0 {
		names = append(names, fmt.Sprintf("0x%X", uint32(f)))
	}
	return names
}

// String joins Names with a bar.
func (f OpFlags) String() string { return strings.Join(f.Names(), "|") }

// ParseOpFlag reads one name, without its prefix.
func ParseOpFlag(name string) (OpFlags, error) {
	for _, known := range flagNames {
		if known.name == name {
			return known.flag, nil
		}
	}
	return 0, fmt.Errorf("%q is not a known NDK_OP_FLAG", name)
}

// ParseNotifyType reads one name, without its prefix.
func ParseNotifyType(name string) (NotifyType, error) {
	for value, known := range notifyNames {
		if known == name {
			return NotifyType(value), nil
		}
	}
	return 0, fmt.Errorf("%q is not a known NDK_CQ_NOTIFY type", name)
}

// OperationType says which operation a completion is of (RES-01, RES-02).
type OperationType uint32

// The values of NDK_OPERATION_TYPE. ReceiveAndInvalidate contains the bit of Receive.
const (
	NdkOperationTypeReceive              OperationType = 1
	NdkOperationTypeSend                 OperationType = 2
	NdkOperationTypeFastRegister         OperationType = 4
	NdkOperationTypeBind                 OperationType = 8
	NdkOperationTypeInvalidate           OperationType = 16
	NdkOperationTypeRead                 OperationType = 32
	NdkOperationTypeWrite                OperationType = 64
	NdkOperationTypeReceiveAndInvalidate OperationType = 0x8001
)

var operationNames = []struct {
	value OperationType
	name  string
}{
	{NdkOperationTypeReceive, "Receive"},
	{NdkOperationTypeSend, "Send"},
	{NdkOperationTypeFastRegister, "FastRegister"},
	{NdkOperationTypeBind, "Bind"},
	{NdkOperationTypeInvalidate, "Invalidate"},
	{NdkOperationTypeRead, "Read"},
	{NdkOperationTypeWrite, "Write"},
	{NdkOperationTypeReceiveAndInvalidate, "ReceiveAndInvalidate"},
}

// String returns the name without the prefix NdkOperationType, as traces have it.
func (t OperationType) String() string {
	for _, known := range operationNames {
		if known.value == t {
			return known.name
		}
	}
	return fmt.Sprintf("%d", uint32(t))
}

// ParseOperationType reads one name, without the prefix NdkOperationType.
func ParseOperationType(name string) (OperationType, error) {
	for _, known := range operationNames {
		if known.name == name {
			return known.value, nil
		}
	}
	return 0, fmt.Errorf("%q is not a known NdkOperationType", name)
}
