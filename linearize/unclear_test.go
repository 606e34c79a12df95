package linearize_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// checkLines judges such a trace.
func checkLines(t *testing.T, dialect string, events []string) *verdict.Report {
	t.Helper()
	traced := notation.Read(t, dialect, events)
	return linearize.Check(context.Background(), traced, linearize.Options{})
}

// A callback may run within the call that caused it, and the consumer may call from within the callback: such calls don't
// overlap (POLL-01, POST-01, A27). What is called directly within another call, or on another thread, does.
func TestNestedCallsDoNotOverlap(t *testing.T) {
	const (
		enter  = `"ph":"enter","op":"a","fn":"NdkCqNotificationCallback","cq":"c","status":"STATUS_SUCCESS"`
		exit   = `"ph":"exit","op":"a","fn":"NdkCqNotificationCallback"`
		arm    = `"ph":"call","op":"b","fn":"NdkArmCq","cq":"c","type":"ANY"`
		armed  = `"ph":"ret","op":"b","fn":"NdkArmCq"`
		get    = `"ph":"call","op":"g","fn":"NdkGetCqResults","cq":"c","n":8`
		got    = `"ph":"ret","op":"g","fn":"NdkGetCqResults","results":[{"wr":"1","status":"STATUS_SUCCESS"}]`
		write  = `"ph":"call","op":"w","fn":"NdkWrite","qp":"q","wr":"1"`
		wrote  = `"ph":"ret","op":"w","fn":"NdkWrite","status":"STATUS_SUCCESS"`
		write2 = `"ph":"call","op":"x","fn":"NdkWrite","qp":"q","wr":"2"`
		wrote2 = `"ph":"ret","op":"x","fn":"NdkWrite","status":"STATUS_SUCCESS"`
		got2   = `"ph":"ret","op":"h","fn":"NdkGetCqResults","results":[{"wr":"2","status":"STATUS_SUCCESS"}]`
		get2   = `"ph":"call","op":"h","fn":"NdkGetCqResults","cq":"c","n":8`
		write0 = `"ph":"call","op":"v","fn":"NdkWrite","qp":"q","wr":"0"`
		wrote0 = `"ph":"ret","op":"v","fn":"NdkWrite","status":"STATUS_SUCCESS"`
	)
	for _, test := range []struct {
		name, rule string // conformant where there is no rule
		events     []string
	}{
		{"a poll in a callback in an arm", "", []string{write, wrote, arm, enter, get, got, exit, armed}},
		{"a post in a callback in a post", "", []string{arm, armed, write, enter, get, got, write2, wrote2, exit, wrote, get2, got2}},
		{"the nested post is taken first", "", []string{write0, wrote0, arm, armed, write, enter, write2, wrote2, exit, wrote,
			get2, strings.Replace(got2, `[{`, `[{"wr":"0","status":"STATUS_SUCCESS"},{`, 1), get, got}},
		{"posts one after the other, taken in another order", "POLL-09", []string{write, wrote, write2, wrote2, get2, got2, get, got}},
		{"a poll directly in an arm", "POLL-01", []string{write, wrote, arm, get, got, armed}},
		{"a post directly in a post", "POST-01", []string{write, write2, wrote2, wrote, get, got, get2, got2}},
		{"a call of the callback goes on after it", "POLL-01", []string{write, wrote, arm, enter, get, exit, armed, got}},
		{"an arm in a callback, and a poll in that", "POLL-01", []string{write, wrote, arm, armed, enter, strings.Replace(arm, `"b"`, `"z"`, 1),
			get, got, strings.Replace(armed, `"b"`, `"z"`, 1), exit}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := checkLines(t, "ndkpi", slices.Concat(notation.Lines(notation.Created...), test.events))
			switch {
			case test.rule == "" && r.Verdict != verdict.Conformant:
				t.Errorf("%s: %+v", r.Verdict, r.Findings)
			case test.rule != "" && (len(r.Findings) == 0 || r.Findings[0].Rule != test.rule):
				t.Errorf("%s, want %s: %+v", r.Verdict, test.rule, r.Findings)
			}
		})
	}
}

