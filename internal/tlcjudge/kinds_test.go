package tlcjudge

import (
	"encoding/json"
	"testing"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// meanings says what this engine calls what the others do.
var meanings = map[calls.Kind]string{
	calls.CreateCq: "create CQ", calls.CreateQp: "create QP", calls.ConnectQp: "connect", calls.Post: "post", calls.ArmCq: "arm",
	calls.PollCq: "poll", calls.Callback: "callback", calls.ReadEvent: "event", calls.FlushQp: "flush", calls.EndConnection: "abort",
	calls.CloseCq: "close CQ", calls.CloseQp: "close QP", calls.Quiesce: "rest", calls.Placed: "placed", calls.ResizeCq: "resize",
	calls.PostShared: "shared post", calls.UnsettleQp: "unsettle", calls.DeviceEvent: "device event",

	calls.CloseDone:    other, // pair calls it "CQ closed" or "QP closed", by the call that it completes
	calls.CreateRegion: other, // findOldTokens looks at createsRegion
	calls.CloseRegion:  "token dies",
	calls.Other:        other,

	calls.CompleteConnection: other, // take keeps them with their QP
}

// Every function of the format means to this engine what it means to the others: what one of them follows (a connection that is
// aborted, A23; a device that fails) must not be nothing to another.
func TestFunctionsMeanTheSame(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Enum []string `json:"enum"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(trace.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[calls.Kind]bool{}
	for _, list := range []string{"ndkCalls", "ndkCallbacks", "verbsCalls", "pointNames"} {
		for _, fn := range schema.Defs[list].Enum {
			for _, state := range []string{"", "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"} {
				e := &trace.Event{Fn: fn, State: state}
				kind := calls.KindOf(e)
				seen[kind] = true
				if want, ok := meanings[kind]; !ok || kindOf(e) != want {
					t.Errorf("%s %s is %q, want %q", fn, state, kindOf(e), want)
				}
			}
		}
	}
	for kind := range meanings {
		if !seen[kind] {
			t.Errorf("no function has the meaning %q (%d)", meanings[kind], kind)
		}
	}
}
