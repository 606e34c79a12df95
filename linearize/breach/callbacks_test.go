package breach

import (
	"slices"
	"testing"

	"ndkoracle/model"
)

// ARM-01 to ARM-04, ARM-07 to ARM-12, ARM-21: what is said of a callback is of a rule that a callback of that kind can break.
func TestCallbacksBreakTheirRules(t *testing.T) {
	c := Callbacks{Cq: "cq0", Arms: []model.Arm{model.SOLICITED}}
	for _, armed := range []model.Arm{model.ERRORS, model.SOLICITED, model.ANY} {
		for _, failed := range []bool{false, true} {
			if b := c.NotEnteredFor("w0", "success", Matching(armed, failed)); !IsOfMissing(b.Rule) || !slices.Equal(b.Also, []string{"ARM-03"}) {
				t.Errorf("armed %v, failed %v: a missing callback breaks %s, or else %v", armed, failed, b.Rule, b.Also)
			}
		}
		for _, never := range []bool{false, true} {
			for _, plain := range []bool{false, true} {
				if b := c.Unowed(never, armed, plain); !IsOfUnowed(b.Rule) || never != (b.Rule == "ARM-01") {
					t.Errorf("never armed %v, armed %v, plain %v: a callback that is not owed breaks %s", never, armed, plain, b.Rule)
				}
			}
		}
	}
	for _, b := range []Breach{c.NotEntered(), c.NotEnteredAtArm("w0", "success"), c.NotEnteredFor("w0", "success", MatchingMerged()), Unread("at rest")} {
		if !IsOfMissing(b.Rule) || IsOfUnowed(b.Rule) && b.Rule != Matching(model.ERRORS, false) {
			t.Errorf("%q breaks %s", b.Message, b.Rule)
		}
	}
}

// ARM-07, ARM-10, ARM-11: where several completions may be the one that a missing callback was for, the rule that says most is named.
func TestRuleOfMissingCallbackPrecedes(t *testing.T) {
	order := []string{MatchingMerged(), Matching(model.SOLICITED, true), Matching(model.SOLICITED, false), Matching(model.ANY, false), Matching(model.ERRORS, true)}
	for i, rule := range order {
		if !Precedes(rule, "") || Precedes("", rule) || Precedes(rule, rule) {
			t.Errorf("%s and none: which precedes is wrong", rule)
		}
		for _, other := range order[i+1:] {
			if !Precedes(rule, other) || Precedes(other, rule) {
				t.Errorf("%s does not precede %s", rule, other)
			}
		}
	}
}
