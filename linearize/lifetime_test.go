package linearize_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An object is used only once its creation has succeeded: by its return, or from the entry of its completion callback on (LIFE-01).
func TestUsesBeforeCreation(t *testing.T) {
	const (
		pending    = `|"status":"STATUS_PENDING"`
		failed     = `|"status":"STATUS_INSUFFICIENT_RESOURCES"`
		createC    = `NdkCreateCq "cq":"c","depth":4`
		createQ    = `NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"`
		arm        = `NdkArmCq "cq":"c","type":"ANY"|`
		connect    = `NdkConnect "qp":"q","conn":"n"` + notation.Succeeds
		returned   = `"ph":"ret","op":"1","fn":"NdkCreateCq",` + notation.StatusSuccess
		pends      = `"ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_PENDING"`
		completes  = `NdkCreateCompletion "for":"1",` + notation.StatusSuccess
		fails      = `NdkCreateCompletion "for":"1","status":"STATUS_INSUFFICIENT_RESOURCES"|`
		verbsQueue = `ibv_create_cq "cq":"c","depth":4|`
	)
	for _, test := range []struct {
		name, dialect string
		line          int // of the breach, or 0
		calls         []string
	}{
		{"at once", "ndkpi", 0, []string{createC + notation.Succeeds, arm, createQ + notation.Succeeds, connect}},
		{"before the trace began", "ndkpi", 0, []string{arm}},
		{"before its creation", "ndkpi", 2, []string{arm, createC + notation.Succeeds}},
		{"before a creation that fails", "ndkpi", 2, []string{arm, createC + failed}},
		{"polled before, and what that returns", "ndkpi", 2, []string{
			`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`, createC + notation.Succeeds}},
		{"closed before", "ndkpi", 2, []string{`NdkCloseCq "cq":"c"` + notation.Succeeds, createC + notation.Succeeds}},
		{"a QP before its CQ", "ndkpi", 2, []string{createQ + notation.Succeeds, createC + notation.Succeeds}},
		{"a QP is connected before its creation", "ndkpi", 4, []string{createC + notation.Succeeds, connect, createQ + notation.Succeeds}},
		{"a QP takes a receive before its creation", "ndkpi", 4, []string{createC + notation.Succeeds, `NdkReceive "qp":"q","wr":"1"` + notation.Succeeds, createQ + notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`}},
		{"a QP is closed before its creation", "ndkpi", 4, []string{createC + notation.Succeeds, `NdkCloseQp "qp":"q"` + notation.Succeeds, createQ + notation.Succeeds}},
		{"libibverbs, before its creation", "verbs", 2, []string{`ibv_poll_cq "cq":"c","n":8|"results":[]`, verbsQueue}},
		{"while it is created", "ndkpi", 3, []string{createC, arm, returned}},
		{"while it is pending", "ndkpi", 4, []string{createC + pending, arm, completes + "|"}},
		{"within the callback", "ndkpi", 0, []string{createC + pending, completes, arm, `"ph":"exit","op":"2","fn":"NdkCreateCompletion"`}},
		{"within a callback before the return", "ndkpi", 0, []string{createC, completes + "|", arm, pends}},
		{"refused", "ndkpi", 4, []string{createC + failed, arm}},
		{"refused, and created then", "ndkpi", 0, []string{createC + failed, createC + notation.Succeeds, arm}},
		{"failed in the end", "ndkpi", 6, []string{createC + pending, fails, arm}},
		{"failed before its return", "ndkpi", 5, []string{createC, fails, arm, pends}},
		{"by a QP", "ndkpi", 4, []string{createC + pending, createQ + notation.Succeeds, completes + "|"}},
		{"by a QP that is refused", "ndkpi", 4, []string{createC + pending, createQ + failed, completes + "|"}},
		{"by its close", "ndkpi", 4, []string{createC + pending, `NdkCloseCq "cq":"c"` + notation.Succeeds, completes + "|"}},
		{"a resize", "ndkpi", 4, []string{createC + failed, `NdkResizeCq "cq":"c","depth":8` + failed}},
		{"a QP is connected", "ndkpi", 6, []string{createC + notation.Succeeds, createQ + pending, connect}},
		{"a QP is flushed, which is refused", "ndkpi", 6, []string{createC + notation.Succeeds, createQ + failed, `NdkFlush "qp":"q"` + failed}},
		{"a QP takes a receive", "ndkpi", 6, []string{createC + notation.Succeeds, createQ + failed, `NdkReceive "qp":"q","wr":"1"` + notation.Succeeds}},
		{"libibverbs", "verbs", 0, []string{verbsQueue, `ibv_poll_cq "cq":"c","n":8|"results":[]`}},
		{"libibverbs, failed", "verbs", 4, []string{verbsQueue + `"errno":"ENOMEM"`, `ibv_poll_cq "cq":"c","n":8|"results":[]`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachEngine(t, test.dialect, notation.Lines(test.calls...), "LIFE-01", test.line)
		})
	}
}

// Nothing is placed in a CQ before its creation was called (POLL-05), be it used before, too, which is the consumer's (LIFE-01). Of one whose
// creation the trace does not hold a point tells nothing.
func TestPointsBeforeCreation(t *testing.T) {
	const (
		createC = `NdkCreateCq "cq":"c","depth":4` + notation.Succeeds
		arm     = `NdkArmCq "cq":"c","type":"ANY"|`
		placed  = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"1",` + notation.StatusSuccess
	)
	for _, test := range []struct {
		name, rule string
		line       int
		events     []string
	}{
		{"no creation", "", 0, []string{placed}},
		{"before it", "POLL-05", 2, []string{placed, createC}},
		{"twice before it", "POLL-05", 2, []string{placed, placed, createC}},
		{"and used then", "POLL-05", 2, []string{placed, arm, createC}},
		{"used before", "LIFE-01", 2, []string{arm, placed, createC}},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(test.events...))
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
				if told := len(r.Findings) > 0 && r.Findings[0].Rule == test.rule && r.Findings[0].Line == test.line; !told && test.rule != "" ||
					test.rule == "" && r.Violated() {
					t.Errorf("%s: %s, want %q in line %d: %+v", engine, r.Verdict, test.rule, test.line, r.Findings)
				}
			}
		})
	}
}

