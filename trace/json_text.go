package trace

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// form is how a string is written.
type form uint8

const (
	plain   form = iota // in printable ASCII
	other               // with other characters, which may be such that no word has them
	escaped             // with escapes, which may stand for any character
)

// stringClass has the class of each byte in a string.
var stringClass = func() (class [256]byte) {
	for c := range class {
		switch {
		case c == '"' || c == '\\':
			class[c] = byte(c)
		case c < ' ':
			class[c] = 'c'
		case c >= 0x7F:
			class[c] = 'o'
		}
	}
	return class
}()

// plainEnd returns the index of the next byte, from at on, that is not plain, or an index less than eight bytes before the line's end. A plain byte is
// printable ASCII that stands for itself in a string.
func plainEnd(line []byte, at int) int {
	for ; at+8 <= len(line); at += 8 {
		if s := special(binary.LittleEndian.Uint64(line[at:])); s != 0 {
			return at + bits.TrailingZeros64(s)/8
		}
	}
	return at
}

// special sets the high bit of the first of eight bytes that is not plain, and possibly of later ones. It is 0 if all are plain.
func special(bytes uint64) uint64 {
	// The high bit of a byte is set by: a byte that is not ASCII; 0x7F; one below a space; a zero, made of a quote or a backslash. A carry from such a
	// byte may also set it in the bytes behind it.
	return (bytes | (bytes + each) | (bytes - each*' ') | ((bytes ^ each*'"') - each) | ((bytes ^ each*'\\') - each)) & high
}

// text reads a string whose opening quote is the next byte. What it returns is valid until the next string is read.
func (p *parser) text() ([]byte, form, error) {
	form := plain
	start := p.at + 1
	for i := plainEnd(p.line, start); i < len(p.line); i++ {
		switch stringClass[p.line[i]] {
		case 0:
		case '"':
			p.at = i + 1
			return p.line[start:i], form, nil
		case '\\':
			p.at = i
			return p.unescape(p.line[start:i])
		case 'c':
			p.at = i
			return nil, form, p.bad("in string literal")
		default:
			form = other
		}
	}
	p.at = len(p.line)
	return nil, form, errCut
}

// unescape reads the rest of a string, from a backslash on.
func (p *parser) unescape(before []byte) ([]byte, form, error) {
	p.scratch = append(p.scratch[:0], before...)
	for p.at < len(p.line) {
		c := p.line[p.at]
		switch {
		case c == '"':
			p.at++
			return p.scratch, escaped, nil
		case c < ' ':
			return nil, escaped, p.bad("in string literal")
		case c != '\\':
			p.scratch = append(p.scratch, c)
			p.at++
			continue
		}
		p.at++
		if p.at == len(p.line) {
			break
		}
		if p.line[p.at] == 'u' {
			r, err := p.unicode()
			if err != nil {
				return nil, escaped, err
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			continue
		}
		at := bytes.IndexByte([]byte(`"\/bfnrt`), p.line[p.at])
		if at < 0 {
			return nil, escaped, p.bad("in string escape code")
		}
		p.scratch = append(p.scratch, "\"\\/\b\f\n\r\t"[at])
		p.at++
	}
	return nil, escaped, errCut
}

// unicode reads an escape from its u on, and the second one of a surrogate pair with it. Half a pair is U+FFFD.
func (p *parser) unicode() (rune, error) {
	r, err := p.hex()
	if err != nil || !utf16.IsSurrogate(r) || !bytes.HasPrefix(p.line[p.at:], []byte(`\u`)) {
		return r, err // AppendRune makes U+FFFD of half a pair
	}
	before := p.at
	p.at++
	second, err := p.hex()
	whole := utf16.DecodeRune(r, second)
	if err == nil && whole == utf8.RuneError {
		p.at = before // the second one is a character of its own
	}
	return whole, err
}

// hex reads u and four hexadecimal digits.
func (p *parser) hex() (rune, error) {
	var r rune
	p.at++
	for range 4 {
		var c byte
		if p.at < len(p.line) {
			c = p.line[p.at]
		}
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, p.bad("in \\u hexadecimal character escape")
		}
		p.at++
	}
	return r, nil
}
