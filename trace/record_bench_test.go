package trace

import (
	"io"
	"testing"
	"time"

	"ndkoracle/ndk"
)

// nothing is a provider of which every call does nothing, so that what is measured is the recorder.
type nothing struct {
	ndk.Adapter
	completion ndk.Result
}

type (
	nothingCq struct {
		ndk.Cq
		provider *nothing
	}
	nothingQp struct {
		ndk.Qp
		provider *nothing
	}
	nothingPd struct {
		ndk.Pd
		provider *nothing
	}
)

func (p *nothing) NdkCreateCq(uint32, ndk.CqNotification) (ndk.Cq, ndk.Status) {
	return nothingCq{provider: p}, ndk.STATUS_SUCCESS
}

func (p *nothing) NdkCreatePd() (ndk.Pd, ndk.Status) {
	return nothingPd{provider: p}, ndk.STATUS_SUCCESS
}

func (p nothingPd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	p.provider.completion.QPContext = attributes.QPContext
	return nothingQp{provider: p.provider}, ndk.STATUS_SUCCESS
}

func (nothingCq) NdkArmCq(ndk.NotifyType) {}

func (q nothingCq) NdkGetCqResults(results []ndk.Result) int {
	results[0] = q.provider.completion
	return 1
}

func (q nothingQp) NdkSend(context any, _ []ndk.Sge, _ ndk.OpFlags) ndk.Status {
	q.provider.completion.RequestContext = context
	return ndk.STATUS_SUCCESS
}

// hotPath makes the calls of which a recording is full: posts, arms, polls. They are six events.
func hotPath(cq ndk.Cq, qp ndk.Qp, results []ndk.Result) {
	qp.NdkSend(nil, nil, 0)
	cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	cq.NdkGetCqResults(results)
}

const hotPathEvents = 6

func hotObjects(adapter ndk.Adapter) (ndk.Cq, ndk.Qp) {
	cq, _ := adapter.NdkCreateCq(16, nil)
	pd, _ := adapter.NdkCreatePd()
	qp, _ := pd.NdkCreateQp(ndk.QpAttributes{ReceiveCq: cq, InitiatorCq: cq})
	return cq, qp
}

// Recording a provider's hot path takes no memory but that of the contexts, which are made many at once.
func TestHotPathAllocates(t *testing.T) {
	recorder, err := NewRecorder(io.Discard, testRecording, Options{Buffer: 64, Block: true})
	if err != nil {
		t.Fatal(err)
	}
	cq, qp := hotObjects(Record(&nothing{}, recorder, recorder.Thread("main")))
	results := make([]ndk.Result, 1)
	for range 200 {
		hotPath(cq, qp, results)
	}
	if n := testing.AllocsPerRun(10*slabLength, func() { hotPath(cq, qp, results) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := recorder.Close(true); err != nil {
		t.Fatal(err)
	}
}

// What recording adds to an event of the hot path, and what the calls take when it is switched off. Threads record in
// bursts that their buffers hold, and the best burst counts: it is the one that the machine left alone.
func BenchmarkHotPath(b *testing.B) {
	const rounds = 500
	recorder, err := NewRecorder(io.Discard, testRecording, Options{Buffer: rounds * hotPathEvents})
	if err != nil {
		b.Fatal(err)
	}
	thread := recorder.Thread("main")
	results := make([]ndk.Result, 1)
	burst := func(cq ndk.Cq, qp ndk.Qp) float64 {
		start := time.Now()
		for range rounds {
			hotPath(cq, qp, results)
		}
		return float64(time.Since(start).Nanoseconds()) / (rounds * hotPathEvents)
	}
	bare, bareQp := hotObjects(&nothing{})
	off, offQp := hotObjects(Record(&nothing{}, nil, nil))
	on, onQp := hotObjects(Record(&nothing{}, recorder, thread))
	best := [3]float64{1e9, 1e9, 1e9}
	for b.Loop() {
		best[0] = min(best[0], burst(bare, bareQp))
		best[1] = min(best[1], burst(off, offQp))
		best[2] = min(best[2], burst(on, onQp))
		for thread.head.Load() != thread.tail.Load() {
			time.Sleep(100 * time.Microsecond)
		}
	}
	if err := recorder.Close(true); err != nil {
		b.Fatal(err)
	}
	if n := recorder.dropped.Load(); n > 0 {
		b.Fatalf("%d events dropped", n)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[1]-best[0], "off-ns/event")
	b.ReportMetric(best[2]-best[0], "on-ns/event")
}