// eachEngine holds what stream and porcupine find in a trace against the line of a consumer's breach, or 0.
func eachEngine(t *testing.T, dialect string, events []string, rule string, line int) {
	t.Helper()
	traced := notation.Read(t, dialect, events)
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
		i := slices.IndexFunc(r.Findings, func(f verdict.Finding) bool { return f.Rule == rule })
		switch {
		case (i >= 0) != (line > 0), i >= 0 && (r.Findings[i].Line != line || r.Verdict != verdict.ConsumerViolation):
			t.Errorf("%s: %s, want %s in line %d: %+v", engine, r.Verdict, rule, line, r.Findings)
		case i >= 0 && r.Rules[rule].Coverage != verdict.Checked:
			t.Errorf("%s: %+v", engine, r.Rules[rule])
		}
	}
}

// An object is not closed while one of its functions runs, but from a callback within that (LIFE-02). A function that returned
// STATUS_PENDING runs no more.
func TestClosesOfWhatRuns(t *testing.T) {
	const (
		arm     = `NdkArmCq "cq":"c","type":"ANY"`
		armed   = `"ph":"ret","op":"5","fn":"NdkArmCq"`
		polled  = `"ph":"ret","op":"5","fn":"NdkGetCqResults","results":[]`
		closeC  = `NdkCloseCq "cq":"c"|"status":"STATUS_PENDING"`
		closeQ  = `NdkCloseQp "qp":"q"` + notation.Succeeds
		entered = `NdkConnectEventCallback`
		left    = `"ph":"exit","op":"6","fn":"NdkConnectEventCallback"`
		flushed = `"ph":"ret","op":"5","fn":"NdkFlush",` + notation.StatusSuccess
	)
	for _, test := range []struct {
		name string
		line int // of the breach, or 0
		then []string
	}{
		{"after it", 0, []string{arm + "|", closeC}},
		{"an arm", 11, []string{arm, closeC, armed}},
		{"a poll", 11, []string{`NdkGetCqResults "cq":"c","n":8`, closeC, polled}},
		{"an arm that never returns", 11, []string{arm, closeC}},
		{"a resize", 11, []string{`NdkResizeCq "cq":"c","depth":8`, closeC, `"ph":"ret","op":"5","fn":"NdkResizeCq",` + notation.StatusSuccess}},
		{"a pending resize", 0, []string{`NdkResizeCq "cq":"c","depth":8|"status":"STATUS_PENDING"`, closeC,
			`NdkRequestCompletion "for":"5",` + notation.StatusSuccess + `|`}},
		{"a post", 11, []string{`NdkWrite "qp":"q","wr":"1"`, closeQ, `"ph":"ret","op":"5","fn":"NdkWrite",` + notation.StatusSuccess}},
		{"a flush", 11, []string{`NdkFlush "qp":"q"`, closeQ, flushed}},
		{"a flush, and the close is refused", 11, []string{`NdkFlush "qp":"q"`, `NdkCloseQp "qp":"q"|"status":"STATUS_INVALID_PARAMETER"`, flushed}},
		{"a function of another object", 0, []string{arm, closeQ, armed}},
		{"a function of a connector", 0, []string{`NdkDisconnect "qp":"q"`, closeQ, `"ph":"ret","op":"5","fn":"NdkDisconnect",` + notation.StatusSuccess}},
		{"from a callback in it", 0, []string{arm, entered, closeC, left, armed}},
		{"from a callback that began before", 12, []string{entered, arm, closeC,
			`"ph":"ret","op":"6","fn":"NdkArmCq"`, `"ph":"exit","op":"5","fn":"NdkConnectEventCallback"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachEngine(t, "ndkpi", notation.Lines(slices.Concat(notation.Created, test.then)...), "LIFE-02", test.line)
		})
	}
}

// An object is not used once its close was called: not closed again, not connected, no QP is made that completes into it. What was refused
// is a use all the same, and a close that was refused is none. A connector outlives its QP (LIFE-06).
func TestUsesAfterClose(t *testing.T) {
	const (
		refused  = `|"status":"STATUS_INVALID_PARAMETER"`
		pending  = `|"status":"STATUS_PENDING"`
		closeC   = `NdkCloseCq "cq":"c"`
		closeD   = `NdkCloseCq "cq":"d"`
		closeQ   = `NdkCloseQp "qp":"q"`
		createP  = `NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"d"`
		arm      = `NdkArmCq "cq":"c","type":"ANY"`
		connect  = `NdkConnect "qp":"q","conn":"m"`
		returns  = `"ph":"ret","op":"5","fn":"NdkCloseCq",` + notation.StatusSuccess
		pends    = `"ph":"ret","op":"5","fn":"NdkCloseCq","status":"STATUS_PENDING"`
		refuses  = `"ph":"ret","op":"5","fn":"NdkCloseCq","status":"STATUS_INVALID_PARAMETER"`
		alsoPend = `"ph":"ret","op":"6","fn":"NdkCloseCq","status":"STATUS_PENDING"`
		early    = `NdkCloseCompletion "for":"5",` + notation.StatusSuccess + `|`
		busy     = `|"errno":"EBUSY"`
		pollC    = `ibv_poll_cq "cq":"c","n":8|"results":[]`
		broken   = `ibv_modify_qp "qp":"q","state":"ERR"|`
		destroyC = `ibv_destroy_cq "cq":"c"`
		destroyQ = `ibv_destroy_qp "qp":"q"`
		createV  = `ibv_create_qp "qp":"p","send_cq":"c","recv_cq":"c","sq_sig_all":false|`
	)
	ndkpi, verbs := notation.Created, notation.VerbsQp[:3]
	for _, test := range []struct {
		name  string
		line  int // of the breach, or 0
		begin []string
		then  []string
	}{
		{"a QP is created", 12, ndkpi, []string{closeC + pending, createP + notation.Succeeds}},
		{"a QP is created with one that is gone", 12, ndkpi, []string{closeD + notation.Succeeds, createP + notation.Succeeds}},
		{"a QP is refused", 12, ndkpi, []string{closeD + notation.Succeeds, createP + refused}},
		{"a QP was created before", 0, ndkpi, []string{createP + notation.Succeeds, closeC + pending, closeD + pending}},
		{"a QP is created while it is closed", 11, ndkpi, []string{closeD, createP + notation.Succeeds, returns}},
		{"a CQ is closed again", 12, ndkpi, []string{closeC + pending, closeC + pending}},
		{"a CQ that is gone is closed again", 12, ndkpi, []string{closeD + notation.Succeeds, closeD + notation.Succeeds}},
		{"a CQ is closed again, and that is refused", 12, ndkpi, []string{closeC + pending, closeC + refused}},
		{"a QP is closed again", 12, ndkpi, []string{closeQ + notation.Succeeds, closeQ + notation.Succeeds}},
		{"a QP whose close is pending is closed again", 12, ndkpi, []string{closeQ + pending, closeQ + pending}},
		{"closed again, as that was refused", 0, ndkpi, []string{closeC + refused, closeC + pending}},
		{"and a third time", 14, ndkpi, []string{closeC + refused, closeC + pending, closeC + pending}},
		{"two closes at a time", 11, ndkpi, []string{closeC, closeC, pends, alsoPend}},
		{"a close within another", 11, ndkpi, []string{closeC, closeC + pending, pends}},
		{"two closes at a time, of which one is refused", 0, ndkpi, []string{closeC, closeC, refuses, alsoPend}},
		{"an arm during them", 12, ndkpi, []string{closeC, closeC, arm + "|", refuses, alsoPend}},
		{"an arm while it is closed", 11, ndkpi, []string{closeC, arm + "|", pends}},
		{"an arm while the close is refused", 0, ndkpi, []string{closeC, arm + "|", refuses}},
		{"an arm after that", 0, ndkpi, []string{closeC + refused, arm + "|"}},
		{"an arm while a close hangs", 11, ndkpi, []string{closeC, arm + "|"}},
		{"an arm after a callback told the close", 13, ndkpi, []string{closeD, early, `NdkArmCq "cq":"d","type":"ANY"|`, pends}},
		{"an arm that had begun", 0, ndkpi, []string{arm, closeC + pending, `"ph":"ret","op":"5","fn":"NdkArmCq"`}},
		{"an arm from a callback within the close", 16, ndkpi, []string{`NdkWrite "qp":"q","wr":"1"` + notation.Succeeds, arm + "|", closeC,
			`NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess, arm + "|", `"ph":"exit","op":"8","fn":"NdkCqNotificationCallback"`,
			`"ph":"ret","op":"7","fn":"NdkCloseCq","status":"STATUS_PENDING"`}},
		{"a resize", 12, ndkpi, []string{closeC + pending, `NdkResizeCq "cq":"c","depth":8` + notation.Succeeds}},
		{"a connect", 12, ndkpi, []string{closeQ + notation.Succeeds, connect + notation.Succeeds}},
		{"a connect that is refused", 12, ndkpi, []string{closeQ + pending, connect + refused}},
		{"an accept", 12, ndkpi, []string{closeQ + notation.Succeeds, `NdkAccept "qp":"q","conn":"m"` + notation.Succeeds}},
		{"a flush", 12, ndkpi, []string{closeQ + notation.Succeeds, `NdkFlush "qp":"q"` + notation.Succeeds}},
		{"a flush that is refused", 12, ndkpi, []string{closeQ + notation.Succeeds, `NdkFlush "qp":"q"` + refused}},
		{"a disconnect", 0, ndkpi, []string{closeQ + notation.Succeeds, `NdkDisconnect "qp":"q"` + notation.Succeeds}},
		{"a write", 12, ndkpi, []string{closeQ + notation.Succeeds, `NdkWrite "qp":"q","wr":"1"` + refused}},
		{"libibverbs", 10, verbs, []string{destroyQ + "|", destroyQ + "|"}},
		{"libibverbs, which is busy", 0, verbs, []string{destroyC + busy, pollC, broken, destroyQ + "|", pollC, destroyC + "|"}},
		{"libibverbs, which was", 14, verbs, []string{destroyC + busy, destroyQ + "|", destroyC + "|", pollC}},
		{"libibverbs creates a QP", 12, verbs, []string{destroyQ + "|", destroyC + "|", createV}},
		{"libibverbs modifies a QP", 10, verbs, []string{destroyQ + "|", broken}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dialect := "ndkpi"
			if strings.HasPrefix(test.begin[0], "ibv") {
				dialect = "verbs"
			}
			eachEngine(t, dialect, notation.Lines(slices.Concat(test.begin, test.then)...), "LIFE-06", test.line)
		})
	}
}

