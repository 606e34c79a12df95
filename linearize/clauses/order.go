package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// A frontier holds what the next request of a queue follows: more than one where posts overlapped.
type frontier struct {
	executed  []timeline.Var // X of the latest that nothing passes
	completed []timeline.Var // C of the latest that are not silent
}

func (f *frontier) keep(s *timeline.Solver) frontier {
	for _, v := range slices.Concat(f.executed, f.completed) {
		s.Keep(v)
	}
	return frontier{slices.Clone(f.executed), slices.Clone(f.completed)}
}

func (f *frontier) release(s *timeline.Solver) {
	for _, v := range slices.Concat(f.executed, f.completed) {
		s.Release(v)
	}
	f.executed, f.completed = f.executed[:0], f.completed[:0]
}

// An order holds the variables that the next request of a queue follows.
type order struct {
	latest     frontier
	base       frontier       // what the posts under way follow, all of them
	reads      []timeline.Var // X of the reads since the latest that nothing passes, or a fence
	readsLeft  int            // of them, when they were last looked through
	told       timeline.Var   // C of the latest that is known to have completed
	toldCalled int
	arrived    timeline.Var // A of the latest message
}

// mostLoose bounds the requests of posts that overlap, one after the other, without a moment at which none is under way.
const mostLoose = 64

// postBegins handles the call of a post. Where it overlaps another, the order of their requests is not known. It reports whether that is followed.
func (w *workQueue) postBegins(s *timeline.Solver) bool {
	if w.posting++; w.posting == 1 {
		w.order.base.release(s)
		w.order.base = w.order.latest.keep(s)
		w.posted, w.overlap = w.posted[:0], false
		return true
	}
	if !w.overlap {
		w.overlap = true
		for _, r := range w.posted {
			r.loose = true
		}
	}
	return len(w.posted) < mostLoose
}

// follow states that r comes behind the requests before it on its queue. Previous is the one before it in its own post, or nil.
func (o *order) follow(s *timeline.Solver, r, previous *request) {
	from := &o.latest
	if r.loose {
		from = &o.base
	}
	for _, v := range from.executed {
		s.Edge(v, r.x, 0, inOrder, r.line)
	}
	for _, v := range from.completed {
		s.Edge(v, r.c, 1, completedInOrder, r.line)
	}
	if r.loose && previous != nil {
		o.followLoosely(s, r, previous)
	} else if r.fence && !r.loose {
		r.reads, o.reads, o.readsLeft = o.reads, nil, 0 // it waits for them once it is accepted
	}
	o.add(s, r)
	if r.silent {
		r.s = s.New(timeline.Label{Deed: failedAt, Of: r.wr}, timeline.At(r.called)+1, posted, r.line)
		s.Edge(r.x, r.s, 0, silentAtRest, r.line)
		s.Edge(r.s, r.c, 1, silentAtRest, r.line)
	}
}

// followLoosely states that the requests of one list come in its order.
func (o *order) followLoosely(s *timeline.Solver, r, previous *request) {
	if previous.told {
		return
	}
	if previous.op != model.Read || r.fence {
		s.Edge(previous.x, r.x, 0, inOrder, r.line)
	}
	if !previous.silent {
		s.Edge(previous.c, r.c, 1, completedInOrder, r.line)
	}
}

// accepted states that a request with a fence waits for the reads before it, as its post has accepted it.
func (o *order) accepted(s *timeline.Solver, r *request) {
	for _, v := range r.reads {
		if s.Edge(v, r.x, 0, fenced, r.line); r.message {
			s.Edge(v, r.a, 0, fenced, r.line)
		}
		s.Release(v)
	}
	r.reads = nil
}

// refused gives the reads before a request with a fence back to those behind it. For a read that is refused nothing waits.
func (o *order) refused(s *timeline.Solver, r *request) {
	o.reads = append(r.reads, o.reads...)
	r.reads = nil
	if i := slices.Index(o.reads, r.x); i >= 0 {
		s.Release(r.x)
		o.reads = slices.Delete(o.reads, i, i+1)
	}
}

// add makes r what the next request follows, or one of them.
func (o *order) add(s *timeline.Solver, r *request) {
	if r.op == model.Read {
		if len(o.reads) > 2*o.readsLeft+8 { // each is looked at a constant number of times
			o.forgetReads(s, timeline.At(r.called))
		}
		o.reads = append(o.reads, s.Keep(r.x))
	} else {
		o.latest.executed = push(s, o.latest.executed, r.x, r.loose)
	}
	if !r.silent {
		o.latest.completed = push(s, o.latest.completed, r.c, r.loose)
	}
}

// forgetReads drops the reads that are over by now: nothing waits for them.
func (o *order) forgetReads(s *timeline.Solver, now timeline.Time) {
	o.reads = slices.DeleteFunc(o.reads, func(v timeline.Var) bool {
		over := s.Upper(v) < now
		if over {
			s.Release(v)
		}
		return over
	})
	o.readsLeft = len(o.reads)
}

func push(s *timeline.Solver, all []timeline.Var, v timeline.Var, beside bool) []timeline.Var {
	if !beside {
		for _, old := range all {
			s.Release(old)
		}
		all = all[:0]
	}
	return append(all, s.Keep(v))
}

// complete states that what is known to have completed of one queue completed in order.
func (o *order) complete(s *timeline.Solver, r *request, m facts.Moment) {
	if r.called < o.toldCalled {
		return
	}
	if o.told != timeline.None && !r.loose {
		s.Edge(o.told, r.c, 1, completedInOrder, m.Line)
	}
	s.Release(o.told)
	o.told, o.toldCalled = s.Keep(r.c), r.called
}
