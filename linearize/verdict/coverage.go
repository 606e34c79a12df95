package verdict

import (
	"slices"

	"ndkoracle/model"
	"ndkoracle/rules"
)

// checkable lists the rules that this package decides. ARM-03, ARM-06 and the rules of what must happen eventually need a
// moment of rest.
var checkable = []string{
	"ARM-01", "ARM-02", "ARM-03", "ARM-04", "ARM-05", "ARM-06", "ARM-07", "ARM-08", "ARM-09", "ARM-10", "ARM-11", "ARM-12",
	"ARM-13", "ARM-15", "ARM-16", "ARM-17", "ARM-18", "ARM-20", "ARM-21",
	"POLL-01", "POLL-02", "POLL-03", "POLL-04", "POLL-05", "POLL-07", "POLL-08", "POLL-09",
	"RES-01", "RES-02", "RES-03", "RES-05", "RES-09", "RES-10", "RES-11", "RES-12", "RES-13",
	"DEF-01", "DEF-02", "DEF-03", "DEF-04", "DEF-05", "DEF-06", "DEF-07", "DEF-08",
	"POST-01", "POST-02", "POST-06", "POST-08", "POST-09", "POST-10", "POST-11",
	"FLAG-01", "FLAG-02", "FLAG-05", "INV-05", "INV-06", "INV-07", "MEM-05", "MEM-12", "MEM-13", "MEM-17", "FLUSH-01", "FLUSH-02", "FLUSH-06", "RSZ-02", "RSZ-03", "MOD-02", "MOD-05",
	"SRQ-04", "SRQ-08", "SRQ-09", "SRQ-10",
	"ASY-01", "ASY-02", "ASY-07", "LIFE-01", "LIFE-02", "LIFE-04", "LIFE-05", "LIFE-06", "LIFE-07", "LIFE-08", "LIFE-09", "LIFE-11",
	"LIFE-13", "LIFE-14", "CONN-01", "CONN-02", "CONN-03", "DISC-04", "DISC-09", "DISC-10",
}

// eventual lists the rules that speak of what must happen in the end.
var eventual = []string{"ARM-03", "ARM-04", "ARM-07", "ARM-09", "ARM-10", "ARM-11", "DEF-04", "DEF-05", "FLAG-02", "FLUSH-02",
	"ASY-01", "LIFE-11", "LIFE-14"}

// onlyNdk lists the rules that have no counterpart in libibverbs.
var onlyNdk = []string{"ARM-05", "ARM-06", "ARM-08", "ARM-13", "ARM-15", "ARM-18", "POLL-01", "POST-01", "POST-02", "POST-10", "DEF-01",
	"DEF-02", "DEF-05", "DEF-06", "DEF-07", "DEF-08", "RES-02", "RES-05", "ASY-01", "ASY-02", "ASY-07", "INV-07", "MEM-05", "MEM-12", "MEM-13", "MEM-17", "MOD-02", "MOD-05",
	"SRQ-04", "SRQ-08", "SRQ-09", "LIFE-08", "LIFE-11", "CONN-01", "CONN-02", "CONN-03",
	"LIFE-13", "LIFE-14", "DISC-04", "DISC-09", "DISC-10"}

// Checkable returns the ids of the rules that Check decides, in the order of the rulebook.
func Checkable() []string { return slices.Clone(checkable) }

// cover says of every rule of the rulebook what became of it. A rule that was not checked is never counted as kept.
func (r *Report) cover(d model.Dialect) {
	restless := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == Inconclusive })
	for _, rule := range rules.All() {
		have := r.Rules[rule.ID]
		switch {
		case !slices.Contains(checkable, rule.ID) && have.Count == 0: // unless another reading makes it a rule to check
			have = RuleCoverage{Coverage: NotCheckable, Why: rule.WithoutCheck()}
		case d.Name != "ndkpi" && d.Name != "ndspi" && slices.Contains(onlyNdk, rule.ID):
			have = RuleCoverage{Coverage: NotCheckable, Why: "libibverbs has no such thing"}
		case have.Count == 0 && have.Coverage != Undecided:
			have.Coverage = Vacuous
		case restless && slices.Contains(eventual, rule.ID):
			have.Coverage, have.Why = Undecided, "not judged to the end of the trace"
		}
		r.Rules[rule.ID] = have
	}
}

// readings returns the ids of the readings that the verdict rests on: those of the rules that were checked.
func (r *Report) readings() []string {
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
		if used[reading.ID] {
			ids = append(ids, reading.ID)
		}
	}
	return ids
}

// assumptions returns the readings that a finding by a rule rests on: those that the rulebook names for it.
func assumptions(id string) []string {
	rule, ok := rules.Get(id)
	if !ok {
		return nil
	}
	return rule.Readings
}
