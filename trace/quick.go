package trace

import (
	"math"
	"math/bits"
)

// Lines that are written as others before them are read here: what stands between the values is compared, eight bytes at a time, and
// values are read that are written in the usual way. Whatever is not as expected is left to the parser, from the beginning of the line. So
// nothing here is an error, and what is read is what the parser would make of it.
//
// A line is read from a window, whose end it may not pass: who reads a value returns the place behind it, and the next one begins only if
// that is not beyond the limit. What can't be read ends nowhere, which is beyond.

const nowhere = math.MaxInt

// quick reads the line that begins at a place in a window, its newline with it, as an event, up to a limit. f is its function, last the
// end of its shape, nil when the line could not be read.
func (d *decoder) quick(w *window, at, limit int, e *Event) (end int, f *functionShapes, last *piece) {
	*e = Event{}
	d.odd, d.lost, d.limit = false, false, limit
	phase, both := noPhase, (*piece)(nil)
	for p := d.shapes.event; p != nil; {
		if ((w.load(at)^p.start)|(w.load(at+p.further)^p.last))&p.mask != 0 || len(p.text) > 16 && !p.stands(w, at) {
			p = p.other
			continue
		}
		at += len(p.text)
		switch p.action {
		case fieldSeq:
			e.Seq, at = quickInteger(w, at, math.MaxInt64)
		case fieldT:
			var t uint64
			t, at = quickInteger(w, at, math.MaxInt64)
			e.T = int64(t)
		case fieldThr:
			e.Thr, at = d.names.quick(w, at)
		case fieldPh:
			if phase, at = quickPhase(w, at); at > limit {
				return 0, nil, nil
			}
			if e.Ph = phases[phase]; f != nil {
				both, p = p, f.rest[phase]
				continue
			}
		case fieldOp:
			e.Op, at = d.ids.quick(w, at)
		case fieldFn:
			if f, at = d.quickFunction(w, at); at > limit {
				return 0, nil, nil
			}
			if e.Fn = f.name; phase != noPhase {
				both, p = p, f.rest[phase]
				continue
			}
		case fieldCq:
			e.Cq, at = d.names.quick(w, at)
		case fieldQp:
			e.Qp, at = d.names.quick(w, at)
		case fieldSrq:
			e.Srq, at = d.names.quick(w, at)
		case fieldMr:
			e.Mr, at = d.names.quick(w, at)
		case fieldMw:
			e.Mw, at = d.names.quick(w, at)
		case fieldConn:
			e.Conn, at = d.names.quick(w, at)
		case fieldReceiveCq:
			e.ReceiveCq, at = d.names.quick(w, at)
		case fieldInitiatorCq:
			e.InitiatorCq, at = d.names.quick(w, at)
		case fieldReceiveDepth:
			e.ReceiveDepth, at = d.quickNumber(w, at)
		case fieldInitiatorDepth:
			e.InitiatorDepth, at = d.quickNumber(w, at)
		case fieldInline:
			e.Inline, at = d.quickNumber(w, at)
		case fieldDepth:
			e.Depth, at = d.quickNumber(w, at)
		case fieldState:
			e.State, at = d.names.quick(w, at)
		case fieldSolicitedOnly:
			e.SolicitedOnly, at = d.quickTruth(w, at)
		case fieldWr:
			e.Wr, at = d.ids.quick(w, at)
		case fieldWrs:
			e.Wrs, at = d.quickRequests(w, at)
		case fieldBadWr:
			e.BadWr, at = d.ids.quick(w, at)
		case fieldFlags:
			e.Flags, at = d.quickFlags(w, at)
		case fieldType:
			e.Type, at = d.names.quick(w, at)
		case fieldToken:
			e.Token, at = d.quickToken(w, at)
		case fieldBytes:
			e.Bytes, at = d.quickLength(w, at)
		case fieldN:
			e.N, at = d.quickNumber(w, at)
		case fieldStatus:
			e.Status, at = d.names.quick(w, at)
		case fieldErrno:
			e.Errno, at = d.names.quick(w, at)
		case fieldResults:
			e.Results, at = d.quickResults(w, at)
		case fieldFor:
			e.For, at = d.ids.quick(w, at)
		case fieldSolicited:
			e.Solicited, at = d.quickTruth(w, at)
		case fieldAdapter, fieldPd, fieldLam, fieldConnector, fieldListener, fieldEndpoint, fieldChannel:
			*e.object(p.action), at = d.names.quick(w, at)
		case fieldQpType:
			e.QpType, at = d.names.quick(w, at)
		case fieldLength:
			e.Length, at = d.quickLength(w, at)
		case noField:
			at = d.quickIgnored(w, at, p.quoted)
		case integerWord:
			var word string
			word, at = d.quickIntegerWord(w, at, p.field)
			*e.word(p.field) = word
		case endOfObject:
			if at > limit || p.before != both {
				return 0, nil, nil
			}
			return at, f, p
		default:
			return 0, nil, nil
		}
		if at > limit {
			return 0, nil, nil
		}
		p = p.next
	}
	return 0, nil, nil
}

