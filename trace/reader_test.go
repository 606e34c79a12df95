package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

const testHeader = `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total"}` + "\n"

// lines joins a header and lines into a file.
func lines(lines ...string) string {
	var file strings.Builder
	file.WriteString(testHeader)
	for _, line := range lines {
		file.WriteString(line + "\n")
	}
	return file.String()
}

const (
	armCall = `{"seq":1,"t":5,"thr":"a","ph":"call","op":"1","fn":"NdkArmCq","cq":"cq1","type":"ANY"}`
	armRet  = `{"seq":2,"t":6,"thr":"a","ph":"ret","op":"1","fn":"NdkArmCq"}`

	createCq = `{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkCreateCq","cq":"o1","depth":8}`

	end2 = `{"rec":"end","events":2,"dropped":0,"quiescent":true}`
)

// zstdOf compresses text.
func zstdOf(t testing.TB, text string) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	return encoder.EncodeAll([]byte(text), nil)
}

// What is no trace is refused at its line, with the reason.
func TestMalformed(t *testing.T) {
	event := func(rest string) string { return lines(`{"seq":1,"thr":"a",` + rest + `}`) }
	cases := []struct {
		name, file string
		line       int
		reason     string
	}{
		{"empty", "", 0, "empty file"},
		{"binary", "\x7fELF\x02\x01", 1, `the first byte is '\x7f', not '{'`},
		{"JSON array", "[\n{}\n]", 1, "a JSON array, not JSON Lines: write each object on a line of its own"},
		{"gzip", "\x1f\x8b\x08\x00", 1, "compressed with gzip"},
		{"half of UTF-16", "\xff\xfe{\x00\"", 1, "truncated"},
		{"no header", armCall + "\n", 1, "no header"},
		{"header cut", testHeader[:40], 1, "truncated: the file ends in the middle of this line"},
		{"other format", `{"rec":"hdr","format":"pcap","v":"1.0"}`, 1,
			`the header's format is "pcap", not "ndk-trace"`},
		{"major version", strings.Replace(testHeader, `"1.0"`, `"2.0"`, 1), 1, "format version 2.0 is not supported"},
		{"a header of the next major version", `{"rec":"hdr","format":"ndk-trace","v":"2.0","side":7}`, 1,
			"version 2.0"},
		{"no version", `{"rec":"hdr","format":"ndk-trace"}`, 1, "the header has no v"},
		{"no format", `{"rec":"hdr","v":"1.0"}`, 1, "the header has no format"},
		{"empty version", `{"rec":"hdr","format":"ndk-trace","v":""}`, 1, `v is "", not a version`},
		{"version as a number", strings.Replace(testHeader, `"1.0"`, "1", 1), 1, "v is a number, not a string"},
		{"format as a list", `{"rec":"hdr","format":[],"v":"1.0"}`, 1, "format is a list, not a string"},
		{"a next major version after what it changed", `{"rec":"hdr","side":7,"format":"ndk-trace","v":"2.0"}`, 1,
			"version 2.0"},
		{"dialect", strings.Replace(testHeader, "ndkpi", "iwarp", 1), 1, `dialect is "iwarp", not one of ndkpi`},
		{"no side", strings.Replace(testHeader, `"side"`, `"inside"`, 1), 1, "no side"},
		{"clock", strings.Replace(testHeader, `"rec"`, `"clock":{"unit":"ms"},"rec"`, 1), 1,
			`clock.unit is "ms", not one of ns`},
		{"adapter", strings.Replace(testHeader, `"rec"`, `"adapter":{"ports":2},"rec"`, 1), 1,
			"adapter: ports is a number"},
		{"terminal in header", strings.Replace(testHeader, `"rec"`, `"ndk":"\u001b[2J","rec"`, 1), 1,
			"has the character U+001B"},
		{"second header", lines() + testHeader, 2, "a second header"},

		{"cut", lines(armCall, armRet[:30])[:len(testHeader)+len(armCall)+31], 3,
			"truncated: the file ends in the middle"},
		{"cut by a newline", lines(armCall, armRet[:30]), 3, "the line ends in the middle of its object"},
		{"empty line", lines(armCall, "", armRet), 3, "the line is empty"},
		{"no JSON", lines(armCall, `{"seq":2,'thr'`), 3, "not JSON: invalid character '\\''"},
		{"two objects", lines(armCall + armRet), 2, "more after the object's end"},
		{"comma behind an object", lines(armCall + ","), 2, "without commas between them"},
		{"list", lines(armCall, `[1,2]`), 3, "a list where an object belongs"},
		{"UTF-8", lines(armCall, `{"seq":2,"thr":"`+"\xff"+`"}`), 3, "not UTF-8 at byte 17 of the line"},
		{"key twice", lines(`{"seq":1,"seq":2}`), 2, `key "seq" occurs twice`},
		{"key twice in what is ignored", lines(`{"x":{"a":1,"\u0061":2}}`), 2, `key "a" occurs twice`},
		{"key twice deep in what is ignored", lines(`{"x":[{"b":{"a":{},"a":{}}}]}`), 2, `key "a" occurs twice`},
		{"depth", lines(`{"x":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + "}"), 2, "nested deeper than 32"},
		{"depth bomb", lines(`{"x":` + strings.Repeat(`{"a":`, 1<<20)), 2, "nested deeper than 32"},

		{"no seq", lines(`{"thr":"a"}`), 2, `no seq; "tracecheck fix" numbers`},
		{"no thr", lines(`{"seq":1,"ph":"point","fn":"quiesce"}`), 2, "no thr"},
		{"no fn", event(`"ph":"point"`), 2, "no fn"},
		{"no ph", event(`"op":"1","fn":"NdkArmCq"`), 2, "no ph"},
		{"ph", event(`"ph":"return","op":"1","fn":"NdkArmCq"`), 2, `ph is "return", not one of call, ret`},
		{"no op", event(`"ph":"call","fn":"NdkArmCq","cq":"c","type":"ANY"`), 2, "no op"},
		{"null", event(`"ph":null`), 2, "ph is null, not a string"},
		{"empty id", event(`"cq":""`), 2, "cq is empty"},
		{"id of the wrong kind", event(`"cq":{}`), 2, "cq is an object, neither a string nor an integer"},
		{"long id", event(`"ph":"point","fn":"quiesce","cq":"` + strings.Repeat("x", 257) + `"`), 2,
			"cq: longer than 256 characters"},
		{"terminal in id", event(`"ph":"point","fn":"quiesce","cq":"\u001b[31m"`), 2, "cq: has the character U+001B"},
		{"half a surrogate pair", event(`"ph":"point","fn":"quiesce","cq":"\ud800"`), 2,
			"cq: has the character U+FFFD"},
		{"fraction", lines(`{"seq":1.5}`), 2, "seq is 1.5, not an integer"},
		{"exponent", lines(`{"seq":1e999999999}`), 2, "seq is 1e999999999, not an integer"},
		{"negative", lines(`{"seq":-1}`), 2, "seq is -1, out of the range 0 to 9223372036854775807"},
		{"beyond 64 bits", lines(`{"seq":99999999999999999999}`), 2, "out of the range"},
		{"beyond 32 bits", event(`"depth":4294967296`), 2, "depth is 4294967296, out of the range 0 to 4294967295"},
		{"beyond 63 bits", event(`"bytes":9223372036854775808`), 2, "bytes is 9223372036854775808, out of the range 0 to 9223372036854775807"},
		{"number in a string", event(`"n":"3"`), 2, "n is a string, not an integer: write it without quotation marks"},
		{"bool", event(`"solicited":1`), 2, "solicited is a number, not true or false"},
		{"bool as op", event(`"op":true`), 2, "op is true or false, neither a string nor an integer"},

		{"seq again", lines(armCall, strings.Replace(armRet, `"seq":2`, `"seq":1`, 1)), 3, `seq 1 is not above 1, the seq before it; "tracecheck fix" numbers`},
		{"op again", lines(armCall, armRet, strings.Replace(armCall, `"seq":1`, `"seq":3`, 1)), 4,
			`op "1" is used a second time`},
		{"op again while open", lines(armCall, strings.Replace(armCall, `"seq":1`, `"seq":3`, 1)), 3,
			`op "1" is used a second time`},
		{"op as a number again", lines(armCall, `{"seq":3,"thr":"a","ph":"call","op":1,"fn":"NdkFlush","qp":"q"}`), 3,
			`op "1" is used a second`},
		{"ret without call", lines(armRet), 2, `ret without call: op "1" is not open`},
		{"second ret", lines(armCall, armRet, strings.Replace(armRet, `"seq":2`, `"seq":3`, 1)), 4, "ret without call"},
		{"exit without enter", event(`"ph":"exit","op":"1","fn":"NdkCqNotificationCallback"`), 2,
			`exit without enter: op "1"`},
		{"exit of a call", lines(armCall, strings.Replace(armRet, "ret", "exit", 1)), 3,
			`exit of NdkArmCq, but op "1" is the call of NdkArmCq`},
		{"ret of another fn", lines(armCall, strings.Replace(armRet, "NdkArmCq", "NdkFlush", 1)), 3,
			`ret of NdkFlush, but op "1" is the call of NdkArmCq`},
		{"a call that is a callback", event(`"ph":"enter","op":"1","fn":"NdkArmCq","cq":"c","type":"ANY"`), 2,
			"NdkArmCq has no enter"},
		{"a point that is a call", event(`"ph":"point","fn":"NdkArmCq","cq":"c","type":"ANY"`), 2,
			"NdkArmCq has no point"},
		{"completion of nothing", event(`"ph":"enter","op":"1","fn":"NdkCloseCompletion","for":"7"`), 2,
			`for op "7", which was never called`},

		{"no cq", event(`"ph":"call","op":"1","fn":"NdkArmCq","type":"ANY"`), 2, "call of NdkArmCq has no cq"},
		{"no mr and no mw", event(`"ph":"call","op":"1","fn":"NdkInvalidate","qp":"q","wr":"w"`), 2,
			"has no mr and no mw"},
		{"no status", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkDisconnect","qp":"q"}`,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkDisconnect"}`), 3, "ret of NdkDisconnect has no status"},
		{"posted twice", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkReceive","qp":"q","wr":"w1"}`,
			`{"seq":2,"thr":"a","ph":"call","op":"2","fn":"NdkReceive","qp":"q","wr":"w1"}`), 3, `wr "w1" is posted a second time`},
		{"posted twice in a list", event(`"ph":"call","op":"1","fn":"ibv_post_send","qp":"q","wrs":[{"wr":"x"},{"wr":"x"}]`), 2,
			`wr "x" is posted a second time`},
		{"CQ created twice", lines(createCq, `{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_SUCCESS"}`,
			`{"seq":3,"thr":"a","ph":"call","op":"2","fn":"NdkCreateCq","cq":"o1","depth":8}`), 4, `cq "o1" is created a second time`},
		{"CQ created twice at once", lines(createCq, `{"seq":3,"thr":"b","ph":"call","op":"2","fn":"NdkCreateCq","cq":"o1","depth":8}`), 3,
			`cq "o1" is created a second time`},
		{"CQ created again after its close", lines(createCq,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_SUCCESS"}`,
			`{"seq":3,"thr":"a","ph":"call","op":"2","fn":"NdkCloseCq","cq":"o1"}`,
			`{"seq":4,"thr":"a","ph":"ret","op":"2","fn":"NdkCloseCq","status":"STATUS_SUCCESS"}`,
			`{"seq":5,"thr":"a","ph":"call","op":"3","fn":"NdkCreateCq","cq":"o1","depth":8}`), 6, `cq "o1" is created a second time`},
		{"CQ created again while it may yet be created", lines(createCq,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_PENDING"}`,
			`{"seq":3,"thr":"a","ph":"call","op":"2","fn":"NdkCreateCq","cq":"o1","depth":8}`), 4, `cq "o1" is created a second time`},
		{"CQ created again after its creation was completed", lines(createCq,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_PENDING"}`,
			`{"seq":3,"thr":"a","ph":"enter","op":"2","fn":"NdkCreateCompletion","for":"1","status":"STATUS_SUCCESS"}`,
			`{"seq":4,"thr":"a","ph":"call","op":"3","fn":"NdkCreateCq","cq":"o1","depth":8}`), 5, `cq "o1" is created a second time`},
		{"QP created twice", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkCreateQp","qp":"o1","receive_cq":"c","initiator_cq":"c"}`,
			`{"seq":2,"thr":"a","ph":"call","op":"2","fn":"NdkCreateQp","qp":"o1","receive_cq":"d","initiator_cq":"d"}`), 3,
			`qp "o1" is created a second time`},
		{"created twice by another function", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"ibv_create_cq","cq":"o1","depth":8}`,
			`{"seq":2,"thr":"a","ph":"call","op":"2","fn":"ibv_create_cq_ex","cq":"o1","depth":8}`), 3, `cq "o1" is created a second time`},
		{"memory region created twice", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkCreateMr","mr":"o1"}`,
			`{"seq":2,"thr":"a","ph":"call","op":"2","fn":"NdkCreateMr","mr":"o1"}`), 3, `mr "o1" is created a second time`},
		{"arm type", event(`"ph":"call","op":"1","fn":"NdkArmCq","cq":"c","type":"ALL"`), 2,
			`type: "ALL" is not a known NDK_CQ_NOTIFY type`},
		{"flag", event(`"flags":["DEFER","NOW"],"ph":"call","op":"1","fn":"NdkSend","qp":"q","wr":"w"`), 2,
			`"NOW" is not a known NDK_OP_FLAG`},
		{"too many flags", event(`"flags":[` + strings.Repeat("1,", 32) + `1]`), 2, "flags has more than 32 elements"},
		{"status without its prefix", event(`"ph":"enter","op":"1","fn":"NdkCqNotificationCallback","cq":"c","status":"SUCCESS"`), 2,
			"did you mean STATUS_SUCCESS?"},
		{"status of libibverbs", event(`"ph":"enter","op":"1","fn":"NdkCqNotificationCallback","cq":"c","status":"IBV_WC_SUCCESS"`), 2,
			"did you mean STATUS_SUCCESS?"},
		{"key without quotation marks", lines(`{seq:1}`), 2, "a key stands in double quotation marks"},
		{"comma before a brace", lines(`{"seq":1,}`), 2, "no comma before a brace"},
		{"dialect in capitals", strings.Replace(testHeader, "ndkpi", "NDKPI", 1), 1, "did you mean ndkpi?"},
		{"high byte", "\xcb\x01", 1, "the first byte is 0xCB"},
		{"flags", event(`"flags":"DEFER"`), 2, "flags is a string, neither a list nor an integer"},
		{"NTSTATUS", event(`"ph":"enter","op":"1","fn":"NdkCqNotificationCallback","cq":"c","status":"STATUS_fine"`), 2,
			`status: "STATUS_fine" is neither an NTSTATUS name`},
		{"type with a near one", event(`"ph":"call","op":"1","fn":"NdkArmCq","cq":"c","type":"Any"`), 2, "did you mean ANY?"},
		{"key with a near one", event(`"ph":"call","op":"1","fn":"NdkArmCq","cq":"c","typ":"ANY"`), 2,
			`call of NdkArmCq has no type; the key "typ" is not known: did you mean "type"?`},
		{"wc status", lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"ibv_poll_cq","cq":"c","n":1}`,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"ibv_poll_cq","results":[{"wr":"w","status":"STATUS_SUCCESS"}]}`), 3,
			`results[0]: status: "STATUS_SUCCESS" is not a known ibv_wc_status`},
		{"errno", event(`"ph":"call","op":"1","fn":"ibv_query_qp","qp":"q","errno":"eperm"`), 2,
			`errno: "eperm" is not a known errno`},
		{"result without wr", event(`"results":[{"status":"STATUS_SUCCESS"}]`), 2, "results[0]: no wr"},
		{"result without status", event(`"results":[{"wr":"w1","status":"x"},{"wr":"w2"}]`), 2,
			"results[1]: no status"},
		{"results", event(`"results":{}`), 2, "results is an object, not a list"},

		{"unknown rec", lines(`{"rec":"note","text":"hello"}`), 2, `unknown rec "note"`},
		{"unknown rec in disguise", lines(`{"\u0072ec":"note"}`), 2, `unknown rec "note"`},
		{"event after end", lines(armCall, armRet, end2, strings.Replace(armCall, `"seq":1`, `"seq":3`, 1)), 5,
			"more after the end record"},
		{"end after end", lines(armCall, armRet, end2, end2), 5, "more after the end record"},
		{"wrong count", lines(armCall, end2), 3, "the end record counts 2 events, the file has 1"},
		{"end without quiescent", lines(`{"rec":"end","events":0,"dropped":0}`), 2, "the end record has no quiescent"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for form, data := range map[string][]byte{"plain": []byte(c.file), "zstd": zstdOf(t, c.file)} {
				if c.file == "" && form == "zstd" {
					continue // no bytes compress to no bytes
				}
				_, err := Read("f.jsonl", bytes.NewReader(data), 0)
				var malformed *Error
				if !errors.As(err, &malformed) {
					t.Fatalf("%s: error %v, want an *Error", form, err)
				}
				if malformed.File != "f.jsonl" || malformed.Line != c.line || !strings.Contains(malformed.Reason, c.reason) {
					t.Errorf("%s: %v\nwant line %d and: %s", form, err, c.line, c.reason)
				}
			}
		})
	}
}

