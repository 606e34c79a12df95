package conformance_test

import (
	"context"
	"errors"
	"io/fs"
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
	"ndkoracle/traces"
)

const corpus = "../traces"

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
}

func readManifest(t *testing.T) []traces.Row {
	t.Helper()
	rows, err := traces.Rows(os.DirFS(corpus))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Every trace of the corpus is judged as its row says: verdict, rule and line. The rules that it is there to show kept
// were exercised. Porcupine gives the same answer without the streaming engine, but for divergences that the row names.
func TestCorpus(t *testing.T) {
	for _, r := range readManifest(t) {
		t.Run(r.Name(), func(t *testing.T) {
			read, err := trace.ReadFile(filepath.Join(corpus, r.File), linearize.MaxEvents)
			if r.Verdict == string(verdict.Malformed) {
				refused(t, &r, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			options := linearize.Options{Dialect: r.Dialect, DeviceLevel: r.DeviceLevel, Assume: r.Assume, Timeout: time.Minute}
			if _, err := options.ResolveDialect(read.Header.Dialect); err != nil {
				t.Fatal(err)
			}
			judgedAs(t, &r, linearize.Check(context.Background(), read, options))
			options.Engine = linearize.Porcupine // by itself it decides all of them, too
			alone := linearize.Check(context.Background(), read, options)
			if want, got := r.Answer("porcupine"), answerOf(alone); got != want {
				t.Errorf("porcupine by itself: %+v, want %+v: %s", got, want, firstOf(alone).Message)
			}
		})
	}
}

func refused(t *testing.T, r *traces.Row, err error) {
	t.Helper()
	var malformed *trace.Error
	switch {
	case !errors.As(err, &malformed):
		t.Errorf("reading gives %v, want a *trace.Error", err)
	case malformed.Line != r.Line || !strings.Contains(malformed.Reason, r.Says):
		t.Errorf("refused at line %d: %s; want line %d and %q", malformed.Line, malformed.Reason, r.Line, r.Says)
	}
}

func judgedAs(t *testing.T, r *traces.Row, report *verdict.Report) {
	t.Helper()
	first := firstOf(report)
	if got, want := answerOf(report), r.Answer("auto"); got != want {
		t.Errorf("%+v: %s\nwant %+v", got, first.Message, want)
	}
	if !strings.Contains(first.Message, r.Says) {
		t.Errorf("the reason is %q, want %q in it", first.Message, r.Says)
	}
	advised := slices.IndexFunc(report.Warnings, func(w trace.Warning) bool {
		return r.Advises != "" && strings.HasPrefix(w.Text, r.Advises+" (advice): ") && w.Line == r.Line
	})
	if (r.Advises != "") != (advised >= 0) {
		t.Errorf("the trace is to show %q as not followed at line %d, and the warnings are %v", r.Advises, r.Line, report.Warnings)
	}
	for _, id := range r.Keeps {
		if slices.ContainsFunc(report.Warnings, func(w trace.Warning) bool { return strings.HasPrefix(w.Text, id+" ") }) {
			t.Errorf("the trace is to show %s kept, and the warnings are %v", id, report.Warnings)
		}
		if c := report.Rules[id]; c.Coverage != verdict.Checked || c.Count == 0 {
			t.Errorf("the trace is to show %s kept, and that was %s", id, c.Coverage)
		}
	}
}

func answerOf(r *verdict.Report) traces.Answer {
	first := firstOf(r)
	return traces.Answer{Verdict: string(r.Verdict), Rule: first.Rule, Line: first.Line}
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
		if rows[r.Name()] {
			t.Errorf("two rows for %s", r.Name())
		}
		rows[r.Name()] = true
		violation := r.Verdict == string(verdict.ProviderViolation) || r.Verdict == string(verdict.ConsumerViolation)
		unanswered := r.Verdict == string(verdict.Malformed) || r.Verdict == string(verdict.Inconclusive)
		if r.Shows == "" || violation && r.Rule == "" || !violation && r.Verdict != string(verdict.Inconclusive) && r.Rule != "" || unanswered != (r.Says != "") {
			t.Errorf("%s: a violation has a rule, a trace that can't be judged says why, and each row says what it shows", r.Name())
		}
		if recorded := strings.HasPrefix(r.File, "recorded/"); recorded != (r.Command != "") {
			t.Errorf("%s: recordings, and they alone, have the command that made them", r.Name())
		}
		if (len(r.Engines) > 0) != (r.Because != "") {
			t.Errorf("%s: where an engine gives another answer the row says why, and only there", r.Name())
		}
		for engine, other := range r.Engines {
			right := traces.Answer{Verdict: r.Verdict, Rule: r.Rule, Line: r.Line}
			if !slices.Contains([]string{"auto", "stream", "porcupine", "tlc"}, engine) || other == right {
				t.Errorf("%s: %q is no engine, or its answer is the right one", r.Name(), engine)
			}
		}
		for _, id := range append(slices.Clone(r.Keeps), r.Rule) {
			if _, ok := rules.Get(id); !ok && id != "" {
				t.Errorf("%s: there is no rule %s", r.Name(), id)
			}
		}
	}
	err := filepath.WalkDir(corpus, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := filepath.Rel(corpus, path)
		file = filepath.ToSlash(file)
		if file != "manifest.json" && file != "README.md" && filepath.Ext(file) != ".go" && !listed[file] && filepath.Dir(file) != "joined" {
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
		if r.Rule != "" && r.Verdict != string(verdict.Inconclusive) {
			breakers[r.Rule] = append(breakers[r.Rule], r.Name())
			if r.Assume == nil && !slices.Contains(verdict.Checkable(), r.Rule) {
				t.Errorf("%s breaks %s, and nobody declares it", r.Name(), r.Rule)
			}
		}
		if r.Advises != "" {
			breakers[r.Advises] = append(breakers[r.Advises], r.Name())
		}
		if r.Bug != "" {
			bugs[r.Bug] = true
			if _, seeded := conformance.Reveals[r.Bug]; !seeded || r.Verdict != string(verdict.ProviderViolation) {
				t.Errorf("%s: %q is no seeded bug, or is not rejected", r.Name(), r.Bug)
			}
		}
		if r.Allows != "" {
			allowed[r.Allows] = true
			if !slices.Contains(mustAccept, r.Allows) || r.Verdict != string(verdict.Conformant) {
				t.Errorf("%s: %q is not in mustAccept, or is not accepted", r.Name(), r.Allows)
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
