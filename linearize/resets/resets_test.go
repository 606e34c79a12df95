package resets_test

import (
	"fmt"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/resets"
)

// read returns the events of calls as they are judged, a word for each that names a queue pair.
func read(t *testing.T, calls ...string) (judged, unclear []string) {
	for _, e := range resets.Of(notation.Read(t, "verbs", notation.Lines(calls...))).Events {
		if e.Qp != "" {
			judged = append(judged, strings.TrimSpace(fmt.Sprint(strings.TrimPrefix(e.Fn, "ibv_"), " ", e.Ph, " ", e.Qp, " ", e.Conn)))
		}
		for _, r := range e.Results {
			judged = append(judged, "result "+r.Qp)
		}
		if e.Unclear != "" {
			unclear = append(unclear, e.Unclear)
		}
	}
	return judged, unclear
}

func created(qp, more string) string {
	return `ibv_create_qp "qp":"` + qp + `","send_cq":"c","recv_cq":"c","max_send_wr":4,"sq_sig_all":true` + more + `|`
}

func moved(qp, state string) string {
	return `ibv_modify_qp "qp":"` + qp + `","state":"` + state + `"|`
}

func connected(qp, conn string) string {
	return `ibv_modify_qp "qp":"` + qp + `","state":"RTR","conn":"` + conn + `"|`
}

// What follows a reset is of another queue pair, and its connection is another one once no end of the old one is left (DEF-04, LIFE-07).
func TestResets(t *testing.T) {
	polled := `ibv_poll_cq "cq":"c","n":8|"results":[{"wr":"1","qp":"q","status":"IBV_WC_SUCCESS"}]`
	for _, test := range []struct {
		name    string
		calls   []string
		judged  []string // the last of the events as they are judged
		unclear string
	}{
		{"no reset", []string{created("q", ""), moved("q", "INIT"), connected("q", "k"), polled}, []string{"modify_qp call q k", "result q"}, ""},
		{"reset, and begun again", []string{created("q", ""), moved("q", "RESET"), moved("q", "INIT"), connected("q", "k")},
			[]string{"modify_qp(RESET) call q", "modify_qp(RESET) ret q", "modify_qp(INIT) call q after reset 1", "modify_qp(INIT) ret q after reset 1", "modify_qp call q after reset 1 k"}, ""},
		{"reset twice", []string{created("q", ""), moved("q", "RESET"), moved("q", "INIT"), moved("q", "RESET"), moved("q", "INIT"), moved("q", "RTS")},
			[]string{"modify_qp call q after reset 2"}, ""},
		{"destroyed in RESET", []string{created("q", ""), moved("q", "RESET"), moved("q", "RESET"), `ibv_destroy_qp "qp":"q"|`},
			[]string{"modify_qp(RESET) ret q", "destroy_qp(RESET) call q"}, ""},
		{"a reset that is refused", []string{created("q", ""), `ibv_modify_qp "qp":"q","state":"RESET"|"errno":22`, connected("q", "k")},
			[]string{"modify_qp(RESET) call q", "modify_qp(RESET) ret q", "modify_qp call q k"}, ""},
		{"both ends leave a connection", []string{created("a", ""), created("b", ""), connected("a", "k"), connected("b", "k"), moved("a", "RESET"), moved("b", "RESET"),
			moved("a", "INIT"), connected("a", "k"), moved("b", "INIT"), connected("b", "k")},
			[]string{"modify_qp call a after reset 1 k after reset 1", "modify_qp(INIT) call b after reset 1", "modify_qp(INIT) ret b after reset 1", "modify_qp call b after reset 1 k after reset 1"}, ""},
		{"one end leaves it", []string{created("a", ""), created("b", ""), connected("a", "k"), connected("b", "k"), moved("a", "RESET"), moved("a", "INIT"), connected("a", "k")},
			[]string{"modify_qp call a after reset 1 k"}, ""},
		{"a completion names neither", []string{created("q", ""), moved("q", "RESET"), moved("q", "INIT"), polled}, []string{"result "}, ""},
		{"a receive of a shared queue", []string{created("q", `,"srq":"s"`), moved("q", "RESET"), moved("q", "INIT"), polled}, []string{"result "}, "takes receives of s"},
		{"a post in RESET is refused", []string{created("q", ""), moved("q", "RESET"), `ibv_post_recv "qp":"q","wrs":[{"wr":"1"}]|"errno":22`}, []string{"modify_qp(RESET) ret q"}, ""},
		{"a post in RESET is accepted", []string{created("q", ""), moved("q", "RESET"), `ibv_post_recv "qp":"q","wrs":[{"wr":"1"}]|`}, []string{"post_recv ret q"}, "in the state RESET"},
		{"a completion after the destruction names neither", []string{created("q", ""), moved("q", "RESET"), moved("q", "INIT"), `ibv_destroy_qp "qp":"q"|`, polled},
			[]string{"destroy_qp call q after reset 1", "result "}, ""},
		{"a creation that was refused", []string{created("q", "") + `"errno":12`, moved("q", "RESET")}, []string{"create_qp call q", "modify_qp call q"}, ""},
		{"a query in RESET", []string{created("q", ""), moved("q", "RESET"), `ibv_query_qp "qp":"q"|`}, []string{"query_qp call q"}, ""},
		{"INIT is missing", []string{created("q", ""), moved("q", "RESET"), connected("q", "k")}, []string{"modify_qp(INIT) call q after reset 1", "modify_qp(INIT) ret q after reset 1"}, "its move to INIT"},
		{"a queue pair from before the trace", []string{moved("q", "RESET"), moved("q", "INIT")}, []string{"modify_qp call q", "modify_qp call q"}, ""},
	} {
		judged, unclear := read(t, test.calls...)
		if n := len(judged) - len(test.judged); n < 0 || fmt.Sprint(judged[n:]) != fmt.Sprint(test.judged) {
			t.Errorf("%s: %q, want at the end %q", test.name, judged, test.judged)
		}
		if (test.unclear == "") != (len(unclear) == 0) || !strings.Contains(fmt.Sprint(unclear), test.unclear) {
			t.Errorf("%s: unclear is %q, want %q", test.name, unclear, test.unclear)
		}
	}
}

// A trace without a reset is not copied, and one with a reset is not changed.
func TestOfCopiesOnlyWhatChanges(t *testing.T) {
	plain := notation.Read(t, "verbs", notation.Lines(created("q", ""), moved("q", "INIT"), connected("q", "k")))
	if resets.Of(plain) != plain {
		t.Error("a trace without a reset was copied")
	}
	reset := notation.Read(t, "verbs", notation.Lines(created("q", ""), moved("q", "RESET"), moved("q", "INIT")))
	before := fmt.Sprint(reset.Events)
	if got := resets.Of(reset); got == reset || len(got.Events) != len(reset.Events) {
		t.Error("a trace with a reset was not copied event by event")
	}
	if fmt.Sprint(reset.Events) != before {
		t.Error("the trace itself was changed")
	}
}
