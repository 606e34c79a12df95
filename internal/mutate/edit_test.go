package mutate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/tlc"
)

const tla = "../../tla"

func edits(t *testing.T) []Edit {
	t.Helper()
	all, err := ReadEdits(tla)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The text of every edit is there exactly once, its configuration is in the manifest, and what finds it is checked there.
func TestEdits(t *testing.T) {
	all := edits(t)
	if len(all) < 60 {
		t.Errorf("there are %d edits", len(all))
	}
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := modules(tla)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if changed, err := e.Apply(texts[e.Module]); err != nil {
			t.Errorf("%s: %v", e, err)
		} else if changed == texts[e.Module] {
			t.Errorf("%s: nothing changes", e)
		}
		for _, name := range strings.Split(e.Configuration, ",") {
			if !slices.ContainsFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name && c.Verdict == tlc.Pass }) {
				t.Errorf("%s: no configuration %s holds", e, name)
				continue
			}
			cfg, err := os.ReadFile(filepath.Join(tla, name+".cfg"))
			if err != nil {
				t.Fatal(err)
			}
			if e.Found != ByGraph && e.IsFound() && !slices.Contains(tlc.Checked(string(cfg)), e.Found) {
				t.Errorf("%s: %s does not check %s", e, name, e.Found)
			}
		}
	}
}

// Each clause of the contract, in every definition that an action is made of, is changed by an edit; one that is not is named.
func TestMissed(t *testing.T) {
	without := func(definition string) []Edit {
		return slices.DeleteFunc(edits(t), func(e Edit) bool { return definition == "" || e.Definition == definition })
	}
	missed := func(edits []Edit) []string {
		clauses, err := Missed(tla, edits)
		if err != nil {
			t.Fatal(err)
		}
		return clauses
	}
	if n := len(missed(without(""))); n < 150 {
		t.Errorf("without any edit %d clauses are missed: those of the actions were not found", n)
	}
	if some := missed(edits(t)); len(some) > 0 {
		t.Errorf("no edit changes\n%s", strings.Join(some, "\n"))
	}
	if some := missed(without("CanOverflow")); len(some) != 1 || !strings.HasPrefix(some[0], "CompletionQueue!CanOverflow: ") {
		t.Errorf("without the edits of CanOverflow these are missed: %q", some)
	}
}

// The clauses of a definition are its conjuncts, disjuncts, cases and branches, without comments.
func TestClauses(t *testing.T) {
	all := Definitions("M", "\\* Before.\nA(x) ==\n  /\\ x = \"/\\\\\"   \\* why /\\ not\n  /\\ IF x THEN B ELSE C\n\nB == TRUE\nC ==\n  CASE x -> 1\n    [] y -> 2\n")
	var got []string
	for _, d := range all {
		for _, c := range d.Clauses() {
			got = append(got, d.Name+" "+c.Text)
		}
	}
	want := []string{`A x = "/\\"`, "A x", "A B", "A C", "B TRUE", "C x -> 1", "C y -> 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What does not match exactly once, in the definition that is named, is refused.
func TestApplyErrors(t *testing.T) {
	text := "A == x /\\ x\nB == y\n"
	for want, e := range map[string]Edit{
		"defined 0 times": {Module: "M", Definition: "C", Old: "x"},
		"is 2 times":      {Module: "M", Definition: "A", Old: "x"},
		"is 0 times":      {Module: "M", Definition: "A", Old: "y"},
	} {
		if _, err := e.Apply(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if got, err := (Edit{Module: "M", Definition: "B", Old: "y", New: "z"}).Apply(text); err != nil || got != "A == x /\\ x\nB == z\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// A line that is not understood is refused, with its number; what is written is read again.
func TestReadEdits(t *testing.T) {
	good := "M\tA\tx\ty\tit is wrong\tCQ\tP"
	for want, line := range map[string]string{
		":2: 6 columns, not 7":     strings.TrimSuffix(good, "\tP"),
		":2: M A: it is wrong ch":  "M\tA\tx\tx\tit is wrong\tCQ\tP",
		":2: M A:  has an empty":   "M\tA\tx\ty\t\tCQ\tP",
		":2: a reason is given":    "M\tA\tx\ty\tit is wrong\tCQ\tSAME",
		":2: a reason is given ex": "M\tA\tx\ty\tit is wrong\tCQ\tP: why",
		":3: M A: it is wrong is ": good + "\n" + good,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, EditsName), []byte(editsHeader+"\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEdits(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	dir := t.TempDir()
	all := edits(t)
	if err := WriteEdits(dir, all); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadEdits(dir); err != nil || !slices.Equal(again, all) {
		t.Errorf("what was written is not what is read: %v", err)
	}
}
