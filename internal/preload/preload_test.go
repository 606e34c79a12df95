package preload

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const root = "../.."

// parts are ndkrecord with its library and worker, the stand-in for libibverbs, and the programs that are recorded.
var parts = struct {
	once    sync.Once
	folder  string
	problem string
}{}

// TestMain builds the parts once, where they are needed, and removes them.
func TestMain(m *testing.M) {
	code := m.Run()
	if parts.folder != "" {
		os.RemoveAll(parts.folder)
	}
	os.Exit(code)
}

// built returns the folder of the parts. The tests are skipped where the headers of libibverbs are not: there is nothing to record then.
func built(t testing.TB) string {
	t.Helper()
	if exec.Command(root+"/scripts/has-verbs.sh").Run() != nil {
		t.Skip("no cgo, or no headers of libibverbs; make install installs them")
	}
	parts.once.Do(func() {
		folder, err := os.MkdirTemp("", "preload-test")
		if err != nil {
			parts.problem = err.Error()
			return
		}
		parts.folder = folder
		flags := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread"}
		for _, command := range [][]string{
			{"go", "build", "-o", folder + "/ndkrecord", "ndkoracle/cmd/ndkrecord"},
			{root + "/scripts/preload.sh", folder},
			append([]string{"gcc", "-fPIC", "-shared", "-Wl,-soname,libibverbs.so.1", "-Wl,--version-script=testdata/standin.map",
				"-o", folder + "/libibverbs.so.1", "testdata/standin.c"}, flags...),
			append([]string{"gcc", "-o", folder + "/program", "testdata/program.c", "-L" + folder, "-l:libibverbs.so.1", "-Wl,-rpath," + folder, "-ldl"}, flags...),
		} {
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				parts.problem = strings.Join(command, " ") + ": " + err.Error() + "\n" + string(out)
				return
			}
		}
	})
	if parts.problem != "" {
		t.Fatal(parts.problem)
	}
	return parts.folder
}

// ran is a run of ndkrecord that has ended.
type ran struct {
	code           int
	stdout, stderr string
	folder, file   string
}

