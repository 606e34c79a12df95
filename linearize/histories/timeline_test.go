package histories

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/timeline"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// The bounds of the searches for an accusation of the timeline's of which they have no answer otherwise: there are few of them.
const (
	configsOfAccusation = 200_000
	memoryOfAccusation  = 256 << 20
	configsWithLess     = 20_000
)

// ofClauses counts what the clauses over hidden times (linearize/clauses) find of a history, and what the stream, which asks them, finds itself of
// their rules. It returns nil of a partial order, and where they find nothing.
func (h *drawn) ofClauses(streamed *verdict.Report, c *comparison) *clauses.Engine {
	if h.orders != nil {
		c.count(true, "timeline: a partial order")
		return nil
	}
	e := clauses.Judge(h.run.c.Dialect, h.trace)
	h.collectedEagerly(e, c)
	h.timelineOfOthers(e, c)
	accuses, undecided := len(e.Findings) > 0, len(e.Undecided) > 0
	rule := ""
	if streamed.Verdict == verdict.ProviderViolation {
		rule = streamed.Findings[0].Rule
	}
	ours := judging.OfQueuePairs(rule)
	switch {
	case accuses && streamed.Verdict == verdict.Conformant:
		c.differ += fmt.Sprintf("\ntimeline: %s\nstream: %s", judging.SayingOf(e), judging.Saying(streamed))
	case accuses && rule != "" && ours:
		c.count(true, timelineFinds)
		c.count(e.Findings[0].ID == rule, "timeline: finds what stream finds, by the same rule")
		c.count(e.Findings[0].ID != rule, "timeline: finds what stream finds, by another rule: "+e.Findings[0].ID+", stream: "+rule)
	case accuses && rule != "":
		c.count(true, "timeline: accuses where stream finds another rule's violation")
	case ours && undecided:
		c.count(true, timelineMisses+"undecided: "+rule)
	case ours:
		c.count(true, timelineMisses+rule)
	case undecided && rule == "" && streamed.Verdict == verdict.Conformant:
		c.count(true, timelineUndecided)
	case rule == "" && streamed.Verdict == verdict.Conformant:
		c.count(true, "timeline: agrees that it is conformant")
	}
	for because := range e.Undecided {
		c.count(true, "timeline: undecided, as "+because)
	}
	if ours && !accuses && os.Getenv("NDK_SHOW") != "" {
		fmt.Printf("missed, undecided %v: %s\n%s\n", e.Undecided, judging.Saying(streamed), h)
	}
	if !accuses {
		return nil
	}
	return e
}

// allowsUntil reports whether the plain search allows the history up to an event, counted from 1, whatever the consumer does later.
func (h *drawn) allowsUntil(last int) bool {
	before, whole := *h.trace, last > len(h.trace.Events)
	before.Events = h.trace.Events[:min(last, len(h.trace.Events))]
	way, known, _ := plainly(h.run.c.Dialect, &before, whole && h.quiescent, configsOfAccusation)
	return known && way != nil
}

// The beginnings of kinds of histories.
const (
	timelineFinds  = "timeline: finds what stream finds"
	timelineMisses = "timeline: misses "
	timelineAlone  = "timeline: accuses"

	timelineUndecided = "timeline: undecided, stream: conformant"
)

// timelineBounds fails where the clauses find too few of the violations of their rules that stream finds, or leave too much undecided.
func timelineBounds(t *testing.T, counts map[string]int, compared int) {
	missed := 0
	for what, n := range counts {
		if strings.HasPrefix(what, timelineMisses) {
			missed += n
		}
	}
	if found := counts[timelineFinds]; missed > 3+(found+missed)/20 {
		t.Errorf("the timeline misses %d of %d violations that stream finds of its rules", missed, found+missed)
	}
	if undecided := counts[timelineUndecided]; undecided > 1+compared/1000 {
		t.Errorf("the timeline leaves %d of %d histories undecided that stream accepts", undecided, compared)
	}
}

// Of histories whose requests name tokens, the timeline finds what stream finds (POLL-05, POLL-08, FLAG-02, INV-05).
func TestTimelineOfTokens(t *testing.T) {
	t.Setenv("NDK_OBJECTS", "new memory")
	t.Setenv("NDK_ONLY", "timeline")
	counts, n, rules := map[string]int{}, 1000, map[string]int{}
	for number := range n {
		h := drawHistory(Quick{Rand: rand.New(rand.NewPCG(11, uint64(number)))}, number%8 == 3, number%8 == 6)
		c := h.compare()
		if c.differ != "" {
			t.Errorf("history %d differs\n%s\n%s", number, c.differ, h)
		}
		for _, what := range c.counts {
			counts[what]++
		}
		if h.orders == nil {
			for _, f := range clauses.Judge(h.run.c.Dialect, h.trace).Findings {
				rules[f.ID]++
			}
		}
	}
	timelineBounds(t, counts, n)
	if rules["POLL-08"] == 0 {
		t.Errorf("findings of the timeline, by rule: %v", rules)
	}
}

