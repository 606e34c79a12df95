package ndkshim

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/internal/programs"
	"ndkoracle/trace"
)

// trapped runs one test of traps.c, which checks what a consumer and a provider are given, and returns what was recorded.
func trapped(t *testing.T, traps, name string) *trace.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	programs.Run(t, exec.Command(traps, name, file))
	return read(t, file)
}

// named returns the events of a function and a phase.
func named(whole *trace.Trace, fn string, phase trace.Phase) (events []*trace.Event) {
	for i := range whole.Events {
		if e := &whole.Events[i]; e.Fn == fn && e.Ph == phase {
			events = append(events, e)
		}
	}
	return events
}

// Each function of NDKPI's tables and each callback is passed on with the provider's own objects, whether it ends at once or in a callback, and is recorded.
func TestEachFunctionIsPassedOnAndRecorded(t *testing.T) {
	traps := compiled(t, "gcc", "traps.c", append(slices.Clone(sanitizers[1].flags), "-pthread")...)
	atOnce, pending := trapped(t, traps, "functions"), trapped(t, traps, "pending")
	for _, class := range trace.CtfClasses() {
		completion := class.Fn == "NdkCreateCompletion" || class.Fn == "NdkRequestCompletion" || class.Fn == "NdkCloseCompletion"
		if !strings.HasPrefix(class.Fn, "Ndk") || class.Fn == "NdkOpenAdapter" { // a driver opens the adapter before there is a stand-in
			continue
		}
		if len(named(pending, class.Fn, class.Phase)) == 0 {
			t.Errorf("%s %s is not recorded where it is pending", class.Fn, class.Phase)
		}
		if n := len(named(atOnce, class.Fn, class.Phase)); (n == 0) != completion {
			t.Errorf("%s %s is recorded %d times where nothing is pending", class.Fn, class.Phase, n)
		}
	}
	for _, whole := range []*trace.Trace{atOnce, pending} {
		if len(whole.Warnings) > 0 || whole.End == nil || whole.End.Dropped != 0 {
			t.Errorf("warnings %v, end %+v", whole.Warnings, whole.End)
		}
	}
}

// What a shim can get wrong: contexts, objects, memory. traps.h says what each of these holds; here it is AddressSanitizer that looks on, and what was
// recorded.
func TestTraps(t *testing.T) {
	traps := compiled(t, "gcc", "traps.c", append(slices.Clone(sanitizers[1].flags), "-pthread")...)
	for name, recorded := range map[string]func(t *testing.T, whole *trace.Trace){
		"refused-creations": nil, "dispatch": nil, "contexts": nil, "many-results": nil, "silent": nil,
		"unrecorded":     isUnrecorded,
		"refused-posts":  hasCompletionOfRefused,
		"twice":          hasOneTwice,
		"stale":          hasUnknown,
		"late":           hasLateCallback,
		"shared":         hasBothPairs,
		"ended-twice":    hasTwoEnds,
		"without-memory": hasLosses,
		"connection":     hasOneName,
		"mappings":       hasLatestMapping,
	} {
		t.Run(name, func(t *testing.T) {
			whole := trapped(t, traps, name)
			if recorded != nil {
				recorded(t, whole)
			}
		})
	}
}

// Drops are counted: nothing but them is left of a run that was not recorded.
func isUnrecorded(t *testing.T, whole *trace.Trace) {
	if len(whole.Events) != 2 || whole.End == nil || whole.End.Dropped < 1000 {
		t.Errorf("%d events, want those of NdkCloseAdapter; end %+v", len(whole.Events), whole.End)
	}
}

// results returns the results of all polls.
func results(whole *trace.Trace) (all []trace.Result) {
	for _, e := range named(whole, "NdkGetCqResults", trace.Ret) {
		all = append(all, e.Results...)
	}
	return all
}

// A completion of a refused request has the name of its post (DEF-03).
func hasCompletionOfRefused(t *testing.T, whole *trace.Trace) {
	posts, polled := named(whole, "NdkSend", trace.Call), results(whole)
	if last := posts[len(posts)-1]; len(polled) != 1 || polled[0].Wr != last.Wr {
		t.Errorf("polled %+v, want the request %s", polled, last.Wr)
	}
}

// A completion that comes twice has the same name twice (POLL-04).
func hasOneTwice(t *testing.T, whole *trace.Trace) {
	first := named(whole, "NdkSend", trace.Call)[0].Wr
	if polled := results(whole); len(polled) != 10 || polled[0].Wr != first || polled[9].Wr != first {
		t.Errorf("polled %+v, want %s twice", polled, first)
	}
}

// A completion whose request is not known any more has a name that no request has.
func hasUnknown(t *testing.T, whole *trace.Trace) {
	if polled := results(whole); len(polled) != 66 || !strings.HasPrefix(polled[65].Wr, "?") || polled[65].Qp == "" {
		t.Errorf("polled %+v", polled[len(polled)-1])
	}
}

