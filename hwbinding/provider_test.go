package hwbinding

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

const deferred = ndk.NDK_OP_FLAG_DEFER

func expectOutcomes(t *testing.T, got []outcome, want ...outcome) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("completions %v, want %v", got, want)
	}
}

func expectCallback(t *testing.T, r *rig, want ndk.Status) {
	t.Helper()
	select {
	case got := <-r.callbacks:
		if got != want {
			t.Errorf("CqStatus %v, want %v", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no callback within 10 s")
	}
}

// ARM-11 on a device that makes no event for a failed completion when it is armed solicited-only: the device is armed so
// all the same, and the callback comes.
func TestSolicitedArmFindsFailure(t *testing.T) {
	r := newRig(t, 8)
	r.send(t, "s", 0, ndk.STATUS_SUCCESS)
	r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(0).lists[0][0].WRID, Status: verbs.IBV_WC_RETRY_EXC_ERR, VendorErr: 7})
	expectCallback(t, r, ndk.STATUS_SUCCESS)
	if !slices.Equal(r.fakeCQ().arms, []bool{true}) {
		t.Errorf("the device was armed (solicited-only?) %v, want once, solicited-only", r.fakeCQ().arms)
	}
	expectOutcomes(t, r.poll(), outcome{"s", ndk.STATUS_IO_TIMEOUT})
}

// ARM-12 and ARM-10: of two receives the one whose sender asked for an event satisfies a SOLICITED arm, although their
// completions look the same.
func TestSolicitedArmIgnoresUnsolicited(t *testing.T) {
	r := newRig(t, 8)
	r.b.NdkReceive("r1", nil)
	r.b.NdkReceive("r2", nil)
	r.send(t, "s1", 0, ndk.STATUS_SUCCESS)
	r.send(t, "s2", ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT, ndk.STATUS_SUCCESS)
	receives := r.fakeQP(1).receives
	r.fakeCQ().complete(verbs.WC{WRID: receives[0].WRID, Opcode: verbs.IBV_WC_RECV})
	r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED) // looks, and finds r1
	if n := len(r.callbacks); n != 0 {
		t.Errorf("%d callbacks for an unsolicited receive", n)
	}
	r.fakeCQ().complete(verbs.WC{WRID: receives[1].WRID, Opcode: verbs.IBV_WC_RECV})
	expectCallback(t, r, ndk.STATUS_SUCCESS)
	expectOutcomes(t, r.poll(), outcome{"r1", ndk.STATUS_SUCCESS}, outcome{"r2", ndk.STATUS_SUCCESS})
}

// DEF-02 and DEF-05: a chain is one list, which an inline failure posts too.
func TestChain(t *testing.T) {
	r := newRig(t, 8)
	r.send(t, 1, deferred, ndk.STATUS_SUCCESS)
	r.send(t, 2, deferred, ndk.STATUS_SUCCESS)
	if n := len(r.fakeQP(0).lists); n != 0 {
		t.Fatalf("%d lists were posted before the chain ended", n)
	}
	r.send(t, 3, 0, ndk.STATUS_SUCCESS)
	r.send(t, 4, deferred, ndk.STATUS_SUCCESS)
	r.send(t, 5, ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ, ndk.STATUS_INVALID_PARAMETER)
	lists := r.fakeQP(0).lists
	if len(lists) != 2 || len(lists[0]) != 3 || len(lists[1]) != 1 {
		t.Errorf("lists %v, want one of 3 and one of 1", lists)
	}
}

// A request that was accepted and that the device refuses afterwards completes in its place, and those behind it are
// cancelled; the call at hand is refused and does not complete (DEF-03, DEF-04, POLL-09).
func TestDeviceRefusesChain(t *testing.T) {
	r := newRig(t, 8)
	r.fakeQP(0).refuse, r.fakeQP(0).refusing = 1, true
	for n := 1; n <= 3; n++ {
		r.send(t, n, deferred, ndk.STATUS_SUCCESS)
	}
	r.send(t, 4, 0, ndk.STATUS_INSUFFICIENT_RESOURCES)
	expectOutcomes(t, r.poll())
	if r.fakeQP(0).errors != 1 {
		t.Errorf("the QP was moved to its error state %d times, want once", r.fakeQP(0).errors)
	}
	r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(0).lists[0][0].WRID})
	expectOutcomes(t, r.poll(), outcome{1, ndk.STATUS_SUCCESS},
		outcome{2, ndk.STATUS_INSUFFICIENT_RESOURCES}, outcome{3, ndk.STATUS_CANCELLED})
	r.send(t, 5, 0, ndk.STATUS_CONNECTION_INVALID)
}

