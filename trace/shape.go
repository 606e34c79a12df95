package trace

import (
	"encoding/binary"
	"slices"
)

// shapes are the layouts of the lines read so far. Most lines of a trace have the layout of an earlier one, and differ only in the values. Such a line
// needs no parser (see quick).
//
// A shape is the sequence of text pieces around the values. The shapes of a kind form a tree: behind a piece and its value are the pieces that may follow.
// Each path through the tree is that of a line that the parser has read. So a line on such a path is JSON, and has no duplicate key, if its values are
// well-formed.
type shapes struct {
	event, request, result *piece // the first ones; of an event as far as to its function and its phase
	functions              [4 * maxFunctions]*functionShapes
	pieces, known          int // how many
}

// The bounds of what is remembered. A trace that has more shapes is read by the parser for the most part.
const (
	maxPieces    = 2048
	maxFunctions = 64
	maxOthers    = 16 // of pieces in one place
	maxText      = 64 // of a piece, in bytes
)

// piece is what stands before a value, from the end of the value before it.
type piece struct {
	text        string
	start, last uint64 // its first eight bytes, and its last eight, which are further on
	mask        uint64 // of both: a short one has fewer, and they are the same
	further     int
	field       field  // of the value; noField for one that is ignored
	action      field  // what is to be read: the field, or integerWord
	quoted      bool   // the value is a string, whose opening quote is in text
	next        *piece // what may stand behind the value
	other       *piece // what may stand here instead

	// Of the end of an event.
	before   *piece // the one that comes before the rest of its function and phase
	complete bool   // the event has all that its function requires
	spelt    bool   // no word of it has more than one form
}

// These are not fields to be read:
const (
	endOfObject = fieldCount + iota
	integerWord // an integer in place of a word
)

// functionShapes are what stands in an event behind its function and its phase, whichever of them is the last.
type functionShapes struct {
	name        string
	start, next uint64 // its first 16 bytes
	known       *function
	rest        [phaseCount]*piece
}

// stands reports whether a piece is at a place in a window.
func (p *piece) stands(w *window, at int) bool {
	return ((w.load(at)^p.start)|(w.load(at+p.further)^p.last))&p.mask == 0 && (len(p.text) <= 16 || string(w[at:at+len(p.text)]) == p.text)
}

func load(text []byte, at int) uint64 { return binary.LittleEndian.Uint64(text[at:]) }

// function finds a plain name by its first 16 bytes, and all of it where it is longer than 15; nil when it has no shapes.
func (s *shapes) function(start, next uint64, long []byte) *functionShapes {
	for at := hash(start, next); ; at++ {
		f := s.functions[at%uint64(len(s.functions))]
		if f == nil || f.start == start && f.next == next && (len(long) < 16 || f.name == string(long)) {
			return f
		}
	}
}

// newFunction is function for one that is to have shapes.
func (s *shapes) newFunction(name string, known *function) *functionShapes {
	start, next := firstBytes([]byte(name))
	if f := s.function(start, next, []byte(name)); f != nil {
		return f
	}
	if s.known == maxFunctions {
		*s = shapes{}
	}
	s.known++
	at := hash(start, next)
	for s.functions[at%uint64(len(s.functions))] != nil {
		at++
	}
	f := &functionShapes{name: name, start: start, next: next, known: known}
	s.functions[at%uint64(len(s.functions))] = f
	return f
}

// learn records the layout of the line of a valid event whose words are all plain.
func (s *shapes) learn(line []byte, values []value, e *Event, known *function) {
	phase := slices.Index(phases[:], e.Ph)
	if len(values) > maxValues || phase < 0 || createsVerbsQp(e.Fn) {
		return
	}
	f := s.newFunction(e.Fn, known)
	place, from, before := &s.event, 0, (*piece)(nil)
	var fields fieldSet
	for _, v := range values {
		p := s.value(place, line, from, v)
		if p == nil {
			return
		}
		place, from = &p.next, v.end
		fields.add(v.field)
		if before == nil && fields.has(fieldFn) && fields.has(fieldPh) {
			before, place = p, &f.rest[phase]
		}
	}
	if end := s.piece(place, string(line[from:])+"\n", endOfObject, false); end != nil {
		end.before, end.complete = before, known.satisfied(e.Ph, fields)
		end.spelt = !fields.hasAnyOf(fieldFlags, fieldType, fieldStatus, fieldErrno, fieldState, fieldQpType, fieldResults, fieldWrs)
	}
}

// learnObject is learn for an object of a list, whose text begins in its line at offset.
func (s *shapes) learnObject(place **piece, text []byte, offset int, values []value) {
	if len(values) > maxValues {
		return
	}
	from := 0
	for _, v := range values {
		v.start, v.end = v.start-offset, v.end-offset
		p := s.value(place, text, from, v)
		if p == nil {
			return
		}
		place, from = &p.next, v.end
	}
	s.piece(place, string(text[from:]), endOfObject, false)
}

// value finds or makes the piece before a value of a line, which begins where the value before it ends.
func (s *shapes) value(place **piece, line []byte, from int, v value) *piece {
	quoted := line[v.start] == '"'
	if quoted {
		v.start++
	}
	return s.piece(place, string(line[from:v.start]), v.field, quoted)
}

// piece finds or makes a piece among those in a place, or returns nil where it can't be remembered.
func (s *shapes) piece(place **piece, text string, f field, quoted bool) *piece {
	if len(text) > maxText {
		return nil
	}
	n, end := 0, place
	for ; *end != nil; end = &(*end).other {
		if (*end).text == text {
			return *end
		}
		if n++; n == maxOthers { // the oldest is forgotten
			*end = nil
			break
		}
	}
	if s.pieces++; s.pieces > maxPieces {
		*s = shapes{}
		return nil
	}
	p := &piece{text: text, field: f, action: f, quoted: quoted, mask: 1<<(8*min(len(text), 8)) - 1}
	padded := text + "\x00\x00\x00\x00\x00\x00\x00\x00"
	p.start, p.further = load([]byte(padded), 0), max(0, len(text)-8)
	p.last = load([]byte(padded), p.further)
	if (&Event{}).word(f) != nil && !quoted {
		p.action = integerWord
	}
	if !quoted { // it begins the text of a piece that is, and so is looked at behind that
		place = end
	}
	p.other, *place = *place, p
	return p
}
