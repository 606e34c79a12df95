package linearize

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Which of two hosts is named first changes nothing, be they spoilt: neither the verdicts nor what is found, and in which order. What the
// files are called changes neither. NDK_HISTORIES says how many pairs are drawn, NDK_SEED and NDK_FROM which: what differs is told by its number, and
// NDK_HISTORIES=1 NDK_FROM=<number> draws it again.
func TestJoinedInEitherOrder(t *testing.T) {
	from, n, seed := environment(t, "NDK_FROM", 0), environment(t, "NDK_HISTORIES", 500), environment(t, "NDK_SEED", 1)
	verdicts, differing := map[verdict.Verdict]int{}, 0
	for number := from; number < from+n && differing < mostDiffering; number++ {
		d := quick{rand.New(rand.NewPCG(uint64(seed), uint64(number)))}
		r, o, spoilt := drawConnection(d, dialects()[d.roll(len(dialects()), "dialect")])
		if spoilt != "a callback comes twice" && flip(d, "spoilt again") {
			spoilt += ", " + spoil(d, r)
		}
		named := joinedAs(t, r.trace, o, [2]string{"A", "B"}, false)
		for i, part := range named {
			verdicts[part.Verdict]++
			other := joinedAs(t, r.trace, o, [2]string{"A", "B"}, true)[i]
			if want, got := told(part, true), told(other, true); got != want {
				differing++
				t.Errorf("pair %d of seed %d, spoilt: %s; host %d, named first or last\n%s\n%s\n%s", number, seed, spoilt, i, want, got, r)
			}
			renamed := joinedAs(t, r.trace, o, [2]string{"B", "A"}, false)[i]
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

// joinedAs judges a trace as those of two hosts of these names, of which either is named first. The reports are in the order of the hosts.
func joinedAs(t fataler, whole *trace.Trace, o Options, names [2]string, secondFirst bool) [2]*verdict.Report {
	var hosts [2]*Host
	for i, in := range splitByHost(t, whole) {
		hosts[i] = &Host{In: in, Name: names[i], Options: o}
	}
	reports := [2]*verdict.Report{}
	if secondFirst {
		CheckJoined(context.Background(), [2]*Host{hosts[1], hosts[0]})
	} else {
		CheckJoined(context.Background(), hosts)
	}
	for i, h := range hosts {
		if reports[i] = h.Report; h.Err != nil {
			t.Fatalf("%v", h.Err)
		}
	}
	return reports
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