// Another thread's call overlaps even where a callback runs in the first one's (POLL-01).
func TestOtherThreadsOverlap(t *testing.T) {
	traced := notation.Script(t, "post 1; arm ANY; cb<; get 1; cb>")
	arm := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return e.Fn == "NdkArmCq" && e.Ph == trace.Ret })
	armed := traced.Events[arm]
	traced.Events = append(slices.Delete(traced.Events, arm, arm+1), armed) // the arm returns after the callback
	for thread, want := range map[string]verdict.Verdict{"": verdict.Conformant, "other": verdict.ConsumerViolation} {
		for i := range traced.Events {
			if traced.Events[i].Fn == "NdkGetCqResults" {
				traced.Events[i].Thr = thread
			}
		}
		if r := linearize.Check(context.Background(), traced, linearize.Options{}); r.Verdict != want {
			t.Errorf("polled on thread %q: %s, want %s: %+v", thread, r.Verdict, want, r.Findings)
		}
	}
}

// What the trace does not hold, or this engine does not follow, leaves open what depends on it: it is neither kept nor broken.
// Each row names the rule that would be broken if all began with the trace.
func TestWhatTheTraceDoesNotTellIsInconclusive(t *testing.T) {
	callback := `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
	qp := func(srq string) []string {
		return []string{`NdkCreateCq "cq":"c","depth":1|` + notation.StatusSuccess, `NdkCreateCq "cq":"d","depth":4|` + notation.StatusSuccess,
			`NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"d"` + srq + `|` + notation.StatusSuccess, `NdkConnect "qp":"q","conn":"n"|` + notation.StatusSuccess}
	}
	receive := func(wr string) string { return `NdkSrqReceive "srq":"s","wr":"` + wr + `"|` + notation.StatusSuccess }
	async := func(fields string) string { return `ibv_get_async_event |` + fields }
	for _, test := range []struct {
		name, dialect, rule, says string
		calls                     []string
	}{
		{"a CQ from before", "ndkpi", "ARM-01", "creation of c", []string{callback}},
		{"an armed CQ from before", "ndkpi", "ARM-21", "creation of c", []string{`NdkArmCq "cq":"c","type":"ANY"|`, callback}},
		{"a completion of a CQ from before", "ndkpi", "POLL-05", "creation of c",
			[]string{`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`}},
		{"a CQ from before is closed", "ndkpi", "LIFE-11", "creation of c", []string{`NdkCloseCq "cq":"c"|"status":"STATUS_PENDING"`}},
		{"a shared receive queue of nobody knows which QP", "ndkpi", "ARM-16", "shared receive queue", slices.Concat(qp(""),
			[]string{receive("1"), receive("2"), `NdkArmCq "cq":"c","type":"ERRORS"|`,
				`NdkCqNotificationCallback "cq":"c","status":"STATUS_BUFFER_OVERFLOW"|`})},
		{"a QP drains", "verbs", "DEF-04", "state SQD", slices.Concat(notation.VerbsQp, []string{
			`ibv_modify_qp "qp":"q","state":"SQD"|`, notation.VerbsWrite, notation.Rest, notation.VerbsEmpty})},
		{"a CQ fails, and which is not recorded", "verbs", "DEF-04", "CQ_ERR", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, async(`"type":"CQ_ERR"`), notation.Rest, notation.VerbsEmpty})},
		{"a QP fails", "verbs", "DEF-04", "QP_FATAL", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, async(`"type":"QP_FATAL","qp":"q"`), notation.Rest, notation.VerbsEmpty})},
		{"the device fails", "verbs", "DEF-04", "DEVICE_FATAL", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, async(`"type":"DEVICE_FATAL"`), notation.Rest, notation.VerbsEmpty})},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := checkLines(t, test.dialect, notation.Lines(test.calls...))
			if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("%s, want inconclusive because of %q, not %s: %+v", r.Verdict, test.says, test.rule, r.Findings)
			}
		})
	}
}

// Any CQ may take completions of a QP whose creation the trace does not hold, from when something is posted on it: a callback may be for
// one (ARM-21), the room of the CQ may be filled by them (ARM-16), and so a completion lost (DEF-04). A CQ that is created later takes none.
func TestQpWhoseCreationTheTraceDoesNotHold(t *testing.T) {
	const (
		createC  = `NdkCreateCq "cq":"c","depth":1|` + notation.StatusSuccess
		connectP = `NdkConnect "qp":"p","conn":"m"|` + notation.StatusSuccess
		writeP   = `NdkWrite "qp":"p","wr":"p1"|` + notation.StatusSuccess
		arm      = `NdkArmCq "cq":"c","type":"ANY"|`
		callback = `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
	)
	overflow := []string{`NdkArmCq "cq":"c","type":"ERRORS"|`, `NdkCqNotificationCallback "cq":"c","status":"STATUS_BUFFER_OVERFLOW"|`}
	lost := slices.Concat(notation.Created, []string{`NdkWrite "qp":"q","wr":"1"|` + notation.StatusSuccess, notation.Rest, `NdkGetCqResults "cq":"c","n":8|"results":[]`})
	for _, test := range []struct {
		name, rule string // inconclusive where there is no rule
		calls      []string
	}{
		{"its CQ notifies", "", []string{createC, connectP, writeP, arm, callback}},
		{"its CQ was armed before", "", []string{createC, arm, connectP, writeP, callback}},
		{"its CQ overflows", "", append([]string{createC, connectP, writeP}, overflow...)},
		{"it fills the CQ of another", "", append([]string{lost[0], writeP}, lost[1:]...)},
		{"nothing is posted on it", "ARM-21", []string{createC, connectP, arm, callback}},
		{"it is posted on after the callback", "ARM-21", []string{createC, connectP, arm, callback, writeP}},
		{"the CQ is created after its post", "ARM-21", []string{connectP, writeP, createC, arm, callback}},
	} {
		traced := notation.Read(t, "ndkpi", notation.Lines(test.calls...))
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
			if r.Violated() != (test.rule != "") || r.Violated() && r.Findings[0].Rule != test.rule ||
				!r.Violated() && !strings.Contains(r.Findings[0].Message, "creation of p") {
				t.Errorf("%s: %s: %s, want %q: %+v", test.name, engine, r.Verdict, test.rule, r.Findings)
			}
		}
	}
}

