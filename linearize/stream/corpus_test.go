package stream_test

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// otherLine lists what the streaming engine names where the manifest has the moment by which a completion had to be placed: the poll that delivers it.
var otherLine = map[string]int{
	"reject/polled-in-another-order-than-placed.ndktrace.jsonl":      19,
	"accept/more-than-the-depth.ndktrace.jsonl":                      18,
	"reject/dead-token-invalidated-by-rest.ndktrace.jsonl":           16,
	"reject/close-cancels-the-first-only.ndktrace.jsonl":             21,
	"reject/ndspi-token-of-a-closed-window-taken.ndktrace.jsonl":     35,
	"reject/verbs-token-of-bind-mw-invalidated-twice.ndktrace.jsonl": 46,
}

// The streaming engine gives every trace of the corpus the verdict that the manifest says is right, by the same rule or by one
// that says the same, and names the line, but for divergences that the row names.
func TestStreamDecidesTheCorpus(t *testing.T) {
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		want, r := row.Answer("stream"), judging.Stream(row.Read(t), row.Options())
		switch {
		case string(r.Verdict) != want.Verdict:
			t.Errorf("%s: %s, want %s %s: %+v", row.Name(), r.Verdict, want.Verdict, want.Rule, r.Findings)
		case want.Rule != "" && !judging.Equivalent(r.Findings[0], want.Rule):
			t.Errorf("%s: rule %s (also %v), want %s: %s", row.Name(), r.Findings[0].Rule, r.Findings[0].Also, want.Rule, r.Findings[0].Message)
		case want.Line != 0 && r.Findings[0].Line != cmp.Or(otherLine[row.File], want.Line):
			t.Errorf("%s: line %d, want %d: %s", row.Name(), r.Findings[0].Line, want.Line, r.Findings[0].Message)
		}
	}
}

// What became of tokens that the trace does not tell, porcupine leaves open, too, for the same request (INV-05, POLL-08).
func TestUntoldTokensAreLeftOpenByPorcupine(t *testing.T) {
	rows := 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Inconclusive) || !strings.HasPrefix(row.Says, "does not record the token of") {
			continue
		}
		rows++
		o := row.Options()
		o.Engine = linearize.Porcupine
		r := linearize.Check(context.Background(), row.Read(t), o)
		if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, row.Says) {
			t.Errorf("%s: %s, want inconclusive because %q: %+v", row.File, r.Verdict, row.Says, r.Findings)
		}
	}
	if rows == 0 {
		t.Error("no trace by hand leaves a token open")
	}
}
