package linearize_test

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

var namedResult = regexp.MustCompile(`(\w+) \((SUCCESS|FAILED|CANCELLED)\)`)

// What is told that an explanation would have allowed instead is allowed: with the results that it names in place of those that
// were returned, or without the callback, the trace breaks no rule up to there. Each search that finds a violation tells
// something.
func TestWhatIsToldInsteadIsAllowed(t *testing.T) {
	for _, engine := range []linearize.Engine{linearize.Porcupine, linearize.Streaming} {
		t.Run(string(engine), func(t *testing.T) { toldInsteadIsAllowed(t, engine) })
	}
}

func toldInsteadIsAllowed(t *testing.T, engine linearize.Engine) {
	told, held := 0, 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.ProviderViolation) {
			continue
		}
		traced, o := row.Read(t), row.Options()
		o.Engine = engine
		if traced.Header.Order == "partial" {
			traced.Events, _, _ = traced.ByTime() // up to there is a matter of time
		}
		for _, f := range linearize.Check(context.Background(), traced, o).Findings {
			if !slices.IsSortedFunc(f.See, func(a, b int) int { return cmp.Or(cmp.Compare(a, b), -1) }) {
				t.Errorf("%s: lines %v are told twice, or out of order", row.File, f.See)
			}
			if len(f.Before) == 0 || f.Follows != nil {
				continue
			}
			if told++; len(f.Instead) != len(f.Before) ||
				engine == linearize.Porcupine && !slices.ContainsFunc(f.Instead, func(s string) bool { return s != "" }) {
				t.Errorf("%s: %d explanations, instead %q: %s", row.File, len(f.Before), f.Instead, f.Message)
				continue
			}
			cut := *traced
			i := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return e.Line == f.Line })
			cut.End = &trace.End{}
			switch {
			case i >= 0 && traced.Events[i].Results != nil && engine == linearize.Porcupine:
				cut.Events = slices.Clone(traced.Events[:i+1])
				cut.Events[i].Results = []trace.Result{}
				for _, one := range namedResult.FindAllStringSubmatch(f.Instead[0], -1) {
					cut.Events[i].Results = append(cut.Events[i].Results, trace.Result{Wr: one[1], Status: judging.StatusOf(traced.Header.Dialect, one[2])})
				}
			case i >= 0 && traced.Events[i].Ph == trace.Enter:
				cut.Events = traced.Events[:i]
			default:
				continue
			}
			if r := linearize.Check(context.Background(), &cut, o); r.Violated() {
				t.Errorf("%s: instead %q is rejected: %+v", row.File, f.Instead[0], r.Findings)
			}
			held++
		}
	}
	t.Logf("%d findings tell what was allowed instead, %d were tried", told, held)
	if told < 50 || held < 20 {
		t.Errorf("too few findings: %d and %d", told, held)
	}
}

// The streaming engine tells what its explanations of a CQ said, and what each would have allowed: the callback, the moment of
// rest, the poll and the close (ARM-01, ARM-02, ARM-06, ARM-12, ARM-03, ARM-20, POLL-03).
func TestStreamTellsItsExplanations(t *testing.T) {
	for text, want := range map[string][2]string{
		"cb<": {"cq1: armed NONE, no callback owed", "no callback before the next arm"},
		"arm SOLICITED; post 1; get 1; cb<": {"cq1: armed SOLICITED, no callback owed",
			"no callback before a completion is placed that is solicited or failed"},
		"arm ANY; post 1; cb<; cb<": {"cq1: armed NONE, at least 1 completion placed, no callback owed, one running",
			"no callback before the one that is running returns"},
		"arm ANY; post 1; get 1; rest": {"cq1: armed NONE, 1 callback owed", "first the callback of cq1"},
		"arm ANY; write 1; rest":       {"cq1: armed ANY, no callback owed", "first what is owed completes, and the callback that it makes due"},
		"arm SOLICITED; recv 1; peer 7 S; rest; get 1": {"cq1: armed SOLICITED, no callback owed",
			"before the rest the completion of 1, and the callback that it makes due"},
		"arm ANY; post 1; cb<; get": {"cq1: armed NONE, at least 1 completion placed, no callback owed, one running", "the poll returns at least 1 completion"},
		"arm ANY; post 1; cb<; close": {"cq1: armed NONE, at least 1 completion placed, no callback owed, one running, CLOSING",
			"the close completes when the callback has returned"},
	} {
		all := judging.Stream(notation.Script(t, text), linearize.Options{}).Findings
		f := all[max(0, slices.IndexFunc(all, func(f verdict.Finding) bool { return len(f.Before) > 0 }))] // a breach that the events show comes first
		if !slices.Equal(f.Before, want[:1]) || !slices.Equal(f.Instead, want[1:]) {
			t.Errorf("%s: %q, instead %q; want %q", text, f.Before, f.Instead, want)
		}
	}
}

