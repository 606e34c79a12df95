// Command cheader writes what the C recorder has of the project's table of functions: go generate ./internal/cheader.
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ndkoracle/trace"
)

//go:generate go run . ../../c

// files are what is generated, by name.
var files = map[string]func() string{
	"ndktrace_functions.h": functions, "ndktrace_classes.h": classes, "ndktrace.metadata": trace.CtfMetadata,
}

func main() {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text()), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

const generated = "/* Written by go generate ./internal/cheader from the table of functions: do not edit. */\n"

// prefixes are what the names of words begin with in C, by kind.
var prefixes = map[string]string{"ntstatus": "NDKT_", "notify_type": "NDKT_NOTIFY_", "operation_type": "NDKT_OPERATION_", "wc_status": "NDKT_",
	"wc_opcode": "NDKT_WC_", "wr_opcode": "NDKT_WR_", "qp_state": "NDKT_QPS_", "qp_type": "NDKT_QPT_", "async_event": "NDKT_EVENT_"}

// functions returns the header with a function for each kind of event.
func functions() string {
	var out strings.Builder
	out.WriteString(generated)
	out.WriteString("\n/* the numbers of words */\n")
	words := trace.CtfWords()
	for _, kind := range slices.Sorted(maps.Keys(words)) {
		for _, word := range slices.SortedFunc(maps.Keys(words[kind]), func(a, b string) int { return int(int64(words[kind][a]) - int64(words[kind][b])) }) {
			fmt.Fprintf(&out, "#define %s%s 0x%Xu\n", prefixes[kind], word, words[kind][word])
		}
	}
	out.WriteString("\n/* the events: an object that is not known is 0, another optional argument NDKT_NONE */\n")
	for _, c := range trace.CtfClasses() {
		out.WriteString(newFunction(c).text())
	}
	return out.String()
}

// function is the C function that records an event of a class.
type function struct {
	trace.CtfClass
	begins, ends bool
	own          int // which of the eight bytes of fields is the op of the event itself, from 1; 0 for none
}

func newFunction(c trace.CtfClass) *function {
	f := &function{CtfClass: c, begins: c.Phase == trace.Call || c.Phase == trace.Enter, ends: c.Phase == trace.Ret || c.Phase == trace.Exit}
	for _, field := range c.Fields {
		if field.Name == "wr" && f.begins {
			f.own = (field.At-fieldsAt)/8 + 1
		}
	}
	return f
}

const (
	fieldsAt = 40
	slot     = 64
)

// parameters are the fields that the caller gives.
func (f *function) parameters() (fields []trace.CtfField) {
	for _, field := range f.Fields {
		if !field.Carried && (field.Name != "wr" || f.own == 0) {
			fields = append(fields, field)
		}
	}
	return fields
}

// argument is the name of a parameter: some fields have names that are words of C.
func argument(field trace.CtfField) string {
	switch field.Name {
	case "inline", "for", "errno":
		return field.Name + "_"
	}
	return field.Name
}

// optional reports whether the caller may give NDKT_NONE.
func optional(field trace.CtfField) bool { return field.Has != 0 && field.Size > 0 && !field.Required }

