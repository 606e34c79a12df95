package trace

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ndkoracle/ndk"
)

// recording is a fake provider that is being recorded.
type recording struct {
	t        *testing.T
	fake     *fakeAdapter
	adapter  ndk.Adapter
	recorder *Recorder
	main     *Thread
	file     bytes.Buffer
}

func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{t: t, fake: &fakeAdapter{qps: map[string]ndk.Qp{}}}
	var err error
	if r.recorder, err = NewRecorder(&r.file, testRecording, Options{Block: true}); err != nil {
		t.Fatal(err)
	}
	r.main = r.recorder.Thread("main")
	r.adapter = Record(r.fake, r.recorder, r.main)
	return r
}

// cqAndQp makes one of each: the consumer's contexts are "my qp" and whatever a post gives.
func (r *recording) cqAndQp(notification ndk.CqNotification) (ndk.Cq, ndk.Qp, ndk.Pd) {
	r.t.Helper()
	cq, _ := r.adapter.NdkCreateCq(16, notification)
	pd, _ := r.adapter.NdkCreatePd()
	qp, status := pd.NdkCreateQp(ndk.QpAttributes{ReceiveCq: cq, InitiatorCq: cq, QPContext: "my qp",
		ReceiveQueueDepth: 4, InitiatorQueueDepth: 5, InlineDataSize: 6})
	if status != ndk.STATUS_SUCCESS {
		r.t.Fatal(status)
	}
	return cq, qp, pd
}

var noise = regexp.MustCompile(`"(seq|t)":\d+,|"(thr|ph|op|fn|rec)":|[{}"]`)

// finish closes the recording, reads it back, and returns each event as text: thread, phase, op, function, arguments.
func (r *recording) finish() []string {
	r.t.Helper()
	if err := r.recorder.Close(true); err != nil {
		r.t.Fatal(err)
	}
	if _, err := Read("recorded", bytes.NewReader(r.file.Bytes()), 0); err != nil {
		r.t.Fatal(err)
	}
	lines := strings.Split(noise.ReplaceAllString(r.file.String(), ""), "\n")
	return lines[1 : len(lines)-2]
}

