package linearize

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
)

// One report is made of each pair of answers (acceptance by one engine is not enough): a violation stands whatever the other engine leaves open;
// what one alone holds against the provider is not a verdict where the other blames the consumer; and where one calls the trace conformant, and the
// other does not, it is never called so.
func TestAutoAgrees(t *testing.T) {
	open := verdict.Finding{Verdict: verdict.Inconclusive, Message: "more than is followed"}
	restless := verdict.Finding{Verdict: verdict.Inconclusive, Message: verdict.NotAtRest}
	provider := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-03", Line: 5}
	consumer := verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 9}
	answers := map[string][]verdict.Finding{
		"conformant": nil, "restless": {restless}, "open": {open},
		"provider": {provider}, "provider, restless": {provider, restless}, "provider, open": {provider, open},
		"consumer": {consumer}, "consumer, restless": {consumer, restless}, "consumer, open": {consumer, open},
	}
	const c, i, p, u = verdict.Conformant, verdict.Inconclusive, verdict.ProviderViolation, verdict.ConsumerViolation
	columns := []string{"conformant", "restless", "open", "provider", "provider, restless", "provider, open", "consumer", "consumer, restless", "consumer, open"}
	for _, row := range []struct {
		streamed string
		searched [9]verdict.Verdict // in the order of the columns
		differ   string             // the columns with which the difference is told: x
	}{
		{"conformant", [9]verdict.Verdict{c, i, c, p, p, p, u, u, u}, ".x.xxxxxx"},
		{"restless", [9]verdict.Verdict{i, i, i, p, p, p, u, u, u}, "x..xxxxxx"},
		{"open", [9]verdict.Verdict{c, i, i, p, p, p, u, u, u}, "........."},
		{"provider", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx....xx."},
		{"provider, restless", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx....xx."},
		{"provider, open", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx......."},
		{"consumer", [9]verdict.Verdict{i, u, u, u, u, u, u, u, u}, "xx.xx...."},
		{"consumer, restless", [9]verdict.Verdict{i, u, u, u, u, u, u, u, u}, "xx.xx...."},
		{"consumer, open", [9]verdict.Verdict{i, u, u, p, p, p, u, u, u}, "xx......."},
	} {
		for k, searched := range columns {
			t.Run(row.streamed+" by stream and "+searched+" by porcupine", func(t *testing.T) {
				report := func(engine Engine, findings []verdict.Finding) *verdict.Report {
					r := &verdict.Report{Engine: string(engine), Findings: slices.Clone(findings)}
					r.Settle()
					return r
				}
				r := agree(report(Streaming, answers[row.streamed]), report(Porcupine, answers[searched]))
				if r.Verdict != row.searched[k] {
					t.Errorf("%s, want %s: %+v", r.Verdict, row.searched[k], r.Findings)
				}
				tells := func(f verdict.Finding) bool {
					return strings.Contains(f.Message, "the engines differ") && strings.Contains(f.Message, "by stream") && strings.Contains(f.Message, "by porcupine")
				}
				if told := slices.ContainsFunc(r.Findings, tells); told != (row.differ[k] == 'x') {
					t.Errorf("that the engines differ is told: %t: %+v", told, r.Findings)
				}
			})
		}
	}
}

// What the consumer did first excuses the provider, though the engine that blames it leaves something open (POLL-01), where its rule excuses anything.
func TestAutoExcusesTheProvider(t *testing.T) {
	report := func(findings ...verdict.Finding) *verdict.Report {
		r := &verdict.Report{Findings: findings}
		r.Settle()
		return r
	}
	r := agree(report(verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 4}, verdict.Finding{Verdict: verdict.Inconclusive}),
		report(verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-03", Line: 5}))
	if r.Verdict != verdict.ConsumerViolation {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
	// A chain that was left open excuses nothing (DEF-06).
	r = agree(report(verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "POST-08", Line: 5}),
		report(verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "DEF-06", Line: 4}, verdict.Finding{Verdict: verdict.Inconclusive}))
	if r.Verdict != verdict.ProviderViolation {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
	// The stream tells both, and does not count what the provider did as excused (LIFE-01, RES-02).
	consumers := verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "LIFE-01", Line: 4}
	for _, line := range []int{4, 3} {
		both := report(verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "RES-02", Line: 5}, consumers)
		both.Findings[len(both.Findings)-1].Line = line
		r, want := agree(both, report(consumers)), verdict.ProviderViolation
		if line != consumers.Line {
			want = verdict.ConsumerViolation
		}
		if r.Verdict != want {
			t.Errorf("line %d: %s: %+v", line, r.Verdict, r.Findings)
		}
	}
}

// What both engines found, and the stream first, comes first: what the search alone has found before it may follow from it (DEF-04, POLL-05). What the stream
// has found, too, or finds alone, changes nothing.
func TestAutoTellsFirstWhatBothFound(t *testing.T) {
	report := func(rules ...string) *verdict.Report {
		r := &verdict.Report{}
		for i, rule := range rules {
			r.Findings = append(r.Findings, verdict.Finding{Verdict: verdict.ProviderViolation, Rule: rule, Line: 4 + i})
		}
		r.Settle()
		return r
	}
	for _, test := range []struct {
		streamed, searched []string
		want               string
	}{
		{[]string{"POLL-05"}, []string{"DEF-04", "POLL-05"}, "POLL-05"},
		{[]string{"POLL-05", "DEF-04"}, []string{"DEF-04", "POLL-05"}, "DEF-04"},
		{[]string{"POLL-09"}, []string{"DEF-04", "POLL-05"}, "DEF-04"},
	} {
		if r := agree(report(test.streamed...), report(test.searched...)); r.Findings[0].Rule != test.want {
			t.Errorf("stream %v, porcupine %v: %s, want %s", test.streamed, test.searched, r.Findings[0].Rule, test.want)
		}
	}
}

// What the stream found is not lost to a search that does not end when it should (within a second of --timeout or an interrupt), and a
// mistake in that is not taken for an answer.
func TestAutoDoesNotWaitForTheSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answer := &verdict.Report{}
	if r := second(ctx, func() *verdict.Report { return answer }); r != answer {
		t.Errorf("the search has an answer, and it is %v", r)
	}
	cancel()
	if r := second(ctx, func() *verdict.Report { <-t.Context().Done(); return answer }); r != nil {
		t.Errorf("the search has no answer yet, and it is %v", r)
	}
	defer func() {
		if problem := recover(); problem == nil || !strings.Contains(problem.(string), "a mistake\n") {
			t.Errorf("recovered %v", problem)
		}
	}()
	second(ctx, func() *verdict.Report { panic("a mistake") })
	t.Error("the search broke down, and nobody knows")
}
