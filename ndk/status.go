package ndk

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Status is an NTSTATUS: the severity is in the two highest bits.
type Status uint32

// The statuses that NDKPI documents for its calls, completions and callbacks.
const (
	STATUS_SUCCESS                 Status = 0x00000000
	STATUS_PENDING                 Status = 0x00000103
	STATUS_BUFFER_OVERFLOW         Status = 0x80000005
	STATUS_ACCESS_VIOLATION        Status = 0xC0000005
	STATUS_INVALID_PARAMETER       Status = 0xC000000D
	STATUS_BUFFER_TOO_SMALL        Status = 0xC0000023
	STATUS_INVALID_PARAMETER_MIX   Status = 0xC0000030
	STATUS_SHARING_VIOLATION       Status = 0xC0000043
	STATUS_INSUFFICIENT_RESOURCES  Status = 0xC000009A
	STATUS_IO_TIMEOUT              Status = 0xC00000B5
	STATUS_NOT_SUPPORTED           Status = 0xC00000BB
	STATUS_INTERNAL_ERROR          Status = 0xC00000E5
	STATUS_CANCELLED               Status = 0xC0000120
	STATUS_REMOTE_RESOURCES        Status = 0xC000013D
	STATUS_INVALID_ADDRESS         Status = 0xC0000141
	STATUS_TOO_MANY_ADDRESSES      Status = 0xC0000209
	STATUS_ADDRESS_ALREADY_EXISTS  Status = 0xC000020A
	STATUS_CONNECTION_DISCONNECTED Status = 0xC000020C
	STATUS_CONNECTION_REFUSED      Status = 0xC0000236
	STATUS_CONNECTION_INVALID      Status = 0xC000023A
	STATUS_NETWORK_UNREACHABLE     Status = 0xC000023C
	STATUS_HOST_UNREACHABLE        Status = 0xC000023D
	STATUS_CONNECTION_ABORTED      Status = 0xC0000241
	STATUS_IMPLEMENTATION_LIMIT    Status = 0xC000042B
)

var statusNames = map[Status]string{
	STATUS_SUCCESS:                 "STATUS_SUCCESS",
	STATUS_PENDING:                 "STATUS_PENDING",
	STATUS_BUFFER_OVERFLOW:         "STATUS_BUFFER_OVERFLOW",
	STATUS_ACCESS_VIOLATION:        "STATUS_ACCESS_VIOLATION",
	STATUS_INVALID_PARAMETER:       "STATUS_INVALID_PARAMETER",
	STATUS_BUFFER_TOO_SMALL:        "STATUS_BUFFER_TOO_SMALL",
	STATUS_INVALID_PARAMETER_MIX:   "STATUS_INVALID_PARAMETER_MIX",
	STATUS_SHARING_VIOLATION:       "STATUS_SHARING_VIOLATION",
	STATUS_INSUFFICIENT_RESOURCES:  "STATUS_INSUFFICIENT_RESOURCES",
	STATUS_IO_TIMEOUT:              "STATUS_IO_TIMEOUT",
	STATUS_NOT_SUPPORTED:           "STATUS_NOT_SUPPORTED",
	STATUS_INTERNAL_ERROR:          "STATUS_INTERNAL_ERROR",
	STATUS_CANCELLED:               "STATUS_CANCELLED",
	STATUS_REMOTE_RESOURCES:        "STATUS_REMOTE_RESOURCES",
	STATUS_INVALID_ADDRESS:         "STATUS_INVALID_ADDRESS",
	STATUS_TOO_MANY_ADDRESSES:      "STATUS_TOO_MANY_ADDRESSES",
	STATUS_ADDRESS_ALREADY_EXISTS:  "STATUS_ADDRESS_ALREADY_EXISTS",
	STATUS_CONNECTION_DISCONNECTED: "STATUS_CONNECTION_DISCONNECTED",
	STATUS_CONNECTION_REFUSED:      "STATUS_CONNECTION_REFUSED",
	STATUS_CONNECTION_INVALID:      "STATUS_CONNECTION_INVALID",
	STATUS_NETWORK_UNREACHABLE:     "STATUS_NETWORK_UNREACHABLE",
	STATUS_HOST_UNREACHABLE:        "STATUS_HOST_UNREACHABLE",
	STATUS_CONNECTION_ABORTED:      "STATUS_CONNECTION_ABORTED",
	STATUS_IMPLEMENTATION_LIMIT:    "STATUS_IMPLEMENTATION_LIMIT",
}

var statusValues = func() map[string]Status {
	values := make(map[string]Status, len(statusNames))
	for value, name := range statusNames {
		values[name] = value
	}
	return values
}()

// String returns the NTSTATUS name, or the value as 0xXXXXXXXX where it has no name here.
func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("0x%08X", uint32(s))
}

// Success is NT_SUCCESS: true of success and informational severities. STATUS_PENDING is a success by this measure;
// STATUS_BUFFER_OVERFLOW, a warning, is not.
func (s Status) Success() bool { return s>>30 <= 1 }

// ParseStatus reads what String writes: an NTSTATUS name or hexadecimal digits after 0x.
func ParseStatus(text string) (Status, error) {
	if value, ok := statusValues[text]; ok {
		return value, nil
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		if value, err := strconv.ParseUint(digits, 16, 32); err == nil {
			return Status(value), nil
		}
	}
	return 0, fmt.Errorf("%q is neither an NTSTATUS name nor 0x and up to 8 hexadecimal digits", text)
}

// Statuses returns all statuses that have a name, in the order of their values.
func Statuses() []Status { return slices.Sorted(maps.Keys(statusNames)) }
