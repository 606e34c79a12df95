package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// libibverbs is thread-safe: calls on one object may overlap, and the trace does not record which of them took effect first.
// The search tries both, but knows the order of a queue's requests, and of a CQ's completions, beforehand. For calls that
// overlap it is found here: completions are delivered in the order of their queue, so that most pairs can only be ordered in
// one way. Where another way is left, the pair is a doubt, and no violation is told that may rest on it. In NDKPI such an
// overlap is the consumer's violation (POLL-01, POST-01, POST-02).

// A doubt is a pair of overlapping calls whose order is guessed, or a fact that the trace does not record and that may explain anything.
type doubt struct {
	calls   [2]*span
	matters moment // from when on
	untold  string // or "" where it is of calls
}

// from returns when it begins to matter.
func (d *doubt) from() moment {
	if d == nil {
		return never
	}
	return d.matters
}

func (h *history) describeDoubt(d *doubt) string {
	if d.untold != "" {
		return "; but " + d.untold
	}
	return fmt.Sprintf("; but %s at line %d and %s at line %d overlap, and were they to have come in the other order, it might be allowed",
		d.calls[0].fn, h.eventAt(d.calls[0].call).line, d.calls[1].fn, h.eventAt(d.calls[1].call).line)
}

// earlier returns the doubt that begins to matter first.
func earlier(a, b *doubt) *doubt {
	if b.from() < a.from() {
		return b
	}
	return a
}

// doubt returns that on which rests what is said of r.
func (r *request) doubt() *doubt {
	d := r.qp.doubt
	if r.qp.peer != nil {
		d = earlier(d, r.qp.peer.doubt)
	}
	if q := r.qp.cq(r.queue); q != nil {
		d = earlier(d, q.doubt)
	}
	return d
}

// results returns what a poll delivered.
func (s *span) results() []trace.Result {
	if s.end == nil {
		return nil
	}
	return s.end.Results
}

// A handing is where a completion was handed out, before it is held against anything.
type handing struct {
	poll  *span
	index int
}

// compare orders two handings. It is certain where the polls do not overlap.
func (a handing) compare(b handing) (sign int, certain bool) {
	if a.poll == b.poll {
		return cmp.Compare(a.index, b.index), true
	}
	return cmp.Compare(a.poll.ret, b.poll.ret), !a.poll.overlaps(b.poll)
}

// orderOverlapping puts the requests of each queue, and the polls of each CQ, into the order in which they took effect.
func (h *history) orderOverlapping() {
	handed := map[string]handing{}
	for _, q := range h.cqs {
		for _, s := range q.polls {
			for i := range s.results() {
				handed[s.end.Results[i].Wr] = handing{s, i}
			}
		}
	}
	for _, p := range h.qps {
		if !areVerbs(p.posts) {
			continue
		}
		p.initiator = p.orderPosts(p.initiator, handed)
		p.receive = p.orderPosts(p.receive, handed)
		p.sends = slices.DeleteFunc(slices.Clone(p.initiator), func(r *request) bool { return !r.op.IsSend() })
	}
	for _, q := range h.cqs {
		if areVerbs(q.polls) {
			h.orderPolls(q, handed)
		}
	}
}

func areVerbs(spans []*span) bool { return len(spans) > 0 && strings.HasPrefix(spans[0].fn, "ibv_") }

// orderPosts orders the requests of one queue of p.
func (p *qp) orderPosts(requests []*request, handed map[string]handing) []*request {
	var posts []*span
	of := map[*span][]*request{}
	for _, r := range requests {
		if of[r.post] == nil {
			posts = append(posts, r.post)
		}
		of[r.post] = append(of[r.post], r)
	}
	called := func(s *span) moment { return s.call }
	both := func(a, b *span) moment { return max(a.call, b.call) }
	posts, unknown := sequence(posts, called, both, inPlace, func(a, b *span) (sign int, certain bool) {
		return comparePosts(of[a], of[b], handed)
	})
	p.doubt = earlier(p.doubt, unknown)
	ordered := make([]*request, 0, len(requests))
	for _, s := range posts {
		for _, r := range of[s] {
			r.position = len(ordered)
			ordered = append(ordered, r)
		}
	}
	return ordered
}

// comparePosts orders two posts of one queue by when their completions were handed out; one that has no completion yet comes
// last. It is certain where those of one post all came before those of the other.
func comparePosts(a, b []*request, handed map[string]handing) (sign int, certain bool) {
	first, last := handings(a, handed), handings(b, handed)
	switch {
	case len(first) == 0 && len(last) == 0:
		return 0, slices.EqualFunc(a, b, (*request).isLike)
	case len(last) == 0:
		sign = -1
	case len(first) == 0:
		sign = 1
	default:
		sign, _ = first[0].compare(last[0])
	}
	if sign > 0 {
		a, b, first, last = b, a, last, first
	}
	certain = len(first) == len(a) && !slices.ContainsFunc(b, func(r *request) bool { return r.silent && handed[r.wr].poll == nil })
	if certain && len(last) > 0 {
		before, sure := first[len(first)-1].compare(last[0])
		certain = sure && before < 0
	}
	return sign, certain
}

