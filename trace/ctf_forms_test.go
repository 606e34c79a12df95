package trace

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// made makes traces that have events of all classes.
type made struct {
	events []Event
	n      int                       // of what is numbered
	text   func(kind string) string  // of an id
	number func(most uint64) uint64  // up to most
	has    func(required bool) bool  // whether an event has a field
	word   func(n *numbering) string // one of a numbering
}

// simple makes the same events always, with all their fields.
func simple() *made {
	m := &made{has: func(bool) bool { return true }, word: func(n *numbering) string { return n.text(1) }}
	m.text = func(kind string) string { m.n++; return fmt.Sprintf("%s%d", kind, m.n) }
	m.number = func(most uint64) uint64 { m.n++; return uint64(m.n) }
	return m
}

// function adds the events of a function.
func (m *made) function(fn string) {
	known := functions[fn]
	m.n++
	op := fmt.Sprint(m.n)
	for _, c := range classes[classNumbers[fn] : classNumbers[fn]+2] {
		if c == nil {
			continue
		}
		seq := uint64(len(m.events) + 1)
		e := Event{Seq: seq, T: int64(m.number(1000)), Thr: m.text("t"), Ph: c.ph, Fn: fn, Op: op}
		if known.kind == points {
			e.Op = ""
		}
		for _, f := range c.fields {
			if c.alone && !f.required && !m.has(false) {
				continue
			}
			m.set(&e, c, f)
		}
		m.events = append(m.events, e)
	}
}

func (m *made) set(e *Event, c *class, f slotField) {
	switch f.kind {
	case slotObject, slotId:
		*e.word(f.field) = m.text(objectKind(f.field))
		if f.field == fieldFor {
			e.For = e.Op
		}
	case slotWord:
		*e.word(f.field) = m.word(numberingOf(c.fn, noField, f.field, true))
	case slotInt:
		n := int64(m.number(1<<32 - 1))
		*e.number(f.field) = &n
	case slotLong:
		n := int64(m.number(1<<63 - 1))
		*e.number(f.field) = &n
	case slotToken:
		n := uint32(m.number(1<<32 - 1))
		e.Token = &n
	case slotFlags:
		e.Flags = flagsOf(uint32(m.number(1<<32-1)), false)
	case slotTruth:
		truth := m.number(1) == 1
		*e.truth(f.field) = &truth
	case slotList:
		for range m.number(3) % 4 {
			m.element(e, c)
		}
		if f.field == fieldResults && e.Results == nil {
			e.Results = []Result{}
		}
		if f.field == fieldWrs && e.Wrs == nil {
			e.Wrs = []WorkRequest{}
		}
	}
}

// element adds an element to the list of an event.
func (m *made) element(e *Event, c *class) {
	n := int64(m.number(1<<63 - 1))
	token := uint32(m.number(1<<32 - 1))
	verbs := strings.HasPrefix(c.fn, "ibv_")
	if c.list == fieldWrs {
		e.Wrs = append(e.Wrs, WorkRequest{Wr: m.text("wr"), Opcode: m.word(wrOpcodeNumbers), Flags: flagsOf(token, true), Bytes: &n, Token: &token,
			Mr: m.text("mr"), Mw: m.text("mw")})
		return
	}
	r := Result{Wr: m.text("wr"), Qp: m.text("qp"), Status: m.word(numberingOf(c.fn, c.list, fieldStatus, verbs)), Bytes: &n}
	if c.fn != "NdkGetCqResults" && m.has(false) {
		r.Token, r.ProviderError = &token, &token
	}
	switch {
	case verbs:
		r.Opcode = m.word(wcOpcodeNumbers)
	case c.fn == "NdkGetCqResultsEx":
		r.Type = m.word(operationNumbers)
	}
	e.Results = append(e.Results, r)
}

// file returns the events as JSON Lines.
func (m *made) file(t interface{ Fatal(...any) }) []byte {
	return written(t, &Trace{Header: Header{Dialect: "verbs", Side: "provider", Order: "total"}, Events: m.events, End: &End{Quiescent: true}})
}

