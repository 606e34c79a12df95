package linearize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// MaxEvents is how many events of a trace are worth keeping: a longer one is inconclusive in any case.
const MaxEvents = 100_000

// DefaultMaxOperations is the largest component that is put to porcupine, whose cost may grow exponentially with what can
// float in time.
const DefaultMaxOperations = 20_000

// DefaultMaxMemory bounds what one search may remember, in bytes.
const DefaultMaxMemory = 1 << 30

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
	MaxOperations int               // of a component; 0 is DefaultMaxOperations
	MaxMemory     int               // of a search, in bytes, about; 0 is DefaultMaxMemory
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
func Check(ctx context.Context, t *trace.Trace, o Options) *Report {
	start := time.Now()
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTime)
		defer cancel()
	}
	judge := checkWith
	if o.Engine == Auto {
		judge = auto
	}
	var r *Report
	if t.Header.Order == "partial" && t.More == 0 {
		r = checkPartial(ctx, t, o, judge)
	} else {
		r = judge(ctx, t, o)
	}
	r.Elapsed = time.Since(start)
	return r
}

// checkWith decides a trace in a total order with one engine.
func checkWith(ctx context.Context, t *trace.Trace, o Options) *Report {
	r := &Report{File: t.Name, Engine: o.Engine, Events: len(t.Events) + int(t.More), Rules: map[string]RuleCoverage{}}
	d, err := o.ResolveDialect(t.Header.Dialect)
	r.Dialect = d.Name
	if err != nil {
		r.undecided("", err.Error())
	} else if o.Engine == Streaming {
		r.stream(ctx, t, newStream(t.Header, d, o))
	} else {
		j := &judge{report: r, history: newHistory(t), dialect: d, limit: cmp.Or(o.MaxOperations, DefaultMaxOperations),
			memory: cmp.Or(o.MaxMemory, DefaultMaxMemory), open: map[string]string{}, tells: o.Witness}
		if reason := unfit(t); reason != "" {
			j.unfit(reason)
		} else {
			j.judge(ctx)
		}
		j.cover()
		r.Witness = j.witness()
	}
	r.conclude(d)
	return r
}

// unfit says why a trace can't be judged at all.
func unfit(t *trace.Trace) string {
	switch {
	case t.More > 0:
		return fmt.Sprintf("the trace has %d events, and this engine takes %d at most", uint64(len(t.Events))+t.More, MaxEvents)
	case t.End != nil && t.End.Dropped > 0:
		return fmt.Sprintf("the recorder dropped %d events: what is missing could explain anything", t.End.Dropped)
	}
	return ""
}

func (r *Report) undecided(rule, reason string) {
	r.Findings = append(r.Findings, Finding{Verdict: Inconclusive, Rule: rule, Message: reason})
}

// judge holds what the check of one trace needs.
type judge struct {
	report  *Report
	history *history
	dialect model.Dialect
	limit   int // of operations
	memory  int // in bytes
	counts  map[string]int
	open    map[string]string // rules that events may have exercised that were not judged, and why not
	told    []witness.Placed  // the steps of the components that were explained
	tells   bool              // they are asked for, and could all be told
}

func (j *judge) judge(ctx context.Context) {
	h := j.history
	h.check()
	j.counts = h.counts
	components := h.components(j.dialect)
	j.report.Components = len(components)
	j.report.Findings = h.blameless()
	for _, c := range components {
		c.memory = j.memory
		c.countTurns()
		j.report.Operations += len(c.ops)
		j.component(ctx, c)
	}
	end := h.trace.End
	if end == nil || !end.Quiescent {
		j.report.undecided("", notAtRest)
	}
}

// notAtRest is what both engines leave open of a trace that ends so.
const notAtRest = "the trace does not end with the provider at rest: " +
	"what must happen eventually can't be judged after the last quiesce mark"

// check holds against each other what needs no search.
func (h *history) check() {
	h.checkCallbacks()
	h.checkAnswers()
	h.checkConsumer()
	h.checkReturns()
}

