package linearize_test

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// hard is a trace that costs porcupine more than any limit of these tests: it has many requests, and it is not known which one a callback is for.
func hard(t *testing.T) *trace.Trace {
	t.Helper()
	for _, h := range hostile {
		if h.name == "thousands of requests, a callback and no poll" {
			traced, err := trace.Read(h.name, bytes.NewReader(notation.Text(h.dialect, h.events())), 0)
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
		options    linearize.Options
	}{
		{"time", "the time limit was reached", context.Background(), linearize.Options{Timeout: 50 * time.Millisecond}},
		{"memory", "1 MiB of memory were used up", context.Background(), linearize.Options{MaxMemory: 1 << 20}},
		{"operations", "and this engine takes 100 at most", context.Background(), linearize.Options{MaxOperations: 100}},
		{"interrupt", "interrupted", cancelled, linearize.Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := hard(t)
			test.options.Engine = linearize.Porcupine
			before := runtime.NumGoroutine()
			r := linearize.Check(test.ctx, traced, test.options)
			if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("%s, want inconclusive because %q: %+v", r.Verdict, test.says, r.Findings)
			}
			judging.NothingIsLeft(t, before)
		})
	}
}

// A check that is ended tells what was found and counted by then, and calls nothing vacuous.
func TestEndedStreamTellsWhatItFound(t *testing.T) {
	const rest = "arm ANY; "
	for _, test := range []struct {
		name, text string
		want       verdict.Verdict
		rule       string
	}{
		{"a violation before", "cb<; cb>; " + strings.Repeat(rest, 2000), verdict.ProviderViolation, "ARM-01"},
		{"no violation", strings.Repeat(rest, 2000), verdict.Inconclusive, ""},
		{"a violation after", strings.Repeat(rest, 2000) + "cb<; cb>", verdict.Inconclusive, ""},
	} {
		for name, check := range map[string]func(context.Context, *trace.Trace) *verdict.Report{
			"in memory": func(ctx context.Context, t *trace.Trace) *verdict.Report {
				return linearize.Check(ctx, t, linearize.Options{Engine: linearize.Streaming})
			},
			"by auto": func(ctx context.Context, t *trace.Trace) *verdict.Report {
				return linearize.Check(ctx, t, linearize.Options{})
			},
		} {
			t.Run(test.name+" "+name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				r := check(&judging.EndsAtLook{Context: ctx, Looks: 2, Cancel: cancel}, notation.Script(t, test.text))
				last := r.Findings[len(r.Findings)-1]
				if r.Verdict != test.want || r.Findings[0].Rule != test.rule || !strings.HasPrefix(last.Message, "interrupted after 1024 events") {
					t.Errorf("%s, want %s of %q: %+v", r.Verdict, test.want, test.rule, r.Findings)
				}
				if c := r.Rules["ARM-13"]; c.Coverage != verdict.Checked || c.Count == 0 {
					t.Errorf("ARM-13: %+v", c)
				}
				for id, c := range r.Rules {
					if c.Coverage == verdict.Vacuous {
						t.Errorf("%s is %s", id, c.Coverage)
					}
				}
			})
		}
	}
}

// A trace that is too long, ordered by times that contradict each other or recorded with gaps is not judged, and nothing in it
// counts as checked.
func TestUnfitTraces(t *testing.T) {
	for says, spoil := range map[string]func(*trace.Trace){
		"this engine takes 100000 at most":  func(t *trace.Trace) { t.Events, t.More = make([]trace.Event, linearize.MaxEvents), 1 },
		"61 events take 80 MiB of memory":   func(t *trace.Trace) { t.More = 1 },
		"list more than 100000 completions": func(t *trace.Trace) { t.Events[3].Cut = 1 },
		"runs backwards from line 2":        func(t *trace.Trace) { t.Header.Order, t.Events[0].T = "partial", 1 },
		"dropped 3 events":                  func(t *trace.Trace) { t.End.Dropped = 3 },
	} {
		traced := notation.Script(t, "arm ANY; post 1; cb<; get 1; cb>")
		spoil(traced)
		r := linearize.Check(context.Background(), traced, linearize.Options{Engine: linearize.Porcupine})
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
