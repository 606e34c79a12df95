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
)

// When the close of a QP completes, what its CQs hold of it stays there, or vanishes (A21): a poll that finds nothing or something else,
// and an arm that finds nothing, are explained by that. What was owed before the close stays owed (ARM-04, ARM-09), what a poll delivers
// has not vanished (ARM-04), and what is of other QPs does not (POLL-03).
func TestCompletionsVanishWithTheirQp(t *testing.T) {
	const (
		rest    = `"ph":"point","fn":"quiesce"`
		arm     = `NdkArmCq "cq":"c","type":"ANY"|`
		errors  = `NdkArmCq "cq":"c","type":"ERRORS"|`
		closing = `"ph":"call","op":"close","fn":"NdkCloseQp","qp":"q"`
		closed  = `"ph":"ret","op":"close","fn":"NdkCloseQp",` + notation.StatusSuccess
		write   = `NdkWrite "qp":"q","wr":"1"` + notation.Succeeds
		placed  = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"1",` + notation.StatusSuccess
		callb   = `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
		closeQ  = `NdkCloseQp "qp":"q"` + notation.Succeeds
		empty   = `NdkGetCqResults "cq":"c","n":8|"results":[]`
		got     = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1",` + notation.StatusSuccess + `}]`
		other   = `NdkWrite "qp":"p","wr":"2"` + notation.Succeeds
		also    = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"2",` + notation.StatusSuccess
		gotNext = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"2",` + notation.StatusSuccess + `}]`
	)
	connected := append(slices.Clone(notation.Created), `NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"c"`+notation.Succeeds, `NdkConnect "qp":"p","conn":"m"`+notation.Succeeds)
	for _, test := range []struct {
		name, dialect, rules string // one of which is broken; conformant where there is none
		calls                []string
	}{
		{"a point, and a poll finds nothing", "ndkpi", "", slices.Concat(connected, []string{write, placed, closeQ, empty})},
		{"a point, and an arm finds nothing", "ndkpi", "", slices.Concat(connected, []string{write, placed, closeQ, arm})},
		{"a point, and a poll finds the next", "ndkpi", "", slices.Concat(connected, []string{write, other, placed, also, closeQ, gotNext})},
		{"a point, and a poll finds it", "ndkpi", "ARM-04", slices.Concat(connected, []string{write, placed, closeQ, arm, got})},
		{"points of two QPs, and a poll finds the second", "ndkpi", "", slices.Concat(connected, []string{write, other, placed, also, closeQ,
			`NdkCloseQp "qp":"p"` + notation.Succeeds, gotNext})},
		{"a point, and a poll that had begun before finds nothing", "ndkpi", "", slices.Concat(connected, []string{
			`"ph":"call","op":"a","fn":"NdkGetCqResults","cq":"c","n":8`, write, placed, closeQ, `"ph":"ret","op":"a","fn":"NdkGetCqResults","results":[]`, got})},
		{"a point of another QP", "ndkpi", "POLL-03", slices.Concat(connected, []string{write, placed, other, also, closeQ, empty})},
		{"both of two points", "ndkpi", "POLL-09", slices.Concat(connected, []string{write, placed, `NdkWrite "qp":"q","wr":"3"` + notation.Succeeds,
			`"ph":"point","fn":"CqePlaced","cq":"c","wr":"3",` + notation.StatusSuccess, closeQ, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"3",` + notation.StatusSuccess + `}]`})},
		{"armed before it was placed", "ndkpi", "ARM-09", slices.Concat(connected, []string{arm, write, placed, closeQ})},
		{"owed, and an arm finds nothing", "ndkpi", "", slices.Concat(connected, []string{write, rest, closeQ, arm})},
		{"owed, and a callback comes after the rest", "ndkpi", "ARM-08", slices.Concat(connected, []string{`NdkArmCq "cq":"c","type":"ERRORS"|`,
			write, rest, closeQ, callb, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"1","status":"STATUS_IO_TIMEOUT"}]`})},
		{"owed, and a poll finds nothing", "ndkpi", "", slices.Concat(connected, []string{write, rest, closeQ, empty})},
		{"owed, and armed before the close", "ndkpi", "ARM-04", slices.Concat(connected, []string{write, rest, arm, closeQ})},
		{"owed of another QP", "ndkpi", "DEF-04", slices.Concat(connected, []string{write, other, rest, closeQ, empty})},
		{"behind its callback", "ndkpi", "", slices.Concat(connected, []string{arm, write, callb, closeQ, empty})},
		{"behind its callback, and a poll finds another", "ndkpi", "", slices.Concat(connected, []string{arm, write, callb, closeQ, other, gotNext})},
		{"behind a callback for another QP", "ndkpi", "POLL-03 ARM-21", slices.Concat(connected, []string{arm, other, callb, closeQ, empty})},
		{"before its callback", "ndkpi", "", slices.Concat(connected, []string{arm, write, closeQ, callb, empty})},
		{"a poll found nothing, and a callback of a later arm comes", "ndkpi", "ARM-21", slices.Concat(connected, []string{write, closeQ, empty, arm, callb})},
		{"… of another QP", "ndkpi", "", slices.Concat(connected, []string{write, closeQ, empty, arm, other, callb, gotNext})},
		{"… and the poll began before the close was over", "ndkpi", "", slices.Concat(connected, []string{write,
			`"ph":"call","op":"a","fn":"NdkGetCqResults","cq":"c","n":8`, closeQ, `"ph":"ret","op":"a","fn":"NdkGetCqResults","results":[]`, arm, callb})},
		{"cancelled by the close", "ndkpi", "", slices.Concat(connected, []string{`NdkReceive "qp":"q","wr":"1"` + notation.Succeeds, arm,
			`NdkCloseQp "qp":"q"|"status":"STATUS_PENDING"`, callb, `NdkCloseCompletion "for":"9",` + notation.StatusSuccess + `|`, other, gotNext})},
		{"one callback for it, and another one behind a pending close", "ndspi", "ARM-21", slices.Concat(connected, []string{arm, write,
			`NdkCloseQp "qp":"q"|"status":"STATUS_PENDING"`, callb, arm, `NdkCloseCompletion "for":"9",` + notation.StatusSuccess + `|`, callb})},
		{"… and it was for another QP", "ndspi", "", slices.Concat(connected, []string{arm, write,
			`NdkCloseQp "qp":"q"|"status":"STATUS_PENDING"`, callb, arm, `NdkCloseCompletion "for":"9",` + notation.StatusSuccess + `|`, other, callb, gotNext})},
		{"one callback for it, and another one while the close runs", "ndspi", "ARM-08 POLL-03", slices.Concat(connected, []string{errors, write, callb, errors,
			other, closing, callb, closed, gotNext, empty})},
		{"… and the QP had another one", "ndspi", "", slices.Concat(connected, []string{errors, write, `NdkWrite "qp":"q","wr":"3"` + notation.Succeeds, callb, errors,
			other, closing, callb, closed, gotNext, empty})},
		{"… which it had no more, but another QP that is closed, too", "ndspi", "", slices.Concat(connected, []string{errors, write, callb, errors,
			`NdkWrite "qp":"p","wr":"3"` + notation.Succeeds, other, closing, callb, closed, `NdkCloseQp "qp":"p"` + notation.Succeeds, empty})},
		{"a receive of a QP whose peer sends nothing", "ndkpi", "", slices.Concat(notation.Created, []string{
			`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds, `NdkAccept "qp":"p","conn":"n"` + notation.Succeeds,
			`NdkReceive "qp":"q","wr":"1"` + notation.Succeeds, arm, callb, closeQ, empty})},
		{"destroyed", "verbs", "", slices.Concat(notation.VerbsQp, []string{notation.VerbsWrite, rest, `ibv_destroy_qp "qp":"q"|`, notation.VerbsEmpty})},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, test.dialect, notation.Lines(test.calls...))
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
				tells := func(f verdict.Finding) bool {
					return strings.Contains(test.rules, f.Rule) || engine == linearize.Streaming && f.Rule == "ARM-03" // which says in general what others say of an arm
				}
				if test.rules == "" && r.Verdict != verdict.Conformant ||
					test.rules != "" && (r.Verdict != verdict.ProviderViolation || !slices.ContainsFunc(r.Findings, tells)) {
					t.Errorf("%s: %s, want %q: %+v", engine, r.Verdict, test.rules, r.Findings)
				}
			}
		})
	}
}

// They vanish from all CQs of the QP, or from none: where a poll delivers one later, what had to have completed before the close is there
// (POLL-03, ARM-04), and was not missing when another poll found nothing.
func TestAllCompletionsOfAQpVanishOrNone(t *testing.T) {
	const (
		flushed = "NdkReceive qp1 r1; NdkReceive qp1 r2; NdkFlush qp1; rest; "
		two     = "new qp3 cq3 cq1; NdkConnect qp3 d; NdkReceive qp3 r1; NdkWrite qp3 w2; NdkFlush qp3; rest; NdkCloseQp qp3; "
		between = "new qp3; NdkConnect qp3 d; NdkWrite qp3 w1; NdkWrite qp1 w2; NdkWrite qp3 w3; rest; NdkCloseQp qp3; "
	)
	for text, rules := range map[string]string{ // one of which is broken
		flushed + "NdkCloseQp qp1; get cq1 r1c; get cq1":                                           "POLL-03",
		flushed + "NdkCloseQp qp1; get cq1 r1c r2c; get cq1":                                       "",
		flushed + "NdkCloseQp qp1; get cq1":                                                        "",
		flushed + "a< NdkCloseQp qp1; get cq1 r1c; a>; get cq1":                                    "", // the first poll came before
		flushed + "a< NdkCloseQp qp1; a> STATUS_PENDING; get cq1 r1c; a!; get cq1":                 "",
		flushed + "a< NdkCloseQp qp1; a> STATUS_PENDING; a!; get cq1 r1c; get cq1":                 "POLL-03",
		flushed + "NdkCloseQp qp1; get cq1 r1c; NdkArmCq cq1 ANY; rest":                            "ARM-04 ARM-03",
		flushed + "NdkCloseQp qp1; get cq1 r1c; NdkArmCq cq1 ANY; enter cq1; rest":                 "",
		"NdkReceive qp1 r1; NdkReceive qp1 r2; NdkFlush qp1; NdkCloseQp qp1; get cq1 r1c; get cq1": "", // the other was lost
		"NdkWrite qp1 w1; NdkSend qp1 s2; rest; NdkCloseQp qp1; get cq1 w1; get cq1":               "",
		between + "get cq1 w1 w2; get cq1":                                                         "POLL-03",
		between + "get cq1 w2; get cq1":                                                            "",
		between + "get cq1 w1 w2 w3; get cq1":                                                      "",
		two + "get cq1 r1c; get cq3; get cq1":                                                      "POLL-03",
		two + "get cq3; get cq1 r1c; get cq1":                                                      "POLL-03 POLL-09",
		two + "get cq3 w2c; get cq1; get cq3":                                                      "POLL-03",
		two + "get cq3; get cq1":                                                                   "",
		two + "get cq3 w2c; get cq1 r1c; get cq3":                                                  "",
	} {
		traced := notation.Overlapped(t, text)
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
			tells := func(f verdict.Finding) bool {
				return slices.ContainsFunc(append(f.Also, f.Rule), func(rule string) bool { return strings.Contains(rules, rule) })
			}
			if rules == "" && r.Verdict != verdict.Conformant || rules != "" && (r.Verdict != verdict.ProviderViolation || !tells(r.Findings[0])) {
				t.Errorf("%s: %s: %s, want %q: %+v", text, engine, r.Verdict, rules, r.Findings)
			}
		}
	}
}

// While the call of the close is running they may vanish at any moment, if it returns success. If it is pending, they vanish when it
// completes (POLL-03).
func TestCompletionsVanishWhileTheCloseRuns(t *testing.T) {
	const (
		arm     = `NdkArmCq "cq":"c","type":"ANY"|`
		write   = `NdkWrite "qp":"q","wr":"1"` + notation.Succeeds
		another = `NdkWrite "qp":"q","wr":"2"` + notation.Succeeds
		callb   = `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
		close   = `"ph":"call","op":"close","fn":"NdkCloseQp","qp":"q"`
		closed  = `"ph":"ret","op":"close","fn":"NdkCloseQp",` + notation.StatusSuccess
		pending = `"ph":"ret","op":"close","fn":"NdkCloseQp","status":"STATUS_PENDING"`
		done    = `NdkCloseCompletion "for":"close",` + notation.StatusSuccess + `|`
		poll    = `"ph":"call","op":"poll","fn":"NdkGetCqResults","cq":"c","n":1`
		got     = `"ph":"ret","op":"poll","fn":"NdkGetCqResults","results":[{"wr":"1",` + notation.StatusSuccess + `}]`
		nothing = `"ph":"ret","op":"poll","fn":"NdkGetCqResults","results":[]`
		empty   = `NdkGetCqResults "cq":"c","n":8|"results":[]`
		placed  = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"1",` + notation.StatusSuccess
		next    = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"2",` + notation.StatusSuccess
	)
	for name, test := range map[string]struct {
		then []string
		want verdict.Verdict
	}{
		"success":                      {[]string{arm, write, callb, close, poll, nothing, closed}, verdict.Conformant},
		"pending":                      {[]string{arm, write, callb, close, poll, nothing, pending, done}, verdict.ProviderViolation},
		"behind an event":              {[]string{arm, write, close, callb, poll, nothing, closed}, verdict.Conformant},
		"behind a poll":                {[]string{arm, write, another, callb, close, poll, got, arm, callb, empty, closed}, verdict.Conformant},
		"before a poll returns":        {[]string{write, another, placed, next, poll, close, closed, got, empty}, verdict.Conformant},
		"before a poll that finds one": {[]string{write, another, placed, next, close, closed, poll, got, empty}, verdict.ProviderViolation},
	} {
		t.Run(name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(slices.Concat(notation.Created, test.then)...))
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine}); r.Verdict != test.want {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.want, r.Findings)
				}
			}
		})
	}
}

