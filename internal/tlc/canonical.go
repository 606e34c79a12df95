package tlc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Canonical returns a TLA+ value in the one form in which equal values are equal texts: on one line, the fields of records
// and functions in the order of their names, the elements of sets in the order of their texts, each once.
func Canonical(text string) (string, error) {
	r := valueReader{src: text}
	r.value()
	r.blanks()
	if r.err == nil && r.at < len(r.src) {
		r.fail("something follows the value")
	}
	return string(r.out), r.err
}

// A valueReader reads a value as TLC prints it, and writes its canonical form.
type valueReader struct {
	src string
	at  int
	out []byte
	err error // the first; then nothing more is read
}

func (r *valueReader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("no value of TLA+: %s at %q", why, r.src[r.at:min(r.at+40, len(r.src))])
	}
	r.at = len(r.src)
}

func (r *valueReader) blanks() {
	for r.at < len(r.src) && (r.src[r.at] == ' ' || r.src[r.at] == '\n') {
		r.at++
	}
}

// next reports whether mark comes next, and steps over it if it does.
func (r *valueReader) next(mark string) bool {
	r.blanks()
	if !strings.HasPrefix(r.src[r.at:], mark) {
		return false
	}
	r.at += len(mark)
	return true
}

func (r *valueReader) expect(mark string) {
	if !r.next(mark) {
		r.fail(mark + " is missing")
	}
}

func (r *valueReader) value() {
	switch {
	case r.next("<<"):
		r.out = append(r.out, "<<"...)
		r.list(">>", r.value)
		r.out = append(r.out, ">>"...)
	case r.next("["):
		r.out = append(r.out, '[')
		r.sorted("]", ",", func() { r.field("|->") })
		r.out = append(r.out, ']')
	case r.next("("): // a function whose domain is no set of strings
		r.out = append(r.out, '(')
		r.sorted(")", "@@", func() { r.field(":>") })
		r.out = append(r.out, ')')
	case r.next("{"):
		r.out = append(r.out, '{')
		r.sorted("}", ",", r.value)
		r.out = append(r.out, '}')
	case r.next(`"`):
		r.quoted()
	default:
		r.word()
		if r.next("..") {
			r.interval()
		}
	}
}

// list reads what element reads, separated by commas, until the end mark.
func (r *valueReader) list(end string, element func()) {
	for first := true; r.err == nil && !r.next(end); first = false {
		if !first {
			r.expect(",")
			r.out = append(r.out, ", "...)
		}
		element()
	}
}

// sorted reads elements and writes them in the order of their texts, each once.
func (r *valueReader) sorted(end, separator string, element func()) {
	start := len(r.out)
	var ends []int
	inOrder := true
	for r.err == nil && !r.next(end) {
		if len(ends) > 0 {
			r.expect(separator)
		}
		from := len(r.out)
		element()
		ends = append(ends, len(r.out))
		if n := len(ends); n > 1 {
			before := start
			if n > 2 {
				before = ends[n-3]
			}
			inOrder = inOrder && bytes.Compare(r.out[before:from], r.out[from:]) < 0
		}
	}
	if len(ends) < 2 {
		return
	}
	elements := make([]string, len(ends))
	from := start
	for i, to := range ends {
		elements[i] = string(r.out[from:to])
		from = to
	}
	if !inOrder {
		slices.Sort(elements)
		elements = slices.Compact(elements)
	}
	if separator != "," {
		separator = " " + separator
	}
	r.out = append(r.out[:start], strings.Join(elements, separator+" ")...)
}

func (r *valueReader) field(arrow string) {
	if arrow == "|->" {
		r.word()
	} else {
		r.value()
	}
	r.expect(arrow)
	r.out = append(append(append(r.out, ' '), arrow...), ' ')
	r.value()
}

// word reads a name, a number or a truth.
func (r *valueReader) word() {
	r.blanks()
	start := r.at
	for r.at < len(r.src) {
		c := r.src[r.at]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			break
		}
		r.at++
	}
	if r.at == start {
		r.fail("a value is missing")
		return
	}
	r.out = append(r.out, r.src[start:r.at]...)
}

// quoted reads the rest of a string.
func (r *valueReader) quoted() {
	for i := r.at; i < len(r.src); i++ {
		switch r.src[i] {
		case '\\':
			i++
		case '"':
			r.out = append(append(r.out, '"'), r.src[r.at:i+1]...)
			r.at = i + 1
			return
		}
	}
	r.fail("a string does not end")
}

// longestInterval bounds the sets that are written out.
const longestInterval = 1 << 16

// interval reads the rest of m..n, of which m is written already, and writes the set.
func (r *valueReader) interval() {
	start := len(r.out)
	for start > 0 && (r.out[start-1] == '-' || r.out[start-1] >= '0' && r.out[start-1] <= '9') {
		start--
	}
	low, err := strconv.Atoi(string(r.out[start:]))
	r.out = r.out[:start]
	r.word()
	high, err2 := strconv.Atoi(string(r.out[start:]))
	r.out = r.out[:start]
	if err != nil || err2 != nil || high-low >= longestInterval {
		r.fail("an interval without bounds")
		return
	}
	var elements []string
	for n := low; n <= high; n++ {
		elements = append(elements, strconv.Itoa(n))
	}
	slices.Sort(elements)
	r.out = append(append(append(r.out, '{'), strings.Join(elements, ", ")...), '}')
}
