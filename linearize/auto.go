package linearize

import (
	"context"
	"slices"

	"ndkoracle/trace"
)

// auto takes the streaming engine, whatever the length of the trace. Porcupine searches a trace that is short enough, too: it decides
// what the other leaves open, tells the explanations that were alive before a violation, and counts more rules. Where only one of the
// two has an answer, that stands. Where their answers differ, this program is wrong, and says so.
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
	}
	return searched
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
