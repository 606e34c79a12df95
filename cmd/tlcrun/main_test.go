package main

import (
	"bytes"
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
	if err := os.CopyFS(o.dir, os.DirFS(original)); err != nil {
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
	if answer.difference == nil || answer.err != nil || !strings.Contains(answer.difference.String(), "In the model it cannot be taken: ARM-16: ") {
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

// The counter-examples of TLC are traces: a provider that loses an arm is found out (ARM-11).
func TestTraces(t *testing.T) {
	for _, test := range []struct{ name, rule string }{
		{"wrong/match-by-equality", "ARM-11"},
		{"wrong/silent-never", "FLAG-01"},
		{"wrong/delivered-stays", "POLL-04"},
		{"wrong/solicit-bit-ignored", "ARM-10"},
	} {
		folder := t.TempDir()
		o := parse(t, "-trace", folder, "-run", "^"+test.name+"$")
		if bad, err := run(t.Context(), o); bad > 0 || err != nil {
			t.Errorf("%s: %d bad, %v", test.name, bad, err)
		}
		read, err := trace.ReadFile(filepath.Join(folder, filepath.Base(test.name)+".ndktrace.jsonl"), 0)
		if err != nil {
			t.Fatal(err)
		}
		report := linearize.Check(t.Context(), read, linearize.Options{})
		if report.Verdict != verdict.ProviderViolation || len(report.Findings) == 0 || report.Findings[0].Rule != test.rule {
			t.Errorf("%s: got %s %v, want %s", test.name, report.Verdict, report.Findings, test.rule)
		}
	}
}

// Every wrong pattern of use has its shortest counter-example in the corpus (ARM-23), and so has a chain that is left open (DEF-06):
// TLC finds each of them again, to the byte, and there are no others. How they are judged is in traces/manifest.json.
func TestPatternsHaveTraces(t *testing.T) {
	const those = "^(use/.*|wrong/chain-left-open)$"
	found, kept := t.TempDir(), filepath.Join("..", "..", "traces", "use")
	if bad, err := run(t.Context(), parse(t, "-trace", found, "-run", those)); bad > 0 || err != nil {
		t.Fatalf("%d bad, %v", bad, err)
	}
	texts := func(folder string) map[string]string {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, file := range files {
			if strings.HasSuffix(file.Name(), ".html") {
				continue // its picture
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[file.Name()] = string(text)
		}
		return all
	}
	again, before := texts(found), texts(kept)
	if len(again) < 25 {
		t.Errorf("there are only %d counter-examples", len(again))
	}
	for name := range before {
		if again[name] == "" {
			t.Errorf("%s is kept, and TLC finds no such counter-example", name)
		}
	}
	for name, text := range again {
		if before[name] != text {
			t.Errorf("%s is not as TLC finds it: go run ./cmd/tlcrun -run '%s' -trace traces/use", name, those)
		}
	}
}
