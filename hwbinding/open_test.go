//go:build linux && cgo && ibverbs

package hwbinding

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// These tests need an RDMA device with an active port; Soft-RoCE in a virtual machine will do.

// deviceRig is the provider on a real device, with two connected QPs and a CQ for each.
type deviceRig struct {
	Adapter
	verbsTrace *strings.Builder
	recorder   *trace.Recorder
	pd         ndk.Pd
	memory     []byte
	mr         ndk.Mr
	cq         [2]ndk.Cq
	qp         [2]ndk.Qp
	callbacks  [2]chan ndk.Status
}

func newDeviceRig(t *testing.T) *deviceRig {
	t.Helper()
	devices, err := Devices()
	if err != nil || len(devices) == 0 {
		t.Skipf("this machine has no RDMA device that libibverbs knows (%v)", err)
	}
	before := runtime.NumGoroutine()
	r := &deviceRig{verbsTrace: &strings.Builder{}, memory: make([]byte, 4096)}
	r.recorder, err = trace.NewRecorder(r.verbsTrace, trace.Header{
		Dialect: "verbs", Side: "provider", Producer: trace.Producer{Name: "hwbinding", Version: "1"},
	}, trace.Options{Block: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Adapter, err = Open(Options{VerbsTrace: r.recorder}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.NdkCloseAdapter()
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		if err := r.recorder.Close(true); err != nil {
			t.Error(err)
		}
		for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
			if time.Now().After(deadline) {
				t.Fatalf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	})
	must := func(status ndk.Status) {
		t.Helper()
		if status != ndk.STATUS_SUCCESS {
			t.Fatalf("%v (%v)", status, r.Err())
		}
	}
	var status ndk.Status
	r.pd, status = r.NdkCreatePd()
	must(status)
	r.mr, status = r.pd.NdkCreateMr(false)
	must(status)
	must(r.mr.NdkRegisterMr(r.memory, ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ|ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE))
	for n := range r.cq {
		callbacks := make(chan ndk.Status, 64)
		r.callbacks[n] = callbacks
		r.cq[n], status = r.NdkCreateCq(16, ndk.NdkCqNotificationCallback(func(_ ndk.Cq, s ndk.Status) { callbacks <- s }))
		must(status)
		r.qp[n], status = r.pd.NdkCreateQp(ndk.QpAttributes{
			ReceiveCq: r.cq[n], InitiatorCq: r.cq[n], ReceiveQueueDepth: 8, InitiatorQueueDepth: 8,
			MaxReceiveRequestSge: 1, MaxInitiatorRequestSge: 1, InlineDataSize: 16, QPContext: n,
		})
		must(status)
	}
	accepted := make(chan ndk.Status)
	go func() { accepted <- r.NdkAccept(r.qp[1], t.Name()) }()
	must(r.NdkConnect(r.qp[0], t.Name()))
	must(<-accepted)
	return r
}

func (r *deviceRig) part(offset, length int) []ndk.Sge {
	return []ndk.Sge{{Buffer: r.memory[offset : offset+length], MemoryRegionToken: r.mr.NdkGetLocalTokenFromMr()}}
}

func (r *deviceRig) rest(t *testing.T) {
	t.Helper()
	if !r.Quiesce(10 * time.Second) {
		t.Fatal("the provider did not come to rest within 10 s")
	}
	r.MarkQuiesce()
}

func (r *deviceRig) notified(t *testing.T, n int) {
	t.Helper()
	select {
	case status := <-r.callbacks[n]:
		if status != ndk.STATUS_SUCCESS {
			t.Errorf("CqStatus %v", status)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no callback within 10 s")
	}
}

// Messages arrive, registered and inline, and an armed CQ notifies (ARM-09); so does one armed afterwards (ARM-04).
func TestDeviceSendReceive(t *testing.T) {
	r := newDeviceRig(t)
	copy(r.memory, "hello")
	r.qp[1].NdkReceive("first", r.part(1000, 64))
	r.qp[1].NdkReceive("second", r.part(2000, 64))
	r.cq[1].NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	for _, status := range []ndk.Status{
		r.qp[0].NdkSend(nil, r.part(0, 5), ndk.NDK_OP_FLAG_DEFER|ndk.NDK_OP_FLAG_SILENT_SUCCESS),
		r.qp[0].NdkSend(nil, []ndk.Sge{{Buffer: []byte("world")}}, ndk.NDK_OP_FLAG_INLINE),
	} {
		if status != ndk.STATUS_SUCCESS {
			t.Fatal(status)
		}
	}
	r.notified(t, 1)
	r.rest(t)
	r.cq[0].NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	r.notified(t, 0)
	results := make([]ndk.ResultEx, 8)
	if n := r.cq[1].NdkGetCqResultsEx(results); n != 2 || results[0].RequestContext != "first" ||
		results[1].RequestContext != "second" || results[1].BytesTransferred != 5 || results[1].QPContext != 1 {
		t.Errorf("%d results: %+v", n, results[:n])
	}
	if n := r.cq[0].NdkGetCqResultsEx(results); n != 1 || results[0].Type != ndk.NdkOperationTypeSend {
		t.Errorf("%d results at the sender, want the one that is not silent (FLAG-01): %+v", n, results[:n])
	}
	if got := string(r.memory[1000:1005]) + string(r.memory[2000:2005]); got != "helloworld" {
		t.Errorf("received %q", got)
	}
}

// ARM-11: a CQ armed SOLICITED notifies of a flushed receive, though the device was armed solicited-only and may be
// silent.
func TestDeviceSolicitedFailure(t *testing.T) {
	r := newDeviceRig(t)
	r.qp[1].NdkReceive("r", r.part(0, 8))
	r.cq[1].NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	r.qp[1].NdkFlush()
	r.notified(t, 1)
	r.rest(t)
	results := make([]ndk.Result, 8)
	if n := r.cq[1].NdkGetCqResults(results); n != 1 || results[0].Status != ndk.STATUS_CANCELLED {
		t.Errorf("%d results: %+v", n, results[:n])
	}
	r.NdkCloseAdapter()
	if err := r.recorder.Close(true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"solicited_only":true`, `"status":"IBV_WC_WR_FLUSH_ERR"`, `"fn":"quiesce"`} {
		if !strings.Contains(r.verbsTrace.String(), want) {
			t.Errorf("the verbs trace lacks %s:\n%s", want, r.verbsTrace)
		}
	}
}

// NdkWrite and NdkRead reach the peer's memory through a window's token, until a message makes it invalid: the receive
// says which (RES-02, RES-03), and NdkInvalidate fails afterwards (POLL-08).
func TestDeviceWindow(t *testing.T) {
	r := newDeviceRig(t)
	if !r.NdkQueryAdapterInfo().Bind {
		t.Skip("the device has no memory windows of type 2")
	}
	w, status := r.pd.NdkCreateMw()
	if status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	window := r.memory[1024:2048]
	access := ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ | ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE
	post := func(statuses ...ndk.Status) {
		t.Helper()
		for _, status := range statuses {
			if status != ndk.STATUS_SUCCESS {
				t.Fatal(status)
			}
		}
		r.rest(t)
	}
	post(r.qp[1].NdkBind("bind", r.mr, w, window, access))
	token := w.RemoteToken()
	copy(r.memory, "written")
	post(r.qp[0].NdkWrite("write", r.part(0, 7), ndk.VirtualAddress(window), token, 0),
		r.qp[0].NdkRead("read", r.part(3000, 7), ndk.VirtualAddress(window), token, ndk.NDK_OP_FLAG_READ_FENCE))
	if string(window[:7]) != "written" || string(r.memory[3000:3007]) != "written" {
		t.Errorf("written %q, read %q", window[:7], r.memory[3000:3007])
	}
	post(r.qp[1].NdkReceive("receive", r.part(3500, 8)), r.qp[0].NdkSendAndInvalidate("send", r.part(0, 1), 0, token))
	results := make([]ndk.ResultEx, 8)
	n := r.cq[1].NdkGetCqResultsEx(results)
	if n != 2 || results[1].Type != ndk.NdkOperationTypeReceiveAndInvalidate ||
		results[1].TypeSpecificCompletionOutput != uint64(token) {
		t.Errorf("%d results: %+v", n, results[:n])
	}
	if status := r.qp[1].NdkInvalidate("again", w, 0); status.Success() {
		t.Error("a dead token was invalidated again")
	}
	post(r.qp[1].NdkBind("bind", r.mr, w, window, access), r.qp[1].NdkInvalidate("invalidate", w, 0))
	if n := r.cq[1].NdkGetCqResultsEx(results); n != 2 || results[1].Status != ndk.STATUS_SUCCESS {
		t.Errorf("%d results: %+v", n, results[:n])
	}
}

// Describe says on what the recording was made.
func TestDeviceDescribe(t *testing.T) {
	r := newDeviceRig(t)
	for _, key := range []string{"kernel", "driver", "device"} {
		if r.Describe()[key] == "" {
			t.Errorf("no %s in %v", key, r.Describe())
		}
	}
}

// A device that is not there is said plainly, with what would help.
func TestOpenMissing(t *testing.T) {
	_, err := Open(Options{Device: "no-such-device"})
	if err == nil || !strings.Contains(err.Error(), "RDMA device") {
		t.Errorf("Open: %v", err)
	}
	if text := missing("x1", []string{"rxe0"}).Error(); !strings.Contains(text, "x1") || !strings.Contains(text, "rxe0") {
		t.Errorf("a wrong name: %s", text)
	}
}
