package verdict

import (
	"cmp"
	"slices"

	"ndkoracle/model"
)

// Conclude derives the verdict, and what became of each rule.
func (r *Report) Conclude(d model.Dialect) {
	r.Settle()
	for i := range r.Findings {
		r.Findings[i].Assumes = assumptions(r.Findings[i].Rule, d.Name)
	}
	r.cover(d)
	r.Assumes = r.readings(d.Name)
}

// Settle derives the verdict from the findings. It puts the findings that the verdict rests on first, and those that may only follow from them last.
func (r *Report) Settle() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	r.Verdict = Conformant
	for i := range r.Findings {
		if r.Verdict = r.Findings[i].Verdict; r.Findings[i].Follows == nil {
			return
		}
		r.Verdict = Inconclusive // all may only follow from a violation in another trace
	}
}

// rank returns the order of a finding: first violations, then those that may follow from them, then inconclusive
// findings. Within the first two groups the provider's come first.
func (f *Finding) rank() int {
	rank := slices.Index([]Verdict{ProviderViolation, ConsumerViolation, ProviderViolation, ConsumerViolation, Inconclusive}, f.Verdict)
	if f.Follows != nil && f.Verdict != Inconclusive {
		rank += 2
	}
	return rank
}

// Undecided adds a question that could not be answered, of a rule or, where that is "", of none in particular.
func (r *Report) Undecided(rule, reason string) {
	r.Findings = append(r.Findings, Finding{Verdict: Inconclusive, Rule: rule, Message: reason})
}

// Decided reports whether nothing is undecided, except for what the end of the trace leaves undecided.
func (r *Report) Decided() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == Inconclusive && f.Message != NotAtRest })
}

// Violated reports whether a rule was broken, by whomever.
func (r *Report) Violated() bool {
	return r.Verdict == ProviderViolation || r.Verdict == ConsumerViolation
}

// Suspects reports whether a finding names a rule that would be broken but for what the trace leaves undecided.
func (r *Report) Suspects() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == Inconclusive && f.Rule != "" })
}

// Describe names the verdict, and the rule that was broken.
func (r *Report) Describe() string {
	if len(r.Findings) == 0 || r.Findings[0].Rule == "" {
		return string(r.Verdict)
	}
	return string(r.Verdict) + " of " + r.Findings[0].Rule
}
