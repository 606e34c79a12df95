package verdict

import (
	"slices"
	"testing"

	"ndkoracle/model"
)

// A finding shows the readings of its rule that matter in its dialect: DEF-04 rests on A34 in libibverbs alone, which has lists of requests.
func TestReadingsOfADialect(t *testing.T) {
	for _, d := range []model.Dialect{model.Ndkpi(), model.Verbs()} {
		r := &Report{Findings: []Finding{{Verdict: ProviderViolation, Rule: "DEF-04"}}, Rules: map[string]RuleCoverage{"DEF-04": {Coverage: Checked, Count: 1}}}
		r.Conclude(d)
		for what, ids := range map[string][]string{"the finding": r.Findings[0].Assumes, "the verdict": r.Assumes} {
			if is := slices.Contains(ids, "A34"); is != (d.Name == "verbs") || !slices.Contains(ids, "A29") {
				t.Errorf("%s: %s rests on %v", d.Name, what, ids)
			}
		}
	}
}
