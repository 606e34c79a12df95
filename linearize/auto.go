package linearize

import (
	"context"
	"slices"

	"ndkoracle/trace"
)

// auto takes the streaming engine, whatever the length of the trace. Porcupine searches a trace that is short enough, too: it
// decides what the other leaves open, tells the explanations that were alive before a violation, and counts more rules. Where
// only one of the two has an answer, that stands. Where their answers differ, this program is wrong, and says so.
func auto(ctx context.Context, t *trace.Trace, o Options) *Report {
	o.Engine = Streaming
	streamed := checkWith(ctx, t, o)
	if t.More > 0 || ctx.Err() != nil {
		return streamed
	}
	if o.Engine = Porcupine; streamed.decided() && o.MaxMemory == 0 && !o.Witness {
		o.MaxMemory = memoryOfSecond
	}
	return agree(streamed, checkWith(ctx, t, o))
}

// agree makes one report of those of the two engines.
func agree(streamed, searched *Report) *Report {
	switch {
	case !searched.decided() && (streamed.decided() || streamed.violated() && !searched.violated()):
		return streamed
	case streamed.decided() && searched.decided() && streamed.Verdict != searched.Verdict:
		by, other := searched.describe(), streamed.describe()
		searched.undecided("", "the engines differ, which is a mistake of this program: by porcupine it is "+by+", by stream "+other)
		searched.settle()
	case searched.Verdict == streamed.Verdict:
		searched.takeFollowing(streamed)
	}
	return searched
}

// takeFollowing adds what another engine found after the same violations, and says of what both found that it may only follow
// from them.
func (r *Report) takeFollowing(other *Report) {
	for _, f := range other.Findings {
		told := func(have Finding) bool { return have.Line == f.Line && have.Rule == f.Rule }
		if f.More > 0 {
			if i := r.sameViolation(&Origin{f.Rule, f.Line}); i >= 0 {
				r.Findings[i].More += f.More
			}
		}
		if f.Follows == nil {
			continue
		}
		i, known := r.sameViolation(f.Follows), slices.IndexFunc(r.Findings, told)
		switch {
		case i < 0 || i == known:
			continue
		case known < 0:
			known, r.Findings = len(r.Findings), append(r.Findings, f)
		}
		r.Findings[known].Follows = &Origin{r.Findings[i].Rule, r.Findings[i].Line}
	}
	r.settle()
}

// sameViolation returns the finding that tells the violation which another engine found there: by another rule perhaps, or,
// where it is the only one, in another line. It is -1 where there is none.
func (r *Report) sameViolation(o *Origin) int {
	at, others := -1, 0
	for i, f := range r.Findings {
		switch {
		case f.Verdict == Inconclusive || f.Follows != nil:
		case f.Line == o.Line:
			return i
		default:
			at, others = i, others+1
		}
	}
	if others > 1 {
		return -1
	}
	return at
}

// memoryOfSecond bounds a search, in bytes, whose answer is known already. It ends the same on each machine, as a limit of time
// would not.
const memoryOfSecond = 1 << 26

// decided reports whether nothing is left open but what the end of the trace does.
func (r *Report) decided() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == Inconclusive && f.Message != notAtRest })
}

func (r *Report) violated() bool {
	return r.Verdict == ProviderViolation || r.Verdict == ConsumerViolation
}

// describe names the verdict, and the rule that was broken.
func (r *Report) describe() string {
	if len(r.Findings) == 0 || r.Findings[0].Rule == "" {
		return string(r.Verdict)
	}
	return string(r.Verdict) + " of " + r.Findings[0].Rule
}
