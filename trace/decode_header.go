package trace

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// members are an object that comes once in a trace.
type members func(f field) (known bool, err error)

func (m members) member(f field) (bool, error) { return m(f) }

// decodeHeader reads a header. The parser has what of it the format does not know.
func decodeHeader(line []byte) (h Header, p *parser, err error) {
	p = &parser{line: line}
	kind, err := recordKind(line)
	if err != nil {
		return h, p, err
	}
	if kind != "hdr" {
		return h, p, errors.New(`no header: the first line is to be {"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":…,"side":…}`)
	}
	// A header of another version may differ in all else, so the version is looked at before the rest.
	if err := decodeVersion(line); err != nil {
		return h, p, err
	}
	err = p.document(members(func(f field) (bool, error) {
		if f == fieldRec || f == fieldFormat || f == fieldV {
			return true, p.skip(0)
		}
		return decodeHeaderField(p, f, &h)
	}))
	if err != nil {
		return h, p, err
	}
	return h, p, checkHeader(&h)
}

// unknownOf returns the keys that the parser came upon and none of these fields has, each with the field that it was probably meant for.
func (p *parser) unknownOf(fields []field) (unknown []unknownKey) {
	for _, u := range p.unknown {
		if !slices.Contains(fields, fieldOf([]byte(u.key))) {
			u.near = nearest(u.key, fields)
			unknown = append(unknown, u)
		}
	}
	return unknown
}

// headerFields are those of a header, and of the objects in it.
var headerFields = []field{fieldRec, fieldFormat, fieldV, fieldDialect, fieldNdk, fieldSide, fieldOrder, fieldClock, fieldId, fieldUnit, fieldProducer,
	fieldName, fieldVersion, fieldAdapter, fieldRun}

// recordKind returns the value of the key rec: "" for an event, which has none.
func recordKind(line []byte) (kind string, err error) {
	p := parser{line: line}
	err = p.document(members(func(f field) (known bool, err error) {
		if f != fieldRec {
			return false, nil
		}
		kind, err = p.description(f)
		if err == nil && kind == "" {
			err = fmt.Errorf("%s is empty", f)
		}
		return true, err
	}))
	return kind, err
}

// decodeVersion checks a header's format and version alone.
func decodeVersion(line []byte) error {
	var format, version string
	var hasFormat, hasVersion bool
	p := parser{line: line}
	err := p.document(members(func(f field) (known bool, err error) {
		switch f {
		case fieldFormat:
			hasFormat = true
			format, err = p.description(f)
		case fieldV:
			hasVersion = true
			version, err = p.description(f)
		default:
			return false, nil
		}
		return true, err
	}))
	switch {
	case err != nil:
		return err
	case !hasFormat:
		return errors.New("the header has no format")
	case !hasVersion:
		return errors.New("the header has no v")
	}
	return checkVersion(format, version)
}

var versionPattern = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}$`)

// checkVersion accepts every minor version of major version 1.
func checkVersion(format, version string) error {
	if format != formatName {
		return fmt.Errorf("the header's format is %.40q, not %q", format, formatName)
	}
	if !versionPattern.MatchString(version) {
		return fmt.Errorf("the header's v is %.40q, not a version such as %q", version, Version)
	}
	if !strings.HasPrefix(version, "1.") {
		return fmt.Errorf("format version %s is not supported: this program reads version 1", version)
	}
	return nil
}

func decodeHeaderField(p *parser, f field, h *Header) (known bool, err error) {
	switch f {
	case fieldDialect:
		h.Dialect, err = p.description(f)
	case fieldNdk:
		h.Ndk, err = p.description(f)
	case fieldSide:
		h.Side, err = p.description(f)
	case fieldOrder:
		h.Order, err = p.description(f)
	case fieldClock:
		err = decodeTexts(p, f, map[field]*string{fieldId: &h.Clock.Id, fieldUnit: &h.Clock.Unit})
	case fieldProducer:
		err = decodeTexts(p, f, map[field]*string{fieldName: &h.Producer.Name, fieldVersion: &h.Producer.Version})
	case fieldAdapter:
		h.Adapter, err = decodeMap(p, f)
	case fieldRun:
		h.Run, err = decodeMap(p, f)
	default:
		return false, nil
	}
	return true, err
}

func decodeTexts(p *parser, parent field, values map[field]*string) error {
	return under(parent, p.object(members(func(f field) (known bool, err error) {
		value, known := values[f]
		if known {
			*value, err = p.description(f)
		}
		return known, err
	})))
}

// anyKey is the name of a field whose key may be any text.
type anyKey string

func (k anyKey) String() string { return string(k) }

func decodeMap(p *parser, parent field) (map[string]string, error) {
	values := map[string]string{}
	if err := p.openObject(); err != nil {
		return nil, under(parent, err)
	}
	for first := true; ; first = false {
		text, more, err := p.key(first)
		if err != nil || !more {
			return values, under(parent, err)
		}
		if len(values) == maxKeys {
			return nil, under(parent, errManyKeys)
		}
		key := string(text)
		if _, twice := values[key]; twice {
			return nil, under(parent, fmt.Errorf("key %.100q occurs twice", key))
		}
		if values[key], err = p.description(anyKey(key)); err != nil {
			return nil, under(parent, err)
		}
	}
}

// under says in which field an error is. A cut line stays what it is.
func under(parent fmt.Stringer, err error) error {
	if err == nil || err == errCut {
		return err
	}
	return fmt.Errorf("%s: %w", parent, err)
}

// decodeEnd reads an end record. more says that it has keys which the format does not know.
func decodeEnd(line []byte) (end End, more bool, err error) {
	missing := map[field]bool{fieldEvents: true, fieldDropped: true, fieldQuiescent: true}
	p := parser{line: line}
	err = p.document(members(func(f field) (known bool, err error) {
		delete(missing, f)
		var n int64
		switch f {
		case fieldEvents:
			n, err = p.integer(f, math.MaxInt64)
			end.Events = uint64(n)
		case fieldDropped:
			n, err = p.integer(f, math.MaxInt64)
			end.Dropped = uint64(n)
		case fieldQuiescent:
			end.Quiescent, err = p.boolean(f)
		case fieldRec:
			err = p.skip(0)
		default:
			return false, nil
		}
		return true, err
	}))
	if err != nil {
		return end, false, err
	}
	for _, f := range []field{fieldEvents, fieldDropped, fieldQuiescent} {
		if missing[f] {
			return end, false, fmt.Errorf("the end record has no %s", f)
		}
	}
	return end, len(p.unknown) > 0, nil
}
