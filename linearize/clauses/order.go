package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// A frontier holds what the next request of a queue follows: more than one of a kind where posts overlapped.
type frontier struct {
	executed  []followed // X of the latest that nothing passes
	completed []followed // C of the latest that are not silent
	arrived   []followed // A of the latest messages, and of what held them
	reads     []followed // X of the reads since the latest fence
}

// A followed is a variable of a request whose post has returned, with the events of that call and return: what is called later follows it.
type followed struct {
	timeline.Var
	called, returned int
}

// isFollowedBy reports whether r follows f for sure. Of one post f is an earlier request.
func (f followed) isFollowedBy(r *request) bool {
	return f.returned <= r.called || f.called == r.called
}

// push adds a variable of r, which takes the place of what r follows itself.
func push(s *timeline.Solver, all []followed, v timeline.Var, r *request) []followed {
	return append(dropFollowed(s, all, r), followed{s.Keep(v), r.called, r.returned})
}

func dropFollowed(s *timeline.Solver, all []followed, r *request) []followed {
	k := 0
	for _, f := range all {
		if f.isFollowedBy(r) {
			s.Release(f.Var)
			continue
		}
		all[k] = f
		k++
	}
	return all[:k]
}

// listed are the variables that the next request of the same list follows.
type listed struct {
	executed, completed, arrived timeline.Var
	reads                        []timeline.Var
}

// An order says in which order the requests of one queue are executed and complete.
type order struct {
	frontier
	list       listed
	readsLeft  int          // when they were last looked through
	underWay   []*request   // their posts have not returned; where there is another post, either may come first
	told       timeline.Var // C of the latest that is known to have completed
	toldNumber int
}

// mostUnderWay bounds the requests of posts under way while another is called.
const mostUnderWay = 64

// begin handles the call of a post. Where it overlaps another, the order of their requests is not known. It reports whether that is followed.
func (o *order) begin() bool {
	o.list = listed{reads: o.list.reads[:0]}
	for _, r := range o.underWay {
		r.loose = true
	}
	return len(o.underWay) < mostUnderWay
}

// follow states that r comes behind the requests before it on its queue, and in its own list.
func (o *order) follow(s *timeline.Solver, r *request) {
	for _, f := range o.executed {
		s.Edge(f.Var, r.x, 0, inOrder, r.line)
	}
	for _, f := range o.completed {
		s.Edge(f.Var, r.c, 1, completedInOrder, r.line)
	}
	if r.a != timeline.None {
		for _, f := range o.arrived {
			s.Edge(f.Var, r.a, 0, inOrder, r.line)
		}
	}
	if r.fence {
		for _, f := range o.reads {
			followRead(s, f.Var, r)
		}
	}
	o.followList(s, r)
	o.underWay = append(o.underWay, r)
	if r.silent {
		r.s = s.New(timeline.Label{Deed: failedAt, Of: r.wr}, timeline.At(r.called)+1, posted, r.line)
		s.Edge(r.x, r.s, 0, executedFirst, r.line)
		s.Edge(r.s, r.c, 1, executedFirst, r.line)
	}
}

func followRead(s *timeline.Solver, read timeline.Var, r *request) {
	if s.Edge(read, r.x, 0, fenced, r.line); r.a != timeline.None {
		s.Edge(read, r.a, 0, fenced, r.line)
	}
}

// followList states that the requests of one list come in its order.
func (o *order) followList(s *timeline.Solver, r *request) {
	l := &o.list
	if l.executed != timeline.None {
		s.Edge(l.executed, r.x, 0, inOrder, r.line)
	}
	if l.completed != timeline.None {
		s.Edge(l.completed, r.c, 1, completedInOrder, r.line)
	}
	if r.a != timeline.None && l.arrived != timeline.None {
		s.Edge(l.arrived, r.a, 0, inOrder, r.line)
	}
	if r.fence {
		for _, v := range l.reads {
			followRead(s, v, r)
		}
		l.reads = l.reads[:0]
	}
	if r.op == model.Read {
		l.reads = append(l.reads, r.x)
	} else {
		l.executed = r.x
	}
	if !r.silent {
		l.completed = r.c
	}
	if r.a != timeline.None {
		l.arrived = r.a
	}
}

// end handles the return of a post: what is called from now on follows those of its requests that were accepted. One that was told
// meanwhile, and is forgotten, is over by now.
func (o *order) end(s *timeline.Solver, called int, accepted []*request) {
	o.underWay = slices.DeleteFunc(o.underWay, func(r *request) bool { return r.called == called })
	for _, r := range accepted {
		if s.Alive(r.x) && s.Alive(r.c) {
			o.isFollowed(s, r)
		}
	}
}

func (o *order) isFollowed(s *timeline.Solver, r *request) {
	if r.fence {
		o.reads = dropFollowed(s, o.reads, r)
	}
	if r.op == model.Read {
		o.dropOver(s, r.called)
		o.reads = append(o.reads, followed{s.Keep(r.x), r.called, r.returned})
	} else {
		o.executed = push(s, o.executed, r.x, r)
	}
	if !r.silent {
		o.completed = push(s, o.completed, r.c, r)
	}
	if r.a != timeline.None && s.Alive(r.a) {
		o.arrived = push(s, o.arrived, r.a, r)
	}
}

// dropOver drops the reads that are over by an event: nothing that is called later waits for them. Each is looked at a constant number of times.
func (o *order) dropOver(s *timeline.Solver, by int) {
	if len(o.reads) < 2*o.readsLeft+8 {
		return
	}
	o.reads = slices.DeleteFunc(o.reads, func(f followed) bool {
		over := s.Upper(f.Var) < timeline.At(by)
		if over {
			s.Release(f.Var)
		}
		return over
	})
	o.readsLeft = len(o.reads)
}

// complete states that what is known to have completed of one queue completed in order.
func (o *order) complete(s *timeline.Solver, r *request, m facts.Moment) {
	if r.number < o.toldNumber {
		return
	}
	if o.told != timeline.None && !r.loose {
		s.Edge(o.told, r.c, 1, completedInOrder, m.Line)
	}
	s.Release(o.told)
	o.told, o.toldNumber = s.Keep(r.c), r.number
}
