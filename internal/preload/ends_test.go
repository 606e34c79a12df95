package preload

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A child's trace is a file of its own, with what it did with a device that it opened; what it does with its parent's is in neither.
func TestForkBeginsAFileOfItsOwn(t *testing.T) {
	r := record(t, quick, "program", "forks")
	parent := whole(t, r)
	conformant(t, parent)
	if n := count(parent, "ibv_post_send", trace.Call); n != 11 {
		t.Errorf("%d posts of the parent, want 11", n)
	}
	files, err := filepath.Glob(filepath.Join(r.folder, "a.*.ndktrace.ctf"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q %v\n%s", files, err, r.stderr)
	}
	child := read(t, files[0])
	conformant(t, child)
	if n := count(child, "ibv_post_send", trace.Call); n != 20 {
		t.Errorf("%d posts of the child, want 20", n)
	}
}

// A program that runs another one goes on, and each has its trace.
func TestExecGoesOn(t *testing.T) {
	r := record(t, quick, "program", "exec")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	files, err := filepath.Glob(filepath.Join(r.folder, "*.ctf"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q %v\n%s", files, err, r.stderr)
	}
	for _, file := range files {
		conformantSoFar(t, read(t, file)) // the first program was not asked whether it was at rest
	}
}

// Whatever signal ends a program, its trace is readable, with all that the program did, and says that it was not at rest.
func TestSignalsEndTheTrace(t *testing.T) {
	for _, signal := range []string{"TERM", "INT", "HUP", "KILL"} {
		t.Run(signal, func(t *testing.T) {
			program := built(t) + "/program endless"
			if signal != "KILL" { // which may be ignored where the tests were started, by nohup
				program = "env --default-signal=" + signal + " " + program
			}
			shell := program + " & sleep 0.3; kill -" + signal + " $!; wait $!"
			r := record(t, quick, "bash", "-c", shell)
			if r.code != 1 || !strings.Contains(r.stderr, "not at rest") {
				t.Errorf("exit code %d\n%s", r.code, r.stderr)
			}
			recorded := read(t, r.file)
			if recorded.End == nil || recorded.End.Quiescent || recorded.End.Dropped > 0 || count(recorded, "ibv_post_send", trace.Call) < 100 {
				t.Errorf("%d events, the end is %+v", len(recorded.Events), recorded.End)
			}
			conformantSoFar(t, recorded)
		})
	}
}

// conformantSoFar allows what is not decided as the trace does not end at rest.
func conformantSoFar(t *testing.T, recorded *trace.Trace) {
	t.Helper()
	report := linearize.Check(context.Background(), recorded, linearize.Options{})
	if report.Verdict == verdict.ProviderViolation || report.Verdict == verdict.ConsumerViolation {
		t.Errorf("%v\n%+v", report.Verdict, report.Findings)
	}
}

// running starts ndkrecord with the test program, doing something, and returns when that has said that it is under way. What ndkrecord says is complete once
// the command has been waited for.
func running(t *testing.T, file, doing string) (command *exec.Cmd, errs *bytes.Buffer) {
	t.Helper()
	command, errs = exec.CommandContext(t.Context(), built(t)+"/ndkrecord", "run", "-o", file, "--", built(t)+"/program", doing), &bytes.Buffer{}
	command.Stderr = errs
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := stdout.Read(make([]byte, 7)); n == 0 {
		t.Fatal(err)
	}
	return command, errs
}

// Interrupting ndkrecord ends the program as well, and the exit code says so.
func TestInterruptEndsTheProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	command, errs := running(t, file, "endless")
	command.Process.Signal(os.Interrupt)
	command.Wait()
	if command.ProcessState.ExitCode() != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v\n%s", command.ProcessState, errs)
	}
	if recorded := read(t, file); len(recorded.Events) < 1000 || recorded.End == nil {
		t.Errorf("%d events, the end is %+v", len(recorded.Events), recorded.End)
	}
}

