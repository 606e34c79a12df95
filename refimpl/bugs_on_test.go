//go:build seededbugs

package refimpl

import (
	"slices"
	"testing"

	"ndkoracle/ndk"
)

// symptoms shows each seeded bug at work. The function returns what was seen; sound is what the contract allows there.
var symptoms = map[bug]struct {
	rule   string
	choose func(May) bool
	sound  int
	see    func(r *rig) int
}{
	bugErrorNotSolicited: {"ARM-11", only(), 1, func(r *rig) int {
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
		r.right.receive("receive", 0, 16)
		r.right.qp.NdkFlush()
		return r.right.called()
	}},
	bugSolicitBitIgnored: {"ARM-10", only(), 1, func(r *rig) int {
		return r.right.afterArms(solicit, ndk.NDK_CQ_NOTIFY_SOLICITED)
	}},
	bugLastArmWins: {"ARM-07", only(), 1, func(r *rig) int {
		return r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY, ndk.NDK_CQ_NOTIFY_SOLICITED)
	}},
	bugMergeEquality: {"ARM-07", only(), 1, func(r *rig) int {
		return r.right.afterArms(solicit, ndk.NDK_CQ_NOTIFY_SOLICITED, ndk.NDK_CQ_NOTIFY_ANY)
	}},
	bugSecondArmDropped: {"ARM-07", only(), 1, func(r *rig) int {
		return r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_SOLICITED, ndk.NDK_CQ_NOTIFY_ANY)
	}},
	bugThirdArmBreaks: {"ARM-07", only(), 1, func(r *rig) int {
		return r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY, ndk.NDK_CQ_NOTIFY_ANY, ndk.NDK_CQ_NOTIFY_ANY)
	}},
	bugDisarmAfterCallback: {"ARM-03", only(), 2, func(r *rig) int {
		r.right.notes.do(func(cq ndk.Cq) { cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY) })
		r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY)
		r.right.notes.do(nil)
		r.right.deliver(0)
		return r.right.called()
	}},
	bugArmTakesEffectAtGet: {"ARM-03", only(), 1, func(r *rig) int {
		return r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY)
	}},
	bugNoFireAtArm: {"ARM-04", only(), 1, func(r *rig) int {
		r.right.deliver(0)
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		return r.right.called()
	}},
	bugFireAgainForReported: {"ARM-21", only(), 1, func(r *rig) int {
		r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY)
		r.right.drain()
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		return r.right.called()
	}},
	bugTwoCallbacksOneArm: {"ARM-02", only(), 1, func(r *rig) int {
		r.right.afterArms(0, ndk.NDK_CQ_NOTIFY_ANY)
		r.right.deliver(0)
		return r.right.called()
	}},
	bugCallbackNeverArmed: {"ARM-01", only(), 0, func(r *rig) int {
		r.right.deliver(0)
		return r.right.called()
	}},
	bugCallbacksOverlap: {"ARM-06", only(), 1, func(r *rig) int {
		entered, leave := make(chan struct{}, 2), make(chan struct{})
		r.right.notes.do(func(ndk.Cq) { entered <- struct{}{}; <-leave })
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.receive(0, 0, 16)
		r.left.send(0, "x", 0)
		<-entered
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.receive(1, 0, 16)
		r.left.send(1, "x", 0)
		await(r.right, func() bool { c := r.right.cq.(*cq); return len(c.entries) == 2 && !c.callbackDue() })
		n := len(r.right.notes.seen())
		close(leave)
		r.settle()
		return n
	}},
	bugRefusedPostNoDoorbell: {"DEF-05", only(), 1, func(r *rig) int {
		r.left.write1("deferred", deferred)
		r.left.refused()
		return len(r.left.drain())
	}},
	bugRefusedPostCompletes: {"DEF-03", only(), 0, func(r *rig) int {
		r.left.refused()
		return len(r.left.drain())
	}},
	bugFailureSwallowed: {"DEF-04", only(), 1, func(r *rig) int {
		if r.left.qp.NdkWrite("refused", make([]ndk.Sge, 9), 0, 0, 0) == success { // never: a parameter is wrong
			return -1
		}
		for range testDepth {
			r.left.send("waits", "x", 0)
		}
		if r.left.qp.NdkSend("full", nil, 0) == success {
			return 0 // accepted, and nowhere
		}
		return 1
	}},
	bugDuplicateCompletion: {"POLL-04", only(), 1, func(r *rig) int {
		r.right.deliver(0)
		return len(r.right.drain())
	}},
	bugSilentFailureLost: {"FLAG-02", only(), 1, func(r *rig) int {
		r.left.send("silent", "x", silent)
		r.left.qp.NdkFlush()
		return len(r.left.drain())
	}},
	bugFlushMissesLast: {"FLUSH-02", only(), 2, func(r *rig) int {
		r.left.send(1, "x", 0)
		r.left.send(2, "x", 0)
		r.left.qp.NdkFlush()
		return len(r.left.drain())
	}},
	bugOverflowContinues: {"ARM-17", only(), testDepth, func(r *rig) int {
		for range testDepth + 1 {
			r.right.deliver(0)
		}
		r.right.cq.NdkGetCqResults(make([]ndk.Result, 1))
		r.right.receive("after", 0, 16)
		r.left.qp.NdkSend("send", nil, 0)
		return 1 + len(r.right.drain())
	}},
	bugWrongInvalidatedToken: {"RES-03", only(), 0, func(r *rig) int {
		mr := r.right.loseToken()
		results := r.right.drain()
		return int(results[len(results)-1].TypeSpecificCompletionOutput - uint64(mr.RemoteToken()))
	}},
	bugTokenSurvivesPlainPoll: {"POLL-07", only(InvalidateFailsInline), int(ndk.STATUS_ACCESS_VIOLATION), func(r *rig) int {
		mr := r.right.loseToken()
		r.right.cq.NdkGetCqResults(make([]ndk.Result, 8))
		status := r.right.qp.NdkInvalidate("invalidate", mr, 0)
		r.settle()
		return int(status)
	}},
	bugBadTokenAccepted: {"INV-05", only(), 0, func(r *rig) int {
		r.right.receive("receive", 0, 16)
		r.want(r.left.qp.NdkSendAndInvalidate("send", nil, 0, 0xBAD), success)
		if r.right.drain()[0].Status == success {
			return 1
		}
		return 0
	}},
	bugCallbackAfterClose: {"LIFE-09", only(CloseDropsCompletions), 0, func(r *rig) int {
		r.want(r.right.qp.NdkCloseQp(nil), success)
		r.want(r.right.cq.NdkCloseCq(nil), success)
		return r.right.called()
	}},
	bugSwapCompletions: {"POLL-09", only(), 0, func(r *rig) int {
		r.left.write1(0, 0)
		r.left.write1(1, 0)
		return r.left.drain()[0].RequestContext.(int)
	}},
}

