package trace

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
	return text, form, err
}

// name reads a word that no integer stands for.
func (d *decoder) name(f field) (string, error) { return d.string(f, &d.names) }

// object reads the id of a thread or an object, or an integer, which becomes its decimal.
func (d *decoder) objectId(f field) (string, error) {
	return d.stringOrInteger(f, &d.names, math.MaxInt64)
}

func (d *decoder) string(f field, words *words) (string, error) {
	text, form, err := d.nonEmpty(f)
	if err != nil {
		return "", err
	}
	return words.text(text, form), nil
}

// id reads the id of a call or a request, or an integer, which becomes its decimal.
func (d *decoder) id(f field) (string, error) { return d.stringOrInteger(f, &d.ids, math.MaxInt64) }

// word reads a name, or an integer, which becomes its decimal.
func (d *decoder) word(f field) (string, error) {
	return d.stringOrInteger(f, &d.names, math.MaxUint32)
}

// signed is word for one that C may have as a negative integer.
func (d *decoder) signed(f field) (string, error) {
	if d.space() != '-' {
		return d.word(f)
	}
	n, err := d.integerFrom(f, math.MinInt32, -1)
	d.scratch = strconv.AppendInt(d.scratch[:0], n, 10)
	return d.names.text(d.scratch, plain), err
}

func (d *decoder) stringOrInteger(f field, words *words, max int64) (string, error) {
	text, form, err := d.textOrInteger(f, max)
	if err != nil {
		return "", err
	}
	return words.text(text, form), nil
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

// length reads how many bytes something has.
func (d *decoder) length(f field) (*int64, error) {
	n, err := d.integer(f, math.MaxInt64)
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

// flagList is a list of flags, and how it is written: it ends where the text does.
type flagList struct {
	text  string
	flags []string
}

// flags reads a list of names and integers, or an integer alone. Equal lists are mostly one.
func (d *decoder) flags() ([]string, error) {
	if flags, end := d.recentFlags(d.line[d.at:], d.at); end != nowhere {
		d.at = end
		return flags, nil
	}
	start, odd := d.at, d.odd
	d.odd = false
	flags, err := d.otherFlags()
	if err == nil && !d.odd && d.line[start] == '[' && d.at-start <= maxId {
		d.newFlags[d.oldest] = flagList{string(d.line[start:d.at]), flags}
		d.oldest = (d.oldest + 1) % len(d.newFlags)
	}
	d.odd = d.odd || odd
	return flags, err
}

func (d *decoder) otherFlags() ([]string, error) {
	c := d.space()
	if c == '-' || '0' <= c && c <= '9' {
		text, form, err := d.textOrInteger(fieldFlags, math.MaxUint32)
		return d.strings.list(d.names.text(text, form)), err
	}
	if c != '[' {
		return nil, d.wrong(fieldFlags, "neither a list nor an integer")
	}
	d.listed = d.listed[:0]
	err := d.elements(func(i int) error {
		if i == maxFlags {
			return fmt.Errorf("%s has more than %d elements", fieldFlags, maxFlags)
		}
		text, form, err := d.textOrInteger(flagElement(i), math.MaxUint32)
		d.listed = append(d.listed, d.names.text(text, form))
		return err
	})
	if err != nil || len(d.listed) == 0 {
		return nil, err
	}
	return d.strings.list(d.listed...), nil
}

// another returns a list with one more element: a new one as long as they are kept, and else the last again.
func another[T any](list []T) []T {
	if len(list) <= MaxList {
		return append(list, *new(T))
	}
	list[MaxList] = *new(T)
	return list
}

// The fields that objects of a list have.
var (
	requestFields = []field{fieldWr, fieldOpcode, fieldFlags, fieldBytes, fieldToken, fieldMr, fieldMw}
	resultFields  = []field{fieldWr, fieldQp, fieldStatus, fieldBytes, fieldType, fieldOpcode, fieldToken, fieldProviderError}
)

// objects reads a list of objects, which have these fields, into o. begin comes before each; end says what it lacks. shape is how such
// objects were written.
func (d *decoder) objects(list field, fields []field, o object, shape **piece, begin func(), end func() error) error {
	if d.space() != '[' {
		return d.wrong(list, "not a list")
	}
	d.list = list
	defer func() { d.list = noField }()
	return d.elements(func(i int) error {
		d.space()
		start, before, known := d.at, len(d.values), len(d.unknown)
		begin()
		err := d.object(o)
		if err == nil {
			err = end()
		}
		if err != nil {
			return under(element{list, i}, err)
		}
		if !d.findMeant(known, fields) {
			d.shapes.learnObject(shape, d.line[start:d.at], start, d.values[before:])
		}
		d.values = d.values[:before]
		return nil
	})
}

// findMeant records which field each unknown key of the newest object, from a place on, may have been meant for: one of these that the
// object does not have. It reports whether there is any.
func (d *decoder) findMeant(from int, fields []field) (any bool) {
	if from == len(d.unknown) {
		return false
	}
	missing := slices.DeleteFunc(slices.Clone(fields), d.seen.has)
	for i := from; i < len(d.unknown); i++ {
		u := &d.unknown[i]
		u.near = nearest(u.key, missing)
		any = any || u.near != noField
	}
	return any
}

// requestObject is the decoder as the newest of the requests that it has read.
type requestObject decoder

func (d *requestObject) last() *WorkRequest { return &d.posted[len(d.posted)-1] }

func (o *requestObject) member(f field) (known bool, err error) {
	d, w := (*decoder)(o), o.last()
	switch f {
	case fieldWr:
		w.Wr, err = d.id(f)
	case fieldOpcode:
		w.Opcode, err = d.word(f)
	case fieldFlags:
		w.Flags, err = d.flags()
	case fieldBytes:
		w.Bytes, err = d.length(f)
	case fieldToken:
		w.Token, err = d.optionalToken(f)
	case fieldMr:
		w.Mr, err = d.objectId(f)
	case fieldMw:
		w.Mw, err = d.objectId(f)
	default:
		return false, nil
	}
	return true, err
}

func (d *decoder) workRequests() ([]WorkRequest, error) {
	d.posted = d.posted[:0]
	read := 0
	begin := func() { d.posted, read = another(d.posted), read+1 }
	err := d.objects(fieldWrs, requestFields, (*requestObject)(d), &d.shapes.request, begin, func() error {
		if (*requestObject)(d).last().Wr == "" {
			return errors.New("no wr")
		}
		return nil
	})
	d.event.Cut = max(0, read-MaxList)
	return d.requests.list(d.posted[:min(read, MaxList)]...), err
}

// resultObject is the decoder as the newest of the results that it has read.
type resultObject decoder

func (d *resultObject) last() *Result { return &d.finished[len(d.finished)-1] }

func (o *resultObject) member(f field) (known bool, err error) {
	d, r := (*decoder)(o), o.last()
	switch f {
	case fieldWr:
		r.Wr, err = d.id(f)
	case fieldQp:
		r.Qp, err = d.objectId(f)
	case fieldStatus:
		r.Status, err = d.signed(f)
	case fieldBytes:
		r.Bytes, err = d.length(f)
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
	read := 0
	begin := func() { d.finished, read = another(d.finished), read+1 }
	err := d.objects(fieldResults, resultFields, (*resultObject)(d), &d.shapes.result, begin, func() error {
		switch r := (*resultObject)(d).last(); {
		case r.Wr == "":
			return errors.New("no wr")
		case r.Status == "":
			return errors.New("no status")
		}
		return nil
	})
	d.event.Cut = max(0, read-MaxList)
	return d.results.list(d.finished[:min(read, MaxList)]...), err
}