// expect compares the last lines of a recording.
func expect(t *testing.T, got []string, want string) {
	t.Helper()
	wanted := strings.Split(strings.TrimSpace(want), "\n")
	for i := range wanted {
		wanted[i] = strings.TrimSpace(wanted[i])
	}
	if len(got) > len(wanted) {
		got = got[len(got)-len(wanted):]
	}
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

// All objects, requests and closes are recorded under NDKPI's names with the arguments of the format.
func TestRecordEveryCall(t *testing.T) {
	r := newRecording(t)
	if info := r.adapter.NdkQueryAdapterInfo(); info.MaxCqDepth != 7 {
		t.Errorf("info %+v", info)
	}
	cq, qp, pd := r.cqAndQp(nil)
	mr, _ := pd.NdkCreateMr(true)
	mw, _ := pd.NdkCreateMw()
	buffer := make([]byte, 10)
	sgl := []ndk.Sge{{Buffer: buffer, MemoryRegionToken: 9}, {Buffer: buffer}}
	mr.NdkRegisterMr(buffer, ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE)
	mr.NdkGetLocalTokenFromMr()
	r.adapter.NdkAccept(qp, "here")
	qp.NdkReceive(1, sgl)
	qp.NdkSend(2, sgl, ndk.NDK_OP_FLAG_DEFER|ndk.NDK_OP_FLAG_SILENT_SUCCESS)
	qp.NdkSendAndInvalidate(3, nil, 0, 77)
	qp.NdkRead(4, sgl, 0, 5, ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE)
	qp.NdkWrite(5, sgl, 0, 5, 0)
	qp.NdkFastRegister(6, mr, buffer, 0)
	qp.NdkBind(7, mr, mw, buffer, 0)
	qp.NdkInvalidate(8, mr, 0)
	qp.NdkInvalidate(9, mw, 0)
	r.fake.refuse = ndk.STATUS_CONNECTION_INVALID
	qp.NdkBind(10, mr, mw, buffer, 0)
	mr.RemoteToken()
	mw.RemoteToken()
	qp.NdkFlush()
	qp.NdkCloseQp(nil)
	mw.NdkCloseMw(nil)
	mr.NdkCloseMr(nil)
	pd.NdkClosePd(nil)
	completed := false
	cq.NdkCloseCq(func() { completed = true })
	r.adapter.NdkCloseAdapter()
	if !completed {
		t.Error("the consumer's completion was not called")
	}
	expect(t, r.finish(), `
		main,call,1,NdkQueryAdapterInfo,adapter:adapter1
		main,ret,1,NdkQueryAdapterInfo
		main,call,3,NdkCreateCq,cq:cq1,depth:16,adapter:adapter1
		main,ret,3,NdkCreateCq,status:STATUS_SUCCESS
		main,call,5,NdkCreatePd,adapter:adapter1,pd:pd1
		main,ret,5,NdkCreatePd,status:STATUS_SUCCESS
		main,call,7,NdkCreateQp,qp:qp1,receive_cq:cq1,initiator_cq:cq1,receive_depth:4,initiator_depth:5,inline:6,pd:pd1
		main,ret,7,NdkCreateQp,status:STATUS_SUCCESS
		main,call,9,NdkCreateMr,mr:mr1,pd:pd1
		main,ret,9,NdkCreateMr,status:STATUS_SUCCESS
		main,call,11,NdkCreateMw,mw:mw1,pd:pd1
		main,ret,11,NdkCreateMw,status:STATUS_SUCCESS
		main,call,13,NdkRegisterMr,mr:mr1,flags:[ALLOW_LOCAL_WRITE],length:10
		main,ret,13,NdkRegisterMr,status:STATUS_SUCCESS
		main,call,15,NdkGetLocalTokenFromMr,mr:mr1
		main,ret,15,NdkGetLocalTokenFromMr,token:1
		main,call,17,NdkAccept,qp:qp1,conn:here
		main,ret,17,NdkAccept,status:STATUS_SUCCESS
		main,call,19,NdkReceive,qp:qp1,wr:w1,bytes:20
		main,ret,19,NdkReceive,status:STATUS_SUCCESS
		main,call,21,NdkSend,qp:qp1,wr:w2,flags:[SILENT_SUCCESS,DEFER],bytes:20
		main,ret,21,NdkSend,status:STATUS_SUCCESS
		main,call,23,NdkSendAndInvalidate,qp:qp1,wr:w3,token:77,bytes:0
		main,ret,23,NdkSendAndInvalidate,status:STATUS_SUCCESS
		main,call,25,NdkRead,qp:qp1,wr:w4,flags:[RDMA_READ_LOCAL_INVALIDATE],token:9,bytes:20
		main,ret,25,NdkRead,status:STATUS_SUCCESS
		main,call,27,NdkWrite,qp:qp1,wr:w5,bytes:20
		main,ret,27,NdkWrite,status:STATUS_SUCCESS
		main,call,29,NdkFastRegister,qp:qp1,mr:mr1,wr:w6,bytes:10
		main,ret,29,NdkFastRegister,token:16,status:STATUS_SUCCESS
		main,call,31,NdkBind,qp:qp1,mr:mr1,mw:mw1,wr:w7,bytes:10
		main,ret,31,NdkBind,token:32,status:STATUS_SUCCESS
		main,call,33,NdkInvalidate,qp:qp1,mr:mr1,wr:w8,token:16
		main,ret,33,NdkInvalidate,status:STATUS_SUCCESS
		main,call,35,NdkInvalidate,qp:qp1,mw:mw1,wr:w9,token:32
		main,ret,35,NdkInvalidate,status:STATUS_SUCCESS
		main,call,37,NdkBind,qp:qp1,mr:mr1,mw:mw1,wr:w10,bytes:10
		main,ret,37,NdkBind,status:STATUS_CONNECTION_INVALID
		main,call,39,NdkGetRemoteTokenFromMr,mr:mr1
		main,ret,39,NdkGetRemoteTokenFromMr,token:0
		main,call,41,NdkGetRemoteTokenFromMw,mw:mw1
		main,ret,41,NdkGetRemoteTokenFromMw,token:32
		main,call,43,NdkFlush,qp:qp1
		main,ret,43,NdkFlush
		main,call,45,NdkCloseQp,qp:qp1
		callback,enter,46,NdkCloseCompletion,for:45
		callback,exit,46,NdkCloseCompletion
		main,ret,45,NdkCloseQp,status:STATUS_PENDING
		main,call,49,NdkCloseMw,mw:mw1
		callback,enter,50,NdkCloseCompletion,for:49
		callback,exit,50,NdkCloseCompletion
		main,ret,49,NdkCloseMw,status:STATUS_PENDING
		main,call,53,NdkCloseMr,mr:mr1
		callback,enter,54,NdkCloseCompletion,for:53
		callback,exit,54,NdkCloseCompletion
		main,ret,53,NdkCloseMr,status:STATUS_PENDING
		main,call,57,NdkClosePd,pd:pd1
		callback,enter,58,NdkCloseCompletion,for:57
		callback,exit,58,NdkCloseCompletion
		main,ret,57,NdkClosePd,status:STATUS_PENDING
		main,call,61,NdkCloseCq,cq:cq1
		callback,enter,62,NdkCloseCompletion,for:61
		callback,exit,62,NdkCloseCompletion
		main,ret,61,NdkCloseCq,status:STATUS_PENDING
		main,call,65,NdkCloseAdapter,adapter:adapter1
		main,ret,65,NdkCloseAdapter`)
}

// A callback is recorded on a thread of its own, nested where it ran, and so are the calls that it makes through the Cq
// it is given. The consumer gets its own contexts back.
func TestRecordCallback(t *testing.T) {
	r := newRecording(t)
	var got []ndk.Result
	_, qp, _ := r.cqAndQp(ndk.NdkCqNotificationCallback(func(cq ndk.Cq, status ndk.Status) {
		results := make([]ndk.Result, 4)
		got = append(got, results[:cq.NdkGetCqResults(results)]...)
		cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_SOLICITED)
	}))
	qp.NdkSend("silent", nil, 0)
	r.adapter.NdkAccept(qp, "x")
	cqOf(qp).NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	qp.NdkReceive("received", nil)
	want := []ndk.Result{{QPContext: "my qp", RequestContext: "silent", BytesTransferred: 3},
		{QPContext: "my qp", RequestContext: "received", BytesTransferred: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("consumer got %+v, want %+v", got, want)
	}
	expect(t, r.finish(), `
		main,call,11,NdkReceive,qp:qp1,wr:w2,bytes:0
		callback,enter,12,NdkCqNotificationCallback,cq:cq1,status:STATUS_SUCCESS
		callback,call,13,NdkGetCqResults,cq:cq1,n:4
		callback,ret,13,NdkGetCqResults,results:[wr:w1,qp:qp1,status:STATUS_SUCCESS,wr:w2,qp:qp1,status:STATUS_SUCCESS,bytes:3]
		callback,call,15,NdkArmCq,cq:cq1,type:SOLICITED
		callback,ret,15,NdkArmCq
		callback,exit,12,NdkCqNotificationCallback
		main,ret,11,NdkReceive,status:STATUS_SUCCESS`)
}

// cqOf arms behind the recorder's back, so that the test's lines are few.
func cqOf(qp ndk.Qp) ndk.Cq { return qp.(qpView).inner.(*fakeQp).cq }

// Callbacks that a faulty provider lets overlap (ARM-06) are recorded as they are, on a thread each.
func TestRecordOverlappingCallbacks(t *testing.T) {
	r := newRecording(t)
	cq, qp, _ := r.cqAndQp(ndk.NdkCqNotificationCallback(func(ndk.Cq, ndk.Status) {}))
	r.fake.overlapping = true
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	qp.NdkSend(1, nil, 0)
	qp.NdkSend(2, nil, 0)
	for _, callback := range r.fake.finish {
		callback()
	}
	expect(t, r.finish(), `
		main,call,9,NdkSend,qp:qp1,wr:w1,bytes:0
		callback,enter,10,NdkCqNotificationCallback,cq:cq1,status:STATUS_SUCCESS
		main,ret,9,NdkSend,status:STATUS_SUCCESS
		main,call,12,NdkSend,qp:qp1,wr:w2,bytes:0
		callback.2,enter,13,NdkCqNotificationCallback,cq:cq1,status:STATUS_SUCCESS
		main,ret,12,NdkSend,status:STATUS_SUCCESS
		callback,exit,10,NdkCqNotificationCallback
		callback.2,exit,13,NdkCqNotificationCallback`)
}

// NdkGetCqResultsEx tells more of a completion; what it does not define is not recorded.
func TestRecordResultsEx(t *testing.T) {
	r := newRecording(t)
	cq, qp, _ := r.cqAndQp(nil)
	qp.NdkReceive(1, nil)
	inner := cq.(cqView).inner.(*fakeCq)
	inner.results[0].Type = ndk.NdkOperationTypeReceiveAndInvalidate
	inner.results[0].TypeSpecificCompletionOutput = 0xAB
	qp.NdkSend(2, nil, 0)
	inner.results[1].Status, inner.results[1].ProviderErrorCode = ndk.STATUS_CANCELLED, 5
	inner.results[1].TypeSpecificCompletionOutput = 0xCD
	results := make([]ndk.ResultEx, 3)
	if n := cq.NdkGetCqResultsEx(results); n != 2 || results[1].RequestContext != 2 || results[1].ProviderErrorCode != 5 {
		t.Errorf("consumer got %d: %+v", n, results)
	}
	cq.NdkGetCqResultsEx(results)
	expect(t, r.finish(), `
		main,call,11,NdkGetCqResultsEx,cq:cq1,n:3
		main,ret,11,NdkGetCqResultsEx,results:[`+
		`wr:w1,qp:qp1,status:STATUS_SUCCESS,bytes:3,type:ReceiveAndInvalidate,token:171,`+
		`wr:w2,qp:qp1,status:STATUS_CANCELLED,type:Send,provider_error:5]
		main,call,13,NdkGetCqResultsEx,cq:cq1,n:3
		main,ret,13,NdkGetCqResultsEx,results:[]`)
}

// Contexts that the provider invented or used twice are recorded for what they are, and reach the consumer.
func TestRecordUnknownContexts(t *testing.T) {
	r := newRecording(t)
	cq, qp, _ := r.cqAndQp(nil)
	qp.NdkSend("mine", nil, 0)
	inner := cq.(cqView).inner.(*fakeCq)
	inner.results = append(inner.results, inner.results[0], ndk.ResultEx{Result: ndk.Result{RequestContext: 42}})
	results := make([]ndk.Result, 8)
	n := cq.NdkGetCqResults(results)
	got := fmt.Sprintln(n, results[0].RequestContext, results[1].RequestContext, results[2].RequestContext, results[2].QPContext)
	if want := "3 mine mine 42 <nil>\n"; got != want {
		t.Errorf("consumer got %s, want %s", got, want)
	}
	expect(t, r.finish(), `
		main,ret,9,NdkGetCqResults,results:[wr:w1,qp:qp1,status:STATUS_SUCCESS,wr:w1,qp:qp1,status:STATUS_SUCCESS,wr:?1,qp:?2,status:STATUS_SUCCESS]`)
}

// Objects that are not of this recording go to the provider as they are, and a failed create gives none.
func TestRecordForeignObjects(t *testing.T) {
	r := newRecording(t)
	_, qp, pd := r.cqAndQp(nil)
	if cq, status := r.adapter.NdkCreateCq(0, nil); cq != nil || status != ndk.STATUS_INVALID_PARAMETER {
		t.Errorf("created %v, %v", cq, status)
	}
	if qp, status := pd.NdkCreateQp(ndk.QpAttributes{}); qp != nil || status != ndk.STATUS_INVALID_PARAMETER {
		t.Errorf("created %v, %v", qp, status)
	}
	qp.NdkInvalidate(1, nil, 0)
	qp.NdkInvalidate(2, &fakeMr{token: 3}, 0)
	expect(t, r.finish(), `
		main,call,7,NdkCreateCq,cq:cq2,depth:0,adapter:adapter1
		main,ret,7,NdkCreateCq,status:STATUS_INVALID_PARAMETER
		main,call,9,NdkCreateQp,qp:qp2,receive_cq:?1,initiator_cq:?2,receive_depth:0,initiator_depth:0,inline:0,pd:pd1
		main,ret,9,NdkCreateQp,status:STATUS_INVALID_PARAMETER
		main,call,11,NdkInvalidate,qp:qp1,mr:?3,wr:w1
		main,ret,11,NdkInvalidate,status:STATUS_INVALID_PARAMETER
		main,call,13,NdkInvalidate,qp:qp1,mr:?4,wr:w2,token:3
		main,ret,13,NdkInvalidate,status:STATUS_SUCCESS`)
}

// The k-th connect and the k-th accept of an address are one connection; one that failed leaves its place to the next.
func TestRecordConnections(t *testing.T) {
	r := newRecording(t)
	cq, _, pd := r.cqAndQp(nil)
	qps := make([]ndk.Qp, 7)
	for i := range qps {
		qps[i], _ = pd.NdkCreateQp(ndk.QpAttributes{ReceiveCq: cq, InitiatorCq: cq})
	}
	r.adapter.NdkAccept(qps[0], "a")
	r.fake.unjoined = true
	r.adapter.NdkConnect(qps[1], "a")
	r.fake.unjoined = false
	r.adapter.NdkConnect(qps[1], "a")
	r.adapter.NdkConnect(qps[2], "a")
	r.adapter.NdkAccept(qps[3], "a")
	r.adapter.NdkAccept(qps[4], "")
	r.adapter.NdkAccept(qps[5], "a\n")
	r.adapter.NdkAccept(qps[6], "a#2")
	if r.fake.qps["a\n"] == nil {
		t.Error("the provider got another address")
	}
	var conns []string
	for _, line := range r.finish() {
		if _, conn, ok := strings.Cut(line, "conn:"); ok {
			conns = append(conns, conn)
		}
	}
	if want := []string{"a", "a", "a", "a#2", "a#2", "?", "a?", "a#2#2"}; !reflect.DeepEqual(conns, want) {
		t.Errorf("conns %q, want %q", conns, want)
	}
}

// On gives a view whose calls are recorded on another thread; passing any view of an object passes the object.
func TestOn(t *testing.T) {
	r := newRecording(t)
	other := r.recorder.Thread("other")
	cq, qp, pd := r.cqAndQp(nil)
	mr, _ := pd.NdkCreateMr(true)
	mw, _ := pd.NdkCreateMw()
	On(other, qp).NdkBind(1, On(other, mr), On(other, mw), nil, 0)
	On(other, cq).NdkArmCq(ndk.NDK_CQ_NOTIFY_ERRORS)
	On(other, r.adapter).NdkAccept(On(other, qp), "x")
	if _, status := On(other, pd).NdkCreateQp(ndk.QpAttributes{ReceiveCq: On(other, cq), InitiatorCq: cq}); status != ndk.STATUS_SUCCESS {
		t.Error(status)
	}
	On[ndk.MrOrMw](other, mr).RemoteToken()
	if On(nil, cq) != cq || On(r.main, cq) != cq || On(other, On(r.main, cq)) != On(other, cq) {
		t.Error("views of one object on one thread differ")
	}
	plain := ndk.Cq(&fakeCq{})
	if On(other, plain) != plain || On(other, 7) != 7 {
		t.Error("what is not recorded was changed")
	}
	expect(t, r.finish(), `
		other,call,11,NdkBind,qp:qp1,mr:mr1,mw:mw1,wr:w1,bytes:0
		other,ret,11,NdkBind,token:32,status:STATUS_SUCCESS
		other,call,13,NdkArmCq,cq:cq1,type:ERRORS
		other,ret,13,NdkArmCq
		other,call,15,NdkAccept,qp:qp1,conn:x
		other,ret,15,NdkAccept,status:STATUS_SUCCESS
		other,call,17,NdkCreateQp,qp:qp2,receive_cq:cq1,initiator_cq:cq1,receive_depth:0,initiator_depth:0,inline:0,pd:pd1
		other,ret,17,NdkCreateQp,status:STATUS_SUCCESS
		other,call,19,NdkGetRemoteTokenFromMr,mr:mr1
		other,ret,19,NdkGetRemoteTokenFromMr,token:0`)
}
