package picture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/trace"
)

func call(op, fn, qp, wr string) trace.Event {
	return trace.Event{Thr: "main", Ph: trace.Call, Op: op, Fn: fn, Qp: qp, Wr: wr}
}

func ret(op, fn string, delivered ...string) trace.Event {
	e := trace.Event{Thr: "main", Ph: trace.Ret, Op: op, Fn: fn}
	for _, wr := range delivered {
		e.Results = append(e.Results, trace.Result{Wr: wr, Status: "STATUS_SUCCESS"})
	}
	return e
}

// host numbers events as the lines of a file.
func host(events ...trace.Event) Host {
	for n := range events {
		events[n].Line = n + 2
	}
	return Host{Trace: &trace.Trace{Events: events}}
}

// rowsOf names items, one a word: lines, hidden steps, and what is owed.
func rowsOf(items []*item) string {
	var words []string
	for _, i := range items {
		switch i.kind {
		case hidden:
			words = append(words, i.step.Text)
		case owed:
			words = append(words, "owed:"+i.object)
		default:
			words = append(words, i.letter+strings.TrimPrefix(i.label(), i.letter+" "))
		}
	}
	return strings.Join(words, " ")
}

// A call and its return are one row where nothing comes between. A hidden step has a row behind its event. A missing callback has one behind the step that made it
// owed, or else behind the last event that the finding refers to.
func TestItems(t *testing.T) {
	arm := trace.Event{Thr: "main", Ph: trace.Call, Op: "1", Fn: "NdkArmCq", Cq: "cq1"}
	rest := trace.Event{Thr: "main", Ph: trace.Point, Fn: "quiesce"}
	h := host(arm, ret("1", "NdkArmCq"), call("2", "NdkWrite", "qp1", "w1"), ret("2", "NdkWrite"), rest)
	missing := Finding{Line: 6, See: []int{2, 4}, Missing: "cq1"}
	for _, test := range []struct {
		steps    []Step
		findings []Finding
		want     string
	}{
		{nil, nil, "2–3 4–5 6"},
		{[]Step{{Behind: -1, Text: "first"}, {Behind: 2, Text: "within"}, {Behind: 3, Text: "behind"}}, nil, "first 2–3 4 within 5 behind 6"},
		{nil, []Finding{missing}, "2–3 4–5 owed:cq1 6"},
		{[]Step{{Behind: 1, Text: "due", Owes: "cq1"}, {Behind: 3, Text: "else"}}, []Finding{missing}, "2–3 due owed:cq1 4–5 else 6"},
		{[]Step{{Behind: 3, Text: "else", Owes: "cq2"}}, []Finding{missing}, "2–3 4–5 owed:cq1 else 6"},
		{nil, []Finding{{Line: 7}}, "2–3 4–5 6 7"}, // at the end of the trace
	} {
		h.Steps = test.steps
		p := &Page{Hosts: []Host{h}, Findings: test.findings}
		if items := p.itemsOf(0); rowsOf(items) != test.want {
			t.Errorf("the rows are %q, want %q", rowsOf(items), test.want)
		}
	}
}

// The messages of a connection go to the receives that succeed, in the order of both posts. Of two hosts each message is sent before it is received.
func TestMessages(t *testing.T) {
	connects := func(qp string) trace.Event {
		return trace.Event{Thr: "main", Ph: trace.Call, Op: "c", Fn: "NdkConnect", Qp: qp, Conn: "n"}
	}
	receives := host(connects("qp1"), ret("c", "NdkConnect"), call("1", "NdkReceive", "qp1", "r1"), ret("1", "NdkReceive"), call("2", "NdkReceive", "qp1", "r2"), ret("2", "NdkReceive"),
		trace.Event{Thr: "main", Ph: trace.Call, Op: "3", Fn: "NdkGetCqResults", Cq: "cq1"}, ret("3", "NdkGetCqResults", "r1", "r2"))
	sends := host(connects("qp1"), ret("c", "NdkConnect"), call("1", "NdkWrite", "qp1", "x"), ret("1", "NdkWrite"), call("2", "NdkSend", "qp1", "s1"), ret("2", "NdkSend"),
		call("3", "NdkSend", "qp1", "s2"), ret("3", "NdkSend"), call("4", "NdkSend", "qp1", "s3"), ret("4", "NdkSend"), call("5", "NdkWrite", "qp1", "y"), ret("5", "NdkWrite"))
	p := &Page{Hosts: []Host{receives, sends}}
	hosts := [][]*item{p.itemsOf(0), p.itemsOf(1)}
	poll := hosts[0][len(hosts[0])-1]
	connect(hosts)
	var got []string
	for _, m := range poll.got {
		got = append(got, m.send+">"+m.receive+" from "+m.from.label())
	}
	if want := "s1>r1 from B 6–7, s2>r2 from B 8–9"; strings.Join(got, ", ") != want {
		t.Errorf("the messages are %q, want %q", got, want)
	}
	if order := rowsOf(merge(hosts)); strings.Index(order, "A8–9") < strings.Index(order, "B8–9") {
		t.Errorf("a message is received before it is sent: %s", order)
	}
}

