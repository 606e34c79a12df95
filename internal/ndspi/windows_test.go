package ndspi

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/programs"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// The recorder under a Windows of its own, which is made once.
func TestWindows(t *testing.T) {
	w := newWindows(t)
	t.Run("without", func(t *testing.T) { playsWithoutRecorder(t, w) })
	t.Run("conformant", func(t *testing.T) { isConformant(t, w) })
	t.Run("alone", func(t *testing.T) { isNotAccused(t, w) })
	t.Run("bugs", func(t *testing.T) { findsBugs(t, w) })
	t.Run("silence", func(t *testing.T) { takesSilenceForRest(t, w) })
	t.Run("polling", func(t *testing.T) { tellsPollsAsOne(t, w) })
	t.Run("cancelled", func(t *testing.T) { isNeverAtRest(t, w) })
	t.Run("killed", func(t *testing.T) { leavesAReadableTrace(t, w) })
	t.Run("errors", func(t *testing.T) { saysWhatIsWrong(t, w) })
}

// The consumer and the provider agree with each other: what is found in a recording is not of theirs.
func playsWithoutRecorder(t *testing.T, w *windows) {
	for _, name := range []string{"all", "shared", "unasked", "cancelled"} {
		programs.Run(t, w.command(w.provider, name))
	}
}

// methods are the functions by which the methods of all interfaces are recorded, and what becomes of overlapped requests.
var methods = strings.Fields(`NdkOpenAdapter NdkCloseAdapter NdkQueryAdapterInfo NdkCreateCq NdkResizeCq NdkCloseCq NdkArmCq NdkGetCqResultsEx
	NdkCreateMr NdkRegisterMr NdkDeregisterMr NdkCloseMr NdkGetLocalTokenFromMr NdkGetRemoteTokenFromMr NdkCreateMw NdkCloseMw NdkGetRemoteTokenFromMw
	NdkCreateQp NdkCloseQp NdkFlush NdkSend NdkReceive NdkBind NdkInvalidate NdkRead NdkWrite NdkCreateConnector NdkCloseConnector NdkConnect
	NdkCompleteConnect NdkAccept NdkReject NdkGetLocalAddress NdkGetPeerAddress NdkDisconnect NdkCreateListener NdkListen NdkGetListenerLocalAddress
	NdkCloseListener NdkCqNotificationCallback NdkRequestCompletion NdkCloseCompletion NdkConnectEventCallback NdkDisconnectEventCallback quiesce`)

// The example provider is conformant, and all that the consumer does is in the trace.
func isConformant(t *testing.T, w *windows) {
	for range 3 {
		whole := w.recorded(t, "all")
		if report := judge(whole); report.Verdict != verdict.Conformant {
			t.Errorf("%v, end %+v\n%+v", report.Verdict, whole.End, report.Findings)
		}
		if whole.Header.Dialect != "ndspi" || whole.Header.Side != "consumer" || len(whole.Warnings) > 0 || whole.End == nil || !whole.End.Quiescent ||
			whole.End.Dropped != 0 {
			t.Errorf("header %+v, warnings %v, end %+v", whole.Header, whole.Warnings, whole.End)
		}
		seen := map[string]bool{}
		for _, e := range whole.Events {
			seen[e.Fn] = true
		}
		if found := slices.Sorted(maps.Keys(seen)); !slices.Equal(found, slices.Sorted(slices.Values(methods))) {
			t.Errorf("recorded are %q, want %q", found, slices.Sorted(slices.Values(methods)))
		}
		accepted := map[string]bool{}
		for _, e := range named(whole, "NdkAccept", trace.Call) {
			accepted[e.Conn] = true
		}
		for _, e := range named(whole, "NdkCompleteConnect", trace.Call) {
			if !accepted[e.Conn] {
				t.Errorf("line %d: connection %s has no other end", e.Seq, e.Conn)
			}
		}
	}
}

