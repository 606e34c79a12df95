package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// slotDecoder turns records into events.
type slotDecoder struct {
	names  slotNames
	seq    uint64  // of the next event, where there is no gap
	t      uint64  // of the newest event
	op, wr splitId // the newest ids of the kinds
	verbs  bool    // the trace's dialect
	plans  []*plan
	words  map[*numbering]*wordCache
	flags  [2]newest[[]string] // of NDKPI, of libibverbs
	values *decoder            // has room for what events point to
}

// plan is how the records of a class are read in a trace.
type plan struct {
	*class
	steps, elements []step
	verbsFlags      int // 1 for libibverbs
}

type step struct {
	slotField
	kindName string     // of an object
	words    *wordCache // of a word
	place    uintptr    // in an event
}

// text, number and truth are where an event keeps the field.
func (s *step) text(e *Event) *string   { return (*string)(unsafe.Add(unsafe.Pointer(e), s.place)) }
func (s *step) number(e *Event) **int64 { return (**int64)(unsafe.Add(unsafe.Pointer(e), s.place)) }
func (s *step) truth(e *Event) **bool   { return (**bool)(unsafe.Add(unsafe.Pointer(e), s.place)) }

// placeOf returns where in an event a field is.
func placeOf(f field, kind slotKind) uintptr {
	var e Event
	var place unsafe.Pointer
	switch kind {
	case slotObject, slotId, slotWord:
		place = unsafe.Pointer(e.word(f))
	case slotInt, slotLong:
		place = unsafe.Pointer(e.number(f))
	case slotTruth:
		place = unsafe.Pointer(e.truth(f))
	default:
		return 0
	}
	return uintptr(place) - uintptr(unsafe.Pointer(&e))
}

type wordCache struct {
	*numbering
	newest newest[string]
}

func newSlotDecoder(values *decoder, verbs bool) *slotDecoder {
	d := &slotDecoder{values: values, verbs: verbs, plans: make([]*plan, len(classes)), words: map[*numbering]*wordCache{}}
	for i, c := range classes {
		if c != nil {
			d.plans[i] = &plan{class: c, steps: d.steps(c, noField, c.fields), elements: d.steps(c, c.list, elementFields(c))}
			if c.list == fieldWrs {
				d.plans[i].verbsFlags = 1
			}
		}
	}
	return d
}

func (d *slotDecoder) steps(c *class, list field, fields []slotField) (steps []step) {
	for _, f := range fields {
		s := step{slotField: f}
		if list == noField {
			s.place = placeOf(f.field, f.kind)
		}
		switch f.kind {
		case slotObject:
			s.kindName = objectKind(f.field)
		case slotWord:
			n := numberingOf(c.fn, list, f.field, d.verbs)
			if d.words[n] == nil {
				d.words[n] = &wordCache{numbering: n}
			}
			s.words = d.words[n]
		}
		steps = append(steps, s)
	}
	return steps
}

func (w *wordCache) of(number uint32) string { return w.newest.of(number, w.text) }

// behind goes on behind an event.
func (d *slotDecoder) behind(e *Event) { d.seq, d.t = e.Seq+1, uint64(e.T) }

// errNotZero is of the bytes by which a slot that begins no record can be told.
var errNotZero = errors.New("the bytes 8 to 15 of a further slot are not 0")

// errTooHigh is of a number that is too high for a trace.
var errTooHigh = fmt.Errorf("a number is above %d", int64(math.MaxInt64))

