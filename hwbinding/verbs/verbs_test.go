//go:build linux && cgo && ibverbs

package verbs

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ndkoracle/trace"
)

// These tests need an RDMA device with an active port; Soft-RoCE in a virtual machine will do.
func openTestDevice(t *testing.T, recorder *trace.Recorder) *Context {
	t.Helper()
	names, err := GetDeviceList()
	if err != nil || len(names) == 0 {
		t.Skipf("this machine has no RDMA device that libibverbs knows (%v)", err)
	}
	x, err := OpenDevice(names[0], recorder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, x.Close()) })
	return x
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pair is two QPs connected in loopback on one device. a's completions go to send, b's to recv.
type pair struct {
	x          *Context
	pd         *PD
	mr         *MR
	memory     []byte
	send, recv *CQ
	a, b       *QP
}

func newPair(t *testing.T, recorder *trace.Recorder) *pair {
	x := openTestDevice(t, recorder)
	p := &pair{x: x, memory: make([]byte, 4096)}
	var pinner runtime.Pinner
	pinner.Pin(&p.memory[0])
	t.Cleanup(pinner.Unpin)
	var err error
	p.pd, err = x.AllocPD()
	check(t, err)
	t.Cleanup(func() { check(t, p.pd.Dealloc()) })
	access := IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND
	p.mr, err = p.pd.RegMR(p.memory, access)
	check(t, err)
	t.Cleanup(func() { check(t, p.mr.Dereg()) })
	for _, cq := range []**CQ{&p.send, &p.recv} {
		*cq, err = x.CreateCQ(64)
		check(t, err)
		t.Cleanup(func() { check(t, (*cq).Destroy()) })
	}
	for _, qp := range []**QP{&p.a, &p.b} {
		*qp, err = p.pd.CreateQP(p.send, p.recv, QPInitAttr{
			MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: 16,
		})
		check(t, err)
		t.Cleanup(func() { check(t, (*qp).Destroy()) })
		check(t, (*qp).ToInit(IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ))
	}
	addressA, err := p.a.Address()
	check(t, err)
	addressB, err := p.b.Address()
	check(t, err)
	check(t, p.a.Connect(addressB, "conn1", 1))
	check(t, p.b.Connect(addressA, "conn1", 1))
	return p
}

// part returns a stretch of the pair's memory.
func (p *pair) part(offset, length int) []SGE {
	return []SGE{{Addr: address(p.memory) + uint64(offset), Length: uint32(length), LKey: p.mr.LKey}}
}

// completion polls until the CQ has a completion.
func completion(t *testing.T, cq *CQ) WC {
	t.Helper()
	var wc [1]WC
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		n, err := cq.Poll(wc[:])
		check(t, err)
		if n == 1 {
			return wc[0]
		}
	}
	t.Fatal("no completion within 10 s")
	return WC{}
}

func (p *pair) post(t *testing.T, requests ...SendWR) {
	t.Helper()
	if n, err := p.a.PostSend(requests); n != len(requests) || err != nil {
		t.Fatalf("%d of %d requests accepted: %v", n, len(requests), err)
	}
}

func (p *pair) receive(t *testing.T, id uint64, offset, length int) {
	t.Helper()
	_, err := p.b.PostRecv([]RecvWR{{WRID: id, SGList: p.part(offset, length)}})
	check(t, err)
}

