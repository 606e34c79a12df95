package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const handHeader = `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total","clock":{"id":"monotonic","unit":"ns"},"producer":{"name":"hand","version":"1"}}`

// What Renumber writes is what was there, but for seq and the end record (trace-format.md, Events and End).
func TestRenumber(t *testing.T) {
	for name, given := range map[string]struct {
		in, out   string
		quiescent bool
	}{
		"numbers": {in: `{"seq":7, "thr":"t"}` + "\r\n" + `{ "thr":"t" , "seq" : 7 ,"x":{"seq":9}}` + "\n" + `{"rec":"end","events":0,"dropped":3,"quiescent":true}` + "\n",
			out: `{"seq":1, "thr":"t"}` + "\r\n" + `{ "thr":"t" , "seq" : 2 ,"x":{"seq":9}}` + "\n" + `{"rec":"end","events":2,"dropped":3,"quiescent":true}` + "\n"},
		"no seq":            {in: " {\"thr\":\"é\\u0041\"}\n{}\n", out: " {\"seq\":1,\"thr\":\"é\\u0041\"}\n{\"seq\":2}\n" + `{"rec":"end","events":2,"dropped":0,"quiescent":false}` + "\n"},
		"no newline":        {in: `{"seq":null}`, out: `{"seq":1}` + "\n" + `{"rec":"end","events":1,"dropped":0,"quiescent":true}` + "\n", quiescent: true},
		"no newline at all": {in: `{"seq":"a"}` + "\n" + `{"rec":"end","events":1,"dropped":0,"quiescent":false}`, out: `{"seq":1}` + "\n" + `{"rec":"end","events":1,"dropped":0,"quiescent":false}`},
		"end of little":     {in: `{"rec":"end"} ` + "\n", out: `{"events":0,"rec":"end","dropped":0,"quiescent":false}` + "\n"},
		"told":              {in: `{"quiescent": false,"rec":"end","events":5,"dropped":1}` + "\n", out: `{"quiescent": true,"rec":"end","events":0,"dropped":1}` + "\n", quiescent: true},
		"nothing":           {in: "", out: `{"rec":"end","events":0,"dropped":0,"quiescent":false}` + "\n"},
	} {
		var out bytes.Buffer
		events, err := Renumber(&out, "f", strings.NewReader(handHeader+"\n"+given.in), given.quiescent)
		if want := handHeader + "\n" + given.out; err != nil || out.String() != want {
			t.Errorf("%s: %d events, %v\n%s\nwant\n%s", name, events, err, &out, want)
		}
	}
}

// Of a trace that is right nothing changes, and one whose numbers and end are lost is the same again, whatever is in it.
func TestRenumberTracesOfTheCorpus(t *testing.T) {
	files, err := filepath.Glob("../traces/accept/*.ndktrace.jsonl")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seq, end := regexp.MustCompile(`"seq":(\d+)`), regexp.MustCompile(`"events":\d+`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("\xff\xfe")) {
			continue
		}
		var out, again bytes.Buffer
		lost := end.ReplaceAll(seq.ReplaceAll(text, []byte(`"seq":$1$1`)), []byte(`"events":9`))
		_, err = Renumber(&out, file, bytes.NewReader(text), false)
		if _, lostErr := Renumber(&again, file, bytes.NewReader(lost), false); err != nil || lostErr != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Fatalf("%s: %v, %v", file, err, lostErr)
		}
		numbered := bytes.Contains(text, []byte(`{"seq":1,`))
		if numbered && !bytes.Equal(out.Bytes(), text) {
			t.Errorf("%s has changed", file)
		}
		if _, err := Read(file, &out, 0); err != nil {
			t.Error(err)
		}
	}
}

// What is no trace is refused with the line and what to do.
func TestRenumberRefuses(t *testing.T) {
	manyKeys := ""
	for i := range maxKeys {
		manyKeys += fmt.Sprintf(`"k%d":1,`, i)
	}
	for in, want := range map[string]string{
		"":                                       "f: the file is empty",
		"{}\n":                                   "f:1: the first line is not a header",
		"\xff\xfe{\x00":                          "f:1: the file is UTF-16: save it as UTF-8 first",
		"[\n{}\n]\n":                             "f:1: a JSON array, not JSON Lines",
		"\x28\xb5\x2f\xfd\xff\n":                 `"tracecheck convert --to jsonl"`,
		handHeader + "\n\n{}\n":                  "f:2: the line is empty: delete it",
		handHeader + "\n[]\n":                    "f:2: this is not a line of a trace, which is an object of JSON: it begins with something else",
		handHeader + "\n{\"a\":\n":               "f:2: this is not a line of a trace, which is an object of JSON: it ends too early",
		handHeader + "\n{\"a\":1,}\n":            "f:2: this is not a line of a trace",
		handHeader + "\n{\"a\":1} x\n":           "something comes after the object",
		handHeader + "\n{\"a\":1}{}\n":           "something comes after the object",
		handHeader + "\n{" + manyKeys + `"z":1}`: "an object has more than 1000 keys",
		handHeader + "\n{\"a\":1,\"a\":2}":       `the key "a" comes twice`,
		handHeader + "\n" + `{"rec":"end","events":0,"dropped":0,"quiescent":false}` + "\n{}\n": "f:3: this line comes after the end record",
		handHeader + "\n" + handHeader:                      `f:2: rec is "hdr": only the first line and the last are records`,
		handHeader + "\n" + strings.Repeat(" ", MaxLine+10): "f:2: the line is longer than",
	} {
		var out bytes.Buffer
		_, err := Renumber(&out, "f", strings.NewReader(in), false)
		var place *Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %s", in, err, want)
		}
	}
	bom := "\ufeff" + handHeader + "\n"
	var out bytes.Buffer
	if _, err := Renumber(&out, "f", strings.NewReader(bom), false); err != nil || !strings.HasPrefix(out.String(), bom) {
		t.Errorf("a byte order mark: %v", err)
	}
}
