package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// shipped runs the program as it is shipped.
func shipped(t *testing.T, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = strings.NewReader(""), &stdout, noCommands{&stderr}
	code = p.run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

const (
	plainTrace  = "../../traces/accept/plain.ndktrace.jsonl"
	brokenTrace = "../../traces/reject/two-callbacks-one-arm.ndktrace.jsonl"
)

// --witness writes a witness of each conformant trace, to a file or below a directory, and says why there is none of another; what it
// writes verify-witness accepts for that trace, and refuses for another.
func TestWitness(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain")
	code, out, _ := shipped(t, "--witness", file, plainTrace)
	if code != exitConformant || !strings.Contains(out, "witness in "+file) {
		t.Errorf("exit %d, %s", code, out)
	}
	code, out, _ = shipped(t, "verify-witness", file, plainTrace)
	if want := ": holds: the contract of ndkpi allows " + plainTrace + ", by 9 steps, 2 of them hidden, among its 16 events"; code != 0 ||
		!strings.Contains(out, want) {
		t.Errorf("exit %d, %s", code, out)
	}
	if code, out, _ = shipped(t, "verify-witness", file, brokenTrace); code != exitViolation || !strings.Contains(out, file+":") {
		t.Errorf("another trace: exit %d, %s", code, out)
	}
	if code, _, errors := shipped(t, "--witness", file, brokenTrace); code != exitViolation ||
		!strings.Contains(errors, "no witness of "+brokenTrace+": provider violation") {
		t.Errorf("exit %d, stderr %q", code, errors)
	}
	folder := filepath.Join(t.TempDir(), "new") + "/"
	code, out, errors := shipped(t, "--witness", folder, "--format", "json", "../../traces/accept", brokenTrace)
	var run jsonRun
	if err := json.Unmarshal([]byte(out), &run); err != nil || code != exitViolation {
		t.Fatalf("exit %d, %v", code, err)
	}
	if strings.Contains(errors, "no witness") {
		t.Errorf("stderr %q", errors)
	}
	left := leftOpenByPorcupine(t)
	for _, judged := range run.Traces {
		if judged.Verdict != "conformant" {
			continue
		}
		if left[filepath.Base(judged.File)] { // the stream alone decides it, which keeps no witness
			if judged.Witness != "" {
				t.Errorf("%s: witness in %q", judged.File, judged.Witness)
			}
			continue
		}
		if want := filepath.Join(folder, strings.TrimSuffix(filepath.Base(judged.File), ".ndktrace.jsonl")+".ndkwitness.jsonl"); judged.Witness != want {
			t.Errorf("%s: witness in %q, want %q", judged.File, judged.Witness, want)
		}
		if code, out, errors := shipped(t, "verify-witness", judged.Witness, judged.File); code != exitConformant {
			t.Errorf("%s: exit %d, %s%s", judged.File, code, out, errors)
		}
	}
}

// leftOpenByPorcupine returns the names of the traces that porcupine leaves undecided.
func leftOpenByPorcupine(t *testing.T) map[string]bool {
	t.Helper()
	left := map[string]bool{}
	for _, r := range judging.Corpus(t) {
		if r.Verdict == "conformant" && r.Dialect == "" && len(r.Assume) == 0 && (r.Answer("porcupine").Verdict == "inconclusive" || judging.HasNoWitness(r.Read(t))) {
			left[filepath.Base(r.File)] = true
		}
	}
	return left
}

// --minimize writes each trace that broke a rule as a small one that is judged alike, and nothing of another.
func TestMinimize(t *testing.T) {
	folder := t.TempDir()
	recorded := "../../traces/recorded/verbs-solicited-errors-beneath.ndktrace.jsonl.zst"
	for _, engine := range []string{"auto", "stream", "porcupine"} {
		code, out, _ := shipped(t, "--minimize", folder, "--engine", engine, brokenTrace, recorded, plainTrace)
		if code != exitViolation || strings.Count(out, "minimized to") != 2 {
			t.Errorf("%s: exit %d, %s", engine, code, out)
		}
		for _, name := range []string{brokenTrace, recorded} {
			base, _, _ := strings.Cut(filepath.Base(name), ".")
			small := filepath.Join(folder, base+".minimized.ndktrace.jsonl")
			var runs [2]jsonRun
			for i, file := range []string{name, small} {
				_, out, _ := shipped(t, "--format", "json", "--engine", engine, file)
				if err := json.Unmarshal([]byte(out), &runs[i]); err != nil {
					t.Fatal(err)
				}
			}
			whole, little := runs[0].Traces[0], runs[1].Traces[0]
			if little.Verdict != whole.Verdict || little.Findings[0].Rule != whole.Findings[0].Rule || little.Events > 20 {
				t.Errorf("%s: %s has %d events and is a %s of %s, want %s of %s", engine, small, little.Events, little.Verdict,
					little.Findings[0].Rule, whole.Verdict, whole.Findings[0].Rule)
			}
		}
	}
	if all, err := filepath.Glob(folder + "/*"); err != nil || len(all) != 2 {
		t.Errorf("written were %v, %v", all, err)
	}
	_, _, errors := shipped(t, "--minimize", filepath.Join(folder, "none"), plainTrace)
	if !strings.Contains(errors, "nothing to minimize in "+plainTrace+": conformant") {
		t.Errorf("stderr %q", errors)
	}
}

// A script writes a trace, call by call.
type script struct {
	text   strings.Builder
	events int
}

func newScript(dialect string) *script {
	s := &script{}
	fmt.Fprintf(&s.text, `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":%q,"side":"provider","order":"total"}`+"\n", dialect)
	return s
}

// call adds a call and its return: what follows the name of the function.
func (s *script) call(fn, called, returned string) {
	for _, line := range []string{`"ph":"call","fn":"` + fn + `",` + called, `"ph":"ret","fn":"` + fn + `"` + returned} {
		fmt.Fprintf(&s.text, `{"seq":%d,"thr":"t","op":"%d",%s}`+"\n", s.events+1, s.events/2, line)
		s.events++
	}
}

// file ends the trace, and returns the name of a file that holds it.
func (s *script) file(t *testing.T) string {
	fmt.Fprintf(&s.text, `{"rec":"end","events":%d,"dropped":0,"quiescent":true}`+"\n", s.events)
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, []byte(s.text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

const succeeded = `,"status":"STATUS_SUCCESS"`

// A trace that is too long to be kept is shrunk too: its file is read once more. Standard input can't be, which is said.
func TestMinimizeLongTrace(t *testing.T) {
	s := newScript("ndkpi")
	s.call("NdkCreateCq", `"cq":"cq1","depth":8`, succeeded)
	for range linearize.MaxEvents/2 + 1 {
		s.call("NdkGetCqResults", `"cq":"cq1","n":8`, `,"results":[]`)
	}
	s.call("NdkGetCqResults", `"cq":"cq1","n":8`, `,"results":[{"wr":"w1","status":"STATUS_SUCCESS"}]`)
	file := s.file(t)
	code, out, _ := shipped(t, "--minimize", file+".small", file)
	if code != exitViolation || !strings.Contains(out, "minimized to 4 events in ") {
		t.Errorf("exit %d, %s", code, out)
	}
	var stderr bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = strings.NewReader(s.text.String()), io.Discard, &stderr
	if code := p.run(t.Context(), []string{"--minimize", file + ".small", "-"}); code != exitViolation ||
		!strings.Contains(stderr.String(), "- is not minimized: standard input can't be read a second time") {
		t.Errorf("standard input: exit %d, %s", code, &stderr)
	}
}

// What is shrunk is rejected by the same rule by the command that shrank it, with all of its engines, also where one of them alone finds the
// rule in the whole trace, or needs less.
func TestMinimizeByBothEngines(t *testing.T) {
	uncreated := newScript("verbs") // the stream has no answer
	uncreated.call("ibv_create_qp", `"qp":"qp1","send_cq":"cq1","recv_cq":"cq1"`, "")
	uncreated.call("ibv_modify_qp", `"qp":"qp1","state":"RTR","conn":"c1"`, "")
	uncreated.call("ibv_post_send", `"qp":"qp1","wrs":[{"wr":"w1","opcode":"RDMA_WRITE"},{"wr":"w2","opcode":"RDMA_WRITE"}]`, "")
	uncreated.call("ibv_poll_cq", `"cq":"cq1","n":8`, `,"results":[{"wr":"w2","status":"IBV_WC_SUCCESS"},{"wr":"w1","status":"IBV_WC_SUCCESS"}]`)
	two := newScript("ndkpi") // the engines name two rules
	two.call("NdkCreateCq", `"cq":"cq1","depth":16`, succeeded)
	two.call("NdkCreateQp", `"qp":"qp1","receive_cq":"cq1","initiator_cq":"cq1"`, succeeded)
	two.call("NdkConnect", `"qp":"qp1","conn":"c"`, succeeded)
	two.call("NdkWrite", `"qp":"qp1","wr":"w1","flags":["SILENT_SUCCESS"]`, succeeded)
	two.call("NdkCloseQp", `"qp":"qp1"`, succeeded)
	two.call("NdkGetCqResults", `"cq":"cq1","n":8`, `,"results":[]`)
	two.call("NdkGetCqResults", `"cq":"cq1","n":8`, `,"results":[{"wr":"w1","status":"STATUS_SUCCESS"}]`)
	for file, rule := range map[string]string{uncreated.file(t): "POLL-09", two.file(t): "FLAG-01"} {
		if code, out, errors := shipped(t, "--minimize", file+".small", file); code != exitViolation || !strings.Contains(out, " "+rule+": ") {
			t.Errorf("exit %d, %s%s, want %s", code, out, errors, rule)
		}
		if code, out, errors := shipped(t, file+".small"); code != exitViolation || !strings.Contains(out, " "+rule+": ") {
			t.Errorf("the minimized trace: exit %d, %s%s, want %s", code, out, errors, rule)
		}
	}
}

// Where files beside the report can't go is told, before anything is judged where the command line shows it.
func TestOutputsThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one")
	again := filepath.Join(t.TempDir(), filepath.Base(plainTrace))
	text, err := os.ReadFile(plainTrace)
	link := filepath.Join(t.TempDir(), "link")
	if err == nil {
		err = errors.Join(os.WriteFile(again, text, 0o666), os.Symlink(again, link))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--witness", file, plainTrace, brokenTrace}, exitUsage, "is a file, and there are 2 traces"},
		{[]string{"--witness", t.TempDir(), plainTrace, again}, exitUsage, "for both"},
		{[]string{"--witness", file, "--engine", "stream", plainTrace}, exitUsage, "is of the engine porcupine"},
		{[]string{"--witness", "/dev/full", plainTrace}, exitInternal, "can't be written to /dev/full: no space left on device"},
		{[]string{"--minimize", file, plainTrace, brokenTrace}, exitUsage, "is a file, and there are 2 traces"},
		{[]string{"--minimize", file, "--engine", "tlc", brokenTrace}, exitUsage, "engine tlc is too slow for"},
		{[]string{"--minimize", "/dev/full", brokenTrace}, exitInternal, "can't be written to /dev/full: no space left on device"},
		{[]string{"--witness", plainTrace + "/below", plainTrace}, exitInternal, "can't be written to"},
		{[]string{"--html", file, plainTrace, brokenTrace}, exitUsage, "is a file, and there are 2 traces"},
		{[]string{"--minimize", again, again}, exitUsage, "--minimize would write over the trace " + again},
		{[]string{"--witness", again, link}, exitUsage, "--witness would write over the trace " + again},
		{[]string{"--html", link, brokenTrace, again}, exitUsage, "is a file, and there are 2 traces"},
		{[]string{"--format", "json=" + link, brokenTrace, again}, exitUsage, "--format json would write over the trace " + link},
		{[]string{"--html", file, "--minimize", file, brokenTrace}, exitUsage, "--minimize and --html would both write " + file},
		{[]string{"--html", "/dev/null", "--minimize", "/dev/null", brokenTrace}, exitViolation, "minimized to"},
		{[]string{"--witness", "-", plainTrace}, exitUsage, "--witness - names no file"},
		{[]string{"--html", "/dev/full", brokenTrace}, exitInternal, "the drawing of"},
		{[]string{"convert", plainTrace, t.TempDir()}, exitUsage, "convert takes --to jsonl, ctf or perfetto, a trace, and the file to write; or --to tla, a trace, and the folder"},
		{[]string{"convert", "--to", "html", plainTrace, t.TempDir()}, exitUsage, "must be one of jsonl, ctf, perfetto, tla"},
		{[]string{"convert", "--to", "tla", plainTrace}, exitUsage, "convert takes --to jsonl, ctf or perfetto, a trace, and the file to write; or --to tla, a trace, and the folder"},
		{[]string{"convert", "--to", "tla", file + ".not", t.TempDir()}, exitMalformed, "no such file"},
		{[]string{"convert", "--to", "ctf", file + ".not", file}, exitMalformed, "no such file"},
		{[]string{"convert", "--to", "ctf", plainTrace, plainTrace}, exitUsage, "convert would write over the trace " + plainTrace},
		{[]string{"convert", "--to", "ctf", plainTrace, "/dev/full"}, exitInternal, "/dev/full can't be written: "},
		{[]string{"convert", "--to", "jsonl", "--dialect", "verbs", plainTrace, "/dev/null"}, exitUsage, "--dialect is of convert --to tla"},
		{[]string{"convert", "--to", "jsonl", plainTrace, plainTrace + "/below"}, exitInternal, "can't be written"},
		{[]string{"schema", "--of", "pcap"}, exitUsage, "must be one of jsonl, ctf"},
		{[]string{"schema", "--of", "ctf"}, exitConformant, "/* CTF 1.8 */"},
		{[]string{"convert", "--to", "tla", plainTrace, plainTrace}, exitInternal, "the modules can't be written"},
		{[]string{"convert", "--to", "tla", plainTrace, t.TempDir() + "/new", "--assume", "A2=ONE"}, exitConformant, "-config Traces.cfg"},
		{[]string{"verify-witness", plainTrace}, exitUsage, "takes a witness and its trace"},
		{[]string{"verify-witness", plainTrace, plainTrace}, exitViolation, "not a witness"},
		{[]string{"verify-witness", "--timeout", "0", plainTrace, plainTrace}, exitUsage, "must be a time longer than 0"},
		{[]string{"verify-witness", "--limit", "1s", plainTrace, plainTrace}, exitUsage, "-limit"},
		{[]string{"--witness", file, "--max-operations", "1", plainTrace}, exitConformant, "found none within its limits"},
		{[]string{"verify-witness", file, plainTrace}, exitMalformed, "no such file"},
		{[]string{"verify-witness", plainTrace, file}, exitMalformed, "no such file"},
	} {
		code, out, stderr := shipped(t, test.args...)
		if code != test.code || !strings.Contains(out+stderr, test.says) {
			t.Errorf("%q: exit %d, want %d and %q in\n%s%s", test.args, code, test.code, test.says, out, stderr)
		}
	}
}

// An output is never a trace that is read, whatever it is called: not by a hard link, not where standard input comes from it; nor is it another
// output, or where standard output goes. Nothing is written then.
func TestOutputsAreOtherFiles(t *testing.T) {
	folder := t.TempDir()
	content, err := os.ReadFile(brokenTrace)
	if err != nil {
		t.Fatal(err)
	}
	read, linked, also := filepath.Join(folder, "a.ndktrace.jsonl"), filepath.Join(folder, "linked"), filepath.Join(folder, "also")
	modules := filepath.Join(folder, "modules")
	err = errors.Join(os.WriteFile(read, content, 0o666), os.Link(read, linked), os.Link(read, also), os.Mkdir(modules, 0o777),
		os.Link(read, filepath.Join(modules, "Traces.tla")))
	if err != nil {
		t.Fatal(err)
	}
	free := filepath.Join(folder, "free")
	for _, test := range []struct {
		args   []string
		stdin  string
		stdout string
		says   string
	}{
		{args: []string{"--minimize", linked, read}, says: "--minimize would write over the trace " + linked},
		{args: []string{"--html", linked, "-"}, stdin: read, says: "--html would write over the trace " + linked},
		{args: []string{"--format", "json=" + linked, "--html", also, brokenTrace}, says: "--format json and --html would both write " + also},
		{args: []string{"--html", free, "--minimize", filepath.Join(folder, ".", "free"), brokenTrace}, says: "--minimize and --html would both write " + free},
		{args: []string{linked}, stdout: read, says: "standard output would write over the trace that is read"},
		{args: []string{"stats", "-"}, stdin: read, stdout: linked, says: "standard output would write over the trace that is read"},
		{args: []string{"verify-witness", brokenTrace, linked}, stdout: read, says: "standard output would write over the trace that is read"},
		{args: []string{"convert", "--to", "tla", linked, free}, stdout: read, says: "standard output would write over the trace that is read"},
		{args: []string{"--html", free, brokenTrace}, stdout: free, says: "standard output and --html would both write " + free},
		{args: []string{"convert", "--to", "tla", read, modules}, says: "would write over the trace " + filepath.Join(modules, "Traces.tla")},
	} {
		command := process(t, test.args...)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		if test.stdin != "" {
			in, err := os.Open(test.stdin)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			command.Stdin = in
		}
		if test.stdout != "" {
			out, err := os.OpenFile(test.stdout, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			command.Stdout = out
		}
		if code := exitCode(t, command.Run()); code != exitUsage || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%q: exit %d, want %q in %s", test.args, code, test.says, &stderr)
		}
		if have, err := os.ReadFile(linked); err != nil || !bytes.Equal(have, content) {
			t.Fatalf("%q: the trace has changed (%v)", test.args, err)
		}
	}
}

// Of a trace that only the streaming engine decides there is no witness, and the message says why.
func TestNoWitnessOfALongTrace(t *testing.T) {
	p := newProgram()
	var out bytes.Buffer
	p.stderr = &out
	s := &settings{witness: output{flag: "witness", path: filepath.Join(t.TempDir(), "witness")}}
	p.saveWitness(t.Context(), input{name: "long"}, &result{report: &verdict.Report{File: "long", Verdict: verdict.Conformant, Events: 1_000_000}}, s)
	if want := "no witness of long: it has 1000000 events, and the engine porcupine, which finds witnesses, takes 100000 at most"; !strings.Contains(out.String(), want) {
		t.Errorf("%s, want %s", &out, want)
	}
}
