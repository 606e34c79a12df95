package refimpl

import (
	"slices"
	"testing"

	"ndkoracle/ndk"
)

const (
	solicit = ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT
	success = ndk.STATUS_SUCCESS
)

// ARM-01: no callback without an arm. ARM-02: one arm, one callback.
func TestOneArmOneCallback(t *testing.T) {
	r := newRig(t, Options{})
	r.right.deliver(solicit)
	r.right.callbacks()
	r.right.drain()
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.callbacks()
	for range 3 {
		r.right.deliver(solicit)
	}
	r.right.callbacks(success)
}

// ARM-08, ARM-09, ARM-10, ARM-12 for one arm, ARM-07 for two: which completion satisfies which arms.
func TestMatchAndMerge(t *testing.T) {
	const errors, any, solicited = ndk.NDK_CQ_NOTIFY_ERRORS, ndk.NDK_CQ_NOTIFY_ANY, ndk.NDK_CQ_NOTIFY_SOLICITED
	for _, c := range []struct {
		arms                     []ndk.NotifyType
		byUnsolicited, bySolicit bool
	}{
		{[]ndk.NotifyType{errors}, false, false},
		{[]ndk.NotifyType{solicited}, false, true},
		{[]ndk.NotifyType{any}, true, true},
		{[]ndk.NotifyType{any, any}, true, true},
		{[]ndk.NotifyType{any, errors}, true, true},
		{[]ndk.NotifyType{any, solicited}, true, true},
		{[]ndk.NotifyType{errors, any}, true, true},
		{[]ndk.NotifyType{errors, errors}, false, false},
		{[]ndk.NotifyType{errors, solicited}, false, true},
		{[]ndk.NotifyType{solicited, any}, true, true},
		{[]ndk.NotifyType{solicited, errors}, false, true},
		{[]ndk.NotifyType{solicited, solicited}, false, true},
		{[]ndk.NotifyType{solicited, errors, any}, true, true},
	} {
		for _, flags := range []ndk.OpFlags{0, solicit} {
			r := newRig(t, Options{})
			for _, arm := range c.arms {
				r.right.cq.NdkArmCq(arm)
			}
			r.right.deliver(flags)
			var want []ndk.Status
			if c.byUnsolicited && flags == 0 || c.bySolicit && flags == solicit {
				want = []ndk.Status{success}
			}
			if got := r.right.notes.seen(); !slices.Equal(got, want) {
				t.Errorf("armed %v, completion with flags %v: callbacks %v, want %v", c.arms, flags, got, want)
			}
		}
	}
}

// ARM-11: a failed completion satisfies a SOLICITED arm, a cancelled one too.
func TestFailureSatisfiesSolicited(t *testing.T) {
	r := newRig(t, Options{})
	r.left.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	bad := []ndk.Sge{{Buffer: r.left.buffer[:1], MemoryRegionToken: 0xBAD}}
	r.want(r.left.qp.NdkSend("send", bad, 0), success)
	r.left.callbacks(success)

	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.right.receive("receive", 0, 1)
	r.right.qp.NdkFlush()
	r.right.callbacks(success)
}

// ARM-08, A4: a failed completion may satisfy an ERRORS arm.
func TestFailureAndErrorsArm(t *testing.T) {
	for _, yes := range []bool{false, true} {
		r := newRig(t, Options{Choose: func(May) bool { return yes }})
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ERRORS)
		r.right.receive("receive", 0, 1)
		r.right.qp.NdkFlush()
		if yes {
			r.right.callbacks(success)
		} else {
			r.right.callbacks()
		}
	}
}

// ARM-04: an entry placed since the last callback satisfies the arm at once, if it matches.
func TestFreshEntrySatisfiesArm(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	r.right.deliver(0)
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.right.callbacks()
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.callbacks(success)

	r.right.deliver(solicit)
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.right.callbacks(success, success)
}

