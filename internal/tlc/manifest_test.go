package tlc

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/rules"
)

var tla = filepath.Join("..", "..", "tla")

func readManifest(t *testing.T) []Configuration {
	t.Helper()
	manifest, err := ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	return manifest
}

// No configuration is forgotten, and none is made up.
func TestManifestIsComplete(t *testing.T) {
	var files, listed []string
	err := filepath.WalkDir(tla, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "proof" {
			return filepath.SkipDir // what is there the solvers ask, and not TLC
		}
		if err == nil && filepath.Ext(path) == ".cfg" {
			name, _ := filepath.Rel(tla, path)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range readManifest(t) {
		listed = append(listed, c.Cfg())
		if _, err := os.Stat(filepath.Join(tla, c.Module+".tla")); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if c.States == 0 || c.Depth == 0 {
			t.Errorf("%s is not pinned", c.Name)
		}
	}
	slices.Sort(files)
	slices.Sort(listed)
	if !slices.Equal(files, listed) {
		t.Errorf("the configurations are\n%q\nbut the manifest has\n%q", files, listed)
	}
}

// config is what a .cfg file says: the words after each of its keywords.
type config map[string][]string

func readConfig(t *testing.T, c Configuration) config {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(tla, c.Cfg()))
	if err != nil {
		t.Fatal(err)
	}
	found := config{}
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 {
			key := strings.TrimSuffix(strings.Replace(words[0], "PROPERTIES", "PROPERTYS", 1), "S")
			found[key] = append(found[key], words[1:]...)
		}
	}
	return found
}

func (c config) properties() []string { return slices.Concat(c["INVARIANT"], c["PROPERTY"]) }

func isTypeInvariant(property string) bool { return strings.HasSuffix(property, "TypeOK") }

// A model that must fail is checked for one property only, so that its failure has one name. And every property that the
// contract is checked for is one that some wrong rule breaks: it is able to fail.
func TestEveryPropertyCanFail(t *testing.T) {
	broken := map[string]bool{}
	for _, c := range readManifest(t) {
		if c.Verdict == Fail {
			broken[c.Property] = true
			if got := readConfig(t, c).properties(); !slices.Equal(got, []string{c.Property}) {
				t.Errorf("%s must break %s alone, but checks %q", c.Name, c.Property, got)
			}
		}
	}
	for _, c := range readManifest(t) {
		for _, property := range readConfig(t, c).properties() {
			if !broken[property] && !isTypeInvariant(property) {
				t.Errorf("%s checks %s, which no wrong rule breaks", c.Name, property)
			}
		}
	}
}

var (
	extends    = regexp.MustCompile(`(?m)^EXTENDS (.*)$`)
	definition = regexp.MustCompile(`(?m)((?:^\\\*.*\n)*)^(\w+)(?:\(.*?\))? ==(.*)`)
	ruleID     = regexp.MustCompile(`\b[A-Z]{2,6}-\d\d\b`)
	readingID  = regexp.MustCompile(`\bA\d{1,2}\b`)
)

