package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// bench is a program whose engine answers what the test wants: the first word of a file chooses the report.
type bench struct {
	program
	out, errors bytes.Buffer
	asked       []linearize.Options
	within      time.Duration // the time left for the latest check
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{}
	b.console = console{
		stdin: strings.NewReader("conformant"), stdout: &b.out, stderr: &b.errors, getenv: func(string) string { return "" },
	}
	b.grace = time.Minute
	b.engines = engines{
		read: readFake,
		check: func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
			b.asked = append(b.asked, o)
			if deadline, limited := ctx.Deadline(); limited {
				b.within = time.Until(deadline)
			}
			return fakeReport(t)
		},
		follow: func(ctx context.Context, name string, r io.Reader, _ *reading, options func(trace.Header) linearize.Options) (
			*verdict.Report, *trace.Trace, error) {
			t, err := b.read(ctx, name, r)
			if err != nil {
				return nil, t, err
			}
			return b.check(ctx, t, options(t.Header)), t, nil
		},
		scan: func(ctx context.Context, name string, r io.Reader, take func(*trace.Event)) (*trace.Trace, error) {
			t, err := b.read(ctx, name, r)
			if err == nil {
				for i := range t.Events {
					take(&t.Events[i])
				}
			}
			return t, err
		},
		checkable: func() []string { return []string{"ARM-01", "ARM-02", "ARM-11", "DEF-03"} },
	}
	return b
}

// commands returns the command that has all others.
func (b *bench) commands() *cobra.Command { return b.line(bufio.NewWriter(&b.out)).Root() }

func (b *bench) do(args ...string) int {
	b.out.Reset()
	b.errors.Reset()
	return b.run(context.Background(), args)
}

// readFake reads the fake format of these tests: one word.
func readFake(_ context.Context, name string, r io.Reader) (*trace.Trace, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return &trace.Trace{Name: name}, err
	}
	word := strings.TrimSpace(string(content))
	if word == "malformed" {
		return nil, &trace.Error{File: name, Line: 7, Reason: "seq 3 comes after seq 9"}
	}
	producer := trace.Producer{Name: "a producer", Version: "2"}
	if word == "anonymous" {
		producer = trace.Producer{}
	}
	return &trace.Trace{
		Name: name, Header: trace.Header{Dialect: "ndkpi", Producer: producer, Run: map[string]string{"answer": word}},
		Events: []trace.Event{
			{Line: 2, Seq: 1, Ph: trace.Call, Fn: "NdkCreateCq", Cq: "cq1", Op: "1"},
			{Line: 5, Seq: 4, Ph: trace.Call, Fn: "NdkArmCq", Cq: "cq1", Type: "SOLICITED", Op: "3"},
			{Line: 9, Seq: 8, Ph: trace.Ret, Fn: "NdkGetCqResults", Op: "4",
				Results: []trace.Result{{Wr: "w1", Status: "STATUS_CANCELLED"}}},
		},
		End: &trace.End{Events: 3, Quiescent: true},
	}, nil
}

func fakeReport(t *trace.Trace) *verdict.Report {
	report := &verdict.Report{
		File: t.Name, Dialect: "ndkpi", Events: 3, Components: 1, Operations: 4, Assumes: []string{"A2"},
		Rules: map[string]verdict.RuleCoverage{}, Cases: &cases.Counts{},
		// Output that is to be the same byte for byte must not show this.
		Elapsed: time.Duration(time.Now().UnixNano()),
	}
	for _, rule := range rules.All() {
		report.Rules[rule.ID] = verdict.RuleCoverage{Coverage: verdict.NotCheckable, Why: "no engine of this program checks it yet"}
	}
	report.Cases.Met(cases.Merge(model.NONE, model.ANY))
	report.Cases.Add(cases.ArmFoundNothing, cases.Count{AtLeast: 1, AtMost: 3})
	report.Cases.MayHave(cases.ArmFoundMatch)
	report.Rules["ARM-01"] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: 2}
	report.Rules["ARM-02"] = verdict.RuleCoverage{Coverage: verdict.Undecided, Count: 1, Why: "the trace has no end"}
	report.Rules["DEF-03"] = verdict.RuleCoverage{Coverage: verdict.Vacuous}
	switch word := t.Header.Run["answer"]; word {
	case "panic":
		panic("a mistake in the engine")
	case "provider":
		report.Verdict = verdict.ProviderViolation
		report.Rules["ARM-11"] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: 1}
		report.Findings = []verdict.Finding{{
			Verdict: verdict.ProviderViolation, Rule: "ARM-11", Also: []string{"ARM-03"}, Line: 9, Seq: 8,
			Message: "no callback came for the completion of w1, which failed, though cq1 was armed SOLICITED",
			Before:  []string{"cq1: 1 completion, armed SOLICITED", "cq1: empty, armed SOLICITED"},
			See:     []int{2, 5}, Assumes: []string{"A4"},
		}}
	case "two":
		report.Verdict = verdict.ProviderViolation
		report.Findings = []verdict.Finding{
			{Verdict: verdict.ProviderViolation, Rule: "ARM-02", Line: 5, Message: "One.", More: 7},
			{Verdict: verdict.ProviderViolation, Rule: "DEF-03", Line: 9, Message: "Two.", Follows: &verdict.Origin{Rule: "ARM-02", Line: 5}},
		}
	case "undecided":
		report.Verdict = verdict.Inconclusive
		report.Findings = []verdict.Finding{{Verdict: verdict.Inconclusive, Message: "Nobody knows."}}
	case "consumer":
		report.Verdict = verdict.ConsumerViolation
		report.Findings = []verdict.Finding{{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 5, Message: "Overlap."}}
	default:
		report.Verdict = verdict.Verdict(word)
	}
	return report
}

// files writes one fake trace a word and returns their names.
func files(t *testing.T, words ...string) []string {
	t.Helper()
	folder := t.TempDir()
	var names []string
	for i, word := range words {
		name := filepath.Join(folder, fmt.Sprintf("%d-%s.ndktrace.jsonl", i, word))
		if err := os.WriteFile(name, []byte(word), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