// A use after a close excuses nothing that came before: a close that waits for the provider alone had not completed by a moment of rest (LIFE-11,
// LIFE-06).
func TestUsesAfterLateClose(t *testing.T) {
	for name, calls := range map[string][]string{
		"a QP is created": {`NdkCloseCq "cq":"d"|"status":"STATUS_PENDING"`, notation.Rest,
			`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds},
		"a QP is connected": {`NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"c"` + notation.Succeeds, `NdkCloseQp "qp":"p"|"status":"STATUS_PENDING"`, notation.Rest,
			`NdkConnect "qp":"p","conn":"m"` + notation.Succeeds},
	} {
		t.Run(name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(slices.Concat(notation.Created, calls)...))
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
				if len(r.Findings) < 2 || r.Findings[0].Rule != "LIFE-11" || r.Findings[1].Rule != "LIFE-06" {
					t.Errorf("%s: %s, want LIFE-11, and LIFE-06 after it: %+v", engine, r.Verdict, r.Findings)
				}
			}
		})
	}
}

// A QP whose creation was refused, and succeeded then, is one of its CQ's QPs, once: the close of that CQ waits for it (LIFE-04).
func TestClosedBesideAQpCreatedTwice(t *testing.T) {
	const (
		createC = `NdkCreateCq "cq":"c","depth":4` + notation.Succeeds
		createD = `NdkCreateCq "cq":"d","depth":4` + notation.Succeeds
		refused = `NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"|"status":"STATUS_INSUFFICIENT_RESOURCES"`
		closeC  = `NdkCloseCq "cq":"c"` + notation.Succeeds
	)
	for into, want := range map[string]int{"c": 1, "d": 0} {
		create := strings.ReplaceAll(`NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"`, `"c"`, `"`+into+`"`) + notation.Succeeds
		traced := notation.Read(t, "ndkpi", notation.Lines(createC, createD, refused, create, closeC))
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
			told := 0
			for _, f := range r.Findings {
				if f.Rule == "LIFE-04" {
					told++
				}
			}
			if told != want || len(r.Findings) != want {
				t.Errorf("%s: created with %s, %d findings of LIFE-04, want %d: %+v", engine, into, told, want, r.Findings)
			}
		}
	}
}