// allFunctions is a trace of all functions, each so often.
func allFunctions(t testing.TB, times int) []byte {
	m := simple()
	for range times {
		for _, fn := range strings.Fields(numbered) {
			m.function(fn)
		}
	}
	return m.file(t)
}

// Each function of the format has its numbers, and its events are slots, whatever fields they have.
func TestEachFunctionHasSlots(t *testing.T) {
	list := strings.Fields(numbered)
	for fn := range functions {
		if !slices.Contains(list, fn) {
			t.Errorf("%s has no number in binary traces: it goes to the end of the list", fn)
		}
	}
	if len(list) != len(functions) {
		t.Errorf("%d functions have numbers, and the format knows %d", len(list), len(functions))
	}
	lines := allFunctions(t, 1)
	classesThere := countClasses(t, sameInBothForms(t, lines))
	for _, c := range classes {
		if c != nil && classesThere[uint16(c.number)] != 1 {
			t.Errorf("%d records of %s %s", classesThere[uint16(c.number)], c.fn, c.ph)
		}
	}
	if classesThere[classLine] != 0 {
		t.Errorf("%d events are lines", classesThere[classLine])
	}
}

// Traces with any fields, words and ids are the same in both forms.
func TestAnyEventInBothForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &made{}
		m.has = func(required bool) bool { return required || rapid.Bool().Draw(t, "has") }
		ids := rapid.OneOf(rapid.StringMatching(`[a-c]{0,2}0{0,2}`), rapid.StringMatching(`[1-9]?[0-9]{0,15}`), rapid.StringMatching(`[a-z"\\<é☃ ]{1,5}`),
			rapid.Just(strings.Repeat("x", 240)))
		m.text = func(kind string) string {
			m.n++ // an id is of one request, and of one object
			unique := rapid.SampledFrom([]string{kind, "", kind + "."}).Draw(t, "prefix")
			return unique + ids.Draw(t, "id") + rapid.SampledFrom([]string{".", "9", "-"}).Draw(t, "between") + fmt.Sprint(m.n)
		}
		m.number = func(most uint64) uint64 { return rapid.Uint64Range(0, most).Draw(t, "number") }
		m.word = func(n *numbering) string {
			return n.text(rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32Range(firstOwnNumber-1, firstOwnNumber+2), rapid.Uint32()).Draw(t, "word"))
		}
		functions := rapid.SliceOfN(rapid.SampledFrom(strings.Fields(numbered)), 0, 12).Draw(t, "functions")
		for _, fn := range functions {
			m.function(fn)
			if rapid.IntRange(0, 5).Draw(t, "more") == 0 { // what the function has no slot for
				m.events[len(m.events)-1].Channel = m.text("channel")
			}
		}
		want := m.file(t)
		r, err := NewReader("f", bytes.NewReader(want))
		var binary, again bytes.Buffer
		if err == nil {
			err = ConvertToCtf(&binary, r)
		}
		if err == nil {
			r, err = NewReader("f", &binary)
		}
		if err == nil {
			err = ConvertToLines(&again, r)
		}
		if err != nil || !bytes.Equal(again.Bytes(), want) {
			t.Fatalf("error %v\n%s\nwant\n%s", err, again.Bytes(), want)
		}
	})
}

// No input in slots makes the reader panic, and what can be read in either form is the same in the other.
func FuzzForms(f *testing.F) {
	corpus, err := filepath.Glob("../traces/accept/*.jsonl")
	if err != nil || len(corpus) == 0 {
		f.Fatalf("no traces to start from: %v", err)
	}
	for _, name := range corpus {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 3<<10 {
			f.Add(text)
			f.Add(converted(f, text, ConvertToCtf))
		}
	}
	f.Add(converted(f, allFunctions(f, 1), ConvertToCtf))
	f.Add(converted(f, []byte(lines(armCall, armRet, end2)), ConvertToCtf))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Read("f", bytes.NewReader(data), 0); err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		sameInBothForms(t, data)
	})
}

