// Package house holds the tests that keep the order of the packages, each of which imports only from floors below its own, and their parts small.
package house

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "ndkoracle"

// The floors of the house, lowest first. A pattern that ends in /* stands for everything below that folder, and *_test for the tests that look at a package
// from outside.
var floors = [][]string{
	{"ndk", "rules", "scripts", "tla", "traces", "internal/altered", "internal/memory", "internal/outfile", "internal/process", "internal/programs", "internal/raced", "internal/rapidseed"},
	{"model", "trace"},
	{"model/mc", "internal/notation", "internal/eventtext"},
	{"refimpl", "execprovider", "hwbinding", "hwbinding/*", "internal/kernelrecord/*"},
	{"internal/kernelrecord", "internal/cprovider"},
	{"linearize/breach", "linearize/declared", "linearize/resets"},
	{"linearize/witness", "linearize/calls", "linearize/automaton", "linearize/cases", "linearize/timeline"},
	{"linearize/facts", "linearize/lanes"},
	{"linearize/clauses"},
	{"linearize/verdict"},
	{"linearize/doubts", "linearize/monitor", "linearize/explain"},
	{"linearize/stream", "linearize/search"},
	{"linearize"},
	{"internal/judging"},
	{"linearize/histories"},
	{"conformance", "conformance/*"},
	{"internal/tlc", "internal/synthetic"},
	{"internal/mutate"},
	{"internal/ruletable", "internal/picture", "internal/browser"},
	{"internal/sequence"},
	{"internal/tlcjudge"},
	{"internal/*"},
	{"cmd/*", "examples/*"},
	{"*_test"},
}

// A judge that shares code with the judged proves nothing, so these never meet.
var (
	providers = []string{"refimpl", "execprovider", "hwbinding", "hwbinding/*", "internal/cprovider"}
	judges    = []string{"model", "model/*", "linearize", "linearize/*"}
)

// Only the binding to libibverbs and the provider for programs in C need cgo, and tracecheck is built without it.
var usesCgo = []string{"hwbinding", "hwbinding/*", "internal/cprovider"}

const withoutCgo = "cmd/tracecheck"

// house maps a package, as a path inside the module, to what any of its files imports: packages of the module by that
// path, others by their full one.
type house map[string]map[string]bool

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == "*_test" {
			return strings.HasSuffix(pkg, "_test")
		}
		folder, all := strings.CutSuffix(pattern, "*")
		return pattern == pkg || all && strings.HasPrefix(pkg, folder)
	})
}

func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(patterns []string) bool { return matches(patterns, pkg) })
}

// complaints returns what is wrong with the order of the packages, one sentence a mistake.
func complaints(packages house) []string {
	var found []string
	complain := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		floor := floorOf(pkg)
		if floor < 0 {
			complain("%s stands on no floor", pkg)
			continue
		}
		if name := path.Base(pkg); name == "util" || name == "utils" {
			complain("%s is named for nothing in particular", pkg)
		}
		for _, imported := range slices.Sorted(maps.Keys(packages[pkg])) {
			_, ours := packages[imported]
			switch {
			case imported == "C" && !matches(usesCgo, pkg):
				complain("%s uses cgo", pkg)
			case !ours || imported == pkg || strings.HasPrefix(imported, pkg+"/"):
			case matches(providers, strings.TrimSuffix(pkg, "_test")) && matches(judges, imported):
				complain("%s is judged, and imports its judge %s", pkg, imported)
			case floorOf(imported) >= floor:
				complain("%s imports %s, which is not on a floor below", pkg, imported)
			}
		}
	}
	for pkg := range reachable(packages, withoutCgo) {
		if matches(usesCgo, pkg) {
			complain("%s reaches %s, and could not be built without cgo", withoutCgo, pkg)
		}
	}
	return found
}

func reachable(packages house, from string) map[string]bool {
	seen := map[string]bool{}
	var visit func(pkg string)
	visit = func(pkg string) {
		for imported := range packages[pkg] {
			if _, ours := packages[imported]; ours && !seen[imported] {
				seen[imported] = true
				visit(imported)
			}
		}
	}
	visit(from)
	return seen
}