// Where the close of a CQ completes before its call has returned, the callback has returned that completed the close of its QP (LIFE-05).
func TestClosedBeforeTheReturnWithinACallback(t *testing.T) {
	const (
		pendingQ = `NdkCloseQp "qp":"q"|"status":"STATUS_PENDING"`
		tells    = `NdkCloseCompletion "for":"5",` + notation.StatusSuccess
		told     = `"ph":"exit","op":"6","fn":"NdkCloseCompletion"`
		closeC   = `NdkCloseCq "cq":"c"`
		tellsC   = `NdkCloseCompletion "for":"7",` + notation.StatusSuccess + `|`
		returns  = `"ph":"ret","op":"7","fn":"NdkCloseCq","status":"STATUS_PENDING"`
	)
	for _, test := range []struct {
		rule string
		then []string
	}{
		{"LIFE-05", []string{pendingQ, tells, closeC, tellsC, returns, told}},
		{"LIFE-05", []string{pendingQ, tells, closeC, tellsC, told, returns}},
		{"", []string{pendingQ, tells, closeC, told, tellsC, returns}},
	} {
		traced := notation.Read(t, "ndkpi", notation.Lines(slices.Concat(notation.Created, test.then)...))
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
			if len(r.Findings) > 0 != (test.rule != "") || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("%q: %s: %s, want %q: %+v", test.then, engine, r.Verdict, test.rule, r.Findings)
			}
		}
	}
}