// quickResult reads an object of results.
func (d *decoder) quickResult(w *window, at int, r *Result) int {
	for p := d.shapes.result; p != nil && at <= d.limit; {
		if ((w.load(at)^p.start)|(w.load(at+p.further)^p.last))&p.mask != 0 || len(p.text) > 16 && !p.stands(w, at) {
			p = p.other
			continue
		}
		at += len(p.text)
		switch p.action {
		case fieldWr:
			r.Wr, at = d.ids.quick(w, at)
		case fieldQp:
			r.Qp, at = d.names.quick(w, at)
		case fieldStatus:
			r.Status, at = d.names.quick(w, at)
		case fieldBytes:
			r.Bytes, at = d.quickLength(w, at)
		case fieldType:
			r.Type, at = d.names.quick(w, at)
		case fieldOpcode:
			r.Opcode, at = d.names.quick(w, at)
		case fieldToken:
			r.Token, at = d.quickToken(w, at)
		case fieldProviderError:
			r.ProviderError, at = d.quickToken(w, at)
		case noField:
			at = d.quickIgnored(w, at, p.quoted)
		case endOfObject:
			return at
		default:
			return nowhere
		}
		p = p.next
	}
	return nowhere
}

// quickRequest reads an object of wrs.
func (d *decoder) quickRequest(w *window, at int, r *WorkRequest) int {
	for p := d.shapes.request; p != nil && at <= d.limit; {
		if ((w.load(at)^p.start)|(w.load(at+p.further)^p.last))&p.mask != 0 || len(p.text) > 16 && !p.stands(w, at) {
			p = p.other
			continue
		}
		at += len(p.text)
		switch p.action {
		case fieldWr:
			r.Wr, at = d.ids.quick(w, at)
		case fieldOpcode:
			r.Opcode, at = d.names.quick(w, at)
		case fieldFlags:
			r.Flags, at = d.quickFlags(w, at)
		case fieldBytes:
			r.Bytes, at = d.quickLength(w, at)
		case fieldToken:
			r.Token, at = d.quickToken(w, at)
		case fieldMr:
			r.Mr, at = d.names.quick(w, at)
		case fieldMw:
			r.Mw, at = d.names.quick(w, at)
		case noField:
			at = d.quickIgnored(w, at, p.quoted)
		case endOfObject:
			return at
		default:
			return nowhere
		}
		p = p.next
	}
	return nowhere
}

func (d *decoder) quickResults(w *window, at int) ([]Result, int) {
	d.finished = d.finished[:0]
	at = d.quickList(w, at, func(at int) int {
		d.finished = append(d.finished, Result{})
		return d.quickResult(w, at, &d.finished[len(d.finished)-1])
	})
	if at == nowhere {
		return nil, nowhere
	}
	return d.results.list(d.finished...), at
}

func (d *decoder) quickRequests(w *window, at int) ([]WorkRequest, int) {
	d.posted = d.posted[:0]
	at = d.quickList(w, at, func(at int) int {
		d.posted = append(d.posted, WorkRequest{})
		return d.quickRequest(w, at, &d.posted[len(d.posted)-1])
	})
	if at == nowhere {
		return nil, nowhere
	}
	return d.requests.list(d.posted...), at
}

// quickList reads a list of objects, with a space or none between them.
func (d *decoder) quickList(w *window, at int, object func(at int) int) int {
	if w.byte(at) != '[' {
		return nowhere
	}
	if at++; w.byte(at) == ']' {
		return at + 1
	}
	for {
		if at = object(at); at > d.limit {
			return nowhere
		}
		c := w.byte(at)
		at++
		switch {
		case c == ']':
			return at
		case c != ',':
			return nowhere
		case w.byte(at) == ' ':
			at++
		}
	}
}

// phases are all there are, in the places that quickPhase needs.
var phases = [...]Phase{0: Exit, 1: Call, 5: Ret, 6: Enter, 7: Point}

const (
	phaseCount = len(phases)
	noPhase    = phaseCount
)

// quickPhases are the phases as they stand in a line, with the closing quote.
var quickPhases = func() (quick [phaseCount]struct{ text, mask uint64 }) {
	for i, ph := range phases {
		text := string(ph) + `"`
		quick[i].text, quick[i].mask = load([]byte(text+"\x00\x00\x00\x00\x00\x00\x00\x00"), 0), 1<<(8*len(text))-1
	}
	return quick
}()

