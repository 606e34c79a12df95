package linearize_test

import (
	"slices"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// A point says that a completion was placed, and is held against the request that it names, as a result of a poll is (POLL-04,
// POLL-05, DEF-03, FLAG-01).
func TestPointsAreJudged(t *testing.T) {
	const (
		write  = `NdkWrite "qp":"q","wr":"1"|` + notation.StatusSuccess
		placed = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"1",` + notation.StatusSuccess
		got    = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`
		failed = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1","status":"STATUS_IO_TIMEOUT"}]`
		silent = `NdkWrite "qp":"q","wr":"1","flags":["SILENT_SUCCESS"]|` + notation.StatusSuccess
	)
	for _, test := range []struct {
		name, rule string // conformant where there is no rule
		events     []string
	}{
		{"placed and delivered", "", []string{write, placed, got}},
		{"refused", "DEF-03", []string{`NdkWrite "qp":"q","wr":"1"|"status":"STATUS_INSUFFICIENT_RESOURCES"`, placed}},
		{"twice", "POLL-04", []string{write, placed, placed, got}},
		{"another outcome", "POLL-05", []string{write, placed, failed}},
		{"a silent success", "FLAG-01", []string{silent, placed}},
		{"a silent success, delivered", "FLAG-01", []string{silent, placed, got}},
		{"never posted", "POLL-05", []string{placed}},
		{"before it was posted", "POLL-05", []string{placed, write, got}},
		{"in another CQ", "POLL-05", []string{write, `"ph":"point","fn":"CqePlaced","cq":"d","wr":"1",` + notation.StatusSuccess, got}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := checkLines(t, "ndkpi", notation.After(test.events...)())
			switch {
			case test.rule == "" && r.Verdict != verdict.Conformant:
				t.Errorf("%s: %+v", r.Verdict, r.Findings)
			case test.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != test.rule):
				t.Errorf("%s, want %s: %+v", r.Verdict, test.rule, r.Findings)
			}
		})
	}
}