// ARM-05: entries that a callback reported may satisfy an arm, or not. ARM-21: an empty CQ does not.
func TestOldEntriesMaySatisfyArm(t *testing.T) {
	for _, c := range []struct {
		choose func(May) bool
		want   []ndk.Status
	}{{only(), []ndk.Status{success}}, {only(SatisfyOnOldEntries), []ndk.Status{success, success}}} {
		r := newRig(t, Options{Choose: c.choose})
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.deliver(0)
		r.right.callbacks(success)
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.callbacks(c.want...)
	}
	r := newRig(t, Options{Choose: only(SatisfyOnOldEntries)})
	r.right.deliver(0)
	r.right.drain()
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.callbacks()
}

// ARM-06: a callback that becomes due while one runs comes after it. The arm in the callback is a new one (ARM-02).
func TestCallbackDeferred(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	entered, leave := make(chan struct{}), make(chan struct{})
	r.right.notes.do(func(cq ndk.Cq) {
		cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		entered <- struct{}{}
		<-leave
	})
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.receive("receive", 0, 16)
	r.left.send("send", "a", 0)
	<-entered
	r.right.receive("receive", 0, 16)
	r.left.send("send", "b", 0)
	if r.adapter.(Quiescer).Quiesce(0) {
		t.Error("at rest while a callback runs")
	}
	if got := len(r.right.notes.seen()); got != 1 {
		t.Errorf("%d callbacks entered while the first one runs, want 1", got)
	}
	r.right.notes.do(nil)
	leave <- struct{}{}
	r.right.callbacks(success, success)
}

// A2: an arm satisfied while a callback is owed may be a callback of its own or not. A second arm is one of its own once
// the first is satisfied (ARM-07 speaks of arms not yet satisfied).
func TestSecondCallbackOwed(t *testing.T) {
	for _, c := range []struct {
		choose func(May) bool
		want   []ndk.Status
	}{
		{only(), []ndk.Status{success, success}},
		{only(OweSecondCallback), []ndk.Status{success, success, success}},
	} {
		r := newRig(t, Options{Choose: c.choose})
		entered, leave := make(chan struct{}), make(chan struct{})
		r.right.notes.do(func(ndk.Cq) { close(entered); <-leave })
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.receive("receive", 0, 16)
		r.left.send("send", "a", 0)
		<-entered
		r.right.notes.do(nil)
		for i := range 2 { // both satisfied while the first callback runs
			r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
			r.right.receive("receive", 0, 16)
			r.left.send("send", "b", 0)
			awaitEntries(r.right, 2+i)
		}
		close(leave)
		r.right.callbacks(c.want...)
	}
}

