package witness_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// unexplained are the rules of the provider that verify-witness does not ask, or not of all objects (docs/witness.md): no explanation is needed for
// them.
var unexplained = []string{"ASY-01", "DISC-04", "LIFE-07", "LIFE-08", "LIFE-11", "LIFE-14"}

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

// swap exchanges two neighbouring calls, or points, with the steps behind each: those that end before i, and from there before next.
func swap(traced *trace.Trace, steps []witness.Placed, begin, i, next int) (*trace.Trace, []witness.Placed) {
	t := *traced
	t.Events = slices.Concat(traced.Events[:begin], traced.Events[i:next], traced.Events[begin:i], traced.Events[next:])
	for i := range t.Events {
		t.Events[i].Seq, t.Events[i].Line = uint64(i+1), i+2
	}
	moved := slices.Clone(steps)
	for j := range moved {
		switch at := moved[j].Behind; {
		case at >= begin && at < i:
			moved[j].Behind += next - i
		case at >= i && at < next:
			moved[j].Behind -= i - begin
		}
	}
	slices.SortStableFunc(moved, func(a, b witness.Placed) int { return cmp.Compare(a.Behind, b.Behind) })
	return &t, moved
}

// alone returns the places between which no call or callback is under way: from each to the next is one, or several that overlap.
func alone(events []trace.Event) []int {
	places, open := []int{0}, map[string]bool{}
	for i, e := range events {
		switch e.Ph {
		case trace.Call, trace.Enter:
			open[e.Op] = true
		case trace.Ret, trace.Exit:
			delete(open, e.Op)
		}
		if len(open) == 0 {
			places = append(places, i+1)
		}
	}
	return places
}

// forgeable are traces that are conformant as long as nothing of them is left out or exchanged.
func forgeable(t *testing.T) []*trace.Trace {
	t.Helper()
	peer := []string{`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds, `NdkAccept "qp":"p","conn":"n"` + notation.Succeeds}
	success := func(wr string) string { return `{"wr":"` + wr + `",` + notation.StatusSuccess + `}` }
	const cancelled = `{"wr":"r9","status":"STATUS_CANCELLED"}`
	var all []*trace.Trace
	for _, events := range [][]string{
		// A receive that a flush cancelled takes no message, whether it is told or not.
		{`NdkReceive "qp":"p","wr":"r1"` + notation.Succeeds, `NdkReceive "qp":"p","wr":"r9"` + notation.Succeeds, `NdkSend "qp":"q","wr":"s1"` + notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[` + success("s1") + `]`, `NdkFlush "qp":"p"` + notation.Succeeds,
			`NdkGetCqResults "cq":"d","n":4|"results":[` + success("r1") + `,` + cancelled + `]`},
		{`NdkReceive "qp":"p","wr":"r1"` + notation.Succeeds, `NdkReceive "qp":"p","wr":"r9"` + notation.Succeeds, `NdkSend "qp":"q","wr":"s1"` + notation.Succeeds,
			`NdkFlush "qp":"p"` + notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[` + success("s1") + `]`},
		// Nor does one of a QP that was closed.
		{`NdkReceive "qp":"p","wr":"r1"` + notation.Succeeds, `NdkSend "qp":"q","wr":"s1"` + notation.Succeeds, `NdkCloseQp "qp":"p"` + notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[` + success("s1") + `]`},
		// A CQ is closed after its QP, and after the callback that says so.
		{`NdkCloseQp "qp":"p"` + notation.Succeeds, `NdkCloseCq "cq":"d"` + notation.Succeeds},
		{`"ph":"call","op":"cq","fn":"NdkCloseCq","cq":"d"`, `"ph":"ret","op":"cq","fn":"NdkCloseCq","status":"STATUS_PENDING"`,
			`"ph":"call","op":"qp","fn":"NdkCloseQp","qp":"p"`, `NdkCloseCompletion "for":"qp","status":"STATUS_SUCCESS"|`,
			`NdkCloseCompletion "for":"cq","status":"STATUS_SUCCESS"|`, `"ph":"ret","op":"qp","fn":"NdkCloseQp","status":"STATUS_PENDING"`},
		// A disconnect that is pending flushes by when it completes.
		{`NdkReceive "qp":"p","wr":"r1"` + notation.Succeeds, `NdkReceive "qp":"p","wr":"r9"` + notation.Succeeds, `NdkSend "qp":"q","wr":"s1"` + notation.Succeeds,
			`"ph":"call","op":"x","fn":"NdkDisconnect","qp":"p"`, `NdkRequestCompletion "for":"x","status":"STATUS_SUCCESS"|`,
			`"ph":"ret","op":"x","fn":"NdkDisconnect","status":"STATUS_PENDING"`, `NdkGetCqResults "cq":"c","n":4|"results":[` + success("s1") + `]`},
	} {
		all = append(all, notation.Read(t, "ndkpi", notation.After(slices.Concat(peer, events)...)()))
	}
	return all
}

