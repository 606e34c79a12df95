package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// jsonLines is a Reader whose trace is JSON Lines.
type jsonLines struct{ *Reader }

func (r jsonLines) place() string { return "" }

func (r jsonLines) begin() error {
	magic := r.lines.peek(4)
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
	case magic[0] == '[':
		return r.fail("a JSON array, not JSON Lines: write each object on a line of its own, as jq -c '.[]' does")
	case magic[0] != '{':
		return r.fail("not a trace: the first byte is %s, not '{': a trace is JSON Lines, or one that ndkrecord wrote", quoted(magic[0]))
	}
	r.number = 0
	complete, err := r.readLine()
	if err != nil {
		return err
	}
	return r.lineError(r.headerRecord(), complete)
}

// quoted returns a byte as a character of ASCII, or in hexadecimal digits.
func quoted(c byte) string {
	if c < utf8.RuneSelf {
		return strconv.QuoteRune(rune(c))
	}
	return fmt.Sprintf("0x%02X", c)
}

// skipMark skips the byte order mark that a file may begin with. The rest of a file of UTF-16, which PowerShell's > writes, is read as
// such.
func (r jsonLines) skipMark(magic []byte) error {
	order, mark, isUtf16 := utf16Order(magic)
	if bytes.HasPrefix(magic, []byte{0xEF, 0xBB, 0xBF}) {
		mark = 3
	}
	if _, err := io.ReadFull(r.lines, make([]byte, mark)); err != nil {
		return r.readError(err)
	}
	if isUtf16 {
		waiting := r.lines.waiting
		r.lines = newLineReader(&utf16Reader{source: r.lines, order: order})
		r.lines.waiting = waiting
	}
	return nil
}

func (r jsonLines) next(e *Event) error {
	if err := r.usual(e); err != errUnusual {
		return err
	}
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
func (r jsonLines) usual(e *Event) error {
	if r.end != nil {
		return errUnusual
	}
	start := r.lines.start
	end, f, shape := r.decoder.quick(r.lines.window, start, r.lines.end, e)
	if shape == nil {
		return errUnusual
	}
	r.lines.start = end
	r.number++
	r.line = r.lines.window[start : end-1]
	if err := r.take(e, f.known, shape.spelt, shape.complete); err != nil {
		return r.fail("%v", err)
	}
	return nil
}

// readLine reads the next line into r.line, without its newline. complete is false for a last line that has none. The
// error is io.EOF after the last line.
func (r jsonLines) readLine() (complete bool, err error) {
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
		return false, r.fail("the line is empty: delete it")
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
func (r jsonLines) lineError(err error, complete bool) error {
	switch {
	case err == nil:
		return nil
	case err == errCut && !complete:
		return r.fail("truncated: the file ends in the middle of this line")
	}
	return r.fail("%v", err)
}

// headerRecord reads the present line as the header.
func (r *Reader) headerRecord() error {
	h, p, err := decodeHeader(r.line)
	r.header = h
	for _, u := range p.unknownOf(headerFields) {
		r.warn("key", "header."+u.key, u.describe("the header"))
	}
	if len(p.unknown) > 0 {
		r.written.header = bytes.Clone(bytes.TrimSpace(r.line))
	}
	return err
}

// endRecord reads the present line as the end record.
func (r *Reader) endRecord() error {
	end, more, err := decodeEnd(r.line)
	if err != nil {
		return err
	}
	if end.Events != r.check.events {
		return fmt.Errorf("the end record counts %d events, the file has %d", end.Events, r.check.events)
	}
	r.end = &end
	if more {
		r.written.end = bytes.Clone(bytes.TrimSpace(r.line))
	}
	return nil
}