// babeltrace2 reads what is written, by the metadata, and finds the same records.
func TestBabeltraceFindsTheSame(t *testing.T) {
	program, err := exec.LookPath("babeltrace2")
	if err != nil {
		t.Fatal("babeltrace2 is not installed; make install, or make test, installs it")
	}
	corpus := map[string][]byte{"all functions": allFunctions(t, 150)}
	corpusTraces(t, func(path string, trace []byte) {
		if strings.Contains(path, "recorded") && len(corpus) < 12 || strings.HasSuffix(path, "accept/unknown-function.ndktrace.jsonl") {
			corpus[path] = trace
		}
	})
	for name, trace := range corpus {
		binary := converted(t, trace, ConvertToCtf)
		folder := t.TempDir()
		for file, text := range map[string][]byte{"metadata": []byte(CtfMetadata()), "trace.ndktrace.ctf": binary} {
			if err := os.WriteFile(filepath.Join(folder, file), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var errors bytes.Buffer
		command := exec.Command(program, folder)
		command.Stderr = &errors
		out, err := command.Output()
		if err != nil || errors.Len() > 0 {
			t.Fatalf("%s: %v\n%s", name, err, errors.Bytes())
		}
		found := map[string]int{}
		for line := range strings.Lines(string(out)) {
			word := line[strings.Index(line, ") ")+2:]
			found[word[:strings.Index(word, ":")]]++
		}
		want := map[string]int{}
		for class, n := range countClasses(t, binary) {
			want[nameOfClass(int(class))] = n
		}
		if !reflect.DeepEqual(found, want) {
			t.Errorf("%s: babeltrace2 finds %v, want %v", name, found, want)
		}
	}
}

// nameOfClass is the name that the metadata have for a class.
func nameOfClass(class int) string {
	if class < firstEventClass {
		return [...]string{classHeader: "header", classEnd: "end", classLine: "line", classPart: "part", className: "name"}[class]
	}
	return fmt.Sprintf("%s_%s", classes[class].fn, classes[class].ph)
}

// The layout of slots only grows: what was written with an older one is read, as both have the same UUID.
func TestLayoutOnlyGrows(t *testing.T) {
	var now strings.Builder
	for _, c := range classes {
		if c == nil {
			continue
		}
		for _, f := range c.fields {
			fmt.Fprintf(&now, "%d %s %s %s kind %d at %d has %d\n", c.number, c.fn, c.ph, f.field, f.kind, f.at, f.has)
		}
	}
	for _, list := range []struct {
		name   string
		fields []slotField
	}{{"results", resultSlot}, {"wrs", requestSlot}} {
		for _, f := range list.fields {
			fmt.Fprintf(&now, "%s %s kind %d at %d has %d\n", list.name, f.field, f.kind, f.at, f.has)
		}
	}
	before, err := os.ReadFile("testdata/layout.txt")
	if os.Getenv("NDK_LAYOUT") == "new" {
		err = os.WriteFile("testdata/layout.txt", []byte(now.String()), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(before)) {
		if !strings.Contains(now.String(), line) {
			t.Errorf("no longer so: %s", line)
		}
	}
	if now.Len() > len(before) {
		t.Error("the layout has grown; NDK_LAYOUT=new writes it to testdata/layout.txt, so that it stays")
	}
}

// What a packet or a record claims takes no memory before it is there.
func TestClaimsTakeNoMemory(t *testing.T) {
	whole := converted(t, []byte(lines(armCall, armRet, end2)), ConvertToCtf)
	copy(whole[packetContent:], []byte{0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40})
	copy(whole[recordAt(t, whole, 2)+recordMore:], []byte{0xFF, 0xFF})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read("f", bytes.NewReader(whole), 0)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Error(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("%d bytes were allocated for a file of %d", took, len(whole))
	}
}