// What the trace does tell is judged all the same: another CQ's failure, a state that changes nothing, a QP without the shared
// receive queue, a token whose object was created, and a function that the contract knows.
func TestWhatTheTraceTellsIsJudged(t *testing.T) {
	callback := `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
	for _, test := range []struct {
		name, dialect, rule string
		calls               []string
	}{
		{"reset before it was used", "verbs", "DEF-04", slices.Concat(notation.VerbsQp[:3], []string{`ibv_modify_qp "qp":"q","state":"RESET"|`}, notation.VerbsQp[3:],
			[]string{notation.VerbsWrite, notation.Rest, notation.VerbsEmpty})},
		{"a QP is destroyed after a poll found nothing", "verbs", "DEF-04", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, notation.Rest, notation.VerbsEmpty,
			`ibv_destroy_qp "qp":"q"|`})},
		{"a shared receive queue of two CQs, and its receive completes into the other", "ndkpi", "ARM-21", slices.Concat(notation.Created[:2], []string{
			`NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"c","srq":"s"|` + notation.StatusSuccess, `NdkCreateQp "qp":"r","receive_cq":"d","initiator_cq":"d","srq":"s"|` + notation.StatusSuccess,
			`NdkSrqReceive "srq":"s","wr":"1"|` + notation.StatusSuccess, `NdkArmCq "cq":"c","type":"ANY"|` + notation.StatusSuccess, callback,
			`NdkGetCqResults "cq":"d","n":1|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`})},
		{"another CQ fails", "verbs", "DEF-04", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, `ibv_get_async_event |"type":"CQ_ERR","cq":"d"`, notation.Rest, notation.VerbsEmpty})},
		{"another QP fails", "verbs", "DEF-04", slices.Concat(notation.VerbsQp, []string{`ibv_create_qp "qp":"p","send_cq":"d","recv_cq":"d","sq_sig_all":false|`,
			notation.VerbsWrite, `ibv_get_async_event |"type":"QP_FATAL","qp":"p"`, notation.Rest, notation.VerbsEmpty})},
		{"an event of no consequence", "verbs", "DEF-04", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, `ibv_get_async_event |"type":"PORT_ACTIVE"`, notation.Rest, notation.VerbsEmpty})},
		{"another QP's shared receive queue", "ndkpi", "ARM-01", slices.Concat(notation.Created, []string{
			`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d","srq":"s"|` + notation.StatusSuccess, `NdkSrqReceive "srq":"s","wr":"1"|` + notation.StatusSuccess, callback})},
		{"a token that was never made valid", "ndkpi", "POLL-08", slices.Concat(notation.Created, []string{`NdkCreateMr "mr":"m"|` + notation.StatusSuccess,
			`NdkInvalidate "qp":"q","wr":"1","mr":"m","token":77|` + notation.StatusSuccess,
			`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`})},
		{"a known function that may not pend", "ndkpi", "MOD-05", slices.Concat(notation.Created, []string{`NdkControlCqInterruptModeration "cq":"c"|"status":"STATUS_PENDING"`,
			`NdkRequestCompletion "for":"5",` + notation.StatusSuccess + `|`})},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := checkLines(t, test.dialect, notation.Lines(test.calls...))
			if len(r.Findings) == 0 || r.Findings[0].Rule != test.rule {
				t.Errorf("%s, want %s: %+v", r.Verdict, test.rule, r.Findings)
			}
		})
	}
}

