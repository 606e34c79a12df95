package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// MaxLine is the length of a line that a reader still takes, in bytes.
const MaxLine = 16 << 20

// MaxList is how many results, or requests, of one event are kept. All others are read and checked, and counted in the event's Cut.
const MaxList = 1 << 16

// maxKeys is how many keys an object of a trace may have, and maxOpen how many calls may be open at once: more are no trace.
const (
	maxKeys = 1000
	maxOpen = 1 << 17
)

// maxWindow bounds what decompressing may keep in memory, in bytes. zstd's levels up to 20 need no more.
const maxWindow = 32 << 20

// Reader reads a trace event by event and refuses what is no trace: every error but io.EOF is an *Error. Its memory does
// not grow with the trace: it holds one line, the newest ids, how the newest lines are written, the calls that are open, and what zstd
// needs.
type Reader struct {
	name    string
	lines   *lineReader
	line    []byte // valid until the next one is read
	number  int    // of line
	zstd    *zstd.Decoder
	source  io.Closer
	header  Header
	end     *End
	decoder *decoder
	spell   *speller
	check   checker
	count   atomic.Int64 // of events that were read
	warned  warnings
	strange struct{ fn, unclear string } // the newest function that is not known
	err     error
}

// NewReader reads the header of a trace, which may be compressed with zstd: its first bytes tell. name stands for the
// file in errors.
func NewReader(name string, r io.Reader) (*Reader, error) {
	reader := &Reader{
		name: name, lines: newLineReader(r), decoder: &decoder{}, spell: newSpeller(),
	}
	if err := reader.begin(); err != nil {
		reader.stop()
		return nil, err
	}
	return reader, nil
}

// Header returns the trace's header.
func (r *Reader) Header() Header { return r.header }

// End returns the end record, or nil: before Next has returned io.EOF, and when the file has none.
func (r *Reader) End() *End { return r.end }

// Warnings returns what the trace says so far that the format does not know, in the order in which it comes first. Their number is bounded.
func (r *Reader) Warnings() []Warning { return r.warned.all() }

// Events returns how many events have been read so far, or a few less while more are at hand. Unlike all else of a Reader it may be asked
// while another goroutine reads.
func (r *Reader) Events() int { return int(r.count.Load()) }

// Next reads the next event into e, or returns io.EOF after the last; e is nothing then. What e points to is never used
// again, so a copy of e can be kept. Lists of flags are an exception in that equal ones may be one: nobody may change them.
func (r *Reader) Next(e *Event) error {
	if r.err != nil {
		return r.err
	}
	err := r.usual(e)
	if err == errUnusual {
		err = r.next(e)
	}
	if err != nil {
		*e = Event{}
		r.err = err
		r.count.Store(int64(r.check.events))
		r.stop()
	}
	return err
}

// Close lets go of the file that Open opened. A Reader from NewReader needs no Close when it is read to its end.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = r.fail("the trace is closed")
	}
	r.stop()
	if r.source == nil {
		return nil
	}
	source := r.source
	r.source = nil
	return source.Close()
}

func (r *Reader) stop() {
	if r.zstd != nil {
		r.zstd.Close()
	}
}

func (r *Reader) fail(format string, arguments ...any) error {
	return &Error{File: r.name, Line: r.number, Reason: fmt.Sprintf(format, arguments...)}
}

// begin finds out what the file is, and reads the header.
func (r *Reader) begin() error {
	r.lines.waiting = func() { r.count.Store(int64(r.check.events)) }
	magic := r.lines.peek(4)
	if len(magic) < 4 && r.lines.err != io.EOF {
		return r.readError(r.lines.err)
	}
	if bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}) {
		var err error
		r.zstd, err = zstd.NewReader(r.lines, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return r.readError(err)
		}
		waiting := r.lines.waiting
		r.lines = newLineReader(r.zstd)
		r.lines.waiting = waiting
		if magic = r.lines.peek(4); len(magic) < 4 && r.lines.err != io.EOF {
			return r.readError(r.lines.err)
		}
	}
	if err := r.skipMark(magic); err != nil {
		return err
	}
	magic = r.lines.peek(4)
	r.number = 1
	switch {
	case len(magic) == 0:
		r.number = 0
		return r.fail("empty file")
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		return r.fail("compressed with gzip: a trace is plain text or compressed with zstd")
	case magic[0] != '{':
		return r.fail("not a trace: the first byte is %q, not '{'", magic[0])
	}
	r.number = 0
	complete, err := r.readLine()
	if err != nil {
		return err
	}
	var unknown []unknownKey
	r.header, unknown, err = decodeHeader(r.line)
	for _, u := range unknown {
		r.warn("key", "header."+u.key, u.describe("the header"))
	}
	return r.lineError(err, complete)
}