// quickPhase reads the rest of a phase, the index of which the three lowest bits of its second letter are.
func quickPhase(w *window, at int) (phase, end int) {
	start := w.load(at)
	phase = int(start >> 8 & 7)
	if start&quickPhases[phase].mask != quickPhases[phase].text {
		return noPhase, nowhere
	}
	return phase, at + len(phases[phase]) + 1
}

// quickFunction reads the rest of a function's name behind its opening quote.
func (d *decoder) quickFunction(w *window, at int) (*functionShapes, int) {
	start, next, n := shortText(w, at)
	var long []byte
	if start == 0 {
		end := d.quickEnd(w, at)
		if n = end - at; n < 16 || end == nowhere {
			return nil, nowhere
		}
		start, next, long = w.load(at), w.load(at+8), w[at:end]
	}
	f := d.shapes.function(start, next, long)
	if f == nil || len(f.name) != n {
		return nil, nowhere
	}
	return f, at + n + 1
}

// quickIntegerWord reads an integer in place of a word.
func (d *decoder) quickIntegerWord(w *window, at int, f field) (string, int) {
	words, max := &d.names, int64(math.MaxInt64)
	switch f {
	case fieldOp, fieldFor, fieldWr, fieldBadWr:
		words = &d.ids
	case fieldState, fieldType, fieldStatus, fieldErrno, fieldQpType:
		max = math.MaxUint32
	}
	_, end := quickInteger(w, at, max)
	if end > d.limit {
		return "", nowhere
	}
	return words.text(w[at:end], plain), end
}

// quickEnd returns where the closing quote of a plain string is.
func (d *decoder) quickEnd(w *window, at int) int {
	end := plainEnd(w[:], at)
	if end >= d.limit || w[end] != '"' {
		return nowhere
	}
	return end
}

// quickInteger reads an integer from 0 to max.
func quickInteger(w *window, at int, max int64) (n uint64, end int) {
	end = at
	for end-at <= 16 {
		digits := w.load(end) ^ each*'0'
		others := (digits | (digits + each*(0x80-10))) & high // the first is right
		count := bits.TrailingZeros64(others) / 8             // 8 if there is none
		if count > 0 {
			n = n*powers[count] + eightDigits(digits<<(64-8*count))
			end += count
		}
		if count < 8 {
			break
		}
	}
	if end == at || end-at > 19 || n > uint64(max) || w.byte(at) == '0' && end > at+1 {
		return 0, nowhere
	}
	return n, end
}

// eightDigits is the number that eight digits make, the first of which is the lowest byte.
func eightDigits(digits uint64) uint64 { // each step makes numbers of twice as many of them
	digits = digits * (1 + 10<<8) >> 8
	digits = digits & 0x00FF00FF00FF00FF * (1 + 100<<16) >> 16
	return digits & 0x0000FFFF0000FFFF * (1 + 10000<<32) >> 32
}

// powers of 10.
var powers = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}

func (d *decoder) quickNumber(w *window, at int) (*int64, int) {
	n, end := quickInteger(w, at, math.MaxUint32)
	return d.numbers.value(int64(n)), end
}

// quickLength reads how many bytes something has.
func (d *decoder) quickLength(w *window, at int) (*int64, int) {
	n, end := quickInteger(w, at, math.MaxInt64)
	return d.numbers.value(int64(n)), end
}

func (d *decoder) quickToken(w *window, at int) (*uint32, int) {
	n, end := quickInteger(w, at, math.MaxUint32)
	return d.tokens.value(uint32(n)), end
}

func (d *decoder) quickTruth(w *window, at int) (*bool, int) {
	switch text := w.load(at); {
	case text&(1<<32-1) == load([]byte("true\x00\x00\x00\x00"), 0):
		return d.truths.value(true), at + 4
	case text&(1<<40-1) == load([]byte("false\x00\x00\x00"), 0):
		return d.truths.value(false), at + 5
	}
	return nil, nowhere
}

// quickFlags reads one of the newest lists of flags.
func (d *decoder) quickFlags(w *window, at int) ([]string, int) {
	return d.recentFlags(w[min(at, d.limit):d.limit], at)
}

// recentFlags reads one of the newest lists of flags, which begins at a place in its line.
func (d *decoder) recentFlags(text []byte, at int) ([]string, int) {
	for i := range d.newFlags {
		list := &d.newFlags[i]
		if n := len(list.text); n > 0 && n <= len(text) && string(text[:n]) == list.text {
			return list.flags, at + n
		}
	}
	return nil, nowhere
}

// quickIgnored skips a plain string or an integer.
func (d *decoder) quickIgnored(w *window, at int, quoted bool) int {
	d.lost = true
	if quoted {
		if at = d.quickEnd(w, at); at != nowhere {
			at++
		}
		return at
	}
	_, at = quickInteger(w, at, math.MaxInt64)
	return at
}