// A poll that finds another completion first overlaps a close that is pending: they vanish within the poll, at the moment when the close
// completes, or, where that comes after the poll, not yet (POLL-09, POLL-03). The streaming engine leaves the latter open.
func TestPollsWhileACloseIsPending(t *testing.T) {
	const (
		placed  = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"1",` + notation.StatusSuccess
		also    = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"2",` + notation.StatusSuccess
		pending = `"ph":"ret","op":"close","fn":"NdkCloseQp","status":"STATUS_PENDING"`
		done    = `NdkCloseCompletion "for":"close",` + notation.StatusSuccess + `|`
		poll    = `"ph":"call","op":"poll","fn":"NdkGetCqResults","cq":"c","n":8`
		got     = `"ph":"ret","op":"poll","fn":"NdkGetCqResults","results":[{"wr":"2",` + notation.StatusSuccess + `}]`
	)
	begin := append(slices.Clone(notation.Created), `NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"c"`+notation.Succeeds, `NdkConnect "qp":"p","conn":"m"`+notation.Succeeds,
		`NdkWrite "qp":"q","wr":"1"`+notation.Succeeds, `NdkWrite "qp":"p","wr":"2"`+notation.Succeeds, placed, also, `"ph":"call","op":"close","fn":"NdkCloseQp","qp":"q"`, pending)
	for name, test := range map[string]struct {
		then   []string
		stream verdict.Verdict
		rule   string // or conformant
	}{
		"within the poll": {[]string{poll, done, got}, verdict.Conformant, ""},
		"after the poll":  {[]string{poll, got, done}, verdict.Inconclusive, "POLL-09"},
		"never":           {[]string{`NdkGetCqResults "cq":"c","n":8|"results":[]`}, verdict.ProviderViolation, "POLL-03"},
	} {
		t.Run(name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(slices.Concat(begin, test.then)...))
			if r := judging.Stream(traced, linearize.Options{}); r.Verdict != test.stream {
				t.Errorf("stream: %s, want %s: %+v", r.Verdict, test.stream, r.Findings)
			}
			r := linearize.Check(t.Context(), traced, linearize.Options{Engine: linearize.Porcupine})
			if test.rule == "" && r.Verdict != verdict.Conformant || test.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != test.rule) {
				t.Errorf("porcupine: %s, want %q: %+v", r.Verdict, test.rule, r.Findings)
			}
		})
	}
}

