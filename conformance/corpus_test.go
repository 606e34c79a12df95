package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

const corpus = "../traces"

// A row of the corpus's manifest is one trace, how it is read, and the right answer.
type row struct {
	File        string            `json:"file"`
	Dialect     string            `json:"dialect"`      // that it is read in; empty: its header's
	DeviceLevel bool              `json:"device_level"` // of dialect verbs
	Assume      map[string]string `json:"assume"`       // other readings
	Verdict     verdict.Verdict   `json:"verdict"`
	Rule        string            `json:"rule"`    // that is broken
	Line        int               `json:"line"`    // where; 0: nowhere in particular
	Says        string            `json:"says"`    // part of the reason, where the trace is malformed or inconclusive
	Keeps       []string          `json:"keeps"`   // rules that the trace exercises and keeps
	Bug         string            `json:"bug"`     // the seeded bug that it is the shortest trace of
	Allows      string            `json:"allows"`  // what has to be accepted, of mustAccept
	Command     string            `json:"command"` // that made it, of a recording
	Shows       string            `json:"shows"`
}

func (r row) name() string {
	name := r.File
	if r.Dialect != "" {
		name += " as " + r.Dialect
	}
	for _, id := range slices.Sorted(maps.Keys(r.Assume)) {
		name += " with " + id + "=" + r.Assume[id]
	}
	if r.DeviceLevel {
		name += " at device level"
	}
	return name
}

// mustAccept lists what providers are free to do, and a strict judge might forbid. Each has a trace.
var mustAccept = []string{
	"extra event", "callback after a drain", "completion before the post returned", "receive before the send",
	"undefined fields", "old entries, no callback", "old entries, callback", "one callback for two arms",
	"two callbacks for two arms", "deferred, at once", "deferred, at the end", "moderated callback",
}

// unbroken lists the checked rules that no trace breaks by name, and why none can.
var unbroken = map[string]string{
	"ARM-05":  "it permits",
	"DEF-02":  "it permits",
	"POST-09": "it permits",
	"DEF-07":  "a breach shows as one of FLAG-01, FLAG-02 or DEF-04",
	"INV-06":  "nobody sees the moment; a token that stays valid shows as POLL-07 or POLL-08",
	"RES-09":  "nobody sees the moment; a token that stays valid shows as POLL-07 or POLL-08",
	"LIFE-09": "a callback after the close of a CQ is told as ARM-20",
	"RSZ-02":  "a breach shows as POLL-03, POLL-04 or DEF-04",
}

