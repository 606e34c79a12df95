package judging

import (
	"testing"

	"ndkoracle/trace"
)

// No rule, but a check of messages: what it finds, and what it leaves alone.
func TestMisattributed(t *testing.T) {
	ending := EndingOf(&trace.Trace{Events: []trace.Event{
		{Results: []trace.Result{{Wr: "w1", Status: "STATUS_SUCCESS"}, {Wr: "w2", Status: "STATUS_CANCELLED"}}},
		{Ph: trace.Point, Wr: "w3", Status: "STATUS_ACCESS_VIOLATION"},
		{Results: []trace.Result{{Wr: "w4", Status: "STATUS_SUCCESS"}, {Wr: "w4", Status: "STATUS_CANCELLED"}}},
	}})
	for message, want := range map[string]struct{ wrong, said int }{
		"w1 succeeded behind a request that had ended the connection":            {0, 1},
		"w2 succeeded behind a request that had ended the connection":            {1, 1},
		"w3, posted before it, failed, and w1 was cancelled":                     {1, 2},
		"w2 failed or was cancelled, or succeeded late, though it is silent":     {0, 1},
		"w1 failed or was cancelled, or succeeded late, though it is silent":     {1, 1},
		"w3 completed with success, and the peer had not sent its message yet":   {1, 1},
		"w4 succeeded, and w4 was cancelled, as the name was used twice":         {0, 2},
		"w9 succeeded, which the trace does not show, and w1 may have failed":    {0, 0},
		"cq1 delivered w2 behind w3, and the post of w1 returned STATUS_SUCCESS": {0, 0},
	} {
		if wrong, said := ending.Misattributed(message); len(wrong) != want.wrong || said != want.said {
			t.Errorf("%s: %q of %d, want %d of %d", message, wrong, said, want.wrong, want.said)
		}
	}
}
