package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/internal/browser"
	"ndkoracle/internal/synthetic"
)

// widths are those of a desk and of a telephone, in pixels.
var widths = []int{1400, 400}

// most is how many bytes a page may have: what is not near a finding is folded, so that a browser opens 100,000 events in two seconds.
const most = 8 << 20

// drawnPages returns pages by name.
func drawnPages(t *testing.T) map[string][]byte {
	t.Helper()
	folder := t.TempDir()
	draw := func(page string, args ...string) []byte {
		t.Helper()
		_, _, errors := shipped(t, append([]string{"--html", filepath.Join(folder, page)}, args...)...)
		text, err := os.ReadFile(filepath.Join(folder, page))
		if err != nil {
			t.Fatalf("%v\n%s", err, errors)
		}
		return text
	}
	pages := map[string][]byte{}
	for name, trace := range map[string]string{"lost callback": "deferred-callback-lost", "overlap": "callbacks-overlap", "flush": "flush-misses-last"} {
		pages[name] = draw(trace+".html", filepath.Join("../../traces/reject", trace+".ndktrace.jsonl"))
	}
	pages["advice"] = draw("advice.html", "../../traces/use/arm-once-ndkpi.ndktrace.jsonl")
	joined := append([]string{"--html", folder + "/", "--join"}, pairOf("never-sent")...)
	shipped(t, joined...)
	var err error
	if pages["two hosts"], err = os.ReadFile(filepath.Join(folder, "never-sent-b.html")); err != nil {
		t.Fatal(err)
	}
	pages["100,000 events"] = draw("long.html", longTrace(t, folder))
	return pages
}

// longTrace writes a trace of 100,000 events in which one poll delivers a completion for the second time.
func longTrace(t *testing.T, folder string) string {
	t.Helper()
	var text bytes.Buffer
	if err := synthetic.Write(&text, synthetic.Options{Seed: 1, Events: 100_000, Cqs: 4, Pairs: 2, Depth: 8}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")
	delivered := ""
	for n := len(lines) / 2; ; n++ {
		_, results, _ := strings.Cut(lines[n], `"results":[`)
		wr, _, found := strings.Cut(strings.TrimPrefix(results, `{"wr":"`), `"`)
		switch {
		case !found || results == "":
		case delivered == "":
			delivered = wr
		case n > len(lines)/2+100:
			lines[n] = strings.Replace(lines[n], `"wr":"`+wr+`"`, `"wr":"`+delivered+`"`, 1)
			file := filepath.Join(folder, "long.ndktrace.jsonl")
			if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
	}
}

// A page opens in a browser at the width of a desk and of a telephone: nothing is cut, lies over another thing, is too faint, is wider than the
// window, or is asked of another host; its links lead somewhere, and its keys work. Each trace shows what it is about. How long it took to open is logged, and
// not judged: others may use the machine.
func TestPagesInABrowser(t *testing.T) {
	wants := map[string]struct {
		text, next string
		classes    map[string]int // at least so many
		threads    string
	}{
		"lost callback": {"callback of cq1 owed here, and never entered", "22ARM-09", map[string]int{"owed": 2, "hidden": 4, "broken": 1, "see": 3}, "main provider callback"},
		"overlap":       {"ARM-06", "17ARM-06", map[string]int{"enter": 2, "ring": 1, "hidden": 2}, "main provider callback callback2"},
		"flush":         {"FLUSH-02", "14FLUSH-02", map[string]int{"rest": 1, "see": 2}, "main"},
		"advice":        {"1 warning, which decides no verdict", "28ARM-25", map[string]int{"warns": 1, "hidden": 8}, "main"},
		"two hosts":     {"every send of qp1 of A is accounted for", "B 12–13POLL-05", map[string]int{"message": 4, "finding": 1}, "A main B main"},
		"100,000 events": {"lines 63 to", "", map[string]int{"fold": 3, "message": 10, "axis": 1, "finding": 1},
			"thread"},
	}
	pages := drawnPages(t)
	for name, want := range wants {
		for _, width := range widths {
			t.Run(fmt.Sprint(name, " at ", width), func(t *testing.T) {
				seen := browser.Look(t, pages[name], width)
				t.Logf("%d bytes, %.0f ms", len(pages[name]), seen.Milliseconds)
				for _, objection := range seen.Objections() {
					t.Error(objection)
				}
				if len(pages[name]) > most {
					t.Errorf("it has %d bytes", len(pages[name]))
				}
				if !strings.Contains(seen.Text, want.text) {
					t.Errorf("it does not show %q:\n%s", want.text, seen.Text)
				}
				for class, n := range want.classes {
					if seen.Classes[class] < n {
						t.Errorf("%d of class %s, want %d: %v", seen.Classes[class], class, n, seen.Classes)
					}
				}
				if !strings.Contains(seen.NextFinding, want.next) || seen.NextFinding == "" {
					t.Errorf("n arrives at %q, want %q", seen.NextFinding, want.next)
				}
				if !strings.Contains(seen.Threads, want.threads) {
					t.Errorf("behind t the lanes are %q, want %q", seen.Threads, want.threads)
				}
			})
		}
	}
}
