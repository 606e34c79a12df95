package doubts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Rules with the grounds on which these tests have them rest: the packages that declare them are not imported here.
var _ = declared.Add(
	declared.Rule{ID: "ARM-13", On: []declared.Occasion{"a CQ is armed"}, Rests: declared.OwnWords},
	declared.Rule{ID: "ASY-02", On: []declared.Occasion{"a call returns"}, Rests: declared.OwnWords},
	declared.Rule{ID: "RES-12", On: []declared.Occasion{"a receive succeeds"}, Rests: declared.TheMessage},
	declared.Rule{ID: "POLL-03", On: []declared.Occasion{declared.PollTakes}, Rests: declared.Arrival},
	declared.Rule{ID: "DEF-04", On: []declared.Occasion{declared.Completes}, Rests: declared.Arrival},
	declared.Rule{ID: "INV-05", On: []declared.Occasion{declared.BadToken}, Rests: declared.Matching | declared.Tokens},
	declared.Rule{ID: "RES-03", On: []declared.Occasion{declared.TokenTold}, Rests: declared.Matching | declared.Tokens},
	declared.Rule{ID: "LIFE-11", On: []declared.Occasion{"a close completes"}, Rests: declared.Children},
)

// events numbers events by line, from 1.
func events(all ...trace.Event) []trace.Event {
	for i := range all {
		all[i].Line = i + 1
		if all[i].Ph == "" {
			all[i].Ph = trace.Call
		}
	}
	return all
}

// Two connections with CQs of their own, and what is unclear of each.
func connections(unclear ...trace.Event) []trace.Event {
	return events(append([]trace.Event{
		{Fn: "NdkCreateQp", Qp: "q1", ReceiveCq: "c1", InitiatorCq: "c1"},
		{Fn: "NdkCreateQp", Qp: "q2", ReceiveCq: "c2", InitiatorCq: "c2"},
		{Fn: "NdkCreateQp", Qp: "q3", ReceiveCq: "c3", InitiatorCq: "c3"},
		{Fn: "NdkConnect", Qp: "q1", Conn: "k"},
		{Fn: "NdkAccept", Qp: "q2", Conn: "k"},
		{Fn: "NdkFastRegister", Qp: "q3", Mr: "m3"},
	}, unclear...)...)
}

// An unclear event leaves undecided what is found behind it of its objects, of those that share something with them, and of nothing else
// (DEF-04 stands for a rule that rests on what came before, ARM-13 for one that compares words of one event).
func TestWhatADoubtConcerns(t *testing.T) {
	finding := trace.Event{Fn: "NdkGetCqResults"}
	for name, test := range map[string]struct {
		unclear trace.Event
		of      trace.Event // the event that the finding is of
		rule    string
		line    int // of the finding, 0 for that of its event
		stands  bool
	}{
		"the CQ itself":                 {trace.Event{Fn: "NdkNew", Cq: "c1"}, trace.Event{Cq: "c1"}, "DEF-04", 0, false},
		"the QP of the CQ":              {trace.Event{Fn: "NdkNew", Cq: "c1"}, trace.Event{Qp: "q1"}, "DEF-04", 0, false},
		"the peer":                      {trace.Event{Fn: "NdkNew", Qp: "q2"}, trace.Event{Cq: "c1"}, "DEF-04", 0, false},
		"a region of the QP":            {trace.Event{Fn: "NdkNew", Mr: "m3"}, trace.Event{Cq: "c3"}, "INV-05", 0, false},
		"another connection":            {trace.Event{Fn: "NdkNew", Cq: "c3"}, trace.Event{Cq: "c1"}, "DEF-04", 0, true},
		"another kind with the same id": {trace.Event{Fn: "NdkNew", Listener: "c1"}, trace.Event{Cq: "c1"}, "DEF-04", 0, true},
		"a QP of which no CQ is known":  {trace.Event{Fn: "NdkNew", Qp: "q4"}, trace.Event{Cq: "c1"}, "DEF-04", 0, false},
		"a shared queue of no known QP": {trace.Event{Fn: "NdkNew", Srq: "s"}, trace.Event{Cq: "c1"}, "POLL-05", 0, false},
		"what becomes of a token":       {trace.Event{Fn: "NdkNew", Mr: "m4"}, trace.Event{Cq: "c1"}, "INV-05", 0, false},
		"a region, and no token":        {trace.Event{Fn: "NdkNew", Mr: "m4"}, trace.Event{Cq: "c1"}, "DEF-04", 0, true},
		"its protection domain":         {trace.Event{Fn: "NdkNew", Mr: "m4", Pd: "p"}, trace.Event{Pd: "p"}, "LIFE-11", 0, false},
		"before the doubt":              {trace.Event{Fn: "NdkNew", Cq: "c1"}, trace.Event{Cq: "c1"}, "DEF-04", 6, true},
		"a comparison of words":         {trace.Event{Fn: "NdkNew", Cq: "c1"}, trace.Event{Cq: "c1"}, "ARM-13", 0, true},
		"no object of the finding":      {trace.Event{Fn: "NdkNew", Cq: "c1"}, trace.Event{Fn: "quiesce"}, "DEF-04", 0, false},
		"no object of the doubt":        {trace.Event{Fn: "NdkNew"}, trace.Event{Cq: "c1"}, "DEF-04", 0, true},
		"a return of a known function":  {trace.Event{Fn: "NdkGetCqResultsEx", Ph: trace.Ret}, trace.Event{Cq: "c1"}, "DEF-04", 0, false},
		"a child of its own domain":     {trace.Event{Fn: "NdkNew"}, trace.Event{Pd: "p"}, "LIFE-11", 0, false},
		"only the adapter":              {trace.Event{Fn: "NdkNew", Adapter: "a", Cq: ""}, trace.Event{Cq: "c1"}, "DEF-04", 0, true},
	} {
		test.unclear.Unclear = "nobody knows"
		finding.Cq, finding.Qp = test.of.Cq, test.of.Qp
		all := connections(test.unclear, finding)
		line := test.line
		if line == 0 {
			line = len(all)
		}
		var f verdict.Finding
		if f = (verdict.Finding{Verdict: verdict.ProviderViolation, Rule: test.rule, Line: line, Message: "lost"}); test.line != 0 {
			f.See = []int{1}
		}
		f.Shown = test.line // 0: it may rest on what comes later
		r := &verdict.Report{Findings: []verdict.Finding{f}}
		Judge(&trace.Trace{Events: all}, r)
		if got := r.Findings[0]; (got.Verdict == verdict.ProviderViolation) != test.stands ||
			!test.stands && !strings.Contains(got.Message, "lost; undecided, because of line 7: nobody knows") {
			t.Errorf("%s: %s: %s", name, got.Verdict, got.Message)
		}
	}
}

