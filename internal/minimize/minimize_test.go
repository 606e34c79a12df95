package minimize

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/trace"
)

const traces = "../../traces"

// A row of the corpus's manifest.
type row struct {
	File, Verdict, Rule, Dialect string
	Assume                       map[string]string
	DeviceLevel                  bool `json:"device_level"`
}

func rejections(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(traces, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all, rejected []row
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Verdict == string(linearize.ProviderViolation) || r.Verdict == string(linearize.ConsumerViolation) {
			rejected = append(rejected, r)
		}
	}
	return rejected
}

func (r row) judge(ctx context.Context, t *trace.Trace) *linearize.Report {
	return linearize.Check(ctx, t, linearize.Options{Engine: linearize.Porcupine, Dialect: r.Dialect, Assume: r.Assume, DeviceLevel: r.DeviceLevel,
		MaxMemory: 64 << 20})
}

// rewritten writes a trace and reads it again: the reader refuses what is no trace.
func rewritten(t *testing.T, small *trace.Trace) *trace.Trace {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, small.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range small.Events {
		if err := w.Write(&small.Events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(*small.End); err != nil {
		t.Fatal(err)
	}
	again, err := trace.Read("again", &file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// Every rejection of the corpus shrinks to a trace of at most 30 events that is still rejected, with the same verdict by the same rule.
func TestRejectionsShrink(t *testing.T) {
	longest := 0
	for _, r := range rejections(t) {
		t.Run(r.File, func(t *testing.T) {
			whole, err := trace.ReadFile(filepath.Join(traces, r.File), 0)
			if err != nil {
				t.Fatal(err)
			}
			report := r.judge(context.Background(), whole)
			small := rewritten(t, Minimize(context.Background(), whole, report, r.judge))
			again := r.judge(context.Background(), small)
			if len(again.Findings) == 0 || again.Findings[0].Rule != r.Rule || string(again.Findings[0].Verdict) != r.Verdict {
				t.Errorf("shrunk to %d events, it is no more a %s of %s: %+v", len(small.Events), r.Verdict, r.Rule, again.Findings)
			}
			if len(small.Events) > 30 {
				t.Errorf("%d events of %d are left", len(small.Events), len(whole.Events))
			}
			longest = max(longest, len(small.Events))
		})
	}
	t.Logf("at most %d events", longest)
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
	judge := func(ctx context.Context, t *trace.Trace) *linearize.Report {
		judged += len(t.Events)
		return linearize.Check(ctx, t, linearize.Options{Engine: linearize.Streaming})
	}
	report := judge(t.Context(), whole)
	judged = 0
	small := Minimize(t.Context(), whole, report, judge)
	if rule := r.judge(t.Context(), small).Findings[0].Rule; rule != "POLL-04" || len(small.Events) > 10 {
		t.Errorf("%d events, %s", len(small.Events), rule)
	}
	if judged > len(whole.Events) {
		t.Errorf("%d events were judged to shrink %d", judged, len(whole.Events))
	}
}

// When its time is over, what there is so far is returned, and it is rejected as the whole is.
func TestMinimizeEndsInTime(t *testing.T) {
	whole, r := long(100), row{}
	report := r.judge(t.Context(), whole)
	sizes := map[int]bool{}
	for attempts := range 40 {
		ctx, stop := context.WithCancel(t.Context())
		left := attempts
		small := Minimize(ctx, whole, report, func(ctx context.Context, t *trace.Trace) *linearize.Report {
			if left--; left < 0 {
				stop()
			}
			return r.judge(ctx, t)
		})
		stop()
		sizes[len(small.Events)] = true
		if again := r.judge(t.Context(), small); again.Findings[0].Rule != "POLL-04" {
			t.Errorf("after %d attempts %d events are left, and broken is %s", attempts, len(small.Events), again.Findings[0].Rule)
		}
	}
	if !sizes[len(whole.Events)] || len(sizes) < 4 {
		t.Errorf("it did not end earlier with fewer attempts: %v", sizes)
	}
}