func (f *function) text() string {
	var out strings.Builder
	result, end := "void", ""
	if !f.ends {
		result, end = "ndkt_op", "return "
	}
	fmt.Fprintf(&out, "NDKT_INLINE %s ndkt_%s_%s(ndkt_ring *r", result, f.Fn, f.Phase)
	if f.ends {
		out.WriteString(", ndkt_op op")
	}
	for _, field := range f.parameters() {
		switch {
		case field.Size == 0 && f.List == "wrs":
			out.WriteString(", const ndkt_request *wrs, unsigned count")
		case field.Size == 0:
			out.WriteString(", const ndkt_result *results, unsigned count")
		case optional(field), field.Size == 8:
			fmt.Fprintf(&out, ", uint64_t %s", argument(field))
		default:
			fmt.Fprintf(&out, ", uint32_t %s", argument(field))
		}
	}
	out.WriteString(")\n{\n")
	op := "0"
	if f.ends {
		op = "op"
	}
	second, more := "0", "0"
	if f.List != "" {
		second, more = f.List, f.List+" ? count : 0"
	} else if any := f.inSecond(); any != "" {
		second, more = "&m", any+" ? 1 : 0"
		out.WriteString("    ndkt_slot m;\n")
		fmt.Fprintf(&out, "    m.class_ = 0; m.more = 0; m.has = 0; m.stamp = 0;\n")
		for i, member := range []string{"m.t", "m.thr", "m.op", "m.w[0]", "m.w[1]", "m.w[2]"} {
			fmt.Fprintf(&out, "    %s = %s;\n", member, f.word(slot+16+8*i))
		}
	}
	fmt.Fprintf(&out, "    %sndkt_put(r, %d, %d, %s, %s, %s, %s, %s, %s, %d, %s, %s);\n}\n", end, f.Number, truth(f.begins), f.without(), op, f.has(),
		f.word(fieldsAt), f.word(fieldsAt+8), f.word(fieldsAt+16), f.own, second, more)
	return out.String()
}

// without is when the event can't be recorded, as what it needs of an earlier one was dropped.
func (f *function) without() string {
	if f.ends {
		return "op == 0"
	}
	for _, field := range f.parameters() {
		if field.Id && field.Required {
			return argument(field) + " == 0"
		}
	}
	return "0"
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inSecond is whether any field of the second slot is given, or "" where there is none.
func (f *function) inSecond() string {
	var terms []string
	for _, field := range f.parameters() {
		if field.At < slot {
			continue
		}
		if optional(field) {
			terms = append(terms, argument(field)+" != NDKT_NONE")
		} else {
			terms = append(terms, argument(field)+" != 0")
		}
	}
	if len(terms) == 0 {
		return ""
	}
	return "(" + strings.Join(terms, " || ") + ")"
}

// word is what stands in eight bytes of the fields.
func (f *function) word(at int) string {
	var terms []string
	for _, field := range f.parameters() {
		if field.Size == 0 || field.At < at || field.At >= at+8 {
			continue
		}
		value := argument(field)
		if optional(field) {
			value = fmt.Sprintf("(%s == NDKT_NONE ? 0 : %[1]s)", value)
		}
		if field.Size == 4 {
			value = "(uint64_t)(uint32_t)" + value
		}
		if field.At > at {
			value += " << 32"
		}
		terms = append(terms, value)
	}
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " | ")
}

// has are the bits of the fields that are there.
func (f *function) has() string {
	always, terms := uint32(0), []string(nil)
	for _, field := range f.parameters() {
		switch {
		case field.Has == 0:
		case field.Size == 0:
			terms = append(terms, fmt.Sprintf("(%s ? %du : 0u)", f.List, field.Has))
		case field.Required:
			always |= field.Has
		default:
			terms = append(terms, fmt.Sprintf("(%s != NDKT_NONE ? %du : 0u)", argument(field), field.Has))
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("%du", always)}, terms...), " | ")
}

// classes returns the table by which the worker finds the ops in slots.
func classes() string {
	var out strings.Builder
	out.WriteString(generated)
	out.WriteString(`
/* of each class: where the id of a request or a call is in its first slot, or 0; whether its further slots begin with one; where its fields end */
typedef struct ndkt_class { unsigned char id, list, end; } ndkt_class;
static const ndkt_class ndkt_classes[] = {
`)
	all := trace.CtfClasses()
	last, byNumber := all[len(all)-1].Number, map[int]trace.CtfClass{}
	for _, c := range all {
		byNumber[c.Number] = c
	}
	for n := 0; n <= last; n++ {
		c, id := byNumber[n], 0
		for _, field := range c.Fields {
			if field.Id {
				id = field.At
			}
		}
		fmt.Fprintf(&out, "    {%d, %d, %d}, /* %s %s */\n", id, truth(c.List != ""), c.End, c.Fn, c.Phase)
	}
	out.WriteString("};\n\nstatic const unsigned char ndkt_uuid[16] = {")
	for i, b := range trace.CtfUuid() {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(&out, "0x%02x", b)
	}
	out.WriteString("};\n")
	return out.String()
}