// What an extended function of libibverbs creates is judged as what the plain one does: a QP completes where it says, and is signalled as
// it says (POLL-05, DEF-04).
func TestExtendedCreations(t *testing.T) {
	extended := slices.Clone(notation.VerbsQp)
	for i := range extended {
		begin, arguments, _ := strings.Cut(extended[i], " ")
		if strings.HasPrefix(begin, "ibv_create_") {
			extended[i] = begin + "_ex " + strings.Replace(arguments, `"sq_sig_all":false`, `"sq_sig_all":true`, 1)
		}
	}
	extended = append(extended, `ibv_post_send "qp":"q","wrs":[{"wr":"1","opcode":"RDMA_WRITE"}]|`, notation.Rest)
	for poll, want := range map[string]verdict.Verdict{
		`ibv_poll_cq "cq":"c","n":8|"results":[{"wr":"1","status":"IBV_WC_SUCCESS"}]`: verdict.Conformant,
		notation.VerbsEmpty: verdict.ProviderViolation,
	} {
		traced := notation.Read(t, "verbs", notation.Lines(append(slices.Clone(extended), poll)...))
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
			if r.Verdict != want || len(traced.Warnings) > 0 || r.Violated() && r.Findings[0].Rule != "DEF-04" {
				t.Errorf("%s: %s: %s, want %s: %+v %v", poll, engine, r.Verdict, want, r.Findings, traced.Warnings)
			}
		}
	}
}

// Events of a function that the format does not know are not judged: one may pend and be completed (ASY-02).
func TestUnknownFunctionMayPend(t *testing.T) {
	r := checkLines(t, "ndkpi", notation.After(`NdkVendorTune |"status":"STATUS_PENDING"`, `NdkRequestCompletion "for":"5",`+notation.StatusSuccess+`|`)())
	if r.Verdict != verdict.Conformant {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}

// A token may have been valid when the trace began, where the trace does not hold the creation of its object: it can be made
// invalid once, and not twice (POLL-08).
func TestTokenFromBeforeTheTrace(t *testing.T) {
	invalidate := func(wr string) string {
		return `NdkInvalidate "qp":"q","wr":"` + wr + `","mr":"m","token":77|` + notation.StatusSuccess
	}
	got := func(wr, status string) string {
		return `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"` + wr + `","status":"` + status + `"}]`
	}
	for _, test := range []struct {
		name, rule string
		calls      []string
	}{
		{"valid then", "", []string{invalidate("1"), got("1", "STATUS_SUCCESS")}},
		{"invalid then", "", []string{invalidate("1"), got("1", "STATUS_INVALID_PARAMETER")}},
		{"once valid", "POLL-08", []string{invalidate("1"), got("1", "STATUS_SUCCESS"), invalidate("2"), got("2", "STATUS_SUCCESS")}},
	} {
		r := checkLines(t, "ndkpi", notation.After(test.calls...)())
		if test.rule == "" && r.Verdict != verdict.Conformant || test.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != test.rule) {
			t.Errorf("%s: %s, want %q: %+v", test.name, r.Verdict, test.rule, r.Findings)
		}
	}
}

