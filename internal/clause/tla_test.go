package clause

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/tlc"
)

var tla = filepath.Join("..", "..", "tla")

// marked marks all that the steps of an MC module use.
func marked(t *testing.T, modules map[string]*module, root string) *marker {
	t.Helper()
	m := &marker{modules: modules, texts: map[name]string{}, roles: map[name]role{}}
	n, ok := resolve(modules, root, "", "MCNext")
	if !ok {
		t.Fatalf("%s has no MCNext", root)
	}
	if err := m.markAll(n); err != nil {
		t.Fatal(err)
	}
	return m
}

// Marks change nothing: with marks that are true and print nothing, TLC finds as many states, as deep, as the manifest says.
func TestMarksChangeNothing(t *testing.T) {
	jar, err := tlc.FindJar(t.Context(), filepath.Join("..", "..", "build", "tlc"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CQ-verbs-live", "QP-reading-A31-stranded", "Ndk-reading-A21-dropped"} {
		c := manifest[slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })]
		modules, err := readModules(tla)
		if err != nil {
			t.Fatal(err)
		}
		m := marked(t, modules, c.Module)
		cfg, err := os.ReadFile(filepath.Join(tla, c.Cfg()))
		if err != nil {
			t.Fatal(err)
		}
		files := m.files()
		files[c.Cfg()] = tlc.OnlyConstants(string(cfg)) + "INIT MCInit\nNEXT MCNext\n"
		files[marksModule+".tla"] = strings.NewReplacer(`PrintT(<<"before", n>>)`, "n >= 0", `PrintT(<<"after", n>>)`, "n >= 0",
			"INSTANCE TLC", "INSTANCE Naturals").Replace(marksText)
		dir := t.TempDir()
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r := tlc.Runner{Jar: jar, Dir: dir, Build: t.TempDir(), Timeout: 5 * time.Minute}
		result, err := r.Run(t.Context(), c)
		if err != nil || result.Verdict != tlc.Pass {
			t.Fatalf("%s: %s %v %q", name, result.Verdict, err, result.Errors)
		}
		if result.States != c.States || result.Depth != c.Depth || len(m.marked) < 50 {
			t.Errorf("%s: with %d marks there are %d states, depth %d, not %d and %d", name, len(m.marked), result.States, result.Depth, c.States, c.Depth)
		}
	}
}

// Whatever text of the contract the mutants change, in any action, it is a clause that is marked or noted: where it is evaluated,
// it is printed.
func TestEveryEditIsInAClause(t *testing.T) {
	edits, err := mutate.ReadEdits(tla)
	if err != nil {
		t.Fatal(err)
	}
	modules, err := readModules(tla)
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string][]part{}
	definitions := map[name]bool{}
	for _, root := range []string{"MCCompletionQueue", "MCQueuePair", "MCNdk"} {
		m := marked(t, modules, root)
		for _, c := range m.marked {
			covered[c.File] = append(covered[c.File], c.part)
			for _, n := range c.besides {
				covered[n.File] = append(covered[n.File], n.part)
				definitions[name{strings.TrimSuffix(strings.TrimPrefix(n.File, "tla/"), ".tla"), n.In}] = true
			}
		}
		for n := range m.texts {
			definitions[n] = true
		}
	}
	tried := 0
	for _, e := range edits {
		n := name{e.Module, e.Definition}
		if !definitions[n] || strings.HasPrefix(e.Module, "MC") {
			continue // of initial states, of a property, or of bounds
		}
		tried++
		mod := modules[e.Module]
		at := strings.Index(mod.definitions[e.Definition].Text, e.Old)
		if at < 0 {
			t.Errorf("%s: %q is not there", e, e.Old)
			continue
		}
		from := mod.definitions[e.Definition].At + at
		old, err := mod.lexemes(part{from, from + len(e.Old)})
		if err != nil {
			continue // it begins or ends within a bracket
		}
		for _, l := range old {
			if strings.Contains(` /\ \/ IF THEN ELSE CASE LET IN -> [] OTHER == ( ) , } ] `, " "+l.text+" ") {
				continue
			}
			if !slices.ContainsFunc(covered["tla/"+e.Module+".tla"], func(p part) bool { return p.from <= l.from && l.to <= p.to }) {
				t.Errorf("%s: %q of %q is in no clause", e, l.text, e.Old)
			}
		}
	}
	if tried < 300 {
		t.Errorf("of %d edits only %d are of what steps use", len(edits), tried)
	}
}
