package preload

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

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

// A provider that loses an event or a completion, or gives one twice, is found out, though the program looks at nothing: at the moment of rest before a queue is
// destroyed, or at the end of the program. One that does not is conformant. Without moments of rest what is lost is not decided.
func TestBugsAreFound(t *testing.T) {
	for _, test := range []struct {
		bug, rest, rules string // one of which is broken
		want             verdict.Verdict
	}{
		{"", "2ms", "", verdict.Conformant},
		{"event", "2ms", "ARM-09 ARM-03", verdict.ProviderViolation},
		{"completion", "2ms", "DEF-04 POLL-09", verdict.ProviderViolation},
		{"again", "2ms", "POLL-04", verdict.ProviderViolation},
		{"", "0", "", verdict.Inconclusive},
		{"event", "0", "", verdict.Inconclusive},
	} {
		for _, destroys := range []string{"0", "1"} {
			t.Setenv("STANDIN_BUG", test.bug)
			r := record(t, []string{"--rest", test.rest}, "program", "careless", destroys)
			report := linearize.Check(context.Background(), read(t, r.file), linearize.Options{})
			if rule := firstRule(report); r.code != 0 || report.Verdict != test.want || (rule == "") != (test.rules == "") || !strings.Contains(test.rules, rule) {
				t.Errorf("%q, destroys %s, rest %s: %v %s, want %v %s\n%+v\n%s", test.bug, destroys, test.rest, report.Verdict, rule, test.want, test.rules, report.Findings, r.stderr)
			}
		}
	}
}

// ARM-25: the judge advises a program that arms after its completion and returns from main. The recorder rests before it polls what is left.
func TestLostWakeUpIsAdvised(t *testing.T) {
	r := record(t, []string{"--rest", "2ms"}, "program", "sleeps")
	report := linearize.Check(context.Background(), read(t, r.file), linearize.Options{})
	if report.Verdict != verdict.Conformant || len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0].Text, "ARM-25 (advice)") {
		t.Errorf("%v %+v %+v\n%s", report.Verdict, report.Warnings, report.Findings, r.stderr)
	}
}

func firstRule(report *verdict.Report) string {
	for _, f := range report.Findings {
		if f.Rule != "" {
			return f.Rule
		}
	}
	return ""
}

// Where a channel is empty, a thread waits for its event at the moment of rest, and gets none.
func TestRestHoldsAnEventOpen(t *testing.T) {
	recorded := whole(t, record(t, quick, "program", "events"))
	waits := map[string]bool{}
	held := 0
	for _, e := range recorded.Events {
		switch {
		case e.Fn == "ibv_get_cq_event" && e.Ph == trace.Call:
			waits[e.Op] = true
		case e.Fn == "ibv_get_cq_event":
			delete(waits, e.Op)
		case e.Fn == "quiesce" && len(waits) == 1:
			held++
		}
	}
	if held == 0 || len(waits) > 0 {
		t.Errorf("%d moments of rest with a thread that waits, and %d that wait on", held, len(waits))
	}
}

// An asynchronous event that the program never reads is read for it, before its object goes; one that it reads itself is left to it.
func TestAsynchronousEventsAreRead(t *testing.T) {
	for how, read := range []int{0: 1, 1: 1, 2: 2} {
		recorded := whole(t, record(t, quick, "program", "unread", strconv.Itoa(how)))
		var destroyed, events int
		for _, e := range recorded.Events {
			if e.Fn == "ibv_destroy_cq" && e.Ph == trace.Call {
				destroyed = e.Line
			}
			if e.Fn == "ibv_get_async_event" && e.Ph == trace.Ret {
				events++
				if how == 0 && (destroyed > 0 || e.Cq == "" || e.Type != "CQ_ERR") {
					t.Errorf("line %d: %+v, and the queue was destroyed at line %d", e.Line, e, destroyed)
				}
			}
		}
		if events != read {
			t.Errorf("%d: %d events, want %d", how, events, read)
		}
	}
}

// Both ends of a connection get its name from what both know.
func TestConnectionsAreNamed(t *testing.T) {
	recorded := whole(t, record(t, quick, "program", "ids"))
	for _, e := range recorded.Events {
		if e.State == "RTR" && e.Ph == trace.Call {
			if want := "[101:101:101:101:101:101:101:101]:100-[::]:1000100"; e.Conn != want {
				t.Errorf("the connection is %q, want %q", e.Conn, want)
			}
			return
		}
	}
	t.Error("nothing was connected")
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

// Polls that find nothing while nothing else happens are recorded as one; polls that find something are all recorded. That also holds where several
// threads poll one queue: the order of two polls that overlap may be undecided then, and no violation is reported.
func TestEmptyPollsAreToldAsOne(t *testing.T) {
	for _, pollers := range []int{1, 4} {
		recorded := whole(t, record(t, quick, "program", "spins", strconv.Itoa(pollers)))
		found, polls := 0, count(recorded, "ibv_poll_cq", trace.Ret)
		for _, e := range recorded.Events {
			found += len(e.Results)
		}
		if found != 20000 || polls > 20000+pollers*80000 {
			t.Errorf("%d completions in %d polls by %d threads, want 20000 in fewer than %d", found, polls, pollers, 20000+pollers*80000)
		}
		if pollers == 1 {
			conformant(t, recorded)
		} else {
			conformantSoFar(t, recorded)
		}
	}
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
	memory, err := strconv.Atoi(strings.TrimSpace(r.stdout))
	t.Logf("%d objects of each kind in %v, in %d KiB", n, time.Since(from), memory)
	if err != nil || memory > 64<<10 {
		t.Errorf("%d KiB (%v), want at most 64 MiB however many there are", memory, err)
	}
	recorded, err := trace.ReadFile(r.file, 1) // which refuses an id that is used again
	if err != nil {
		t.Fatal(err)
	}
	if recorded.More < uint64(14*n) || recorded.End == nil || recorded.End.Dropped > 0 {
		t.Errorf("%d events, want %d and more; the end is %+v", recorded.More, 14*n, recorded.End)
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
