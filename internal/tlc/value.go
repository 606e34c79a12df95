package tlc

import (
	"fmt"
	"strings"
)

// value is a TLA+ value as TLC prints it. One with fields is a record, or a function of strings; everything else is its
// text, on one line.
type value struct {
	fields []field
	text   string
}

type field struct {
	name string
	value
}

// parseValue reads a value. What is not a record is left as text.
func parseValue(s string) value {
	text := strings.Join(strings.Fields(s), " ")
	if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
		if fields, ok := parseFields(strings.TrimSuffix(inner, "]")); ok {
			return value{fields: fields, text: text}
		}
	}
	return value{text: text}
}

// parseFields reads "a |-> 1, b |-> <<2, 3>>".
func parseFields(s string) ([]field, bool) {
	var fields []field
	for _, part := range splitTop(s) {
		name, rest, ok := strings.Cut(part, " |-> ")
		if !ok {
			return nil, false
		}
		fields = append(fields, field{strings.TrimSpace(name), parseValue(rest)})
	}
	return fields, len(fields) > 0
}

// splitTop splits at the commas that no bracket and no string encloses.
func splitTop(s string) []string {
	var parts []string
	nesting, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("[{(", c) >= 0, strings.HasPrefix(s[i:], "<<"):
			nesting++
		case strings.IndexByte("]})", c) >= 0, strings.HasPrefix(s[i:], ">>"):
			nesting--
		case c == ',' && nesting == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
		if strings.HasPrefix(s[i:], "<<") || strings.HasPrefix(s[i:], ">>") {
			if !quoted {
				i++
			}
		}
	}
	return append(parts, s[start:])
}

// changes says, a line each, what differs between two values of the variable or field called path.
func changes(path string, before, after value) []string {
	if before.text == after.text {
		return nil
	}
	if !sameFields(before.fields, after.fields) {
		return []string{fmt.Sprintf("%s = %s", path, after.text)}
	}
	var lines []string
	for i := range after.fields {
		lines = append(lines, changes(path+"."+after.fields[i].name, before.fields[i].value, after.fields[i].value)...)
	}
	return lines
}

// Changes says, a line each, what differs between two values of a variable.
func Changes(variable, before, after string) []string {
	return changes(variable, parseValue(before), parseValue(after))
}

func sameFields(a, b []field) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i].name != b[i].name {
			return false
		}
	}
	return true
}

// Explain describes a counter-example: numbered steps, each with its action and what the action changed.
func Explain(trace []Step) string {
	var b strings.Builder
	var before map[string]value
	for _, step := range trace {
		switch {
		case step.Stuttering:
			fmt.Fprintf(&b, "%3d  nothing more happens\n", step.Number)
			continue
		case step.Back > 0:
			fmt.Fprintf(&b, "%3d  back to %d, for ever\n", step.Number, step.Back)
			continue
		}
		fmt.Fprintf(&b, "%3d  %s\n", step.Number, step.Action)
		now := map[string]value{}
		for _, v := range step.Vars {
			now[v.Name] = parseValue(v.Value)
			lines := []string{fmt.Sprintf("%s = %s", v.Name, now[v.Name].text)}
			if old, known := before[v.Name]; known {
				lines = changes(v.Name, old, now[v.Name])
			}
			for _, line := range lines {
				fmt.Fprintf(&b, "       %s\n", line)
			}
		}
		before = now
	}
	return b.String()
}
