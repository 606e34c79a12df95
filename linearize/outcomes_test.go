package linearize_test

import (
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/explain"
	"ndkoracle/linearize/verdict"
)

// attribution counts what messages say of how requests ended, and reports what the trace contradicts.
type attribution struct {
	*testing.T
	said int
}

func (a *attribution) hold(of string, ending judging.Ending, message string) {
	wrong, said := ending.Misattributed(message)
	a.said += said
	for _, w := range wrong {
		a.Errorf("%s: %s: %s", of, w, message)
	}
}

// No rule, but what each message promises: a request that it calls succeeded, failed or cancelled ended so in the trace.
func TestMessagesSayHowRequestsEnded(t *testing.T) {
	a := attribution{T: t}
	for _, row := range judging.Corpus(t) {
		if !strings.HasPrefix(row.File, "reject/") {
			continue
		}
		traced, o := row.Read(t), row.Options()
		ending := judging.EndingOf(traced)
		for _, o.Engine = range []linearize.Engine{linearize.Streaming, linearize.Porcupine, linearize.Auto} {
			for _, f := range linearize.Check(t.Context(), traced, o).Findings {
				a.hold(row.Name()+", "+string(o.Engine)+", "+f.Rule, ending, f.Message)
			}
		}
	}
	if a.said < 150 {
		t.Errorf("only %d times a message said how a request ended", a.said)
	}
}

// The same of traces that differ from one of the corpus in the status of one result, and of what the clauses find in them by themselves (FLUSH-06: it is not
// the request that failed that succeeded behind a failure).
func TestMessagesSayHowRequestsEndedElsewhere(t *testing.T) {
	a := attribution{T: t}
	for _, row := range judging.Corpus(t) {
		if !strings.HasPrefix(row.File, "accept/") && !strings.HasPrefix(row.File, "reject/") {
			continue
		}
		traced, o := row.Read(t), row.Options()
		o.Engine = linearize.Streaming
		d, err := o.ResolveDialect(traced.Header.Dialect)
		if err != nil || traced.Header.Order == "partial" || len(traced.Events) > 400 {
			continue
		}
		for i := range traced.Events {
			for k := range traced.Events[i].Results {
				result := &traced.Events[i].Results[k]
				was := result.Status
				for _, outcome := range []string{"SUCCESS", "FAILED", "CANCELLED"} {
					if result.Status = judging.StatusOf(traced.Header.Dialect, outcome); result.Status == was {
						continue
					}
					ending := judging.EndingOf(traced)
					report := linearize.Check(t.Context(), traced, o)
					for _, f := range report.Findings {
						a.hold(row.Name()+", stream, "+f.Rule, ending, f.Message)
					}
					if slices.ContainsFunc(report.Findings, func(f verdict.Finding) bool { return f.Rule == "FLAG-01" }) {
						continue // the clauses take it that a silent request that succeeds has no completion
					}
					for _, f := range clauses.Judge(d, traced).Findings {
						a.hold(row.Name()+", clauses, "+f.ID, ending, explain.Finding(&f, 1, 1).Message)
					}
				}
				result.Status = was
			}
		}
	}
	if a.said < 300 {
		t.Errorf("only %d times a message said how a request ended", a.said)
	}
}
