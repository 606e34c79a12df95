package lanes_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/lanes"
)

// wrs returns the names of twenty receives, and many what is done with each.
func wrs() (all []string) {
	for i := range 20 {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

func many(do func(wr string) string) (all []string) {
	for _, wr := range wrs() {
		all = append(all, do(wr))
	}
	return all
}

// The receives of a lane complete in the order of their posts, whatever the shared receive queue hands out (SRQ-10, A9). Where their order is not known, or
// whether a completion has vanished, the CQ is left open.
func TestLanes(t *testing.T) {
	const (
		p       = `NdkCreateQpWithSrq "qp":"p","initiator_cq":"c","receive_cq":"c","srq":"s"` + notation.Succeeds
		other   = `NdkCreateQpWithSrq "qp":"o","initiator_cq":"d","receive_cq":"d","srq":"s"` + notation.Succeeds
		refused = `NdkCreateQpWithSrq "qp":"o","initiator_cq":"d","receive_cq":"d","srq":"s"|"status":"STATUS_INSUFFICIENT_RESOURCES"`
		beside  = `NdkCreateQpWithSrq "qp":"b","initiator_cq":"c","receive_cq":"c","srq":"s"` + notation.Succeeds

		refusesToClose = `NdkCloseQp "qp":"p"|"status":"STATUS_INVALID_PARAMETER"`

		closes = `NdkCloseQp "qp":"p"` + notation.Succeeds
		calls  = `NdkCqNotificationCallback "cq":"c",` + notation.StatusSuccess + `|`
		empty  = `NdkGetCqResults "cq":"c","n":4|"results":[]`
	)
	post := func(wr string) string { return `NdkSrqReceive "srq":"s","wr":"` + wr + `"` + notation.Succeeds }
	results := func(status string, wrs ...string) string {
		var all []string
		for _, wr := range wrs {
			all = append(all, fmt.Sprintf(`{"wr":%q,"status":%q}`, wr, status))
		}
		return `"results":[` + strings.Join(all, ",") + `]`
	}
	poll := func(cq, status string, wrs ...string) string {
		return `NdkGetCqResults "cq":"` + cq + `","n":4|` + results(status, wrs...)
	}
	const ok = "STATUS_SUCCESS"
	within := func(op, ph, rest string) string {
		return fmt.Sprintf(`"ph":%q,"op":%q,"fn":"NdkGetCqResults",%s`, ph, op, rest)
	}
	for _, test := range []struct {
		name  string
		calls []string
		lanes string // each the CQ and its receives, and x where it is closed with its queue pair
		open  string
	}{
		{"in the order of the posts", []string{p, post("1"), post("2"), poll("c", ok, "1", "2")}, "c:1,2", ""},
		{"in another order", []string{p, post("1"), post("2"), post("3"), poll("c", ok, "2", "1", "3")}, "c:2,3 c:1", ""},
		{"one is cancelled", []string{p, post("1"), post("2"), poll("c", "STATUS_CANCELLED", "1"), poll("c", ok, "2")}, "c:1 c:2", ""},
		{"too many are cancelled", append(append([]string{p}, many(post)...), poll("c", "STATUS_CANCELLED", wrs()...)), "", "c"},
		{"one is left", []string{p, post("1"), post("2"), poll("c", ok, "1")}, "c:1 c:2", ""},
		{"two CQs", []string{p, other, post("1"), post("2"), post("3"), poll("d", ok, "2"), poll("c", ok, "1")}, "c:1 c:3 d:2 d:3", ""},
		{"a creation is refused", []string{p, refused, post("1")}, "c:1", ""},
		{"no queue pair takes them", []string{post("1"), poll("c", ok, "1")}, "", ""},
		{"polls overlap", []string{p, post("1"), post("2"), within("a", "call", `"cq":"c","n":1`), within("b", "call", `"cq":"c","n":1`),
			within("a", "ret", results(ok, "2")), within("b", "ret", results(ok, "1"))}, "c:2 c:1", "c"},
		{"the queue pair is closed", []string{p, post("1"), closes, post("2")}, "c:1x", ""},
		{"the close is refused", []string{p, post("1"), refusesToClose}, "c:1", ""},
		{"one of two is closed, and a completion may have vanished", []string{p, beside, post("1"), calls, closes, empty}, "c:1", "c"},
		{"a callback comes within a poll that finds nothing", []string{p, beside, post("1"), within("a", "call", `"cq":"c","n":1`), calls, within("a", "ret", `"results":[]`), closes, empty}, "c:1", "c"},
		{"a callback comes after the close", []string{p, beside, post("1"), closes, calls, empty}, "c:1", "c"},
		{"nothing was told of what may have vanished", []string{p, beside, post("1"), closes, empty}, "c:1", ""},
		{"what was told was polled", []string{p, beside, post("1"), calls, poll("c", ok, "1"), empty, closes, empty, post("2")}, "c:1 c:2", ""},
	} {
		sorted := lanes.Of(notation.Read(t, "ndkpi", notation.Lines(test.calls...)))
		var all []string
		for _, l := range sorted.All {
			text := l.Cq + ":" + strings.Join(slices.Sorted(maps.Keys(l.Wrs)), ",")
			if l.Closes != "" {
				text += "x"
			}
			all = append(all, text)
		}
		var open []string
		for cq, is := range sorted.Open {
			if is {
				open = append(open, cq)
			}
		}
		if got := strings.Join(all, " "); got != test.lanes || strings.Join(open, " ") != test.open {
			t.Errorf("%s: lanes %q, open %q, want %q and %q", test.name, got, open, test.lanes, test.open)
		}
	}
}
