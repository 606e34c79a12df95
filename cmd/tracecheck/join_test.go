package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

const joinedTraces = "../../traces/joined/"

// judgedTogether runs the real program.
func judgedTogether(ctx context.Context, stdin []byte, args ...string) (code int, out, errors string) {
	var stdout, stderr bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = bytes.NewReader(stdin), &stdout, &stderr
	code = p.run(ctx, append([]string{"--join"}, args...))
	return code, stdout.String(), stderr.String()
}

func pairOf(name string) []string {
	return []string{joinedTraces + name + "-a.ndktrace.jsonl", joinedTraces + name + "-b.ndktrace.jsonl"}
}

// --join judges two traces as one system. Each has its own verdict, and findings name the file that they are in (POLL-05, RES-03).
func TestJoin(t *testing.T) {
	for _, test := range []struct {
		pair string
		code int
		says string
	}{
		{"ping-pong", exitConformant, "ping-pong-b.ndktrace.jsonl: conformant (20 events, ndkpi, with " + joinedTraces + "ping-pong-a"},
		{"never-sent", exitViolation, "never-sent-b.ndktrace.jsonl:13: POLL-05: r2 completed"},
		{"wrong-invalidated-token", exitViolation, "s1 (" + joinedTraces + "wrong-invalidated-token-a.ndktrace.jsonl:8) invalidated 7"},
		{"cut-short", exitInconclusive, "ends before qp1 of " + joinedTraces + "cut-short-a.ndktrace.jsonl has posted what r2 takes"},
	} {
		if code, out, errors := judgedTogether(t.Context(), nil, pairOf(test.pair)...); code != test.code || !strings.Contains(out, test.says) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", test.pair, code, test.code, test.says, out, errors)
		}
	}
}

// One of the two traces may come from standard input, and either compressed.
func TestJoinReadsWhatCheckReads(t *testing.T) {
	files := pairOf("never-sent")
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, stdin := range map[string][]byte{"plain": text, "zstd": w.EncodeAll(text, nil)} {
		code, out, errors := judgedTogether(t.Context(), stdin, "-", files[1])
		if code != exitViolation || !strings.Contains(out, "-b.ndktrace.jsonl:13: POLL-05") || !strings.Contains(out, "-: conformant") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errors)
		}
	}
}

// The other formats tell of two traces, too, each finding in its own.
func TestJoinInEachFormat(t *testing.T) {
	for format, says := range map[string]string{
		"json": `"with": "`, "table": "POLL-05", "sarif": "never-sent-b.ndktrace.jsonl", "junit": "never-sent-b.ndktrace.jsonl:13",
		"github": "never-sent-b.ndktrace.jsonl,line=13", "codeclimate": "never-sent-b.ndktrace.jsonl", "checkstyle": `<error line="13"`,
	} {
		page := filepath.Join(t.TempDir(), "pages") + "/"
		code, out, errors := judgedTogether(t.Context(), nil, append(pairOf("never-sent"), "--format", format, "--html", page)...)
		if code != exitViolation || !strings.Contains(out, says) {
			t.Errorf("%s: exit %d, want %q in\n%s%s", format, code, says, out, errors)
		}
		if drawn, err := os.ReadFile(page + "never-sent-b.html"); err != nil || !strings.Contains(string(drawn), "POLL-05") {
			t.Errorf("%s: the page of the trace that breaks a rule: %v", format, err)
		}
	}
}

