package tlcjudge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A third opinion shares with the second what boundary events decide (packages monitor and breach) and the form of its answer: of the judge's packages
// only these names are used, and none of the model's. What rests on hidden steps TLC decides.
func TestIndependent(t *testing.T) {
	form := []string{"Report", "Finding", "Options", "Verdict", "RuleCoverage", "Conformant", "ProviderViolation",
		"ConsumerViolation", "Inconclusive", "Checked", "NotCheckable"}
	reasons := []string{"CqOfBefore", "DeviceFailed", "Dropped", "MayNameBadToken", "NotOnChannel", "PostedOnShared", "QpOfBefore", "ReadInvalidates", "ResizedTwice", "TakesShared", "TokenUntold", "Unsettled"}
	form = append(form, reasons...) // of inconclusive answers, whose words are the same for all engines
	boundary := []string{"New", "Finding", "Object", "Cq", "Qp", "Named", "NameMissing", "NameUnowed"}
	said := []string{"IsOfMissing", "IsOfUnowed"} // which rules those are of
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	used := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if strings.HasPrefix(spec.Path.Value, `"ndkoracle/model`) {
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				pkg, ok := s.X.(*ast.Ident)
				allowed := map[string][]string{"linearize": form, "verdict": form, "monitor": boundary, "breach": said}
				if ok && allowed[pkg.Name] != nil {
					used++
					if !slices.Contains(allowed[pkg.Name], s.Sel.Name) {
						t.Errorf("%s uses %s.%s", name, pkg.Name, s.Sel.Name)
					}
				}
			}
			return true
		})
	}
	if used == 0 {
		t.Error("nothing of the answer's form was found, so the rest was not looked at either")
	}
}
