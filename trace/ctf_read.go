package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// slotReader is a Reader whose trace is of the Common Trace Format. What a packet or a record says of its size is believed only as far as the
// file has it: nothing is allocated for what has not been read.
type slotReader struct {
	*Reader
	decoder *slotDecoder

	at, record uint64 // what was read, and where the newest packet or record began
	left, pad  uint64 // of the packet: what was not read of its records, and of what is behind them
	lowest     uint64 // seq of its first event, and of its last
	highest    uint64
	first      bool // no event of it was read so far
	discarded  uint64
	long       []byte // a record that is longer than the window
	parts      []byte // of a line whose rest is still to come
}

func newSlotReader(r *Reader) *slotReader { return &slotReader{Reader: r} }

func (r *slotReader) place() string { return fmt.Sprintf("at byte %d", r.record) }

func (r *slotReader) begin() error {
	class, record, err := r.nextRecord()
	for ; err == nil && class == classPart; class, record, err = r.nextRecord() {
		if _, err := r.wholeLine(class, record); err != nil {
			return r.fail("%v", err)
		}
	}
	switch {
	case err == io.EOF:
		return r.fail("no header: the trace has no record")
	case err != nil:
		return err
	case class != classHeader:
		return r.fail("no header: the first record is of class %d, not %d", class, classHeader)
	}
	if _, err = r.wholeLine(class, record); err == nil {
		err = r.headerRecord()
	}
	if err != nil {
		return r.fail("%v", err)
	}
	r.decoder = newSlotDecoder(r.Reader.decoder, r.header.hasIbverbs())
	r.decoder.seq = r.lowest
	r.check.ops.hint, r.check.wrs.hint = &r.decoder.op, &r.decoder.wr
	return nil
}

func (r *slotReader) next(e *Event) error {
	for {
		class, record, err := r.nextRecord()
		if err == io.EOF {
			return r.ended()
		}
		if err != nil {
			return err
		}
		if r.end != nil {
			return r.fail("more after the end record")
		}
		found := false
		if class >= firstEventClass {
			found, err = true, r.event(int(class), record, e)
		} else {
			found, err = r.other(class, record, e)
		}
		if err != nil {
			return r.fail("%v", err)
		}
		if found {
			return nil
		}
	}
}

// ended returns io.EOF. If events were dropped and there is no end record, it makes one, so that readers do not rely on the dropped events.
func (r *slotReader) ended() error {
	if len(r.parts) > 0 {
		return r.fail("truncated: the file ends in the middle of a line")
	}
	if r.end == nil && r.discarded > 0 {
		r.end = &End{Events: r.check.events, Dropped: r.discarded}
	}
	return io.EOF
}

// event reads a record as an event of its class.
func (r *slotReader) event(class int, record []byte, e *Event) error {
	var p *plan
	if class < len(r.decoder.plans) {
		p = r.decoder.plans[class]
	}
	if p == nil {
		return fmt.Errorf("records of class %d are not known", class)
	}
	if len(r.parts) > 0 {
		return errPart
	}
	if more := len(record)/slotSize - 1; more > 0 && p.list == noField && (more > 1 || !p.rest) {
		return fmt.Errorf("%s of %s has %d slots", p.ph, p.fn, more+1)
	}
	complete, err := r.decoder.event(record, p, e)
	if err != nil {
		return err
	}
	if p.known.kind == points { // a number without a name is an NTSTATUS there, whatever the dialect
		if err := r.spell.normalise(e, p.known); err != nil {
			return err
		}
	}
	r.number++
	if err := r.accept(e, p.known, complete); err != nil {
		return err
	}
	return r.inPacket(e)
}

var errPart = errors.New("another record in the middle of a line")

// inPacket checks that an event is where its packet says, and goes on behind it.
func (r *slotReader) inPacket(e *Event) error {
	first := r.first
	if r.first = false; first && e.Seq != r.lowest {
		return fmt.Errorf("seq %d is that of the packet's first event, and the packet says %d", e.Seq, r.lowest)
	}
	if e.Seq > r.highest {
		return fmt.Errorf("seq %d is not one of its packet, whose events are from %d to %d", e.Seq, r.lowest, r.highest)
	}
	r.decoder.behind(e)
	return nil
}

// other reads a record of text. found reports whether it is an event.
func (r *slotReader) other(class uint16, record []byte, e *Event) (found bool, err error) {
	switch class {
	case className:
		if len(r.parts) > 0 {
			return false, errPart
		}
		name, err := r.text(record)
		if err != nil {
			return false, err
		}
		return false, r.decoder.names.define(binary.LittleEndian.Uint64(record[textNumber:]), string(name))
	case classHeader:
		return false, errors.New("a second header")
	case classEnd, classLine, classPart:
	default:
		return false, fmt.Errorf("records of class %d are not known", class)
	}
	whole, err := r.wholeLine(class, record)
	if err != nil || !whole {
		return false, err
	}
	kind, err := recordKind(r.line)
	switch {
	case err != nil:
		return false, err
	case class == classEnd && kind == "end":
		return false, r.endText()
	case class == classEnd || kind != "":
		return false, fmt.Errorf("a record of class %d with rec %.40q", class, kind)
	}
	if err := r.Reader.event(e); err != nil {
		return false, err
	}
	return true, r.inPacket(e)
}

func (r *slotReader) endText() error {
	if err := r.endRecord(); err != nil {
		return err
	}
	if r.end.Dropped < r.discarded {
		return fmt.Errorf("the end record counts %d dropped events, the packets %d", r.end.Dropped, r.discarded)
	}
	return nil
}