// A callback of a CQ that is closed has the name of that CQ (LIFE-09), and a result of a closed QP that of the QP.
func hasLateCallback(t *testing.T, whole *trace.Trace) {
	closed, entered := named(whole, "NdkCloseCq", trace.Ret), named(whole, "NdkCqNotificationCallback", trace.Enter)
	if len(entered) != 1 || entered[0].Cq != named(whole, "NdkCreateCq", trace.Call)[0].Cq || entered[0].Seq < closed[0].Seq {
		t.Errorf("entered %+v", entered)
	}
	if polled := results(whole); len(polled) != 3 || polled[2].Qp != named(whole, "NdkCreateQp", trace.Call)[0].Qp {
		t.Errorf("polled %+v", polled)
	}
}

// Receives of one SRQ are of the QP that took them.
func hasBothPairs(t *testing.T, whole *trace.Trace) {
	posts, polled, pairs := named(whole, "NdkSrqReceive", trace.Call), results(whole), named(whole, "NdkCreateQpWithSrq", trace.Call)
	if len(posts) != 40 || len(polled) != len(posts) {
		t.Fatalf("%d posts, %d results", len(posts), len(polled))
	}
	for i, r := range polled {
		if r.Wr != posts[i].Wr || r.Qp != pairs[i%2].Qp || r.Bytes == nil || *r.Bytes != 4 {
			t.Errorf("result %d: %+v, want %s of %s", i, r, posts[i].Wr, pairs[i%2].Qp)
		}
	}
}

// A second completion of one call is recorded for that call (ASY-01).
func hasTwoEnds(t *testing.T, whole *trace.Trace) {
	for begun, ended := range map[string]string{"NdkCreateCq": "NdkCreateCompletion", "NdkResizeCq": "NdkRequestCompletion", "NdkCloseCq": "NdkCloseCompletion"} {
		calls, ends := named(whole, begun, trace.Call), named(whole, ended, trace.Enter)
		if len(calls) != 1 || len(ends) != 2 || ends[0].For != calls[0].Op || ends[1].For != calls[0].Op {
			t.Errorf("%s: %+v", ended, ends)
		}
	}
}

func hasLosses(t *testing.T, whole *trace.Trace) {
	if whole.End == nil || whole.End.Dropped == 0 {
		t.Errorf("end %+v", whole.End)
	}
}

// Both ends of a connection of an adapter with itself have one name; a connection from elsewhere has another.
func hasOneName(t *testing.T, whole *trace.Trace) {
	connects, accepts := named(whole, "NdkConnect", trace.Call), named(whole, "NdkAccept", trace.Call)
	if len(connects) != 1 || len(accepts) != 2 || accepts[0].Conn == connects[0].Conn || accepts[1].Conn != connects[0].Conn {
		t.Errorf("connected %+v, accepted %+v", connects, accepts)
	}
}

// A LAM has the name of the call that has built it, and none when it is released.
func hasLatestMapping(t *testing.T, whole *trace.Trace) {
	built, released := named(whole, "NdkBuildLAM", trace.Call), named(whole, "NdkReleaseLAM", trace.Call)
	if len(built) != 2 || len(released) != 2 || released[0].Lam != built[1].Lam || built[0].Lam == built[1].Lam || released[1].Lam != "" {
		t.Errorf("built %+v, released %+v", built, released)
	}
}

// While one thread posts and another polls, each completion has the context of its request, whatever the size of the rings; recorded and dropped are all
// that was attempted.
func TestThreads(t *testing.T) {
	for _, build := range sanitizers {
		t.Run(build.name, func(t *testing.T) {
			threads := compiled(t, "gcc", "threads.c", append(slices.Clone(build.flags), "-pthread")...)
			for _, slots := range []string{"64", "1024", "65536"} {
				file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
				attempted, err := strconv.ParseUint(programs.Run(t, exec.Command(threads, file, slots, "20000")), 10, 64)
				whole := read(t, file)
				if err != nil || whole.End == nil || whole.End.Events+whole.End.Dropped != attempted || whole.End.Events == 0 {
					t.Errorf("%s slots: %d events attempted, end %+v (%v)", slots, attempted, whole.End, err)
				}
			}
		})
	}
}

// What the shim adds to a call, in nanoseconds: with nothing recorded, and with everything recorded.
func BenchmarkShim(b *testing.B) {
	bench := compiled(b, "gcc", "bench.c", "-O2", "-pthread")
	for b.Loop() {
		for line := range strings.Lines(programs.Run(b, exec.Command(bench))) {
			name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			ns, err := strconv.ParseFloat(text, 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, name+"-ns/call")
		}
	}
	b.ReportMetric(0, "ns/op")
}
