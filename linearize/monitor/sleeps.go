package monitor

import (
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// sleeps checks whether a consumer sleeps while the CQ has a completion that nothing reports to it: ARM-25. At a moment of rest the completion is in the
// CQ, and no callback is owed for it. The consumer, which had armed the CQ, only polls and closes it afterwards.
type sleeps struct {
	nothing
	noRequest
	m     *Monitor
	count *int
	of    map[string]*sleeper // by CQ that was armed
}

// A sleeper is what the consumer has done with a CQ.
type sleeper struct {
	callback int  // the line of the latest callback, or 0
	polled   bool // since then
	arm      int  // the line of the latest arm since then, or 0
	looked   bool // a poll was called after that arm
	short    bool // such a poll found fewer completions than it asked for
	failed   bool // a callback reported an error of the CQ
	latest   int  // the index of the latest poll
	polls    []polling
	asleep   *slumber
	perhaps  *slumber // of a receive whose message was sent by then: it was there if a poll delivers it with success
}

// A slumber is what was found at a moment of rest.
type slumber struct {
	of   *workRequest
	line int
	text string
}

var _ = group(newSleeps,
	rule{ID: "ARM-25", On: on{"the provider comes to rest, and a CQ was armed"}, Undefined: "an order of calls; tla/Consumer.tla says which orders lose wake-ups"},
)

func newSleeps(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // what came after an arm is not known
	}
	return &sleeps{m: m, count: m.counter("ARM-25"), of: map[string]*sleeper{}}
}

func (s *sleeps) begin(c *Call, e *trace.Event) {
	q := s.of[e.Cq]
	switch {
	case c.Kind == calls.ArmCq:
		if q == nil {
			q = &sleeper{polled: true}
			s.of[e.Cq] = q
		}
		q.arm, q.looked, q.short, q.asleep, q.perhaps, q.polls = e.Line, false, false, nil, nil, q.polls[:0]
	case q == nil:
	case c.Kind == calls.Callback:
		q.told(e.Line, q.failed || calls.OutcomeOf(e.Status) != model.SUCCESS)
	case c.Kind == calls.PollCq:
		q.polled, q.looked, q.latest = true, q.looked || q.arm > 0, c.Begun.Index
		if e.N != nil && !q.short && len(q.polls) < maxArms {
			q.polls = append(q.polls, polling{call: c, cq: e.Cq, room: *e.N})
		}
	}
}

// told records a callback, or an event that is read.
func (q *sleeper) told(line int, failed bool) {
	*q = sleeper{callback: line, failed: failed, polls: q.polls[:0]}
}

func (s *sleeps) end(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.ReadEvent:
		if q := s.of[e.Cq]; q != nil {
			q.told(e.Line, q.failed)
		}
	case calls.ArmCq:
		if q := s.of[c.Cq]; q != nil && calls.IsRefusal(c.Verbs, e) {
			q.arm = 0
		}
	case calls.PollCq:
		if q := s.of[c.Cq]; q != nil {
			if i := slices.IndexFunc(q.polls, func(p polling) bool { return p.call == c }); i >= 0 {
				q.short = q.short || int64(len(e.Results)) < q.polls[i].room
				q.polls = slices.Delete(q.polls, i, i+1)
			}
			q.found(e.Results)
		}
	case calls.CloseCq:
		s.ends(c.Cq)
	}
}

// called records that the consumer is awake: it posts a request that completes into the CQ.
func (s *sleeps) called(r *workRequest, _ *Call, _ []string) {
	if q := s.of[r.queue.cq]; q != nil {
		q.asleep, q.perhaps = nil, nil
	}
}

// found handles the results of a poll. A result may show that its completion was in the CQ at the moment of rest, even if its queue pair was closed since.
func (q *sleeper) found(results []trace.Result) {
	for i := range results {
		if q.perhaps == nil || q.perhaps.of.wr != results[i].Wr {
			continue
		}
		if q.asleep == nil && calls.OutcomeOf(results[i].Status) == model.SUCCESS {
			q.asleep = q.perhaps
		}
		q.perhaps = nil
	}
}

func (s *sleeps) rest() {
	for name, q := range s.of {
		*s.count++
		if q.asleep == nil {
			q.asleep = s.besides(name, q)
		}
	}
}

