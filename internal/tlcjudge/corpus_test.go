package tlcjudge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

const folder = "../../traces"

// wrong says how a report differs from the right answer, or "".
func wrong(want traces.Answer, report *verdict.Report) string {
	var first verdict.Finding
	if len(report.Findings) > 0 {
		first = report.Findings[0]
	}
	if string(report.Verdict) == want.Verdict && first.Rule == want.Rule && (want.Line == 0 || first.Line == want.Line) {
		return ""
	}
	return fmt.Sprintf("got %s %s in line %d (%s; also %v), want %s %s in line %d",
		report.Verdict, first.Rule, first.Line, first.Message, first.Also, want.Verdict, want.Rule, want.Line)
}

// corpus returns the rows of the manifest whose traces can be read and are recordings, or are not.
func corpus(t *testing.T, recorded bool) (rows []traces.Row, cases []Case) {
	t.Helper()
	all, err := traces.Rows(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Verdict != string(verdict.Malformed) && strings.HasPrefix(r.File, "recorded/") == recorded {
			rows = append(rows, r)
			cases = append(cases, Case{readTrace(t, r.File),
				linearize.Options{Dialect: r.Dialect, DeviceLevel: r.DeviceLevel, Assume: r.Assume}})
		}
	}
	return rows, cases
}

func readTrace(t *testing.T, name string) *trace.Trace {
	t.Helper()
	read, err := trace.ReadFile(filepath.Join(folder, name), 0)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// newJudge needs Java, and TLC's jar; without them the tests fail: there is no other third opinion.
func newJudge(t *testing.T) Judge {
	t.Helper()
	if err := tlc.CheckJava(); err != nil {
		t.Fatal(err)
	}
	jar, err := tlc.FindJar(t.Context(), filepath.Join("..", "..", "build", "tlc"))
	if err != nil {
		t.Fatal(err)
	}
	return Judge{tlc.Runner{Jar: jar, Build: t.TempDir(), Timeout: 25 * time.Minute}}
}

// Every trace by hand has the answer that is right for it, and that the judge gives as well: verdict, rule and line. A run of
// TLC has a hundred of them, since all at once need more memory than it is given; it takes no trace whose order is open.
func TestCorpus(t *testing.T) {
	rows, cases := corpus(t, false)
	j := newJudge(t)
	var reports []*verdict.Report
	for some := range slices.Chunk(cases, 100) {
		told, err := j.CheckAll(t.Context(), some)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, told...)
	}
	for i, r := range rows {
		if differs := wrong(r.Answer("tlc"), reports[i]); differs != "" && !strings.Contains(differs, "the engine tlc tries one order") {
			t.Errorf("%s: %s", r.Name(), differs)
		}
	}
}

// The same of the recordings, of which TLC may say that it came to a limit. It takes minutes; a run without NDK_TRACES=all
// takes one of them.
func TestRecordings(t *testing.T) {
	rows, cases := corpus(t, true)
	j := newJudge(t)
	for i, r := range rows {
		if os.Getenv("NDK_TRACES") != "all" && r.File != "recorded/refimpl-send-and-invalidate.ndktrace.jsonl" {
			continue
		}
		start := time.Now()
		j.Runner.Timeout = 2 * time.Minute
		report, err := j.Check(t.Context(), cases[i].Trace, cases[i].Options)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-90s %5d events %6.1f s  %s", r.Name(), report.Events, time.Since(start).Seconds(), report.Verdict)
		if differs := wrong(r.Answer("tlc"), report); differs != "" {
			if limit := report.Findings[0].Message; report.Verdict != verdict.Inconclusive || !strings.Contains(limit, "limit") {
				t.Errorf("%s: %s", r.Name(), differs)
			} else {
				t.Log(limit)
			}
		}
	}
}