// What may only follow from a violation in the other host's trace is marked with that, and no verdict rests on it.
func TestJoinMarksWhatFollowsFromTheOtherHost(t *testing.T) {
	files := pairOf("never-sent")
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	header, events, _ := strings.Cut(string(text), "\n")
	const unasked = `{"seq":0,"thr":"c","ph":"enter","op":"c","fn":"NdkCqNotificationCallback","cq":"cq1","status":"STATUS_SUCCESS"}`
	created := strings.SplitAfterN(events, "\n", 7)
	events = strings.Join(created[:6], "") + strings.Replace(unasked, `"seq":0`, `"seq":7`, 1) + "\n" +
		`{"seq":8,"thr":"c","ph":"exit","op":"c","fn":"NdkCqNotificationCallback"}` + "\n"
	for i, line := range strings.SplitAfter(created[6], "\n") {
		line = strings.Replace(line, fmt.Sprintf(`"seq":%d,`, i+7), fmt.Sprintf(`"seq":%d,`, i+9), 1)
		events += strings.Replace(line, `"events":10`, `"events":12`, 1)
	}
	code, out, errors := judgedTogether(t.Context(), []byte(header+"\n"+events), "-", files[1], "--format", "json")
	var run struct {
		Traces []struct {
			Verdict  string
			Findings []struct {
				Rule    string
				Follows *struct {
					Rule, File string
					Line       int
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &run); err != nil || code != exitViolation || len(run.Traces) != 2 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errors)
	}
	first, second := run.Traces[0], run.Traces[1]
	if first.Verdict != "provider violation" || first.Findings[0].Rule != "ARM-01" || first.Findings[0].Follows != nil {
		t.Errorf("the host that broke ARM-01: %+v", first)
	}
	if f := second.Findings[0]; second.Verdict != "inconclusive" || f.Rule != "POLL-05" || f.Follows == nil || f.Follows.File != "-" || f.Follows.Line != 8 {
		t.Errorf("the other host: %+v", second)
	}
}

// What can't be joined is refused, or told, clearly.
func TestJoinRefuses(t *testing.T) {
	files := pairOf("ping-pong")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{files[:1], exitUsage, "--join takes two traces, those of the two hosts of a connection, and here are 1"},
		{append(pairOf("never-sent"), files[0]), exitUsage, "and here are 3"},
		{[]string{files[0], files[0]}, exitUsage, "both are"},
		{append(pairOf("ping-pong"), "--engine", "porcupine"), exitUsage, "--join is of the engine stream, not of porcupine"},
		{append(pairOf("ping-pong"), "--witness", "w"), exitUsage, "neither --witness nor --minimize"},
		{[]string{files[0], "../../traces/malformed/empty.ndktrace.jsonl"}, exitMalformed, "can't be read, and so neither is judged"},
		{[]string{files[0], "../../traces/malformed/end-miscounts.ndktrace.jsonl"}, exitMalformed, "can't be read"},
		{[]string{files[0], "no-such-file"}, exitMalformed, "no such file"},
		{pairOf("other-connection"), exitInconclusive, "connection c1 has its other end in neither trace"},
	} {
		if code, out, errors := judgedTogether(t.Context(), nil, test.args...); code != test.code || !strings.Contains(out+errors, test.says) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", test.args, code, test.code, test.says, out, errors)
		}
	}
}

// An interrupt ends the judging of two traces, of which one never comes.
func TestJoinIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = &endless{at: 2, then: func() {}}, &out, &out
	start := time.Now()
	code := p.run(ctx, []string{"--join", "-", pairOf("ping-pong")[1]})
	if code != exitInterrupted || time.Since(start) > 10*time.Second {
		t.Errorf("exit %d after %v\n%s", code, time.Since(start), &out)
	}
}

// What was found by the time that the judging of two traces is ended is told, of whichever, and how far each came.
func TestJoinThatIsEndedTellsWhatItFound(t *testing.T) {
	header, _, _ := strings.Cut(flushedSend, "\n")
	const unasked = `
{"seq":1,"thr":"c","ph":"call","op":"o","fn":"NdkCreateCq","cq":"cq1","depth":8}
{"seq":2,"thr":"c","ph":"ret","op":"o","fn":"NdkCreateCq","status":"STATUS_SUCCESS"}
{"seq":3,"thr":"c","ph":"enter","op":"c","fn":"NdkCqNotificationCallback","cq":"cq1","status":"STATUS_SUCCESS"}
{"seq":4,"thr":"c","ph":"exit","op":"c","fn":"NdkCqNotificationCallback"}`
	file := pairOf("ping-pong")[1]
	for _, files := range [][]string{{"-", file}, {file, "-"}} {
		for _, given := range []struct {
			timeout string
			code    int
			says    []string
		}{
			{"1h", exitInterrupted, []string{"interrupted in trace 1 of 2", "interrupted in trace 2 of 2", "-: inconclusive: interrupted after "}},
			{"3s", exitViolation, []string{"-: inconclusive: the time limit was reached after ", file + ": inconclusive"}},
		} {
			ctx, interrupt := context.WithCancel(t.Context())
			p, then := newProgram(), interrupt
			if given.code != exitInterrupted {
				then = func() {}
			}
			var out bytes.Buffer
			p.stdin = io.MultiReader(strings.NewReader(header+unasked), &endless{seq: 4, at: 30, then: then})
			p.stdout, p.stderr, p.grace = &out, &out, time.Minute // a busy machine may need more than the usual second
			code := p.run(ctx, append([]string{"--join", "--timeout", given.timeout}, files...))
			interrupt()
			for _, want := range append(given.says, "-:4: ARM-01: ") {
				if code != given.code || !strings.Contains(out.String(), want) {
					t.Errorf("%v, --timeout %s: exit %d, want %d and %q\n%s", files, given.timeout, code, given.code, want, &out)
				}
			}
		}
	}
}