// While a QP is being closed a request of it may be lost, and one behind it complete (A21): that is no breach of the order (POLL-09), which the
// streaming engine leaves open. What had to have completed before the close is not lost.
func TestRequestsAreLostWithTheirQp(t *testing.T) {
	const (
		writes = `NdkWrite "qp":"q","wr":"1"` + notation.Succeeds + "\n" + `NdkWrite "qp":"q","wr":"2"` + notation.Succeeds
		closed = `NdkCloseQp "qp":"q"` + notation.Succeeds
		got    = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"2","status":"STATUS_CANCELLED"}]`
	)
	for name, test := range map[string]struct {
		then              []string
		stream, porcupine verdict.Verdict
	}{
		"pending":   {[]string{closed, got}, verdict.Inconclusive, verdict.Conformant},
		"succeeded": {[]string{closed, `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"2",` + notation.StatusSuccess + `}]`}, verdict.Inconclusive, verdict.Conformant},
		"owed":      {[]string{`"ph":"point","fn":"quiesce"`, closed, got}, verdict.ProviderViolation, verdict.ProviderViolation},
		"no close":  {[]string{`NdkFlush "qp":"q"` + notation.Succeeds, got}, verdict.ProviderViolation, verdict.ProviderViolation},
	} {
		t.Run(name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", notation.Lines(slices.Concat(notation.Created, strings.Split(writes, "\n"), test.then)...))
			for engine, want := range map[linearize.Engine]verdict.Verdict{linearize.Streaming: test.stream, linearize.Porcupine: test.porcupine} {
				if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine}); r.Verdict != want {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, want, r.Findings)
				}
			}
		})
	}
}