// A QP whose NdkConnect completes with a failure is not connected: what it posts is refused, and no completion comes of it
// (POST-08). A later NdkConnect connects it.
func TestConnectThatFailsLater(t *testing.T) {
	connect := func(status string) []string {
		return append(notation.Created[:3:3], `NdkConnect "qp":"q","conn":"n"|"status":"STATUS_PENDING"`, `NdkRequestCompletion "for":"4","status":"`+status+`"|`)
	}
	write := []string{`NdkWrite "qp":"q","wr":"1"|` + notation.StatusSuccess, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`}
	for _, test := range []struct {
		name, rule string
		calls      []string
	}{
		{"fails", "POST-08", append(connect("STATUS_CONNECTION_REFUSED"), write...)},
		{"succeeds", "", append(connect("STATUS_SUCCESS"), write...)},
		{"fails, and another succeeds", "", slices.Concat(connect("STATUS_CONNECTION_REFUSED"),
			[]string{`NdkConnect "qp":"q","conn":"m"|` + notation.StatusSuccess}, write)},
		{"fails, and the post is refused", "", append(connect("STATUS_CONNECTION_REFUSED"), `NdkWrite "qp":"q","wr":"1"|"status":"STATUS_CONNECTION_INVALID"`)},
	} {
		r := checkLines(t, "ndkpi", notation.Lines(test.calls...))
		if test.rule == "" && r.Verdict != verdict.Conformant || test.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != test.rule) {
			t.Errorf("%s: %s, want %q: %+v", test.name, r.Verdict, test.rule, r.Findings)
		}
	}
}

// A connect that fails may cancel receives, before it is told to have failed, too, and another one may connect the queue pair (RES-10).
func TestConnectThatFailsCancels(t *testing.T) {
	receive := func(wr, outcome string) []string {
		return []string{`NdkReceive "qp":"q","wr":"` + wr + `"|` + notation.StatusSuccess, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"` + wr + `","status":"` + outcome + `"}]`}
	}
	first, second := receive("1", "STATUS_CANCELLED"), receive("2", "STATUS_SUCCESS")
	again := []string{`NdkConnect "qp":"q","conn":"m"|` + notation.StatusSuccess}
	written := []string{`NdkWrite "qp":"q","wr":"3"|` + notation.StatusSuccess, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"3","status":"STATUS_CANCELLED"}]`}
	for _, status := range []string{"STATUS_CONNECTION_REFUSED", "STATUS_CONNECTION_ABORTED"} {
		pends := []string{`NdkConnect "qp":"q","conn":"n"|"status":"STATUS_PENDING"`}
		fails := []string{`NdkRequestCompletion "for":"5","status":"` + status + `"|`}
		for name, events := range map[string][]string{
			"refused":              slices.Concat(first[:1], []string{`NdkConnect "qp":"q","conn":"n"|"status":"` + status + `"`}, first[1:], second[:1], again, second[1:]),
			"fails":                slices.Concat(first[:1], pends, fails, first[1:], second[:1], again, second[1:]),
			"cancels before":       slices.Concat(first[:1], pends, first[1:], fails, second[:1], again, second[1:]),
			"posted to the second": slices.Concat(first[:1], pends, first[1:], fails, again, second),
			"posted in between":    slices.Concat(pends, fails, first[:1], again, written[:1], first[1:], written[1:], second),
			"cancels one of two":   slices.Concat(first[:1], second[:1], pends, []string{`NdkRequestCompletion "for":"6","status":"` + status + `"|`}, first[1:], again, second[1:]),
		} {
			if r := checkLines(t, "ndkpi", notation.Lines(append(notation.Created[:3:3], events...)...)); r.Verdict != verdict.Conformant {
				t.Errorf("%s, %s: %s: %+v", name, status, r.Verdict, r.Findings)
			}
		}
	}
}

// A point that places a completion before that of a request which was posted before it on the same queue breaks the order (POLL-09), and is
// told there, in whichever order a poll delivers them.
func TestPointsOutOfOrder(t *testing.T) {
	for _, got := range []string{"w1 w2", "w2 w1"} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), notation.Overlapped(t, "NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w2; placed cq1 w1; get cq1 "+got), linearize.Options{Engine: engine})
			if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POLL-09" || r.Findings[0].Line != 18 {
				t.Errorf("%s: %s, want POLL-09 at line 18: %+v", engine, r.Verdict, r.Findings)
			}
		}
	}
}

// A CQ whose error was reported reports no other (ARM-17).
func TestErrorIsReportedOnce(t *testing.T) {
	for _, second := range []string{"STATUS_INTERNAL_ERROR", "STATUS_BUFFER_OVERFLOW"} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), notation.Cramped(t, "arm ERRORS; write 1; write 2; write 3; cb< STATUS_BUFFER_OVERFLOW; cb>; arm ERRORS; cb< "+second+"; cb>"),
				linearize.Options{Engine: engine})
			if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "ARM-17" {
				t.Errorf("%s: %s, want ARM-17: %+v", engine, r.Verdict, r.Findings)
			}
		}
	}
}

// A CQ that drops the one completion that it has no room for, says so, and goes on, breaks ARM-17 by going on, whichever queue
// the next completion is of. That the lost one is missing is no breach of the order (POLL-09).
func TestNothingIsPlacedAfterAnError(t *testing.T) {
	for name, next := range map[string]string{"the same queue": "NdkWrite", "another queue": "NdkReceive"} {
		t.Run(name, func(t *testing.T) {
			r := checkLines(t, "ndkpi", notation.Lines(slices.Concat([]string{`NdkCreateCq "cq":"c","depth":1|` + notation.StatusSuccess}, notation.Created[2:], []string{
				`NdkArmCq "cq":"c","type":"ANY"|`, `NdkWrite "qp":"q","wr":"1"|` + notation.StatusSuccess, `NdkWrite "qp":"q","wr":"2"|` + notation.StatusSuccess,
				`NdkCqNotificationCallback "cq":"c","status":"STATUS_BUFFER_OVERFLOW"|`,
				`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`,
				next + ` "qp":"q","wr":"3"|` + notation.StatusSuccess,
				`NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"3",` + notation.StatusSuccess + `}]`})...))
			if len(r.Findings) != 1 || r.Findings[0].Rule != "ARM-17" {
				t.Errorf("%s, want ARM-17: %+v", r.Verdict, r.Findings)
			}
		})
	}
}

// In libibverbs, too, no receive succeeds on a QP that was never connected (POST-08).
func TestVerbsReceiveWithoutConnection(t *testing.T) {
	traced := notation.Read(t, "verbs", notation.Lines(`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_qp "qp":"q","recv_cq":"c","send_cq":"c","sq_sig_all":true|`,
		`ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`, `ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"r","status":"IBV_WC_SUCCESS"}]`))
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
		if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POST-08" {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}

// A queue pair whose connection was lost may be connected again. What had been posted may be cancelled, and nothing is known of what is posted on the
// later connection (RES-10). Messages of the earlier one had another end (POLL-05).
func TestConnectedAgain(t *testing.T) {
	for name, events := range notation.ConnectedAgain() {
		for _, dialect := range []string{"ndkpi", "ndspi"} {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Read(t, dialect, events), linearize.Options{Engine: engine})
				if r.Verdict != verdict.Conformant {
					t.Errorf("%s, %s, %s: %s: %+v", name, dialect, engine, r.Verdict, r.Findings)
				}
			}
		}
	}
}

// An attempt to connect that failed cancelled the first of two receives (A4). The second of two messages waits over a moment of rest (DEF-04).
func TestAttemptLeavesASendWithoutReceive(t *testing.T) {
	get := func(cq, wr, status string) string {
		return `NdkGetCqResults "cq":"` + cq + `","n":8|"results":[{"wr":"` + wr + `","status":"STATUS_` + status + `"}]`
	}
	events := notation.Lines(
		`NdkCreateCq "cq":"cq1","depth":4`+notation.Succeeds, `NdkCreateCq "cq":"cq2","depth":4`+notation.Succeeds,
		`NdkCreateQp "qp":"qp1","receive_cq":"cq1","initiator_cq":"cq1"`+notation.Succeeds, `NdkCreateQp "qp":"qp2","receive_cq":"cq2","initiator_cq":"cq2"`+notation.Succeeds,
		`NdkReceive "qp":"qp2","wr":"r1"`+notation.Succeeds, `NdkAccept "qp":"qp2","conn":"c1"|"status":"STATUS_CONNECTION_ABORTED"`,
		`NdkReceive "qp":"qp2","wr":"r2"`+notation.Succeeds, `NdkConnect "qp":"qp1","conn":"c2"`+notation.Succeeds, `NdkAccept "qp":"qp2","conn":"c2"`+notation.Succeeds,
		`NdkSend "qp":"qp1","wr":"s1"`+notation.Succeeds, `NdkSend "qp":"qp1","wr":"s2"`+notation.Succeeds, get("cq2", "r1", "CANCELLED"), `"ph":"point","fn":"quiesce"`,
		get("cq1", "s1", "SUCCESS"), `NdkGetCqResults "cq":"cq1","n":8|"results":[]`, get("cq2", "r2", "SUCCESS"))
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		if r := linearize.Check(t.Context(), notation.Read(t, "ndkpi", events), linearize.Options{Engine: engine}); r.Verdict != verdict.Conformant {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}