// What could not be recorded is an error that says why; nothing is left out silently, and no empty file stays.
func TestFailures(t *testing.T) {
	program := built(t) + "/program"
	for _, test := range []struct {
		name, want string
		code       int
		args       []string
	}{
		{"no such program", "executable file not found", 1, []string{"-o", "FILE", "--", "no-such-program"}},
		{"no device", "nothing was recorded: no process of true opened an RDMA device", 1, []string{"-o", "FILE", "--", "true"}},
		{"the program fails", "exit status 7", 1, []string{"-o", "FILE", "--", program, "status", "7"}},
		{"a full disk", "/dev/full: no space left on device (free some space", 1, []string{"-o", "/dev/full", "--", program, "ids"}},
		{"no such folder", "no such file or directory", 1, []string{"-o", "FILE/none/a", "--", program, "ids"}},
		{"no file", "-o is missing", 2, []string{"--", program}},
		{"no program", "PROGRAM is missing", 2, []string{"-o", "FILE"}},
		{"standard output", "standard output is PROGRAM's", 2, []string{"-o", "-", "--", program}},
		{"compressed", "not compressed", 2, []string{"-o", "FILE.zst", "--", program}},
		{"a broken pipe", "signal: broken pipe", 1, []string{"-o", "FILE", "--", "bash", "-c", "kill -PIPE $$"}},
		{"rest", "--rest -1s: from 0 to 1m", 2, []string{"-o", "FILE", "--rest", "-1s", "--", program}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a")
			args := []string{"run"}
			for _, a := range test.args {
				args = append(args, strings.Replace(a, "FILE", file, 1))
			}
			var errs bytes.Buffer
			command := exec.Command(built(t)+"/ndkrecord", args...)
			command.Stderr = &errs
			command.Run()
			if code := command.ProcessState.ExitCode(); code != test.code || !strings.Contains(errs.String(), test.want) {
				t.Errorf("exit code %d, %q; want %d and %q", code, &errs, test.code, test.want)
			}
			if _, err := os.Stat(file); err == nil {
				t.Errorf("an empty file stays")
			}
		})
	}
}

// A worker that dies does not stop the program, and what it wrote is readable. ndkrecord says that the rest is lost.
func TestWorkerDies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	command, errs := running(t, file, "orphan")
	time.Sleep(50 * time.Millisecond) // for it to drain what there is
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(command.Process.Pid), "ndkrecord-worke").Output()
	worker, _ := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil || worker == 0 {
		t.Fatalf("the worker was not found: %v %q", err, children)
	}
	if process, err := os.FindProcess(worker); err != nil || process.Kill() != nil {
		t.Fatal(err)
	}
	command.Wait()
	if command.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "what it had not written is lost") || strings.Contains(errs.String(), "program:") {
		t.Errorf("%v\n%s", command.ProcessState, errs)
	}
	if recorded := read(t, file); count(recorded, "ibv_post_send", trace.Call) != 10 || recorded.End != nil {
		t.Errorf("%d events, the end is %+v", len(recorded.Events), recorded.End)
	}
}

// A program that closes all files ends its trace, and has its own files under their numbers to itself.
func TestProgramClosesAllFiles(t *testing.T) {
	r := record(t, quick, "program", "closes")
	recorded := read(t, r.file)
	if r.code != 0 || recorded.End == nil || recorded.End.Quiescent || count(recorded, "ibv_post_send", trace.Call) < 10 {
		t.Errorf("exit code %d, %d events, the end is %+v\n%s", r.code, len(recorded.Events), recorded.End, r.stderr)
	}
	conformantSoFar(t, recorded)
}

// A file that can't grow ends where it is whole: it is readable, and ndkrecord says why there is no more.
func TestFileThatCannotGrow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	out, err := exec.Command("bash", "-c", `ulimit -S -f 200; exec "$@"`, "bash", built(t)+"/ndkrecord", "run", "-o", file, "--", built(t)+"/program", "threads", "100").CombinedOutput()
	if err == nil || !strings.Contains(string(out), file+": file too large") {
		t.Errorf("%v %s", err, out)
	}
	if recorded := read(t, file); len(recorded.Events) < 1000 || recorded.End != nil && recorded.End.Quiescent {
		t.Errorf("%d events, the end is %+v", len(recorded.Events), recorded.End)
	}
}

// Without its library and worker ndkrecord says which is missing, and does not run the program.
func TestMissingParts(t *testing.T) {
	for _, missing := range []string{"ndkrecord-preload.so", "ndkrecord-worker"} {
		folder := t.TempDir()
		for _, name := range []string{"ndkrecord", "ndkrecord-preload.so", "ndkrecord-worker"} {
			if name == missing {
				continue
			}
			if err := os.Link(filepath.Join(built(t), name), filepath.Join(folder, name)); err != nil {
				t.Skip(err)
			}
		}
		out, err := exec.Command(folder+"/ndkrecord", "run", "-o", folder+"/a", "--", "touch", folder+"/ran").CombinedOutput()
		if err == nil || !strings.Contains(string(out), missing+" is missing: make build") {
			t.Errorf("%v %s", err, out)
		}
		if _, err := os.Stat(folder + "/ran"); err == nil {
			t.Errorf("without %s the program ran unrecorded", missing)
		}
	}
}
