package trace

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The values of an event's fields.

// nonEmpty reads a string that is not empty: an empty one would pass for an absent field.
func (d *decoder) nonEmpty(name fmt.Stringer) ([]byte, form, error) {
	text, form, err := d.stringOf(name)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", name)
	}
	if form != plain || len(text) > maxId {
		form, d.odd = other, true
	}
	d.plain = form == plain
	return text, form, err
}

// name reads the id of a thread, a function or an object.
func (d *decoder) name(f field) (string, error) { return d.string(f, &d.names) }

// phase reads a phase, which is mostly not the one of the event before.
func (d *decoder) phase() (Phase, error) {
	for _, ph := range [...]Phase{Call, Ret, Enter, Exit, Point} {
		end := d.at + len(ph) + 2
		if end < len(d.line) && d.line[d.at] == '"' && d.line[end-1] == '"' && string(d.line[d.at+1:end-1]) == string(ph) {
			d.at = end
			return ph, nil
		}
	}
	ph, err := d.name(fieldPh)
	return Phase(ph), err
}

// wr reads the id of a request.
func (d *decoder) wr(f field) (string, error) { return d.string(f, &d.ids) }

func (d *decoder) string(f field, words *words) (string, error) {
	if word, ok := d.usual(words); ok {
		return word, nil
	}
	text, _, err := d.nonEmpty(f)
	if err != nil {
		return "", err
	}
	return words.text(text), nil
}

// usual reads a plain string, where that is the very next.
func (d *decoder) usual(words *words) (word string, ok bool) {
	if d.at == len(d.line) || d.line[d.at] != '"' {
		return "", false
	}
	word, end, ok := d.plainWord(d.at+1, words)
	if ok {
		d.at, d.plain = end, true
	}
	return word, ok
}

// id reads the id of a call, or an integer, which becomes its decimal.
func (d *decoder) id(f field) (string, error) { return d.stringOrInteger(f, &d.ids, math.MaxInt64) }

// word reads a name, or an integer, which becomes its decimal.
func (d *decoder) word(f field) (string, error) {
	return d.stringOrInteger(f, &d.names, math.MaxUint32)
}

func (d *decoder) stringOrInteger(f field, words *words, max int64) (string, error) {
	if word, ok := d.usual(words); ok {
		return word, nil
	}
	text, _, err := d.textOrInteger(f, max)
	if err != nil {
		return "", err
	}
	return words.text(text), nil
}

func (d *decoder) textOrInteger(name fmt.Stringer, max int64) ([]byte, form, error) {
	switch c := d.space(); {
	case c == '"':
		return d.nonEmpty(name)
	case c != '-' && (c < '0' || c > '9'):
		return nil, plain, d.wrong(name, "neither a string nor an integer")
	}
	n, err := d.integer(name, max)
	d.scratch = strconv.AppendInt(d.scratch[:0], n, 10)
	return d.scratch, plain, err
}

func (d *decoder) optional(f field) (*int64, error) {
	n, err := d.integer(f, math.MaxUint32)
	return d.numbers.value(n), err
}

func (d *decoder) optionalToken(f field) (*uint32, error) {
	n, err := d.integer(f, math.MaxUint32)
	return d.tokens.value(uint32(n)), err
}

func (d *decoder) optionalBool(f field) (*bool, error) {
	value, err := d.boolean(f)
	return d.truths.value(value), err
}

// An element is the name of a value in a list.
type (
	element struct {
		list field
		i    int
	}
	flagElement uint8
)

func (e element) String() string     { return fmt.Sprintf("%s[%d]", e.list, e.i) }
func (e flagElement) String() string { return element{fieldFlags, int(e)}.String() }

// flags reads a list of names and integers, or an integer alone. Equal lists are mostly one.
func (d *decoder) flags() ([]string, error) {
	if d.flagsText != "" && d.isNext(d.flagsText) {
		d.at += len(d.flagsText)
		return d.flagsList, nil
	}
	start, odd := d.at, d.odd
	d.odd = false
	list, err := d.newFlags()
	if err == nil && !d.odd && d.line[d.at-1] == ']' {
		d.flagsText, d.flagsList = d.texts.text(d.line[start:d.at]), list
	}
	d.odd = d.odd || odd
	return list, err
}