// Set-up is folded, and of a long trace what no finding is near: what is marked is shown, with what is around it.
func TestSections(t *testing.T) {
	var events []trace.Event
	for n := range 4 {
		events = append(events, trace.Event{Thr: "main", Ph: trace.Call, Op: fmt.Sprint(n), Fn: "NdkCreateCq", Cq: "cq1"})
	}
	for range 2_000 {
		events = append(events, trace.Event{Thr: "main", Ph: trace.Point, Fn: "CqePlaced", Cq: "cq1"})
	}
	shownOf := func(p *Page) (shown []string) {
		for _, s := range sections(p.itemsOf(0)) {
			if !s.folded {
				shown = append(shown, fmt.Sprintf("%d-%d", s.from, s.to))
			}
		}
		return shown
	}
	for want, p := range map[string]*Page{
		"[4-24]":             {Hosts: []Host{host(slices.Clone(events[:24])...)}},
		"[4-400]":            {Hosts: []Host{host(slices.Clone(events)...)}},
		"[470-511 970-1011]": {Hosts: []Host{host(slices.Clone(events)...)}, Findings: []Finding{{Line: 1002, See: []int{502}}}},
	} {
		if shown := fmt.Sprint(shownOf(p)); shown != want {
			t.Errorf("%s is shown, want %s", shown, want)
		}
	}
}

// Findings choose which lanes are drawn if there are too many. Names and numbers order them.
func TestLanes(t *testing.T) {
	var events []trace.Event
	for n := range 20 {
		events = append(events, trace.Event{Thr: "main", Ph: trace.Point, Fn: "CqePlaced", Cq: fmt.Sprint("cq", 19-n)})
	}
	p := &Page{Hosts: []Host{host(events...)}, Findings: []Finding{{Line: 20}}}
	items := p.itemsOf(0)
	l := newLanes(items, func(i *item) string { return i.object }, byNumber)
	for _, i := range items {
		l.laneOf(i)
	}
	if want := []string{"cq1", "cq13", "cq14", "cq15", "cq16", "cq17", "cq18", "cq19", otherLane}; !slices.Equal(l.Names, want) {
		t.Errorf("the lanes are %q, want %q", l.Names, want)
	}
}

// A bar goes from the first event of a call or a callback to its last, and two at a time in one lane lie beside each other.
func TestBars(t *testing.T) {
	enter := func(op string) trace.Event {
		return trace.Event{Thr: op, Ph: trace.Enter, Op: op, Fn: "NdkCqNotificationCallback", Cq: "cq1"}
	}
	exit := func(op string) trace.Event {
		return trace.Event{Thr: op, Ph: trace.Exit, Op: op, Fn: "NdkCqNotificationCallback"}
	}
	p := &Page{Hosts: []Host{host(enter("1"), enter("2"), exit("1"), exit("2"))}}
	items := p.itemsOf(0)
	b := bars{lanes: newLanes(items, func(i *item) string { return i.object }, byNumber)}
	var got []string
	for _, i := range items {
		b.step(i, true)
		row := ""
		for _, o := range b.open {
			row += fmt.Sprint(o.key, "/", o.slot, " ")
		}
		got = append(got, strings.TrimSpace(row))
	}
	if want := []string{"A1/0", "A1/0 A2/1", "A2/1", ""}; !slices.Equal(got, want) {
		t.Errorf("under way are %q, want %q", got, want)
	}
}

// The clock counts from the first event, in the unit that fits, and tells long pauses. A trace whose events have no time has none.
func TestClock(t *testing.T) {
	at := func(unit string, times ...int64) clock {
		tr := &trace.Trace{Header: trace.Header{Clock: trace.Clock{Unit: unit}}}
		for _, when := range times {
			tr.Events = append(tr.Events, trace.Event{T: when})
		}
		return newClock([]Host{{Trace: tr}})
	}
	c := at("ns", 1_000, 2_000, 21_000)
	if told, gap := c.of(&trace.Event{T: 2_000}), c.gap(&trace.Event{T: 2_000}, &trace.Event{T: 21_000}); c.Unit != "µs" || told != "1.000" || gap != "19.000 µs" {
		t.Errorf("%s %s, and %q later", told, c.Unit, gap)
	}
	if c := at("ns", 5, 5); c.Unit != "" || c.of(&trace.Event{T: 5}) != "" {
		t.Errorf("a trace without times has the unit %q", c.Unit)
	}
}

// A page without events says so, and what a trace names is text.
func TestWrite(t *testing.T) {
	var page bytes.Buffer
	if err := (&Page{Title: "<b>", Hosts: []Host{host()}}).Write(&page); err != nil || !strings.Contains(page.String(), "No event") || strings.Contains(page.String(), "<b>") {
		t.Errorf("%v\n%s", err, page.String())
	}
}
