package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// object is what an object of the format is read into.
type object interface {
	// member reads the value of a field that it knows. All other keys are ignored.
	member(f field) (known bool, err error)
	// word is where it keeps the value of a field whose values come again and again, or nil.
	word(f field) *string
	// kind says, by what is known of it so far, which objects are like it: a small number.
	kind() int
}

// The kinds of objects; all from kindEvent on are of events.
const (
	kindRecord = iota
	kindResult
	kindRequest
	kindEvent
	kindCount = 3 + 32
)

// guesses tell, of a kind of object, what came after a field the last time, and after noField at the beginning. Most
// lines of a trace are like others: what was guessed right needs no decoding.
type guesses [fieldCount]guess

// guess is a member of an object.
type guess struct {
	field field
	text  string // all of it, with the comma before it; "" when only its field is a guess, as its value changes
	word  string // its value
}

// document reads the one object that a line is.
func (p *parser) document(o object) error {
	if err := p.openObject(); err != nil {
		return err
	}
	return p.rest(o, noField, 0)
}

// rest reads the rest of a document, of which the fields seen have been read, last as the last of them.
func (p *parser) rest(o object, last field, seen uint64) error {
	if err := p.members(o, last, seen); err != nil {
		return err
	}
	if p.space(); p.at < len(p.line) {
		return errors.New("not JSON: more after the object's end")
	}
	return nil
}

// object reads an object whose keys are fields.
func (p *parser) object(o object) error {
	if err := p.openObject(); err != nil {
		return err
	}
	return p.members(o, noField, 0)
}

// members reads an object's members after the field last; seen has a bit for each field that was read.
func (p *parser) members(o object, last field, seen uint64) error {
	guesses := &p.kinds[o.kind()]
	var others keySet
	for first := last == noField; ; first = false {
		if !first && p.at < len(p.line) && p.line[p.at] == '}' {
			p.at++
			return nil
		}
		g := &guesses[last]
		f := g.field
		start := p.at
		if f != noField && seen&(1<<f) == 0 && !first && g.text != "" && p.isNext(g.text) {
			p.at += len(g.text)
			*o.word(f) = g.word
		} else {
			if f == noField || !p.expect(f, first) {
				key, more, err := p.key(first)
				if err != nil || !more {
					return err
				}
				f = fieldOf(key)
				if f == noField {
					if !others.add(key) {
						return errTwice(key)
					}
					if err := p.skip(0); err != nil {
						return err
					}
					continue
				}
			}
			if seen&(1<<f) != 0 {
				return fmt.Errorf("key %q occurs twice", f.String())
			}
			p.plain = false
			known, err := o.member(f)
			if err != nil {
				return err
			}
			if !known {
				if err := p.skip(0); err != nil {
					return err
				}
			}
			g.field, g.text = f, ""
			if p.plain && !first && p.at-start < 64 {
				if word := o.word(f); word != nil {
					if g.word == *word {
						g.text = p.texts.text(p.line[start:p.at])
					}
					g.word = *word
				}
			}
		}
		seen |= 1 << f
		last = f
		if f == fieldFn {
			guesses = &p.kinds[o.kind()]
		}
	}
}

func (p *parser) isNext(text string) bool {
	return len(p.line)-p.at >= len(text) && string(p.line[p.at:p.at+len(text)]) == text
}

// expect reads the key of a field, with the comma before it and the colon behind, where they are the very next.
func (p *parser) expect(f field, first bool) bool {
	key := &fieldKeys[f]
	at := p.at
	if first {
		at-- // the brace stands where a comma would
	}
	end := at + key.length
	if at < 0 || end+8 > len(p.line) || f == noField {
		return false
	}
	start := binary.LittleEndian.Uint64(p.line[at:]) ^ key.start
	if first {
		start = start &^ 0xFF
	}
	if start&key.mask != 0 || key.length > 8 && binary.LittleEndian.Uint64(p.line[end-8:]) != key.end {
		return false
	}
	if key.length > 16 && binary.LittleEndian.Uint64(p.line[at+8:]) != key.inner {
		return false
	}
	p.at = end
	return true
}
