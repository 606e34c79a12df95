package trace

import (
	"bytes"
	"encoding/binary"
)

// A binary trace is a stream of the Common Trace Format, version 1.8: packets of slots of 64 bytes, all integers little endian. What an event
// says in numbers stands in the slots of its function and phase (ctf_layout.go). What has no number there is a line of JSON Lines in slots:
// the header, the end record, and events that say what their slots have no room for. So a binary trace says all that JSON Lines say.

// slotSize is the size of a slot, and of a packet's header, in bytes.
const slotSize = 64

// A packet begins with a header of one slot. Sizes are in bits, with the header.
const (
	packetMagic     = 0xC1FC1FC1
	packetUuid      = 4
	packetStream    = 20
	packetBegin     = 24 // seq of the first event, and of the last
	packetEnd       = 32
	packetContent   = 40 // as far as the last field of the last record, and all
	packetTotal     = 48
	packetDiscarded = 56 // events that were dropped so far
)

// ctfUuid names the layout of slots. It stays as long as classes of records, and fields at the end of one, are only added.
var ctfUuid = [16]byte{0x3c, 0x1d, 0x5e, 0x0b, 0x9a, 0x4f, 0x4e, 0x6b, 0x8d, 0x27, 0x6e, 0x64, 0x6b, 0x74, 0x72, 0x31}

// A record is one slot or more. These fields are in the first one of each; what follows is of its class. In memory that recorders fill, what is
// recordGap in a file is the seq: the last to be written, and 0 before.
const (
	recordClass = 0  // of 16 bits
	recordMore  = 2  // slots behind the first, of 16 bits
	recordHas   = 4  // a bit for each field that may be absent and has no number that says so, of 32 bits
	recordGap   = 8  // how many numbers lie between this seq and the one before it, or the packet's first
	recordT     = 16 // t without that of the event before
	recordThr   = 24 // an idWord
	recordOp    = 32 // an idWord
	recordWords = 40 // fields of four and eight bytes

	moreZero   = 8 // of a further slot that is not text: eight bytes that are 0
	moreFields = 16
)

// A record of text has its own fields.
const (
	textNumber = 32 // of a name
	textLength = 40 // in bytes, of 32 bits
	textBytes  = 44
)

// The classes of records of text, and the first one of events.
const (
	classHeader = iota // the header, a line of JSON Lines
	classEnd           // the end record, as well
	classLine          // an event, as well
	classPart          // a part of a line, whose rest follows in the next record
	className          // a name, by whose number ids of the records behind it mean it

	firstEventClass = 16
)

// mostMore is the most slots that a record has behind its first.
const mostMore = 1<<16 - 1

// isCtf reports whether a file that begins so is of the Common Trace Format, in either order of bytes.
func isCtf(start []byte) bool {
	return bytes.Equal(start, binary.LittleEndian.AppendUint32(nil, packetMagic)) || bytes.Equal(start, binary.BigEndian.AppendUint32(nil, packetMagic))
}
