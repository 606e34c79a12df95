package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/refimpl"
	"ndkoracle/trace"
)

// Adapter is the interface of a provider under test. In addition to ndk.Adapter it reports when it is at rest.
//
// An Adapter may have more methods. Describe() map[string]string returns fields for the header of the trace, such as driver and device. MarkQuiesce()
// writes a quiesce mark into a trace of the adapter's own, such as one of the verbs below it. Err() error returns, after NdkCloseAdapter, an error that
// no call could report.
type Adapter interface {
	ndk.Adapter
	// Quiesce waits until nothing more happens of itself: every request that can make progress has completed, every
	// callback that is owed was entered and has returned. False means that timeout came first.
	Quiesce(timeout time.Duration) bool
}

// Provider makes the adapters that scenarios run on.
type Provider struct {
	Name string
	// Open returns an adapter with the provider's own choices drawn from seed. Where CanRefuse is set, the adapter asks
	// refuse at each initiator post and refuses the post when it is true.
	Open func(seed uint64, refuse func() bool) (Adapter, error)
	// CanRefuse says whether a valid request can be made to be refused. Where it can't, one is refused that asks for
	// memory outside its region.
	CanRefuse bool
}

// Refimpl is the reference provider.
func Refimpl() Provider {
	return Provider{
		Name: "refimpl", CanRefuse: true,
		Open: func(seed uint64, refuse func() bool) (Adapter, error) {
			options := refimpl.Options{Seed: seed, Refuse: func(uint64) bool { return refuse() }}
			return refimpl.Open(options).(Adapter), nil
		},
	}
}

// Record runs one scenario and writes its trace at the level of NDKPI to w. No new round begins once ops requests were posted, so at least ops are
// posted.
//
// The error says that the provider could not be opened, that the scenario could not go on, that data arrived changed (ErrData), or that the trace could
// not be written. If the scenario could not go on, the trace is complete, but not quiescent. When ctx is done, Record ends the trace, not at rest, and
// returns ctx's cause with the progress of the run.
func Record(ctx context.Context, s Scenario, p Provider, seed uint64, ops int, w io.Writer) error {
	if ops < 1 {
		return fmt.Errorf("ops is %d: at least 1 request is needed", ops)
	}
	r := newRun(ctx, s, p, seed, ops)
	adapter, err := p.Open(seed, r.refuse.Load)
	if err != nil {
		return err
	}
	recorder, err := trace.NewRecorder(w, Header(s, p, seed, ops, adapter), trace.Options{Buffer: 128, Block: true})
	if err != nil {
		adapter.NdkCloseAdapter()
		return err
	}
	played := make(chan error, 1)
	go func() {
		err := r.play(s, adapter, recorder)
		if faulty, ok := adapter.(interface{ Err() error }); ok {
			err = errors.Join(err, faulty.Err())
		}
		played <- err
	}()
	select {
	case err = <-played:
		if ctx.Err() == nil {
			return errors.Join(err, r.dataErr, recorder.Close(err == nil))
		}
	case <-ctx.Done(): // the run may wait for a provider that hangs, so this does not wait for the run
	}
	err = fmt.Errorf("%w after %d of %d requests", context.Cause(ctx), r.posted.Load(), ops)
	return errors.Join(err, recorder.Close(false))
}

// RecordTrace is Record into memory. The trace is nil only when there is none that could be read: a run that failed has
// one, and an error.
func RecordTrace(ctx context.Context, s Scenario, p Provider, seed uint64, ops int) (*trace.Trace, error) {
	var written bytes.Buffer
	failed := Record(ctx, s, p, seed, ops, &written)
	if written.Len() == 0 {
		return nil, failed
	}
	recorded, err := trace.Read(fmt.Sprintf("%s-%d", s.Name, seed), &written, 0)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return recorded, failed
}

// Header is the header of a recording: what was run, on what, and how to repeat it.
func Header(s Scenario, p Provider, seed uint64, ops int, adapter Adapter) trace.Header {
	info := adapter.NdkQueryAdapterInfo()
	h := trace.Header{
		Dialect: "ndkpi", Ndk: fmt.Sprintf("%d.%d", info.VersionMajor, info.VersionMinor), Side: "provider",
		Producer: trace.Producer{Name: "ndkrecord", Version: Version},
		Adapter:  map[string]string{"provider": p.Name},
		Run: map[string]string{
			"scenario": s.Name, "seed": strconv.FormatUint(seed, 10), "ops": strconv.Itoa(ops),
		},
	}
	if described, ok := adapter.(interface{ Describe() map[string]string }); ok {
		maps.Copy(h.Adapter, described.Describe())
	}
	return h
}

// Version is that of the scenarios: the same seed means the same choices only within one version.
const Version = "1.0"
