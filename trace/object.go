package trace

import (
	"errors"
	"fmt"
)

// object is what an object of the format is read into.
type object interface {
	// member reads the value of a field that it knows. All other keys are ignored.
	member(f field) (known bool, err error)
}

// value is where a member's value stands in its line.
type value struct {
	field      field // noField for a key that is ignored
	start, end int
}

// maxValues is how many values of an object are remembered: one more means too many.
const maxValues = 48

// document reads the one object that a line is.
func (p *parser) document(o object) error {
	if err := p.object(o); err != nil {
		return err
	}
	switch c := p.space(); {
	case p.at == len(p.line):
		return nil
	case c == ',':
		return errors.New("not JSON Lines: a comma after the object's end: write each object on a line of its own, without commas between them")
	default:
		return errors.New("not JSON: more after the object's end")
	}
}

// object reads an object whose keys are fields. Its values are the last of p.values then.
func (p *parser) object(o object) error {
	if err := p.openObject(); err != nil {
		return err
	}
	var seen fieldSet
	var others keySet
	before := len(p.values)
	for first := true; ; first = false {
		key, more, err := p.key(first)
		if err != nil || !more {
			p.seen = seen
			return err
		}
		f := fieldOf(key)
		switch {
		case f == noField:
			if err := others.add(key); err != nil {
				return err
			}
		case seen.has(f):
			return fmt.Errorf("key %q occurs twice", f.String())
		}
		seen.add(f)
		p.space()
		start, known := p.at, false
		if f != noField {
			if known, err = o.member(f); err != nil {
				return err
			}
		}
		if !known {
			if f = noField; len(p.unknown) < maxUnknownKeys {
				p.unknown = append(p.unknown, unknownKey{key: string(key[:min(len(key), maxUnknownKey)]), list: p.list})
			}
			if err := p.skip(0); err != nil {
				return err
			}
		}
		if len(p.values) <= before+maxValues {
			p.values = append(p.values, value{f, start, p.at})
		}
	}
}
