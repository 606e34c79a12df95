package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// arena is the registered memory that all messages of a world come from, in bytes: many times what one needs.
const arena = 64 << 10

// Run is one run of a scenario: the adapter under test as the recorder sees it, and the source of all choices.
type Run struct {
	random   *rand.Rand  // the main thread's alone
	stopped  func() bool // no new round begins
	scenario string
	ops      int
	posted   atomic.Int64 // requests, refused ones included
	messages atomic.Uint32
	refuse   atomic.Bool // the next initiator post is to be refused
	provider Provider

	bare     Adapter     // not recorded
	adapter  ndk.Adapter // as the main thread sees it
	info     ndk.AdapterInfo
	recorder *trace.Recorder
	main     *trace.Thread
	threads  map[string]*trace.Thread
	links    int // connections made

	worldMemory
	dataErr error // the first one
}

// worldMemory is the registered memory of a world, and what of it is in use.
type worldMemory struct {
	pd      ndk.Pd
	memory  ndk.Mr
	token   ndk.Token // local, of memory
	bytes   []byte
	used    atomic.Int64
	regions []*region // of this world
}

// ErrData is the error of a run in which bytes arrived that were not sent. The run still goes on to its end, so the trace has the other faults of the
// provider.
var ErrData = errors.New("data arrived changed")

// ErrUnsupported is the error of a scenario that needs a feature which the adapter does not have. Its trace ends there, and shows little.
var ErrUnsupported = errors.New("not supported by the adapter")

func (r *Run) noteData(err error) {
	if r.dataErr == nil {
		r.dataErr = err
	}
}

func newRun(ctx context.Context, s Scenario, p Provider, seed uint64, ops int) *Run {
	return &Run{
		random: rand.New(rand.NewPCG(seed, 0)), scenario: s.Name, ops: ops, provider: p,
		stopped: func() bool { return ctx.Err() != nil }, threads: map[string]*trace.Thread{}, worldMemory: worldMemory{bytes: make([]byte, arena)},
	}
}

// play runs the scenario between opening and closing what all its worlds share.
func (r *Run) play(s Scenario, bare Adapter, recorder *trace.Recorder) error {
	r.bare, r.recorder, r.main = bare, recorder, recorder.Thread("main")
	r.adapter = trace.Record(bare, recorder, r.main)
	r.info = r.adapter.NdkQueryAdapterInfo()
	err := r.open()
	if err == nil {
		err = s.Run(r)
	}
	if err == nil {
		err = r.close()
	}
	shut := r.adapter.NdkCloseAdapter
	if err != nil {
		shut = bare.NdkCloseAdapter // not recorded: a consumer closes its other objects first
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		shut()
	}()
	if !wait(closed) {
		err = errors.Join(err, fmt.Errorf("NdkCloseAdapter did not return within %v", patience))
	}
	return err
}

func (r *Run) open() error {
	var status ndk.Status
	if r.pd, status = r.adapter.NdkCreatePd(); status != ndk.STATUS_SUCCESS {
		return fmt.Errorf("NdkCreatePd: %v", status)
	}
	if r.memory, status = r.pd.NdkCreateMr(false); status != ndk.STATUS_SUCCESS {
		return fmt.Errorf("NdkCreateMr: %v", status)
	}
	if status = r.memory.NdkRegisterMr(r.bytes, access); status != ndk.STATUS_SUCCESS {
		return fmt.Errorf("NdkRegisterMr of %d bytes: %v", len(r.bytes), status)
	}
	r.token = r.memory.NdkGetLocalTokenFromMr()
	return nil
}

func (r *Run) close() error {
	if err := r.closed("NdkCloseMr", r.memory.NdkCloseMr); err != nil {
		return err
	}
	if err := r.closed("NdkClosePd", r.pd.NdkClosePd); err != nil {
		return err
	}
	return r.rest()
}

// rest waits until the provider has come to rest and marks the place in every trace.
func (r *Run) rest() error {
	if !r.bare.Quiesce(patience) {
		return fmt.Errorf("the provider did not come to rest within %v", patience)
	}
	if beneath, ok := r.bare.(interface{ MarkQuiesce() }); ok {
		beneath.MarkQuiesce()
	}
	r.main.Quiesce()
	return nil
}

// happens waits for an event that a callback brings about, and reports false when the provider came to rest without it.
func (r *Run) happens(event <-chan struct{}) bool {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		select {
		case <-event:
			return true
		case <-look.C:
		}
		if r.bare.Quiesce(0) {
			select {
			case <-event:
				return true
			default:
				return false
			}
		}
	}
	return false
}

// thread returns the named thread of the recording, the same one each time. Only one goroutine at a time may use it.
func (r *Run) thread(name string) *trace.Thread {
	t, ok := r.threads[name]
	if !ok {
		t = r.recorder.Thread(name)
		r.threads[name] = t
	}
	return t
}

// connect connects a to b.
func (r *Run) connect(a, b *endpoint) error {
	r.links++
	address := fmt.Sprintf("%s-%d", r.scenario, r.links)
	listener := r.thread("listener")
	accepted := make(chan ndk.Status, 1)
	go func() {
		accepted <- trace.On(listener, r.adapter).NdkAccept(trace.On(listener, b.qp), address)
	}()
	connected := r.adapter.NdkConnect(a.qp, address)
	if status := <-accepted; status != ndk.STATUS_SUCCESS {
		return fmt.Errorf("NdkAccept: %v", status)
	}
	if connected != ndk.STATUS_SUCCESS {
		return fmt.Errorf("NdkConnect: %v", connected)
	}
	return nil
}

// take returns memory that no other request of this world uses.
func (r *Run) take(size int) []byte {
	end := int(r.used.Add(int64(size)))
	return r.bytes[end-size : end : end]
}

// message returns a new message of 1 to limit bytes; no two in a row are alike.
func (r *Run) message(limit int) []byte {
	n := r.messages.Add(1)
	message := r.take(1 + int(n*7)%limit)
	for i := range message {
		message[i] = byte(n*31) + byte(i)
	}
	return message
}

// unknownToken returns a token that names nothing.
func (r *Run) unknownToken() ndk.Token { return r.token ^ 0x5A5A5A00 }

// chance is true once in n times.
func (r *Run) chance(n int) bool { return r.random.IntN(n) == 0 }
