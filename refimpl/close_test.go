package refimpl

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"ndkoracle/ndk"
)

// ARM-20, LIFE-08, LIFE-09, ASY-01: a CQ closed in its own callback stays until the callback returned, and then no other
// callback comes, although one was owed.
func TestCloseCqInCallback(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	r.want(r.left.qp.NdkCloseQp(nil), success)
	var order []string
	status := make(chan ndk.Status, 1)
	r.right.notes.do(func(cq ndk.Cq) {
		r.right.qp.NdkReceive("fresh", nil)
		r.right.qp.NdkCloseQp(nil)
		cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY) // a callback is owed from here on
		status <- cq.NdkCloseCq(func() { order = append(order, "completion") })
		cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
		order = append(order, "callback returns")
	})
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.receive("receive", 0, 16)
	r.right.qp.NdkFlush()
	r.right.callbacks(success)
	r.want(<-status, ndk.STATUS_PENDING)
	if len(order) != 2 || order[0] != "callback returns" {
		t.Errorf("order %v", order)
	}
	r.right.outcomes()
}

// LIFE-04, LIFE-05: the close of an antecedent completes after its last successor is closed, and after that one's
// NdkCloseCompletion returned. LIFE-11: it does complete. A21: until then the CQ can be polled.
func TestCloseAntecedentsFirst(t *testing.T) {
	r := newRig(t, Options{Choose: only(CloseWaitsForTheDevice)})
	var mu sync.Mutex
	var order []string
	note := func(what string) ndk.NdkCloseCompletion {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
	}
	r.want(r.pd.NdkClosePd(note("pd")), ndk.STATUS_PENDING)
	r.want(r.left.cq.NdkCloseCq(note("cq")), ndk.STATUS_PENDING)
	r.want(r.left.mr.NdkCloseMr(note("not called: the close is not pending")), success)
	r.want(r.right.mr.NdkCloseMr(nil), success)
	r.left.receive("receive", 0, 16)
	r.want(r.right.qp.NdkCloseQp(nil), success)
	r.settle()
	r.want(r.left.qp.NdkCloseQp(func() {
		if n := r.left.cq.NdkGetCqResults(make([]ndk.Result, 8)); n != 1 {
			t.Errorf("polled %d completions of the closed QP, want 1", n)
		}
		note("qp")()
	}), ndk.STATUS_PENDING)
	r.settle()
	mu.Lock()
	defer mu.Unlock()
	if len(order) != 3 || order[0] != "qp" {
		t.Errorf("order %v, want qp and then cq and pd", order)
	}
}

// LIFE-15: an Mr is an antecedent of the windows bound to it.
func TestCloseMrUnderWindow(t *testing.T) {
	r := newRig(t, Options{})
	mw, status := r.pd.NdkCreateMw()
	r.want(status, success)
	r.want(r.left.qp.NdkBind("bind", r.left.mr, mw, r.left.buffer, remoteRead), success)
	r.settle()
	closed := false
	r.want(r.left.mr.NdkCloseMr(func() { closed = true }), ndk.STATUS_PENDING)
	r.settle()
	if closed {
		t.Error("closed under a bound window")
	}
	r.want(r.right.qp.NdkRead("read", r.right.sge(0, 8), ndk.VirtualAddress(r.left.buffer), mw.RemoteToken(), 0), success)
	r.right.outcomes(outcome{"read", ndk.STATUS_REMOTE_RESOURCES})
	r.want(mw.NdkCloseMw(nil), success)
	r.settle()
	if !closed {
		t.Error("not closed after the window was")
	}
}

// LIFE-10, LIFE-12, A21: closing a QP flushes it. What is cancelled completes, in the call or later, or leaves nothing.
func TestCloseQpFlushes(t *testing.T) {
	for _, c := range []struct {
		choose func(May) bool
		status ndk.Status
		want   []outcome
	}{
		{only(), success, []outcome{{"receive", ndk.STATUS_CANCELLED}, {"send", ndk.STATUS_CANCELLED}}},
		{only(CloseWaitsForTheDevice), ndk.STATUS_PENDING,
			[]outcome{{"receive", ndk.STATUS_CANCELLED}, {"send", ndk.STATUS_CANCELLED}}},
		{only(CloseDropsCompletions), success, nil},
	} {
		r := newRig(t, Options{Choose: c.choose})
		r.left.receive("receive", 0, 16)
		r.left.send("send", "x", deferred)
		called := false
		r.want(r.left.qp.NdkCloseQp(func() { called = true }), c.status)
		r.left.outcomes(c.want...)
		if pending := c.status == ndk.STATUS_PENDING; called != pending {
			t.Errorf("close returned %v, its completion was called: %v", c.status, called)
		}
	}
}