// isAccused asks the searches, with more room than they have for each history, about an accusation of the clauses. They may not accuse where the plain
// search, or where that has no answer porcupine, finds no fault.
func (h *drawn) isAccused(e *clauses.Engine, streamed *verdict.Report, c *comparison) {
	if e == nil || streamed.Verdict != verdict.ProviderViolation {
		return
	}
	way, known, _ := plainly(h.run.c.Dialect, withoutArms(h.trace), h.quiescent, configsOfAccusation)
	if known && way == nil {
		c.count(true, timelineAlone+", and the plain search forbids it")
		return
	}
	o := h.options
	o.Engine, o.Alone, o.MaxMemory = linearize.Porcupine, true, memoryOfAccusation
	searched := linearize.Check(context.Background(), h.trace, o)
	switch {
	case way != nil || searched.Decided() && !searched.Violated() && !acceptsMore(e):
		c.differ += fmt.Sprintf("\ntimeline: %s\nstream: %s\nplain search: known %v, allowed %v\nporcupine: %s", judging.SayingOf(e), judging.Saying(streamed), known, way, judging.Saying(searched))
	case searched.Verdict == verdict.ProviderViolation:
		c.count(true, timelineAlone+", and porcupine forbids it")
	default:
		c.count(true, timelineAlone+", and no search answers")
	}
}

// withoutArms returns a trace without arms and what they bring, of which queue pairs know nothing: the plain search decides more of what is left. A
// trace in which a callback tells of an error stays as it is.
func withoutArms(t *trace.Trace) *trace.Trace {
	gone := map[string]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		switch kind := calls.KindOf(e); {
		case e.Ph == trace.Enter && kind == calls.Callback && e.Status != "" && e.Status != "STATUS_SUCCESS":
			return t
		case e.Ph == trace.Enter && kind == calls.Callback, e.Ph == trace.Call && (kind == calls.ArmCq || kind == calls.ReadEvent || e.Fn == "ibv_ack_cq_events"):
			gone[e.Op] = true
		}
	}
	less := *t
	less.Events = slices.DeleteFunc(slices.Clone(t.Events), func(e trace.Event) bool { return e.Op != "" && gone[e.Op] })
	return &less
}

// withoutLone returns a trace without the queue pairs whose peer it does not hold, and without what polls tell of them: what it forbids is forbidden of
// the others alone, where no CQ may overflow.
func withoutLone(t *trace.Trace) *trace.Trace {
	conns, ends := map[string]string{}, map[string]int{}
	for i := range t.Events {
		if e := &t.Events[i]; e.Ph == trace.Call && e.Qp != "" && e.Conn != "" && conns[e.Qp] == "" {
			conns[e.Qp] = e.Conn
			ends[e.Conn]++
		}
	}
	lone, gone, of, fewer := map[string]bool{}, map[string]bool{}, map[string]string{}, map[string]int64{}
	for qp, conn := range conns {
		lone[qp] = ends[conn] < 2
	}
	if !slices.Contains(slices.Collect(maps.Values(lone)), false) {
		return t // none would be left
	}
	for i := range t.Events {
		e := &t.Events[i]
		if gone[e.Op] = gone[e.Op] || lone[e.Qp]; e.Wr != "" {
			of[e.Wr] = e.Qp
		}
		for _, w := range e.Wrs {
			of[w.Wr] = e.Qp
		}
		for _, r := range e.Results {
			if lone[of[r.Wr]] {
				fewer[e.Op]++
			}
		}
	}
	less := *t
	less.Events = nil
	for _, e := range t.Events {
		switch {
		case e.Op != "" && gone[e.Op]:
			continue
		case e.N != nil && e.Ph == trace.Call:
			n := *e.N - fewer[e.Op]
			e.N = &n
		}
		e.Results = slices.DeleteFunc(slices.Clone(e.Results), func(r trace.Result) bool { return lone[of[r.Wr]] })
		less.Events = append(less.Events, e)
	}
	return &less
}