// record runs ndkrecord run with the program, and waits for its end.
func record(t testing.TB, flags []string, program ...string) ran {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.ndktrace.ctf")
	parts := built(t)
	if program[0] == "program" {
		program = append([]string{parts + "/program"}, program[1:]...)
	}
	command := exec.Command(parts+"/ndkrecord", append(append(append([]string{"run", "-o", file}, flags...), "--"), program...)...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	command.Run()
	return ran{command.ProcessState.ExitCode(), out.String(), errs.String(), folder, file}
}

// quick finds rest after a time that is too short for a device, and enough for the stand-in.
var quick = []string{"--rest", "2ms"}

// read returns a trace, and fails where it has been left incomplete.
func read(t testing.TB, file string) *trace.Trace {
	t.Helper()
	whole, err := trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func whole(t testing.TB, r ran) *trace.Trace {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	recorded := read(t, r.file)
	if recorded.End == nil || recorded.End.Dropped > 0 || !recorded.End.Quiescent {
		t.Errorf("the end is %+v\n%s", recorded.End, r.stderr)
	}
	return recorded
}

func count(recorded *trace.Trace, fn string, ph trace.Phase) (n int) {
	for _, e := range recorded.Events {
		if e.Fn == fn && e.Ph == ph {
			n++
		}
	}
	return n
}

func conformant(t testing.TB, recorded *trace.Trace) {
	t.Helper()
	report := linearize.Check(context.Background(), recorded, linearize.Options{})
	if report.Verdict != verdict.Conformant {
		t.Errorf("%v\n%+v", report.Verdict, report.Findings)
	}
}

// The program gets its own wr_id and bad_wr back; the trace has numbers that no two requests share, and all of it is conformant.
func TestRequestsKeepTheirIds(t *testing.T) {
	for _, program := range []string{"ids", "extended", "events", "found", "crowds"} {
		recorded := whole(t, record(t, quick, "program", program))
		if program != "crowds" {
			conformant(t, recorded)
		}
		seen := map[string]bool{}
		for _, e := range recorded.Events {
			for _, wr := range e.Wrs {
				if seen[wr.Wr] || !strings.HasPrefix(wr.Wr, "w") {
					t.Errorf("%s: line %d posts %q", program, e.Line, wr.Wr)
				}
				seen[wr.Wr] = true
			}
			for _, r := range e.Results {
				if !seen[r.Wr] || r.Qp == "" {
					t.Errorf("%s: line %d has a completion of %q on %q, which was not posted", program, e.Line, r.Wr, r.Qp)
				}
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s: nothing was posted", program)
		}
	}
}

// What the recorder has no name for is not left out silently: it counts as dropped, and the program runs as ever.
func TestUnknownOperationIsNotRecorded(t *testing.T) {
	r := record(t, quick, "program", "unknown")
	recorded := read(t, r.file)
	if r.code != 0 || recorded.End == nil || recorded.End.Dropped == 0 || count(recorded, "ibv_post_send", trace.Call) > 0 {
		t.Errorf("exit code %d, %+v\n%s", r.code, recorded.End, r.stderr)
	}
}

// Where nothing records, the programs that are recorded here run as well: what they check is true of the stand-in.
func TestProgramsRunUnrecorded(t *testing.T) {
	for _, program := range []string{"ids", "crowds", "extended", "events", "found", "forks"} {
		if out, err := exec.Command(built(t)+"/program", program).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
}

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
			shell := built(t) + "/program endless & sleep 0.3; kill -" + signal + " $!; wait $!"
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

// Interrupting ndkrecord ends the program as well, and the exit code says so.
func TestInterruptEndsTheProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	command := exec.CommandContext(t.Context(), built(t)+"/ndkrecord", "run", "-o", file, "--", built(t)+"/program", "endless")
	stdout, err := command.StdoutPipe()
	var errs bytes.Buffer
	command.Stderr = &errs
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := stdout.Read(make([]byte, 7)); n == 0 {
		t.Fatal(err)
	}
	command.Process.Signal(os.Interrupt)
	command.Wait()
	if command.ProcessState.ExitCode() != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v\n%s", command.ProcessState, &errs)
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

// Each of 64 threads has a ring of its own, and the order of all is one.
func TestThreads(t *testing.T) {
	recorded := whole(t, record(t, quick, "program", "threads", "300"))
	if n := count(recorded, "ibv_post_send", trace.Call); n != 64*300 {
		t.Errorf("%d posts, want %d", n, 64*300)
	}
	threads := map[string]bool{}
	for _, e := range recorded.Events {
		threads[e.Thr] = true
	}
	if len(threads) != 65 {
		t.Errorf("%d threads, want 65", len(threads))
	}
	conformant(t, recorded)
}

// Polls that find nothing while nothing else happens are told as one; those that find something are all there.
func TestEmptyPollsAreToldAsOne(t *testing.T) {
	recorded := whole(t, record(t, quick, "program", "spins"))
	found, polls := 0, count(recorded, "ibv_poll_cq", trace.Ret)
	for _, e := range recorded.Events {
		found += len(e.Results)
	}
	if found != 20000 || polls > 100000 {
		t.Errorf("%d completions in %d polls, want 20000 in fewer than 100000", found, polls)
	}
	conformant(t, recorded)
}

// An object's number is never used again, and as many objects as there may be cost no memory that grows with them.
func TestManyObjects(t *testing.T) {
	n := 30000
	if testing.Short() {
		n = 3000
	}
	if text := os.Getenv("NDK_OBJECTS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	from := time.Now()
	r := record(t, []string{"--rest", "0"}, "program", "objects", strconv.Itoa(n))
	if r.code != 0 {
		t.Fatalf("%s", r.stderr)
	}
	t.Logf("%d objects of each kind in %v", n, time.Since(from))
	recorded := read(t, r.file)
	if got := count(recorded, "ibv_create_qp", trace.Ret); got != n || recorded.End == nil || recorded.End.Dropped > 0 {
		t.Errorf("%d queue pairs, want %d; the end is %+v", got, n, recorded.End)
	}
}

// BenchmarkCosts measures what a call of a program costs, in ns: alone, with the library where nothing is recorded any more (in a child of fork), and recorded.
// A post is two events; a poll is one that finds nothing while nothing else happens. It prints the best of bursts.
func BenchmarkCosts(b *testing.B) {
	if b.N > 1 {
		return
	}
	folder := built(b)
	for _, run := range []struct {
		name string
		args []string
	}{
		{"alone", []string{folder + "/program", "costs"}},
		{"off", []string{folder + "/ndkrecord", "run", "-o", b.TempDir() + "/a", "--", folder + "/program", "costs", "1"}},
		{"recorded", []string{folder + "/ndkrecord", "run", "-o", b.TempDir() + "/a", "--", folder + "/program", "costs"}},
	} {
		out, err := exec.Command(run.args[0], run.args[1:]...).Output()
		var poll, post float64
		if _, scanned := fmt.Sscan(string(out), &poll, &post); err != nil || scanned != nil {
			b.Fatal(err, scanned)
		}
		b.ReportMetric(poll, run.name+"-ns/poll")
		b.ReportMetric(post, run.name+"-ns/post")
	}
}
