package verdict

import (
	"slices"

	"ndkoracle/linearize/declared"
	"ndkoracle/model"
	"ndkoracle/rules"
)

// Checkable returns the ids of the rules that Check decides, in the order of the rulebook.
func Checkable() []string { return declared.IDs() }

// cover says of every rule of the rulebook what became of it. A rule that was not checked is never counted as kept.
func (r *Report) cover(d model.Dialect) {
	restless := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == Inconclusive })
	for _, rule := range rules.All() {
		have, decided := r.Rules[rule.ID], declared.Get(rule.ID)
		switch {
		case decided == nil && have.Count == 0: // unless another reading makes it a rule to check
			have = RuleCoverage{Coverage: NotCheckable, Why: rule.WithoutCheck()}
		case decided != nil && (decided.OnlyNdk && d.Ibverbs || decided.OnlyCalls && d.EventsAreRead):
			have = RuleCoverage{Coverage: NotCheckable, Why: "libibverbs has no such thing"}
		case have.Count == 0 && have.Coverage != Undecided:
			have.Coverage = Vacuous
		case restless && decided != nil && decided.Eventual:
			have.Coverage, have.Why = Undecided, "not judged to the end of the trace"
		}
		r.Rules[rule.ID] = have
	}
}

// readings returns the ids of the readings that the verdict rests on: those of the rules that were checked.
func (r *Report) readings(dialect string) []string {
	used := map[string]bool{}
	for _, rule := range rules.All() {
		if r.Rules[rule.ID].Coverage == Checked {
			for _, id := range rule.Readings {
				used[id] = true
			}
		}
	}
	var ids []string
	for _, reading := range rules.Readings() {
		if used[reading.ID] && reading.Matters(dialect) {
			ids = append(ids, reading.ID)
		}
	}
	return ids
}

// assumptions returns the readings that a finding by a rule rests on: those that the rulebook names for it, and that matter in its dialect.
func assumptions(id, dialect string) []string {
	rule, ok := rules.Get(id)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(rule.Readings), func(id string) bool {
		reading, ok := rules.GetReading(id)
		return ok && !reading.Matters(dialect)
	})
}
