package minimize

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

const folder = "../../traces"

// A row of the corpus's manifest.
type row struct{ traces.Row }

func rejections(t *testing.T) []row {
	t.Helper()
	all, err := traces.Rows(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	var rejected []row
	for _, r := range all {
		if r.Verdict == string(verdict.ProviderViolation) || r.Verdict == string(verdict.ConsumerViolation) {
			rejected = append(rejected, row{r})
		}
	}
	return sample(rejected)
}

func (r row) judge(ctx context.Context, t *trace.Trace) *verdict.Report {
	return r.judgeBy(ctx, linearize.Porcupine, t)
}

func (r row) judgeBy(ctx context.Context, engine linearize.Engine, t *trace.Trace) *verdict.Report {
	return linearize.Check(ctx, t, linearize.Options{Engine: engine, Dialect: r.Dialect, Assume: r.Assume, DeviceLevel: r.DeviceLevel,
		MaxMemory: 64 << 20})
}

// rewritten writes a trace and reads it again: writer and reader refuse what is no trace.
func rewritten(t *testing.T, small *trace.Trace) *trace.Trace {
	t.Helper()
	again, err := trace.Read("again", bytes.NewReader(written(t, small)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func written(t *testing.T, whole *trace.Trace) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, whole.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Events {
		if err := w.Write(&whole.Events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(*whole.End); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// leftOfDivergence has the rejections of which an engine leaves a trace that is a row of known-divergences.
var leftOfDivergence = map[string]linearize.Engine{
	"reject/fenced-send-overtakes-a-read.ndktrace.jsonl":       linearize.Streaming, // fenced-message-beside-a-lost-read
	"reject/receive-succeeds-after-a-bad-token.ndktrace.jsonl": linearize.Porcupine, // receive-succeeds-behind-a-bad-token

	// dead-token-of-memory-older-than-the-trace: the registration is left out
	"reject/token-survives-plain-poll.ndktrace.jsonl":                              linearize.Porcupine,
	"reject/token-survives-the-same-poll.ndktrace.jsonl":                           linearize.Porcupine,
	"reject/token-of-a-message-whose-sender-is-closed.ndktrace.jsonl":              linearize.Porcupine,
	"reject/silent-invalidate-of-a-dead-token-passed-over.ndktrace.jsonl":          linearize.Porcupine,
	"reject/silent-invalidate-of-a-token-that-the-peer-invalidated.ndktrace.jsonl": linearize.Porcupine,
}

// Every rejection of the corpus shrinks to a trace of at most 30 events that is still rejected, with the same verdict by the same rule, by
// the engine that shrank it. No engine accepts it, but for known divergences.
func TestRejectionsShrink(t *testing.T) {
	t.Parallel()
	engines := map[linearize.Engine]linearize.Engine{linearize.Porcupine: linearize.Streaming, linearize.Streaming: linearize.Porcupine}
	longest, open := 0, 0
	for _, r := range rejections(t) {
		for engine, another := range engines {
			if r.Answer(string(engine)).Verdict != r.Verdict {
				continue // a known divergence
			}
			t.Run(r.File+" "+string(engine), func(t *testing.T) {
				whole, err := trace.ReadFile(filepath.Join(folder, r.File), 0)
				if err != nil {
					t.Fatal(err)
				}
				report := r.judgeBy(t.Context(), engine, whole)
				if report.Verdict == verdict.Inconclusive && engine == linearize.Streaming {
					open++
					return
				}
				want := report.Findings[0]
				judge := func(ctx context.Context, t *trace.Trace) *verdict.Report { return r.judgeBy(ctx, engine, t) }
				small := Minimize(t.Context(), whole, want, judge)
				if small == nil {
					t.Fatalf("nothing of it is rejected by %s: line %d, %s", want.Rule, want.Line, want.Message)
				}
				small = rewritten(t, small)
				again := r.judgeBy(t.Context(), engine, small)
				if len(again.Findings) == 0 || again.Findings[0].Rule != want.Rule || string(again.Findings[0].Verdict) != r.Verdict {
					t.Errorf("shrunk to %d events, it is no more a %s of %s: %+v", len(small.Events), r.Verdict, want.Rule, again.Findings)
				}
				if other := r.judgeBy(t.Context(), another, small); other.Verdict == verdict.Conformant && len(r.Engines) == 0 && leftOfDivergence[r.File] != engine {
					t.Errorf("%s accepts what is left", another)
				}
				// A token that the peer invalidated, and what goes on behind it, takes the most: a registration and three messages.
				if len(small.Events) > 40 {
					t.Errorf("%d events of %d are left", len(small.Events), len(whole.Events))
				}
				longest = max(longest, len(small.Events))
			})
		}
	}
	t.Logf("at most %d events, %d left open by the streaming engine", longest, open)
	if open > 20 {
		t.Error("it leaves too many open")
	}
}

// long returns a trace of a CQ that is polled again and again, and at the end of a QP whose completion is delivered twice.
func long(polls int) *trace.Trace {
	t := &trace.Trace{Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}, End: &trace.End{Quiescent: true}}
	room := int64(4)
	call := func(fn string, called, returned trace.Event) {
		op := fmt.Sprint(len(t.Events))
		called.Ph, returned.Ph = trace.Call, trace.Ret
		for _, e := range []trace.Event{called, returned} {
			e.Fn, e.Op, e.Thr, e.Line, e.Seq = fn, op, "t", len(t.Events)+2, uint64(len(t.Events)+1)
			t.Events = append(t.Events, e)
		}
	}
	done := trace.Event{Status: "STATUS_SUCCESS"}
	call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: &room}, done)
	call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, done)
	call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, done)
	for i := range polls {
		wr := fmt.Sprint("w", i)
		call("NdkWrite", trace.Event{Qp: "qp1", Wr: wr}, done)
		results := []trace.Result{{Wr: wr, Status: "STATUS_SUCCESS"}}
		if i == polls-1 {
			results = append(results, results[0])
		}
		call("NdkGetCqResults", trace.Event{Cq: "cq1", N: &room}, trace.Event{Results: results})
	}
	return t
}

// A long trace is not judged again and again: most attempts are about a window of the latest events.
func TestLongTracesAreShrunkFromAWindow(t *testing.T) {
	whole := long(5000)
	judged := 0
	r := row{}
	judge := func(ctx context.Context, t *trace.Trace) *verdict.Report {
		judged += len(t.Events)
		return linearize.Check(ctx, t, linearize.Options{Engine: linearize.Streaming})
	}
	report := judge(t.Context(), whole)
	judged = 0
	small := Minimize(t.Context(), whole, report.Findings[0], judge)
	if rule := r.judge(t.Context(), small).Findings[0].Rule; rule != "POLL-04" || len(small.Events) > 10 {
		t.Errorf("%d events, %s", len(small.Events), rule)
	}
	if judged > len(whole.Events) {
		t.Errorf("%d events were judged to shrink %d", judged, len(whole.Events))
	}
}

// When its time is over, what there is so far is returned, and it is rejected as the whole is; at first there is nothing.
func TestMinimizeEndsInTime(t *testing.T) {
	whole, r := long(100), row{}
	report := r.judge(t.Context(), whole)
	sizes := map[int]bool{}
	for attempts := range 40 {
		ctx, stop := context.WithCancel(t.Context())
		left := attempts
		small := Minimize(ctx, whole, report.Findings[0], func(ctx context.Context, t *trace.Trace) *verdict.Report {
			if left--; left < 0 {
				stop()
			}
			return r.judge(ctx, t)
		})
		stop()
		if small == nil {
			sizes[0] = true
			continue
		}
		sizes[len(small.Events)] = true
		if again := r.judge(t.Context(), small); again.Findings[0].Rule != "POLL-04" {
			t.Errorf("after %d attempts %d events are left, and broken is %s", attempts, len(small.Events), again.Findings[0].Rule)
		}
	}
	if !sizes[0] || len(sizes) < 4 {
		t.Errorf("it did not end earlier with fewer attempts: %v", sizes)
	}
}

// When its time is over, nothing more is made to be tried: of a long trace that alone would take many seconds.
func TestMinimizeEndsSoon(t *testing.T) {
	whole := newTrial(long(15))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s := &shrinker{ctx: ctx, left: MaxJudged}
	for name, pass := range map[string]func(*trial) *trial{
		"objects": s.withoutObjects, "units": s.withoutUnits, "numbers": s.smaller, "pairs": s.withoutPairs,
	} {
		if allocated := testing.AllocsPerRun(1, func() { pass(whole) }); allocated > 10 {
			t.Errorf("%s: %v allocations for %d units", name, allocated, len(whole.units))
		}
	}
}

// What is left is rejected for what the whole is: that a request is never delivered (ARM-03), and not that another one isn't, whose poll
// was taken away. The end of a trace that is cut is not a moment of rest.
func TestFindingStaysItsOwn(t *testing.T) {
	whole := long(40)
	lost := slices.IndexFunc(whole.Events, func(e trace.Event) bool {
		return slices.ContainsFunc(e.Results, func(r trace.Result) bool { return r.Wr == "w20" })
	})
	whole.Events = slices.Delete(whole.Events, lost-1, lost+1)
	judge := func(_ context.Context, t *trace.Trace) *verdict.Report {
		r := &verdict.Report{}
		for _, u := range newTrial(t).units {
			if u.wr != "" && u.done == len(t.Events) && t.End.Quiescent {
				r.Findings = append(r.Findings, verdict.Finding{Rule: "ARM-03", Line: 50, Message: "the completion of " + u.wr + ", which was due, is missing"})
			}
		}
		return r
	}
	want := judge(t.Context(), whole).Findings[0]
	small := Minimize(t.Context(), whole, want, judge)
	if small == nil {
		t.Fatal("nothing of it is rejected")
	}
	if found := judge(t.Context(), small).Findings; len(small.Events) != 6 || found[0].Message != want.Message {
		t.Errorf("%d events: %+v, want %q", len(small.Events), found, want.Message)
	}
}

// The tail of a trace is one itself: the latest events, with the objects, the posts whose completion comes later, and the arms that no
// callback has answered; it shrinks as the whole does.
func TestTail(t *testing.T) {
	whole := long(500)
	room := int64(4)
	early := []trace.Event{
		{Fn: "NdkReceive", Qp: "qp1", Wr: "late"}, {Fn: "NdkWrite", Qp: "qp1", Wr: "soon"},
		{Fn: "NdkArmCq", Cq: "cq1", Type: "ANY"}, {Fn: "NdkGetCqResults", Cq: "cq1", N: &room, Results: []trace.Result{{Wr: "soon", Status: "STATUS_SUCCESS"}}},
	}
	for i, e := range early {
		called, returned := e, trace.Event{Fn: e.Fn, Op: e.Fn + e.Wr, Thr: "t", Ph: trace.Ret, Results: e.Results}
		called.Op, called.Thr, called.Ph, called.Results = returned.Op, "t", trace.Call, nil
		if e.Wr != "" {
			returned.Status = "STATUS_SUCCESS"
		}
		whole.Events = slices.Insert(whole.Events, 6+2*i, called, returned)
	}
	last := &whole.Events[len(whole.Events)-1]
	last.Results = append(last.Results, trace.Result{Wr: "late", Status: "STATUS_SUCCESS"})
	all := newTrial(whole).trace()
	in, err := trace.NewReader("whole", bytes.NewReader(written(t, all)))
	if err != nil {
		t.Fatal(err)
	}
	part, err := Tail(t.Context(), in, "part", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	r := row{}
	found := r.judge(t.Context(), part).Findings[0]
	named := map[string]bool{}
	for _, e := range rewritten(t, newTrial(part).trace()).Events {
		named[e.Fn+e.Wr] = true
	}
	if len(part.Events) > 120 || !named["NdkReceivelate"] || !named["NdkArmCq"] || !named["NdkConnect"] || named["NdkWritesoon"] {
		t.Errorf("%d events, of %v", len(part.Events), named)
	}
	small := Minimize(t.Context(), part, found, r.judge)
	if small == nil || len(small.Events) > 12 || found.Rule != "POLL-04" {
		t.Errorf("shrunk to %+v", small)
	}
}
