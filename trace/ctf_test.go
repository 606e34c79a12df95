package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// converted returns a trace in another form.
func converted(t testing.TB, trace []byte, convert func(io.Writer, *Reader) error) []byte {
	t.Helper()
	r, err := NewReader("f", bytes.NewReader(trace))
	var out bytes.Buffer
	if err == nil {
		err = convert(&out, r)
	}
	if err != nil {
		t.Fatalf("%v\n%.2000q", err, trace)
	}
	return out.Bytes()
}

// corpusTraces calls use with each file of the corpus, decompressed.
func corpusTraces(t testing.TB, use func(path string, trace []byte)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir("../traces", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, ".ndktrace.") {
			return err
		}
		n++
		use(path, plainFile(t, path))
		return nil
	})
	if err != nil || n < 500 {
		t.Fatalf("%d traces in the corpus, error %v", n, err)
	}
}

// sameInBothForms sees that nothing of a trace which can be read is lost in the other form, and returns that.
func sameInBothForms(t testing.TB, trace []byte) (binary []byte) {
	t.Helper()
	want, err := Read("f", bytes.NewReader(trace), 0)
	if err != nil {
		t.Fatal(err)
	}
	canonical, binary := converted(t, trace, ConvertToLines), converted(t, trace, ConvertToCtf)
	if again := converted(t, binary, ConvertToLines); !bytes.Equal(again, canonical) {
		t.Fatalf("lines that went through slots differ:\n%s\nwant\n%s", again, canonical)
	}
	if again := converted(t, canonical, ConvertToLines); !bytes.Equal(again, canonical) {
		t.Fatalf("what was converted to lines is converted to others:\n%s\nwant\n%s", again, canonical)
	}
	if again := converted(t, canonical, ConvertToCtf); !bytes.Equal(again, binary) {
		t.Fatalf("the lines %s\nmake other slots than those they were made of", canonical)
	}
	got, err := Read("f", bytes.NewReader(binary), 0)
	if err != nil {
		t.Fatalf("%v of\n%s", err, canonical)
	}
	for i := range want.Events { // blank lines and byte order marks of the file are nothing to the trace
		want.Events[i].Line = got.Events[i].Line
	}
	for i := range min(len(want.Warnings), len(got.Warnings)) {
		want.Warnings[i].Line = got.Warnings[i].Line
	}
	if !reflect.DeepEqual(emptied(got), emptied(want)) {
		t.Fatalf("from slots: %+v\nfrom lines: %+v", got, want)
	}
	return binary
}

// emptied returns a trace without empty texts of its header.
func emptied(t *Trace) *Trace {
	if len(t.Header.Adapter) == 0 {
		t.Header.Adapter = nil
	}
	if len(t.Header.Run) == 0 {
		t.Header.Run = nil
	}
	return t
}

// Each trace of the corpus is the same, byte for byte, when it went through slots, and most of its events are in slots of their own.
func TestCorpusInBothForms(t *testing.T) {
	events, asLines, readable := 0, 0, 0
	corpusTraces(t, func(path string, trace []byte) {
		whole, err := Read(path, bytes.NewReader(trace), 0)
		if err != nil {
			return
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			classes := countClasses(t, sameInBothForms(t, trace))
			readable, events, asLines = readable+1, events+len(whole.Events), asLines+classes[classLine]
		})
	})
	t.Logf("%d traces with %d events, of which %d are lines", readable, events, asLines)
	if readable < 500 || asLines*50 > events {
		t.Error("too few traces, or too many events that are no slots")
	}
}

// countClasses returns how many records of each class a binary trace has.
func countClasses(t testing.TB, binary []byte) map[uint16]int {
	t.Helper()
	r := newSlotReader(&Reader{lines: newLineReader(bytes.NewReader(binary))})
	counts := map[uint16]int{}
	for {
		class, _, err := r.nextRecord()
		if err == io.EOF {
			return counts
		}
		if err != nil {
			t.Fatal(err)
		}
		counts[class]++
	}
}