// POLL-02, POLL-03, POLL-04, POLL-06: batches, oldest first, each completion once, from either call.
func TestPoll(t *testing.T) {
	for _, choose := range []func(May) bool{only(), only(ShortBatch)} {
		r := newRig(t, Options{Choose: choose})
		for i := range 10 {
			r.right.receive(i, 0, 16)
			r.left.send(i, "x", ndk.NDK_OP_FLAG_SILENT_SUCCESS)
		}
		r.right.hold(10)
		if n := r.right.cq.NdkGetCqResults(nil); n != 0 {
			t.Errorf("no room for results, but %d", n)
		}
		var got []any
		for i := 0; ; i++ {
			results, resultsEx := make([]ndk.Result, 3), make([]ndk.ResultEx, 3)
			n := 0
			if i%2 == 0 {
				n = r.right.cq.NdkGetCqResults(results)
			} else {
				n = r.right.cq.NdkGetCqResultsEx(resultsEx)
			}
			if n == 0 {
				break
			}
			for k := range n {
				got = append(got, max(contextOf(results[k]), contextOf(resultsEx[k].Result)))
			}
		}
		if want := []any{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func contextOf(r ndk.Result) int {
	context, _ := r.RequestContext.(int)
	return context
}

// ARM-15, ARM-16, ARM-17, ARM-18, A1: overflow satisfies an arm of any type; what was placed before can be polled,
// nothing is placed afterwards, and the QPs of the CQ are broken.
func TestOverflow(t *testing.T) {
	for _, arm := range []ndk.NotifyType{
		ndk.NDK_CQ_NOTIFY_ERRORS, ndk.NDK_CQ_NOTIFY_SOLICITED, ndk.NDK_CQ_NOTIFY_ANY,
	} {
		r := newRigOfDepth(t, Options{Choose: only()}, 2)
		overflow := func() {
			for i := range 4 {
				r.right.receive(i, 0, 16)
				r.left.send(i, "x", ndk.NDK_OP_FLAG_SILENT_SUCCESS)
			}
			r.settle()
		}
		if arm == ndk.NDK_CQ_NOTIFY_ANY { // met by the first completion: the error waits for the next arm
			overflow()
			r.right.callbacks()
			r.right.cq.NdkArmCq(arm)
		} else {
			r.right.cq.NdkArmCq(arm)
			overflow()
		}
		r.right.callbacks(ndk.STATUS_BUFFER_OVERFLOW)
		r.right.outcomes(outcome{0, success}, outcome{1, success})

		r.right.cq.NdkArmCq(arm)
		r.right.receive(9, 0, 16)
		r.right.callbacks(ndk.STATUS_BUFFER_OVERFLOW)
		r.right.outcomes()
		r.right.send(10, "x", 0)
		r.right.outcomes()
		r.left.drain()
		if _, status := r.pd.NdkCreateQp(ndk.QpAttributes{
			ReceiveCq: r.right.cq, InitiatorCq: r.right.cq, ReceiveQueueDepth: 1, InitiatorQueueDepth: 1,
		}); status != ndk.STATUS_INVALID_PARAMETER {
			t.Errorf("QP on a broken CQ: %v", status)
		}
	}
}

// ARM-18: a CQ error breaks the QPs of the CQ: what they have pending elsewhere is cancelled.
func TestOverflowBreaksQps(t *testing.T) {
	r := newRig(t, Options{})
	small := must(r.adapter.NdkCreateCq(1, nil))
	a, b := r.newQp(small, r.left.cq), r.newQp(r.right.cq, r.right.cq)
	r.connect(&side{qp: a}, &side{qp: b})
	r.want(a.NdkSend("pending", nil, 0), success)
	for range 2 {
		r.want(a.NdkReceive("receive", nil), success)
		r.want(b.NdkSend("send", nil, silent), success)
	}
	r.left.outcomes(outcome{"pending", ndk.STATUS_CANCELLED})
	if results := drain(small); len(results) != 1 || results[0].Status != success {
		t.Errorf("placed %v", results)
	}
}

// A1, A2: the error callback comes before the owed one or after it, or is that one too. ARM-16: two callbacks at most
// for two arms.
func TestErrorCallbackBesidesAnother(t *testing.T) {
	const overflow = ndk.STATUS_BUFFER_OVERFLOW
	for _, c := range []struct {
		choose func(May) bool
		want   []ndk.Status
	}{
		{only(), []ndk.Status{success, success, overflow}},
		{only(ErrorCallbackFirst), []ndk.Status{success, overflow, success}},
		{only(ErrorCallbackFirst, ErrorCallbackMerges), []ndk.Status{success, overflow}},
	} {
		r := newRigOfDepth(t, Options{Choose: c.choose}, 2)
		entered, leave := make(chan struct{}), make(chan struct{})
		r.right.notes.do(func(ndk.Cq) { close(entered); <-leave })
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		r.right.receive(0, 0, 16)
		r.left.send(0, "x", ndk.NDK_OP_FLAG_SILENT_SUCCESS)
		<-entered
		r.right.notes.do(nil)
		r.right.receive(1, 0, 16)
		r.left.send(1, "x", ndk.NDK_OP_FLAG_SILENT_SUCCESS)
		awaitEntries(r.right, 2)
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY) // satisfied by the second completion
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ERRORS)
		r.right.receive(2, 0, 16)
		r.left.send(2, "x", ndk.NDK_OP_FLAG_SILENT_SUCCESS)
		awaitBreak(r.right)
		close(leave)
		r.right.callbacks(c.want...)
	}
}

// awaitEntries lets the devices run until the side's CQ holds n completions: Quiesce can't be used while a callback runs.
func awaitEntries(s *side, n int) { await(s, func() bool { return len(s.cq.(*cq).entries) == n }) }

func awaitBreak(s *side) { await(s, func() bool { return s.cq.(*cq).health != success }) }

func await(s *side, condition func() bool) {
	s.rig.t.Helper()
	a := s.rig.adapter.(*adapter)
	a.mu.Lock()
	defer a.mu.Unlock()
	for !condition() {
		a.rest.Wait()
	}
}