// … as a request tells that comes after what the token decided: the stream takes back what it found then (INV-05).
func TestTokenFromBeforeTheTraceToldLate(t *testing.T) {
	const received = "NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1x"
	for _, test := range []struct {
		text           string
		stream, search verdict.Verdict
	}{
		{received + "; NdkInvalidate qp2 i1#7; get cq2 i1x", verdict.Conformant, verdict.Conformant},
		{received + "; NdkFastRegister qp2 f1#7; get cq2 f1x", verdict.ProviderViolation, verdict.ProviderViolation},
	} {
		traced := notation.Overlapped(t, test.text)
		for engine, want := range map[linearize.Engine]verdict.Verdict{linearize.Streaming: test.stream, linearize.Porcupine: test.search} {
			r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
			if r.Verdict != want || want == verdict.ProviderViolation && engine == linearize.Streaming && r.Findings[0].Rule != "INV-05" {
				t.Errorf("%s: %s: %s, want %s: %+v", test.text, engine, r.Verdict, want, r.Findings)
			}
		}
	}
}

// A QP that completes into a CQ whose creation the trace does not hold leaves open what shares something with it, also where nothing polls
// or arms that CQ (LIFE-01). A QP whose creation was refused does not.
func TestQpOfAnUnknownCq(t *testing.T) {
	const (
		refused = `|"status":"STATUS_INSUFFICIENT_RESOURCES"`
		createC = `NdkCreateCq "cq":"c","depth":4` + notation.Succeeds
		connect = `NdkConnect "qp":"q","conn":"n"` + notation.Succeeds
		write   = `NdkWrite "qp":"q","wr":"1"` + notation.Succeeds
		poll    = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`
	)
	for _, test := range []struct {
		name string
		want verdict.Verdict
		says string
		call []string
	}{
		{"both queues", verdict.Inconclusive, "the creation of u,", []string{createC, `NdkCreateQp "qp":"q","receive_cq":"u","initiator_cq":"u"` + notation.Succeeds, connect, write}},
		{"the receive queue", verdict.Inconclusive, "the creation of u,",
			[]string{createC, `NdkCreateQp "qp":"q","receive_cq":"u","initiator_cq":"c"` + notation.Succeeds, connect, write, poll}},
		{"the initiator queue", verdict.Inconclusive, "the creation of u,",
			[]string{createC, `NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"u"` + notation.Succeeds, connect, write}},
		{"one of each", verdict.Inconclusive, "the creation of v,",
			[]string{`NdkCreateQp "qp":"q","receive_cq":"u","initiator_cq":"v"` + notation.Succeeds, connect, write}},
		{"pending", verdict.Inconclusive, "the creation of u,",
			[]string{createC, `NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"u"|"status":"STATUS_PENDING"`, `NdkCreateCompletion "for":"2",` + notation.StatusSuccess + "|"}},
		{"refused", verdict.Conformant, "", []string{createC, `NdkCreateQp "qp":"p","receive_cq":"u","initiator_cq":"c"` + refused,
			`NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"` + notation.Succeeds, connect, write, poll}},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(test.call...))
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
				said := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return strings.Contains(f.Message, test.says) })
				if r.Verdict != test.want || test.says != "" && !said {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.want, r.Findings)
				}
			}
		})
	}
}
