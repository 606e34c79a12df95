package sequence

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// The forms of the lines that Draw writes.
var (
	declared = regexp.MustCompile(`^    participant (\w+)( as .+)?$`)
	arrowed  = regexp.MustCompile(`^    (\w+)(->>|-->>)[+-]?(\w+): (.+)$`)
	noted    = regexp.MustCompile(`^    Note over (\w+)(?:,(\w+))?: (.+)$`)
	entity   = regexp.MustCompile(`#(\d+|quot|lt|gt);`)
)

// misread returns the lines of a diagram that Mermaid would read as something else, and how many arrows it has.
func misread(drawn string) (bad []string, arrows int) {
	known, open := map[string]bool{}, 0
	for n, line := range strings.Split(strings.TrimSuffix(drawn, "\n"), "\n") {
		ok, text := false, ""
		switch {
		case n == 0:
			ok = strings.HasPrefix(line, "%%{init:")
		case n == 1:
			ok = line == "sequenceDiagram"
		case declared.MatchString(line):
			m := declared.FindStringSubmatch(line)
			ok, known[m[1]] = !known[m[1]], true
		case arrowed.MatchString(line):
			m := arrowed.FindStringSubmatch(line)
			ok, text = known[m[1]] && known[m[3]], m[4]
			arrows++
		case noted.MatchString(line):
			m := noted.FindStringSubmatch(line)
			ok, text = known[m[1]] && (m[2] == "" || known[m[2]]), m[3]
		case line == "    rect "+marking:
			open++
			ok = open == 1
		case line == "    end":
			open--
			ok = open == 0
		}
		text = entity.ReplaceAllString(strings.ReplaceAll(text, "<br/>", " "), "")
		if !ok || strings.ContainsAny(text, "#;<>\"`") || ending.MatchString(text) {
			bad = append(bad, line)
		}
	}
	if open != 0 {
		bad = append(bad, "no end")
	}
	return bad, arrows
}

// Each trace of the corpus in plain text can be drawn with a mark at each of its ends and its middle, in lines that Mermaid reads, and is not drawn larger than its
// bound.
func TestCorpusIsDrawn(t *testing.T) {
	drawn := 0
	err := fs.WalkDir(os.DirFS("../../traces"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".ndktrace.jsonl") || strings.HasPrefix(name, "malformed") {
			return err
		}
		file, err := os.Open(filepath.Join("../../traces", name))
		if err != nil {
			return err
		}
		defer file.Close()
		read, err := trace.Read(name, file, 100_000)
		if err != nil || len(read.Events) == 0 {
			return nil // the corpus has traces that the reader must refuse
		}
		for _, line := range []int{0, read.Events[len(read.Events)/2].Line, read.Events[len(read.Events)-1].Line + 1} {
			text := Draw(read, Mark{Line: line, Text: "marked here"})
			bad, arrows := misread(text)
			if len(bad) > 0 {
				t.Errorf("%s with a mark at %d: %q", name, line, bad)
			}
			if marked := strings.Count(text, ": marked here\n"); arrows > mostArrows+1 || marked != min(line, 1) {
				t.Errorf("%s with a mark at %d: %d arrows, %d marks", name, line, arrows, marked)
			}
		}
		drawn++
		return nil
	})
	if err != nil || drawn < 500 {
		t.Errorf("%d traces were drawn, %v", drawn, err)
	}
}

// What a trace names is text in a diagram, whatever it is: a lost callback is drawn with its mark (ARM-04).
func TestNamesAreText(t *testing.T) {
	for _, name := range []string{"end", "a;b", "x#1", `"q"`, "<b>", "participant", "a->>b", "%%", "日本", "Note over"} {
		thread := name + "t"
		read := &trace.Trace{Header: trace.Header{Dialect: "ndkpi"}, Events: []trace.Event{
			{Line: 2, Thr: thread, Ph: trace.Call, Fn: "NdkArmCq", Op: "1", Cq: name, Type: "ANY"},
			{Line: 3, Thr: thread, Ph: trace.Ret, Fn: "NdkArmCq", Op: "1"},
			{Line: 4, Thr: thread, Ph: trace.Point, Fn: "quiesce"},
		}, End: &trace.End{Events: 3}}
		text := Draw(read, Mark{Line: 4, Text: "ARM-04 broken here: the callback of " + name})
		if bad, arrows := misread(text); len(bad) > 0 || arrows != 1 {
			t.Errorf("%s: %q of\n%s", name, bad, text)
		}
		if !strings.Contains(text, "NdkArmCq ANY") || !strings.Contains(text, "ARM-04 broken here") {
			t.Errorf("%s: the arm or the mark is not drawn:\n%s", name, text)
		}
	}
}

// A long trace is drawn around its mark, and the notes say how many events are left out (POLL-03).
func TestLongTraceIsDrawnAroundItsMark(t *testing.T) {
	read := &trace.Trace{Header: trace.Header{Dialect: "ndkpi"}}
	for n := range 200 {
		op := fmt.Sprint(n)
		read.Events = append(read.Events,
			trace.Event{Line: 2 + 2*n, Thr: "main", Ph: trace.Call, Fn: "NdkGetCqResults", Op: op, Cq: "cq1"},
			trace.Event{Line: 3 + 2*n, Thr: "main", Ph: trace.Ret, Fn: "NdkGetCqResults", Op: op, Results: []trace.Result{}})
	}
	text := Draw(read, Mark{Line: 203, Text: "POLL-03 broken here"})
	bad, arrows := misread(text)
	if len(bad) > 0 || arrows > mostArrows+1 || arrows < mostArrows/2 {
		t.Errorf("%d arrows, %q", arrows, bad)
	}
	for _, want := range []string{"events before", "events after", "POLL-03 broken here"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if spoilt, _ := misread(strings.Replace(text, "NdkGetCqResults", "a; b", 1)); !slices.ContainsFunc(spoilt, func(line string) bool { return strings.Contains(line, "a; b") }) {
		t.Error("the test takes a separator of Mermaid for text")
	}
}
