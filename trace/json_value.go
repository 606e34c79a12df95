package trace

import (
	"errors"
	"fmt"
	"strconv"
)

// The values of fields. An error names the field.

// wrong is the error of a value that is of another kind.
func (p *parser) wrong(name fmt.Stringer, want string) error {
	kind, err := p.kind()
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is %s, %s", name, kind, want)
}

// stringOf reads a string, which is valid until the next one is read.
func (p *parser) stringOf(name fmt.Stringer) ([]byte, form, error) {
	if p.space() != '"' {
		return nil, plain, p.wrong(name, "not a string")
	}
	return p.text()
}

// description reads any string.
func (p *parser) description(name fmt.Stringer) (string, error) {
	text, _, err := p.stringOf(name)
	return string(text), err
}

// integer reads an integer from 0 to max.
func (p *parser) integer(name fmt.Stringer, max int64) (int64, error) {
	return p.integerFrom(name, 0, max)
}

func (p *parser) integerFrom(name fmt.Stringer, min, max int64) (int64, error) {
	c := p.space()
	if c != '-' && (c < '0' || c > '9') {
		if c == '"' {
			return 0, p.wrong(name, "not an integer: write it without quotation marks")
		}
		return 0, p.wrong(name, "not an integer")
	}
	if n, length := p.short(); length > 0 && min <= n && n <= max {
		p.at += length
		return n, nil
	}
	written, err := p.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(written), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Errorf("%s is %.40s, not an integer", name, written)
	case err != nil || n < min || n > max:
		return 0, fmt.Errorf("%s is %.40s, out of the range %d to %d", name, written, min, max)
	}
	return n, nil
}

// short looks at an integer of at most 18 digits that is written in the usual way, and returns how many those are; 0 for
// any other number.
func (p *parser) short() (n int64, length int) {
	digits := p.line[p.at:min(p.at+19, len(p.line))]
	for i, c := range digits {
		if c < '0' || c > '9' {
			if i > 1 && digits[0] == '0' || c == '.' || c|0x20 == 'e' {
				return 0, 0
			}
			return n, i
		}
		n = n*10 + int64(c-'0')
	}
	return 0, 0
}

func (p *parser) boolean(name fmt.Stringer) (bool, error) {
	switch p.space() {
	case 't':
		return true, p.literal("true")
	case 'f':
		return false, p.literal("false")
	}
	return false, p.wrong(name, "not true or false")
}