// A line may be as long as MaxLine; of a longer one no more than that is read.
func TestLineLength(t *testing.T) {
	padded := func(n int) string {
		return `{"rec":"end","events":0,"dropped":0,"quiescent":true,"x":"` + strings.Repeat("y", n) + `"}`
	}
	shell := len(padded(0))
	if _, err := Read("f", strings.NewReader(lines(padded(MaxLine-shell))), 0); err != nil {
		t.Errorf("line of MaxLine bytes: %v", err)
	}
	_, err := Read("f", strings.NewReader(lines(padded(MaxLine-shell+1))), 0)
	if want := "f:2: the line is longer than 16777216 bytes"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	endless := &endless{}
	_, err = Read("f", io.MultiReader(strings.NewReader(testHeader+"{"), endless), 0)
	if want := "f:2: the line is longer"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("endless line: error %v, want %s", err, want)
	}
	if endless.read > MaxLine+2*readBuffer {
		t.Errorf("%d bytes of an endless line were read", endless.read)
	}
}

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 4*MaxLine {
		return 0, io.EOF // a reader that takes all fails the test instead of filling the memory
	}
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// A zstd stream that was cut, damaged, followed by rubbish, or made to fill the memory, is refused.
func TestMalformedZstd(t *testing.T) {
	whole := zstdOf(t, lines(armCall, armRet, end2))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0x55
	var window bytes.Buffer
	encoder, err := zstd.NewWriter(&window, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	filler := bytes.Repeat([]byte("x"), 1<<20)
	for range 80 {
		if _, err := encoder.Write(filler); err != nil {
			t.Fatal(err)
		}
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := zstdOf(t, testHeader+"{"+strings.Repeat(" ", 256<<20))
	if len(bomb) > 64<<10 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	cases := []struct {
		name   string
		file   []byte
		reason string
	}{
		{"cut", whole[:len(whole)-5], "truncated: the zstd stream ends in the middle"},
		{"only the magic", whole[:4], "truncated: the zstd stream"},
		{"damaged", damaged, "corrupt zstd stream"},
		{"rubbish after", append(bytes.Clone(whole), "rubbish"...), "corrupt zstd stream"},
		{"large window", window.Bytes(), "needs a window of more than 33554432 bytes"},
		{"bomb", bomb, "longer than 16777216 bytes"},
	}
	for _, c := range cases {
		_, err := Read("f.zst", bytes.NewReader(c.file), 0)
		var malformed *Error
		if !errors.As(err, &malformed) || !strings.Contains(malformed.Reason, c.reason) {
			t.Errorf("%s: %v, want %s", c.name, err, c.reason)
		}
	}
}

// Integers become names, unknown keys are ignored, an unknown fn is reported, an end is not required, a newer minor
// version is read.
func TestReadLeniently(t *testing.T) {
	file := strings.Replace(testHeader, `"1.0"`, `"1.7"`, 1) +
		`{"seq":7,"thr":"a","ph":"call","op":1,"fn":"NdkSend","qp":"qp1","wr":"w1","flags":[512,"SILENT_SUCCESS"],"later":{"a":[1]}}` + "\n" +
		`{"seq":8,"thr":"a","ph":"ret","op":"1","fn":"NdkSend","status":0}` + "\r\n" +
		`{"seq":9,"thr":"a","ph":"call","op":2,"fn":"NdkArmCq","cq":"cq1","type":2}` + "\n" +
		`{"seq":10,"thr":"a","ph":"ret","op":2,"fn":"NdkArmCq"}` + "\n" +
		`{"seq":11,"thr":"a","ph":"call","op":3,"fn":"NdkNew","status":"any"}` + "\n" +
		`{"seq":12,"thr":"a","ph":"call","op":4,"fn":"NdkGetCqResultsEx","cq":"cq1","n":1}` + "\n" +
		`{"seq":13,"thr":"a","ph":"ret","op":4,"fn":"NdkGetCqResultsEx","results":[{"wr":"w1","status":"0xc0000120","type":2,"bytes":4294967295}]}` + "\n" +
		`{"seq":14,"thr":"a","ph":"call","op":5,"fn":"ibv_post_send","qp":"qp2","wrs":[{"wr":"v1","opcode":9,"flags":6}]}` + "\n" +
		`{"seq":15,"thr":"a","ph":"ret","op":5,"fn":"ibv_post_send","errno":12,"bad_wr":"v1"}`
	whole, err := Read("f", strings.NewReader(file), 0)
	if err != nil {
		t.Fatal(err)
	}
	e := whole.Events
	got := fmt.Sprintln(e[0].Flags, e[0].Op, e[1].Status, e[2].Type, e[6].Results[0].Status, e[6].Results[0].Type,
		*e[6].Results[0].Bytes, e[7].Wrs[0].Opcode, e[7].Wrs[0].Flags, e[8].Errno, whole.Warnings, e[8].Line, whole.End)
	want := "[SILENT_SUCCESS DEFER] 1 STATUS_SUCCESS SOLICITED STATUS_CANCELLED Send 4294967295 SEND_WITH_INV " +
		"[SIGNALED SOLICITED] ENOMEM [{2 the key \"later\" in NdkSend is not known, and is ignored} " +
		"{6 \"NdkNew\" is not a function that the format knows; its events are not judged}] 10 <nil>\n"
	if got != want {
		t.Errorf("read  %s\nwant  %s", got, want)
	}
}

// Objects of different kinds may have one id.
func TestKindsOfObjects(t *testing.T) {
	file := lines(createCq, `{"seq":2,"thr":"a","ph":"call","op":"2","fn":"NdkCreateQp","qp":"o1","receive_cq":"o1","initiator_cq":"o1"}`,
		`{"seq":3,"thr":"a","ph":"call","op":"3","fn":"NdkCreateMr","mr":"o1"}`, `{"seq":4,"thr":"a","ph":"call","op":"4","fn":"NdkCreateMw","mw":"o1"}`,
		`{"seq":5,"thr":"a","ph":"call","op":"5","fn":"NdkCreateSrq","srq":"o1"}`)
	if _, err := Read("f", strings.NewReader(file), 0); err != nil {
		t.Error(err)
	}
}

// A creation that fails leaves its id to another one.
func TestCreatedAfterAFailure(t *testing.T) {
	again := `{"seq":9,"thr":"a","ph":"call","op":"9","fn":"NdkCreateCq","cq":"o1","depth":8}`
	pends := `{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_PENDING"}`
	fails := `{"seq":1,"thr":"a","ph":"enter","op":"2","fn":"NdkCreateCompletion","for":"1","status":"STATUS_INSUFFICIENT_RESOURCES"}`
	odd := strings.NewReplacer(`"o1"`, `"odd"`)
	for name, file := range map[string]string{
		"refused": lines(createCq, `{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_INSUFFICIENT_RESOURCES"}`, again),
		"an id without a number": odd.Replace(lines(createCq,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_INSUFFICIENT_RESOURCES"}`, again)),
		"failed in the end":        lines(createCq, pends, strings.Replace(fails, `"seq":1`, `"seq":3`, 1), again),
		"failed before its return": strings.Replace(lines(createCq, fails, pends, again), `"seq":1,"thr":"a","ph":"call"`, `"seq":0,"thr":"a","ph":"call"`, 1),
		"libibverbs": lines(`{"seq":1,"thr":"a","ph":"call","op":"1","fn":"ibv_create_cq","cq":"o1","depth":8}`,
			`{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"ibv_create_cq","errno":"ENOMEM"}`, strings.Replace(again, "NdkCreateCq", "ibv_create_cq", 1)),
	} {
		if _, err := Read("f", strings.NewReader(file), 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Warnings are bounded, whatever a file holds.
func TestWarningsAreBounded(t *testing.T) {
	for name, event := range map[string]string{
		"functions": `{"seq":%d,"thr":"a","ph":"point","fn":"new%[1]d"}`,
		"keys":      `{"seq":%d,"thr":"a","ph":"point","fn":"quiesce","new%[1]d":1}`,
		"statuses":  `{"seq":%d,"thr":"a","ph":"point","fn":"CqePlaced","cq":"c","wr":"w","status":"STATUS_%[1]d"}`,
		"long keys": `{"seq":%d,"thr":"a","ph":"point","fn":"quiesce","%[1]d` + strings.Repeat("x", 5000) + `":1}`,
	} {
		var file strings.Builder
		file.WriteString(testHeader)
		for i := range 2 * maxWarnings {
			fmt.Fprintf(&file, event+"\n", i)
		}
		whole, err := Read("f", strings.NewReader(file.String()), 0)
		if err != nil || len(whole.Events) != 2*maxWarnings {
			t.Fatalf("%s: %d events, %v", name, len(whole.Events), err)
		}
		bytes := 0
		for _, w := range whole.Warnings {
			bytes += len(w.Text)
		}
		last := whole.Warnings[len(whole.Warnings)-1]
		if len(whole.Warnings) > maxWarnings+1 || bytes > maxWarningBytes || !strings.HasPrefix(last.Text, "more is unknown") {
			t.Errorf("%s: %d warnings of %d bytes, the last %q", name, len(whole.Warnings), bytes, last.Text)
		}
	}
}

// With a limit the rest is checked and counted, not kept.
func TestReadLimit(t *testing.T) {
	file := lines(armCall, armRet, end2)
	whole, err := Read("f", strings.NewReader(file), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Events) != 1 || whole.More != 1 || whole.End == nil || !whole.End.Quiescent {
		t.Errorf("read %d events, %d more, end %+v", len(whole.Events), whole.More, whole.End)
	}
	if _, err := Read("f", strings.NewReader(lines(armCall, armRet, armRet)), 1); err == nil {
		t.Error("what is beyond the limit was not checked")
	}
}

// hook calls a function when it is read from, and fails.
type hook func()

func (h hook) Read([]byte) (int, error) {
	h()
	return 0, io.ErrClosedPipe
}

// A reading that is ended gives what was read till then and why it ended, be it before the header, between two lines of
// what is in memory already, or where the source failed because of it.
func TestReadEnds(t *testing.T) {
	why := errors.New("enough")
	for name, source := range map[string]func(end func()) io.Reader{
		"at once":      func(end func()) io.Reader { return hook(end) },
		"in a header":  func(end func()) io.Reader { return io.MultiReader(strings.NewReader(testHeader[:9]), hook(end)) },
		"in a line":    func(end func()) io.Reader { return io.MultiReader(strings.NewReader(lines(armCall)), hook(end)) },
		"between many": func(end func()) io.Reader { end(); return strings.NewReader(lines(armCall, armRet, end2)) },
	} {
		ctx, end := context.WithCancelCause(context.Background())
		whole, err := ReadContext(ctx, "f", source(func() { end(why) }), Limit{})
		if err != why || whole == nil || whole.Name != "f" || whole.End != nil {
			t.Fatalf("%s: read %+v, error %v, want %v", name, whole, err, why)
		}
		if name == "in a line" && len(whole.Events) != 1 {
			t.Errorf("%s: %d events were read", name, len(whole.Events))
		}
	}
}

// A file that can't be opened is refused in plain words; a pipe is read like a file.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	if err := os.WriteFile(path, []byte(lines(armCall, armRet, end2)), 0o600); err != nil {
		t.Fatal(err)
	}
	if whole, err := ReadFile(path, 0); err != nil || len(whole.Events) != 2 {
		t.Errorf("read %+v, %v", whole, err)
	}
	for path, reason := range map[string]string{
		dir:                       "is a directory, not a trace",
		filepath.Join(dir, "no"):  "no such file",
		filepath.Join(path, "no"): "can't be opened: not a directory",
	} {
		_, err := Open(path)
		var malformed *Error
		if !errors.As(err, &malformed) || malformed.Reason != reason || malformed.File != path {
			t.Errorf("error %v, want %s: %s", err, path, reason)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(w, lines(armCall, armRet))
		written <- errors.Join(err, w.Close())
	}()
	if whole, err := Read("pipe", r, 0); err != nil || len(whole.Events) != 2 || whole.End != nil {
		t.Errorf("pipe: %+v, %v", whole, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// An error of the source is not taken for the end of the trace.
func TestReadError(t *testing.T) {
	broken := errors.New("the disk is on fire")
	_, err := Read("f", io.MultiReader(strings.NewReader(lines(armCall)), failing{broken}), 0)
	if want := "f:3: reading: the disk is on fire"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What is at hand is read like what is parsed line by line: the corpus, malformed traces too, with its errors.
func TestAtHandOrNot(t *testing.T) {
	names, err := filepath.Glob("../traces/*/*.jsonl*")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d traces, error %v", len(names), err)
	}
	texts := map[string][]byte{}
	for _, name := range names {
		texts[name] = plainFile(t, name)
	}
	call := `{"seq":%d,"thr":"a","ph":"call","op":"%[1]d","fn":"ibv_poll_cq","cq":"c","n":1}`
	ret := `{"seq":%d,"thr":"a","ph":"ret","op":"%d","fn":"ibv_poll_cq","errno":"%s"}`
	for name, last := range map[string]string{"no errno is required": "0", "one is": "EAGAIN", "no word": "perm", "a control character": "E\x01"} {
		file := lines(fmt.Sprintf(call, 1), fmt.Sprintf(ret, 2, 1, "EAGAIN"), fmt.Sprintf(call, 3), fmt.Sprintf(ret, 4, 3, "EAGAIN"),
			fmt.Sprintf(call, 5), fmt.Sprintf(ret, 6, 5, last))
		texts[name] = []byte(file)
	}
	for name, text := range texts {
		whole, err := Read(name, bytes.NewReader(text), 0)
		parsed, parsedErr := Read(name, iotest.OneByteReader(bytes.NewReader(text)), 0)
		if !reflect.DeepEqual(parsed, whole) || !reflect.DeepEqual(parsedErr, err) {
			t.Errorf("%s: read with error %v, parsed with %v, or other events", name, err, parsedErr)
		}
	}
}

// No input makes the reader panic, and it calls nothing an error that is not an *Error. What it accepts it reads again
// the same from what Writer makes of it. It starts from the corpus, too.
func FuzzReader(f *testing.F) {
	corpus, err := filepath.Glob("../traces/*/*.jsonl")
	if err != nil || len(corpus) == 0 {
		f.Fatalf("no traces to start from: %v", err)
	}
	for _, name := range corpus {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 8<<10 {
			f.Add(text)
		}
	}
	f.Add([]byte(lines(armCall, armRet, end2)))
	f.Add(zstdOf(f, lines(armCall, armRet, end2)))
	f.Add([]byte(lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"ibv_create_qp","qp":"q","send_cq":"c","recv_cq":"c","max_send_wr":3}`)))
	f.Add([]byte(lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"ibv_post_send","qp":"q","wrs":[{"wr":"x","opcode":2,"flags":[2]}]}`)))
	f.Add([]byte(lines(`{"seq":1,"thr":"a","ph":"call","op":1,"fn":"NdkGetCqResultsEx","cq":"c","n":2}`,
		`{"seq":2,"thr":"a","ph":"ret","op":1,"fn":"NdkGetCqResultsEx","results":[{"wr":"x","status":"0xC0000120","type":1,"token":7}]}`)))
	for _, written := range [][]string{ // the same again, which needs no parser
		{`{"seq":%d,"t":5,"thr":"a","ph":"call","op":"%[1]d","fn":"NdkSend","qp":"q","wr":"w%[1]d","flags":["DEFER"],"bytes":7}`,
			`{"seq":%d,"t":5,"thr":"a","ph":"call","op":"%[1]d","fn":"NdkSend","qp":"q","wr":"w%[1]d","bytes":7}`},
		{`{"fn":"CqePlaced", "cq":"c", "wr":"w", "status":"STATUS_SUCCESS", "ph":"point", "x":"y", "thr":"a", "seq":%d}`},
		{`{"seq":%d,"x":1,"thr":"a","ph":"call","op":%[1]d,"fn":"ibv_post_send","qp":"q","wrs":[{"wr":"v%[1]d","opcode":"SEND"}]}`},
	} {
		written = slices.Repeat(written, 3)
		for i := range written {
			written[i] = fmt.Sprintf(written[i], i+1)
		}
		f.Add([]byte(lines(written...)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := Read("f", bytes.NewReader(data), 0)
		// Byte by byte no line is at hand before it is asked for, so that the parser reads each.
		parsed, parsedErr := Read("f", iotest.OneByteReader(bytes.NewReader(data)), 0)
		if !reflect.DeepEqual(parsed, whole) || !reflect.DeepEqual(parsedErr, err) {
			t.Fatalf("read %+v, error %v\nparsed %+v, error %v", whole, err, parsed, parsedErr)
		}
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		again, err := Read("f", bytes.NewReader(written(t, whole)), 0)
		if err != nil {
			t.Fatalf("can't read back: %v", err)
		}
		sameEvents(t, again.Events, whole.Events)
	})
}