// A chain of a send and an inline send arrives in order, and an event announces it.
func TestLoopback(t *testing.T) {
	p := newPair(t, nil)
	copy(p.memory, "first")
	p.receive(t, 1, 1000, 100)
	p.receive(t, 2, 2000, 100)
	check(t, p.recv.ReqNotify(false))
	inline := []byte("second")
	p.post(t,
		SendWR{WRID: 3, Opcode: IBV_WR_SEND, Flags: IBV_SEND_SIGNALED, SGList: p.part(0, 5)},
		SendWR{WRID: 4, Opcode: IBV_WR_SEND, Flags: IBV_SEND_SIGNALED | IBV_SEND_INLINE,
			SGList: []SGE{{Addr: address(inline), Length: 6}}})
	runtime.KeepAlive(inline)
	check(t, p.recv.GetCQEvent())
	p.recv.AckEvents(1)
	for _, want := range []struct {
		cq     *CQ
		id     uint64
		opcode WCOpcode
	}{{p.recv, 1, IBV_WC_RECV}, {p.recv, 2, IBV_WC_RECV}, {p.send, 3, IBV_WC_SEND}, {p.send, 4, IBV_WC_SEND}} {
		wc := completion(t, want.cq)
		if wc.WRID != want.id || wc.Status != IBV_WC_SUCCESS || wc.Opcode != want.opcode {
			t.Errorf("completion %+v, want w%d %v", wc, want.id, want.opcode)
		}
	}
	if got := string(p.memory[1000:1005]) + string(p.memory[2000:2006]); got != "firstsecond" {
		t.Errorf("received %q", got)
	}
}

// bad_wr: the requests before the refused one are accepted, it and those after it are not.
func TestBadWR(t *testing.T) {
	p := newPair(t, nil)
	p.receive(t, 1, 1000, 100)
	good := func(id uint64) SendWR {
		return SendWR{WRID: id, Opcode: IBV_WR_SEND, Flags: IBV_SEND_SIGNALED, SGList: p.part(0, 5)}
	}
	bad := good(3)
	bad.SGList = append(append(p.part(0, 1), p.part(1, 1)...), p.part(2, 1)...)
	for len(bad.SGList) < 64 {
		bad.SGList = append(bad.SGList, p.part(0, 1)...)
	}
	n, err := p.a.PostSend([]SendWR{good(2), bad, good(4)})
	if n != 1 || err == nil {
		t.Errorf("accepted %d, error %v; want 1 and an error", n, err)
	}
	if wc := completion(t, p.send); wc.WRID != 2 || wc.Status != IBV_WC_SUCCESS {
		t.Errorf("completion %+v, want success of w2", wc)
	}
}

// A window of type 2 gives remote access until its key is invalidated, by the peer or locally.
func TestMemoryWindow(t *testing.T) {
	p := newPair(t, nil)
	attr, err := p.x.QueryDevice()
	check(t, err)
	if !attr.MemWindowType2 || !attr.MemMgtExtensions {
		t.Skip("the device has no memory windows of type 2")
	}
	mw, err := p.pd.AllocMW()
	check(t, err)
	defer func() { check(t, mw.Dealloc()) }()
	next := uint64(100)
	// The window belongs to b, and a writes through it.
	onB := func(wr SendWR) WC {
		t.Helper()
		next++
		wr.WRID, wr.Flags = next, IBV_SEND_SIGNALED
		_, err := p.b.PostSend([]SendWR{wr})
		check(t, err)
		return completion(t, p.send)
	}
	bind := func() {
		t.Helper()
		wc := onB(SendWR{Opcode: IBV_WR_BIND_MW, Bind: BindMW{
			MW: mw, RKey: IncRKey(mw.RKey), MR: p.mr,
			Addr: address(p.memory) + 1024, Length: 1024, Access: IBV_ACCESS_REMOTE_WRITE,
		}})
		if wc.Status != IBV_WC_SUCCESS {
			t.Fatalf("bind: %v", wc.Status)
		}
	}
	write := func() WC {
		t.Helper()
		next++
		p.post(t, SendWR{WRID: next, Opcode: IBV_WR_RDMA_WRITE, Flags: IBV_SEND_SIGNALED,
			SGList: p.part(0, 8), RemoteAddr: address(p.memory) + 1500, RKey: mw.RKey})
		return completion(t, p.send)
	}
	bind()
	copy(p.memory, "windowed")
	if wc := write(); wc.Status != IBV_WC_SUCCESS || !bytes.Equal(p.memory[1500:1508], []byte("windowed")) {
		t.Fatalf("write through the window: %v, memory %q", wc.Status, p.memory[1500:1508])
	}
	p.receive(t, 1, 3000, 100)
	p.post(t, SendWR{WRID: 2, Opcode: IBV_WR_SEND_WITH_INV, Flags: IBV_SEND_SIGNALED, SGList: p.part(0, 8), RKey: mw.RKey})
	// Soft-RoCE does not say which key the send invalidated: the kernel's flag for it is another bit than the library's.
	wc := completion(t, p.recv)
	if wc.Status != IBV_WC_SUCCESS || wc.WithInv && wc.InvalidatedKey != mw.RKey {
		t.Fatalf("receive %+v, want success and no other key than %#x invalidated", wc, mw.RKey)
	}
	completion(t, p.send)
	bind() // works for an invalid window only
	if wc := onB(SendWR{Opcode: IBV_WR_LOCAL_INV, RKey: mw.RKey}); wc.Status != IBV_WC_SUCCESS {
		t.Fatalf("local invalidation: %v", wc.Status)
	}
	if wc := write(); wc.Status == IBV_WC_SUCCESS {
		t.Error("a write through an invalidated window succeeded")
	}
}