// wholeLine reads a record as a line, or as the next part of one, which is r.line when it is whole.
func (r *slotReader) wholeLine(class uint16, record []byte) (whole bool, err error) {
	text, err := r.text(record)
	if err != nil {
		return false, err
	}
	if len(r.parts)+len(text) > MaxLine {
		return false, fmt.Errorf("the line is longer than %d bytes", MaxLine)
	}
	if class == classPart {
		r.parts = append(r.parts, text...)
		return false, nil
	}
	if len(r.parts) > 0 {
		text = append(r.parts, text...)
	}
	r.line, r.parts = text, r.parts[:0]
	r.number++
	switch {
	case !utf8.Valid(text):
		return false, errors.New("the line is not UTF-8")
	case bytes.IndexByte(text, '\n') >= 0:
		return false, errors.New("the line has a line break")
	}
	return true, nil
}

// text returns what a record of text says.
func (r *slotReader) text(record []byte) ([]byte, error) {
	length := uint64(binary.LittleEndian.Uint32(record[textLength:]))
	if most := uint64(len(record) - textBytes); length > most || most-length >= slotSize {
		return nil, fmt.Errorf("a text of %d bytes in a record of %d", length, len(record))
	}
	return record[textBytes : textBytes+length], nil
}

// nextRecord returns the next record, whole, and its class. It is valid until the next one is read. The error is io.EOF at the end of the file.
func (r *slotReader) nextRecord() (class uint16, record []byte, err error) {
	for r.left == 0 {
		if err := r.packet(); err != nil {
			return 0, nil, err
		}
	}
	r.record = r.at
	l := r.lines
	if l.end-l.start < slotSize {
		if _, err := r.slots(slotSize); err != nil {
			return 0, nil, err
		}
	}
	record = l.window[l.start : l.start+slotSize]
	class = binary.LittleEndian.Uint16(record[recordClass:])
	if more := int(binary.LittleEndian.Uint16(record[recordMore:])); more > 0 {
		size := slotSize * (1 + more)
		if uint64(size) > r.left {
			return 0, nil, r.fail("the record has %d slots, and its packet has %d left", 1+more, r.left/slotSize)
		}
		if record, err = r.slots(size); err != nil {
			return 0, nil, err
		}
	}
	r.took(len(record))
	r.left -= uint64(len(record))
	return class, record, nil
}

// took goes on behind what was read.
func (r *slotReader) took(n int) {
	if len(r.long) == 0 {
		r.lines.start += n
	}
	r.at += uint64(n)
	r.long = r.long[:0]
}

// slots returns the next bytes, without going on. More than the window has room for are collected as they come.
func (r *slotReader) slots(size int) ([]byte, error) {
	l := r.lines
	if size <= readBuffer {
		for l.end-l.start < size {
			if l.err != nil {
				return nil, r.cut(uint64(l.end - l.start))
			}
			l.more()
		}
		return l.window[l.start : l.start+size], nil
	}
	for len(r.long) < size {
		if l.start == l.end {
			if l.err != nil {
				return nil, r.cut(uint64(len(r.long)))
			}
			l.more()
		}
		n := min(size-len(r.long), l.end-l.start)
		r.long = append(r.long, l.window[l.start:l.start+n]...)
		l.start += n
	}
	return r.long, nil
}

// cut is the error of a file that ends too early, behind bytes after those that were read.
func (r *slotReader) cut(behind uint64) error {
	if r.lines.err != io.EOF {
		return r.readError(r.lines.err)
	}
	return r.fail("truncated: the file ends at byte %d, in the middle of a packet", r.at+behind)
}

// packet reads the header of the next packet.
func (r *slotReader) packet() error {
	for r.pad > 0 {
		n := min(r.pad, readBuffer)
		if _, err := r.slots(int(n)); err != nil {
			return err
		}
		r.took(int(n))
		r.pad -= n
	}
	r.record = r.at
	if len(r.lines.peek(1)) == 0 && r.lines.err == io.EOF {
		return io.EOF
	}
	header, err := r.slots(slotSize)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	content, total := le.Uint64(header[packetContent:]), le.Uint64(header[packetTotal:])
	discarded := le.Uint64(header[packetDiscarded:])
	switch {
	case binary.BigEndian.Uint32(header) == packetMagic:
		return r.fail("a packet whose numbers have the highest byte first")
	case le.Uint32(header) != packetMagic:
		return r.fail("no packet: it begins with 0x%08X, not 0x%08X", le.Uint32(header), uint32(packetMagic))
	case [16]byte(header[packetUuid:]) != ctfUuid:
		return r.fail("the packet's UUID is %s, and that of traces is %s", formatUuid([16]byte(header[packetUuid:])), formatUuid(ctfUuid))
	case le.Uint32(header[packetStream:]) != 0:
		return r.fail("the packet is of stream %d, not 0", le.Uint32(header[packetStream:]))
	case content < slotSize*8 || content%8 != 0 || total < content || total%(slotSize*8) != 0:
		return r.fail("the packet has %d bits, %d of them in use: not slots of %d bits", total, content, slotSize*8)
	case discarded < r.discarded || discarded > math.MaxInt64:
		return r.fail("the packet counts %d dropped events, the one before it %d", discarded, r.discarded)
	}
	if r.decoder != nil {
		r.decoder.seq = le.Uint64(header[packetBegin:])
	}
	r.lowest, r.highest, r.discarded = le.Uint64(header[packetBegin:]), le.Uint64(header[packetEnd:]), discarded
	r.first = true
	used := (content/8 + slotSize - 1) / slotSize * slotSize
	r.left, r.pad = used-slotSize, total/8-used
	r.took(slotSize)
	return nil
}

func formatUuid(u [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
