// Package minimize shrinks a trace that is rejected to a small one that is rejected by the same rule.
//
// What is taken away is always something whole, so that what is left is a trace: an object with all that is done to it, a request with
// its completion, a call with its return.
package minimize

import (
	"context"
	"slices"

	"ndkoracle/linearize"
	"ndkoracle/trace"
)

// A Judge decides a trace, as linearize.Check does.
type Judge func(context.Context, *trace.Trace) *linearize.Report

// MaxJudged bounds the work: as many events are judged at most, over all attempts.
const MaxJudged = 20_000_000

// Minimize returns a trace that is rejected as t is, with the same verdict by the same rule, and as small as it could be made until
// ctx was done. The report is the judge's of t, and its first finding is a violation.
func Minimize(ctx context.Context, t *trace.Trace, report *linearize.Report, judge Judge) *trace.Trace {
	s := &shrinker{ctx: ctx, judge: judge, want: report.Findings[0], left: MaxJudged}
	best := newTrial(t)
	if small, ok := s.window(best); ok {
		best = small
	}
	for size := -1; size != best.size() && !s.over(); {
		size = best.size()
		best = s.withoutObjects(best)
		best = s.withoutUnits(best)
		best = s.smaller(best)
		if best.size() == size {
			best = s.withoutPairs(best)
		}
	}
	return best.trace()
}

// A shrinker tries traces on the judge.
type shrinker struct {
	ctx   context.Context
	judge Judge
	want  linearize.Finding
	left  int // events that may still be judged
}

func (s *shrinker) over() bool { return s.ctx.Err() != nil || s.left <= 0 }

// fails reports whether a smaller trace is rejected as the first was.
func (s *shrinker) fails(t *trial) bool {
	if s.over() {
		return false
	}
	tried := t.trace()
	s.left -= len(tried.Events) + 1
	r := s.judge(s.ctx, tried)
	return len(r.Findings) > 0 && r.Findings[0].Verdict == s.want.Verdict && r.Findings[0].Rule == s.want.Rule && s.ctx.Err() == nil
}

// window looks for the last few units before the finding that are rejected by themselves, with the creation of all objects: most
// findings need no more than what came just before. That spares judging a long trace again and again.
func (s *shrinker) window(t *trial) (small *trial, ok bool) {
	end := 0
	for i, u := range t.units {
		if t.events[u.events[0]].Line <= s.want.Line || s.want.Line == 0 {
			end = i + 1
		}
	}
	for size := 16; ; size *= 2 {
		from := max(end-size, 0)
		tried := t.only(func(i int, u *unit) bool { return u.creates != "" || u.connects || i >= from && i < end })
		if s.fails(tried) {
			return tried, true
		}
		if from == 0 || s.over() {
			return nil, false
		}
	}
}

// withoutObjects takes away whole objects.
func (s *shrinker) withoutObjects(t *trial) *trial {
	for _, name := range slices.Backward(t.objects()) {
		tried := t.only(func(_ int, u *unit) bool { return !slices.Contains(u.names, name) })
		if tried.size() < t.size() && s.fails(tried) {
			t = tried
		}
	}
	return t
}

// withoutUnits takes away units: half of them, a quarter, and so on to single ones, until none can go.
func (s *shrinker) withoutUnits(t *trial) *trial {
	for size := (len(t.units) + 1) / 2; size > 0; {
		gone := false
		for from := 0; from < len(t.units); {
			tried := t.only(func(i int, _ *unit) bool { return i < from || i >= from+size })
			if tried.size() < t.size() && s.fails(tried) {
				t, gone = tried, true
				continue // what came behind has moved to here
			}
			from += size
		}
		if size > 1 || !gone {
			size /= 2
		}
	}
	return t
}

// maxForPairs bounds how many units are taken away two by two.
const maxForPairs = 40

// withoutPairs takes away two units that need each other, such as an arm and the callback that it brings.
func (s *shrinker) withoutPairs(t *trial) *trial {
	if len(t.units) > maxForPairs {
		return t
	}
	for a := 0; a < len(t.units); a++ {
		for b := a + 1; b < len(t.units); b++ {
			tried := t.only(func(i int, _ *unit) bool { return i != a && i != b })
			if tried.size() < t.size() && s.fails(tried) {
				return tried
			}
		}
	}
	return t
}