// unfit says why nothing is judged, though the trace may exercise many rules.
func (j *judge) unfit(reason string) {
	j.report.undecided("", reason)
	j.history.check()
	for id := range j.history.counts {
		j.open[id] = reason
	}
	j.leaveOpen(j.history.spans, 0, reason)
}

// countTurns counts the completions that polls delivered before the limit, and those in between of polls that overlap it.
func (c *component) countTurns() {
	for i, q := range c.cqs {
		for _, r := range q.delivered {
			if r.delivery.poll.ret < c.limit {
				c.turns[i] = r.delivery.order + 1
			}
		}
	}
}

// component searches one component, and reports where and why no explanation is left.
func (j *judge) component(ctx context.Context, c *component) {
	switch {
	case c.reason != "":
		j.report.undecided("", c.reason)
		j.leaveOpen(c.spans, 0, c.reason)
		return
	case len(c.ops) > j.limit:
		reason := fmt.Sprintf("%s and what it shares objects with make %d operations, and this engine takes %d at most",
			c.name(), len(c.ops), j.limit)
		j.report.undecided("", reason)
		j.leaveOpen(c.spans, 0, reason)
		return
	}
	last := len(c.h.trace.Events)
	if c.limit != never {
		last = c.limit - 1
		j.leaveOpen(c.spans, c.limit, "events after a violation are not judged")
	}
	order, death, err := c.search(ctx, last)
	if err != nil {
		j.gaveUp(c, death, err)
		return
	}
	if death == never {
		// Along one explanation is counted how often each rule had something to say.
		j.add(c.tell(furthest(c.replay(ctx, order)).path()))
		j.tell(ctx, c, order)
		return
	}
	finding, story, err := c.explain(ctx, death)
	if err != nil {
		j.gaveUp(c, death, err)
		return
	}
	if c.doubt.from() <= death {
		finding.Verdict = Inconclusive
		finding.Message += c.h.describeDoubt(c.doubt)
	}
	j.report.Findings = append(j.report.Findings, finding)
	j.leaveOpen(c.spans, death, "events after a violation are not judged")
	j.add(story)
	j.counts[finding.Rule]++
}

func (j *judge) add(s *story) {
	for id, n := range s.counts {
		j.counts[id] += n
	}
}

// gaveUp reports that the search ended without an answer: or with the one that no explanation is left by the event at death,
// but not in which rule's way it was.
func (j *judge) gaveUp(c *component, death moment, err error) {
	reason := fmt.Sprintf("%v while searching the %d operations of %s", err, len(c.ops), c.name())
	if errors.Is(err, context.Canceled) {
		reason = "interrupted " + reason
	}
	j.leaveOpen(c.spans, 0, reason)
	if death == never {
		j.report.undecided("", reason)
		return
	}
	at := c.h.eventAt(death)
	j.report.Findings = append(j.report.Findings, Finding{Verdict: Inconclusive, Line: at.line, Seq: at.seq,
		Message: "nothing explains the events up to here, and which rule is broken was not found: " + reason})
}

func (c *component) name() string {
	if len(c.cqs) > 0 {
		return c.cqs[0].name
	}
	return c.qps[0].name
}

// conclude derives the verdict, and what became of each rule.
func (r *Report) conclude(d model.Dialect) {
	r.settle()
	for i := range r.Findings {
		r.Findings[i].Assumes = assumptions(r.Findings[i].Rule)
	}
	r.cover(d)
	r.Assumes = r.readings()
}

// settle derives the verdict from the findings.
func (r *Report) settle() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(severity(a.Verdict), severity(b.Verdict)), cmp.Compare(a.following(), b.following()),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	r.Verdict = Conformant
	if len(r.Findings) > 0 {
		r.Verdict = r.Findings[0].Verdict
	}
}

// following is 1 for what may only follow from another finding, and else 0.
func (f *Finding) following() int {
	if f.Follows != nil {
		return 1
	}
	return 0
}

func severity(v Verdict) int {
	return slices.Index([]Verdict{ProviderViolation, ConsumerViolation, Inconclusive}, v)
}
