package tlcjudge

import (
	"slices"
	"strings"
)

// noLength stands for a length that the trace does not record, or that decides nothing.
const noLength = -1

// sentBytes returns how many bytes a message brings into the buffers of its receive. An RDMA write with immediate data brings none there.
func (r *request) sentBytes() int64 {
	if op, opcode := r.op, strings.TrimPrefix(r.opcode, "IBV_WR_"); op != "Send" && op != "SendAndInvalidate" || opcode == "RDMA_WRITE_WITH_IMM" {
		return noLength
	}
	return lengthOf(r.bytes)
}

// roomForMessage returns how many bytes the buffers of a receive have. NDKPI does not say that a longer message fails it.
func (r *request) roomForMessage() int64 {
	if r.op != "Receive" || r.qp.component.ndkpi {
		return noLength
	}
	return lengthOf(r.bytes)
}

// receivedBytes returns how many bytes the completion of a receive says that it got. More than its buffers have needs no message to be wrong.
func (r *request) receivedBytes() int64 {
	if r.op != "Receive" || r.result == nil {
		return noLength
	}
	got := lengthOf(r.result.Bytes)
	if room := lengthOf(r.bytes); room != noLength && got > room {
		return noLength
	}
	return got
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