// LIFE-14: NdkCloseAdapter returns after the last callback did, and leaves no goroutine, whatever was going on.
func TestCloseAdapter(t *testing.T) {
	r := newRig(t, Options{Seed: 3})
	entered, leave := make(chan struct{}), make(chan struct{})
	returned := false
	r.right.notes.do(func(ndk.Cq) { close(entered); <-leave; returned = true })
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.receive("receive", 0, 16)
	r.left.send("send", "x", 0)
	r.left.send("waits", "x", 0)
	r.left.send("deferred", "x", deferred)
	<-entered
	waiting := make(chan ndk.Status)
	third := r.newQp(r.left.cq, r.left.cq)
	go func() { waiting <- r.adapter.NdkConnect(third, "nobody") }()
	awaitOffer(r, "nobody")
	closed := make(chan struct{})
	go func() { r.adapter.NdkCloseAdapter(); close(closed) }()
	r.want(<-waiting, ndk.STATUS_CONNECTION_ABORTED)
	select {
	case <-closed:
		t.Error("closed while a callback runs")
	default:
	}
	close(leave)
	<-closed
	if !returned {
		t.Error("closed before the callback returned")
	}
	if left := goroutinesLeft(); left != "" {
		t.Errorf("goroutines left:\n%s", left)
	}
	if _, status := r.adapter.NdkCreatePd(); status != ndk.STATUS_INVALID_PARAMETER {
		t.Errorf("PD of a closed adapter: %v", status)
	}
	if _, status := r.adapter.NdkCreateCq(1, nil); status != ndk.STATUS_INVALID_PARAMETER {
		t.Errorf("CQ of a closed adapter: %v", status)
	}
	r.adapter.NdkCloseAdapter()
}

// LIFE-13 broken: NdkCloseAdapter in a callback closes everything but does not wait, which would be for ever.
func TestCloseAdapterInCallback(t *testing.T) {
	r := newRig(t, Options{})
	done := make(chan struct{})
	r.right.notes.do(func(ndk.Cq) { r.adapter.NdkCloseAdapter(); close(done) })
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.receive("receive", 0, 16)
	r.left.send("send", "x", 0)
	<-done
	r.adapter.NdkCloseAdapter()
	if left := goroutinesLeft(); left != "" {
		t.Errorf("goroutines left:\n%s", left)
	}
}

// Quiesce ends when the callback that it waits for closed its own CQ, and no NdkCloseCompletion follows: missing that, it
// would wait for the hour.
func TestQuiesceSeesTheLastCallback(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	cq := must(r.adapter.NdkCreateCq(1, r.left.notes))
	entered, leave := make(chan struct{}), make(chan struct{})
	r.left.notes.do(func(ndk.Cq) { close(entered); <-leave; cq.NdkCloseCq(nil) })
	qp := r.newQp(cq, cq)
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.want(qp.NdkReceive(0, nil), success)
	qp.NdkCloseQp(nil)
	rests := make(chan bool)
	<-entered
	go func() { rests <- r.adapter.(Quiescer).Quiesce(time.Hour) }()
	for range 1000 {
		runtime.Gosched() // most likely Quiesce waits now; the test holds in any case
	}
	close(leave)
	if !<-rests {
		t.Error("the provider does not come to rest")
	}
}

// Quiesce tells when the provider can't come to rest in time.
func TestQuiesceExpires(t *testing.T) {
	r := newRig(t, Options{})
	leave := make(chan struct{})
	r.right.notes.do(func(ndk.Cq) { <-leave })
	r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.right.receive("receive", 0, 16)
	r.left.send("send", "x", 0)
	if r.adapter.(Quiescer).Quiesce(time.Millisecond) {
		t.Error("at rest while a callback is owed or runs")
	}
	close(leave)
	r.settle()
}

func awaitOffer(r *rig, address string) {
	a := r.adapter.(*adapter)
	for offered := false; !offered; {
		a.mu.Lock()
		offered = a.offers[offer{address, false}] != nil
		a.mu.Unlock()
	}
}
