package trace

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Order reports whether a file that begins with magic is UTF-16: it has a byte order mark, of mark bytes, or a brace of two bytes.
func utf16Order(magic []byte) (order binary.ByteOrder, mark int, is bool) {
	switch {
	case bytes.HasPrefix(magic, []byte{0xFF, 0xFE}):
		return binary.LittleEndian, 2, true
	case bytes.HasPrefix(magic, []byte{0xFE, 0xFF}):
		return binary.BigEndian, 2, true
	case bytes.HasPrefix(magic, []byte{'{', 0}):
		return binary.LittleEndian, 0, true
	case bytes.HasPrefix(magic, []byte{0, '{'}):
		return binary.BigEndian, 0, true
	default:
		return nil, 0, false
	}
}

// utf16Reader reads UTF-16, without its byte order mark, as UTF-8. Half a surrogate pair becomes U+FFFD; half a unit at the end is
// left out, so that the last line is cut.
type utf16Reader struct {
	source io.Reader
	order  binary.ByteOrder
	high   rune   // the first half of a pair, or 0
	out    []byte // that is not read yet
	err    error  // behind it
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.more()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// more reads some characters.
func (u *utf16Reader) more() {
	var in [4096]byte
	n, err := io.ReadFull(u.source, in[:])
	if u.err = err; err == io.ErrUnexpectedEOF {
		u.err = io.EOF
	}
	u.out = make([]byte, 0, 3*n)
	for i := 0; i+1 < n; i += 2 {
		u.add(rune(u.order.Uint16(in[i:])))
	}
	if u.err != nil && u.high != 0 {
		u.out = utf8.AppendRune(u.out, utf8.RuneError)
	}
}

// add takes one unit of UTF-16.
func (u *utf16Reader) add(unit rune) {
	if u.high != 0 {
		pair := utf16.DecodeRune(u.high, unit)
		u.high = 0
		if u.out = utf8.AppendRune(u.out, pair); pair != utf8.RuneError {
			return
		}
	}
	if utf16.IsSurrogate(unit) && unit < 0xDC00 {
		u.high = unit
		return
	}
	u.out = utf8.AppendRune(u.out, unit) // half a pair becomes U+FFFD
}
