package events

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
)

// Numbers of the kernel's verbs, which have not changed since they are there.
const (
	opcodeReceive = 128 // of enum ib_wc_opcode: a bit of all that complete receives

	wrLocalInv    = 7 // enum ib_wr_opcode
	wrBindMw      = 8
	wrSendWithInv = 9
	wrReadWithInv = 11
	wrRegMr       = 32
	wrRegMrInt    = 33

	sendSignaled = 1 << 1 // enum ib_send_flags

	withInvalidate = 1 << 3 // enum ib_wc_flags: IB_WC_WITH_INVALIDATE

	changesState = 1 << 0 // enum ib_qp_attr_mask: IB_QP_STATE

	notifyMask      = 3 // enum ib_cq_notify_flags
	notifySolicited = 1

	typeUd  = 4 // enum ib_qp_type
	typeRaw = 8
)

// sendFlags are the names of enum ib_send_flags, by bit.
var sendFlags = [...]string{"FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM"}

// flagNames returns the flags of a request; nil where it has none.
func flagNames(flags uint32) (names []string) {
	for bit := range 32 {
		switch {
		case flags&(1<<bit) == 0:
		case bit < len(sendFlags):
			names = append(names, sendFlags[bit])
		default:
			names = append(names, fmt.Sprintf("0x%x", uint32(1)<<bit))
		}
	}
	return names
}

// wrOpcode returns the opcode of a request, for the trace to name. The kernel's 11 is another one in libibverbs.
func wrOpcode(opcode uint32) string {
	if opcode == wrReadWithInv {
		return "RDMA_READ_WITH_INV"
	}
	return number(opcode)
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// maxErrno is the largest number of an error that the kernel returns.
const maxErrno = 4095

// errno returns what a call returned, "" for success. The trace has no sign.
func errno(value int64) string {
	switch {
	case value >= 0:
		return ""
	case value < -maxErrno:
		return "EIO" // no error's number
	}
	return strconv.FormatInt(-value, 10)
}

// connection names the connection of two queue pairs as both ends name it, and as ndkrecord run does: by addresses and numbers. "" where it can't be known.
func connection(own uint32, args *[6]uint64) string {
	if args[1]>>32 == 0 || args[4] == 0 && args[5] == 0 {
		return ""
	}
	endpoint := func(high, low uint64, number uint32) string {
		var raw [16]byte
		binary.NativeEndian.PutUint64(raw[:], high)
		binary.NativeEndian.PutUint64(raw[8:], low)
		return fmt.Sprintf("[%s]:%d", netip.AddrFrom16(raw), number)
	}
	peer, mine := endpoint(args[2], args[3], uint32(args[1])), endpoint(args[4], args[5], own)
	if peer < mine {
		return peer + "-" + mine
	}
	return mine + "-" + peer
}

func pointer(n int64) *int64 { return &n }