// Interrupt ends the waits for events, now and later, and the trace of all this is a good one.
func TestInterruptAndTrace(t *testing.T) {
	var file strings.Builder
	recorder, err := trace.NewRecorder(&file, trace.Header{
		Dialect: "verbs", Side: "provider", Producer: trace.Producer{Name: "verbs_test", Version: "1"},
	}, trace.Options{Block: true})
	check(t, err)
	p := newPair(t, recorder)
	ended := make(chan error, 2)
	go func() { ended <- p.send.GetCQEvent() }()
	go func() {
		_, err := p.x.GetAsyncEvent()
		for err == nil { // events of the port, which come when they come
			_, err = p.x.GetAsyncEvent()
		}
		ended <- err
	}()
	p.send.Interrupt()
	p.x.InterruptAsync()
	for range 2 {
		if err := <-ended; !errors.Is(err, syscall.EINTR) {
			t.Errorf("an interrupted wait returned %v, want EINTR", err)
		}
	}
	p.receive(t, 1, 1000, 10)
	check(t, p.recv.ReqNotify(true))
	p.post(t, SendWR{WRID: 2, Opcode: IBV_WR_SEND, Flags: IBV_SEND_SIGNALED | IBV_SEND_SOLICITED, SGList: p.part(0, 5)})
	check(t, p.recv.GetCQEvent())
	p.recv.AckEvents(1)
	completion(t, p.recv)
	p.x.Quiesce()
	check(t, recorder.Close(true))
	for _, want := range []string{
		`"fn":"ibv_create_cq","cq":"cq1","depth":64`,
		`"fn":"ibv_create_qp","qp":"qp1","recv_cq":"cq2","send_cq":"cq1","max_recv_wr":16,"max_send_wr":16,"sq_sig_all":false`,
		`"fn":"ibv_modify_qp","qp":"qp2","conn":"conn1","state":"RTR"`,
		`"fn":"ibv_post_recv","qp":"qp2","wrs":[{"wr":"w1","bytes":10}]`,
		`"fn":"ibv_post_send","qp":"qp1","wrs":[{"wr":"w2","opcode":"SEND","flags":["SIGNALED","SOLICITED"],"bytes":5}]`,
		`"fn":"ibv_req_notify_cq","cq":"cq2","solicited_only":true`,
		`"results":[{"wr":"w1","qp":"qp2","status":"IBV_WC_SUCCESS","bytes":5,"opcode":"RECV"}]`,
		`"fn":"ibv_get_cq_event","errno":"EINTR"`,
		`"fn":"ibv_get_cq_event","cq":"cq2"`,
		`"fn":"ibv_ack_cq_events","cq":"cq2","n":1`,
		`"ph":"point","fn":"quiesce"`,
	} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("the trace lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(file.String())
	}
}

// A device that is not there is an error that says so.
func TestOpenDeviceMissing(t *testing.T) {
	if _, err := OpenDevice("no-such-device", nil); err == nil || !strings.Contains(err.Error(), "ibv_") {
		t.Errorf("opening a missing device: %v", err)
	}
}
