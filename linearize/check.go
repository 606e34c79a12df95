package linearize

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/doubts"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/search"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// MaxEvents is how many events of a trace are worth keeping, and MaxBytes how much memory these may take: a longer trace is only judged by the
// streaming engine.
const (
	MaxEvents = 100_000
	MaxBytes  = 80 << 20
)

// Kept is how much of a trace is kept.
var Kept = trace.Limit{Events: MaxEvents, Bytes: MaxBytes}

// Engine selects how to decide. Auto, the zero value, runs Streaming, and also Porcupine if the trace is short enough.
type Engine string

// The engines.
const (
	Auto      Engine = ""
	Streaming Engine = "stream"    // in one pass, whatever the length; what it does not follow is inconclusive
	Porcupine Engine = "porcupine" // a search of the whole trace, whose cost may grow exponentially
)

// Options of a check. The zero value means the dialect of the trace's header and the default readings, without a time limit.
type Options struct {
	Engine        Engine
	Dialect       string            // ndkpi, ndspi, verbs, kverbs, or "" for the header's
	DeviceLevel   bool              // verbs: the device may notify of completions that were present at the arm
	Assume        map[string]string // other readings of ambiguities, by id: those of rules/readings.tsv that have choices
	Timeout       time.Duration     // for the whole trace; 0 is none
	MaxOperations int               // of a component; 0 is search.DefaultMaxOperations
	MaxMemory     int               // of a search, in bytes, about; 0 is search.DefaultMaxMemory
	MaxDelay      time.Duration     // warn of a callback that is entered later than this after it was due; 0 means never
	Witness       bool              // porcupine: return the steps that explain a conformant trace

	Alone bool // porcupine does not use the clauses over hidden times: for tests that compare the two
}

// ResolveDialect returns the contract that the options choose for a trace of the header's dialect, for engines that execute a request when its
// completion is recorded. The error says which option is wrong.
func (o Options) ResolveDialect(header string) (model.Dialect, error) {
	name := cmp.Or(o.Dialect, header)
	d, err := model.ByName(name)
	if err != nil {
		return d, err
	}
	if o.DeviceLevel {
		if !d.Ibverbs {
			return d, fmt.Errorf("the device level is of the dialects verbs and kverbs, and this is %s", name)
		}
		d = d.AtDevice()
	}
	for _, reading := range sortedKeys(o.Assume) {
		before := d
		if d, err = d.Assume(reading, o.Assume[reading]); err != nil {
			return d, err
		}
		if d != before && !Takes(reading) {
			return before, fmt.Errorf("of %s this engine takes only the default: %s=%s is a choice of tla/ and the model",
				reading, reading, o.Assume[reading])
		}
	}
	d.ExecutesLate = true
	return d, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Check decides a trace. The answer is inconclusive if ctx is cancelled, if the time limit is reached, or if the options do not fit the dialect of
// the trace, which ResolveDialect reports.
func Check(ctx context.Context, t *trace.Trace, o Options) *verdict.Report {
	start := time.Now()
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, search.ErrTime)
		defer cancel()
	}
	judge := checkWith
	if o.Engine == Auto {
		judge = auto
	}
	var r *verdict.Report
	if t.Header.Order == "partial" && t.More == 0 {
		r = checkPartial(ctx, t, o, judge)
	} else {
		r = judge(ctx, t, o)
	}
	r.Elapsed = time.Since(start)
	return r
}

// checkWith decides a trace in a total order with one engine.
func checkWith(ctx context.Context, t *trace.Trace, o Options) *verdict.Report {
	r := &verdict.Report{File: t.Name, Engine: string(o.Engine), Events: len(t.Events) + int(t.More), Rules: map[string]verdict.RuleCoverage{}}
	d, err := o.ResolveDialect(t.Header.Dialect)
	r.Dialect = d.Name
	if err != nil {
		r.Undecided("", err.Error())
	} else if o.Engine == Streaming {
		s := stream.New(t.Header, d, o.MaxMemory)
		s.Judge(ctx, t, r)
	} else if reason := unfit(t); reason != "" {
		search.LeaveOpen(searchable(t), d, reason, r)
	} else {
		calls.MarkNoEffect(t.Events)
		t = resets.Of(t)
		searched := search.Options{MaxOperations: o.MaxOperations, MaxMemory: o.MaxMemory, Witness: o.Witness, Alone: o.Alone}
		search.Judge(ctx, t, d, searched, r)
		foundBefore(ctx, t, d, searched, r)
		doubts.Judge(t, r)
	}
	r.Conclude(d)
	return r
}

// foundBefore records which violations the trace shows up to its first unclear event. A search takes all events into account when it decides, so
// that part is searched once more, by itself.
func foundBefore(ctx context.Context, t *trace.Trace, d model.Dialect, o search.Options, r *verdict.Report) {
	first := slices.IndexFunc(t.Events, func(e trace.Event) bool { return e.Unclear != "" })
	open := func(f verdict.Finding) bool { return f.Shown == 0 && f.Verdict != verdict.Inconclusive }
	if first < 0 || !slices.ContainsFunc(r.Findings, open) {
		return
	}
	before, short := *t, &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	before.Events, before.End = t.Events[:first], nil
	search.Judge(ctx, &before, d, o, short)
	for i := range r.Findings {
		f := &r.Findings[i]
		if open(*f) && slices.ContainsFunc(short.Findings, func(s verdict.Finding) bool {
			return s.Verdict == f.Verdict && s.Rule == f.Rule && s.Line == f.Line
		}) {
			f.Shown = first
		}
	}
}

// unfit says why a trace can't be put to porcupine at all.
func unfit(t *trace.Trace) string {
	switch {
	case t.More > 0:
		return tooLong(t)
	case t.End != nil && t.End.Dropped > 0:
		return verdict.Dropped(t.End.Dropped)
	}
	if n := len(searchable(t).Events); n < len(t.Events) {
		return fmt.Sprintf("the polls and posts up to line %d list more than %d completions and requests, and this engine takes no more"+
			verdict.Shorter+"stream",
			t.Events[n].Line, MaxEvents)
	}
	return ""
}

// searchable returns the beginning of a trace whose events list no more completions and requests than porcupine takes.
func searchable(t *trace.Trace) *trace.Trace {
	listed := 0
	for i := range t.Events {
		e := &t.Events[i]
		if listed += len(e.Results) + len(e.Wrs); listed > MaxEvents || e.Cut > 0 {
			short := *t
			short.Events = t.Events[:i]
			return &short
		}
	}
	return t
}

// tooLong says which bound of what is kept a trace is beyond.
func tooLong(t *trace.Trace) string {
	if len(t.Events) < MaxEvents {
		return fmt.Sprintf("the first %d of the trace's %d events take %d MiB of memory, and this engine has no more for them"+
			verdict.Shorter+"stream",
			len(t.Events), uint64(len(t.Events))+t.More, MaxBytes>>20)
	}
	return fmt.Sprintf("the trace has %d events, and this engine takes %d at most"+verdict.Shorter+"stream", uint64(len(t.Events))+t.More, MaxEvents)
}