// isLike reports whether it makes no difference which of two requests was posted first.
func (r *request) isLike(o *request) bool {
	return r.op == o.op && r.silent == o.silent && r.solicit == o.solicit && r.token == nil && o.token == nil
}

func handings(requests []*request, handed map[string]handing) (all []handing) {
	for _, r := range requests {
		if d := handed[r.wr]; d.poll != nil {
			all = append(all, d)
		}
	}
	return all
}

// orderPolls orders the polls of q: by the places that what they delivered has in its queue. Nothing is delivered before it
// was posted. Their order tells in which one the completions were placed: it matters once the first of these has been posted, as that may have had to complete
// before another one was. What never returned may have taken any that no other poll has.
func (h *history) orderPolls(q *cq, handed map[string]handing) {
	left := never // the post of the first that no poll has
	for _, r := range h.requests {
		if r.qp.cq(r.queue) == q && handed[r.wr].poll == nil {
			left = min(left, r.post.call)
		}
	}
	from := func(s *span) moment {
		at := s.call
		for i := range s.results() {
			if r := h.byWr[s.end.Results[i].Wr]; r != nil {
				at = max(at, r.post.call)
			}
		}
		return min(at, s.ret)
	}
	posted := func(s *span) moment {
		at := s.call
		for i := range s.results() {
			if r := h.byWr[s.end.Results[i].Wr]; r != nil {
				at = min(at, r.post.call)
			}
		}
		return at
	}
	matters := func(a, b *span) moment {
		if !a.returned() || !b.returned() {
			return left
		}
		return min(posted(a), posted(b))
	}
	// What was posted before may also have had to complete before. Otherwise a poll comes first that makes room for those behind it.
	tie := func(a, b *span) int {
		if len(a.results()) > 0 && len(b.results()) > 0 {
			if sign := cmp.Compare(posted(a), posted(b)); sign != 0 && max(posted(a), posted(b)) > min(a.call, b.call) {
				return sign
			}
		}
		return cmp.Compare(a.ret, b.ret)
	}
	q.polls, q.doubt = sequence(q.polls, from, matters, tie, h.comparePolls)
}

func (h *history) comparePolls(a, b *span) (sign int, certain bool) {
	if !a.returned() || !b.returned() {
		return 0, false // it may have taken anything
	}
	if len(a.results()) == 0 || len(b.results()) == 0 {
		return 0, true // the search orders them
	}
	type lane struct {
		qp    *qp
		queue model.Queue
	}
	lanes := map[lane]int{} // the first position in each queue that a delivered
	for i := range a.results() {
		if r := h.byWr[a.end.Results[i].Wr]; r != nil {
			l := lane{r.qp, r.queue}
			if _, known := lanes[l]; !known {
				lanes[l] = r.position
			}
		}
	}
	for i := range b.results() {
		if r := h.byWr[b.end.Results[i].Wr]; r != nil {
			if position, both := lanes[lane{r.qp, r.queue}]; both {
				return cmp.Compare(position, r.position), r.qp.doubt == nil
			}
		}
	}
	return 0, false
}

// maxThreads is how many calls at once sequence distinguishes.
const maxThreads = 16

// inPlace leaves calls in the order in which they begin.
func inPlace(_, _ *span) int { return 0 }

// sequence orders calls that may overlap. Each begins to matter at its moment from. Of overlapping calls the first is one that compare puts behind no
// other; of several such calls it is the one that tie puts first. The doubt is the pair of uncertain order that matters first.
func sequence(spans []*span, from func(*span) moment, matters func(a, b *span) moment, tie func(a, b *span) int,
	compare func(a, b *span) (sign int, certain bool)) (ordered []*span, first *doubt) {
	doubted := func(a, b *span) { first = earlier(first, &doubt{calls: [2]*span{a, b}, matters: matters(a, b)}) }
	begin := make(map[*span]moment, len(spans))
	for _, s := range spans {
		begin[s] = from(s)
	}
	waiting := slices.Clone(spans)
	slices.SortStableFunc(waiting, func(a, b *span) int { return cmp.Compare(begin[a], begin[b]) })
	var open []*span
	for len(waiting) > 0 || len(open) > 0 {
		end := never
		for _, s := range open {
			end = min(end, s.ret)
		}
		for len(waiting) > 0 && len(open) < maxThreads && (len(open) == 0 || begin[waiting[0]] < end) {
			open, end = append(open, waiting[0]), min(end, waiting[0].ret)
			waiting = waiting[1:]
		}
		next := -1
		for i, s := range open {
			behind := slices.ContainsFunc(open, func(o *span) bool {
				sign, _ := compare(o, s)
				return sign < 0
			})
			if !behind && (next < 0 || tie(s, open[next]) < 0) {
				next = i
			}
		}
		next = max(next, 0) // they go round in a circle
		for i := range open {
			if _, certain := compare(open[next], open[i]); i != next && !certain {
				doubted(open[next], open[i])
			}
		}
		if len(waiting) > 0 && begin[waiting[0]] < end {
			doubted(open[next], waiting[0]) // there are too many to compare
		}
		ordered = append(ordered, open[next])
		open = slices.Delete(open, next, next+1)
	}
	return ordered, first
}