// skipMark skips the byte order mark that a file may begin with. After that of UTF-16, which PowerShell's > writes, the rest is read as such.
func (r *Reader) skipMark(magic []byte) error {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(magic, []byte{0xEF, 0xBB, 0xBF}):
		if _, err := io.ReadFull(r.lines, make([]byte, 3)); err != nil {
			return r.readError(err)
		}
		return nil
	case bytes.HasPrefix(magic, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(magic, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return nil
	}
	if _, err := io.ReadFull(r.lines, make([]byte, 2)); err != nil {
		return r.readError(err)
	}
	waiting := r.lines.waiting
	r.lines = newLineReader(&utf16Reader{source: r.lines, order: order})
	r.lines.waiting = waiting
	return nil
}

func (r *Reader) next(e *Event) error {
	for {
		complete, err := r.readLine()
		if err != nil {
			return err
		}
		if r.end != nil {
			return r.fail("more after the end record")
		}
		err = r.event(e)
		if err == nil {
			return nil
		}
		// A line may be no event because it is none, whatever else is wrong with it as an event.
		kind, kindErr := recordKind(r.line)
		switch {
		case kindErr != nil:
			return r.lineError(kindErr, complete)
		case kind == "":
			return r.lineError(err, complete)
		case kind == "end":
			if err := r.endRecord(); err != nil {
				return r.lineError(err, complete)
			}
		case kind == "hdr":
			return r.fail("a second header")
		default:
			return r.fail("unknown rec %.40q", kind)
		}
	}
}

// errUnusual is a line that is not written as one before it was.
var errUnusual = errors.New("not a usual line")

// usual reads the next line, if it is written as an event before it was.
func (r *Reader) usual(e *Event) error {
	if r.end != nil {
		return errUnusual
	}
	end, f, shape := r.decoder.quick(r.lines.window, r.lines.start, r.lines.end, e)
	if shape == nil {
		return errUnusual
	}
	r.lines.start = end
	r.number++
	if err := r.take(e, f.known, shape.spelt, shape.complete); err != nil {
		return r.fail("%v", err)
	}
	return nil
}

// event reads the present line as an event.
func (r *Reader) event(e *Event) error {
	if err := r.decoder.decode(r.line, e); err != nil {
		return err
	}
	known := functions[e.Fn]
	misspelt := r.decoder.misspelt(e, known)
	if err := r.take(e, known, false, false); err != nil {
		return r.decoder.explain(err)
	}
	for _, u := range r.decoder.unknown {
		if known != nil {
			text := u.describe(e.Fn)
			r.warn("key", u.list.String()+"."+u.key, text)
			if u.near != noField {
				e.Unclear = text
			}
		}
	}
	if !misspelt {
		r.decoder.learn(e, known)
	}
	return nil
}

// take takes an event that was decoded into the trace. Its words need not be normalised when spelt is true; complete is as the checker has it.
func (r *Reader) take(e *Event, known *function, spelt, complete bool) error {
	if known != nil && !spelt {
		if err := r.spell.normalise(e, known); err != nil {
			return err
		}
	}
	if r.decoder.odd {
		if err := checkFields(e); err != nil {
			return err
		}
	}
	if err := r.check.event(e, known, complete); err != nil {
		return err
	}
	e.Line = r.number
	if known == nil {
		r.unknownFunction(e)
	} else if !spelt {
		r.unknownWords(e)
	}
	switch e.Fn {
	case "NdkGetCqResults":
		r.plainResults(e)
	case "NdkFlush", "NdkControlConnectEvents":
		if e.Ph == Ret && e.Status == "" && r.header.Dialect == "ndspi" {
			e.Unclear = e.Fn + " of NDSPI returns a status, and the trace does not have it"
		}
	}
	if r.check.events%64 == 0 {
		r.count.Store(int64(r.check.events))
	}
	return nil
}

// unknownFunction warns of the function of an event.
func (r *Reader) unknownFunction(e *Event) {
	if r.strange.fn != e.Fn {
		r.strange.fn, r.strange.unclear = e.Fn, e.Fn+" is no function that the format knows"
		if what := "function " + e.Fn; r.warned.isNew(what) {
			r.warned.add(r.number, what, fmt.Sprintf("%q is no function that the format knows%s; its events are not judged", e.Fn, suggestFunction(e.Fn)))
		}
	}
	if !strings.HasPrefix(e.Fn, "ibv_query_") && !strings.HasPrefix(e.Fn, "NdkQuery") { // those change nothing
		e.Unclear = r.strange.unclear
	}
}

// plainResults drops from the results of NdkGetCqResults what NDK_RESULT has no member for, and warns of it. Only NdkGetCqResultsEx has these.
func (r *Reader) plainResults(e *Event) {
	for i := range e.Results {
		result := &e.Results[i]
		for _, extra := range []struct {
			field field
			has   bool
		}{{fieldType, result.Type != ""}, {fieldToken, result.Token != nil}, {fieldProviderError, result.ProviderError != nil}} {
			if extra.has {
				r.warn("key", "plain."+extra.field.String(), fmt.Sprintf("the key %q in results of NdkGetCqResults is ignored: NDK_RESULT has no such member, "+
					"and only NdkGetCqResultsEx returns it", extra.field))
			}
		}
		result.Type, result.Token, result.ProviderError = "", nil, nil
	}
}

// unknownWords warns of words that have no meaning here. A status that is not known is that of a failure.
func (r *Reader) unknownWords(e *Event) {
	for _, u := range r.spell.unknown {
		text := fmt.Sprintf("the %s %q is not known", u.kind, u.word)
		if u.kind == fieldStatus.String() {
			r.warn(u.kind, u.word, text+"; it counts as a failure")
			continue
		}
		r.warn(u.kind, u.word, text)
		e.Unclear = text
	}
}

func (r *Reader) warn(kind, what, text string) { r.warned.add(r.number, kind+" "+what, text) }

func (r *Reader) endRecord() error {
	end, err := decodeEnd(r.line)
	if err != nil {
		return err
	}
	if end.Events != r.check.events {
		return fmt.Errorf("the end record counts %d events, the file has %d", end.Events, r.check.events)
	}
	r.end = &end
	return nil
}

// readLine reads the next line into r.line, without its newline. complete is false for a last line that has none. The
// error is io.EOF after the last line.
func (r *Reader) readLine() (complete bool, err error) {
	r.number++
	r.line, complete, err = r.lines.next()
	switch {
	case err == io.EOF:
		return false, io.EOF
	case err != nil:
		return false, r.readError(err)
	}
	switch {
	case len(r.line) > MaxLine:
		return false, r.fail("the line is longer than %d bytes", MaxLine)
	case len(r.line) == 0, r.line[0] == '\r' && len(bytes.TrimRight(r.line, "\r")) == 0:
		return false, r.fail("the line is empty")
	case !utf8.Valid(r.line):
		return false, r.fail("not UTF-8 at byte %d of the line", invalidByte(r.line))
	}
	return complete, nil
}

// invalidByte returns the place, from 1, of the first byte that is not UTF-8.
func invalidByte(line []byte) int {
	at := 0
	for at < len(line) {
		c, size := utf8.DecodeRune(line[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at + 1
}

// lineError gives an error of the present line its place.
func (r *Reader) lineError(err error, complete bool) error {
	switch {
	case err == nil:
		return nil
	case err == errCut && !complete:
		return r.fail("truncated: the file ends in the middle of this line")
	}
	return r.fail("%v", err)
}

// readError gives a reason to an error of the source.
func (r *Reader) readError(err error) error {
	switch {
	case r.zstd == nil:
		return r.fail("reading: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.fail("truncated: the zstd stream ends in the middle")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return r.fail("the zstd stream needs a window of more than %d bytes to decompress", maxWindow)
	}
	return r.fail("corrupt zstd stream: %v", err)
}
