package histories

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Which of two hosts is named first changes nothing, be they spoilt: neither the verdicts nor what is found, and in which order. What the
// files are called changes neither. NDK_HISTORIES says how many pairs are drawn, NDK_SEED and NDK_FROM which: what differs is told by its number, and
// NDK_HISTORIES=1 NDK_FROM=<number> draws it again.
func TestJoinedInEitherOrder(t *testing.T) {
	from, n, seed := judging.Environment(t, "NDK_FROM", 0), judging.Environment(t, "NDK_HISTORIES", 500), judging.Environment(t, "NDK_SEED", 1)
	verdicts, differing := map[verdict.Verdict]int{}, 0
	for number := from; number < from+n && differing < mostDiffering; number++ {
		r, o, spoilt := drawPair(seed, number)
		named := joinedAs(t, r.Trace, o, [2]string{"A", "B"}, false)
		for i, part := range named {
			verdicts[part.Verdict]++
			other := joinedAs(t, r.Trace, o, [2]string{"A", "B"}, true)[i]
			if want, got := told(part, true), told(other, true); got != want {
				differing++
				t.Errorf("pair %d of seed %d, spoilt: %s; host %d, named first or last\n%s\n%s\n%s", number, seed, spoilt, i, want, got, r)
			}
			renamed := joinedAs(t, r.Trace, o, [2]string{"B", "A"}, false)[i]
			if want, got := told(part, false), told(renamed, false); got != want {
				differing++
				t.Errorf("pair %d of seed %d, spoilt: %s; host %d under another name\n%s\n%s\n%s", number, seed, spoilt, i, want, got, r)
			}
		}
	}
	t.Logf("seed %d, pairs from %d: %v, %d differ", seed, from, verdicts, differing)
	if n >= 500 && (verdicts[verdict.Conformant] == 0 || verdicts[verdict.ProviderViolation] == 0 || verdicts[verdict.Inconclusive] == 0) {
		t.Error("one of the answers never came")
	}
}

// drawPair draws what two hosts may have taken down, each its own part, spoilt once or twice as a rule.
func drawPair(seed, number int) (r *Run, o linearize.Options, spoilt string) {
	d := Quick{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(number)))}
	r, o, spoilt = drawConnection(d, Dialects()[d.Roll(len(Dialects()), "dialect")])
	if spoilt != "a callback comes twice" && Flip(d, "spoilt again") {
		spoilt += ", " + Spoil(d, r)
	}
	return r, o, spoilt
}

// joinedAs judges a trace as those of two hosts of these names, of which either is named first. The reports are in the order of the hosts.
func joinedAs(t judging.Fataler, whole *trace.Trace, o linearize.Options, names [2]string, secondFirst bool) [2]*verdict.Report {
	return joinedWithin(context.Background(), t, whole, o, names, secondFirst)
}

// joinedWithin does that until a context ends.
func joinedWithin(ctx context.Context, t judging.Fataler, whole *trace.Trace, o linearize.Options, names [2]string, secondFirst bool) (reports [2]*verdict.Report) {
	var hosts [2]*linearize.Host
	for i, in := range judging.SplitByHost(t, whole) {
		hosts[i] = &linearize.Host{In: in, Name: names[i], Options: o}
	}
	if secondFirst {
		linearize.CheckJoined(ctx, [2]*linearize.Host{hosts[1], hosts[0]})
	} else {
		linearize.CheckJoined(ctx, hosts)
	}
	for i, h := range hosts {
		if reports[i] = h.Report; h.Err != nil {
			t.Fatalf("%v", h.Err)
		}
	}
	return reports
}

// A check of two hosts that is ended tells what was found by then, and nothing that the whole would not tell: either that, or that it
// leaves something open. What it did not come to is told to be so.
func TestEndedJoinTellsWhatItFound(t *testing.T) {
	from, n, seed := judging.Environment(t, "NDK_FROM", 0), judging.Environment(t, "NDK_HISTORIES", 200), judging.Environment(t, "NDK_SEED", 1)
	ended, found := 0, 0
	for number := from; number < from+n; number++ {
		r, o, spoilt := drawPair(seed, number)
		whole := joinedAs(t, r.Trace, o, [2]string{"A", "B"}, false)
		for looks := 1; ; looks++ {
			ctx, cancel := context.WithCancel(context.Background())
			look := &judging.EndsAtLook{Context: ctx, Looks: looks, Cancel: cancel}
			parts := joinedWithin(look, t, r.Trace, o, [2]string{"A", "B"}, false)
			if cancel(); look.Looks > 0 {
				break // it was not ended
			}
			ended++
			for i, part := range parts {
				if last := part.Findings[len(part.Findings)-1]; !strings.HasPrefix(last.Message, "interrupted after ") {
					t.Errorf("pair %d of seed %d, host %d, ended at look %d: %s", number, seed, i, looks, told(part, true))
				}
				for _, f := range part.Findings {
					if f.Verdict == verdict.Inconclusive {
						continue
					}
					found++
					same := func(g verdict.Finding) bool { return g.Rule == f.Rule && g.Line == f.Line && g.Verdict == f.Verdict }
					if !slices.ContainsFunc(whole[i].Findings, same) && whole[i].Decided() {
						t.Errorf("pair %d of seed %d, spoilt: %s; host %d, ended at look %d\n%s\nthe whole: %s\n%s", number, seed, spoilt, i, looks,
							told(part, true), told(whole[i], true), r)
					}
				}
				for id, c := range part.Rules {
					if c.Coverage == verdict.Vacuous {
						t.Errorf("pair %d of seed %d, host %d, ended at look %d: %s is %s", number, seed, i, looks, id, c.Coverage)
					}
				}
			}
		}
	}
	t.Logf("seed %d, pairs from %d: ended %d times, with %d violations found by then", seed, from, ended, found)
	if n >= 200 && found == 0 {
		t.Error("nothing was ever found")
	}
}

// told is what a report tells, with or without what names a host.
func told(r *verdict.Report, names bool) string {
	text := string(r.Verdict)
	for _, f := range r.Findings {
		text += fmt.Sprintf("\n%s %s, line %d, %v, beside %v, %d more", f.Verdict, f.Rule, f.Line, f.See, f.Also, f.More)
		if f.Follows != nil {
			text += fmt.Sprintf(", follows from %s, line %d", f.Follows.Rule, f.Follows.Line)
		}
		if names {
			text += fmt.Sprintf(": %s %v %v", f.Message, f.Before, f.Instead)
		}
	}
	return text
}