func (d *decoder) newFlags() ([]string, error) {
	c := d.space()
	if c == '-' || '0' <= c && c <= '9' {
		text, _, err := d.textOrInteger(fieldFlags, math.MaxUint32)
		return d.strings.list(d.names.text(text)), err
	}
	if c != '[' {
		return nil, d.wrong(fieldFlags, "neither a list nor an integer")
	}
	d.listed = d.listed[:0]
	err := d.list(func(i int) error {
		if i == maxFlags {
			return fmt.Errorf("%s has more than %d elements", fieldFlags, maxFlags)
		}
		text, _, err := d.textOrInteger(flagElement(i), math.MaxUint32)
		d.listed = append(d.listed, d.names.text(text))
		return err
	})
	if err != nil || len(d.listed) == 0 {
		return nil, err
	}
	return d.strings.list(d.listed...), nil
}

// objects reads a list of objects into o. begin comes before each, and may read its beginning: the fields seen, last as the
// last of them. end says what it lacks.
func (d *decoder) objects(list field, o object, begin func() (last field, seen uint64), end func() error) error {
	if d.space() != '[' {
		return d.wrong(list, "not a list")
	}
	return d.list(func(i int) error {
		var err error
		if last, seen := begin(); seen != 0 {
			err = d.members(o, last, seen)
		} else {
			err = d.object(o)
		}
		if err == nil {
			err = end()
		}
		if err != nil {
			return under(element{list, i}, err)
		}
		return nil
	})
}

// requestObject is the decoder as the newest of the requests that it has read.
type requestObject decoder

func (d *requestObject) last() *WorkRequest { return &d.posted[len(d.posted)-1] }

func (d *requestObject) kind() int { return kindRequest }

func (d *requestObject) word(f field) *string {
	if f == fieldOpcode {
		return &d.last().Opcode
	}
	return nil
}

func (o *requestObject) member(f field) (known bool, err error) {
	d, w := (*decoder)(o), o.last()
	switch f {
	case fieldWr:
		w.Wr, err = d.wr(f)
	case fieldOpcode:
		w.Opcode, err = d.word(f)
	case fieldFlags:
		w.Flags, err = d.flags()
	case fieldBytes:
		w.Bytes, err = d.optional(f)
	case fieldToken:
		w.Token, err = d.optionalToken(f)
	case fieldMw:
		w.Mw, err = d.name(f)
	default:
		return false, nil
	}
	return true, err
}

func (d *decoder) workRequests() ([]WorkRequest, error) {
	d.posted = d.posted[:0]
	begin := func() (field, uint64) {
		d.posted = append(d.posted, WorkRequest{})
		return noField, 0
	}
	err := d.objects(fieldWrs, (*requestObject)(d), begin, func() error {
		if (*requestObject)(d).last().Wr == "" {
			return errors.New("no wr")
		}
		return nil
	})
	return d.requests.list(d.posted...), err
}

// resultObject is the decoder as the newest of the results that it has read.
type resultObject decoder

func (d *resultObject) last() *Result { return &d.finished[len(d.finished)-1] }

func (d *resultObject) kind() int { return kindResult }

func (d *resultObject) word(f field) *string {
	switch f {
	case fieldQp:
		return &d.last().Qp
	case fieldStatus:
		return &d.last().Status
	case fieldType:
		return &d.last().Type
	case fieldOpcode:
		return &d.last().Opcode
	}
	return nil
}

func (o *resultObject) member(f field) (known bool, err error) {
	d, r := (*decoder)(o), o.last()
	switch f {
	case fieldWr:
		r.Wr, err = d.wr(f)
	case fieldQp:
		r.Qp, err = d.name(f)
	case fieldStatus:
		r.Status, err = d.word(f)
	case fieldBytes:
		r.Bytes, err = d.optional(f)
	case fieldType:
		r.Type, err = d.word(f)
	case fieldOpcode:
		r.Opcode, err = d.word(f)
	case fieldToken:
		r.Token, err = d.optionalToken(f)
	case fieldProviderError:
		r.ProviderError, err = d.optionalToken(f)
	default:
		return false, nil
	}
	return true, err
}

func (d *decoder) resultList() ([]Result, error) {
	d.finished = d.finished[:0]
	begin := func() (last field, seen uint64) {
		d.finished = append(d.finished, Result{})
		if d.beginResult((*resultObject)(d).last()) {
			return fieldStatus, 1<<fieldWr | 1<<fieldQp | 1<<fieldStatus
		}
		return noField, 0
	}
	err := d.objects(fieldResults, (*resultObject)(d), begin, func() error {
		switch r := (*resultObject)(d).last(); {
		case r.Wr == "":
			return errors.New("no wr")
		case r.Status == "":
			return errors.New("no status")
		}
		return nil
	})
	return d.results.list(d.finished...), err
}