// Whatever a line says is there again: keys and functions that the format does not know, words without a number, long lists, high numbers.
func TestLinesThatHaveNoSlots(t *testing.T) {
	long := `{"wr":"w0"}` + strings.Repeat(`,{"wr":"w0y"}`, 200_000) // more than one record has room for
	results := `{"seq":1,"thr":"a","ph":"call","op":1,"fn":"ibv_poll_cq","cq":"c","n":70000}` + "\n" +
		`{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"ibv_poll_cq","results":[` + strings.ReplaceAll(long, `"}`, `","status":0}`) + `]}`
	manyIds := ""
	for i := range 5000 {
		manyIds += strings.Replace(`,{"wr":"N-a","status":0}`, "N", strings.Repeat("n", i%200)+string(rune('a'+i/200)), 1)
	}
	saysMore := map[string]bool{"an unknown key": true, "a misspelt key": true, "unknown keys again": true, "an unknown result": true, "a plain result": true,
		"another's argument": true, "other's argument": true, "a later header": true, "a later end": true}
	for name, trace := range map[string]string{
		"an unknown function":  lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkNew","cq":"c","type":7,"flags":["A","B"]}`),
		"an unknown key":       lines(`{"seq":1,"thr":"a","ph":"point","fn":"quiesce","later":{"a":[1,2,{"b":null}]}}`),
		"a misspelt key":       lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkSend","qp":"q","wr":"w","flag":["DEFER"]}`),
		"unknown keys again":   lines(`{"seq":1,"thr":"a","ph":"point","fn":"quiesce","x":"1"}`, `{"seq":2,"thr":"a","ph":"point","fn":"quiesce","x":"2"}`, `{"seq":3,"thr":"a","ph":"point","fn":"quiesce","x":"3"}`),
		"an unknown result":    lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"ibv_poll_cq","cq":"c","n":1,"x":2}`, `{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"ibv_poll_cq","results":[{"wr":"w","status":0,"x":1}]}`),
		"a plain result":       lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkGetCqResults","cq":"c","n":1,"x":2}`, `{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"NdkGetCqResults","results":[{"wr":"w","status":0,"type":1}]}`),
		"words without number": lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkCloseCq","cq":"c"}`, `{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"NdkCloseCq","status":"STATUS_NEW"}`),
		"another's argument":   lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkCreateQp","qp":"q","receive_cq":"c","initiator_cq":"c","send_cq":"d"}`),
		"other's argument":     lines(`{"seq":1,"t":0,"thr":"a","ph":"call","op":1,"fn":"ibv_create_qp","qp":"q","recv_cq":"c","send_cq":"c","inline":3}`),
		"a field of another":   lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkArmCq","cq":"c","type":9,"depth":3}`),
		"the highest numbers":  lines(`{"seq":9223372036854775807,"t":9223372036854775807,"thr":9223372036854775807,"ph":"call","op":"9223372036854775807","fn":"NdkSend","qp":"9223372036854775807","wr":"4503599627370495","bytes":9223372036854775807,"flags":4294967295}`),
		"the lowest numbers":   lines(`{"seq":0,"t":0,"thr":"0","ph":"call","op":"0","fn":"NdkSend","qp":"0","wr":"00","bytes":0,"flags":0}`),
		"ids like others":      lines(`{"seq":1,"thr":"qp1","ph":"call","op":"cq1","fn":"NdkSend","qp":"qp4095","wr":"qp01"}`, `{"seq":2,"thr":"qp1","ph":"call","op":"cq2","fn":"NdkSend","qp":"qp1","wr":"qp1.1"}`),
		"an id of 256":         lines(`{"seq":1,"thr":"` + strings.Repeat("é", 256) + `","ph":"point","fn":"quiesce"}`),
		"escapes":              lines(`{"seq":1,"thr":"\"\\<\u202e","ph":"point","fn":"quiesce"}`),
		"a later header":       strings.Replace(lines(), `"v":"1.0"`, `"v":"1.9","new":{"a":1}`, 1),
		"a later end":          lines(`{"rec":"end","events":0,"dropped":3,"quiescent":false,"why":"disk"}`),
		"no end":               lines(armCall),
		"a long list":          lines(results, `{"seq":5,"thr":"a","ph":"point","fn":"quiesce"}`),
		"too many names":       lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"ibv_poll_cq","cq":"c","n":1}`, `{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"ibv_poll_cq","results":[{"wr":"w","status":0}`+manyIds+`]}`),
	} {
		t.Run(name, func(t *testing.T) {
			sameInBothForms(t, []byte(trace))
			if !saysMore[name] {
				return
			}
			canonical := converted(t, []byte(trace), ConvertToLines)
			for line := range strings.Lines(strings.TrimPrefix(trace, testHeader)) {
				if !bytes.Contains(canonical, []byte(line)) {
					t.Errorf("%s is no longer in\n%s", line, canonical)
				}
			}
		})
	}
}

// What is no binary trace, or was damaged, is refused with the place.
func TestMalformedSlots(t *testing.T) {
	whole := converted(t, []byte(lines(armCall, armRet, end2)), ConvertToCtf)
	// Its records are the header, the name a, two events, and the end.
	record := func(n int) int { return recordAt(t, whole, n) }
	with := func(at int, bytes ...byte) []byte {
		changed := append([]byte(nil), whole...)
		copy(changed[at:], bytes)
		return changed
	}
	event, end := record(2), record(4)
	for _, c := range []struct {
		name   string
		file   []byte
		reason string
	}{
		{"cut in a packet's header", whole[:40], "at byte 0: truncated: the file ends at byte 40"},
		{"cut in a record", whole[:event+3], "truncated: the file ends at byte"},
		{"cut between records", whole[:event], "truncated: the file ends at byte"},
		{"highest byte first", append([]byte{0xC1, 0xFC, 0x1F, 0xC1}, whole[4:]...), "highest byte first"},
		{"another UUID", with(packetUuid+3, 0xFF), "at byte 0: the packet's UUID is 3c1d5eff-9a4f-4e6b-8d27-6e646b747231, and that of traces is 3c1d5e0b-"},
		{"another stream", with(packetStream, 1), "stream 1"},
		{"no slots", with(packetContent, 9), "not slots of 512 bits"},
		{"less than its content", with(packetTotal, 0, 2), "not slots of 512 bits"},
		{"a packet that claims all there is", with(packetContent, 0, 254, 255, 255, 255, 255, 255, 255, 0, 254, 255, 255, 255, 255, 255, 255), "truncated: the file ends at byte 640"},
		{"a record beyond its packet", with(event+recordMore, 0xFF, 0xFF), "the record has 65536 slots, and its packet has"},
		{"an unknown class", with(event+recordClass, 0xFF, 0xFF), "records of class 65535 are not known"},
		{"a class of no event", with(event+recordClass, byte(classNumbers["quiesce"]+1), byte((classNumbers["quiesce"]+1)>>8)), "are not known"},
		{"unknown bits", with(event+recordHas, 0x80), "has the bits 0x80, of which it knows 0x1"},
		{"a second slot", with(event+recordMore, 1), "has 2 slots"},
		{"an id without a name", with(event+recordThr, 0, 0, 0, 0, 0, 0, 0, 1), "has the name 16, which has no text so far"},
		{"a high seq", with(event+recordGap+7, 0x80), "a number is above 9223372036854775807"},
		{"a seq of another packet", with(packetEnd, 1), "seq 2 is not one of its packet, whose events are from 1 to 1"},
		{"a ret without its call", with(event+slotSize+recordOp, 9, 0, 0, 0, 0, 0, 0), "ret without call"},
		{"nothing that is required", with(event+recordWords, 0, 0, 0, 0), "call of NdkArmCq has no cq"},
		{"a long text", with(end+textLength, 0xFF), "a text of 255 bytes in a record"},
		{"damaged text", with(end+textBytes, 0xFF), "not UTF-8"},
		{"a second header", with(end+recordClass, classHeader), "a second header"},
		{"an event as the end", with(end+recordClass, classLine), `a record of class 2 with rec "end"`},
		{"more behind the end", append(append([]byte(nil), whole...), whole...), "more after the end record"},
		{"something behind the last packet", append(append([]byte(nil), whole...), make([]byte, 64)...), "no packet: it begins with 0x00000000"},
		{"a name without a number", with(record(1)+textNumber, 0, 0), "the number of a name is 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if bytes.Equal(c.file, whole) {
				t.Fatal("nothing was changed")
			}
			_, err := Read("f", bytes.NewReader(c.file), 0)
			var refused *Error
			if !errors.As(err, &refused) || refused.Line != 0 || !strings.Contains(err.Error(), c.reason) || !strings.HasPrefix(refused.Reason, "at byte ") {
				t.Errorf("%v, want %q at a byte", err, c.reason)
			}
		})
	}
}

// recordAt returns where a record is in a binary trace of one packet.
func recordAt(t testing.TB, binary []byte, n int) int {
	t.Helper()
	r := newSlotReader(&Reader{lines: newLineReader(bytes.NewReader(binary))})
	for range n + 1 {
		if _, _, err := r.nextRecord(); err != nil {
			t.Fatal(err)
		}
	}
	return int(r.record)
}

// handmade writes binary traces record by record.
type handmade struct {
	*slotWriter
	out bytes.Buffer
}

func newHandmade() *handmade {
	h := &handmade{}
	h.slotWriter = newSlotWriter(&h.out, false)
	h.text(classHeader, 0, []byte(strings.TrimSpace(testHeader)))
	return h
}

// event adds a record with the ids of a thread and a call, which are fields of its first slot.
func (h *handmade) event(fn string, ph Phase, thr, op uint64, fields ...byte) {
	record := make([]byte, slotSize)
	binary.LittleEndian.PutUint16(record[recordClass:], uint16(classOf(&Event{Fn: fn, Ph: ph}).number))
	binary.LittleEndian.PutUint64(record[recordThr:], thr)
	binary.LittleEndian.PutUint64(record[recordOp:], op)
	copy(record[recordWords:], fields)
	h.packet, h.end = append(h.packet, record...), h.end+1
}

// trace ends the packet, which counts dropped events.
func (h *handmade) trace(t testing.TB, discarded byte) []byte {
	t.Helper()
	h.slotWriter.begin = 1
	h.slotWriter.end, h.unused = 1<<40, 0
	if err := h.send(); err != nil {
		t.Fatal(err)
	}
	file := bytes.Clone(h.out.Bytes())
	binary.LittleEndian.PutUint64(file[packetDiscarded:], uint64(discarded))
	return file
}

// A name may be given again: the ids behind it are then of the new one, and their numbers begin again.
func TestNamesAreGivenAgain(t *testing.T) {
	h := newHandmade()
	for _, name := range []string{"a", "b"} {
		h.text(className, 5, []byte(name))
		h.event("quiesce", Point, 5<<idBits|7, 0)
		h.event("NdkCloseConnector", Call, 5<<idBits|7, 5<<idBits|1)
		h.event("NdkCloseConnector", Call, 5<<idBits|7, 5<<idBits|2)
	}
	whole, err := Read("f", bytes.NewReader(h.trace(t, 0)), 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range whole.Events {
		got = append(got, e.Thr+" "+e.Op)
	}
	if want := []string{"a7 ", "a7 a1", "a7 a3", "b7 ", "b7 b1", "b7 b3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	lines := testHeader
	for i := range 3 * maxNames {
		lines += fmt.Sprintf(`{"seq":%d,"thr":"%dx","ph":"point","fn":"quiesce"}`+"\n", i, i)
	}
	if n := countClasses(t, sameInBothForms(t, []byte(lines)))[classLine]; n > 0 {
		t.Errorf("%d events are lines", n)
	}
}

// The same id is the same whichever name it is written with.
func TestIdsOfTwoNamesAreOne(t *testing.T) {
	h := newHandmade()
	h.text(className, 5, []byte("a1"))
	h.text(className, 6, []byte("a"))
	h.event("NdkCloseConnector", Call, 1, 5<<idBits|2)
	h.event("NdkCloseConnector", Call, 1, 6<<idBits|12)
	_, err := Read("f", bytes.NewReader(h.trace(t, 0)), 0)
	if err == nil || !strings.Contains(err.Error(), `op "a12" is used a second time`) {
		t.Error(err)
	}
}

// What packets count as dropped is dropped: a trace without an end record is not taken for a whole one, and no end record may say less.
func TestDroppedEventsOfPackets(t *testing.T) {
	h := newHandmade()
	h.event("quiesce", Point, 1, 0)
	file := h.trace(t, 3)
	whole, err := Read("f", bytes.NewReader(file), 0)
	if err != nil || whole.End == nil || *whole.End != (End{Events: 1, Dropped: 3}) {
		t.Errorf("%+v, error %v", whole, err)
	}
	sameInBothForms(t, file)
	second := newHandmade()
	second.packet = second.packet[:slotSize]
	second.text(classEnd, 0, []byte(`{"rec":"end","events":1,"dropped":2,"quiescent":true}`))
	_, err = Read("f", bytes.NewReader(append(file, second.trace(t, 3)...)), 0)
	if err == nil || !strings.Contains(err.Error(), "the end record counts 2 dropped events, the packets 3") {
		t.Error(err)
	}
	_, err = Read("f", bytes.NewReader(append(file, second.trace(t, 2)...)), 0)
	if err == nil || !strings.Contains(err.Error(), "the packet counts 2 dropped events, the one before it 3") {
		t.Error(err)
	}
}

// A line in slots is one line.
func TestLineBreaksInText(t *testing.T) {
	h := newHandmade()
	h.text(classLine, 0, []byte(`{"seq":1,"thr":"a","ph":"point",`+"\n"+`"fn":"quiesce"}`))
	_, err := Read("f", bytes.NewReader(h.trace(t, 0)), 0)
	if err == nil || !strings.Contains(err.Error(), "the line has a line break") {
		t.Error(err)
	}
}

// What begins in one record and goes on in the next is whole, or refused; a second slot can be told from a first one.
func TestRecordsThatBelongTogether(t *testing.T) {
	for reason, make := range map[string]func(h *handmade){
		"another record in the middle of a line": func(h *handmade) {
			h.text(classPart, 0, []byte(`{"seq":1,`))
			h.event("quiesce", Point, 1, 0)
		},
		"truncated: the file ends in the middle of a line": func(h *handmade) { h.text(classPart, 0, []byte(`{"seq":1,`)) },
		"the bytes 8 to 15 of a further slot are not 0": func(h *handmade) {
			h.event("NdkRead", Call, 1, 1)
			binary.LittleEndian.PutUint16(h.packet[len(h.packet)-slotSize+recordMore:], 1)
			h.packet = append(h.packet, bytes.Repeat([]byte{1}, slotSize)...)
		},
	} {
		h := newHandmade()
		make(h)
		_, err := Read("f", bytes.NewReader(h.trace(t, 0)), 0)
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, want %q", err, reason)
		}
	}
}
