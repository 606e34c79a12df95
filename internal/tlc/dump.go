package tlc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var errBreaksOff = errors.New("the dump breaks off")

// readDump reads what TLC writes with -dump dot,actionlabels: a line for each state, named by its fingerprint, and a line
// for each step. Nothing of it is kept but the graph. It is errOther as soon as the graph is not like it should be, if something
// is said of that.
func readDump(r io.Reader, actions []string, like *likeness) (*Graph, error) {
	b := newGraphBuilder(actions, like)
	lines := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for n := 1; ; n++ {
		var err error
		if line, err = readLine(lines, line[:0]); errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d of TLC's dump: %w", n, errBreaksOff)
		} else if err != nil {
			return nil, err
		}
		end, err := b.line(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of TLC's dump: %w", n, err)
		}
		if end {
			break
		}
	}
	// TLC ends its files with a second brace; it stops when its output has no reader.
	if _, err := io.Copy(io.Discard, lines); err != nil {
		return nil, err
	}
	for len(b.First) <= len(b.known) {
		b.First = append(b.First, uint32(len(b.To)))
	}
	if like != nil {
		if err := like.end(&b.Graph); err != nil {
			return nil, err
		}
	}
	return &b.Graph, nil
}

// readLine appends the next line to buffer, without its end.
func readLine(r *bufio.Reader, buffer []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if buffer = append(buffer, part...); err == nil {
			return buffer[:len(buffer)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buffer, err
		}
	}
}

var (
	arrow       = []byte(" -> ")
	label       = []byte(` [label="`)
	furnishings = []string{"strict digraph", "nodesep", "subgraph", "color=", "{rank = same"}
)

// line handles one line. It reports whether the graph ends there.
func (b *graphBuilder) line(line []byte) (end bool, err error) {
	name, rest := line, []byte(nil)
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		name, rest = line[:i], line[i:]
	}
	id, err := strconv.ParseInt(string(name), 10, 64)
	if err != nil {
		for _, f := range furnishings {
			if bytes.HasPrefix(line, []byte(f)) {
				return false, nil
			}
		}
		if string(line) == "}" {
			return true, b.finish()
		}
		return false, fmt.Errorf("neither a state nor a step: %q", line)
	}
	if text, ok := bytes.CutPrefix(rest, label); ok {
		if text, ok := bytes.CutSuffix(text, []byte(`",style = filled]`)); ok {
			b.Initial = append(b.Initial, uint32(len(b.known)))
			return false, b.state(id, string(text))
		}
		if text, ok := bytes.CutSuffix(text, []byte(`"];`)); ok {
			return false, b.state(id, string(text))
		}
		return false, fmt.Errorf("a state that does not end: %q", line)
	}
	if rest, ok := bytes.CutPrefix(rest, arrow); ok {
		target, rest, _ := bytes.Cut(rest, label)
		action, _, ok := bytes.Cut(rest, []byte(`"`))
		to, err := strconv.ParseInt(string(target), 10, 64)
		if err != nil || !ok {
			return false, fmt.Errorf("a step without end or label: %q", line)
		}
		return false, b.step(id, to, string(action))
	}
	return false, fmt.Errorf("neither a state nor a step: %q", line)
}

// step adds a step that TLC labelled with the name of a definition.
func (b *graphBuilder) step(from, to int64, definition string) error {
	if from != b.source {
		if err := b.finish(); err != nil {
			return err
		}
		b.source = from
	}
	s := step{to: to}
	if number, ok := strings.CutPrefix(definition, prefix); ok {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || int(n) >= len(b.Actions) {
			return fmt.Errorf("a step of %s, which is not defined", definition)
		}
		s.label = uint32(n)
	} else {
		s.label = b.operator(definition)
	}
	b.steps = append(b.steps, s)
	return nil
}

// conjunct is how TLC begins each variable of a state, in the way of dot.
const conjunct = `/\\ `

// state adds a state with its text, in which dot needs \n, \" and \\.
func (b *graphBuilder) state(id int64, text string) error {
	if _, known := b.known[id]; known {
		return fmt.Errorf("state %d is there twice", id)
	}
	text, ok := strings.CutPrefix(text, conjunct)
	if !ok {
		return fmt.Errorf("a state without variables: %q", text)
	}
	first := len(b.known) == 0
	i := 0
	for part := range strings.SplitSeq(text, `\n`+conjunct) {
		name, raw, ok := strings.Cut(part, " = ")
		if first && ok {
			b.Variables = append(b.Variables, name)
			b.Values = append(b.Values, nil)
			b.raw, b.canonical = append(b.raw, map[string]uint32{}), append(b.canonical, map[string]uint32{})
		}
		if !ok || i >= len(b.Variables) || b.Variables[i] != name {
			return fmt.Errorf("a state with other variables than the first: %q", part)
		}
		n, known := b.raw[i][raw]
		if !known {
			value, err := Canonical(unescape.Replace(raw))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if n, known = b.canonical[i][value]; !known {
				n = uint32(len(b.Values[i]))
				b.canonical[i][value] = n
				b.Values[i] = append(b.Values[i], value)
			}
			b.raw[i][strings.Clone(raw)] = n
		}
		b.Rows = append(b.Rows, n)
		i++
	}
	if i != len(b.Variables) {
		return fmt.Errorf("a state with %d variables, not %d", i, len(b.Variables))
	}
	b.known[id] = uint32(len(b.known))
	if b.like != nil {
		return b.like.state(&b.Graph)
	}
	return nil
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