func (s *side) called() int {
	s.rig.settle()
	return len(s.notes.seen())
}

// afterArms is how many callbacks come of the arms and one completion after them.
func (s *side) afterArms(flags ndk.OpFlags, arms ...ndk.NotifyType) int {
	for _, arm := range arms {
		s.cq.NdkArmCq(arm)
	}
	s.deliver(flags)
	return s.called()
}

// write1 is a request that succeeds without the peer's doing.
func (s *side) write1(context any, flags ndk.OpFlags) {
	s.rig.want(s.qp.NdkWrite(context, nil, 0, 0, flags), success)
}

// refused is a post that a wrong flag keeps out.
func (s *side) refused() {
	s.rig.want(s.qp.NdkWrite("refused", nil, 0, 0, remoteRead), invalid)
}

// loseToken has the peer invalidate a token, and returns its Mr.
func (s *side) loseToken() ndk.Mr {
	mr := s.fastRegister(make([]byte, 8), silent|remoteRead)
	s.rig.settle()
	s.receive("receive", 0, 16)
	s.rig.want(s.rig.left.qp.NdkSendAndInvalidate("send", nil, 0, mr.RemoteToken()), success)
	s.rig.settle()
	return mr
}

// Each seeded bug shows, in a few steps; without it, the same steps show what the rule demands; and with it the provider
// comes to rest and ends as ever.
func TestSeededBugs(t *testing.T) {
	for _, name := range Bugs() {
		symptom, ok := symptoms[bug(name)]
		if !ok {
			t.Errorf("%s: nothing shows it", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			if got := symptom.see(newRig(t, Options{Choose: symptom.choose})); got != symptom.sound {
				t.Errorf("%s: sound provider: %d, want %d", symptom.rule, got, symptom.sound)
			}
			o := Options{Choose: symptom.choose}
			o.Bug = name
			if got := symptom.see(newRig(t, o)); got == symptom.sound {
				t.Errorf("%s: with the bug on, still %d", symptom.rule, got)
			}
		})
	}
	if len(Bugs()) != len(symptoms) {
		t.Errorf("%d bugs, %d symptoms", len(Bugs()), len(symptoms))
	}
}

// The environment chooses a bug, and a name that is none is not passed over.
func TestBugFromEnvironment(t *testing.T) {
	t.Setenv("NDK_SEEDED_BUG", Bugs()[0])
	if !Open(Options{}).(*adapter).seeded(bug(Bugs()[0])) {
		t.Error("not switched on")
	}
	t.Setenv("NDK_SEEDED_BUG", "no-such-bug")
	defer func() {
		if recover() == nil {
			t.Error("an unknown bug was accepted")
		}
	}()
	Open(Options{})
}

// Bugs lists every bug of the sources once.
func TestBugsAreListedOnce(t *testing.T) {
	names := slices.Sorted(slices.Values(Bugs()))
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(names) != 25 {
		t.Errorf("%d names: %v", len(names), names)
	}
}