// eachGoFile visits every Go file below root, tests and files of any build tag included, with its folder as a path inside the module.
func eachGoFile(t *testing.T, root string, visit func(file, folder string) error) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if file != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "build" || name == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		return visit(file, filepath.ToSlash(folder))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readHouse reads the import lines of every Go file below root.
func readHouse(t *testing.T, root string) house {
	t.Helper()
	packages := house{}
	eachGoFile(t, root, func(file, pkg string) error {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if strings.HasSuffix(parsed.Name.Name, "_test") { // a package of its own, which nothing imports
			pkg += "_test"
		}
		if packages[pkg] == nil {
			packages[pkg] = map[string]bool{}
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			packages[pkg][strings.TrimPrefix(imported, module+"/")] = true
		}
		return nil
	})
	return packages
}

func TestPackagesImportOnlyFromFloorsBelow(t *testing.T) {
	packages := readHouse(t, filepath.Join("..", ".."))
	for _, needed := range []string{"ndk", "rules", "trace", "internal/house"} {
		if _, ok := packages[needed]; !ok {
			t.Errorf("the package %s was not found, so the rest was not looked at either", needed)
		}
	}
	for _, complaint := range complaints(packages) {
		t.Error(complaint)
	}
}

// Shows that each mistake is found, and that the right order passes.
func TestMistakesAreFound(t *testing.T) {
	imports := func(names ...string) map[string]bool {
		set := map[string]bool{}
		for _, name := range names {
			set[name] = true
		}
		return set
	}
	sound := house{
		"ndk": imports("fmt"), "rules": imports(), "model": imports("ndk", "rules"), "trace": imports("ndk"),
		"refimpl": imports("ndk", "trace"), "hwbinding": imports("hwbinding/verbs", "ndk"),
		"hwbinding/verbs": imports("C", "trace"), "internal/cprovider": imports("C", "refimpl"), "linearize": imports("model", "trace", "rules"),
		"conformance": imports("refimpl", "linearize"), "cmd/tracecheck": imports("linearize", "rules"),
		"cmd/ndkrecord": imports("conformance", "hwbinding"),
	}
	if got := complaints(sound); got != nil {
		t.Errorf("complaints about a sound house: %q", got)
	}
	for _, mistake := range []struct{ pkg, imported, want string }{
		{"ndk", "trace", "ndk imports trace, which is not on a floor below"},
		{"ndk", "rules", "ndk imports rules, which is not on a floor below"},
		{"refimpl", "model", "refimpl is judged, and imports its judge model"},
		{"hwbinding/verbs", "linearize", "hwbinding/verbs is judged, and imports its judge linearize"},
		{"internal/cprovider", "model", "internal/cprovider is judged, and imports its judge model"},
		{"linearize", "conformance", "linearize imports conformance, which is not on a floor below"},
		{"cmd/ndkrecord", "cmd/tracecheck", "cmd/ndkrecord imports cmd/tracecheck, which is not on a floor below"},
		{"conformance", "C", "conformance uses cgo"},
		{"cmd/tracecheck", "internal/cprovider", "cmd/tracecheck reaches internal/cprovider, and could not be built without cgo"},
		{"cmd/tracecheck", "hwbinding", "cmd/tracecheck reaches hwbinding, and could not be built without cgo"},
		{"attic", "ndk", "attic stands on no floor"},
		{"internal/util", "fmt", "internal/util is named for nothing in particular"},
	} {
		broken := maps.Clone(sound)
		broken[mistake.pkg] = maps.Clone(sound[mistake.pkg])
		if broken[mistake.pkg] == nil {
			broken[mistake.pkg] = imports()
		}
		broken[mistake.pkg][mistake.imported] = true
		if got := complaints(broken); !slices.Contains(got, mistake.want) {
			t.Errorf("%s imports %s: got %q, want %q", mistake.pkg, mistake.imported, got, mistake.want)
		}
	}
}