// Programs that do not ask how their requests end, or cancel them, do not make the provider guilty. Nor does a shared receive queue.
func isNotAccused(t *testing.T, w *windows) {
	for name, want := range map[string]verdict.Verdict{
		"unasked": verdict.Conformant, "cancelled": verdict.Conformant, "shared": verdict.Conformant,
	} {
		whole := w.recorded(t, name)
		if report := judge(whole); report.Verdict != want || whole.End == nil || whole.End.Dropped != 0 {
			t.Errorf("%s: %v, want %v; end %+v\n%+v", name, report.Verdict, want, whole.End, report.Findings)
		}
	}
	// A provider that leaves an OVERLAPPED as it is until the request has ended: whoever looks at it takes the request to have ended before.
	if report := judge(w.recorded(t, "notified", "NDSPI_EXAMPLE_BUG=internal-untouched")); report.Verdict != verdict.Conformant {
		t.Errorf("internal-untouched: %v\n%+v", report.Verdict, report.Findings)
	}
	if flooded := w.recorded(t, "flood"); flooded.End == nil || flooded.End.Dropped != 0 || len(named(flooded, "NdkGetLocalTokenFromMr", trace.Ret)) != 50002 {
		t.Errorf("of 50002 calls %d are recorded, end %+v", len(named(flooded, "NdkGetLocalTokenFromMr", trace.Ret)), flooded.End)
	}
	var polled []trace.Result
	for _, poll := range named(w.recorded(t, "unpolled"), "NdkGetCqResultsEx", trace.Ret) {
		polled = append(polled, poll.Results...)
	}
	if len(polled) != 2 || polled[0].Status != "STATUS_SUCCESS" || polled[1].Status != "STATUS_SUCCESS" {
		t.Errorf("of a program that does not poll, polled are %+v", polled)
	}
	asked := w.recorded(t, "shared")
	if len(named(asked, "NdkSrqReceive", trace.Call)) != 3 || len(named(asked, "NdkModifySrq", trace.Call)) != 2 ||
		len(named(asked, "NdkSrqNotificationCallback", trace.Enter)) != 1 || len(named(asked, "NdkCreateQpWithSrq", trace.Call)) != 1 {
		t.Error("a shared receive queue is not recorded as it was used")
	}
	if entered := named(w.recorded(t, "unasked"), "NdkCqNotificationCallback", trace.Enter); len(entered) != 3 {
		t.Errorf("%d notifications, want the 3 that nobody asked for", len(entered))
	}
}

// bugs are those that the example provider can have: the case of the consumer that shows each, and the rule that it breaks.
var bugs = map[string]struct{ shows, breaks string }{
	"lost-notification":         {"notified", "ARM-09"},
	"arm-finds-nothing":         {"armed-late", "ARM-04"},
	"notification-for-reported": {"armed-over-completions", "ARM-21"},
	"one-notification-for-two":  {"two-requests", "ARM-03"},
	"solicited-ignored":         {"solicited", "ARM-10"},
	"failure-not-solicited":     {"failure-solicited", "ARM-11"},
	"lost-completion":           {"messages", "POLL-09"},
	"duplicate-completion":      {"messages", "POLL-04"},
	"swapped-completions":       {"messages", "POLL-09"},
	"wrong-type":                {"messages", "RES-01"},
	"a-byte-too-many":           {"messages", "RES-12"},
	"message-without-receive":   {"no-receive", "POLL-05"},
	"success-after-failure":     {"failure", "FLUSH-06"},
	"flush-misses-last":         {"flush", "FLUSH-02"},
	"silent-completes":          {"silent", "FLAG-01"},
	"receives-stay":             {"disconnects", "FLUSH-02"},
	"accept-ends-early":         {"messages", "CONN-03"},
}

func breaks(report *verdict.Report, rule string) bool {
	return slices.ContainsFunc(report.Findings, func(f verdict.Finding) bool { return f.Verdict == verdict.ProviderViolation && f.Rule == rule })
}

// Each bug is found, by its rule, and the same case without it is conformant.
func findsBugs(t *testing.T, w *windows) {
	for _, name := range slices.Sorted(maps.Keys(bugs)) {
		t.Run(name, func(t *testing.T) {
			bug := bugs[name]
			if report := judge(w.recorded(t, bug.shows, "NDSPI_EXAMPLE_BUG="+name)); !breaks(report, bug.breaks) {
				t.Errorf("case %s: %v, no violation of %s\n%+v", bug.shows, report.Verdict, bug.breaks, report.Findings)
			}
			if report := judge(w.recorded(t, bug.shows)); report.Verdict != verdict.Conformant {
				t.Errorf("case %s without the bug: %v\n%+v", bug.shows, report.Verdict, report.Findings)
			}
		})
	}
}

// Where no call reports that the provider is at rest, a silence counts as rest, and the header says that this is a guess. With a time of 0 it does not.
func takesSilenceForRest(t *testing.T, w *windows) {
	lost := w.recorded(t, "silence", "NDSPI_EXAMPLE_BUG=lost-notification", "NDKRECORD_REST_MS=300")
	if report := judge(lost); !breaks(report, "ARM-09") || lost.Header.Run["rest"] != "a guess: silence of 300ms" {
		t.Errorf("%v, no violation of ARM-09; header %+v\n%+v", report.Verdict, lost.Header, report.Findings)
	}
	kept := w.recorded(t, "silence", "NDKRECORD_REST_MS=300")
	if report := judge(kept); report.Verdict != verdict.Inconclusive || len(named(kept, "quiesce", trace.Point)) == 0 {
		t.Errorf("%v, %d marks of rest\n%+v", report.Verdict, len(named(kept, "quiesce", trace.Point)), report.Findings)
	}
	off := w.recorded(t, "silence", "NDSPI_EXAMPLE_BUG=lost-notification", "NDKRECORD_REST_MS=0")
	if report := judge(off); report.Verdict != verdict.Inconclusive || off.Header.Run["rest"] != "" || len(named(off, "quiesce", trace.Point)) != 0 {
		t.Errorf("%v, header %+v", report.Verdict, off.Header)
	}
}

