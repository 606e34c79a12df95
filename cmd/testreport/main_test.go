package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No rule of NDKPI: these tests keep the project's own count of tests honest.

func TestReport(t *testing.T) {
	const (
		passA  = `{"Action":"output","Package":"p","Test":"A","Output":"from A\n"}` + "\n" + `{"Action":"pass","Package":"p","Test":"A"}` + "\n"
		skipB  = `{"Action":"output","Package":"p","Test":"B","Output":"no device\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"B"}` + "\n"
		startC = `{"Action":"output","Package":"p","Test":"C","Output":"from C\n"}` + "\n"
		failC  = `{"Action":"fail","Package":"p","Test":"C"}` + "\n"
		okP    = `{"Action":"output","Package":"p","Output":"PASS\n"}` + "\n" + `{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"
		badP   = `{"Action":"fail","Package":"p"}` + "\n"
	)
	for _, c := range []struct{ name, in, want, verdict string }{
		{"passed", passA + skipB + okP, "no device\nok  \tp\t0.1s\n1 passed, 0 failed, 1 skipped\n", ""},
		{"failed", passA + startC + failC + badP, "from C\n1 passed, 1 failed, 0 skipped\n", "tests failed"},
		{"died", passA + startC + badP, "p: C did not end\nfrom C\n1 passed, 1 failed, 0 skipped\n", "tests failed"},
		{"package failed", passA + badP, "1 passed, 0 failed, 0 skipped\n", "tests failed"},
		{"not built", `{"Action":"build-fail"}` + "\n" + passA, "1 passed, 0 failed, 0 skipped\n", "tests failed"},
		{"none", skipB + okP, "no device\nok  \tp\t0.1s\n0 passed, 0 failed, 1 skipped\n", "no test passed"},
		{"no JSON", "go: broken\n", "go: broken\n0 passed, 0 failed, 0 skipped\n", "no test passed"},
		{"last line cut", passA + `{"Action":"pa`, `{"Action":"pa` + "1 passed, 0 failed, 0 skipped\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			got := ""
			if err := run(strings.NewReader(c.in), &out, ""); err != nil {
				got = err.Error()
			}
			if out.String() != c.want || got != c.verdict {
				t.Errorf("printed %q with error %q, want %q with %q", out.String(), got, c.want, c.verdict)
			}
		})
	}
}

func TestCountsAreAppended(t *testing.T) {
	file := filepath.Join(t.TempDir(), "counts")
	for range 2 {
		var out strings.Builder
		err := run(strings.NewReader(`{"Action":"pass","Package":"p","Test":"A"}`), &out, file)
		if err != nil || out.Len() != 0 {
			t.Fatalf("printed %q with error %v, want nothing", out.String(), err)
		}
	}
	const want = "1 passed, 0 failed, 0 skipped\n1 passed, 0 failed, 0 skipped\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("the file has %q (%v), want %q", got, err, want)
	}
}
