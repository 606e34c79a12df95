package counterexample

import (
	"fmt"
	"strings"
)

// A value is one of TLA+, as TLC prints it. Records have fields; sequences and sets have elements; a string is its text
// without the quotes, and everything else the word that was printed.
type value struct {
	text     string
	fields   map[string]value
	elements []value
}

// parseValue reads a value.
func parseValue(text string) (value, error) {
	r := reader{src: text}
	v := r.value()
	if r.blanks(); r.err == nil && r.at < len(r.src) {
		r.fail("something follows the value")
	}
	return v, r.err
}

// An action of a step, with its arguments.
type action struct {
	name      string // without the MC that an MC module puts before it
	arguments []value
}

// parseAction reads an action with its arguments, such as MCNdkArmCq("q", "ANY").
func parseAction(text string) (action, error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return action{}, fmt.Errorf("no action with its arguments: %q", text)
	}
	r := reader{src: rest}
	a := action{name: strings.TrimPrefix(name, "MC"), arguments: r.list(")", r.value)}
	if r.blanks(); r.err == nil && r.at < len(r.src) {
		r.fail("something follows the action")
	}
	return a, r.err
}

type reader struct {
	src string
	at  int
	err error // the first; then nothing more is read
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("no value of TLA+: %s at %q", why, r.src[r.at:min(r.at+40, len(r.src))])
	}
	r.at = len(r.src)
}

func (r *reader) blanks() {
	for r.at < len(r.src) && strings.IndexByte(" \n", r.src[r.at]) >= 0 {
		r.at++
	}
}

// next reports whether mark comes next, and steps over it if it does.
func (r *reader) next(mark string) bool {
	r.blanks()
	if !strings.HasPrefix(r.src[r.at:], mark) {
		return false
	}
	r.at += len(mark)
	return true
}

func (r *reader) value() value {
	switch {
	case r.next("<<"):
		return value{elements: r.list(">>", r.value)}
	case r.next("{"):
		return value{elements: r.list("}", r.value)}
	case r.next("["):
		fields := map[string]value{}
		r.list("]", func() value {
			name := r.word()
			if !r.next("|->") {
				r.fail("|-> is missing")
			}
			fields[name] = r.value()
			return value{}
		})
		return value{fields: fields}
	case r.next(`"`):
		end := strings.IndexByte(r.src[r.at:], '"')
		if end < 0 {
			r.fail("a string does not end")
			return value{}
		}
		r.at += end + 1
		return value{text: r.src[r.at-end-1 : r.at-1]}
	}
	return value{text: r.word()}
}

// list reads elements, separated by commas, until the end mark.
func (r *reader) list(end string, element func() value) []value {
	var all []value
	for r.err == nil && !r.next(end) {
		if len(all) > 0 && !r.next(",") {
			r.fail("a comma is missing")
			break
		}
		if all = append(all, element()); r.at == len(r.src) {
			r.fail(end + " is missing")
		}
	}
	return all
}

// word reads a name, a number or a truth.
func (r *reader) word() string {
	r.blanks()
	end := strings.IndexFunc(r.src[r.at:], func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
	if end < 0 {
		end = len(r.src) - r.at
	}
	if end == 0 {
		r.fail("a value is missing")
		return ""
	}
	r.at += end
	return r.src[r.at-end : r.at]
}