// definitions returns the comment of each definition of a module and of those that it extends.
func definitions(t *testing.T, module string) map[string]string {
	t.Helper()
	found := map[string]string{}
	data, err := os.ReadFile(filepath.Join(tla, module+".tla"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range definition.FindAllStringSubmatch(string(data), -1) {
		found[m[2]] = m[1] + m[3]
	}
	if m := extends.FindStringSubmatch(string(data)); m != nil {
		for _, extended := range strings.Split(m[1], ", ") {
			if _, err := os.Stat(filepath.Join(tla, extended+".tla")); err == nil {
				for name, comment := range definitions(t, extended) {
					found[name] = comment
				}
			}
		}
	}
	return found
}

// Each property says which rules it is about.
func TestPropertiesNameTheirRules(t *testing.T) {
	for _, c := range readManifest(t) {
		defined := definitions(t, c.Module)
		for _, property := range readConfig(t, c).properties() {
			comment, known := defined[property]
			if !known {
				t.Errorf("%s checks %s, which %s does not define", c.Name, property, c.Module)
			} else if !ruleID.MatchString(comment) && !isTypeInvariant(property) {
				t.Errorf("%s of %s names no rule in its comment", property, c.Module)
			}
		}
	}
}

// The modules speak only of rules and readings that the rulebook has.
func TestRulesExist(t *testing.T) {
	readings := map[string]bool{}
	for _, r := range rules.Readings() {
		readings[r.ID] = true
	}
	modules, err := filepath.Glob(filepath.Join(tla, "*.tla"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, module := range modules {
		data, err := os.ReadFile(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ruleID.FindAllString(string(data), -1) {
			if _, known := rules.Get(id); !known {
				t.Errorf("%s speaks of %s, which is no rule", module, id)
			}
		}
		for _, id := range readingID.FindAllString(string(data), -1) {
			if !readings[id] {
				t.Errorf("%s speaks of %s, which is no reading", module, id)
			}
		}
	}
}

// dialects are the records of the module Dialects, by what a table of README.md calls them, or would call them.
var dialects = map[string]string{"ndkpi": "Ndkpi", "ndspi": "Ndspi", "verbs": "Verbs", "verbs, devices": "VerbsDevice",
	"kverbs": "Kverbs", "kverbs, devices": "KverbsDevice"}

// dialect returns what the tables call the configuration's dialect, or "".
func (c config) dialect() string {
	constants := strings.Join(c["CONSTANT"], " ")
	for name, record := range dialects {
		if strings.HasPrefix(constants, "Dialect <- "+record+" ") {
			return name
		}
	}
	return ""
}

var ofDialect = regexp.MustCompile(`(?m)^(\w+) ==`)

// Each dialect of the module Dialects is in the tables and in some configuration, and each configuration takes one.
func TestDialects(t *testing.T) {
	used := map[string]bool{}
	for _, c := range readManifest(t) {
		name := readConfig(t, c).dialect()
		if name == "" {
			t.Errorf("%s is of no dialect", c.Name)
		}
		used[dialects[name]] = true
	}
	module, err := os.ReadFile(filepath.Join(tla, "Dialects.tla"))
	if err != nil {
		t.Fatal(err)
	}
	var defined []string
	for _, m := range ofDialect.FindAllStringSubmatch(string(module), -1) {
		if defined = append(defined, m[1]); !used[m[1]] {
			t.Errorf("no configuration is of %s", m[1])
		}
	}
	slices.Sort(defined)
	if known := slices.Sorted(maps.Values(dialects)); !slices.Equal(known, defined) {
		t.Errorf("Dialects defines %q, the tables have %q", defined, known)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	want := []Configuration{
		{Name: "A", Module: "M", Verdict: Pass, States: 7, Depth: 3},
		{Name: "wrong/b", Module: "wrong/W", Verdict: Fail, Property: "P", More: true, Deep: true},
		{Name: "B", Module: "M", Verdict: Pass, More: true},
		{Name: "C", Module: "M", Verdict: Pass, More: true, Deep: true, Full: true},
	}
	dir := t.TempDir()
	if err := WriteManifest(dir, want); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadManifest(dir); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestManifestErrors(t *testing.T) {
	const good = "A\tM\tpass\t-\t7\t3\tfast"
	for text, want := range map[string]string{
		"":                          ":1: the header",
		"name\n":                    ":1: the header",
		manifestHeader + "\nA\tM\n": ":2: 2 columns, not 7",
		manifestHeader + "\n\n":     ":2: 1 columns, not 7",
		manifestHeader + "\n" + good + "\n" + good + "\n":     ":3: A is here twice",
		manifestHeader + "\nA\tM\tmaybe\t-\t7\t3\tfast\n":     `"maybe" is no verdict`,
		manifestHeader + "\nA\tM\tpass\tP\t7\t3\tfast\n":      "named exactly where",
		manifestHeader + "\nA\tM\tfail\t-\t7\t3\tfast\n":      "named exactly where",
		manifestHeader + "\nA\tM\tpass\t-\tx\t3\tfast\n":      `"x" is no number`,
		manifestHeader + "\nA\tM\tpass\t-\t7\t-3\tfast\n":     `"-3" is no number`,
		manifestHeader + "\nA\tM\tpass\t-\t7\t3\tsometimes\n": `"sometimes" is neither`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// Whatever differs from the manifest is a failure.
func TestComplaints(t *testing.T) {
	holds := Configuration{Name: "A", Verdict: Pass, States: 7, Depth: 3}
	breaks := Configuration{Name: "B", Verdict: Fail, Property: "P", States: 7, Depth: 3}
	for _, c := range []struct {
		expected Configuration
		result   Result
		want     string // "" when all is well
	}{
		{holds, Result{Verdict: Pass, States: 7, Depth: 3}, ""},
		{holds, Result{Verdict: Pass, States: 8, Depth: 3}, "8 distinct states, pinned are 7"},
		{holds, Result{Verdict: Pass, States: 7, Depth: 4}, "depth 4, pinned is 3"},
		{holds, Result{Verdict: Fail, Property: "P", States: 7, Depth: 3}, "P is violated"},
		{holds, Result{Verdict: Fail, States: 7, Depth: 3}, "a temporal property is violated"},
		{holds, Result{Verdict: Error, Errors: []string{"no such thing"}}, "no such thing"},
		{breaks, Result{Verdict: Fail, Property: "P", States: 7, Depth: 3}, ""},
		{breaks, Result{Verdict: Fail, States: 7, Depth: 3}, ""},
		{breaks, Result{Verdict: Fail, Property: "Q", States: 7, Depth: 3}, "it must break P, and breaks Q"},
		{breaks, Result{Verdict: Pass, States: 7, Depth: 3}, "it must break P, and breaks nothing"},
		{breaks, Result{Verdict: Fail, Property: "P", States: 6, Depth: 3}, "6 distinct states, pinned are 7"},
		{Configuration{Name: "C", Verdict: Pass}, Result{Verdict: Pass, States: 7, Depth: 3}, "states and depth are not pinned"},
	} {
		if got := strings.Join(c.expected.Complaints(c.result), "; "); got != c.want {
			t.Errorf("%s, %+v: got %q, want %q", c.expected.Name, c.result, got, c.want)
		}
	}
}
