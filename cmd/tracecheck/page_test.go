package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// The page of a trace tells its findings and draws its events (ARM-02: two callbacks of one arm); nothing that the trace names is taken as HTML.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(brokenTrace)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	hostile := filepath.Join(folder, "hostile.ndktrace.jsonl")
	text = bytes.ReplaceAll(text, []byte(`"cq":"cq1"`), []byte(`"cq":"<script>cq</script>"`))
	if err := os.WriteFile(hostile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for trace, wants := range map[string][]string{
		plainTrace:  {`<span class="kept">conformant</span>`, "<svg ", `class="call"`, `class="enter"`},
		brokenTrace: {`<span class="broken">provider violation</span>`, `<rect class="finding"`, "the explanations alive"},
		hostile:     {`<rect class="finding"`, "&lt;script&gt;cq&lt;/script&gt;"},
	} {
		file := filepath.Join(folder, "page.html")
		_, out, errors := shipped(t, "--html", file, trace)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v\n%s", err, errors)
		}
		if !strings.Contains(out, "drawn in "+file) {
			t.Errorf("the report of %s does not name the page:\n%s", trace, out)
		}
		for _, want := range wants {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("the page of %s has no %q", trace, want)
			}
		}
		if bytes.Contains(page, []byte("<script")) {
			t.Errorf("the page of %s has a script", trace)
		}
	}
}

// Boxes go from the first event of a call or a callback to its last, one within another is indented, and one without an end goes down to the end.
func TestDrawing(t *testing.T) {
	drawn := draw(&trace.Trace{Events: []trace.Event{
		{Line: 2, Thr: "dpc", Ph: trace.Enter, Op: "1"}, {Line: 3, Thr: "dpc", Ph: trace.Call, Op: "2"}, {Line: 4, Thr: "main", Ph: trace.Call, Op: "3"},
		{Line: 5, Thr: "dpc", Ph: trace.Ret, Op: "2"}, {Line: 6, Thr: "dpc", Ph: trace.Exit, Op: "1"},
	}}, marks{})
	const end = laneHead + 5*rowHeight
	want := []box{
		{X: marginWidth + indent, Y: laneHead + rowHeight, Width: laneWidth - 2*indent, Height: 3 * rowHeight, Class: "call"},
		{X: marginWidth, Y: laneHead, Width: laneWidth - indent, Height: end - laneHead, Class: "enter"},
		{X: marginWidth + laneWidth, Y: laneHead + 2*rowHeight, Width: laneWidth - indent, Height: 3 * rowHeight, Class: "open"},
	}
	if fmt.Sprint(drawn.Boxes) != fmt.Sprint(want) {
		t.Errorf("boxes are\n%+v, want\n%+v", drawn.Boxes, want)
	}
}

// Of a long trace what the findings point at is drawn, with what is around it, and the rest is counted.
func TestDrawingOfALongTrace(t *testing.T) {
	long := &trace.Trace{}
	for line := 2; line < 2002; line++ {
		long.Events = append(long.Events, trace.Event{Line: line, Thr: "main", Ph: trace.Point, Fn: "quiesce"})
	}
	m := marks{}
	m.add(&verdict.Finding{Rule: "ARM-09", Line: 1000, See: []int{500}})
	drawn := draw(long, m)
	left, lines, marked := 0, 0, ""
	for _, r := range drawn.Rows {
		left += r.Left
		if r.Line != 0 {
			lines++
		}
		marked += r.Mark.Class + r.Mark.Text
	}
	if around := 2 * (drawnBefore + 1 + drawnAfter); lines != around || left != 2000-around || marked != "seefindingARM-09" {
		t.Errorf("%d events are drawn and %d left out, marked %q", lines, left, marked)
	}
	if rows := draw(long, marks{}).Rows; len(rows) != eventsDrawn+1 || rows[eventsDrawn].Left != 2000-eventsDrawn {
		t.Errorf("%d rows of a trace without findings", len(rows))
	}
}
