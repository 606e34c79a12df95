package monitor

import (
	"strings"
	"testing"
	"time"

	"ndkoracle/model"
	"ndkoracle/trace"
)

const corpus = "../../traces/"

func read(t *testing.T, file string) *trace.Trace {
	t.Helper()
	traced, err := trace.ReadFile(corpus+file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return traced
}

// A callback that comes 0.9 s after it was due is warned of by the clock of the trace (ARM-03), and by no other.
func TestLateCallback(t *testing.T) {
	traced := read(t, "accept/callback-with-the-next-message.ndktrace.jsonl")
	for most, want := range map[time.Duration]int{time.Second: 0, 800 * time.Millisecond: 1, 0: 0} {
		late := LateCallbacks(traced, model.Ndkpi(), most)
		if len(late) != want || want == 1 && late[0].Line != 27 {
			t.Errorf("%v: %+v, want %d", most, late, want)
		}
	}
	for what, want := range map[string]string{"stands": "all events have the same time", "no unit": "has no unit ns"} {
		if traced.Header.Clock = (trace.Clock{}); what == "stands" {
			traced.Header.Clock.Unit = "ns"
			for i := range traced.Events {
				traced.Events[i].T = 5
			}
		}
		if late := LateCallbacks(traced, model.Ndkpi(), time.Millisecond); len(late) != 1 || !strings.Contains(late[0].Text, want) {
			t.Errorf("%s: %+v, want %q", what, late, want)
		}
	}
}

// A callback is late since its arm, and since what it is for: not before both are known to have come.
func TestCallbackIsNotLateBeforeItIsDue(t *testing.T) {
	traced := read(t, "accept/callback-with-the-next-message.ndktrace.jsonl")
	for i := range traced.Events {
		if e := &traced.Events[i]; e.Fn == "CqePlaced" {
			traced.Events = append(traced.Events[:i:i], traced.Events[i+1:]...)
			break
		}
	}
	for i := range traced.Events {
		if e := &traced.Events[i]; e.Fn == "NdkGetCqResults" && e.Ph == trace.Ret && e.Line < 20 {
			e.Results = nil // the trace does not record that the message was received
		}
	}
	if late := LateCallbacks(traced, model.Ndkpi(), time.Millisecond); len(late) > 0 {
		t.Errorf("%+v", late)
	}
}

// The rule of a missing callback is that of the arm which made it due, or of the completion that came behind it (ARM-04, ARM-07, ARM-09, ARM-10, ARM-11).
func TestMissingIsNamed(t *testing.T) {
	for file, want := range map[string]string{
		"received-before-the-arm-and-lost": "ARM-04", "received-behind-the-arm-and-lost": "ARM-09", "solicited-then-flushed-and-lost": "ARM-11",
		"solicit-bit-ignored": "ARM-10", "last-arm-wins": "ARM-07", "fresh-behind-old": "ARM-04", "ndspi-one-callback-for-two": "ARM-03",
	} {
		traced := read(t, "reject/"+file+".ndktrace.jsonl")
		d, err := model.ByName(traced.Header.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		line, cq := len(traced.Events)+2, "cq1"
		for i := range traced.Events {
			if e := &traced.Events[i]; e.Fn == "quiesce" {
				line = e.Line
			}
		}
		if file == "received-before-the-arm-and-lost" || file == "received-behind-the-arm-and-lost" || file == "solicited-then-flushed-and-lost" {
			cq = "cq2"
		}
		if named := NameMissing(traced, d, cq, line); named.Rule != want {
			t.Errorf("%s: %+v, want %s", file, named, want)
		}
	}
}
