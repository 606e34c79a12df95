package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CtfMetadata returns the metadata of binary traces, with which babeltrace2 and others of the Common Trace Format read them: the layout of slots
// in TSDL. It is the same for all traces.
func CtfMetadata() string {
	m := &metadata{declared: map[string]bool{}}
	m.line(`/* CTF 1.8 */`)
	m.line(`// Binary traces of ndk-trace %s. docs/trace-format.md says what the fields mean.`, Version)
	for _, t := range []struct {
		name string
		size int
		base string
	}{{"u8", 8, ""}, {"u16", 16, ""}, {"u32", 32, ""}, {"u64", 64, ""}, {"x32", 32, "x"}, {"x64", 64, "x"}} {
		base := ""
		if t.base != "" {
			base = " base = 16;"
		}
		m.line(`typealias integer { size = %d; align = %d; signed = false; byte_order = le;%s } := %s;`, t.size, min(t.size, 8), base, t.name)
	}
	m.line(`typealias integer { size = 64; align = 8; signed = true; byte_order = le; } := s64;`)
	m.line(`typealias integer { size = 8; align = 8; signed = false; byte_order = le; encoding = UTF8; } := utf8;`)
	m.line(`trace { major = 1; minor = 8; byte_order = le; uuid = "%s";`, formatUuid(ctfUuid))
	m.line(`	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; };`)
	m.line(`};`)
	m.line(`clock { name = order; freq = 1000000000; description = "seq: the place in the order of the trace"; };`)
	m.line(`typealias integer { size = 64; align = 8; signed = false; byte_order = le; map = clock.order.value; } := seq_t;`)
	m.line(`typealias enum : u32 { absent = 0, false = 1, true = 2 } := truth_t;`)
	m.elements()
	m.line(`stream { id = 0;`)
	m.line(`	packet.context := struct { seq_t timestamp_begin; seq_t timestamp_end; u64 content_size; u64 packet_size; u64 events_discarded; };`)
	m.line(`	event.header := struct { u16 id; } align(%d);`, slotSize*8)
	m.line(`	event.context := struct { u16 more; x32 has; u64 gap; s64 t; x64 thr; };`)
	m.line(`};`)
	for class, name := range []string{classHeader: "header", classEnd: "end", classLine: "line", classPart: "part", className: "name"} {
		m.line(`event { id = %d; name = "%s"; stream_id = 0;`, class, name)
		m.line(`	fields := struct { u64 number; u32 length; utf8 text[length]; };`)
		m.line(`};`)
	}
	for _, c := range classes {
		if c != nil {
			m.class(c)
		}
	}
	return m.text.String()
}

type metadata struct {
	text     strings.Builder
	declared map[string]bool
}

func (m *metadata) line(format string, arguments ...any) {
	fmt.Fprintf(&m.text, format+"\n", arguments...)
}

// elements declares the structures of lists.
func (m *metadata) elements() {
	for _, c := range classes {
		if c != nil && c.list != noField {
			if fields := elementFields(c); !m.declared[elementType(c)] {
				m.enums(c, c.list, fields)
				m.declared[elementType(c)] = true
				m.line(`typealias struct {%s } := %s;`, m.fields(c, c.list, fields, 0, slotSize), elementType(c))
			}
		}
	}
}

// elementType is the name of the structure of a class's elements.
func elementType(c *class) string {
	if c.list == fieldWrs {
		return "wr_t"
	}
	return "result_" + c.fn + "_t"
}

// enums declares the numbers of words.
func (m *metadata) enums(c *class, list field, fields []slotField) {
	for _, f := range fields {
		if f.kind != slotWord {
			continue
		}
		for _, n := range numberings(c, list, f.field) {
			if m.declared[n.name] {
				continue
			}
			m.declared[n.name] = true
			m.line(`typealias enum : u32 { %s } := %s_t;`, strings.Join(n.enumerators(), ", "), n.name)
		}
	}
}

// numberings are those that a word may have: the status of a point has that of the trace's dialect.
func numberings(c *class, list, f field) []*numbering {
	of, other := numberingOf(c.fn, list, f, false), numberingOf(c.fn, list, f, true)
	if of == other {
		return []*numbering{of}
	}
	return []*numbering{of, other}
}

func (n *numbering) enumerators() (all []string) {
	for _, value := range slices.Sorted(maps.Keys(n.names)) {
		all = append(all, fmt.Sprintf("%s = %d", n.names[value], value))
	}
	return all
}

// class declares an event.
func (m *metadata) class(c *class) {
	m.enums(c, noField, c.fields)
	var first, second []slotField
	for _, f := range c.fields {
		if f.at < slotSize {
			first = append(first, f)
		} else {
			second = append(second, f)
		}
	}
	m.line(`event { id = %d; name = "%s_%s"; stream_id = 0;`, c.number, c.fn, c.ph)
	m.text.WriteString("\tfields := struct {")
	m.text.WriteString(m.fields(c, noField, first, recordOp, c.end))
	switch {
	case c.list != noField:
		fmt.Fprintf(&m.text, " %s %s[stream.event.context.more];", elementType(c), c.list)
	case c.rest:
		fmt.Fprintf(&m.text, " struct {%s } rest[stream.event.context.more];", m.fields(c, noField, second, slotSize, 2*slotSize))
	}
	m.line(" };")
	m.line(`};`)
}

// fields declares fields in the order of their places, from a place to another, and what is between them.
func (m *metadata) fields(c *class, list field, fields []slotField, from, to int) string {
	type member struct {
		at, size int
		text     string
	}
	var members []member
	for _, f := range fields {
		if size := f.kind.size(); size > 0 {
			members = append(members, member{f.at, size, typeOf(c, list, f) + " " + f.field.String()})
		}
	}
	switch {
	case list != noField:
		members = append(members, member{moreZero, 8, "u64 zero"}, member{elementHas, 4, "x32 has"})
	case from == recordOp:
		members = append(members, member{recordOp, 8, "x64 op"})
	default:
		members = append(members, member{from, 8, "u64 begin"}, member{from + moreZero, 8, "u64 zero"})
	}
	slices.SortFunc(members, func(a, b member) int { return a.at - b.at })
	var text strings.Builder
	members = append(members, member{at: to})
	for i, x := range members {
		if x.at > from {
			fmt.Fprintf(&text, " u32 pad%d[%d];", i, (x.at-from)/4)
		}
		if x.size == 0 {
			continue
		}
		fmt.Fprintf(&text, " %s;", x.text)
		from = x.at + x.size
	}
	return text.String()
}

// typeOf is the type of a field.
func typeOf(c *class, list field, f slotField) string {
	switch f.kind {
	case slotId:
		return "x64"
	case slotLong:
		return "u64"
	case slotFlags, slotToken:
		return "x32"
	case slotTruth:
		return "truth_t"
	case slotWord:
		if all := numberings(c, list, f.field); len(all) == 1 {
			return all[0].name + "_t"
		}
	}
	return "u32"
}
