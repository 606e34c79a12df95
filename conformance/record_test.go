package conformance

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// altered is the reference provider with one thing changed.
func altered(change func(Adapter) Adapter) Provider {
	p := Refimpl()
	open := p.Open
	p.Open = func(seed uint64, refuse func() bool) (Adapter, error) {
		adapter, err := open(seed, refuse)
		return change(adapter), err
	}
	return p
}

func TestRecordRefuses(t *testing.T) {
	chain, _ := Find("chain-inline-failure")
	invalidate, _ := Find("send-and-invalidate")
	none := Refimpl()
	none.Open = func(uint64, func() bool) (Adapter, error) { return nil, errors.New("no such device") }
	for _, test := range []struct {
		name     string
		scenario Scenario
		provider Provider
		ops      int
		want     string
	}{
		{"no request", chain, Refimpl(), 0, "at least 1 request"},
		{"no device", chain, none, 10, "no such device"},
		{"no remote invalidation", invalidate, altered(func(a Adapter) Adapter { return poor{a} }), 10,
			"NdkSendAndInvalidate: not supported by the adapter"},
		{"an error that no call reported", chain, altered(func(a Adapter) Adapter { return faulty{a} }), 10,
			"memory could not be locked"},
		{"no rest", chain, altered(func(a Adapter) Adapter { return restless{a} }), 10, "did not come to rest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Record(t.Context(), test.scenario, test.provider, 1, test.ops, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, which does not say %q", err, test.want)
			}
		})
	}
}

// poor has no remote invalidation.
type poor struct{ Adapter }

func (p poor) NdkQueryAdapterInfo() ndk.AdapterInfo {
	info := p.Adapter.NdkQueryAdapterInfo()
	info.RemoteInvalidate = false
	return info
}

// faulty had a failure that no call could report.
type faulty struct{ Adapter }

func (faulty) Err() error { return errors.New("memory could not be locked") }

// restless never comes to rest.
type restless struct{ Adapter }

func (restless) Quiesce(time.Duration) bool { return false }

// A trace of a run that could not go on can be read, and claims no rest.
func TestFailedRunLeavesATrace(t *testing.T) {
	s, _ := Find("chain-inline-failure")
	recorded, err := RecordTrace(t.Context(), s, altered(func(a Adapter) Adapter { return restless{a} }), 1, 10)
	if err == nil || recorded == nil {
		t.Fatalf("error %v, trace %t: want both", err, recorded != nil)
	}
	if recorded.End == nil || recorded.End.Quiescent {
		t.Errorf("the end is %+v: want one that is not quiescent", recorded.End)
	}
}

// A failing writer is reported, and does not stop the run from ending.
func TestUnwritableTraceIsReported(t *testing.T) {
	s, _ := Find("drain")
	err := Record(t.Context(), s, Refimpl(), 1, 200, failingWriter{})
	if !errors.Is(err, errFull) {
		t.Errorf("the error is %v, not that of the writer", err)
	}
}

var errFull = errors.New("disk full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// What an adapter tells of itself gets into the header, and its own trace is marked at each rest.
func TestOptionalMethods(t *testing.T) {
	s, _ := Find("flush")
	marks := 0
	p := altered(func(a Adapter) Adapter { return described{a, &marks} })
	recorded, err := RecordTrace(t.Context(), s, p, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := recorded.Header.Adapter; got["kernel"] != "6.12" || got["provider"] != "refimpl" {
		t.Errorf("the header says %v of the adapter", got)
	}
	n := 0
	for _, e := range recorded.Events {
		if e.Ph == trace.Point && e.Fn == "quiesce" {
			n++
		}
	}
	if marks != n || n == 0 {
		t.Errorf("%d marks in the adapter's own trace, %d in this one", marks, n)
	}
}

type described struct {
	Adapter
	marks *int
}

func (described) Describe() map[string]string { return map[string]string{"kernel": "6.12"} }

func (d described) MarkQuiesce() { *d.marks++ }

// Data is judged by the scenarios themselves: one byte changed on its way is an error, and the trace is there all the
// same.
func TestChangedDataIsAnError(t *testing.T) {
	s, _ := Find("threads")
	recorded, err := RecordTrace(t.Context(), s, altered(func(a Adapter) Adapter { return corrupting{a} }), 1, 20)
	if !errors.Is(err, ErrData) {
		t.Errorf("the error is %v, not ErrData", err)
	}
	if recorded == nil || recorded.End == nil || !recorded.End.Quiescent {
		t.Error("the run did not go on to its end")
	}
	if err := Record(t.Context(), s, Refimpl(), 1, 20, &bytes.Buffer{}); err != nil {
		t.Errorf("the same run with nothing changed: %v", err)
	}
}

// corrupting changes the first byte of each message.
type corrupting struct{ Adapter }

func (c corrupting) NdkCreatePd() (ndk.Pd, ndk.Status) {
	pd, status := c.Adapter.NdkCreatePd()
	return corruptingPd{pd}, status
}

func (c corrupting) NdkConnect(qp ndk.Qp, address string) ndk.Status {
	return c.Adapter.NdkConnect(qp.(corruptingQp).Qp, address)
}

func (c corrupting) NdkAccept(qp ndk.Qp, address string) ndk.Status {
	return c.Adapter.NdkAccept(qp.(corruptingQp).Qp, address)
}

type corruptingPd struct{ ndk.Pd }

func (p corruptingPd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	qp, status := p.Pd.NdkCreateQp(attributes)
	return corruptingQp{qp}, status
}

type corruptingQp struct{ ndk.Qp }

func (q corruptingQp) NdkSend(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	sgl[0].Buffer[0]++
	return q.Qp.NdkSend(requestContext, sgl, flags)
}