// The same where the device refuses the request of the call at hand: that is an inline failure, and the QP lives on.
func TestDeviceRefusesLast(t *testing.T) {
	r := newRig(t, 8)
	r.fakeQP(0).refuse, r.fakeQP(0).refusing = 1, true
	r.send(t, 1, deferred, ndk.STATUS_SUCCESS)
	r.send(t, 2, 0, ndk.STATUS_INSUFFICIENT_RESOURCES)
	r.send(t, 3, 0, ndk.STATUS_SUCCESS)
	for _, list := range r.fakeQP(0).lists {
		r.fakeCQ().complete(verbs.WC{WRID: list[0].WRID})
	}
	expectOutcomes(t, r.poll(), outcome{1, ndk.STATUS_SUCCESS}, outcome{3, ndk.STATUS_SUCCESS})
}

// NdkFlush cancels deferred requests and what the device flushes; a marker tells when silent ones are done (FLUSH-02).
func TestFlush(t *testing.T) {
	r := newRig(t, 8)
	r.b.NdkReceive("r", nil)
	r.send(t, 1, ndk.NDK_OP_FLAG_SILENT_SUCCESS, ndk.STATUS_SUCCESS)
	r.send(t, 2, deferred, ndk.STATUS_SUCCESS)
	r.a.NdkFlush()
	expectOutcomes(t, r.poll())
	lists := r.fakeQP(0).lists
	if len(lists) != 2 {
		t.Fatalf("lists %v, want the silent send and a marker", lists)
	}
	r.fakeCQ().complete(verbs.WC{WRID: lists[1][0].WRID, Status: verbs.IBV_WC_WR_FLUSH_ERR})
	expectOutcomes(t, r.poll(), outcome{2, ndk.STATUS_CANCELLED})
	if status := r.a.NdkReceive("late", nil); status != ndk.STATUS_SUCCESS {
		t.Errorf("a receive on a flushed QP: %v", status)
	}
	expectOutcomes(t, r.poll(), outcome{"late", ndk.STATUS_CANCELLED})
	if n := len(r.fakeQP(0).receives); n != 0 {
		t.Errorf("%d receives went to a device that may forget them", n)
	}
}

// The request that fails first fails, though the device calls it flushed (RES-10).
func TestUnexplainedFlush(t *testing.T) {
	r := newRig(t, 8)
	r.a.NdkReceive("r", nil)
	r.send(t, 1, 0, ndk.STATUS_SUCCESS)
	r.send(t, 2, 0, ndk.STATUS_SUCCESS)
	r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(0).receives[0].WRID, Status: verbs.IBV_WC_WR_FLUSH_ERR})
	for _, list := range r.fakeQP(0).lists {
		r.fakeCQ().complete(verbs.WC{WRID: list[0].WRID, Status: verbs.IBV_WC_WR_FLUSH_ERR})
	}
	expectOutcomes(t, r.poll(), outcome{"r", ndk.STATUS_CANCELLED},
		outcome{1, ndk.STATUS_INTERNAL_ERROR}, outcome{2, ndk.STATUS_CANCELLED})
}

// One completion more than the depth is an error of the CQ, which breaks its QPs (ARM-16, ARM-18).
func TestOverflow(t *testing.T) {
	r := newRig(t, 1)
	r.send(t, 1, 0, ndk.STATUS_SUCCESS)
	r.send(t, 2, 0, ndk.STATUS_SUCCESS)
	for _, list := range r.fakeQP(0).lists {
		r.fakeCQ().complete(verbs.WC{WRID: list[0].WRID})
	}
	r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ERRORS)
	expectCallback(t, r, ndk.STATUS_BUFFER_OVERFLOW)
	expectOutcomes(t, r.poll(), outcome{1, ndk.STATUS_SUCCESS})
	r.send(t, 3, 0, ndk.STATUS_CONNECTION_INVALID)
}

// A device that disappears is an internal error of every CQ; posts fail, closing works (ARM-17, ARM-18).
func TestDeviceFatal(t *testing.T) {
	r := newRig(t, 8)
	r.send(t, 1, 0, ndk.STATUS_SUCCESS)
	r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ERRORS)
	r.device.async <- verbs.AsyncEvent{Type: verbs.IBV_EVENT_DEVICE_FATAL}
	expectCallback(t, r, ndk.STATUS_INTERNAL_ERROR)
	r.send(t, 2, 0, ndk.STATUS_CONNECTION_INVALID)
	if !r.Quiesce(10 * time.Second) {
		t.Error("the provider did not come to rest")
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "IBV_EVENT_DEVICE_FATAL") {
		t.Errorf("Err: %v", err)
	}
}

