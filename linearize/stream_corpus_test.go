package linearize

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// notFollowed lists what the streaming engine answers inconclusive to, by words of the reason, and porcupine does not.
var notFollowed = []string{
	"failed before it told so, and when that was this engine does not follow",
	"failed, before it told so, this engine does not follow",
	"what an overflow loses this engine does not follow",
}

// sameRule lists rules that one breach can be told by: each row is of rules that say the same of the same events.
var sameRule = [][]string{
	{"ARM-03", "ARM-04", "ARM-07", "ARM-08", "ARM-09", "ARM-10", "ARM-11"}, // a callback is owed, and was not entered
	{"ARM-01", "ARM-02", "ARM-08", "ARM-12", "ARM-21"},                     // a callback was entered, and none is owed
}

func equivalent(f verdict.Finding, rule string) bool {
	return f.Rule == rule || slices.Contains(f.Also, rule) || slices.ContainsFunc(sameRule, func(same []string) bool {
		return slices.Contains(same, f.Rule) && slices.Contains(same, rule)
	})
}

// mostOpen is how many rows of the corpus the streaming engine does not decide: all are of CQs that overflow.
const mostOpen = 6

// The streaming engine gives every trace of the corpus the verdict that the manifest says is right, by the same rule or by one
// that says the same, or says what it does not follow.
func TestStreamDecidesTheCorpus(t *testing.T) {
	var rows []struct {
		File, Verdict, Rule, Dialect, Says string
		Assume                             map[string]string
		DeviceLevel                        bool `json:"device_level"`
	}
	text, err := os.ReadFile("../traces/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	decided, open := 0, 0
	for _, row := range rows {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		traced, err := trace.ReadFile(filepath.Join("../traces", row.File), 0)
		if err != nil {
			t.Error(err)
			continue
		}
		r := streaming(traced, Options{Dialect: row.Dialect, Assume: row.Assume, DeviceLevel: row.DeviceLevel})
		switch {
		case string(r.Verdict) == row.Verdict:
			decided++
			if row.Rule != "" && !equivalent(r.Findings[0], row.Rule) {
				t.Errorf("%s: rule %s (also %v), want %s: %s", row.File, r.Findings[0].Rule, r.Findings[0].Also, row.Rule,
					r.Findings[0].Message)
			}
		case r.Verdict == verdict.Inconclusive && slices.ContainsFunc(r.Findings, ofWhatIsNotFollowed):
			open++
		default:
			t.Errorf("%s %v: %s, want %s %s: %+v", row.File, row.Assume, r.Verdict, row.Verdict, row.Rule, r.Findings)
		}
	}
	t.Logf("%d rows decided, %d left open", decided, open)
	if open > mostOpen {
		t.Errorf("%d rows were left open, want %d at most", open, mostOpen)
	}
}

func ofWhatIsNotFollowed(f verdict.Finding) bool {
	return slices.ContainsFunc(notFollowed, func(words string) bool { return strings.Contains(f.Message, words) })
}
