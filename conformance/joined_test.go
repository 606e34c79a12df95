package conformance_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const joinedCorpus = corpus + "/joined"

// A pairRow of the manifest of joined/ is the traces of two hosts and the right answers.
type pairRow struct {
	Pair     string             `json:"pair"`
	Verdicts [2]verdict.Verdict `json:"verdicts"`
	Rule     string             `json:"rule"` // that one of them breaks
	Line     int                `json:"line"` // … where, in its trace
	Says     string             `json:"says"` // part of the reason, where one is inconclusive
	Shows    string             `json:"shows"`
}

func (r pairRow) files() [2]string {
	name := filepath.Join(joinedCorpus, r.Pair)
	return [2]string{name + "-a.ndktrace.jsonl", name + "-b.ndktrace.jsonl"}
}

func readPairs(t *testing.T) []pairRow {
	t.Helper()
	file, err := os.Open(filepath.Join(joinedCorpus, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	var rows []pairRow
	if err := decoder.Decode(&rows); err != nil {
		t.Fatalf("manifest.json: %v", err)
	}
	return rows
}

// judgePair judges two traces as those of the hosts of a connection, named in this order.
func judgePair(t *testing.T, files [2]string) [2]*verdict.Report {
	t.Helper()
	var hosts [2]*linearize.Host
	for i, file := range files {
		in, err := trace.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		hosts[i] = &linearize.Host{In: in, Name: filepath.Base(file), Options: linearize.Options{Timeout: time.Minute}}
	}
	linearize.CheckJoined(context.Background(), hosts)
	for _, h := range hosts {
		if h.Err != nil {
			t.Fatal(h.Err)
		}
	}
	return [2]*verdict.Report{hosts[0].Report, hosts[1].Report}
}

// Every pair of traces is judged as its row says, in whichever order they are named. What is wrong is seen only when they are joined: alone
// neither breaks a rule (POLL-05, ARM-03, ARM-12, RES-03, RES-10, POLL-07, DEF-04).
func TestJoinedCorpus(t *testing.T) {
	for _, r := range readPairs(t) {
		t.Run(r.Pair, func(t *testing.T) {
			files := r.files()
			forth, back := judgePair(t, files), judgePair(t, [2]string{files[1], files[0]})
			r.compare(t, forth)
			if r.Pair != "circle" { // of which the first to be named is told
				r.compare(t, [2]*verdict.Report{back[1], back[0]})
			}
			for _, file := range files {
				alone, err := trace.ReadFile(file, 0)
				if err != nil {
					t.Fatal(err)
				}
				if report := linearize.Check(context.Background(), alone, linearize.Options{}); report.Violated() {
					t.Errorf("%s breaks %s alone: %s", file, report.Findings[0].Rule, report.Findings[0].Message)
				}
			}
		})
	}
}

func (r pairRow) compare(t *testing.T, reports [2]*verdict.Report) {
	t.Helper()
	said := r.Says == ""
	for i, report := range reports {
		first := verdict.Finding{}
		if len(report.Findings) > 0 {
			first = report.Findings[0]
		}
		if report.Verdict != r.Verdicts[i] || report.Violated() && (first.Rule != r.Rule || first.Line != r.Line) {
			t.Errorf("%s: %s of %q at line %d: %s\nwant %s of %q at line %d", report.File, report.Verdict, first.Rule, first.Line, first.Message,
				r.Verdicts[i], r.Rule, r.Line)
		}
		said = said || strings.Contains(first.Message, r.Says)
	}
	if !said {
		t.Errorf("neither reason has %q in it", r.Says)
	}
}

// The manifest of joined/ lists exactly its traces.
func TestJoinedManifestListsThePairs(t *testing.T) {
	listed := map[string]bool{filepath.Join(joinedCorpus, "manifest.json"): true}
	for _, r := range readPairs(t) {
		violated := r.Verdicts[0] == verdict.ProviderViolation || r.Verdicts[1] == verdict.ProviderViolation
		if r.Shows == "" || violated != (r.Rule != "") {
			t.Errorf("%s: a violation has a rule, and each row says what it shows", r.Pair)
		}
		for _, file := range r.files() {
			listed[file] = true
		}
	}
	files, err := filepath.Glob(joinedCorpus + "/*")
	if err != nil || len(files) != len(listed) {
		t.Errorf("%d files, %d of them listed: %v", len(files), len(listed), err)
	}
	for _, file := range files {
		if !listed[file] {
			t.Errorf("%s is not in the manifest", file)
		}
	}
}