// What returns, or completes, without a name concerns the objects of the call (ASY-01): these, and no others.
func TestTheObjectsOfTheCall(t *testing.T) {
	const closing = 7
	for name, unclear := range map[string][]trace.Event{
		"a return": {{Ph: trace.Ret, Op: "o", Fn: "NdkCloseCq", Unclear: "nobody knows"}},
		"a callback of an unknown function": {{Ph: trace.Ret, Op: "o", Fn: "NdkCloseCq", Status: "STATUS_PENDING"},
			{Ph: trace.Enter, Op: "p", Fn: "NdkNewCompletion", For: "o", Unclear: "nobody knows"}},
	} {
		all := connections(append([]trace.Event{{Op: "o", Fn: "NdkCloseCq", Cq: "c1"}}, append(unclear, trace.Event{Fn: "NdkArmCq", Cq: "c3"})...)...)
		r := &verdict.Report{Findings: []verdict.Finding{
			{Verdict: verdict.ProviderViolation, Rule: "LIFE-11", Line: len(all), See: []int{closing}},
			{Verdict: verdict.ProviderViolation, Rule: "ARM-09", Line: len(all)}}}
		Judge(&trace.Trace{Events: all}, r)
		if r.Findings[0].Verdict != verdict.Inconclusive || r.Findings[1].Verdict != verdict.ProviderViolation {
			t.Errorf("%s: %s and %s", name, r.Findings[0].Verdict, r.Findings[1].Verdict)
		}
	}
}

// A comparison of words is undecided where one of them is what is unclear (RES-01 and ARM-13 alike).
func TestWordsOfTheUnclearEvent(t *testing.T) {
	for _, rule := range []string{"ARM-13", "RES-01"} {
		all := connections(trace.Event{Fn: "NdkArmCq", Cq: "c1", Unclear: "nobody knows"})
		r := &verdict.Report{Findings: []verdict.Finding{{Verdict: verdict.ConsumerViolation, Rule: rule, Line: 7}}}
		if Judge(&trace.Trace{Events: all}, r); r.Findings[0].Verdict != verdict.Inconclusive {
			t.Errorf("%s: %s", rule, r.Findings[0].Verdict)
		}
	}
}

// The memory is bounded: objects that are not told apart belong together, so that none of them is judged wrongly, and those that are stay
// apart from them.
func TestManyObjects(t *testing.T) {
	var d Doubts
	for i := range maxObjects + 1000 {
		id := fmt.Sprint(i)
		d.Take(&trace.Event{Ph: trace.Call, Fn: "NdkCreateQp", Qp: id, ReceiveCq: id, InitiatorCq: id})
	}
	d.Take(&trace.Event{Ph: trace.Call, Fn: "NdkNew", Qp: fmt.Sprint(maxObjects + 900), Unclear: "nobody knows", Line: 1})
	if len(d.groups) > maxObjects+1 {
		t.Errorf("%d objects", len(d.groups))
	}
	for cq, stands := range map[string]bool{fmt.Sprint(maxObjects + 999): false, "1": true} {
		r := &verdict.Report{Findings: []verdict.Finding{{Verdict: verdict.ProviderViolation, Rule: "DEF-04", Line: 2}}}
		d.Apply(r, []trace.Event{{Ph: trace.Call, Fn: "NdkArmCq", Cq: cq, Line: 2}})
		if (r.Findings[0].Verdict == verdict.ProviderViolation) != stands {
			t.Errorf("%s: %s", cq, r.Findings[0].Verdict)
		}
	}
}

