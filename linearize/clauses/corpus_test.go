package clauses_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// missedByTimeline has the traces that break a rule of queue pairs and that the clauses miss, and why, by row.
const missedByTimeline = "testdata/timeline-misses.json"

// judgeRow judges a trace of the corpus by the clauses over hidden times, and drops what no longer matters when that is due, or after each step; nil where
// they do not apply, as its order is partial.
func judgeRow(t *testing.T, row judging.Row, eagerly bool) *clauses.Engine {
	t.Helper()
	traced := row.Read(t)
	calls.MarkNoEffect(traced.Events)
	if traced.Header.Order == "partial" {
		return nil
	}
	o := row.Options()
	d, err := o.ResolveDialect(traced.Header.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	e := clauses.New(d)
	e.Solver.Eager = eagerly
	e.Read(resets.Of(traced))
	return e
}

// What no longer matters is dropped: on no trace of the corpus does a finding go with it.
func TestCollectionLosesNoFinding(t *testing.T) {
	collections := 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		kept, dropped := judgeRow(t, row, false), judgeRow(t, row, true)
		if kept == nil {
			continue
		}
		if collections += dropped.Solver.Collections; len(kept.Findings) != len(dropped.Findings) {
			t.Errorf("%s: %s\ncollected after each step: %s", row.Name(), judging.SayingOf(kept), judging.SayingOf(dropped))
		}
	}
	if collections == 0 {
		t.Error("nothing was collected")
	}
}

// isUnclear reports whether a trace says something that the format does not know.
func isUnclear(traced *trace.Trace) bool {
	return slices.ContainsFunc(traced.Events, func(e trace.Event) bool { return e.Unclear != "" })
}

// The clauses accuse no trace of the corpus that is conformant, or in which the consumer is at fault, and find the rows that break a
// rule of queue pairs but for those listed with a reason.
func TestTimelineOfTheCorpus(t *testing.T) {
	text, err := os.ReadFile(missedByTimeline)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	found, missed, accepted := 0, map[string]string{}, 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		e := judgeRow(t, row, false)
		if e == nil {
			continue
		}
		if n := e.Solver.Unbalanced; n != 0 {
			t.Errorf("%s: %d variables were released too often", row.Name(), n)
		}
		accuses := len(e.Findings) > 0
		switch {
		case strings.Contains(row.Says, "does not record its qp_type"): // it is judged as RC, and package doubts leaves open what UC allows
		case row.Verdict == string(verdict.Inconclusive) && isUnclear(resets.Of(row.Read(t))): // package doubts leaves open what may rest on that
		case accuses && row.Verdict == string(verdict.ConsumerViolation) && e.Findings[0].Seen.Line > row.Line: // what the consumer did before that shows it excuses it
		case accuses && row.Verdict != string(verdict.ProviderViolation):
			t.Errorf("%s is %s, and accused: %s", row.Name(), row.Verdict, judging.SayingOf(e))
		case row.Verdict == string(verdict.Conformant):
			accepted++
		case row.Verdict != string(verdict.ProviderViolation) || !judging.OfQueuePairs(row.Rule):
		case accuses:
			found++
		default:
			missed[row.Name()] = row.Rule + " " + row.Shows
			if known[row.Name()] == "" {
				t.Errorf("%s: %s is missed, undecided %v", row.Name(), row.Rule, slices.Sorted(maps.Keys(e.Undecided)))
			}
		}
	}
	t.Logf("%d rows of rules of queue pairs found, %d missed; %d conformant rows not accused", found, len(missed), accepted)
	for name := range known {
		if missed[name] == "" {
			t.Errorf("%s is found: take it off %s", name, missedByTimeline)
		}
	}
	if found == 0 || accepted == 0 {
		t.Errorf("%d found, %d accepted", found, accepted)
	}
}
