package linearize

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// hard is a trace that costs porcupine more than any limit of these tests: many requests of which nobody knows which one
// a callback is for.
func hard(t *testing.T) *trace.Trace {
	t.Helper()
	for _, h := range hostile {
		if h.name == "thousands of requests, a callback and no poll" {
			traced, err := trace.Read(h.name, bytes.NewReader(hostileText(h.dialect, h.events())), 0)
			if err != nil {
				t.Fatal(err)
			}
			return traced
		}
	}
	t.Fatal("no such trace")
	return nil
}

// Whatever bound is reached, the answer is inconclusive and names it, and nothing goes on working.
func TestBoundsAreNamed(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name, says string
		ctx        context.Context
		options    Options
	}{
		{"time", "the time limit was reached", context.Background(), Options{Timeout: 50 * time.Millisecond}},
		{"memory", "1 MiB of memory were used up", context.Background(), Options{MaxMemory: 1 << 20}},
		{"operations", "and this engine takes 100 at most", context.Background(), Options{MaxOperations: 100}},
		{"interrupt", "interrupted", cancelled, Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := hard(t)
			test.options.Engine = Porcupine
			before := runtime.NumGoroutine()
			r := Check(test.ctx, traced, test.options)
			if r.Verdict != Inconclusive || !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("%s, want inconclusive because %q: %+v", r.Verdict, test.says, r.Findings)
			}
			for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
				runtime.Gosched()
			}
			if now := runtime.NumGoroutine(); now > before {
				t.Errorf("%d goroutines before the check, %d after it", before, now)
			}
		})
	}
}

// A trace that is too long, ordered by times that contradict each other or recorded with gaps is not judged, and nothing in it counts as checked.
func TestUnfitTraces(t *testing.T) {
	for says, spoil := range map[string]func(*trace.Trace){
		"this engine takes 100000 at most": func(t *trace.Trace) { t.More = 1 },
		"runs backwards from line 2":       func(t *trace.Trace) { t.Header.Order, t.Events[0].T = "partial", 1 },
		"dropped 3 events":                 func(t *trace.Trace) { t.End.Dropped = 3 },
	} {
		traced := script(t, "arm ANY; post 1; cb<; get 1; cb>")
		spoil(traced)
		r := Check(context.Background(), traced, Options{Engine: Porcupine})
		if r.Verdict != Inconclusive || !strings.Contains(r.Findings[0].Message, says) {
			t.Errorf("%s, want inconclusive because %q: %+v", r.Verdict, says, r.Findings)
		}
		for id, c := range r.Rules {
			if c.Coverage == Checked {
				t.Errorf("%s: %s counts as checked", says, id)
			}
		}
	}
}

// What a search remembers is counted with what its states hold: the bound of memory is near what they take.
func TestStatesAreCountedWithWhatTheyHold(t *testing.T) {
	const held, pending = 1000, 500
	of := func(entries, requests int) int {
		s := state{model: model.State{Cqs: []model.Cq{{Entries: make([]model.Completion, entries)}},
			Qps: []model.Qp{{Initiator: make([]model.Request, requests)}}}}
		return newStateSet([]state{s}).bytes(&operation{})
	}
	little, much := of(0, 0), of(held, pending)
	if want := held*size[model.Completion]() + pending*size[model.Request](); much < want || much > 2*want {
		t.Errorf("%d bytes of a state whose slices take %d", much, want)
	}
	if little > 1<<10 {
		t.Errorf("%d bytes of a state that holds nothing", little)
	}
	two := newStateSet([]state{{model: model.State{Cqs: []model.Cq{{Fresh: 1}}}}, {model: model.State{Cqs: []model.Cq{{Fresh: 2}}}}})
	if both := two.bytes(&operation{}); both < 2*size[state]() {
		t.Errorf("%d bytes of two states", both)
	}
}