// mayOverflow reports whether a CQ has less room than there are requests.
func (h *drawn) mayOverflow() bool {
	requests := 0
	for i := range h.trace.Events {
		if e := &h.trace.Events[i]; e.Ph == trace.Call {
			requests += len(e.Wrs)
			if e.Wr != "" {
				requests++
			}
		}
	}
	return slices.ContainsFunc(h.run.c.Depth, func(depth int) bool { return depth < requests })
}

// Whatever the plain search forbids without arms it forbids with them: they change nothing of queue pairs. In the last two histories a callback tells
// of an error, which does (A33, ARM-16).
func TestArmsChangeNothingOfQueuePairs(t *testing.T) {
	forbidden, known, failed := 0, 0, 0
	for i := range 702 {
		number := i
		if i >= 700 {
			number = []int{869, 2666}[i-700]
		}
		h := drawHistory(Quick{Rand: rand.New(rand.NewPCG(3, uint64(number)))}, number%8 == 3, number%8 == 6)
		if h.orders != nil {
			continue
		}
		less := withoutArms(h.trace)
		way, told, _ := plainly(h.run.c.Dialect, less, h.quiescent, configsOfSearch)
		whole, toldOfWhole, _ := plainly(h.run.c.Dialect, h.trace, h.quiescent, configsOfSearch)
		switch {
		case told && way == nil && whole != nil:
			t.Errorf("history %d is forbidden without arms alone:\n%s", number, h)
		case told && way == nil && toldOfWhole:
			forbidden++
		case told && !toldOfWhole:
			known++
		}
		if less == h.trace && whole != nil && i >= 700 {
			failed++
		}
	}
	t.Logf("%d are forbidden both ways, %d are too large with arms alone", forbidden, known)
	if forbidden == 0 || known == 0 || failed < 2 {
		t.Errorf("too few: %d, %d, and %d with an error", forbidden, known, failed)
	}
}

// acceptsMore reports whether porcupine accepts more than the clause that an accusation rests on: it executes requests late, behind the end of a
// connection, lets a provider at rest do something of itself, and takes a request that is told as flushed for one that failed (RES-11). Then only the
// plain search may clear the provider.
func acceptsMore(e *clauses.Engine) bool {
	return e.Findings[0].ID == "RES-11" || slices.ContainsFunc(e.Findings[0].Chain, func(l timeline.Link) bool {
		still := l.Deadline && l.Deed == 'C' && clauses.Rules[l.Reason.Rule].ID == "DEF-04"
		return l.Deed == 'E' || l.Deed == 'L' || still
	})
}

// isUnreliable reports whether a queue pair of a trace is UC or UD.
func isUnreliable(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Events, func(e trace.Event) bool { return e.QpType == "UC" || e.QpType == "UD" })
}

// rests returns how many moments of rest a trace has.
func rests(t *trace.Trace) int {
	n := 0
	for i := range t.Events {
		if calls.KindOf(&t.Events[i]) == calls.Quiesce {
			n++
		}
	}
	return n
}

// collectedEagerly holds the verdict against that of an engine which drops whatever can no longer matter, after each step.
func (h *drawn) collectedEagerly(e *clauses.Engine, c *comparison) {
	eager := clauses.New(h.run.c.Dialect)
	eager.Solver.Eager = true
	eager.Read(h.trace)
	if len(eager.Findings) != len(e.Findings) {
		c.differ += fmt.Sprintf("\ntimeline: %s\ncollected after each step: %s", judging.SayingOf(e), judging.SayingOf(eager))
	}
}

// timelineOfOthers judges the history without some optional fields, and beside objects of other kinds. Neither may add an accusation, but
// that what was undecided may be decided where a connection is not known.
func (h *drawn) timelineOfOthers(e *clauses.Engine, c *comparison) {
	for _, other := range []*trace.Trace{h.less, h.more} {
		if other == nil || rests(other) != rests(h.trace) { // other objects may be at rest when these are not
			continue
		}
		if other == h.less && slices.Contains(h.left, "qp_type") && isUnreliable(h.trace) {
			continue // the clauses take it for RC, and withLess holds the engines, which leave open what UC allows
		}
		o := clauses.Judge(h.run.c.Dialect, other)
		if len(o.Findings) == 0 || len(e.Findings) > 0 {
			continue
		}
		if len(e.Undecided) > 0 && other == h.less {
			if way, known, _ := plainly(h.run.c.Dialect, other, h.quiescent, configsWithLess); !known || way == nil {
				continue
			}
		}
		c.differ += fmt.Sprintf("\ntimeline, without some fields (%v) or with other objects: %s\n%s", other == h.less, judging.SayingOf(o), AsWritten(other))
	}
}
