package histories

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// sharesTokens reports whether a run has a token of both hosts: in the contract a token is of neither, and in two traces each
// host has its own.
func sharesTokens(r *Run) bool {
	owner := map[uint32]string{} // the QP that makes it valid and invalid
	shared := false
	note := func(token *uint32, qp string, message bool) {
		if token == nil {
			return
		}
		if message {
			qp = map[string]string{"qp1": "qp2", "qp2": "qp1"}[qp]
		}
		shared = shared || owner[*token] != "" && owner[*token] != qp
		owner[*token] = qp
	}
	for i := range r.Trace.Events {
		e := &r.Trace.Events[i]
		note(e.Token, e.Qp, e.Fn == "NdkSendAndInvalidate")
		for _, w := range e.Wrs {
			note(w.Token, e.Qp, w.Opcode == "SEND_WITH_INV")
		}
	}
	return shared
}

// drawConnection draws a random history of a connection, legal or spoilt, that two hosts may have taken down, each its own part.
func drawConnection(t dice, d model.Dialect) (r *Run, o linearize.Options, spoilt string) {
	for {
		r = newRunOf(t, d, "connection", "tokens")
		if t.Roll(4, "depth") > 0 {
			r.deepen(64)
		}
		for range 1 + t.Roll(3, "rounds") {
			r.Walk(t.Roll(31, "steps"))
			if Flip(t, "rest") {
				r.Rest()
				r.Drain()
			}
		}
		if _, spoilt = r.conclude(t); !sharesTokens(r) {
			return r, linearize.Options{Engine: linearize.Streaming, DeviceLevel: d.FailsAsFlushed}, spoilt
		}
	}
}

// What the contract does on a connection is no violation where each of its hosts took its own part down, and is conformant
// where the whole was: two traces leave no more open than one. Most of what breaks a rule of the whole still does.
func TestJoinedRuns(t *testing.T) {
	t.Logf("seed %v: -rapid.seed chooses another", flag.Lookup("rapid.seed").Value)
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			verdicts := map[verdict.Verdict]int{}
			broken, seen := 0, 0 // of the whole, and of its parts too
			rapid.Check(t, func(t *rapid.T) {
				r, o, spoilt := drawConnection(Shrinking{T: t}, d)
				whole, parts := judging.Stream(r.Trace, o), judging.Joined(t, r.Trace, o)
				rejected := false
				for i, part := range parts {
					verdicts[part.Verdict]++
					rejected = rejected || part.Verdict == verdict.ProviderViolation
					if rejected && spoilt == "nothing" {
						t.Fatalf("host %d: %+v\n%s", i, part.Findings, r)
					}
					if whole.Verdict == verdict.Conformant && spoilt == "nothing" && part.Verdict != verdict.Conformant && !judging.Unmet(part) {
						t.Fatalf("host %d: %+v, and the whole is conformant\n%s", i, part.Findings, r)
					}
				}
				if whole.Verdict == verdict.ProviderViolation {
					if broken++; rejected {
						seen++
					}
				}
			})
			t.Logf("%v; of %d violations %d are seen in two traces", verdicts, broken, seen)
			if verdicts[verdict.Conformant] == 0 || 2*seen < broken || seen == 0 {
				t.Error("two traces tell too little")
			}
		})
	}
}
