package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A state or a step that breaks a condition of a ranking is found, on the shortest way from Init (NotRaised, Lowered, Helps).
func TestRunsThatBreakARanking(t *testing.T) {
	const right = `EXTENDS Integers
CONSTANTS Most, Place
VARIABLE v
Shape == v \in Int
Bounds == 1 <= Most
MCInit == v = 0
Up == v < Most /\ v' = v + 1
Rest == v' = v
MCNext == Up \/ Rest
Outstanding == v < Place
Helpers == {"Step"}
HelpsStep == TRUE
StepDoes == Up
NotRaised == v' >= v
Lowered == v' > v
Even == v # 3
`
	for _, c := range []struct {
		old, new, property string
		kind               Kind
		depth              int
	}{
		{"", "", "HelpsStep", Ranking, 0},
		{"", "", "NotRaised", Ranking, 0},
		{"", "", "Even", Safety, 4},
		{"StepDoes == Up", "StepDoes == v < Most - 2 /\\ v' = v + 1", "HelpsStep", Ranking, 3},
		{"StepDoes == Up", "StepDoes == v < Most - 2 /\\ v' = v + 1", "Helpers", Ranking, 0},
		{"StepDoes == Up", "StepDoes == Rest", "Lowered", Ranking, 2},
		{"Rest == v' = v", "Rest == v = 2 /\\ v' = 1", "NotRaised", Ranking, 4},
		{"HelpsStep == TRUE", "HelpsStep == v # 2", "Helpers", Ranking, 3},
	} {
		folder := t.TempDir()
		text := "---- MODULE M ----\n" + strings.Replace(right, c.old, c.new, 1) + "====\n"
		for name, text := range map[string]string{"M.tla": text, "C.cfg": "CONSTANTS Most = 4"} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		check := checker(t, folder)
		check.Folder = folder
		claim := Claim{Name: "M", Kind: c.kind, Modules: []string{"M"}, Configuration: "C", Over: "none", Constants: "Place = Place", Verdict: Fails, Property: c.property}
		if depth, err := check.Run(t.Context(), claim); err != nil || depth != c.depth {
			t.Errorf("%s: %s is broken at depth %d, not %d, %v", c.new, c.property, depth, c.depth, err)
		}
	}
}

// A graph of which a state or a step breaks what is claimed is none.
func TestGraphsHoldWhatIsClaimed(t *testing.T) {
	for configuration, want := range map[string]string{
		"INVARIANT Small PROPERTY NotNegative": "",
		"INVARIANT Even":                       "Even is broken at depth 2",
		"PROPERTY Slow":                        "Slow is broken at depth 2",
	} {
		p, err := Load("counter", Safety, 0, module(t, counter+"Slow == [][v' # v + 2]_v\n"), "CONSTANT Most = 4\n"+configuration)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Explore(p.Largest())
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", configuration, err, want)
		}
	}
}
