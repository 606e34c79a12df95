package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxDepth is how deep objects and lists may nest, also under keys that are ignored.
const maxDepth = 32

// errCut is a line that ends before its object does.
var errCut = errors.New("the line ends in the middle of its object")

// parser reads one line of JSON by its tokens: encoding/json's own mapping to structs would take "SEQ" for "seq" and the
// last of two equal keys.
type parser struct {
	tokens *json.Decoder
}

func newParser(line []byte) *parser {
	tokens := json.NewDecoder(bytes.NewReader(line))
	tokens.UseNumber()
	return &parser{tokens}
}

func (p *parser) token() (json.Token, error) {
	token, err := p.tokens.Token()
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, errCut
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("not JSON: %v, at byte %d of the line", syntax, syntax.Offset)
	case err != nil:
		return nil, fmt.Errorf("not JSON: %v", err)
	}
	return token, nil
}

// line reads the one object that a line is.
func (p *parser) line(field func(key string) (known bool, err error)) error {
	if err := p.object(field); err != nil {
		return err
	}
	if _, err := p.tokens.Token(); err != io.EOF {
		return errors.New("not JSON: more after the object's end")
	}
	return nil
}

// object reads an object. field reads the value of the keys it knows; the others are ignored.
func (p *parser) object(field func(key string) (known bool, err error)) error {
	token, err := p.token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("%s where an object belongs", kindOf(token))
	}
	seen := map[string]struct{}{}
	for {
		token, err := p.token()
		if err != nil || token == json.Delim('}') {
			return err
		}
		key := token.(string) // the decoder takes nothing else for a key
		if _, twice := seen[key]; twice {
			return fmt.Errorf("key %.100q occurs twice", key)
		}
		seen[key] = struct{}{}
		known, err := field(key)
		if err != nil {
			return err
		}
		if !known {
			if err := p.skip(); err != nil {
				return err
			}
		}
	}
}

// list reads a list; element reads one value.
func (p *parser) list(key string, element func(i int) error) error {
	token, err := p.token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("%s is %s, not a list", key, kindOf(token))
	}
	return p.elements(element)
}

// elements reads the rest of a list whose bracket was read.
func (p *parser) elements(element func(i int) error) error {
	for i := 0; p.tokens.More(); i++ {
		if err := element(i); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// skip reads a value of any kind.
func (p *parser) skip() error {
	for depth := 0; ; {
		token, err := p.token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (p *parser) text(key string, value *string) error {
	token, err := p.token()
	if err != nil {
		return err
	}
	text, ok := token.(string)
	if !ok {
		return fmt.Errorf("%s is %s, not a string", key, kindOf(token))
	}
	*value = text
	return nil
}

// id reads a string that is not empty: an empty one would pass for an absent field.
func (p *parser) id(key string, value *string) error {
	err := p.text(key, value)
	if err == nil && *value == "" {
		return fmt.Errorf("%s is empty", key)
	}
	return err
}

// word reads a name or an integer from 0 to max, which becomes its decimal.
func (p *parser) word(key string, max int64, value *string) error {
	token, err := p.token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Number:
		n, err := toInteger(key, token, max)
		*value = strconv.FormatInt(n, 10)
		return err
	case string:
		if token == "" {
			return fmt.Errorf("%s is empty", key)
		}
		*value = token
		return nil
	}
	return fmt.Errorf("%s is %s, neither a string nor an integer", key, kindOf(token))
}

func (p *parser) integer(key string, max int64) (int64, error) {
	token, err := p.token()
	if err != nil {
		return 0, err
	}
	number, ok := token.(json.Number)
	if !ok {
		return 0, fmt.Errorf("%s is %s, not an integer", key, kindOf(token))
	}
	return toInteger(key, number, max)
}

// optional is integer for a field of 32 bits that may be absent.
func (p *parser) optional(key string) (*int64, error) {
	n, err := p.integer(key, math.MaxUint32)
	return &n, err
}

func (p *parser) optionalUint32(key string) (*uint32, error) {
	n, err := p.integer(key, math.MaxUint32)
	value := uint32(n)
	return &value, err
}

func toInteger(key string, number json.Number, max int64) (int64, error) {
	n, err := strconv.ParseInt(string(number), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Errorf("%s is %.40s, not an integer", key, number)
	case err != nil || n < 0 || n > max:
		return 0, fmt.Errorf("%s is %.40s, out of the range 0 to %d", key, number, max)
	}
	return n, nil
}

func (p *parser) boolean(key string) (bool, error) {
	token, err := p.token()
	if err != nil {
		return false, err
	}
	value, ok := token.(bool)
	if !ok {
		return false, fmt.Errorf("%s is %s, not true or false", key, kindOf(token))
	}
	return value, nil
}

func (p *parser) optionalBool(key string) (*bool, error) {
	value, err := p.boolean(key)
	return &value, err
}

// kindOf names a token's kind in a message.
func kindOf(token json.Token) string {
	switch token := token.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case json.Delim:
		if token == '{' {
			return "an object"
		}
	}
	return "a list"
}
