package refimpl

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ndkoracle/ndk"
)

const invalid = ndk.STATUS_INVALID_PARAMETER

// POST-08, LIFE-06: posts on a QP that is not connected, or closed.
func TestPostUnconnected(t *testing.T) {
	r := newRig(t, Options{})
	fresh := r.newQp(r.left.cq, r.left.cq)
	closed := r.newQp(r.left.cq, r.left.cq)
	r.want(closed.NdkCloseQp(nil), success)
	mw, status := r.pd.NdkCreateMw()
	r.want(status, success)
	mr, status := r.pd.NdkCreateMr(true)
	r.want(status, success)
	for _, qp := range []ndk.Qp{fresh, closed} {
		for name, got := range map[string]ndk.Status{
			"send":         qp.NdkSend(0, nil, 0),
			"invalidating": qp.NdkSendAndInvalidate(0, nil, 0, 1),
			"read":         qp.NdkRead(0, nil, 0, 0, 0),
			"write":        qp.NdkWrite(0, nil, 0, 0, 0),
			"fastRegister": qp.NdkFastRegister(0, mr, r.left.buffer, 0),
			"bind":         qp.NdkBind(0, r.left.mr, mw, r.left.buffer, 0),
			"invalidate":   qp.NdkInvalidate(0, mr, 0),
		} {
			if got != ndk.STATUS_CONNECTION_INVALID {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	r.want(fresh.NdkReceive("early", nil), success) // POST-09
	r.want(closed.NdkReceive("late", nil), ndk.STATUS_CONNECTION_INVALID)
	closed.NdkFlush() // it has nothing to say
	fresh.NdkFlush()
	r.want(r.adapter.NdkConnect(fresh, "x"), ndk.STATUS_CONNECTION_INVALID)
	r.want(r.adapter.NdkConnect(closed, "x"), ndk.STATUS_CONNECTION_INVALID)
	r.left.outcomes(outcome{"early", ndk.STATUS_CANCELLED})
}

// POST-11, A13: each request takes its flags and no others.
func TestWrongFlags(t *testing.T) {
	r := newRig(t, Options{})
	mr, status := r.pd.NdkCreateMr(true)
	r.want(status, success)
	const inline, readInvalidate = ndk.NDK_OP_FLAG_INLINE, ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE
	qp := r.left.qp
	for name, got := range map[string]ndk.Status{
		"send":         qp.NdkSend(0, nil, readInvalidate),
		"invalidating": qp.NdkSendAndInvalidate(0, nil, remoteRead, 1),
		"read":         qp.NdkRead(0, nil, 0, 0, inline),
		"write":        qp.NdkWrite(0, nil, 0, 0, solicit),
		"fastRegister": qp.NdkFastRegister(0, mr, r.left.buffer, inline),
		"bind":         qp.NdkBind(0, r.left.mr, nil, r.left.buffer, solicit),
		"invalidate":   qp.NdkInvalidate(0, mr, remoteWrite),
		"unknown":      qp.NdkSend(0, nil, 1<<31),
		"register":     must(r.pd.NdkCreateMr(false)).NdkRegisterMr(r.left.buffer, silent),
	} {
		if got != invalid {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func must[T any](value T, status ndk.Status) T {
	if status != success {
		panic(status)
	}
	return value
}

// Nil objects, objects of another adapter or PD, limits, and the wrong kind of Mr: RSZ-01, ADP-04, MEM-01, MEM-09, MEM-15,
// INV-07.
func TestWrongObjects(t *testing.T) {
	r, foreign := newRig(t, Options{}), newRig(t, Options{})
	attributes := ndk.QpAttributes{
		ReceiveCq: r.left.cq, InitiatorCq: r.left.cq, ReceiveQueueDepth: 1, InitiatorQueueDepth: 1,
	}
	createQp := func(change func(*ndk.QpAttributes)) ndk.Status {
		changed := attributes
		change(&changed)
		_, status := r.pd.NdkCreateQp(changed)
		return status
	}
	closedCq := must(r.adapter.NdkCreateCq(1, nil))
	r.want(closedCq.NdkCloseCq(nil), success)
	empty := must(r.pd.NdkCreateMr(false))
	fast := must(r.pd.NdkCreateMr(true))
	window := must(r.pd.NdkCreateMw())
	otherPd := must(must(r.adapter.NdkCreatePd()).NdkCreateMr(true))
	createCq := func(depth uint32, n ndk.CqNotification) ndk.Status {
		_, status := r.adapter.NdkCreateCq(depth, n)
		return status
	}
	qp, buffer := r.left.qp, r.left.buffer
	for name, got := range map[string]ndk.Status{
		"CQ of no depth":        createCq(0, nil),
		"CQ too deep":           createCq(r.adapter.NdkQueryAdapterInfo().MaxCqDepth+1, nil),
		"nil callback":          createCq(1, ndk.NdkCqNotificationCallback(nil)),
		"no receive CQ":         createQp(func(a *ndk.QpAttributes) { a.ReceiveCq = nil }),
		"no initiator CQ":       createQp(func(a *ndk.QpAttributes) { a.InitiatorCq = nil }),
		"foreign CQ":            createQp(func(a *ndk.QpAttributes) { a.InitiatorCq = foreign.left.cq }),
		"closed CQ":             createQp(func(a *ndk.QpAttributes) { a.ReceiveCq = closedCq }),
		"no receive depth":      createQp(func(a *ndk.QpAttributes) { a.ReceiveQueueDepth = 0 }),
		"no initiator depth":    createQp(func(a *ndk.QpAttributes) { a.InitiatorQueueDepth = 0 }),
		"receive too deep":      createQp(func(a *ndk.QpAttributes) { a.ReceiveQueueDepth = 1 << 31 }),
		"initiator too deep":    createQp(func(a *ndk.QpAttributes) { a.InitiatorQueueDepth = 1 << 31 }),
		"inline too large":      createQp(func(a *ndk.QpAttributes) { a.InlineDataSize = 1 << 31 }),
		"connect nil":           r.adapter.NdkConnect(nil, ""),
		"accept foreign":        r.adapter.NdkAccept(foreign.left.qp, ""),
		"register nothing":      qp.NdkFastRegister(0, fast, nil, 0),
		"register nil":          qp.NdkFastRegister(0, nil, buffer, 0),
		"register plain":        qp.NdkFastRegister(0, empty, buffer, 0),
		"register foreign":      qp.NdkFastRegister(0, foreign.left.mr, buffer, 0),
		"register in other PD":  qp.NdkFastRegister(0, otherPd, buffer, 0),
		"bind no window":        qp.NdkBind(0, r.left.mr, nil, buffer, 0),
		"bind no Mr":            qp.NdkBind(0, nil, window, buffer, 0),
		"bind nothing":          qp.NdkBind(0, r.left.mr, window, nil, 0),
		"invalidate nil":        qp.NdkInvalidate(0, nil, 0),
		"invalidate plain":      qp.NdkInvalidate(0, r.left.mr, 0),
		"invalidate foreign":    qp.NdkInvalidate(0, foreign.left.mr, 0),
		"invalidate unbound":    qp.NdkInvalidate(0, window, 0),
		"invalidate unused":     qp.NdkInvalidate(0, fast, 0),
		"register fast plainly": fast.NdkRegisterMr(buffer, 0),
		"register no bytes":     empty.NdkRegisterMr(nil, 0),
		"register twice":        r.left.mr.NdkRegisterMr(buffer, 0),
		"outside the region": qp.NdkSend(0,
			[]ndk.Sge{{Buffer: make([]byte, 8), MemoryRegionToken: r.left.token}}, 0),
		"receive outside": qp.NdkReceive(0, []ndk.Sge{{Buffer: make([]byte, 8), MemoryRegionToken: r.left.token}}),
		"too many SGEs":   qp.NdkReceive(0, make([]ndk.Sge, 5)),
	} {
		if got != invalid {
			t.Errorf("%s: %v", name, got)
		}
	}
	if token := empty.RemoteToken(); token != 0 {
		t.Errorf("token %d before registration", token)
	}
	r.left.outcomes()
}

// LIFE-06: everything closed twice, and used after its close.
func TestClosedTwice(t *testing.T) {
	r := newRig(t, Options{})
	pd := must(r.adapter.NdkCreatePd())
	cq := must(r.adapter.NdkCreateCq(1, r.left.notes))
	qp := must(pd.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: cq, InitiatorCq: cq, ReceiveQueueDepth: 1, InitiatorQueueDepth: 1,
	}))
	mr, mw := must(pd.NdkCreateMr(true)), must(pd.NdkCreateMw())
	for _, closeObject := range []func(ndk.NdkCloseCompletion) ndk.Status{
		qp.NdkCloseQp, mr.NdkCloseMr, mw.NdkCloseMw, cq.NdkCloseCq, pd.NdkClosePd,
	} {
		r.want(closeObject(nil), success)
		r.want(closeObject(func() { t.Error("completion of a refused close") }), invalid)
	}
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	if n := cq.NdkGetCqResultsEx(make([]ndk.ResultEx, 1)); n != 0 {
		t.Errorf("%d completions from a closed CQ", n)
	}
	if _, status := pd.NdkCreateMr(false); status != invalid {
		t.Errorf("Mr of a closed PD: %v", status)
	}
	if _, status := pd.NdkCreateMw(); status != invalid {
		t.Errorf("Mw of a closed PD: %v", status)
	}
	if _, status := pd.NdkCreateQp(ndk.QpAttributes{}); status != invalid {
		t.Errorf("QP of a closed PD: %v", status)
	}
	r.want(mr.NdkRegisterMr(r.left.buffer, 0), invalid)
	r.want(r.left.qp.NdkFastRegister(0, mr, r.left.buffer, 0), invalid)
	r.want(r.left.qp.NdkInvalidate(0, mw, 0), invalid)
	r.left.callbacks()
}

// ARM-13: an arm of no type, and a CQ without notification.
func TestArmWithoutEffect(t *testing.T) {
	r := newRig(t, Options{})
	r.right.cq.NdkArmCq(3)
	r.right.deliver(solicit)
	r.right.callbacks()
	cq := must(r.adapter.NdkCreateCq(1, nil))
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.want(cq.NdkCloseCq(nil), success)
}

// CONN-11, and the end of every wait: no counterpart in time, the QP flushed or closed while it waits, and an address
// taken by another.
func TestRendezvous(t *testing.T) {
	r := newRig(t, Options{ConnectTimeout: time.Millisecond})
	newQp := func() ndk.Qp { return r.newQp(r.left.cq, r.left.cq) }
	lonely := newQp()
	r.want(r.adapter.NdkConnect(lonely, "nobody"), ndk.STATUS_IO_TIMEOUT)
	r.want(r.adapter.NdkAccept(lonely, "nobody"), ndk.STATUS_IO_TIMEOUT)
	r.want(r.adapter.NdkConnect(r.left.qp, "nobody"), ndk.STATUS_CONNECTION_INVALID)

	r = newRig(t, Options{})
	waits := make(chan ndk.Status)
	for _, end := range []func(ndk.Qp) ndk.Status{
		func(qp ndk.Qp) ndk.Status { qp.NdkFlush(); return success },
		func(qp ndk.Qp) ndk.Status { return qp.NdkCloseQp(nil) },
	} {
		qp := newQp()
		go func() { waits <- r.adapter.NdkConnect(qp, "taken") }()
		awaitOffer(r, "taken")
		r.want(r.adapter.NdkConnect(qp, "else"), ndk.STATUS_CONNECTION_INVALID)
		r.want(r.adapter.NdkAccept(qp, "taken"), ndk.STATUS_CONNECTION_INVALID)
		r.want(r.adapter.NdkConnect(newQp(), "taken"), ndk.STATUS_ADDRESS_ALREADY_EXISTS)
		r.want(end(qp), success)
		r.want(<-waits, ndk.STATUS_CONNECTION_ABORTED)
	}
}

// POLL-01, POST-01, POST-02 broken: with overlapping polls, arms and posts each message still completes its receive once,
// and closing a QP in the midst of it hangs nothing.
func TestOverlappingCalls(t *testing.T) {
	r := newRig(t, Options{Seed: 5})
	var completed, accepted, sent atomic.Int64
	poll := func() {
		completed.Add(int64(r.right.cq.NdkGetCqResults(make([]ndk.Result, 4))))
		r.right.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	}
	post := func() {
		for range 100 {
			if r.right.qp.NdkReceive(0, r.right.sge(0, 16)) == success {
				accepted.Add(1)
			}
			if r.left.qp.NdkSend(0, r.left.sge(0, 8), silent) == success {
				sent.Add(1)
			}
			poll()
		}
	}
	together := func(calls ...func()) {
		var threads sync.WaitGroup
		for _, call := range calls {
			threads.Go(call)
		}
		threads.Wait()
		r.settle()
	}
	together(post, post, post, post)
	completed.Add(int64(len(r.right.drain())))
	if got, want := completed.Load(), min(accepted.Load(), sent.Load()); got != want || got == 0 {
		t.Errorf("%d completions of %d receives and %d sends", got, accepted.Load(), sent.Load())
	}
	var closes atomic.Int64
	closeBoth := func() {
		for _, s := range []*side{r.left, r.right} {
			if s.qp.NdkCloseQp(nil) != invalid {
				closes.Add(1)
			}
		}
	}
	together(post, closeBoth, post, closeBoth)
	if closes.Load() != 2 {
		t.Errorf("2 QPs closed %d times", closes.Load())
	}
}
