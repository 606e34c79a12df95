package linearize_test

import (
	"context"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// The beginning of a conformant trace is conformant, or undecided: nothing that comes later excuses what came before (all rules of safety).
func TestBeginningsOfConformantTraces(t *testing.T) {
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Conformant) && row.Verdict != string(verdict.Inconclusive) || strings.HasPrefix(row.File, "recorded/") || strings.HasPrefix(row.File, "joined/") {
			continue
		}
		whole := row.Read(t)
		if whole.Header.Order != "total" {
			continue
		}
		for n := range whole.Events {
			begun := *whole
			begun.Events, begun.End = whole.Events[:n], nil
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				options := row.Options()
				options.Engine = engine
				if r := linearize.Check(context.Background(), &begun, options); r.Violated() {
					t.Errorf("%s, the first %d events, by %s: %s", row.Name(), n, engine, judging.Saying(r))
				}
			}
		}
	}
}
