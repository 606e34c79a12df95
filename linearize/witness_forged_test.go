package linearize

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// unexplained are the rules that verify-witness does not ask (docs/witness.md): those that are told without an explanation.
var unexplained = []string{"ASY-01", "DEF-06", "LIFE-01", "LIFE-07", "LIFE-11", "POLL-01"}

// forge leaves some events out of a trace, and out of its witness the steps that they stand for: those of calls and requests that gone names.
func forge(traced *trace.Trace, steps []witness.Placed, gone func(op, wr string) bool) (*trace.Trace, []witness.Placed) {
	t := *traced
	t.Events = nil
	behind := make([]int, len(traced.Events)+1) // from 1: of each event, the last that is kept up to it
	behind[0] = -1
	lost := map[string]int{} // completions of which a poll does not tell any more
	calls := map[string]bool{}
	for i, e := range traced.Events {
		if behind[i+1] = behind[i]; gone(e.Op, e.Wr) || gone(e.For, "") || calls[e.Op] {
			calls[e.Op] = e.Op != ""
			continue
		}
		if e.Wrs != nil {
			if e.Wrs = slices.DeleteFunc(slices.Clone(e.Wrs), func(w trace.WorkRequest) bool { return gone("", w.Wr) }); len(e.Wrs) == 0 {
				calls[e.Op] = true
				continue
			}
		}
		n := len(e.Results)
		e.Results = slices.DeleteFunc(slices.Clone(e.Results), func(r trace.Result) bool { return gone("", r.Wr) })
		lost[e.Op] = n - len(e.Results)
		behind[i+1] = len(t.Events)
		t.Events = append(t.Events, e)
	}
	var kept []witness.Placed
	for _, s := range steps {
		if gone(s.Op, s.Wr) || s.Op != "" && calls[s.Op] {
			continue
		}
		if s.K != nil {
			k := *s.K - lost[s.Op]
			s.K = &k
		}
		s.Behind = behind[s.Behind+1]
		kept = append(kept, s)
	}
	return &t, kept
}

// A witness shows no more than its trace allows: where a call or a request is left out of an accepted trace and out of its witness alike, and
// verify-witness accepts what is left, porcupine does (ARM-09, ARM-16, LIFE-04, POLL-03, POLL-05, RES-08).
func TestForgedWitnessesAreRefused(t *testing.T) {
	refused, accepted, other := 0, 0, map[string]int{}
	for _, row := range corpusRows(t) {
		if row.Verdict != string(verdict.Conformant) {
			continue
		}
		traced, o := row.read(t), row.options()
		if len(traced.Events) > 60 || traced.Header.Order == "partial" {
			continue
		}
		o.Witness = true
		steps := Check(context.Background(), traced, o).Witness
		ops, wrs := map[string]bool{}, map[string]bool{}
		for _, e := range traced.Events {
			ops[e.Op], wrs[e.Wr] = true, true
			for _, w := range e.Wrs {
				wrs[w.Wr] = true
			}
		}
		try := func(what, name string, gone func(op, wr string) bool) {
			if name == "" {
				return
			}
			forged, left := forge(traced, steps, gone)
			var file bytes.Buffer
			claim := witness.Claim{Dialect: cmp.Or(o.Dialect, traced.Header.Dialect), DeviceLevel: o.DeviceLevel, Assume: o.Assume}
			if err := witness.Write(&file, forged, claim, left); err != nil {
				t.Fatalf("%s without %s %s: %v", row.File, what, name, err)
			}
			if _, err := witness.Verify(&file, forged); err != nil {
				refused++
				return
			}
			switch r := Check(context.Background(), forged, row.options()); {
			case r.Verdict == verdict.Conformant || r.Verdict == verdict.Inconclusive:
				accepted++
			case len(r.Findings) > 0 && slices.Contains(unexplained, r.Findings[0].Rule):
				other[r.Findings[0].Rule]++
			default:
				t.Errorf("%s without %s %s: verify-witness accepts it, and porcupine says %+v", row.File, what, name, r.Findings)
			}
		}
		for name := range ops {
			try("op", name, func(op, _ string) bool { return op == name })
		}
		for name := range wrs {
			try("request", name, func(_, wr string) bool { return wr == name })
		}
	}
	t.Logf("refused %d, accepted %d, not asked %v", refused, accepted, other)
	if refused < 1000 || accepted < 100 {
		t.Errorf("refused %d, accepted %d", refused, accepted)
	}
}
