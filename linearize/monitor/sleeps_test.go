package monitor_test

import (
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A consumer that sleeps beside a completion that nothing reports is advised (ARM-25), though no point records that the completion is there: a write has nothing
// left to wait for at rest. Nothing is said of a consumer that may be awake, that is to be told by the provider, or that waits for something else.
func TestSleeps(t *testing.T) {
	const (
		write = `NdkWrite "qp":"q","wr":"w1"` + notation.Succeeds
		send  = `NdkSend "qp":"q","wr":"w1"` + notation.Succeeds
		arm   = `NdkArmCq "cq":"c","type":"ANY"|`
		armE  = `NdkArmCq "cq":"c","type":"ERRORS"|`
		none  = `NdkGetCqResults "cq":"c","n":8|"results":[]`
		got   = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"w1","status":"STATUS_SUCCESS"}]`
		told  = `NdkCqNotificationCallback "cq":"c","status":"STATUS_SUCCESS"|`
		error = `NdkCqNotificationCallback "cq":"c","status":"STATUS_INTERNAL_ERROR"|`
		plain = `"ph":"point","fn":"CqePlaced","cq":"c","wr":"w1","status":"STATUS_SUCCESS","solicited":false`
		rest  = `"ph":"point","fn":"quiesce"`
		armS  = `NdkArmCq "cq":"c","type":"SOLICITED"|`
		peer  = `NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds
		meets = `NdkConnect "qp":"p","conn":"n"` + notation.Succeeds
		take  = `NdkReceive "qp":"q","wr":"w1"` + notation.Succeeds
		sent  = `NdkSend "qp":"p","wr":"s"` + notation.Succeeds
		later = `NdkSend "qp":"p","wr":"s","flags":["DEFER"]` + notation.Succeeds
		next  = `NdkSend "qp":"p","wr":"s2"` + notation.Succeeds
		gone  = `NdkCloseQp "qp":"q"|"status":"STATUS_SUCCESS"`
		lost  = `NdkGetCqResults "cq":"c","n":8|"results":[{"wr":"w1","status":"STATUS_CANCELLED"}]`
	)
	for _, test := range []struct {
		name, want string
		events     []string
	}{
		{"never armed again", "not armed after its latest callback", []string{arm, told, none, write}},
		{"armed behind the last poll", "no poll followed the arm", []string{arm, none, told, none, write, arm}},
		{"armed for what comes not", "is SOLICITED", []string{armS, none, write, plain}},
		{"polled by a timer, behind the rest", "not armed after its latest callback", []string{arm, told, none, write, rest, got}},
		{"awake behind the rest", "", []string{arm, told, none, write, rest, `NdkRead "qp":"q","wr":"w2"` + notation.Succeeds, got, arm, "not at rest"}},
		{"armed behind the rest", "", []string{arm, told, none, write, rest, arm, told, got}},
		{"told, and about to poll", "", []string{arm, write, told}},
		{"to be told", "", []string{arm, none, write}},
		{"polled", "", []string{arm, told, none, write, got}},
		{"never armed", "", []string{none, write}},
		{"for errors only", "", []string{armE, none, write}},
		{"the CQ has failed", "", []string{arm, error, none, write}},
		{"a message was there, as a later poll shows", "not armed after its latest callback", []string{peer, meets, arm, told, none, take, sent, rest, got}},
		{"a message was there, as a poll after the close of the queue pair shows", "not armed after its latest callback",
			[]string{peer, meets, arm, told, none, take, sent, rest, gone, got}},
		{"a message was sent, and nothing shows that it was there", "", []string{peer, meets, arm, told, none, take, sent}},
		{"a message was sent, and its receive failed", "", []string{peer, meets, arm, told, none, take, sent, rest, lost}},
		{"a message was deferred, and came later", "", []string{peer, meets, arm, told, none, take, later, rest, next, got, "not at rest"}},
		{"a message was there, and the consumer armed again", "", []string{peer, meets, arm, told, none, take, sent, rest, arm, told, got}},
		{"a send may wait for its receive", "", []string{arm, told, none, send}},
		{"silent", "", []string{arm, told, none, `NdkWrite "qp":"q","wr":"w1","flags":["SILENT_SUCCESS"]` + notation.Succeeds}},
		{"refused", "", []string{arm, told, none, `NdkWrite "qp":"q","wr":"w1"|"status":"STATUS_INSUFFICIENT_RESOURCES"`}},
		{"no rest", "", []string{arm, told, none, write, "not at rest"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			resting := !slices.Contains(test.events, "not at rest")
			events := slices.DeleteFunc(test.events, func(e string) bool { return e == "not at rest" })
			traced := notation.Read(t, "ndkpi", notation.After(events...)())
			traced.End.Quiescent = resting
			m := monitor.New(traced.Header, dialectWhereArmsDoNotLook())
			for i := range traced.Events {
				m.Take(&traced.Events[i])
			}
			m.Finish(traced.End)
			advice := slices.DeleteFunc(m.Advice(), func(w trace.Warning) bool { return !strings.HasPrefix(w.Text, "ARM-25") })
			switch {
			case test.want == "" && len(advice) > 0:
				t.Errorf("%q", advice[0].Text)
			case test.want != "" && (len(advice) != 1 || !strings.Contains(advice[0].Text, test.want) || !strings.Contains(advice[0].Text, "w1 is in c at rest")):
				t.Errorf("%v, want %q", advice, test.want)
			case len(advice) == 1 && len(strings.Fields(advice[0].Text)) > 42: // 40 words behind the rule
				t.Errorf("%q is long", advice[0].Text)
			}
		})
	}
}

// dialectWhereArmsDoNotLook is NDKPI with the arms of libibverbs, so that an arm need not report what the CQ holds.
func dialectWhereArmsDoNotLook() model.Dialect {
	d := model.Ndkpi()
	d.FreshAtArm = model.MustNot
	return d
}