func (s *sleeps) finish() {
	for _, name := range slices.Sorted(maps.Keys(s.of)) {
		s.ends(name)
	}
}

// ends advises a consumer that sleeps beside a completion of a CQ, and does nothing more with it.
func (s *sleeps) ends(cq string) {
	if q := s.of[cq]; q != nil && q.asleep != nil {
		s.m.adviseAt(q.asleep.line, "ARM-25", "%s", q.asleep.text)
	}
	delete(s.of, cq)
}

// besides returns what the consumer of a CQ sleeps beside, or nil. What it may sleep beside is kept.
func (s *sleeps) besides(name string, q *sleeper) *slumber {
	if !q.polled || q.failed {
		return nil // it was told, and may be about to poll; or there is nothing to wait for
	}
	cq := s.m.armings.cq(name)
	var l *Missing // what is known of the arms, where a request waits
	for _, w := range cq.queues {
		for _, r := range w.oldest(maxCandidates) {
			if l == nil {
				l = s.m.lost(cq, &cq.present, s.m.now.Index)
			}
			certain := isPlaced(r)
			if !certain && (q.perhaps != nil || !isMet(r)) {
				continue
			}
			why := s.unreported(q, l, r)
			if why == "" {
				continue
			}
			found := &slumber{r, s.m.now.Line, fmt.Sprintf("the completion of %s is in %s at rest, and no %s is due: %s", r.wr, name, s.callback(), why)}
			if certain {
				return found
			}
			q.perhaps = found
		}
	}
	return nil
}

// callback returns what the dialect calls a notification.
func (s *sleeps) callback() string {
	if s.m.dialect.EventsAreRead {
		return "event"
	}
	return "callback"
}

// unreported says why no callback is due for the completion of a request, and what the consumer is to do, or nothing where one may be due.
func (s *sleeps) unreported(q *sleeper, l *Missing, r *workRequest) string {
	armed := l.merged(len(l.arms))
	before := r.place.Line < q.arm
	switch {
	case armed == model.ERRORS:
	case q.arm == 0 && q.callback == 0:
		return "the CQ is not armed; arm it before the consumer sleeps"
	case q.arm == 0:
		return fmt.Sprintf("the CQ was not armed after its latest %s (line %d); arm it again before the consumer sleeps", s.callback(), q.callback)
	case r.placed >= 0 && s.m.dialect.Match(armed, model.Completion{Status: calls.OutcomeOf(r.status), Solicited: r.solicited}) == model.MustNot:
		return fmt.Sprintf("the arm in line %d is %s, which this completion does not satisfy; arm ANY to wait for it", q.arm, armed)
	case before && !q.looked && (s.m.dialect.FreshAtArm != model.Must || r.place.Line < q.callback):
		return fmt.Sprintf("no poll followed the arm in line %d, which need not report what was there before; poll once more after the arm", q.arm)
	case before && q.looked && r.placed >= 0 && r.placed < q.latest && (q.short || q.callback == 0):
		return fmt.Sprintf("the polls after the arm in line %d left it behind; poll until a poll finds nothing", q.arm)
	}
	return ""
}

// isPlaced reports whether the completion of a request that is outstanding is in its CQ at a moment of rest: a point records it, or nothing is left that the
// request may wait for.
func isPlaced(r *workRequest) bool {
	switch {
	case r.placed >= 0:
		return true
	case r.queue.kind == model.Receive:
		return isMet(r) && r.queue.qp.message(r).known != 0
	}
	return mayExecute(r) && !r.op.IsSend()
}

// isMet reports whether the message for a receive was sent on a connection that goes on, as far as the trace shows.
func isMet(r *workRequest) bool {
	if r.queue.kind != model.Receive || !mayExecute(r) {
		return false
	}
	m := r.queue.qp.message(r)
	return m != nil && m.accepted && m.position <= m.queue.indicated && m.queue.qp.ended < 0
}

// mayExecute reports whether a request waits for nothing that its own end is to do.
func mayExecute(r *workRequest) bool {
	p := r.queue.qp
	return r.accepted && !r.silent && p != nil && p.created && p.conn != "" && p.ended < 0 && p.chain == nil && !r.queue.uncertain
}
