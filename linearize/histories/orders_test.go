package histories

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// ofOrders returns the verdict on a trace in a partial order by those on each order that it leaves open, and the rules that are
// broken in them; known is false when one was left open.
func ofOrders(p *trace.Trace, orders [][]trace.Event, o linearize.Options) (want verdict.Verdict, rules map[string]bool, known bool) {
	rules, known = map[string]bool{}, true
	for _, events := range orders {
		total := *p
		total.Header.Order, total.Events = "total", events
		report := linearize.Check(context.Background(), &total, o)
		if !report.Violated() && report.Decided() {
			return report.Verdict, rules, true
		}
		known = known && report.Decided()
		switch {
		case want == "":
			want = report.Verdict
		case want != report.Verdict && (want == verdict.ProviderViolation || want == verdict.ConsumerViolation):
			want = verdict.Inconclusive
		}
		for _, f := range report.Findings { // the first of a beginning need not be the first of the whole
			rules[f.Rule] = true
		}
	}
	return want, rules, known
}

// A trace in a partial order is allowed exactly when one of the orders is that it may have happened in; a rule is broken when
// one is in each.
func TestPartialOrderIsAnyOrder(t *testing.T) {
	ofAll := map[verdict.Verdict]int{}
	for _, d := range Dialects()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			verdicts, several, gaveUp := map[verdict.Verdict]int{}, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				r := NewRun(Shrinking{T: t}, d)
				r.Overlaps = rapid.Bool().Draw(t, "overlaps")
				r.Walk(rapid.IntRange(0, 20).Draw(t, "steps"))
				r.conclude(Shrinking{T: t})
				p := spread(Shrinking{T: t}, r.Trace)
				orders := allOrders(p.Events, 40)
				if orders == nil {
					return
				}
				engine := rapid.SampledFrom([]linearize.Engine{linearize.Streaming, linearize.Streaming, linearize.Porcupine}).Draw(t, "engine")
				o := linearize.Options{Engine: engine, MaxMemory: 64 << 20}
				want, rules, _ := ofOrders(p, orders, o)
				report := linearize.Check(context.Background(), p, o)
				if report.Verdict == verdict.Inconclusive && want != verdict.Inconclusive && strings.Contains(report.Findings[0].Message, "were tried") {
					gaveUp++
					return
				}
				if report.Verdict != want || report.Violated() && !rules[report.Findings[0].Rule] {
					t.Fatalf("%s: %s, want %s of %v, by %d orders: %+v\n%s", engine, report.Verdict, want, rules, len(orders), report.Findings, r)
				}
				verdicts[want]++
				if len(orders) > 1 {
					several++
				}
			})
			t.Logf("%v, %d of several orders; of %d more were tried than are", verdicts, several, gaveUp)
			if verdicts[verdict.Conformant] == 0 || several == 0 {
				t.Error("none was conformant, or no trace had several orders")
			}
			ofAll[verdict.ProviderViolation] += verdicts[verdict.ProviderViolation]
		})
	}
	if ofAll[verdict.ProviderViolation] == 0 {
		t.Error("none of any dialect was a violation")
	}
}
