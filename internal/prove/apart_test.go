package prove

import (
	"slices"
	"strings"
	"testing"
)

// Where each step and each invariant is of one CQ alone, what holds of one holds of any number (ARM-06). A step that looks at another CQ,
// one that changes another, and an invariant on two are found.
func TestApart(t *testing.T) {
	const right = `EXTENDS Integers
CONSTANT Most
VARIABLE v
Set == {"q", "r"}
Shape == v \in [Set -> Int]
Bounds == 1 <= Most
MCInit == v = [q \in Set |-> 0]
Up(q) == v[q] < Most /\ v' = [v EXCEPT ![q] = v[q] + 1]
MCNext == \E q \in Set : Up(q)
Small == \A q \in Set : v[q] <= Most
`
	for _, c := range []struct{ old, new, failing string }{
		{"", "", ""},
		{"= v[q] + 1]", `= v["r"] + 1]`, `Up("q")`},
		{"v[q] < Most /", `v["q"] < Most /`, `Up("r")`},
		{"![q] = v[q] + 1]", `![q] = v[q] + 1, !["q"] = 3]`, `Up("r")`},
		{": v[q] <= Most", `: v[q] <= v["r"] + Most`, "Small"},
		{"Small == ", `Small == v["r"] # 3 /\ `, "Small"},
	} {
		p := load(t, strings.Replace(right, c.old, c.new, 1), "INVARIANT Small")
		_, failures, err := p.Apart()
		var failing []string
		for _, f := range failures {
			failing = append(failing, f.Step)
		}
		if got := strings.Join(slices.Compact(failing), ", "); err != nil || got != c.failing {
			t.Errorf("%s: %q, not %q, %v", c.new, got, c.failing, err)
		}
	}
	if _, _, err := load(t, counter, "INVARIANT Small").Apart(); err == nil || !strings.Contains(err.Error(), "not a function") {
		t.Errorf("got %v", err)
	}
}
