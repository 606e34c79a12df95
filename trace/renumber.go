package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// Renumber copies a trace of JSON Lines that was written by hand. It numbers the events 1, 2, 3 and so on as seq, in the order of their lines, and
// sets the count of the end record. It keeps dropped and quiescent of an existing end record. If there is none it adds one, with no dropped events.
// If quiescent is true, the end record says that the provider was at rest, whether it existed or not. All other bytes stay.
//
// Renumber returns the number of events. The error is an *Error if the trace can't be read or a line is not an object, or the error of w. A Reader
// finds what else may be wrong with the trace.
func Renumber(w io.Writer, name string, r io.Reader, quiescent bool) (events uint64, err error) {
	in, out := bufio.NewReaderSize(r, readBuffer), bufio.NewWriter(w)
	n := renumbering{quiescent: quiescent}
	for at := 1; ; at++ {
		line, err := lineOf(in)
		if err != nil && err != io.EOF {
			return n.events, &Error{File: name, Reason: "can't be read: " + err.Error()}
		}
		last := err == io.EOF
		if len(line) > MaxLine {
			return n.events, &Error{File: name, Line: at, Reason: fmt.Sprintf("the line is longer than %d bytes", MaxLine)}
		}
		if last && len(line) == 0 {
			break
		}
		body := bytes.TrimRight(line, "\r\n")
		changed, err := n.line(body, at)
		if err != nil {
			return n.events, &Error{File: name, Line: at, Reason: err.Error()}
		}
		n.newline = line[len(body):]
		out.Write(changed)
		out.Write(n.newline)
		if last {
			break
		}
	}
	if n.lines == 0 {
		return 0, &Error{File: name, Reason: "the file is empty"}
	}
	if !n.ended {
		if len(n.newline) == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, `{"rec":"end","events":%d,"dropped":0,"quiescent":%t}`+"\n", n.events, quiescent)
	}
	return n.events, out.Flush()
}

// lineOf returns the next line with its newline, or a little more than MaxLine bytes of one that is longer.
func lineOf(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); err != bufio.ErrBufferFull || len(line) > MaxLine {
			return line, err
		}
	}
}

// renumbering is what is known of a trace that is renumbered.
type renumbering struct {
	quiescent     bool
	lines, events uint64
	ended         bool
	newline       []byte // that ended the latest line
}

// line returns a line as it is to be.
func (n *renumbering) line(line []byte, at int) ([]byte, error) {
	n.lines++
	if _, _, is := utf16Order(line); at == 1 && is {
		return nil, errors.New("the file is UTF-16: save it as UTF-8 first")
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("the line is empty: delete it")
	}
	bom := 0
	if at == 1 && bytes.HasPrefix(line, []byte("\ufeff")) {
		bom = len("\ufeff")
	}
	keys, err := keysOf(line[bom:])
	switch {
	case err != nil && !utf8.Valid(line):
		return nil, errors.New(`the file is not JSON Lines: "tracecheck convert --to jsonl" makes that of a binary or a compressed trace`)
	case err != nil && at == 1 && line[bom] == '[':
		return nil, errors.New("a JSON array, not JSON Lines: write each object on a line of its own, as jq -c '.[]' does")
	case err != nil:
		return nil, fmt.Errorf("this is not a line of a trace, which is an object of JSON: %w", err)
	case n.ended:
		return nil, errors.New("this line comes after the end record: move that to the end, or delete it")
	}
	switch rec := keys.text(line[bom:], "rec"); {
	case at == 1 && rec != "hdr":
		return nil, errors.New("the first line is not a header, which has the key rec with the value hdr")
	case at == 1:
		return line, nil
	case rec == "":
		n.events++
		return keys.set(line, "seq", strconv.FormatUint(n.events, 10)), nil
	case rec != "end":
		return nil, fmt.Errorf("rec is %q: only the first line and the last are records", rec)
	}
	n.ended = true
	line = keys.set(line, "events", strconv.FormatUint(n.events, 10))
	for _, missing := range [][2]string{{"dropped", "0"}, {"quiescent", "false"}} {
		if keys, _ := keysOf(line); keys.find(missing[0]) == nil {
			line = append(bytes.TrimSuffix(bytes.TrimRight(line, " \t"), []byte("}")), fmt.Sprintf(`,"%s":%s}`, missing[0], missing[1])...)
		}
	}
	if n.quiescent {
		keys, _ := keysOf(line)
		line = keys.set(line, "quiescent", "true")
	}
	return line, nil
}

// lineKeys are the keys of an object, with the places of their values in its line.
type lineKeys []lineKey

type lineKey struct {
	name       string
	start, end int
}

// keysOf finds the keys of an object that is the whole of a line.
func keysOf(line []byte) (lineKeys, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, orNoObject(err)
	}
	var keys lineKeys
	seen := map[string]bool{}
	for decoder.More() {
		if len(keys) == maxKeys {
			return nil, errManyKeys
		}
		token, err := decoder.Token()
		if err != nil {
			return nil, orNoObject(err)
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, orNoObject(err)
		}
		if seen[name] {
			return nil, fmt.Errorf("the key %q comes twice", name)
		}
		seen[name] = true
		end := int(decoder.InputOffset())
		keys = append(keys, lineKey{name, end - len(value), end})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, orNoObject(err)
	}
	if rest := bytes.TrimSpace(line[decoder.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("something comes after the object")
	}
	return keys, nil
}

func orNoObject(err error) error {
	switch {
	case err == nil:
		return errors.New("it begins with something else")
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return err
}

func (k lineKeys) find(name string) *lineKey {
	for i := range k {
		if k[i].name == name {
			return &k[i]
		}
	}
	return nil
}

// text returns the text that a key has as its value, or "".
func (k lineKeys) text(line []byte, name string) (text string) {
	if key := k.find(name); key != nil {
		_ = json.Unmarshal(line[key.start:key.end], &text) // another value is not a record that is known
	}
	return text
}

// set returns a line with another value for a key. A key that is not there yet becomes the first.
func (k lineKeys) set(line []byte, name, value string) []byte {
	if key := k.find(name); key != nil {
		return bytes.Join([][]byte{line[:key.start], []byte(value), line[key.end:]}, nil)
	}
	brace := bytes.IndexByte(line, '{') + 1
	comma := ","
	if len(k) == 0 {
		comma = ""
	}
	return bytes.Join([][]byte{line[:brace], fmt.Appendf(nil, "%q:%s%s", name, value, comma), line[brace:]}, nil)
}
