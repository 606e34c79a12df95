package monitor

import (
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// lowWater checks at rest that a shared receive queue has called back which is armed, and holds fewer receives than its threshold: SRQ-02, SRQ-03 and SRQ-05. So many are
// queued at most as were posted and have not been polled, by either reading of A18.
type lowWater struct {
	seldom
	m                  *Monitor
	low, already, kept *int
	of                 map[string]*waterMark
	pending            []*lowArm // calls of NdkModifySrq that are under way
}

// A waterMark is what is known of the arm of a shared receive queue.
type waterMark struct {
	notifies bool
	arm      *lowArm // the latest, or nil where none is known
	keeps    int     // the line of a later call with a threshold of 0, or 0
}

// A lowArm is a call of NdkModifySrq that names a threshold.
type lowArm struct {
	call      *Call
	srq       string
	place     Place
	threshold int64
	most      int64 // how many receives can have been queued at most when it was called
	posted    int   // on the queue before it was called
	low       bool  // fewer receives than the threshold were queued while it was called, whatever happened meanwhile
	met       bool  // a callback was entered since it was called
}

var _ = group(newLowWater,
	rule{ID: "SRQ-02", On: on{"the provider comes to rest, and a shared receive queue was armed"}, OnlyNdk: true, Eventual: true},
	rule{ID: "SRQ-03", On: on{"the provider comes to rest, and a shared receive queue was armed while it was low"}, OnlyNdk: true, Eventual: true},
	rule{ID: "SRQ-05", On: on{"the provider comes to rest, and a shared receive queue was armed, and modified with a threshold of 0 since"}, OnlyNdk: true, Eventual: true},
)

func newLowWater(m *Monitor) checks {
	if m.header.Order == "partial" || m.dialect.LowAtArm != model.Must {
		return nothing{} // what came after an arm is not known, or a queue that is low may wait
	}
	return &lowWater{m: m, low: m.counter("SRQ-02"), already: m.counter("SRQ-03"), kept: m.counter("SRQ-05"), of: map[string]*waterMark{}}
}

func (l *lowWater) begin(c *Call, e *trace.Event) {
	switch c.Fn {
	case "NdkCreateSrq":
		delete(l.of, e.Srq)
		if q := l.m.requests.srqs[e.Srq]; e.Notify != nil && (q == nil || q.posted == 0) {
			l.of[e.Srq] = &waterMark{notifies: *e.Notify}
		}
	case "NdkCloseSrq":
		delete(l.of, e.Srq)
	case "NdkModifySrq":
		l.modifies(c, e)
	case "NdkSrqNotificationCallback":
		if e.Status != "STATUS_SUCCESS" {
			delete(l.of, e.Srq) // an error: nothing is owed any more
		}
		if w := l.of[e.Srq]; w != nil && w.arm != nil {
			w.arm.met = true
		}
		for _, a := range l.pending {
			a.met = a.met || a.srq == e.Srq
		}
	}
}

// modifies records a call of NdkModifySrq. What it makes of the arm is not known where two overlap, or the trace does not record the threshold.
func (l *lowWater) modifies(c *Call, e *trace.Event) {
	overlaps := slices.ContainsFunc(l.pending, func(a *lowArm) bool { return a.srq == e.Srq })
	switch w := l.of[e.Srq]; {
	case w == nil:
	case e.Threshold == nil || overlaps:
		delete(l.of, e.Srq)
	default:
		a := &lowArm{call: c, srq: e.Srq, place: l.m.now, threshold: *e.Threshold}
		if q := l.m.requests.srqs[e.Srq]; q != nil {
			a.most, a.posted = q.outstanding+int64(q.posting), q.posted
		}
		l.pending = append(l.pending, a)
	}
}

func (l *lowWater) done(c *Call, succeeded bool) {
	i := slices.IndexFunc(l.pending, func(a *lowArm) bool { return a.call == c })
	if i < 0 {
		return
	}
	a := l.pending[i]
	l.pending = slices.Delete(l.pending, i, i+1)
	w := l.of[a.srq]
	switch {
	case w == nil || !succeeded:
	case a.threshold == 0:
		w.keeps = a.place.Line
	default:
		if q := l.m.requests.srqs[a.srq]; q != nil {
			a.most += int64(q.posted - a.posted)
		}
		a.low, a.call = a.most < a.threshold, nil
		w.arm, w.keeps = a, 0
	}
}

// rest is SRQ-02, SRQ-03 or SRQ-05, by when the queue was low, and what was asked of it since.
func (l *lowWater) rest() {
	for _, name := range slices.Sorted(maps.Keys(l.of)) {
		w := l.of[name]
		a := w.arm
		under := func(a *lowArm) bool { return a.srq == name }
		if a == nil || !w.notifies || slices.ContainsFunc(l.pending, under) {
			continue
		}
		queued := int64(0)
		if q := l.m.requests.srqs[name]; q != nil {
			if q.uncertain || q.posting > 0 {
				continue
			}
			queued = q.outstanding
		}
		rule, count, why := "SRQ-02", l.low, "was armed"
		switch {
		case a.low:
			rule, count, why = "SRQ-03", l.already, "was armed while it was low"
		case w.keeps > 0:
			rule, count, why = "SRQ-05", l.kept, "was armed, and a threshold of 0 changes nothing"
		}
		if *count++; a.met || queued >= a.threshold {
			continue
		}
		a.met = true // or each later moment of rest would tell
		see := []int{a.place.Line}
		if w.keeps > 0 {
			see = append(see, w.keeps)
		}
		l.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, See: see, Objects: []Object{{Srq, name}},
			Message: fmt.Sprintf("the provider was at rest, and a callback of %s is owed and was not entered: it %s, with a threshold of %d, and holds %s at most",
				name, why, a.threshold, verdict.Counted(int(queued), "receive"))})
	}
}