// event reads a record of a class into an event. complete says that it has all that its function requires.
func (d *slotDecoder) event(record []byte, p *plan, e *Event) (complete bool, err error) {
	le := binary.LittleEndian
	gap := le.Uint64(record[recordGap:])
	*e = Event{}
	e.Seq, e.Ph, e.Fn, e.T = d.seq+gap, p.ph, p.fn, int64(d.t+le.Uint64(record[recordT:]))
	if e.Seq > math.MaxInt64 || gap > math.MaxInt64 || e.T < 0 {
		return false, errTooHigh
	}
	if word := le.Uint64(record[recordThr:]); word != 0 {
		if e.Thr, err = d.names.id(word); err != nil {
			return false, err
		}
	}
	if word := le.Uint64(record[recordOp:]); word != 0 {
		if e.Op, err = d.names.counted(word, &d.op); err != nil {
			return false, err
		}
	}
	has := le.Uint32(record[recordHas:])
	if has&^p.has != 0 {
		return false, fmt.Errorf("%s of %s has the bits 0x%X, of which it knows 0x%X", p.ph, p.fn, has, p.has)
	}
	if len(record) > slotSize && p.rest && le.Uint64(record[slotSize+moreZero:]) != 0 {
		return false, errNotZero
	}
	complete = p.alone
	for i := range p.steps {
		s := &p.steps[i]
		if s.at >= len(record) || has&s.has != s.has {
			complete = complete && !s.required
			continue
		}
		there := true
		switch s.kind {
		case slotObject:
			number := le.Uint32(record[s.at:])
			if there = number != 0; there {
				*s.text(e) = d.names.object(s.kindName, number)
			}
		case slotId:
			word := le.Uint64(record[s.at:])
			if there = word != 0; there {
				if *s.text(e), err = d.names.counted(word, &d.wr); err != nil {
					return false, err
				}
			}
		case slotWord:
			number := le.Uint32(record[s.at:])
			if there = number != 0 || s.has != 0; there {
				*s.text(e) = s.words.of(number)
			}
		case slotInt:
			*s.number(e) = d.values.numbers.value(int64(le.Uint32(record[s.at:])))
		case slotLong:
			n := int64(le.Uint64(record[s.at:]))
			if n < 0 {
				return false, errTooHigh
			}
			*s.number(e) = d.values.numbers.value(n)
		case slotToken:
			e.Token = d.values.tokens.value(le.Uint32(record[s.at:]))
		case slotFlags:
			e.Flags = d.flagList(p, le.Uint32(record[s.at:]))
		case slotTruth:
			truth := le.Uint32(record[s.at:])
			if there = truth != 0; truth > 2 {
				return false, fmt.Errorf("%s is %d, not 1 for false or 2 for true", s.field, truth)
			} else if there {
				*s.truth(e) = d.values.truths.value(truth == 2)
			}
		case slotList:
			if err := d.list(p, record[slotSize:], e); err != nil {
				return false, err
			}
		}
		complete = complete && (there || !s.required)
	}
	if p.list != noField && len(record) > slotSize && e.Results == nil && e.Wrs == nil {
		return false, errors.New("a list without the bit that says so")
	}
	return complete, nil
}

func (d *slotDecoder) flagList(p *plan, bits uint32) []string {
	if bits == 0 {
		return nil
	}
	verbs := p.verbsFlags == 1
	return d.flags[p.verbsFlags].of(bits, func(bits uint32) []string { return flagsOf(bits, verbs) })
}

