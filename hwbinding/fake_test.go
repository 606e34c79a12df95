package hwbinding

import (
	"fmt"
	"sync"
	"syscall"
	"testing"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// fakeDevice is a device without hardware, for the faults that a real one can't be made to have. Requests complete when
// the test says so.
type fakeDevice struct {
	attributes verbs.DeviceAttr
	lockError  error // of RegMR

	mu       sync.Mutex
	cqs      []*fakeCQ
	qps      []*fakeQP
	marks    int
	keys     uint32
	async    chan verbs.AsyncEvent
	asyncEnd chan struct{}
	closed   bool
}

func newFakeDevice() *fakeDevice {
	return &fakeDevice{
		attributes: verbs.DeviceAttr{
			MaxCQE: 4096, MaxQPWR: 128, MaxSGE: 4, MaxQPRdAtom: 1, MemMgtExtensions: true, MemWindowType2: true,
		},
		async: make(chan verbs.AsyncEvent, 8), asyncEnd: make(chan struct{}),
	}
}

func (d *fakeDevice) QueryDevice() (verbs.DeviceAttr, error) { return d.attributes, nil }
func (d *fakeDevice) AllocPD() (devicePD, error)             { return fakePD{d}, nil }
func (d *fakeDevice) Quiesce()                               { d.marks++ }
func (d *fakeDevice) InterruptAsync()                        { close(d.asyncEnd) }

func (d *fakeDevice) Close() error {
	d.closed = true
	return nil
}

func (d *fakeDevice) GetAsyncEvent() (verbs.AsyncEvent, error) {
	select {
	case e := <-d.async:
		return e, nil
	case <-d.asyncEnd:
		return verbs.AsyncEvent{}, &verbs.Error{Call: "ibv_get_async_event", Errno: syscall.EINTR}
	}
}

func (d *fakeDevice) CreateCQ(int) (deviceCQ, error) {
	q := &fakeCQ{device: d, events: make(chan struct{}, 64), end: make(chan struct{})}
	d.cqs = append(d.cqs, q)
	return q, nil
}

type fakePD struct{ device *fakeDevice }

func (p fakePD) RegMR([]byte, verbs.Access) (*verbs.MR, error) {
	p.device.keys++
	return &verbs.MR{LKey: p.device.keys, RKey: p.device.keys}, p.device.lockError
}
func (p fakePD) DeregMR(*verbs.MR) error { return nil }
func (p fakePD) AllocMW() (*verbs.MW, error) {
	p.device.keys++
	return &verbs.MW{RKey: p.device.keys << 8}, nil
}
func (p fakePD) DeallocMW(*verbs.MW) error { return nil }
func (p fakePD) Dealloc() error            { return nil }

func (p fakePD) CreateQP(send, recv deviceCQ, _ verbs.QPInitAttr) (deviceQP, error) {
	q := &fakeQP{device: p.device, send: send.(*fakeCQ), recv: recv.(*fakeCQ), name: fmt.Sprintf("qp%d", len(p.device.qps)+1)}
	p.device.qps = append(p.device.qps, q)
	return q, nil
}

// fakeCQ makes an event for a completion that was armed for, but, like Soft-RoCE, none for a failed one when it is armed
// solicited-only.
type fakeCQ struct {
	device *fakeDevice
	events chan struct{}
	end    chan struct{}
	queue  []verbs.WC
	armed  bool // for any
	late   bool // its events are under way, and do not arrive
	arms   []bool
}

func (q *fakeCQ) Name() string   { return "cq1" }
func (q *fakeCQ) AckEvents(int)  {}
func (q *fakeCQ) Interrupt()     { close(q.end) }
func (q *fakeCQ) Destroy() error { return nil }

func (q *fakeCQ) ReqNotify(solicitedOnly bool) error {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	q.armed = q.armed || !solicitedOnly
	q.arms = append(q.arms, solicitedOnly)
	return nil
}

func (q *fakeCQ) Poll(room []verbs.WC) (int, error) {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	n := copy(room, q.queue)
	q.queue = q.queue[n:]
	return n, nil
}

func (q *fakeCQ) GetCQEvent() error {
	select {
	case <-q.events:
		return nil
	case <-q.end:
		return &verbs.Error{Call: "ibv_get_cq_event", Errno: syscall.EINTR}
	}
}

func (q *fakeCQ) complete(wc verbs.WC) {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	q.queue = append(q.queue, wc)
	if q.armed {
		q.armed = false
		if !q.late {
			q.events <- struct{}{}
		}
	}
}

// fakeQP keeps what is posted. It refuses the request at index refuse of the next list, if that is not negative.
type fakeQP struct {
	device     *fakeDevice
	name       string
	send, recv *fakeCQ
	lists      [][]verbs.SendWR
	receives   []verbs.RecvWR
	refuse     int
	refusing   bool
	errors     int // moves to the error state
}

func (q *fakeQP) Name() string                             { return q.name }
func (q *fakeQP) ToInit(verbs.Access) error                { return nil }
func (q *fakeQP) Address() (verbs.Address, error)          { return verbs.Address{}, nil }
func (q *fakeQP) Connect(verbs.Address, string, int) error { return nil }
func (q *fakeQP) Destroy() error                           { return nil }
func (q *fakeQP) PostRecv(list []verbs.RecvWR) (int, error) {
	q.receives = append(q.receives, list...)
	return len(list), nil
}

func (q *fakeQP) ToError() error {
	q.errors++
	return nil
}

func (q *fakeQP) PostSend(list []verbs.SendWR) (int, error) {
	n, err := len(list), error(nil)
	if q.refusing && q.refuse < len(list) {
		q.refusing = false
		n, err = q.refuse, &verbs.Error{Call: "ibv_post_send", Errno: syscall.ENOMEM}
	}
	q.lists = append(q.lists, append([]verbs.SendWR{}, list[:n]...))
	return n, err
}

// rig is the provider on a fake device with two connected QPs that share one CQ.
type rig struct {
	*adapter
	device    *fakeDevice
	pd        ndk.Pd
	cq        ndk.Cq
	a, b      ndk.Qp
	callbacks chan ndk.Status
}

func newRig(t *testing.T, depth uint32) *rig {
	t.Helper()
	r := &rig{device: newFakeDevice(), callbacks: make(chan ndk.Status, 64)}
	var err error
	if r.adapter, err = newAdapter(r.device, Options{}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.NdkCloseAdapter()
		if !r.device.closed {
			t.Error("the device was left open")
		}
	})
	r.pd, _ = r.NdkCreatePd()
	notify := func(_ ndk.Cq, status ndk.Status) { r.callbacks <- status }
	r.cq, _ = r.NdkCreateCq(depth, ndk.NdkCqNotificationCallback(notify))
	for _, qp := range []*ndk.Qp{&r.a, &r.b} {
		var status ndk.Status
		*qp, status = r.pd.NdkCreateQp(ndk.QpAttributes{
			ReceiveCq: r.cq, InitiatorCq: r.cq, ReceiveQueueDepth: 8, InitiatorQueueDepth: 8,
			MaxReceiveRequestSge: 1, MaxInitiatorRequestSge: 1, InlineDataSize: 16,
		})
		if status != ndk.STATUS_SUCCESS {
			t.Fatal(status)
		}
	}
	accepted := make(chan ndk.Status)
	go func() { accepted <- r.NdkAccept(r.b, t.Name()) }()
	if status := r.NdkConnect(r.a, t.Name()); status != ndk.STATUS_SUCCESS || <-accepted != ndk.STATUS_SUCCESS {
		t.Fatalf("connecting: %v", status)
	}
	return r
}

func (r *rig) send(t *testing.T, context any, flags ndk.OpFlags, want ndk.Status) {
	t.Helper()
	if got := r.a.NdkSend(context, nil, flags); got != want {
		t.Errorf("NdkSend of %v: %v, want %v", context, got, want)
	}
}

func (r *rig) fakeQP(n int) *fakeQP { return r.device.qps[n] }
func (r *rig) fakeCQ() *fakeCQ      { return r.device.cqs[0] }

// outcome is what a consumer learns of a request.
type outcome struct {
	context any
	status  ndk.Status
}

func (r *rig) poll() []outcome {
	results := make([]ndk.ResultEx, 16)
	got := []outcome{}
	for _, result := range results[:r.cq.NdkGetCqResultsEx(results)] {
		got = append(got, outcome{result.RequestContext, result.Status})
	}
	return got
}
