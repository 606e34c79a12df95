package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The formulas are the specification: for small constants they have the states and the steps, with their actions and arguments,
// that TLC finds. A formula that is another one has not.
func TestFormulasHaveTheGraphOfTLC(t *testing.T) {
	const name = "CQ-verbs-reading-A25-yes"
	c := checker(t)
	claim := Claim{Name: name, Kind: Safety, Modules: []string{"ProofCompletionQueue"}, Configuration: name}
	p, err := c.Load(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })
	machine, err := mc.Read(os.DirFS(tla), manifest[i].Module, name)
	if err != nil {
		t.Fatal(err)
	}
	runner := tlc.Runner{Jar: jar(t), Dir: tla, Build: build, Timeout: 5 * time.Minute}
	theirs, err := runner.Graph(t.Context(), manifest[i], machine.Actions())
	if err != nil {
		t.Fatal(err)
	}
	compare := func() string {
		t.Helper()
		g, err := p.Explore(p.Largest())
		if err != nil {
			t.Fatal(err)
		}
		difference, err := Compare(g, theirs)
		if err != nil {
			t.Fatal(err)
		}
		return difference
	}
	if difference := compare(); difference != "" {
		t.Error(difference)
	}
	label := p.paths[0].label()
	p.paths = slices.DeleteFunc(p.paths, func(w path) bool { return w.label() == label })
	if compare() == "" {
		t.Errorf("the graph without %s is the same", label)
	}
}

// Of each pattern of use, tla/README.md says "proved for every depth" where the manifest claims so, and proves that its completions
// are polled (ARM-04, ARM-23); and "refuted" where a condition must fail.
func TestPatternsOfUse(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(tla, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"ndkpi", "ndspi", "verbs", "device"}
	said := 0
	list := claims(t)
	find := func(kind, dialect, pattern string) Verdict {
		name := kind + "/" + dialect + ": " + pattern
		i := slices.IndexFunc(list, func(c Claim) bool { return c.Name == name })
		if i < 0 {
			return ""
		}
		if problem := ofPattern(list[i], dialect, pattern); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
		return list[i].Verdict
	}
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 7 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		pattern := strings.Trim(cells[1], " `")
		for i, dialect := range columns {
			said++
			use, polled := find("use", dialect, pattern), find("polled", dialect, pattern)
			want := "refuted"
			if use == Proved && polled == Proved {
				want = "proved for every depth"
			} else if use != Fails {
				t.Errorf("%s of %s is neither proved nor refuted", pattern, dialect)
			}
			if got := strings.TrimSpace(cells[i+2]); got != want {
				t.Errorf("%s of %s: tla/README.md says %q, and the claims %q", pattern, dialect, got, want)
			}
		}
	}
	if said != 40 {
		t.Errorf("the table of tla/README.md has %d cells", said)
	}
}

// ofPattern says in what a claim is about something else than a pattern of use in a dialect.
func ofPattern(c Claim, dialect, pattern string) string {
	switch want := `Patterns = {"` + pattern + `"}`; {
	case c.Constants != want:
		return "the constants are " + c.Constants + ", not " + want
	case c.Configuration != "use/"+dialect || c.Over != "proof/use":
		return "the configuration is " + c.Configuration + " over " + c.Over
	}
	return ""
}

// A claim of another pattern, or of a configuration of another dialect, does not count (ARM-04).
func TestClaimsOfOtherPatterns(t *testing.T) {
	right := claimOf(t, "use/ndkpi: callback: drain, arm")
	if problem := ofPattern(right, "ndkpi", "callback: drain, arm"); problem != "" {
		t.Error(problem)
	}
	for _, c := range []struct{ dialect, pattern string }{{"ndkpi", "callback: arm, drain"}, {"verbs", "callback: drain, arm"}} {
		if ofPattern(right, c.dialect, c.pattern) == "" {
			t.Errorf("%s counts as %s of %s", right.Name, c.pattern, c.dialect)
		}
	}
}