// Of the requests of a queue pair the streaming engine tells its one state, and what that would have allowed (POLL-04, POLL-05,
// POLL-09, RES-10, FLUSH-01, FLAG-01, DEF-03, DEF-04, POST-08, POLL-08).
func TestStreamTellsTheStateOfRequests(t *testing.T) {
	connected := func(initiators, receives string) string {
		return "qp1: CONNECTED, " + initiators + " and " + receives + " pending"
	}
	for _, test := range []struct{ rule, text, before, instead string }{
		{"POLL-04", "post 1; post 2; get 1; get 1", connected("1 initiator request (2)", "no receive"), "a completion of 2, or none"},
		{"POLL-05", "recv 1; get 77", connected("no initiator request", "1 receive (1)"), "a completion of 1, or none"},
		{"POLL-05", "recv 1; get 1", connected("no initiator request", "1 receive (1)"), "1 waits for a message"},
		{"POLL-09", "post 1; post 2; post 3; post 4; get 2", connected("4 initiator requests (1, 2, 3, …)", "no receive"), "first a completion of 1"},
		{"DEF-03", "post 1 F; get 1", connected("no initiator request", "no receive"), "none"},
		{"DEF-04", "write 1; rest; get", connected("1 initiator request (1)", "no receive"), "first the completion of 1"},
		{"RES-10", "new qp3; NdkReceive qp3 r1; get cq1 r1c", "qp3: IDLE, no initiator request and 1 receive (r1) pending", "r1 ends with SUCCESS or FAILED"},
		{"FLUSH-01", "recv 1; flush; peer 7; get 1; peerget 7", "qp1: BROKEN, no initiator request and 1 receive (1) pending", "1 ends with CANCELLED"},
		{"FLAG-01", "post 1 Q; get 1", connected("1 initiator request (1)", "no receive"), "no completion of 1"},
		{"POST-08", "new qp3; NdkSend qp3 w1", "qp3: IDLE, 1 initiator request (w1) and no receive pending", "NdkSend of w1 is refused"},
		{"POLL-08", notation.Registered + "NdkInvalidate qp1 i1#7; get cq1 i1; NdkInvalidate qp1 i2#7; get cq1 i2",
			connected("1 initiator request (i2)", "1 receive (r1)"), "i2 ends with FAILED"},
	} {
		traced := notation.Script
		if strings.Contains(test.text, "Ndk") {
			traced = notation.Overlapped
		}
		r := judging.Stream(traced(t, test.text), linearize.Options{})
		if len(r.Findings) == 0 {
			t.Errorf("%s: no finding, want %s", test.text, test.rule)
			continue
		}
		if f := r.Findings[0]; f.Rule != test.rule || !slices.Equal(f.Before, []string{test.before}) || !slices.Equal(f.Instead, []string{test.instead}) {
			t.Errorf("%s: %s: %q, instead %q; want %s: %q, %q", test.text, f.Rule, f.Before, f.Instead, test.rule, test.before, test.instead)
		}
	}
}