func readManifest(t *testing.T) []row {
	t.Helper()
	file, err := os.Open(filepath.Join(corpus, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	var rows []row
	if err := decoder.Decode(&rows); err != nil {
		t.Fatalf("manifest.json: %v", err)
	}
	return rows
}

// Every trace of the corpus is judged as its row says: verdict, rule and line. The rules that it is there to show kept
// were exercised. Porcupine gives the same answer without the streaming engine.
func TestCorpus(t *testing.T) {
	for _, r := range readManifest(t) {
		t.Run(r.name(), func(t *testing.T) {
			read, err := trace.ReadFile(filepath.Join(corpus, r.File), linearize.MaxEvents)
			if r.Verdict == verdict.Malformed {
				refused(t, r, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			options := linearize.Options{Dialect: r.Dialect, DeviceLevel: r.DeviceLevel, Assume: r.Assume, Timeout: time.Minute}
			if _, err := options.ResolveDialect(read.Header.Dialect); err != nil {
				t.Fatal(err)
			}
			judgedAs(t, r, linearize.Check(context.Background(), read, options))
			options.Engine = linearize.Porcupine // by itself it decides all of them, too
			alone := linearize.Check(context.Background(), read, options)
			if first := firstOf(alone); alone.Verdict != r.Verdict || first.Rule != r.Rule || first.Line != r.Line {
				t.Errorf("porcupine by itself: %s of %q at line %d: %s", alone.Verdict, first.Rule, first.Line, first.Message)
			}
		})
	}
}

func refused(t *testing.T, r row, err error) {
	t.Helper()
	var malformed *trace.Error
	switch {
	case !errors.As(err, &malformed):
		t.Errorf("reading gives %v, want a *trace.Error", err)
	case malformed.Line != r.Line || !strings.Contains(malformed.Reason, r.Says):
		t.Errorf("refused at line %d: %s; want line %d and %q", malformed.Line, malformed.Reason, r.Line, r.Says)
	}
}

func judgedAs(t *testing.T, r row, got *verdict.Report) {
	t.Helper()
	first := firstOf(got)
	if got.Verdict != r.Verdict || first.Rule != r.Rule || first.Line != r.Line {
		t.Errorf("%s of %q at line %d: %s\nwant %s of %q at line %d", got.Verdict, first.Rule, first.Line, first.Message,
			r.Verdict, r.Rule, r.Line)
	}
	if !strings.Contains(first.Message, r.Says) {
		t.Errorf("the reason is %q, want %q in it", first.Message, r.Says)
	}
	for _, id := range r.Keeps {
		if c := got.Rules[id]; c.Coverage != verdict.Checked || c.Count == 0 {
			t.Errorf("the trace is to show %s kept, and that was %s", id, c.Coverage)
		}
	}
}

// firstOf returns the first finding, or an empty one.
func firstOf(r *verdict.Report) verdict.Finding {
	if len(r.Findings) == 0 {
		return verdict.Finding{}
	}
	return r.Findings[0]
}

// The manifest lists exactly the files of the corpus, and each row says all that it has to.
func TestManifestListsTheCorpus(t *testing.T) {
	listed, rows := map[string]bool{}, map[string]bool{}
	for _, r := range readManifest(t) {
		listed[r.File] = true
		if rows[r.name()] {
			t.Errorf("two rows for %s", r.name())
		}
		rows[r.name()] = true
		violation := r.Verdict == verdict.ProviderViolation || r.Verdict == verdict.ConsumerViolation
		unanswered := r.Verdict == verdict.Malformed || r.Verdict == verdict.Inconclusive
		if r.Shows == "" || violation != (r.Rule != "") || unanswered != (r.Says != "") {
			t.Errorf("%s: a violation has a rule, a trace that can't be judged says why, and each row says what it shows", r.name())
		}
		if recorded := strings.HasPrefix(r.File, "recorded/"); recorded != (r.Command != "") {
			t.Errorf("%s: recordings, and they alone, have the command that made them", r.name())
		}
		for _, id := range append(slices.Clone(r.Keeps), r.Rule) {
			if _, ok := rules.Get(id); !ok && id != "" {
				t.Errorf("%s: there is no rule %s", r.name(), id)
			}
		}
	}
	err := filepath.WalkDir(corpus, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := filepath.Rel(corpus, path)
		file = filepath.ToSlash(file)
		if file != "manifest.json" && file != "README.md" && !listed[file] && filepath.Dir(file) != "joined" {
			t.Errorf("%s is not in the manifest", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each seeded bug has a trace that is rejected, each thing that must be accepted one that is accepted, and each checked
// rule one that breaks it, or a reason why none can.
func TestCorpusIsComplete(t *testing.T) {
	bugs, allowed, breakers := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, r := range readManifest(t) {
		if r.Rule != "" {
			breakers[r.Rule] = append(breakers[r.Rule], r.name())
		}
		if r.Bug != "" {
			bugs[r.Bug] = true
			if _, seeded := conformance.Reveals[r.Bug]; !seeded || r.Verdict != verdict.ProviderViolation {
				t.Errorf("%s: %q is no seeded bug, or is not rejected", r.name(), r.Bug)
			}
		}
		if r.Allows != "" {
			allowed[r.Allows] = true
			if !slices.Contains(mustAccept, r.Allows) || r.Verdict != verdict.Conformant {
				t.Errorf("%s: %q is not in mustAccept, or is not accepted", r.name(), r.Allows)
			}
		}
	}
	for bug := range conformance.Reveals {
		if !bugs[bug] {
			t.Errorf("no trace shows the bug %s", bug)
		}
	}
	for _, what := range mustAccept {
		if !allowed[what] {
			t.Errorf("no trace shows what must be accepted: %s", what)
		}
	}
	for _, id := range verdict.Checkable() {
		why, none := unbroken[id]
		switch broken := breakers[id]; {
		case none == (len(broken) > 0):
			t.Errorf("%s: %d traces break it, and unbroken says %q", id, len(broken), why)
		case none:
			t.Logf("%s: broken by none: %s", id, why)
		default:
			t.Logf("%s: broken by %s", id, strings.Join(broken, ", "))
		}
	}
}
