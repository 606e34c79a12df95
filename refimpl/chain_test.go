package refimpl

import (
	"testing"

	"ndkoracle/ndk"
)

const deferred = ndk.NDK_OP_FLAG_DEFER

// DEF-02: a deferred request may be executed at once, or only when its chain ends. DEF-09: in order.
func TestDeferred(t *testing.T) {
	for _, c := range []struct {
		choose func(May) bool
		early  []outcome
		late   []outcome
	}{
		{only(), nil, []outcome{{0, success}, {1, success}, {2, success}}},
		{only(IndicateDeferred), []outcome{{0, success}, {1, success}}, []outcome{{2, success}}},
	} {
		r := newRig(t, Options{Choose: c.choose})
		for range 3 {
			r.right.receive("receive", 0, 16)
		}
		r.left.send(0, "x", deferred)
		r.left.send(1, "x", deferred)
		r.left.outcomes(c.early...)
		r.left.send(2, "x", 0)
		r.left.outcomes(c.late...)
	}
}

// DEF-04: a request may complete before its post returns.
func TestCompleteBeforeReturn(t *testing.T) {
	r := newRig(t, Options{Choose: only(CompleteBeforeReturn)})
	r.want(r.left.qp.NdkWrite("write", nil, 0, 0, 0), success)
	if n := r.left.cq.NdkGetCqResults(make([]ndk.Result, 1)); n != 1 {
		t.Errorf("%d completions on return, want 1", n)
	}
}

// DEF-03, DEF-05: a chain of four with an inline failure at each position: the refused request never completes, and
// what was deferred before it executes although nothing follows.
func TestRefusalAtEachPosition(t *testing.T) {
	for position := range 4 {
		r := newRig(t, Options{
			Choose: only(),
			Refuse: func(n uint64) bool { return n == uint64(position) },
		})
		for range 4 {
			r.right.receive("receive", 0, 16)
		}
		var want []outcome
		for i := range position {
			r.left.send(i, "x", deferred)
			want = append(want, outcome{i, success})
		}
		flags := deferred
		if position == 3 {
			flags = 0
		}
		r.left.outcomes()
		r.want(r.left.qp.NdkSend("refused", r.left.write("x"), flags), ndk.STATUS_INSUFFICIENT_RESOURCES)
		r.left.outcomes(want...)
	}
}

// DEF-05 for every other reason to refuse a post.
func TestAnyRefusalIndicates(t *testing.T) {
	for name, refused := range map[string]func(r *rig) ndk.Status{
		"flags":  func(r *rig) ndk.Status { return r.left.qp.NdkSend("x", nil, remoteRead) },
		"sge":    func(r *rig) ndk.Status { return r.left.qp.NdkSend("x", make([]ndk.Sge, 5), deferred) },
		"object": func(r *rig) ndk.Status { return r.left.qp.NdkInvalidate("x", nil, deferred) },
		"inline": func(r *rig) ndk.Status {
			return r.left.qp.NdkSend("x", r.left.sge(0, 65), ndk.NDK_OP_FLAG_INLINE)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Choose: only()})
			r.right.receive("receive", 0, 16)
			r.left.send("before", "x", deferred)
			r.left.outcomes()
			r.want(refused(r), ndk.STATUS_INVALID_PARAMETER)
			r.left.outcomes(outcome{"before", success})
		})
	}
}

// POST-06: the queues take as many requests as they are deep. DEF-05 holds for a full queue too.
func TestQueueFull(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	for i := range testDepth {
		r.left.send(i, "x", deferred)
	}
	r.want(r.left.qp.NdkSend("full", r.left.write("x"), deferred), ndk.STATUS_INSUFFICIENT_RESOURCES)
	for i := range testDepth {
		r.right.receive(i, 0, 16)
	}
	r.settle()
	r.left.hold(testDepth)

	for i := range testDepth {
		r.left.receive(i, 0, 16)
	}
	r.want(r.left.qp.NdkReceive("full", nil), ndk.STATUS_INSUFFICIENT_RESOURCES)
}

// FLUSH-01, FLUSH-02, RES-08: every pending request of both queues completes with STATUS_CANCELLED, deferred and silent
// ones too. FLUSH-04: the other QP keeps working with its own.
func TestFlush(t *testing.T) {
	for _, choose := range []func(May) bool{only(), only(ExecuteAhead), only(InitiatorQueueFirst)} {
		r := newRig(t, Options{Choose: choose})
		r.left.send(0, "x", 0)
		r.left.send(1, "x", silent)
		r.left.send(2, "x", silent|deferred)
		r.right.receive("kept", 0, 16)
		r.right.outcomes(outcome{"kept", success})
		r.left.outcomes(outcome{0, success})
		r.left.qp.NdkFlush()
		r.left.outcomes(outcome{1, ndk.STATUS_CANCELLED}, outcome{2, ndk.STATUS_CANCELLED})
		r.right.receive("stays", 0, 16)
		r.right.outcomes()
		r.right.qp.NdkFlush()
		r.right.outcomes(outcome{"stays", ndk.STATUS_CANCELLED})
	}
}

// FLUSH-05, POST-08: what is posted on a broken QP is cancelled, or refused.
func TestPostWhenBroken(t *testing.T) {
	r := newRig(t, Options{Choose: only()})
	r.left.qp.NdkFlush()
	r.left.send(0, "x", deferred)
	r.left.outcomes()
	r.left.send(1, "x", 0)
	r.left.outcomes(outcome{0, ndk.STATUS_CANCELLED}, outcome{1, ndk.STATUS_CANCELLED})

	r = newRig(t, Options{Choose: only(RefuseWhenBroken)})
	r.left.qp.NdkFlush()
	r.want(r.left.qp.NdkSend(0, r.left.write("x"), 0), ndk.STATUS_CONNECTION_INVALID)
	r.left.outcomes()
}