// A witness shows no more than its trace allows: where a call or a request is left out of an accepted trace and out of its witness alike, or two
// neighbouring calls are exchanged in both, and verify-witness accepts what is left, porcupine does (ARM-09, ARM-16, LIFE-04, POLL-03, POLL-05, RES-10).
func TestForgedWitnessesAreRefused(t *testing.T) {
	refused, accepted, other := map[string]int{}, map[string]int{}, map[string]int{}
	explained := func(f verdict.Finding) bool {
		ofOther := (f.Rule == "LIFE-04" || f.Rule == "LIFE-05") && !strings.HasPrefix(f.Message, "the close of cq") // which has no states
		return !slices.Contains(unexplained, f.Rule) && !ofOther
	}
	forgeAll := func(traced *trace.Trace, o linearize.Options) {
		if judging.HasNoWitness(traced) {
			return
		}
		o.Alone = true // a witness is of the search; that a provider at rest stays still is not for it
		told := o
		told.Witness = true
		report := linearize.Check(context.Background(), traced, told)
		if report.Witness == nil {
			t.Fatalf("%s: %s, without a witness: %+v", traced.Name, report.Verdict, report.Findings)
		}
		try := func(how, what string, forged *trace.Trace, left []witness.Placed) {
			var file bytes.Buffer
			claim := witness.Claim{Dialect: cmp.Or(o.Dialect, traced.Header.Dialect), DeviceLevel: o.DeviceLevel, Assume: o.Assume}
			if err := witness.Write(&file, forged, claim, left); err != nil {
				t.Fatalf("%s: %s %s: %v", traced.Name, how, what, err)
			}
			text := file.String()
			if _, err := witness.Verify(&file, forged); err != nil {
				refused[how]++
				return
			}
			switch r := linearize.Check(context.Background(), forged, o); {
			case r.Verdict == verdict.Conformant || r.Verdict == verdict.Inconclusive:
				accepted[how]++
			case r.Findings[0].Rule == "DEF-04" && (how == "never executed" && (strings.HasSuffix(traced.Name, "receives-of-two-lengths.ndktrace.jsonl") ||
				strings.HasSuffix(traced.Name, "send-that-waits-as-its-receive-failed.ndktrace.jsonl") ||
				strings.HasSuffix(traced.Name, "silent-send-cancelled-without-a-word.ndktrace.jsonl")) ||
				strings.HasSuffix(traced.Name, "receive-whose-message-may-have-been-another.ndktrace.jsonl")):
				other["DEF-04"]++ // of a receive that waits over a rest, all sends of its peer having been posted, or of a send behind a loss: docs/witness.md
			case how == "exchanged" && r.Findings[0].Rule == "POLL-05" && strings.HasSuffix(traced.Name, "verbs-flushed-by-a-message-that-succeeded.ndktrace.jsonl"):
				other["POLL-05"]++ // its read is flushed at a moment of rest before anything can have flushed it, and verify-witness lets it have failed (RES-11)
			case r.Findings[0].Rule == "RES-10" && (strings.HasSuffix(traced.Name, "send-cancelled-as-a-receive-may-have-failed-before-the-connection.ndktrace.jsonl") ||
				strings.HasSuffix(traced.Name, "cancelled-send-beside-a-receive-that-vanished.ndktrace.jsonl")):
				other["RES-10"]++ // its write, executed behind the loss that cancelled its send, may have been executed before, for all that verify-witness asks
			case r.Findings[0].Rule == "ARM-09" && strings.HasSuffix(traced.Name, "receive-posted-after-a-flush-waits-over-rest.ndktrace.jsonl"):
				other["ARM-09"]++ // its receive is cancelled behind a rest by the flush before, and verify-witness lets a provider at rest do so
			case r.Verdict == verdict.ConsumerViolation, !slices.ContainsFunc(r.Findings, explained), isBoundary(r.Findings[0]):
				other[r.Findings[0].Rule]++
			default:
				t.Errorf("%s: %s %s: verify-witness accepts it, and porcupine says %+v\n%s", traced.Name, how, what, r.Findings, text)
			}
		}
		ops, wrs := map[string]bool{}, map[string]bool{}
		for _, e := range traced.Events {
			ops[e.Op], wrs[e.Wr] = true, true
			for _, w := range e.Wrs {
				wrs[w.Wr] = true
			}
		}
		delete(ops, "")
		delete(wrs, "")
		for name := range ops {
			forged, left := forge(traced, report.Witness, func(op, _ string) bool { return op == name })
			try("without op", name, forged, left)
		}
		for name := range wrs {
			forged, left := forge(traced, report.Witness, func(_, wr string) bool { return wr == name })
			try("without request", name, forged, left)
			forged, left = forge(traced, report.Witness, func(op, wr string) bool { return op == "" && wr == name })
			try("never executed", name, forged, left)
		}
		places := alone(traced.Events)
		for i := 2; i < len(places); i++ {
			forged, left := swap(traced, report.Witness, places[i-2], places[i-1], places[i])
			try("exchanged", traced.Events[places[i-2]].Fn+" and "+traced.Events[places[i-1]].Fn, forged, left)
		}
		for i := range traced.Events[1:] {
			if a, b := traced.Events[i], traced.Events[i+1]; a.Op != b.Op {
				forged, left := swap(traced, report.Witness, i, i+1, i+2)
				try("events exchanged", fmt.Sprintf("%s %s and %s %s", a.Fn, a.Ph, b.Fn, b.Ph), forged, left)
			}
		}
	}
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Conformant) || row.Answer("porcupine").Verdict != row.Verdict || strings.HasPrefix(row.File, "known-divergences/") { // which may have none
			continue
		}
		if traced := row.Read(t); len(traced.Events) <= 60 && traced.Header.Order != "partial" {
			forgeAll(traced, row.Options())
		}
	}
	for _, traced := range forgeable(t) {
		forgeAll(traced, linearize.Options{})
	}
	behindAFlush := notation.After(`NdkFlush "qp":"q"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `"ph":"point","fn":"quiesce"`,
		`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s","status":"STATUS_CANCELLED"}]`)()
	forgeAll(notation.Read(t, "ndkpi", behindAFlush), linearize.Options{Assume: map[string]string{"A15": "CANCELLED"}})
	t.Logf("refused %v, accepted %v, not asked %v", refused, accepted, other)
	for _, how := range []string{"without op", "without request", "exchanged", "never executed", "events exchanged"} {
		if refused[how] < 50 || accepted[how] < 20 {
			t.Errorf("%s: refused %d, accepted %d", how, refused[how], accepted[how])
		}
	}
}

// isBoundary reports whether a rule is of what boundary events and lengths say, which a witness does not prove (docs/witness.md).
func isBoundary(f verdict.Finding) bool { return f.Alone || f.Rule == "RES-12" || f.Rule == "RES-13" }