// ibv_destroy_cq waits for the acknowledgement of events that were read (LIFE-08): that is called before it returns. A trace that records no
// acknowledgement does not decide it.
func TestDestroyedCqWaitsForAcknowledgements(t *testing.T) {
	row := judging.Corpus(t)[slices.IndexFunc(judging.Corpus(t), func(r judging.Row) bool {
		return r.File == "reject/verbs-cq-destroyed-before-its-event-is-acknowledged.ndktrace.jsonl"
	})]
	traced := row.Read(t)
	destroyed := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return e.Ph == trace.Ret && e.Fn == "ibv_destroy_cq" })
	before, behind := traced.Events[:destroyed], traced.Events[destroyed+1:]
	for _, test := range []struct {
		what   string
		rule   string
		events []trace.Event
	}{
		{"acknowledged behind it", "LIFE-08", traced.Events},
		{"acknowledged while it runs", "", slices.Concat(before, behind, traced.Events[destroyed:destroyed+1])},
		{"no acknowledgement is recorded", "", traced.Events[:destroyed+1]},
	} {
		changed := *traced
		changed.Events, changed.End = test.events, &trace.End{Events: uint64(len(test.events)), Quiescent: true}
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), &changed, linearize.Options{Engine: engine})
			if len(r.Findings) > 0 != (test.rule != "") || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("%s: %s: %s, want %q: %+v", test.what, engine, r.Verdict, test.rule, r.Findings)
			}
		}
	}
}
