package ndk

import (
	"slices"
	"testing"
)

// Every status that has a name is read back from it, and from hexadecimal digits.
func TestStatusesReadBack(t *testing.T) {
	for value, name := range statusNames {
		if got := value.String(); got != name {
			t.Errorf("0x%08X is %s, want %s", uint32(value), got, name)
		}
		if got, err := ParseStatus(name); err != nil || got != value {
			t.Errorf("ParseStatus(%s) = %v, %v", name, got, err)
		}
	}
	if got, err := ParseStatus(Status(0xC0000001).String()); err != nil || got != 0xC0000001 {
		t.Errorf("a status without a name is not read back: %v, %v", got, err)
	}
	for _, bad := range []string{"", "STATUS_", "0x", "0x123456789", "0xZ", "12"} {
		if got, err := ParseStatus(bad); err == nil {
			t.Errorf("ParseStatus(%q) = %v, want an error", bad, got)
		}
	}
}

// STATUS_PENDING is a success by NT_SUCCESS; STATUS_BUFFER_OVERFLOW, a warning, is none (ARM-15).
func TestSuccessIsNtSuccess(t *testing.T) {
	for status, want := range map[Status]bool{STATUS_SUCCESS: true, STATUS_PENDING: true, STATUS_BUFFER_OVERFLOW: false,
		STATUS_CANCELLED: false} {
		if got := status.Success(); got != want {
			t.Errorf("%v.Success() = %v", status, got)
		}
	}
}

// ALLOW_REMOTE_WRITE contains ALLOW_LOCAL_WRITE, and is told as itself; DEFER and RDMA_READ_LOCAL_INVALIDATE differ
// (POST-11).
func TestFlagsReadBack(t *testing.T) {
	for _, known := range flagNames {
		if got := known.flag.Names(); !slices.Equal(got, []string{known.name}) {
			t.Errorf("%s is told as %v", known.name, got)
		}
		if got, err := ParseOpFlag(known.name); err != nil || got != known.flag {
			t.Errorf("ParseOpFlag(%s) = %v, %v", known.name, got, err)
		}
	}
	mixed := NDK_OP_FLAG_DEFER | NDK_OP_FLAG_ALLOW_REMOTE_WRITE | 0x1000
	if got := mixed.String(); got != "ALLOW_REMOTE_WRITE|DEFER|0x1000" {
		t.Errorf("mixed flags are told as %s", got)
	}
	if _, err := ParseOpFlag("SOLICITED"); err == nil {
		t.Error("a flag of libibverbs is read as one of NDKPI")
	}
}

// The numbers of the arm types are not their order of strength (ARM-07), and no other type is one (ARM-13).
func TestTypesReadBack(t *testing.T) {
	for value, name := range []string{"ERRORS", "ANY", "SOLICITED"} {
		if got, err := ParseNotifyType(name); err != nil || got != NotifyType(value) || got.String() != name {
			t.Errorf("ParseNotifyType(%s) = %v, %v", name, got, err)
		}
	}
	if got := NotifyType(7).String(); got != "7" {
		t.Errorf("a type that is none is told as %s", got)
	}
	for _, known := range operationNames {
		if got, err := ParseOperationType(known.name); err != nil || got != known.value || got.String() != known.name {
			t.Errorf("ParseOperationType(%s) = %v, %v", known.name, got, err)
		}
	}
	if NdkOperationTypeReceiveAndInvalidate&NdkOperationTypeReceive == 0 {
		t.Error("ReceiveAndInvalidate does not contain Receive (RES-02)")
	}
}

func TestVirtualAddressOfNothing(t *testing.T) {
	buffer := make([]byte, 2)
	if VirtualAddress(nil) != 0 || VirtualAddress(buffer[1:]) != VirtualAddress(buffer)+1 {
		t.Error("addresses of buffers are not those of their first bytes")
	}
}
