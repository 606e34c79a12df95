package trace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep objects and lists may nest under a key that is ignored.
const maxDepth = 32

// errCut is a line that ends before its object does.
var errCut = errors.New("the line ends in the middle of its object: write each object on one line, as jq -c does")

// parser reads one line of JSON, which is UTF-8, in one pass. It takes all of RFC 8259 and nothing else, but for a key
// that occurs twice in an object: that is refused, also where the object is ignored, as readers differ in what it means.
type parser struct {
	line    []byte
	at      int          // of the next byte
	scratch []byte       // the newest string that had escapes, without them
	values  []value      // of the newest object
	seen    fieldSet     // in the newest object
	list    field        // that the object stands in
	unknown []unknownKey // of the line
}

// bad is the error of the next byte, or of a line that has none.
func (p *parser) bad(context string, advice ...string) error {
	if p.at >= len(p.line) {
		return errCut
	}
	c, _ := utf8.DecodeRune(p.line[p.at:])
	return fmt.Errorf("not JSON: invalid character %q %s, at byte %d of the line%s", c, context, p.at+1, strings.Join(append([]string{""}, advice...), "; "))
}

// space skips whitespace and returns the byte after it, or 0 at the end of the line.
func (p *parser) space() byte {
	for p.at < len(p.line) {
		switch c := p.line[p.at]; c {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) openObject() error {
	if p.space() != '{' {
		kind, err := p.kind()
		if err != nil {
			return err
		}
		return fmt.Errorf("%s where an object belongs", kind)
	}
	p.at++
	return nil
}

// key reads an object's next key, with the comma before it and the colon behind, or its end. The key is valid until the
// line is.
func (p *parser) key(first bool) (key []byte, more bool, err error) {
	c := p.space()
	switch {
	case c == '}':
		p.at++
		return nil, false, nil
	case first:
	case c == ',':
		p.at++
		c = p.space()
	default:
		return nil, false, p.bad("after object key:value pair")
	}
	if c != '"' {
		return nil, false, p.bad("looking for beginning of object key string", "a key stands in double quotation marks, and no comma before a brace")
	}
	key, form, err := p.text()
	if err != nil {
		return nil, false, err
	}
	if form == escaped {
		key = bytes.Clone(key)
	}
	if p.space() != ':' {
		return nil, false, p.bad("after object key")
	}
	p.at++
	return key, true, nil
}

// elements reads a list whose opening bracket is the next byte. element reads one value.
func (p *parser) elements(element func(i int) error) error {
	p.at++
	for i := 0; ; i++ {
		switch c := p.space(); {
		case c == ']':
			p.at++
			return nil
		case i == 0:
		case c == ',':
			p.at++
		default:
			return p.bad("after array element")
		}
		if err := element(i); err != nil {
			return err
		}
	}
}

// skip reads a value of any kind at that depth.
func (p *parser) skip(depth int) error {
	switch c := p.space(); {
	case c != '{' && c != '[':
		_, err := p.kind()
		return err
	case depth == maxDepth:
		return fmt.Errorf("nested deeper than %d", maxDepth)
	case c == '[':
		return p.elements(func(int) error { return p.skip(depth + 1) })
	}
	p.at++
	var keys keySet
	for first := true; ; first = false {
		key, more, err := p.key(first)
		if err != nil || !more {
			return err
		}
		if err := keys.add(key); err != nil {
			return err
		}
		if err := p.skip(depth + 1); err != nil {
			return err
		}
	}
}

// kind reads a value, of an object or a list only nothing, and returns what a message calls it.
func (p *parser) kind() (kind string, err error) {
	switch c := p.space(); c {
	case '{':
		return "an object", nil
	case '[':
		return "a list", nil
	case '"':
		_, _, err = p.text()
		return "a string", err
	case 't':
		return "true or false", p.literal("true")
	case 'f':
		return "true or false", p.literal("false")
	case 'n':
		return "null", p.literal("null")
	default:
		if c != '-' && (c < '0' || c > '9') {
			return "", p.bad("looking for beginning of value")
		}
		_, err = p.number()
		return "a number", err
	}
}

func errTwice(key []byte) error { return fmt.Errorf("key %.100q occurs twice", key) }

func (p *parser) literal(word string) error {
	for i := range len(word) {
		if p.at == len(p.line) || p.line[p.at] != word[i] {
			return p.bad(fmt.Sprintf("in literal %s (expecting %q)", word, word[i]))
		}
		p.at++
	}
	return nil
}

// number reads a number and returns how it is written.
func (p *parser) number() ([]byte, error) {
	start := p.at
	if p.line[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.line) && p.line[p.at] == '0' {
		p.at++
	} else if !p.digits() {
		return nil, p.bad("in numeric literal")
	}
	if p.at < len(p.line) && p.line[p.at] == '.' {
		p.at++
		if !p.digits() {
			return nil, p.bad("after decimal point in numeric literal")
		}
	}
	if p.at < len(p.line) && p.line[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.line) && (p.line[p.at] == '+' || p.line[p.at] == '-') {
			p.at++
		}
		if !p.digits() {
			return nil, p.bad("in exponent of numeric literal")
		}
	}
	return p.line[start:p.at], nil
}

// digits skips digits, and reports whether there was one.
func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.line) && '0' <= p.line[p.at] && p.line[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}
