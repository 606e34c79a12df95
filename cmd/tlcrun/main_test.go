package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

func parse(t *testing.T, args ...string) options {
	t.Helper()
	root := filepath.Join("..", "..")
	o, err := parseOptions(append([]string{"-tla", filepath.Join(root, "tla"), "-build", filepath.Join(root, "build", "tlc")}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Misuse is told before anything runs.
func TestMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"unexpected argument": {"CQ-ndkpi"},
		"-jobs 0":             {"-jobs", "0"},
		"-run: error parsing": {"-run", "("},
		"not defined":         {"-x"},
		"instead of a check":  {"-graph", "-pin"},
		"goes with another":   {"-graph", "-distributed"},
	} {
		if _, err := parseOptions(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
	if _, err := run(t.Context(), parse(t, "-run", "no such configuration")); err == nil {
		t.Error("nothing was selected, and nothing was said")
	}
	o := parse(t)
	o.dir = t.TempDir()
	if _, err := run(t.Context(), o); err == nil {
		t.Error("there is no manifest, and nothing was said")
	}
}

// A pin that is wrong, a must-fail model said to break another property, and one said to hold: each is found (the
// configuration is the one of ARM-07).
func TestRunFindsDifferences(t *testing.T) {
	o := parse(t, "-run", "^wrong/last-arm-wins$")
	if bad, err := run(t.Context(), o); bad != 0 || err != nil {
		t.Fatalf("as it is: %d bad, %v", bad, err)
	}
	manifest, err := tlc.ReadManifest(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return o.only.MatchString(c.Name) })
	original := o.dir
	o.dir = t.TempDir()
	if err := os.CopyFS(o.dir, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*tlc.Configuration){
		"states":   func(c *tlc.Configuration) { c.States++ },
		"depth":    func(c *tlc.Configuration) { c.Depth++ },
		"property": func(c *tlc.Configuration) { c.Property = "ArmNotMissed" },
		"verdict":  func(c *tlc.Configuration) { c.Verdict, c.Property = tlc.Pass, "" },
	} {
		changed := slices.Clone(manifest)
		change(&changed[at])
		if err := tlc.WriteManifest(o.dir, changed); err != nil {
			t.Fatal(err)
		}
		if bad, err := run(t.Context(), o); bad != 1 || err != nil {
			t.Errorf("with another %s: %d bad, %v", name, bad, err)
		}
	}

	// -pin mends the numbers, and nothing else.
	changed := slices.Clone(manifest)
	changed[at].States++
	if err := tlc.WriteManifest(o.dir, changed); err != nil {
		t.Fatal(err)
	}
	o.pin = true
	if bad, err := run(t.Context(), o); bad != 0 || err != nil {
		t.Errorf("with -pin: %d bad, %v", bad, err)
	}
	if mended, err := tlc.ReadManifest(o.dir); err != nil || !slices.Equal(mended, manifest) {
		t.Errorf("-pin did not mend the manifest: %v", err)
	}
}

// The graphs of a configuration are compared; one whose pins are wrong is not (the whole contract of a CQ).
func TestGraphs(t *testing.T) {
	o := parse(t, "-graph", "-run", "^CQ-verbs-live$")
	if bad, err := run(t.Context(), o); bad != 0 || err != nil {
		t.Fatalf("as it is: %d bad, %v", bad, err)
	}
	manifest, err := tlc.ReadManifest(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	original := o.dir
	o.dir = filepath.Join(t.TempDir(), "tla")
	model := filepath.Join(filepath.Dir(o.dir), "model") // whose clauses are told
	if err := errors.Join(os.CopyFS(o.dir, os.DirFS(original)), os.CopyFS(model, os.DirFS(filepath.Join("..", "..", "model")))); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(o.dir, "CompletionQueue.tla")
	text, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	// A change of the specification that changes how many states there are is told as a difference, not as wrong pins.
	changed := bytes.Replace(text, []byte("Len(r.entries) < Capacity"), []byte("Len(r.entries) <= Capacity"), 1)
	if err := os.WriteFile(module, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	c := manifest[slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == "CQ-verbs-live" })]
	jar, err := tlc.FindJar(t.Context(), o.build)
	if err != nil {
		t.Fatal(err)
	}
	runner := tlc.Runner{Jar: jar, Dir: o.dir, Build: t.TempDir(), Timeout: o.timeout}
	answer := compare(t.Context(), runner, c)
	if answer.difference == nil || answer.err != nil || !strings.Contains(answer.difference.String(), "CanPlace: Len(r.entries) <= Capacity(r)\n") {
		t.Errorf("with another operator: %+v", answer)
	}
	if err := os.WriteFile(module, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range manifest {
		manifest[i].States++
	}
	if err := tlc.WriteManifest(o.dir, manifest); err != nil {
		t.Fatal(err)
	}
	if bad, err := run(t.Context(), o); bad != 1 || err != nil {
		t.Errorf("with another number of states: %d bad, %v", bad, err)
	}
}

// The distributed mode finds the states that are pinned, and says so when they are not (any rule of QPs).
func TestDistributed(t *testing.T) {
	o := parse(t, "-distributed", "-run", "^Ndk-places$")
	if bad, err := run(t.Context(), o); bad != 0 || err != nil {
		t.Errorf("%d bad, %v", bad, err)
	}
	original := o.dir
	o.dir = t.TempDir()
	if err := os.CopyFS(o.dir, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	cfg := filepath.Join(o.dir, "Ndk-places.cfg")
	text, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg, []byte(strings.Replace(string(text), "MaxArms = 0", "MaxArms = 1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o.only = regexp.MustCompile("^Ndk-places$")
	if bad, err := run(t.Context(), o); bad != 1 || err != nil {
		t.Errorf("other states than pinned: %d bad, %v", bad, err)
	}
	o.only = regexp.MustCompile("^use/ndkpi$")
	if _, err := run(t.Context(), o); err == nil {
		t.Error("a configuration in a folder was run, or nothing was said")
	}
}

// The counter-examples of TLC are traces: a provider that loses an arm is found out (ARM-11), and one that does what a wrong
// consumer can't live with is not to blame. What can't be told is said, and leaves no file.
func TestTraces(t *testing.T) {
	for _, test := range []struct {
		name    string
		verdict verdict.Verdict
		rule    string
	}{
		{"wrong/match-by-equality", verdict.ProviderViolation, "ARM-11"},
		{"use/drain-arm-sleep-verbs", verdict.Conformant, ""},
		{"wrong/silent-never", verdict.ProviderViolation, "FLAG-01"},
		{"wrong/delivered-stays", verdict.ProviderViolation, "POLL-04"},
		{"wrong/solicit-bit-ignored", verdict.ProviderViolation, "ARM-10"},
		{"wrong/chain-left-open", verdict.ConsumerViolation, "DEF-06"},
	} {
		folder := t.TempDir()
		o := parse(t, "-trace", folder, "-run", "^"+test.name+"$")
		if bad, err := run(t.Context(), o); bad > 0 || err != nil {
			t.Errorf("%s: %d bad, %v", test.name, bad, err)
		}
		name := filepath.Join(folder, filepath.Base(test.name)+".ndktrace.jsonl")
		if kept, err := os.ReadFile(filepath.Join("..", "..", "traces", "use", filepath.Base(name))); err == nil {
			if found, err := os.ReadFile(name); err != nil || !bytes.Equal(found, kept) {
				t.Errorf("%s: %v, or not the trace that is kept: go run ./cmd/tlcrun -run '^%s$' -trace traces/use", test.name, err, test.name)
			}
		}
		read, err := trace.ReadFile(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		report := linearize.Check(t.Context(), read, linearize.Options{})
		rule := ""
		if len(report.Findings) > 0 {
			rule = report.Findings[0].Rule
		}
		if report.Verdict != test.verdict || rule != test.rule {
			t.Errorf("%s: got %s %s, want %s %s", test.name, report.Verdict, rule, test.verdict, test.rule)
		}
	}
}

// Every wrong pattern of use has its shortest counter-example in the corpus (ARM-23), and so has a chain that is left open (DEF-06).
func TestPatternsHaveTraces(t *testing.T) {
	manifest, err := tlc.ReadManifest(filepath.Join("..", "..", "tla"))
	if err != nil {
		t.Fatal(err)
	}
	refuted := 0
	for _, c := range manifest {
		if !strings.HasPrefix(c.Name, "use/") && c.Name != "wrong/chain-left-open" || c.Verdict != tlc.Fail {
			continue
		}
		refuted++
		kept, err := trace.ReadFile(filepath.Join("..", "..", "traces", "use", filepath.Base(c.Name)+".ndktrace.jsonl"), 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if of := kept.Header.Run["configuration"]; of != c.Name {
			t.Errorf("traces/%s is of the configuration %q", c.Name, of)
		}
	}
	if refuted < 20 {
		t.Errorf("only %d patterns are refuted", refuted)
	}
}
