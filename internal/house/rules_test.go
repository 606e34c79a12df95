package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/rules"
)

// A rule is named where it is declared, and in one place that decides it. Where it has both clauses and a sentence in package breach, that is two.
const mostPlaces = 2

// tables list rules for something else than a decision: what exercises them, which kinds of queue pairs they bind, and what a provider may do instead.
var tables = []string{"linearize/declared/engines.go", "linearize/explain/explain.go"}

// namedIn adds, for each rule that a file names in a string of its own, the file.
func namedIn(places map[string][]string, name, file string, text any) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		id, err := strconv.Unquote(literal.Value)
		if _, known := rules.Get(id); err == nil && known && !slices.Contains(places[id], name) {
			places[id] = append(places[id], name)
		}
		return true
	})
	return nil
}

// tooSpread returns the rules that are named in too many places, one sentence each.
func tooSpread(places map[string][]string) []string {
	var found []string
	for _, id := range slices.Sorted(maps.Keys(places)) {
		if n := len(places[id]); n > mostPlaces {
			found = append(found, fmt.Sprintf("%s is named in %d files, and no more than %d are allowed: %s", id, n, mostPlaces, strings.Join(places[id], ", ")))
		}
	}
	return found
}

// isOfJudge reports whether a file may decide rules: no test does, nor what draws histories for tests.
func isOfJudge(pkg, file string) bool {
	judge := pkg == "linearize" || strings.HasPrefix(pkg, "linearize/") && pkg != "linearize/histories" && pkg != "linearize/cases"
	return judge && !strings.HasSuffix(file, "_test.go") && !slices.Contains(tables, path.Join(pkg, file))
}

// No rule, but the house: a rule is written once, so that no engine comes to decide it in a way of its own.
func TestRulesAreWrittenOnce(t *testing.T) {
	places := map[string][]string{}
	eachGoFile(t, filepath.Join("..", ".."), func(file, pkg string) error {
		if base := filepath.Base(file); isOfJudge(pkg, base) {
			return namedIn(places, path.Join(strings.TrimPrefix(pkg, "linearize/"), base), file, nil)
		}
		return nil
	})
	if len(places) < 50 {
		t.Fatalf("only %d rules are named, so not all was looked at", len(places))
	}
	for _, complaint := range tooSpread(places) {
		t.Error(complaint)
	}
}

// Shows that a rule in a further place is found.
func TestSpreadRulesAreFound(t *testing.T) {
	sound := map[string][]string{"ARM-01": {"0.go", "1.go"}, "FLUSH-06": {"0.go"}}
	if got := tooSpread(sound); got != nil {
		t.Errorf("complaints about a sound house: %q", got)
	}
	sound["ARM-01"] = append(sound["ARM-01"], "2.go")
	if got, want := tooSpread(sound), "ARM-01 is named in 3 files, and no more than 2 are allowed: 0.go, 1.go, 2.go"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	places := map[string][]string{}
	text := "package p\n\n// ARM-02 is said here.\nvar a, b, c = \"ARM-01\", \"see ARM-03\", \"ARM-01\"\n"
	if err := namedIn(places, "p.go", "p.go", text); err != nil || len(places) != 1 || !slices.Equal(places["ARM-01"], []string{"p.go"}) {
		t.Errorf("got %v, error %v; want ARM-01 in p.go", places, err)
	}
	for file, want := range map[string]bool{"breach.go": true, "breach_test.go": false} {
		if got := isOfJudge("linearize/breach", file); got != want {
			t.Errorf("%s is of the judge: %v", file, got)
		}
	}
	if isOfJudge("linearize/declared", "engines.go") || isOfJudge("linearize/histories", "draw.go") || isOfJudge("model", "cq.go") {
		t.Error("a table, what draws histories, or the model counts as the judge")
	}
}