// list reads the elements of a list, each from a slot.
func (d *slotDecoder) list(p *plan, slots []byte, e *Event) error {
	n := len(slots) / slotSize
	if p.list == fieldWrs {
		e.Wrs = d.values.requests.room(n)
		for i := range e.Wrs {
			if err := d.request(p, slots[i*slotSize:][:slotSize], &e.Wrs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	e.Results = d.values.results.room(n)
	for i := range e.Results {
		if err := d.result(p, slots[i*slotSize:][:slotSize], &e.Results[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkElement looks at what all elements have.
func (p *plan) checkElement(slot []byte) error {
	has := binary.LittleEndian.Uint32(slot[elementHas:])
	switch {
	case has&^p.each != 0:
		return fmt.Errorf("an element of %s has the bits 0x%X, of which %s knows 0x%X", p.list, has, p.fn, p.each)
	case binary.LittleEndian.Uint64(slot[moreZero:]) != 0:
		return errNotZero
	case binary.LittleEndian.Uint64(slot) == 0:
		return under(p.list, errors.New("no wr"))
	}
	return nil
}

func (d *slotDecoder) result(p *plan, slot []byte, r *Result) (err error) {
	if err := p.checkElement(slot); err != nil {
		return err
	}
	le, has := binary.LittleEndian, binary.LittleEndian.Uint32(slot[elementHas:])
	for i := range p.elements {
		s := &p.elements[i]
		if has&s.has != s.has {
			if s.required {
				return under(p.list, fmt.Errorf("no %s", s.field))
			}
			continue
		}
		switch s.field {
		case fieldWr:
			r.Wr, err = d.names.counted(le.Uint64(slot[s.at:]), &d.wr)
		case fieldQp:
			if number := le.Uint32(slot[s.at:]); number != 0 {
				r.Qp = d.names.object(s.kindName, number)
			}
		case fieldStatus:
			r.Status = s.words.of(le.Uint32(slot[s.at:]))
		case fieldBytes:
			r.Bytes, err = d.length(slot[s.at:])
		case fieldType:
			r.Type = s.words.of(le.Uint32(slot[s.at:]))
		case fieldOpcode:
			r.Opcode = s.words.of(le.Uint32(slot[s.at:]))
		case fieldToken:
			r.Token = d.values.tokens.value(le.Uint32(slot[s.at:]))
		case fieldProviderError:
			r.ProviderError = d.values.tokens.value(le.Uint32(slot[s.at:]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *slotDecoder) request(p *plan, slot []byte, w *WorkRequest) (err error) {
	if err := p.checkElement(slot); err != nil {
		return err
	}
	le, has := binary.LittleEndian, binary.LittleEndian.Uint32(slot[elementHas:])
	for i := range p.elements {
		s := &p.elements[i]
		if has&s.has != s.has {
			continue
		}
		switch s.field {
		case fieldWr:
			w.Wr, err = d.names.counted(le.Uint64(slot[s.at:]), &d.wr)
		case fieldOpcode:
			w.Opcode = s.words.of(le.Uint32(slot[s.at:]))
		case fieldFlags:
			w.Flags = d.flagList(p, le.Uint32(slot[s.at:]))
		case fieldBytes:
			w.Bytes, err = d.length(slot[s.at:])
		case fieldToken:
			w.Token = d.values.tokens.value(le.Uint32(slot[s.at:]))
		case fieldMr, fieldMw:
			if number := le.Uint32(slot[s.at:]); number != 0 {
				id := &w.Mr
				if s.field == fieldMw {
					id = &w.Mw
				}
				*id = d.names.object(s.kindName, number)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *slotDecoder) length(slot []byte) (*int64, error) {
	n := int64(binary.LittleEndian.Uint64(slot))
	if n < 0 {
		return nil, errTooHigh
	}
	return d.values.numbers.value(n), nil
}

// number is where an event keeps a number that may be absent, or nil.
func (e *Event) number(f field) **int64 {
	switch f {
	case fieldReceiveDepth:
		return &e.ReceiveDepth
	case fieldInitiatorDepth:
		return &e.InitiatorDepth
	case fieldInline:
		return &e.Inline
	case fieldDepth:
		return &e.Depth
	case fieldThreshold:
		return &e.Threshold
	case fieldBytes:
		return &e.Bytes
	case fieldN:
		return &e.N
	case fieldLength:
		return &e.Length
	}
	return nil
}

// truth is where an event keeps whether something is so, or nil.
func (e *Event) truth(f field) **bool {
	switch f {
	case fieldSqSigAll:
		return &e.SqSigAll
	case fieldNotify:
		return &e.Notify
	case fieldSolicitedOnly:
		return &e.SolicitedOnly
	case fieldSolicited:
		return &e.Solicited
	}
	return nil
}
