package conformance

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ndkoracle/ndk"
)

// The consumer never has two polls or arms of one CQ under way (POLL-01), also where a provider takes its time over them.
func TestPollsAndArmsAreSerialised(t *testing.T) {
	for _, name := range []string{"threads", "callback-rearm", "mixed"} {
		s, _ := Find(name)
		var overlaps atomic.Int64
		slow := altered(func(a Adapter) Adapter { return slowAdapter{a, &overlaps} })
		for seed := uint64(1); seed <= 5; seed++ {
			if err := Record(t.Context(), s, slow, seed, testOps, io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		if n := overlaps.Load(); n > 0 {
			t.Errorf("%s: %d calls overlapped another one of their CQ", name, n)
		}
	}
}

// slowAdapter gives other goroutines their chance during each poll and arm, and counts those that overlap.
type slowAdapter struct {
	Adapter
	overlaps *atomic.Int64
}

func (a slowAdapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	cq, status := a.Adapter.NdkCreateCq(depth, notification)
	return &slowCq{Cq: cq, overlaps: a.overlaps}, status
}

func (a slowAdapter) NdkCreatePd() (ndk.Pd, ndk.Status) {
	pd, status := a.Adapter.NdkCreatePd()
	return slowPd{pd}, status
}

type slowPd struct{ ndk.Pd }

func (p slowPd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	attributes.InitiatorCq = attributes.InitiatorCq.(*slowCq).Cq
	attributes.ReceiveCq = attributes.ReceiveCq.(*slowCq).Cq
	return p.Pd.NdkCreateQp(attributes)
}

type slowCq struct {
	ndk.Cq
	mutex    sync.Mutex
	overlaps *atomic.Int64
}

func (c *slowCq) begin() (end func()) {
	if !c.mutex.TryLock() {
		c.overlaps.Add(1)
		return func() {}
	}
	for range 20 {
		runtime.Gosched()
	}
	return c.mutex.Unlock
}

func (c *slowCq) NdkArmCq(notifyType ndk.NotifyType) {
	defer c.begin()()
	c.Cq.NdkArmCq(notifyType)
}

func (c *slowCq) NdkGetCqResults(results []ndk.Result) int {
	defer c.begin()()
	return c.Cq.NdkGetCqResults(results)
}

func (c *slowCq) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	defer c.begin()()
	return c.Cq.NdkGetCqResultsEx(results)
}

// The buffer of a request with NDK_OP_FLAG_INLINE is used again as soon as the call has returned, so that a provider
// that still reads it sends something else (FLAG-07).
func TestInlineBufferIsUsedAgain(t *testing.T) {
	e := &endpoint{run: newRun(t.Context(), Scenario{}, Refimpl(), 1, 1), inline: inlineSize}
	for _, flags := range []ndk.OpFlags{0, ndk.NDK_OP_FLAG_INLINE} {
		var qp keepingQp
		e.send(&qp, flags)
		overwritten := true
		for i, b := range qp.buffer {
			overwritten = overwritten && b == 0 && qp.during[i] != 0
		}
		if inline := flags == ndk.NDK_OP_FLAG_INLINE; overwritten != inline {
			t.Errorf("flags %v: overwritten: %v", flags, overwritten)
		}
	}
}

// keepingQp keeps the buffer of the last send, and what was in it during the call.
type keepingQp struct {
	ndk.Qp
	buffer, during []byte
}

func (q *keepingQp) NdkSend(_ any, sgl []ndk.Sge, _ ndk.OpFlags) ndk.Status {
	q.buffer, q.during = sgl[0].Buffer, append([]byte(nil), sgl[0].Buffer...)
	return ndk.STATUS_SUCCESS
}