// Two seconds of polls that find nothing are a few events, and the provider is seen to be at rest meanwhile.
func tellsPollsAsOne(t *testing.T, w *windows) {
	whole := w.recorded(t, "polling", "NDKRECORD_REST_MS=300")
	polls, rests := named(whole, "NdkGetCqResultsEx", trace.Call), named(whole, "quiesce", trace.Point)
	posted := named(whole, "NdkSend", trace.Call)
	if len(polls) > 60 || len(posted) != 1 || len(rests) == 0 || rests[0].Seq > posted[0].Seq {
		t.Errorf("%d polls, rest %+v, posted %+v", len(polls), rests, posted)
	}
	if report := judge(whole); report.Verdict != verdict.Conformant {
		t.Errorf("%v\n%+v", report.Verdict, report.Findings)
	}
}

// The trace can't say that an arm was cancelled, so the provider is not said to be at rest while its CQ is there.
func isNeverAtRest(t *testing.T, w *windows) {
	whole := w.recorded(t, "cancelled", "NDKRECORD_REST_MS=1")
	armed, closed := named(whole, "NdkArmCq", trace.Ret), named(whole, "NdkCloseCq", trace.Ret)
	for _, rest := range named(whole, "quiesce", trace.Point) {
		if len(closed) == 2 && rest.Seq > armed[0].Seq+2 && rest.Seq < closed[1].Seq {
			t.Errorf("at rest at %d, between the cancelled arm at %d and the close of its CQ at %d", rest.Seq, armed[0].Seq, closed[1].Seq)
		}
	}
}

// A program that is killed leaves what was recorded so far, and no word about rest.
func leavesAReadableTrace(t *testing.T, w *windows) {
	whole := w.recorded(t, "killed", "NDKRECORD_REST_MS=0")
	if report := judge(whole); whole.End != nil || len(named(whole, "NdkSend", trace.Ret)) != 1 || report.Verdict != verdict.Inconclusive {
		t.Errorf("%d events, end %+v, %v", len(whole.Events), whole.End, report.Verdict)
	}
}

// What is missing is said, with what to do. A program whose trace can't be written runs all the same.
func saysWhatIsWrong(t *testing.T, w *windows) {
	nowhere := filepath.Join(t.TempDir(), "none", "a.ctf")
	for name, test := range map[string]struct {
		settings []string
		says     string
		runs     bool
	}{
		"no provider":           {nil, "NDKRECORD_PROVIDER is not set: set it to the path", false},
		"a provider not there":  {[]string{"NDKRECORD_PROVIDER=none.dll"}, "none.dll of NDKRECORD_PROVIDER can't be loaded (error 126)", false},
		"a library of no use":   {[]string{"NDKRECORD_PROVIDER=kernel32.dll"}, "kernel32.dll of NDKRECORD_PROVIDER is no provider: it has no DllGetClassObject", false},
		"the recorder itself":   {[]string{"NDKRECORD_PROVIDER=" + w.recorder}, "is the recorder itself", false},
		"a file not to write":   {[]string{"NDKRECORD_PROVIDER=" + w.provider, "NDKRECORD_FILE=" + nowhere}, "can't be written (error 3), so this program is not recorded", true},
		"a name that is no end": {[]string{"NDKRECORD_PROVIDER=" + w.provider, "NDKRECORD_FILE=" + strings.Repeat("a", 2000)}, "NDKRECORD_FILE has 2001 characters", true},
	} {
		t.Run(name, func(t *testing.T) {
			command := w.command(w.recorder, "identity", test.settings...)
			if test.runs {
				command = w.command(w.recorder, "churn", test.settings...)
			}
			said := &strings.Builder{}
			command.Stderr = said
			err := command.Run()
			if runs := err == nil; runs != test.runs || !strings.Contains(said.String(), test.says) {
				t.Errorf("error %v, and it says %q, want %q", err, said, test.says)
			}
			if _, is := err.(*exec.ExitError); err != nil && !is {
				t.Error(err)
			}
		})
	}
}
