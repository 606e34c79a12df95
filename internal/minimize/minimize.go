// Package minimize shrinks a trace that is rejected to a small one that is rejected by the same rule.
//
// What is taken away is always something whole, so that what is left is a trace: an object with all that is done to it, a request with
// its completion, a call with its return.
package minimize

import (
	"context"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A Judge decides a trace, as linearize.Check does.
type Judge func(context.Context, *trace.Trace) *verdict.Report

// MaxJudged bounds the work: as many events are judged at most, over all attempts.
const MaxJudged = 20_000_000

// Minimize returns a trace that is rejected as want says, by the same verdict and rule, for no other objects and requests, and as small
// as it could be made of t until ctx was done. Where there are several judges, each of them rejects it so. It is nil when nothing was rejected so
// until then, not even t itself.
func Minimize(ctx context.Context, t *trace.Trace, want verdict.Finding, judges ...Judge) *trace.Trace {
	s := &shrinker{ctx: ctx, judges: judges, want: want, others: othersThan(want.Message, t.Events), left: MaxJudged}
	whole := newTrial(t)
	if small, ok := s.window(whole); ok {
		return s.shrink(small).trace()
	}
	if s.fails(whole) {
		return s.shrink(whole).trace()
	}
	// The latest events of a long trace may break other rules as well, when what came before them is gone.
	s.among = true
	if small, ok := s.window(whole); ok {
		small = s.shrink(small)
		if s.among = false; s.fails(small) {
			return small.trace()
		}
	}
	return nil
}

// shrink removes the parts that a failing trial does not need to fail.
func (s *shrinker) shrink(t *trial) *trial {
	for size := -1; size != t.size() && !s.over(); {
		size = t.size()
		t = s.withoutObjects(t)
		t = s.withoutUnits(t)
		t = s.smaller(t)
		if t.size() == size {
			t = s.withoutPairs(t)
		}
	}
	return t
}

// A shrinker tries traces on the judge.
type shrinker struct {
	ctx    context.Context
	judges []Judge
	want   verdict.Finding
	others map[string]bool // objects and requests that want does not name
	left   int             // events that may still be judged
	among  bool            // the finding may be one of several, and need not be the first
}

// othersThan returns the names of the objects and requests of a trace that a message does not tell of.
func othersThan(message string, events []trace.Event) map[string]bool {
	others := map[string]bool{}
	for i := range events {
		e := &events[i]
		for _, name := range append(namesOf(e), requestsOf(e)...) {
			others[name] = true
		}
	}
	for _, word := range words(message) {
		delete(others, word)
	}
	return others
}

// words returns those of a sentence, which may be names.
func words(sentence string) []string {
	all := strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(" ,;:()", r) })
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], ".")
	}
	return all
}

func (s *shrinker) over() bool { return s.ctx.Err() != nil || s.left <= 0 }

// fails reports whether a smaller trace is rejected as the first was. One that is for what happened to others is not: with the poll that
// delivered a request gone, say, that request is missing, which was not in the first.
func (s *shrinker) fails(t *trial) bool {
	if s.over() {
		return false
	}
	tried := t.trace()
	s.left -= len(tried.Events) + 1
	same := false
	for _, judge := range s.judges {
		r := judge(s.ctx, tried)
		if !s.rejects(r, false) {
			return false
		}
		same = same || s.rejects(r, true)
	}
	return same && s.ctx.Err() == nil
}

// rejects reports whether a judge has rejected a trial by the rule of the finding in the whole trace, and for nothing that happened to others if
// that is asked.
func (s *shrinker) rejects(r *verdict.Report, forTheSame bool) bool {
	found := slices.IndexFunc(r.Findings, func(f verdict.Finding) bool {
		aside := forTheSame && slices.ContainsFunc(words(f.Message), func(word string) bool { return s.others[word] })
		return f.Verdict == s.want.Verdict && f.Rule == s.want.Rule && f.Follows == nil && !aside
	})
	return found == 0 || found > 0 && s.among
}

// window looks for the last few units before the finding that are rejected by themselves, with what of earlier ones has a part in
// them: the objects, posts whose completion comes later, arms that no callback has answered. Most findings need no more, but for those
// that only what comes later shows: then as many units behind it. That spares judging a long trace again and again.
func (s *shrinker) window(t *trial) (small *trial, ok bool) {
	end := 0
	for i, u := range t.units {
		if t.events[u.events[0]].Line <= s.want.Line || s.want.Line == 0 {
			end = i + 1
		}
	}
	for size, from := 16, end; from > 0 && !s.over(); size *= 2 {
		from = max(end-size, 0)
		for _, to := range slices.Compact([]int{end, min(end+size, len(t.units))}) {
			tried := t.only(t.partsOf(from, to))
			tried.cut = to < len(t.units)
			if s.fails(tried) {
				return tried, true
			}
		}
	}
	return nil, false
}

// withoutObjects removes whole objects.
func (s *shrinker) withoutObjects(t *trial) *trial {
	for _, name := range slices.Backward(t.objects()) {
		if s.over() {
			break
		}
		tried := t.only(func(_ int, u *unit) bool { return !slices.Contains(u.names, name) })
		if tried.size() < t.size() && s.fails(tried) {
			t = tried
		}
	}
	return t
}

// withoutUnits removes units: half of them, a quarter, and so on to single ones, until none can go.
func (s *shrinker) withoutUnits(t *trial) *trial {
	for size := (len(t.units) + 1) / 2; size > 0; {
		gone := false
		for from := 0; from < len(t.units); {
			if s.over() {
				return t
			}
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

// withoutPairs removes two units that need each other, such as an arm and the callback that it brings.
func (s *shrinker) withoutPairs(t *trial) *trial {
	if len(t.units) > maxForPairs {
		return t
	}
	for a := 0; a < len(t.units) && !s.over(); a++ {
		for b := a + 1; b < len(t.units); b++ {
			tried := t.only(func(i int, _ *unit) bool { return i != a && i != b })
			if tried.size() < t.size() && s.fails(tried) {
				return tried
			}
		}
	}
	return t
}
