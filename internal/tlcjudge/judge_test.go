package tlcjudge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A limit that is reached makes the answer inconclusive, and is named; being stopped is no answer.
func TestLimits(t *testing.T) {
	j := newJudge(t)
	long := readTrace(t, "recorded/refimpl-mixed.ndktrace.jsonl.zst")
	for says, o := range map[string]linearize.Options{
		"the time limit was reached, and TLC had explained 0 of the": {Timeout: time.Millisecond},
		"the engine tlc takes 100 at most":                           {MaxOperations: 100},
	} {
		j.Runner.Timeout = 0
		r, err := j.Check(t.Context(), long, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verdict.Inconclusive || len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Message, says) {
			t.Errorf("got %s %+v, want %q", r.Verdict, r.Findings, says)
		}
	}
	j.Runner.Heap = 16
	if r, err := j.Check(t.Context(), long, linearize.Options{}); err != nil || r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, "Java ran out of memory") {
		t.Errorf("with 16 MiB: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Check(ctx, long, linearize.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// What is written for TLC to be run by hand says what the engine says (ARM-09, as in late-at-a-quiesce-mark).
func TestWrite(t *testing.T) {
	c := Case{Trace: readTrace(t, "reject/late-at-a-quiesce-mark.ndktrace.jsonl")}
	if err := Decidable(c); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "made")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	err := Write(stopped, folder, c)
	if _, missing := os.Stat(folder); !errors.Is(err, context.Canceled) || missing == nil {
		t.Errorf("stopped: %v, and the folder is there: %t", err, missing == nil)
	}
	if err := Write(t.Context(), folder, c); err != nil {
		t.Fatal(err)
	}
	lines, limit, err := newJudge(t).Runner.Print(t.Context(), folder, Root)
	if err != nil || limit != "" {
		t.Fatalf("limit: %q, %v", limit, err)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, `<<"refused", 1, 10, `) || !strings.Contains(last, `"ARM-09"`) {
		t.Errorf("TLC's last word is %s", last)
	}
}

// Names mean nothing, whatever they are made of (ARM-09, as in late-at-a-quiesce-mark).
func TestHostileNames(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "reject/late-at-a-quiesce-mark.ndktrace.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	hostile := strings.NewReplacer(`"cq1"`, `"\"] \\* ===="`, `"w1"`, `"<<\"reached\", 1, 99>>"`, `"main"`, `"(* \" é"`).Replace(string(text))
	if hostile == string(text) {
		t.Fatal("nothing was renamed")
	}
	read, err := trace.Read("hostile", strings.NewReader(hostile), 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newJudge(t).Check(t.Context(), read, linearize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "ARM-09" || r.Findings[0].Line != 12 {
		t.Errorf("got %s %+v", r.Verdict, r.Findings)
	}
}

// A trace in which nothing happens is allowed, and one of calls alone has what needs no search: nothing is searched (ASY-01).
func TestNothingToSearch(t *testing.T) {
	const header = `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi","side":"provider","order":"total",` +
		`"producer":{"name":"test","version":"1"}}`
	for _, test := range []struct {
		text, rule string
		verdict    verdict.Verdict
	}{
		{header + `
{"rec":"end","events":0,"dropped":0,"quiescent":true}`, "", verdict.Conformant},
		{header + `
{"seq":1,"thr":"a","ph":"call","op":"1","fn":"NdkCreateMr","mr":"m"}
{"seq":2,"thr":"a","ph":"ret","op":"1","fn":"NdkCreateMr","status":"STATUS_PENDING"}
{"rec":"end","events":2,"dropped":0,"quiescent":true}`, "ASY-01", verdict.ProviderViolation},
	} {
		read, err := trace.Read("small", strings.NewReader(test.text), 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newJudge(t).Check(t.Context(), read, linearize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != test.verdict || test.rule != "" && r.Findings[0].Rule != test.rule {
			t.Errorf("got %s %+v, want %s %s", r.Verdict, r.Findings, test.verdict, test.rule)
		}
	}
}

// What TLC prints is understood, or it is an error.
func TestHear(t *testing.T) {
	answers := map[int]*answer{1: {last: -1}}
	for _, line := range []string{`<<"explain", 1, 7>>`, `<<"breach", 1, 8, "POLL-01", "consumer">>`, `<<"reached", 1, 2>>`,
		`<<"refused", 1, 2, 3, "ARM-09">>`, `<<"reached", 1, 3>>`, `<<"refused", 1, 3, 5, "ARM-04">>`} {
		if err := hear(answers, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	a := answers[1]
	if a.last != 7 || a.reached != 3 || len(a.refused) != 1 || a.refused[0] != (refusal{5, "ARM-04"}) ||
		len(a.breaches) != 1 || a.breaches[0] != (ruleBroken{8, "POLL-01", "consumer"}) {
		t.Errorf("got %+v", a)
	}
	for line, says := range map[string]string{
		`<<"reached", 2, 3>>`:                  "no such question",
		`<<"reached", 1>>`:                     "fewer than three fields",
		`<<"reached", one, 3>>`:                "expected integer",
		`<<"reached", 1, three>>`:              "expected integer",
		`<<"refused", 1, 3, "ARM-04">>`:        "nobody knows",
		`<<"refused", 1, 3, first, "ARM-04">>`: "expected integer",
		`<<"shouted", 1, 3>>`:                  "nobody knows",
	} {
		if err := hear(answers, line); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", line, err, says)
		}
	}
}

// A queue pair whose connection was lost may be connected again (RES-10, POLL-05).
func TestConnectedAgain(t *testing.T) {
	j := newJudge(t)
	runs := notation.ConnectedAgain()
	for _, name := range []string{"completing fails", "a write is cancelled", "nothing tells of the end", "it has another end"} {
		r, err := j.Check(t.Context(), notation.Read(t, "ndkpi", runs[name]), linearize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verdict.Conformant {
			t.Errorf("%s: %s: %+v", name, r.Verdict, r.Findings)
		}
	}
}