// What is unclear at one end of a connection leaves undecided what is found at the other, in the trace of another host, and nothing of the
// connections that it has no part in.
func TestTheOtherHost(t *testing.T) {
	var here, there Doubts
	all := connections(trace.Event{Fn: "NdkArmCq", Cq: "c1"}, trace.Event{Fn: "NdkArmCq", Cq: "c3"})
	for i := range all {
		here.Take(&all[i])
	}
	far := connections(trace.Event{Fn: "NdkNew", Cq: "c2", Unclear: "nobody knows"})
	for i := range far {
		there.Take(&far[i])
	}
	here.Adopt(&there, "b.jsonl")
	there.Adopt(&here, "a.jsonl")
	if slices.ContainsFunc(there.doubts, func(one doubt) bool { return one.host != "" }) {
		t.Errorf("a doubt came back: %+v", there.doubts)
	}
	for line, want := range map[int]string{7: "x; undecided, because of b.jsonl:7: nobody knows", 8: "x"} {
		r := &verdict.Report{Findings: []verdict.Finding{{Verdict: verdict.ProviderViolation, Rule: "DEF-04", Line: line, Message: "x"}}}
		if here.Apply(r, all); r.Findings[0].Message != want {
			t.Errorf("line %d: %s, want %s", line, r.Findings[0].Message, want)
		}
	}
}

// What one queue pair of unknown type leaves undecided by one rule is told once, with how many others there are (RES-12).
func TestFindingsOfAnUnknownTypeAreCounted(t *testing.T) {
	all := events(
		trace.Event{Fn: "ibv_create_qp", Qp: "q1", InitiatorCq: "c1", ReceiveCq: "c1"},
		trace.Event{Fn: "ibv_modify_qp", Qp: "q1", Conn: "k"},
		trace.Event{Fn: "ibv_poll_cq", Cq: "c1"}, trace.Event{Fn: "ibv_poll_cq", Cq: "c1"}, trace.Event{Fn: "ibv_poll_cq", Cq: "c1"},
	)
	r := &verdict.Report{}
	for line := 3; line <= 5; line++ {
		r.Findings = append(r.Findings, verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "RES-12", Line: line, Message: "other bytes"})
	}
	r.Findings = append(r.Findings, verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-01", Line: 5, Message: "no arm"})
	Judge(&trace.Trace{Events: all}, r)
	if len(r.Findings) != 2 || r.Findings[0].Line != 3 || !strings.HasSuffix(r.Findings[0].Message, "; the same holds for 2 findings more by RES-12") ||
		r.Findings[1].Verdict != verdict.ProviderViolation {
		t.Errorf("%+v", r.Findings)
	}
}

// What a type other than RC allows is left undecided where the trace does not record the type: whether a message had been received by then (POLL-03 and
// DEF-04 are such rules), of a finding that names no request, too. What it says of a write stands.
func TestWhatAnUnknownTypeLeavesOpen(t *testing.T) {
	write, send := []trace.WorkRequest{{Wr: "w1", Opcode: "RDMA_WRITE"}}, []trace.WorkRequest{{Wr: "s1", Opcode: "SEND"}}
	all := events(
		trace.Event{Fn: "ibv_create_qp", Qp: "q1", InitiatorCq: "c1", ReceiveCq: "c1"},
		trace.Event{Fn: "ibv_modify_qp", Qp: "q1", Conn: "k"},
		trace.Event{Fn: "ibv_post_send", Qp: "q1", Wrs: write},
		trace.Event{Fn: "ibv_post_send", Qp: "q1", Wrs: send},
		trace.Event{Fn: "ibv_poll_cq", Cq: "c1", Ph: trace.Ret},
	)
	for _, test := range []struct {
		rule   string
		see    []int
		stands bool
	}{
		{"POLL-03", nil, false}, {"DEF-04", nil, false}, {"DEF-04", []int{4}, false}, {"DEF-04", []int{3}, true}, {"ARM-02", nil, true},
	} {
		r := &verdict.Report{Findings: []verdict.Finding{{Verdict: verdict.ProviderViolation, Rule: test.rule, Line: 5, See: test.see}}}
		Judge(&trace.Trace{Header: trace.Header{Dialect: "verbs"}, Events: all}, r)
		if got := r.Findings[0].Verdict == verdict.ProviderViolation; got != test.stands {
			t.Errorf("%s, see %v: stands %t, %s", test.rule, test.see, got, r.Findings[0].Message)
		}
	}
}