// A token is made invalid once: the device never hears of the second attempt, by message or by NdkInvalidate (POLL-08).
func TestTokenInvalidatedOnce(t *testing.T) {
	r := newRig(t, 8)
	buffer := make([]byte, 64)
	m, _ := r.pd.NdkCreateMr(false)
	if status := m.NdkRegisterMr(buffer, ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE); status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	w, _ := r.pd.NdkCreateMw()
	if status := r.b.NdkBind("bind", m, w, buffer, ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE); status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(1).lists[0][0].WRID})
	r.b.NdkReceive("r", nil)
	for range 2 {
		if status := r.a.NdkSendAndInvalidate("s", nil, 0, w.RemoteToken()); status != ndk.STATUS_SUCCESS {
			t.Fatal(status)
		}
	}
	lists := r.fakeQP(0).lists
	if lists[0][0].RKey != uint32(w.RemoteToken()) || lists[1][0].RKey != 0 {
		t.Errorf("tokens %#x and %#x, want %#x and 0", lists[0][0].RKey, lists[1][0].RKey, w.RemoteToken())
	}
	r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(1).receives[0].WRID, Opcode: verbs.IBV_WC_RECV})
	results := make([]ndk.ResultEx, 4)
	n := r.cq.NdkGetCqResultsEx(results)
	if n != 2 || results[1].Type != ndk.NdkOperationTypeReceiveAndInvalidate ||
		results[1].TypeSpecificCompletionOutput != uint64(w.RemoteToken()) {
		t.Errorf("%d results, the receive is %+v (RES-02, RES-03)", n, results[1])
	}
	if status := r.b.NdkInvalidate("i", w, 0); status != ndk.STATUS_ACCESS_VIOLATION {
		t.Errorf("NdkInvalidate of a dead token: %v", status)
	}
}

// Misuse gets a status: closing twice, posting after a close, objects of no provider, flags that no call accepts.
func TestMisuse(t *testing.T) {
	r := newRig(t, 8)
	idle, status := r.pd.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: r.cq, InitiatorCq: r.cq, ReceiveQueueDepth: 1, InitiatorQueueDepth: 1,
	})
	if status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	if status := r.cq.NdkCloseCq(nil); status != ndk.STATUS_PENDING {
		t.Errorf("closing a CQ that QPs use: %v (LIFE-04)", status)
	}
	_, noCq := r.pd.NdkCreateQp(ndk.QpAttributes{ReceiveQueueDepth: 1, InitiatorQueueDepth: 1})
	_, fast := r.pd.NdkCreateMr(true)
	_, deep := r.NdkCreateCq(1<<31, nil)
	closed := r.a.NdkCloseQp(nil)
	const noSendFlag = ndk.NDK_OP_FLAG_RDMA_READ_SINK
	tooMuch := []ndk.Sge{{Buffer: make([]byte, 17)}}
	for what, got := range map[string][2]ndk.Status{
		"a post on an idle QP (POST-08)":     {idle.NdkSend(nil, nil, 0), ndk.STATUS_CONNECTION_INVALID},
		"a receive on an idle QP (POST-09)":  {idle.NdkReceive(nil, nil), ndk.STATUS_SUCCESS},
		"closing a CQ twice":                 {r.cq.NdkCloseCq(nil), ndk.STATUS_INVALID_PARAMETER},
		"a QP without CQs":                   {noCq, ndk.STATUS_INVALID_PARAMETER},
		"fast registration":                  {fast, ndk.STATUS_NOT_SUPPORTED},
		"a CQ that is too deep (RSZ-01)":     {deep, ndk.STATUS_INVALID_PARAMETER},
		"closing a QP (LIFE-12)":             {closed, ndk.STATUS_SUCCESS},
		"closing a QP twice":                 {r.a.NdkCloseQp(nil), ndk.STATUS_INVALID_PARAMETER},
		"a post on a closed QP":              {r.a.NdkSend(nil, nil, 0), ndk.STATUS_CONNECTION_INVALID},
		"a receive on a closed QP":           {r.a.NdkReceive(nil, nil), ndk.STATUS_CONNECTION_INVALID},
		"binding nothing":                    {r.b.NdkBind(nil, nil, nil, nil, 0), ndk.STATUS_INVALID_PARAMETER},
		"invalidating nothing":               {r.b.NdkInvalidate(nil, nil, 0), ndk.STATUS_INVALID_PARAMETER},
		"connecting a QP twice":              {r.NdkConnect(r.b, "again"), ndk.STATUS_CONNECTION_INVALID},
		"connecting no QP":                   {r.NdkConnect(nil, "nobody"), ndk.STATUS_INVALID_PARAMETER},
		"a flag no send takes (POST-11)":     {r.b.NdkSend(nil, nil, noSendFlag), ndk.STATUS_INVALID_PARAMETER},
		"too much inline (FLAG-05)":          {r.b.NdkSend(nil, tooMuch, ndk.NDK_OP_FLAG_INLINE), ndk.STATUS_INVALID_PARAMETER},
		"more elements than asked (POST-07)": {r.b.NdkSend(nil, make([]ndk.Sge, 2), 0), ndk.STATUS_INVALID_PARAMETER},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v, want %v", what, got[0], got[1])
		}
	}
	r.cq.NdkArmCq(7)
	r.NdkCloseAdapter()
	r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	if n := r.cq.NdkGetCqResults(make([]ndk.Result, 1)); n != 0 {
		t.Errorf("a closed CQ gave %d results", n)
	}
}

