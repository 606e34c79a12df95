package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// packetRoom is how much a packet has room for, but for one record that is longer.
const packetRoom = 64 << 10

// slotWriter writes a trace in the Common Trace Format. It reads back what it writes: an event goes into slots only where that gives the same.
type slotWriter struct {
	out     io.Writer
	packet  []byte // its header, and records
	unused  int    // bytes behind the last field of the newest record
	begin   uint64 // seq of the packet's first event, and the highest
	end     uint64
	events  bool // the packet has one
	decoder *slotDecoder
	names   nameWriter
	record  []byte
	line    [2][]byte // of the event, and of what was read back
}

func newSlotWriter(out io.Writer, verbs bool) *slotWriter {
	w := &slotWriter{out: out, decoder: newSlotDecoder(&decoder{}, verbs), packet: make([]byte, slotSize, 2*packetRoom)}
	w.decoder.names.journal = true
	w.names.names, w.names.define = &w.decoder.names, func(number uint32, text string) {
		w.text(className, uint64(number), []byte(text))
	}
	return w
}

// write writes an event; line is what it was read from, where the event does not say all of it.
func (w *slotWriter) write(e *Event, line []byte) error {
	if w.full() {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if !w.events {
		w.begin, w.events, w.decoder.seq = e.Seq, true, e.Seq
	}
	w.end = e.Seq
	w.line[0] = AppendEvent(w.line[0][:0], e)
	if line == nil {
		if w.inSlots(e) {
			return nil
		}
		line = w.line[0]
	}
	err := w.lineText(classLine, line)
	w.decoder.behind(e)
	return err
}

// lineText writes a line in as many records as it needs.
func (w *slotWriter) lineText(class uint16, line []byte) error {
	const most = slotSize*(1+mostMore) - textBytes
	for ; len(line) > most; line = line[most:] {
		w.text(classPart, 0, line[:most])
		if err := w.send(); err != nil {
			return err
		}
	}
	w.text(class, 0, line)
	return nil
}

// text writes a record of text.
func (w *slotWriter) text(class uint16, number uint64, text []byte) {
	le := binary.LittleEndian
	size := (textBytes + len(text) + slotSize - 1) / slotSize * slotSize
	w.packet = append(append(w.packet, make([]byte, textBytes)...), text...)
	w.packet = append(w.packet, make([]byte, size-textBytes-len(text))...)
	at := len(w.packet) - size
	w.unused = size - textBytes - len(text)
	le.PutUint16(w.packet[at+recordClass:], class)
	le.PutUint16(w.packet[at+recordMore:], uint16(size/slotSize-1))
	le.PutUint64(w.packet[at+textNumber:], number)
	le.PutUint32(w.packet[at+textLength:], uint32(len(text)))
}

// inSlots writes an event in the slots of its class, and reports whether it says all there.
func (w *slotWriter) inSlots(e *Event) bool {
	c := classOf(e)
	if c == nil {
		return false
	}
	filled := w.fill(e, c)
	w.decoder.names.lower()
	if !filled {
		return false
	}
	var back Event
	_, err := w.decoder.event(w.record, w.decoder.plans[c.number], &back)
	if w.line[1] = AppendEvent(w.line[1][:0], &back); err != nil || !bytes.Equal(w.line[0], w.line[1]) {
		w.decoder.names.lower()
		return false
	}
	w.decoder.names.raised = w.decoder.names.raised[:0]
	w.decoder.behind(e)
	w.packet, w.unused = append(w.packet, w.record...), slotSize-c.end
	return true
}

// fill makes the record of an event, and reports whether all that it says has a number. Names that it needs are written.
func (w *slotWriter) fill(e *Event, c *class) (ok bool) {
	le := binary.LittleEndian
	slots := 1
	if c.list == fieldResults {
		slots += len(e.Results)
	} else if c.list == fieldWrs {
		slots += len(e.Wrs)
	} else if c.rest {
		slots++
	}
	if slots > 1+mostMore {
		return false
	}
	w.record = append(w.record[:0], make([]byte, slots*slotSize)...)
	record := w.record
	le.PutUint64(record[recordGap:], e.Seq-w.decoder.seq)
	le.PutUint64(record[recordT:], uint64(e.T)-w.decoder.t)
	le.PutUint16(record[recordClass:], uint16(c.number))
	thr, known := w.names.id(e.Thr)
	op, counted := w.names.counted(e.Op)
	if !known || !counted {
		return false
	}
	le.PutUint64(record[recordThr:], thr)
	le.PutUint64(record[recordOp:], op)
	p, inRest, has := w.decoder.plans[c.number], false, uint32(0)
	for i := range p.steps {
		s := &p.steps[i]
		there, ok := w.put(e, p, s)
		if !ok {
			return false
		}
		if there {
			has |= s.has
			inRest = inRest || s.at >= slotSize
		}
	}
	le.PutUint32(record[recordHas:], has)
	if c.rest && !inRest {
		w.record = record[:slotSize]
	}
	le.PutUint16(record[recordMore:], uint16(len(w.record)/slotSize-1))
	return true
}

// put writes the field of a step.
func (w *slotWriter) put(e *Event, p *plan, s *step) (there, ok bool) {
	le, to := binary.LittleEndian, w.record[s.at:]
	switch s.kind {
	case slotObject, slotId, slotWord:
		text := *s.text(e)
		return text != "", w.putText(to, s, text)
	case slotInt, slotLong:
		n := *s.number(e)
		if n != nil && s.kind == slotInt {
			le.PutUint32(to, uint32(*n))
		} else if n != nil {
			le.PutUint64(to, uint64(*n))
		}
		return n != nil, true
	case slotToken:
		if e.Token != nil {
			le.PutUint32(to, *e.Token)
		}
		return e.Token != nil, true
	case slotFlags:
		bits, ok := flagBitsOf(e.Flags, p.verbsFlags == 1)
		le.PutUint32(to, bits)
		return bits != 0, ok || bits == 0 && len(e.Flags) == 0
	case slotTruth:
		if truth := *s.truth(e); truth != nil {
			to[0] = 1 // of four bytes, the lowest first
			if *truth {
				to[0] = 2
			}
		}
		return to[0] != 0, true
	}
	return w.putList(e, p)
}

// putText writes a word by its number, which the names know, or its numbering.
func (w *slotWriter) putText(to []byte, s *step, text string) (ok bool) {
	if text == "" {
		return true
	}
	le := binary.LittleEndian
	var number uint32
	switch s.kind {
	case slotId:
		word, ok := w.names.counted(text)
		le.PutUint64(to, word)
		return ok
	case slotObject:
		number, ok = w.names.object(s.kindName, text)
	default:
		number, ok = s.words.number(text)
	}
	le.PutUint32(to, number)
	return ok
}

// putList writes the elements of a list.
func (w *slotWriter) putList(e *Event, p *plan) (there, ok bool) {
	slots := w.record[slotSize:]
	if p.list == fieldWrs {
		for i := range e.Wrs {
			if !w.putElement(slots[i*slotSize:], p, requestElement(&e.Wrs[i])) {
				return false, false
			}
		}
		return e.Wrs != nil, true
	}
	for i := range e.Results {
		if !w.putElement(slots[i*slotSize:], p, resultElement(&e.Results[i])) {
			return false, false
		}
	}
	return e.Results != nil, true
}

// listElement is what the fields of an element are, whichever list it is of.
type listElement struct {
	words map[field]string
	bytes *int64
	token map[field]*uint32
	flags []string
}

func requestElement(r *WorkRequest) listElement {
	return listElement{map[field]string{fieldWr: r.Wr, fieldOpcode: r.Opcode, fieldMr: r.Mr, fieldMw: r.Mw}, r.Bytes,
		map[field]*uint32{fieldToken: r.Token}, r.Flags}
}

func resultElement(r *Result) listElement {
	return listElement{map[field]string{fieldWr: r.Wr, fieldQp: r.Qp, fieldStatus: r.Status, fieldType: r.Type, fieldOpcode: r.Opcode}, r.Bytes,
		map[field]*uint32{fieldToken: r.Token, fieldProviderError: r.ProviderError}, nil}
}

func (w *slotWriter) putElement(slot []byte, p *plan, from listElement) bool {
	le, has := binary.LittleEndian, uint32(0)
	for i := range p.elements {
		s := &p.elements[i]
		to, there := slot[s.at:], false
		switch s.kind {
		case slotLong:
			if there = from.bytes != nil; there {
				le.PutUint64(to, uint64(*from.bytes))
			}
		case slotToken:
			token := from.token[s.field]
			if there = token != nil; there {
				le.PutUint32(to, *token)
			}
		case slotFlags:
			bits, _ := flagBitsOf(from.flags, true)
			le.PutUint32(to, bits)
		default:
			text := from.words[s.field]
			if there = text != ""; !w.putText(to, s, text) {
				return false
			}
		}
		if there {
			has |= s.has
		}
	}
	le.PutUint32(slot[elementHas:], has)
	return true
}

func (w *slotWriter) full() bool { return len(w.packet) >= packetRoom }

// flush ends the packet.
func (w *slotWriter) flush() error {
	if len(w.packet) == slotSize {
		return nil
	}
	err := w.send()
	w.events = false
	return err
}

// send writes what the packet has so far, as one. The event that is being written goes on in the next one.
func (w *slotWriter) send() error {
	le, header := binary.LittleEndian, w.packet[:slotSize]
	le.PutUint32(header, packetMagic)
	copy(header[packetUuid:], ctfUuid[:])
	le.PutUint64(header[packetBegin:], w.begin)
	le.PutUint64(header[packetEnd:], w.end)
	le.PutUint64(header[packetContent:], uint64(len(w.packet)-w.unused)*8)
	le.PutUint64(header[packetTotal:], uint64(len(w.packet))*8)
	_, err := w.out.Write(w.packet)
	w.packet = append(w.packet[:0], make([]byte, slotSize)...)
	w.begin, w.decoder.seq = w.end, w.end
	if err != nil {
		return fmt.Errorf("writing the trace: %w", err)
	}
	return nil
}
