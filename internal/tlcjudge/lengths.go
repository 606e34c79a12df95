package tlcjudge

import (
	"slices"
	"strings"
)

// noLength stands for a length that the trace does not record, or that decides nothing.
const noLength = -1

func (r *request) isMessage() bool { return r.op == "Send" || r.op == "SendAndInvalidate" }

// writes reports whether r is an RDMA write with immediate data, which consumes a receive.
func (r *request) writes() bool {
	return strings.TrimPrefix(r.opcode, "IBV_WR_") == "RDMA_WRITE_WITH_IMM"
}

// receiveOpcode returns the opcode that the completion of a receive of libibverbs has, and that which the receive of a message is to have, or ""
// where it decides nothing (RES-01).
func (r *request) receiveOpcode() string {
	const plain, written = "RECV", "RECV_RDMA_WITH_IMM"
	switch {
	case r.op == "Receive" && r.result != nil:
		if opcode := strings.TrimPrefix(r.result.Opcode, "IBV_WC_"); opcode == plain || opcode == written {
			return opcode
		}
	case r.isMessage() && r.writes():
		return written
	case r.isMessage():
		return plain
	}
	return ""
}

// sentBytes returns how many bytes a message has.
func (r *request) sentBytes() int64 {
	if !r.isMessage() {
		return noLength
	}
	return lengthOf(r.bytes)
}

// roomForMessage returns how many bytes the buffers of a receive have.
func (r *request) roomForMessage() int64 {
	if r.op != "Receive" {
		return noLength
	}
	return lengthOf(r.bytes)
}

// receivedBytes returns how many bytes the completion of a receive says that it got.
func (r *request) receivedBytes() int64 {
	if r.op != "Receive" || r.result == nil {
		return noLength
	}
	return lengthOf(r.result.Bytes)
}

func lengthOf(bytes *int64) int64 {
	if bytes == nil {
		return noLength
	}
	return *bytes
}

// rankOf returns the place of a length among those of the component, from 1, or 0 for none. The contract only compares lengths, and numbers of TLC have 32 bits.
func (q *question) rankOf(length int64) int {
	if length == noLength {
		return 0
	}
	if q.lengths == nil {
		for _, r := range q.requests {
			q.lengths = append(q.lengths, r.sentBytes(), r.roomForMessage(), r.receivedBytes())
		}
		slices.Sort(q.lengths)
		q.lengths = slices.Compact(q.lengths)
	}
	rank, _ := slices.BinarySearch(q.lengths, length)
	return rank + 1
}
