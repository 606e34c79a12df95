package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// MaxLine is the maximal length of a line that a reader accepts, in bytes.
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

// container is a form in which a trace is written: JSON Lines, or CTF.
type container interface {
	begin() error        // reads the header
	next(e *Event) error // reads the next event, or the end record and returns io.EOF
	place() string       // says where in the file the newest record is, where that is not a line
}

// Reader reads a trace event by event and refuses what is not a trace: every error except io.EOF is an *Error. Its memory does not grow with the
// trace: it keeps one line, the newest ids, the layout of the newest lines, the calls that have not returned, and the state of zstd.
type Reader struct {
	name      string
	container container
	lines     *lineReader
	line      []byte // valid until the next one is read
	number    int    // of line; in a binary trace, of the line that the record would be
	written   asWritten
	zstd      *zstd.Decoder
	source    io.Closer
	header    Header
	end       *End
	decoder   *decoder
	spell     *speller
	check     checker
	count     atomic.Int64 // of events that were read
	warned    warnings
	strange   struct{ fn, unclear string } // the newest function that is not known
	err       error
}

// asWritten are lines of JSON that say something which Header, Event and End have no room for, such as keys that the format does not
// know. Each is nil where there is nothing of the kind.
type asWritten struct{ header, event, end []byte }

// NewReader reads the header of a trace in any of its forms, which may be compressed with zstd. It detects the form from the first bytes. name is the
// file name in errors.
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

// Warnings returns the warnings about content so far that the format does not define, in order of first occurrence. Their number is bounded.
func (r *Reader) Warnings() []Warning { return r.warned.all() }

// Events returns how many events have been read so far, or a few less while more are at hand. Unlike all else of a Reader it may be asked
// while another goroutine reads.
func (r *Reader) Events() int { return int(r.count.Load()) }

// Next reads the next event into e, or returns io.EOF after the last one and leaves e without meaning. The reader never reuses what e points to,
// so the caller may keep a copy of e. Equal lists of flags may share memory, so the caller must not change them.
func (r *Reader) Next(e *Event) error {
	if r.err != nil {
		return r.err
	}
	err := r.container.next(e)
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
	reason := fmt.Sprintf(format, arguments...)
	if r.container != nil {
		if place := r.container.place(); place != "" {
			return &Error{File: r.name, Reason: place + ": " + reason}
		}
	}
	return &Error{File: r.name, Line: r.number, Reason: reason}
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
	r.container = jsonLines{r}
	if isCtf(magic) {
		r.container = newSlotReader(r)
	}
	return r.container.begin()
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

// take adds a decoded event to the trace. Its words need not be normalised if spelt is true; complete is as in checker.event.
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
	status := e.Status
	if err := r.accept(e, known, complete); err != nil {
		return err
	}
	if r.decoder.lost || e.Cut > 0 || e.Status != status {
		r.written.event = bytes.TrimSpace(r.line)
	}
	if known == nil {
		r.unknownFunction(e)
	} else if !spelt {
		r.unknownWords(e)
	}
	if e.Fn == "NdkGetCqResults" {
		r.plainResults(e)
	}
	return nil
}

// accept checks an event of a function, whose words are normal, and adds it to the trace. complete is as in checker.event.
func (r *Reader) accept(e *Event, known *function, complete bool) error {
	if err := r.check.event(e, known, complete); err != nil {
		return err
	}
	e.Line, r.written.event = r.number, nil
	if known != nil && known.mayBeVoid && e.Ph == Ret {
		r.mayBeVoid(e)
	}
	if r.header.Dialect == "kverbs" {
		r.notInKernel(e)
	}
	if r.check.events%64 == 0 {
		r.count.Store(int64(r.check.events))
	}
	return nil
}

// mayBeVoid handles the return of a function that has a status in NDSPI alone. In NDKPI it has done what it does, whatever status is told, and a warning says so.
func (r *Reader) mayBeVoid(e *Event) {
	switch {
	case r.header.Dialect == "ndspi" && e.Status == "":
		e.Unclear = e.Fn + " of NDSPI returns a status, and the trace does not have it"
	case r.header.Dialect == "ndkpi" && e.Status != "" && e.Status != "STATUS_SUCCESS":
		r.warn("void", e.Fn, fmt.Sprintf("the status %q of %s is ignored: it returns VOID in NDKPI", e.Status, e.Fn))
		e.Status, r.spell.unknown = "", r.spell.unknown[:0]
	}
}

// notInKernel handles a function that kernel code on Linux does not have: it reads no events, as a CQ calls its comp_handler.
func (r *Reader) notInKernel(e *Event) {
	if e.Fn != "ibv_get_cq_event" {
		return
	}
	e.Unclear = "kernel code does not read events by " + e.Fn
	if r.warned.isNew(e.Unclear) {
		r.warned.add(r.number, e.Unclear, e.Unclear+": a CQ calls its comp_handler; what rests on it is not decided")
	}
}

// unknownFunction warns of the function of an event.
func (r *Reader) unknownFunction(e *Event) {
	if r.strange.fn != e.Fn {
		r.strange.fn, r.strange.unclear = e.Fn, e.Fn+" is not a function that the format knows, and what it did would decide"
		if what := "function " + e.Fn; r.warned.isNew(what) {
			r.warned.add(r.number, what, fmt.Sprintf("%q is not a function that the format knows%s; its events are not judged", e.Fn, suggestFunction(e.Fn)))
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
				r.written.event = bytes.TrimSpace(r.line)
			}
		}
		result.Type, result.Token, result.ProviderError = "", nil, nil
	}
}

// unknownWords warns of words that have no meaning here, on which nothing may rest. A status that is not known is read as that of a failure.
func (r *Reader) unknownWords(e *Event) {
	for _, u := range r.spell.unknown {
		text := fmt.Sprintf("the %s %q is not known", u.kind, u.word)
		e.Unclear = text
		if u.kind == fieldStatus.String() {
			if !r.warned.isNew(u.kind + " " + u.word) {
				continue
			}
			text += suggestStatus(u.word) + "; it counts as a failure"
		}
		r.warn(u.kind, u.word, text)
	}
}

func (r *Reader) warn(kind, what, text string) { r.warned.add(r.number, kind+" "+what, text) }

// readError gives a reason to an error of the source.
func (r *Reader) readError(err error) error {
	switch {
	case r.zstd == nil:
		return r.fail("reading: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.fail("truncated: the zstd stream ends in the middle, or is damaged; zstd -dc shows what can be read")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return r.fail("the zstd stream needs a window of more than %d bytes to decompress", maxWindow)
	}
	return r.fail("corrupt zstd stream: %v", err)
}