// A CQ may be closed in its own callback: the close is pending, and completes after the callback (ARM-20, LIFE-08).
func TestCloseInCallback(t *testing.T) {
	r := newRig(t, 8)
	inside, completed := make(chan ndk.Status, 1), make(chan bool, 1)
	running := true
	var qp ndk.Qp
	cq, _ := r.NdkCreateCq(4, ndk.NdkCqNotificationCallback(func(cq ndk.Cq, _ ndk.Status) {
		qp.NdkCloseQp(nil) // which leaves nothing but the callback to wait for
		inside <- cq.NdkCloseCq(func() { completed <- running })
		running = false
	}))
	var status ndk.Status
	qp, status = r.pd.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: cq, InitiatorCq: cq, ReceiveQueueDepth: 1, InitiatorQueueDepth: 1,
	})
	if status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	qp.NdkReceive("r", nil)
	r.device.cqs[1].complete(verbs.WC{WRID: r.fakeQP(2).receives[0].WRID, Status: verbs.IBV_WC_WR_FLUSH_ERR})
	if status := <-inside; status != ndk.STATUS_PENDING {
		t.Fatalf("closing inside the callback: %v", status)
	}
	if <-completed {
		t.Error("the close completed while the callback ran")
	}
}

// Where memory can't be locked there is no adapter, but an error that says how to allow it.
func TestNoPermissionToLock(t *testing.T) {
	device := newFakeDevice()
	device.lockError = &verbs.Error{Call: "ibv_reg_mr", Errno: syscall.ENOMEM}
	_, err := newAdapter(device, Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "ulimit -l unlimited") || !device.closed {
		t.Errorf("error %v, device closed: %v", err, device.closed)
	}
}

// An event may come long after what it is for was polled: the provider is not at rest before (ARM-09). That of a failed
// completion which a device that is armed solicited-only does not make (ARM-11) is waited for once.
func TestQuiesceWaitsForEvents(t *testing.T) {
	for _, test := range []struct {
		name    string
		as      ndk.NotifyType
		of      verbs.WCStatus
		thenToo bool
	}{
		{"any", ndk.NDK_CQ_NOTIFY_ANY, verbs.IBV_WC_SUCCESS, true},
		{"failed", ndk.NDK_CQ_NOTIFY_SOLICITED, verbs.IBV_WC_RETRY_EXC_ERR, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, 8)
			r.fakeCQ().late = true
			for i, waits := range []bool{true, test.thenToo} {
				if status := []ndk.Qp{r.a, r.b}[i].NdkSend(i, nil, 0); status != ndk.STATUS_SUCCESS {
					t.Fatal(status)
				}
				r.cq.NdkArmCq(test.as)
				r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(i).lists[0][0].WRID, Status: test.of})
				r.poll()
				expectCallback(t, r, ndk.STATUS_SUCCESS)
				if r.restsAfter(2*grace) == waits {
					t.Errorf("completion %d: does it wait for the event? %v, want %v", i, !waits, waits)
				}
				if !r.restsAfter(2 * patience) {
					t.Errorf("completion %d: the event is waited for for ever", i)
				}
			}
		})
	}
}

// The same of a message: its event is waited for when the sender asked for one (ARM-10), and not otherwise (ARM-12).
func TestQuiesceWaitsForSolicitedEvent(t *testing.T) {
	for flags, waits := range map[ndk.OpFlags]bool{ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT: true, 0: false} {
		r := newRig(t, 8)
		r.fakeCQ().late = true
		r.b.NdkReceive("r", nil)
		r.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
		r.send(t, "s", flags, ndk.STATUS_SUCCESS)
		r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(1).receives[0].WRID})
		r.fakeCQ().complete(verbs.WC{WRID: r.fakeQP(0).lists[0][0].WRID})
		expectOutcomes(t, r.poll(), outcome{"r", ndk.STATUS_SUCCESS}, outcome{"s", ndk.STATUS_SUCCESS})
		if r.restsAfter(2*grace) == waits {
			t.Errorf("flags %v: does it wait for the event? %v, want %v", flags, !waits, waits)
		}
	}
}

// restsAfter says whether the provider is at rest when its callbacks have returned and the device has been silent so long.
func (r *rig) restsAfter(silence time.Duration) bool {
	q := r.cq.(*cq)
	for running := true; running; {
		r.lock()
		running = q.notifying
		r.progress = time.Now().Add(-silence)
		r.unlock()
	}
	return r.resting()
}
