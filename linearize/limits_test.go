package linearize

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize/verdict"
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
			if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("%s, want inconclusive because %q: %+v", r.Verdict, test.says, r.Findings)
			}
			nothingIsLeft(t, before)
		})
	}
}

// nothingIsLeft reports goroutines that a check has started, and that do not end with it.
func nothingIsLeft(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines before the check, %d after it", before, now)
	}
}

// A trace that is too long, ordered by times that contradict each other or recorded with gaps is not judged, and nothing in it
// counts as checked.
func TestUnfitTraces(t *testing.T) {
	for says, spoil := range map[string]func(*trace.Trace){
		"this engine takes 100000 at most": func(t *trace.Trace) { t.More = 1 },
		"runs backwards from line 2":       func(t *trace.Trace) { t.Header.Order, t.Events[0].T = "partial", 1 },
		"dropped 3 events":                 func(t *trace.Trace) { t.End.Dropped = 3 },
	} {
		traced := script(t, "arm ANY; post 1; cb<; get 1; cb>")
		spoil(traced)
		r := Check(context.Background(), traced, Options{Engine: Porcupine})
		if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, says) {
			t.Errorf("%s, want inconclusive because %q: %+v", r.Verdict, says, r.Findings)
		}
		for id, c := range r.Rules {
			if c.Coverage == verdict.Checked {
				t.Errorf("%s: %s counts as checked", says, id)
			}
		}
	}
}
