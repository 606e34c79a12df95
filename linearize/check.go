package linearize

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ndkoracle/linearize/search"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// MaxEvents is how many events of a trace are worth keeping: a longer one is inconclusive in any case.
const MaxEvents = 100_000

// Engine is a way to decide. Auto, the zero value, takes Streaming, and Porcupine as well where the trace is short enough.
type Engine string

// The engines.
const (
	Auto      Engine = ""
	Streaming Engine = "stream"    // in one pass, whatever the length; what it does not follow is inconclusive
	Porcupine Engine = "porcupine" // a search of the whole trace, whose cost may grow exponentially
)

// Options of a check. The zero value takes the dialect of the trace's header and the default readings, without a limit of
// time.
type Options struct {
	Engine        Engine
	Dialect       string            // ndkpi, ndspi, verbs, or "" for the header's
	DeviceLevel   bool              // verbs: the device may notify of completions that were present at the arm
	Assume        map[string]string // other readings of ambiguities, by id: those of rules/readings.tsv that have choices
	Timeout       time.Duration     // for the whole trace; 0 is none
	MaxOperations int               // of a component; 0 is search.DefaultMaxOperations
	MaxMemory     int               // of a search, in bytes, about; 0 is search.DefaultMaxMemory
	Witness       bool              // porcupine: tell the steps that explain a conformant trace
}

// ResolveDialect returns the contract that the options choose for a trace of the header's dialect. The error says which
// option is wrong.
func (o Options) ResolveDialect(header string) (model.Dialect, error) {
	name := cmp.Or(o.Dialect, header)
	d, err := model.ByName(name)
	if err != nil {
		return d, err
	}
	if o.DeviceLevel {
		if name != "verbs" {
			return d, fmt.Errorf("the device level is of dialect verbs, and this is %s", name)
		}
		d = model.VerbsDevice()
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

// Check decides a trace. A cancelled context makes the answer inconclusive, as a time limit does. Options that fit no
// trace of this dialect, which ResolveDialect reports, make it inconclusive too.
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
		stream.New(t.Header, d, o.MaxMemory).Judge(ctx, t, r)
	} else if reason := unfit(t); reason != "" {
		search.LeaveOpen(t, d, reason, r)
	} else {
		search.Judge(ctx, t, d, search.Options{MaxOperations: o.MaxOperations, MaxMemory: o.MaxMemory, Witness: o.Witness}, r)
	}
	r.Conclude(d)
	return r
}

// unfit says why a trace can't be put to porcupine at all.
func unfit(t *trace.Trace) string {
	switch {
	case t.More > 0:
		return fmt.Sprintf("the trace has %d events, and this engine takes %d at most", uint64(len(t.Events))+t.More, MaxEvents)
	case t.End != nil && t.End.Dropped > 0:
		return fmt.Sprintf("the recorder dropped %d events: what is missing could explain anything", t.End.Dropped)
	}
	return ""
}
