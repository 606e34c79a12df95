package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A ranking supposes invariants only that are proved, of the same modules and constants: so do those of the manifest, and others are named.
func TestRankingsSupposeWhatIsProved(t *testing.T) {
	if err := checker(t).Supposed(claims(t)); err != nil {
		t.Error(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"C.cfg": "CONSTANTS N = N Mode <- Fast INVARIANT Typ", "D.cfg": "CONSTANTS N = N Mode <- Slow INVARIANT Typ", "E.proof": "INVARIANT More",
		"Base.tla": "---- MODULE Base ----\nEXTENDS Integers\n", "Rank.tla": "---- MODULE Rank ----\nEXTENDS Integers, Base\n", "Other.tla": "---- MODULE Other ----\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := checker(t, folder)
	c.Folder = folder
	proved := Claim{Name: "proved", Kind: Safety, Modules: []string{"Base"}, Configuration: "C", Over: "E", Verdict: Proved}
	rank := Claim{Name: "rank", Kind: Ranking, Modules: []string{"Rank"}, Configuration: "C", Over: "E", Verdict: Proved}
	const typ, more, never = "rank supposes the invariant Typ,", "rank supposes the invariant More,", "rank supposes the invariant Never,"
	for _, x := range []struct {
		want   string
		change func(proved, rank *Claim)
	}{
		{"", func(_, rank *Claim) { rank.Constants = "Number = Number" }}, // a constant of its own
		{never, func(_, rank *Claim) { rank.Constants = "Number = 3 INVARIANT Never" }},
		{typ, func(_, rank *Claim) { rank.Constants = "N = 3" }},
		{typ, func(proved, _ *Claim) { proved.Constants = "N = 3" }},
		{typ, func(proved, _ *Claim) { proved.Configuration = "D" }},
		{typ, func(_, rank *Claim) { rank.Constants = "Step <- Other" }},
		{more, func(proved, _ *Claim) { proved.Over = "" }},
		{typ, func(_, rank *Claim) { rank.Modules = []string{"Other"} }},
		{typ, func(proved, _ *Claim) { proved.Verdict = Fails }},
		{typ, func(proved, _ *Claim) { proved.Kind = Apart }},
	} {
		p, r := proved, rank
		x.change(&p, &r)
		if err := c.Supposed([]Claim{r, p}); err == nil && x.want != "" || err != nil && (x.want == "" || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("got %v, want %q", err, x.want)
		}
	}
}
