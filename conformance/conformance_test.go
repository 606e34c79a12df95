package conformance

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/refimpl"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

const testOps = 60

// record runs a scenario on the reference provider and fails the test when that does not go through.
func record(t *testing.T, s Scenario, seed uint64) *trace.Trace {
	t.Helper()
	recorded, err := RecordTrace(t.Context(), s, Refimpl(), seed, testOps)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", s.Name, seed, err)
	}
	return recorded
}

func TestScenariosAreDocumented(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if !name.MatchString(s.Name) || seen[s.Name] {
			t.Errorf("scenario %q: the name is not in kebab-case, or not unique", s.Name)
		}
		seen[s.Name] = true
		if s.Doc == "" || strings.Contains(s.Doc, "\n") {
			t.Errorf("scenario %s: Doc has to be one line", s.Name)
		}
		if len(s.Rules) == 0 {
			t.Errorf("scenario %s names no rule", s.Name)
		}
		for _, id := range s.Rules {
			if _, ok := rules.Get(id); !ok {
				t.Errorf("scenario %s: there is no rule %s", s.Name, id)
			}
		}
	}
	if _, ok := Find("no-such-scenario"); ok {
		t.Error("Find found a scenario that is none")
	}
}

// The trace of every scenario reads back whole, ends quiescent, says how to repeat it, and has as many requests as were
// asked for; the provider leaves no goroutine behind.
func TestScenariosOnRefimpl(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for seed := uint64(1); seed <= 5; seed++ {
				recorded := record(t, s, seed)
				if recorded.End == nil || !recorded.End.Quiescent || recorded.End.Dropped != 0 {
					t.Fatalf("seed %d: the trace ends with %+v", seed, recorded.End)
				}
				if run := recorded.Header.Run; run["scenario"] != s.Name || run["ops"] != "60" || run["seed"] == "" {
					t.Errorf("seed %d: the header says %v of the run", seed, run)
				}
				if n := requests(recorded); n < testOps || n > 2*testOps {
					t.Errorf("seed %d: %d requests were posted, %d were asked for", seed, n, testOps)
				}
				keepsConsumerRules(t, recorded)
				endsDrained(t, recorded)
			}
			for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
				if time.Now().After(deadline) {
					t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

var initiatorRequests = []string{
	"NdkSend", "NdkSendAndInvalidate", "NdkRead", "NdkWrite", "NdkFastRegister", "NdkBind", "NdkInvalidate",
}

func isInitiatorRequest(fn string) bool { return slices.Contains(initiatorRequests, fn) }

func isPoll(fn string) bool { return fn == "NdkGetCqResults" || fn == "NdkGetCqResultsEx" }

func requests(recorded *trace.Trace) int {
	n := 0
	for _, e := range recorded.Events {
		if e.Ph == trace.Call && (isInitiatorRequest(e.Fn) || e.Fn == "NdkReceive") {
			n++
		}
	}
	return n
}

// keepsConsumerRules looks for overlapping calls (POLL-01, POST-01, POST-02), chains without an end (DEF-06), and calls
// on a CQ that reported an error or whose close began (ARM-19, LIFE-06).
func keepsConsumerRules(t *testing.T, recorded *trace.Trace) {
	t.Helper()
	busy := map[string]uint64{}  // what calls must not overlap on, and the seq of the call that is under way
	holds := map[string]string{} // op of a call, and what it holds
	over := map[string]bool{}    // CQs
	open := map[string]bool{}    // QPs with a chain that neither a request nor a flush ended
	calls := map[string]trace.Event{}
	for _, e := range recorded.Events {
		lane := ""
		switch {
		case e.Ph == trace.Call && (isPoll(e.Fn) || e.Fn == "NdkArmCq"):
			lane = "polls and arms of " + e.Cq
			if over[e.Cq] {
				t.Errorf("%s: line %d: %s on %s after its error or close", recorded.Name, e.Line, e.Fn, e.Cq)
			}
		case e.Ph == trace.Call && isInitiatorRequest(e.Fn):
			lane = "initiator of " + e.Qp
		case e.Ph == trace.Call && e.Fn == "NdkReceive":
			lane = "receives of " + e.Qp
		case e.Ph == trace.Call && e.Fn == "NdkCloseCq":
			over[e.Cq] = true
		case e.Ph == trace.Enter && e.Fn == "NdkCqNotificationCallback" && e.Status != "STATUS_SUCCESS":
			over[e.Cq] = true
		case e.Ph == trace.Call && e.Fn == "NdkFlush":
			delete(open, e.Qp)
		case e.Ph == trace.Ret:
			delete(busy, holds[e.Op])
			if call := calls[e.Op]; isInitiatorRequest(call.Fn) {
				open[call.Qp] = e.Status == "STATUS_SUCCESS" && slices.Contains(call.Flags, "DEFER")
			}
		}
		if e.Ph == trace.Call {
			calls[e.Op] = e
		}
		if lane == "" {
			continue
		}
		if other, overlaps := busy[lane]; overlaps {
			t.Errorf("%s: line %d: %s overlaps the call of seq %d", recorded.Name, e.Line, lane, other)
		}
		busy[lane], holds[e.Op] = e.Seq, lane
	}
	for qp, unended := range open {
		if unended {
			t.Errorf("%s: a chain of %s has no end", recorded.Name, qp)
		}
	}
}

// endsDrained looks whether each CQ's last poll found nothing, unless the consumer had to stop polling it: what was owed
// is judged by that poll.
func endsDrained(t *testing.T, recorded *trace.Trace) {
	t.Helper()
	last := map[string]int{} // results of the last poll, by CQ
	marked := false
	cqOf := map[string]string{}
	for _, e := range recorded.Events {
		switch {
		case e.Fn == "quiesce":
			marked = true
		case e.Ph == trace.Call && isPoll(e.Fn):
			cqOf[e.Op] = e.Cq
		case e.Ph == trace.Ret && isPoll(e.Fn):
			last[cqOf[e.Op]] = len(e.Results)
		case e.Ph == trace.Enter && e.Fn == "NdkCqNotificationCallback" && e.Status != "STATUS_SUCCESS":
			delete(last, e.Cq)
		}
	}
	if !marked {
		t.Errorf("%s has no quiesce mark", recorded.Name)
	}
	for cq, n := range last {
		if n != 0 && recorded.Header.Run["scenario"] != "close" {
			t.Errorf("%s: the last poll of %s took %d completions: there may be more", recorded.Name, cq, n)
		}
	}
}

// What each scenario is about happens in it: a scenario that never gets there would pass for ever.
func TestScenariosReachTheirSubject(t *testing.T) {
	has := func(ph trace.Phase, fn string, also func(e trace.Event) bool) func(*trace.Trace) bool {
		return func(recorded *trace.Trace) bool {
			return slices.ContainsFunc(recorded.Events, func(e trace.Event) bool {
				return e.Ph == ph && e.Fn == fn && also(e)
			})
		}
	}
	status := func(s ndk.Status) func(trace.Event) bool {
		return func(e trace.Event) bool { return e.Status == s.String() }
	}
	result := func(match func(trace.Result) bool) func(trace.Event) bool {
		return func(e trace.Event) bool { return slices.ContainsFunc(e.Results, match) }
	}
	cancelled := func(r trace.Result) bool { return r.Status == "STATUS_CANCELLED" }
	failed := func(r trace.Result) bool { return r.Status != "STATUS_SUCCESS" && !cancelled(r) }
	flag := func(name string) func(trace.Event) bool {
		return func(e trace.Event) bool { return slices.Contains(e.Flags, name) }
	}
	inCallback := func(e trace.Event) bool { return strings.HasPrefix(e.Thr, "callback") }
	threeArms := func(recorded *trace.Trace) bool {
		run, longest := 0, 0
		for _, e := range recorded.Events {
			if e.Ph == trace.Call {
				if e.Fn != "NdkArmCq" {
					run = 0
				} else if run++; run > longest {
					longest = run
				}
			}
		}
		return longest >= 3
	}
	subjects := map[string][]func(*trace.Trace) bool{
		"arm-merge":      {threeArms},
		"arm-present":    {has(trace.Call, "NdkArmCq", func(e trace.Event) bool { return e.Type == "SOLICITED" })},
		"drain":          {has(trace.Ret, "NdkGetCqResults", func(e trace.Event) bool { return len(e.Results) > 1 })},
		"callback-rearm": {has(trace.Call, "NdkArmCq", inCallback), has(trace.Call, "NdkGetCqResults", inCallback)},
		"chain-inline-failure": {
			has(trace.Ret, "NdkSend", status(ndk.STATUS_INSUFFICIENT_RESOURCES)), has(trace.Call, "NdkSend", flag("DEFER")),
		},
		"silent-success": {
			has(trace.Call, "NdkSend", flag("SILENT_SUCCESS")), has(trace.Ret, "NdkGetCqResults", result(failed)),
		},
		"failed-requests": {has(trace.Ret, "NdkGetCqResults", result(failed))},
		"flush": {
			has(trace.Ret, "NdkGetCqResults", result(cancelled)), has(trace.Call, "NdkSend", flag("DEFER")),
		},
		"solicited-errors": {
			has(trace.Ret, "NdkGetCqResults", result(failed)), has(trace.Ret, "NdkGetCqResults", result(cancelled)),
			has(trace.Call, "NdkSend", flag("SEND_AND_SOLICIT_EVENT")),
		},
		"send-and-invalidate": {
			has(trace.Ret, "NdkGetCqResultsEx", result(func(r trace.Result) bool { return r.Token != nil })),
			has(trace.Call, "NdkFastRegister", flag("ALLOW_REMOTE_WRITE")), has(trace.Call, "NdkBind", flag("ALLOW_REMOTE_WRITE")),
			has(trace.Ret, "NdkInvalidate", status(ndk.STATUS_ACCESS_VIOLATION)),
		},
		"close": {
			has(trace.Ret, "NdkCloseCq", status(ndk.STATUS_PENDING)), has(trace.Ret, "NdkCloseCq", status(ndk.STATUS_SUCCESS)),
			has(trace.Call, "NdkCloseCq", inCallback),
		},
		"overflow": {has(trace.Enter, "NdkCqNotificationCallback", status(ndk.STATUS_BUFFER_OVERFLOW))},
		"threads": {
			has(trace.Call, "NdkArmCq", func(e trace.Event) bool { return strings.HasPrefix(e.Thr, "cq-") }),
			has(trace.Call, "NdkSend", func(e trace.Event) bool { return e.Thr == "initiator-4" }),
		},
		"mixed": {
			has(trace.Ret, "NdkSend", status(ndk.STATUS_INSUFFICIENT_RESOURCES)), has(trace.Call, "NdkFlush", func(trace.Event) bool { return true }),
			has(trace.Call, "NdkWrite", func(trace.Event) bool { return true }),
			has(trace.Call, "NdkRead", func(trace.Event) bool { return true }),
			has(trace.Call, "NdkSendAndInvalidate", func(trace.Event) bool { return true }),
			has(trace.Call, "NdkInvalidate", func(trace.Event) bool { return true }),
		},
	}
	for _, s := range Scenarios() {
		missing := slices.Clone(subjects[s.Name])
		if len(missing) == 0 {
			t.Errorf("%s: the test knows of no subject", s.Name)
		}
		for seed := uint64(1); seed <= 50 && len(missing) > 0; seed++ {
			recorded := record(t, s, seed)
			missing = slices.DeleteFunc(missing, func(reached func(*trace.Trace) bool) bool { return reached(recorded) })
		}
		if len(missing) > 0 {
			t.Errorf("%s: %d of its %d subjects never came up in 50 seeds", s.Name, len(missing), len(subjects[s.Name]))
		}
	}
}

// A chain fails at each of its positions (DEF-05), with nothing posted after the failure before the next rest.
func TestChainsFailAtEachPosition(t *testing.T) {
	s, _ := Find("chain-inline-failure")
	seen := map[int]bool{}
	for seed := uint64(1); seed <= 50 && len(seen) < 5; seed++ {
		position, refused := 0, false
		calls := map[string]trace.Event{}
		for _, e := range record(t, s, seed).Events {
			switch {
			case e.Fn == "quiesce":
				refused, position = false, 0
			case e.Fn == "NdkSend" && e.Ph == trace.Call:
				if refused {
					t.Fatalf("seed %d: line %d: a post after the refused one", seed, e.Line)
				}
				calls[e.Op] = e
				position++
			case e.Fn == "NdkSend" && e.Status == "STATUS_INSUFFICIENT_RESOURCES":
				seen[position], refused = true, true
			}
		}
	}
	for position := 1; position <= 5; position++ {
		if !seen[position] {
			t.Errorf("no chain failed at its request %d", position)
		}
	}
}

// The same seed posts the same requests.
func TestSeedRepeats(t *testing.T) {
	s, _ := Find("flush")
	posts := func(seed uint64) (list []string) {
		for _, e := range record(t, s, seed).Events {
			if e.Ph == trace.Call && e.Thr == "main" && e.Wr != "" {
				list = append(list, e.Fn+" "+e.Qp+" "+strings.Join(e.Flags, "|"))
			}
		}
		return list
	}
	if !slices.Equal(posts(3), posts(3)) {
		t.Error("two runs with one seed posted different requests")
	}
	if slices.Equal(posts(3), posts(4)) {
		t.Error("two seeds posted the same requests")
	}
}

// Each fault that the reference provider can be built with has a scenario that shows it.
func TestRevealsNamesScenarios(t *testing.T) {
	for bug, scenario := range Reveals {
		if _, ok := Find(scenario); !ok {
			t.Errorf("%s is to be revealed by %s, which is no scenario", bug, scenario)
		}
	}
	for _, bug := range refimpl.Bugs() {
		if Reveals[bug] == "" {
			t.Errorf("no scenario is named that reveals %s", bug)
		}
	}
}
