package prove

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unclaimed returns what is wrong with a list of configurations without a claim: each of the configurations has a claim that must fail, or a
// row with the reason, and not both.
func unclaimed(list string, configurations []string, claims []Claim) (problems []string) {
	rows := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	reasons := map[string]string{}
	for i, row := range rows {
		name, why, ok := strings.Cut(row, "\t")
		switch {
		case i == 0:
			if row != "configuration\twhy no claim is about it" {
				problems = append(problems, "the header is "+row)
			}
			continue
		case !ok || why == "" || reasons[name] != "":
			problems = append(problems, fmt.Sprintf("line %d is not a configuration and a reason, each configuration once", i+1))
		case !slices.Contains(configurations, name):
			problems = append(problems, name+" is no configuration")
		}
		reasons[name] = why
	}
	for _, name := range configurations {
		claimed := slices.ContainsFunc(claims, func(c Claim) bool { return c.Verdict == Fails && (c.Configuration == name || c.Name == name) })
		if claimed == (reasons[name] != "") {
			problems = append(problems, fmt.Sprintf("%s has a claim: %v, and a reason for none: %q", name, claimed, reasons[name]))
		}
	}
	return problems
}

// Each known-wrong rule has a claim, or tla/proof/unclaimed.tsv says why it has none.
func TestWrongRulesHaveClaims(t *testing.T) {
	list, err := ReadText(filepath.Join(tla, "proof"), "unclaimed.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(tla, "wrong", "*.cfg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no wrong rules: %v", err)
	}
	var configurations []string
	for _, file := range files {
		configurations = append(configurations, "wrong/"+strings.TrimSuffix(filepath.Base(file), ".cfg"))
	}
	all := claims(t)
	for _, problem := range unclaimed(list, configurations, all) {
		t.Error(problem)
	}
	claimed := all[slices.IndexFunc(all, func(c Claim) bool { return strings.HasPrefix(c.Name, "wrong/") })].Name
	header, rows, _ := strings.Cut(list, "\n")
	_, fewer, _ := strings.Cut(rows, "\n")
	for _, wrong := range []string{
		header + "\n" + fewer, list + claimed + "\twhy\n", list + "wrong/no-such-rule\twhy\n", list + "wrong/srq-arm-stays\twhy\n", list + "x\n", rows,
	} {
		if len(unclaimed(wrong, configurations, all)) == 0 {
			t.Errorf("nothing is wrong with a list that ends in %q", wrong[len(wrong)-40:])
		}
	}
}
