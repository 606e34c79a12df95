package linearize

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// auto runs the streaming engine on a trace of any length. If the trace is short enough, porcupine searches it as well: it decides what the stream
// leaves undecided, lists the explanations that were alive before a violation, and counts more rules. If only one of the two has an answer, that is
// the answer. If their answers differ, this program is wrong, and reports that.
func auto(ctx context.Context, t *trace.Trace, o Options) *verdict.Report {
	o.Engine = Streaming
	streamed := checkWith(ctx, t, o)
	if t.More > 0 || ctx.Err() != nil {
		return streamed
	}
	if o.Engine = Porcupine; streamed.Decided() && o.MaxMemory == 0 && !o.Witness {
		o.MaxMemory = memoryOfSecond
	}
	searched := second(ctx, func() *verdict.Report { return checkWith(ctx, t, o) })
	if searched == nil {
		return streamed
	}
	return agree(streamed, searched)
}

// graceOfSecond is how long the second engine may take to give up once the context is done. tracecheck waits for twice that.
const graceOfSecond = 250 * time.Millisecond

// second asks the second engine. It returns nil if that does not give up in time, so that the answer of the first is not lost.
func second(ctx context.Context, search func() *verdict.Report) *verdict.Report {
	searched, broken := make(chan *verdict.Report, 1), make(chan string, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				broken <- fmt.Sprintf("%v\n%s", problem, debug.Stack())
			}
		}()
		searched <- search()
	}()
	var late <-chan time.Time
	for done := ctx.Done(); ; {
		select {
		case r := <-searched:
			return r
		case problem := <-broken:
			panic(problem) // where the caller looks for it
		case <-done:
			done, late = nil, time.After(graceOfSecond)
		case <-late:
			return nil
		}
	}
}

// agree combines the reports of the two engines. A violation that one has found stands, whatever is undecided for the other. If the other calls the trace
// conformant, or blames the other side, the engines differ: the report says so, and never calls the trace conformant.
func agree(streamed, searched *verdict.Report) *verdict.Report {
	searched.Cases = streamed.Cases
	switch {
	case streamed.Violated() && searched.Violated() && streamed.Verdict != searched.Verdict:
		return blame(streamed, searched)
	case streamed.Violated() && searched.Violated():
		if !searched.Decided() && streamed.Decided() {
			return streamed
		}
		takeFollowing(searched, streamed)
		takeLead(searched, streamed)
		return searched
	case searched.Violated():
		return contradicted(searched, streamed)
	case streamed.Violated() && searched.Verdict != verdict.Conformant:
		return contradicted(streamed, searched)
	case streamed.Violated():
		return contradicted(searched, streamed)
	case !searched.Decided() && streamed.Decided() && !searched.Suspects():
		return streamed
	case searched.Decided() && streamed.Decided():
		return contradicted(searched, streamed)
	}
	withdraw(searched, verdict.Shorter+string(Streaming))
	return searched
}

// withdraw removes from the reasons of a report the advice to run the other engine, which has run.
func withdraw(r *verdict.Report, advice string) {
	for i := range r.Findings {
		r.Findings[i].Message = strings.TrimSuffix(r.Findings[i].Message, advice)
	}
	for id, c := range r.Rules {
		c.Why = strings.TrimSuffix(c.Why, advice)
		r.Rules[id] = c
	}
}

// contradicted returns a report that stands, with what the other engine says where that has another answer.
func contradicted(stands, other *verdict.Report) *verdict.Report {
	if violated := stands.Violated() || other.Violated(); stands.Verdict != other.Verdict && (other.Decided() || violated && !stands.Violated()) {
		stands.Undecided("", fmt.Sprintf("the engines differ, which is a mistake of this program: by %s it is %s, by %s %s",
			stands.Engine, stands.Describe(), other.Engine, other.Describe()))
		stands.Settle()
	}
	return stands
}

// blame makes one report where the engines blame different sides. A violation of the consumer excuses the provider from then on, and a violation of
// the provider that only one engine finds is not reported. There are two exceptions, in which the report that blames the provider stands. One: it
// has the same violation of the consumer, which excuses nothing. Two: the other report is undecided somewhere, and its violation of the consumer
// came later, or excuses nothing.
func blame(streamed, searched *verdict.Report) *verdict.Report {
	consumers, providers := streamed, searched
	if streamed.Verdict == verdict.ProviderViolation {
		consumers, providers = searched, streamed
	}
	first := consumers.Findings[0]
	isSame := func(f verdict.Finding) bool {
		return f.Verdict == first.Verdict && f.Rule == first.Rule && f.Line == first.Line
	}
	if slices.ContainsFunc(providers.Findings, isSame) {
		return providers
	}
	if !consumers.Decided() && (providers.Findings[0].Line < first.Line || declared.IsAlone(first.Rule)) {
		return providers
	}
	consumers.Cases = streamed.Cases
	return contradicted(consumers, providers)
}

// takeFollowing adds to r the findings of another engine after the same violations. It marks findings of both engines as possible consequences of
// those violations.
func takeFollowing(r, other *verdict.Report) {
	for _, f := range other.Findings {
		told := func(have verdict.Finding) bool { return have.Line == f.Line && have.Rule == f.Rule }
		if f.More > 0 {
			if i := sameViolation(r, &verdict.Origin{Rule: f.Rule, Line: f.Line}); i >= 0 {
				r.Findings[i].More += f.More
			}
		}
		if f.Follows == nil {
			continue
		}
		i, known := sameViolation(r, f.Follows), slices.IndexFunc(r.Findings, told)
		switch {
		case i < 0 || i == known:
			continue
		case known < 0:
			known, r.Findings = len(r.Findings), append(r.Findings, f)
		}
		r.Findings[known].Follows = &verdict.Origin{Rule: r.Findings[i].Rule, Line: r.Findings[i].Line}
	}
	r.Settle()
}

// takeLead puts first the violation that both engines found and that is the stream's first. Earlier findings of the search alone may follow from it: a
// search names the first unexplained moment, which may be a moment of rest before the event that shows the cause.
func takeLead(searched, streamed *verdict.Report) {
	lead := streamed.Findings[0]
	i := slices.IndexFunc(searched.Findings, func(f verdict.Finding) bool {
		return f.Follows == nil && f.Rule == lead.Rule && f.Verdict == lead.Verdict
	})
	if lead.Follows != nil || i < 0 {
		return
	}
	origin := verdict.Origin{Rule: lead.Rule, Line: searched.Findings[i].Line}
	for k := range searched.Findings[:i] {
		f := &searched.Findings[k]
		if !slices.ContainsFunc(streamed.Findings, func(told verdict.Finding) bool { return told.Rule == f.Rule && told.Follows == nil }) {
			f.Follows = &origin
		}
	}
	searched.Settle()
}

// sameViolation returns the finding of r that tells the violation which another engine found there: by another rule perhaps, or,
// where it is the only one, in another line. It is -1 where there is none.
func sameViolation(r *verdict.Report, o *verdict.Origin) int {
	at, others := -1, 0
	for i, f := range r.Findings {
		switch {
		case f.Verdict == verdict.Inconclusive || f.Follows != nil:
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
