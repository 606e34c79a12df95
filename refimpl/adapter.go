// Package refimpl is the reference provider: NDKPI in memory, written to be read.
//
// Two QPs connected in loopback move real bytes. Consumers call from their own goroutines. Each QP has a device goroutine that executes its requests and
// places their completions. Each CQ has a goroutine that runs its callbacks. One lock, the adapter's, guards all state: a step of a device, a call, and
// the entry of a callback are each one atomic step of the contract. Callbacks run without the lock.
//
// Where the contract permits a choice, a seeded coin decides (see May).
package refimpl

import (
	"sync"
	"time"

	"ndkoracle/ndk"
)

// Options are the settings of Open. The functions are called under the provider's lock and must not call back into it.
type Options struct {
	// Seed decides every May, apart for each QP and CQ, in the order of their creation.
	Seed uint64
	// Choose, when not nil, decides every May in place of the seeded coin.
	Choose func(May) bool
	// Refuse, when not nil, is asked at each initiator post of the adapter, numbered from 0. The post that it returns
	// true for is refused with STATUS_INSUFFICIENT_RESOURCES.
	Refuse func(n uint64) bool
	// ConnectTimeout is how long NdkConnect and NdkAccept wait for each other; 0 means 5 s.
	ConnectTimeout time.Duration

	seededBug
}

// What one adapter has to offer at most.
const (
	maxCqDepth    = 1 << 20
	maxQueueDepth = 1 << 16
	maxInlineData = 1 << 10
)

// Quiescer is what an adapter of this package offers beyond ndk.Adapter.
type Quiescer interface {
	// Quiesce waits until the provider is at rest and returns true, or false if it is not at rest within timeout. At rest, every indicated request that
	// can make progress was executed and its completion placed. Every owed callback, and every NdkCloseCompletion that is due, was entered and has
	// returned. A send that waits for a receive, and a deferred request that was not indicated, can't make progress. Quiesce must not be called from a
	// callback, which would wait for itself.
	Quiesce(timeout time.Duration) bool
}

type adapter struct {
	options Options

	mu         sync.Mutex // guards everything below, and all state of the adapter's objects
	rest       *sync.Cond // signalled when a goroutine of the provider found nothing more to do
	goroutines sync.WaitGroup
	closed     bool
	completing int // NdkCloseCompletions due or running
	created    uint64
	posts      uint64
	lastToken  ndk.Token
	objects    map[*object]struct{} // not yet closed
	qps        map[*qp]struct{}
	cqs        map[*cq]struct{}
	regions    map[ndk.Token]*region // the valid tokens
	offers     map[offer]*rendezvous
}

// Open returns a new adapter, which also is a Quiescer. NdkCloseAdapter ends all goroutines that it started.
func Open(o Options) ndk.Adapter {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 5 * time.Second
	}
	o.prepareBug()
	a := &adapter{
		options: o,
		objects: make(map[*object]struct{}),
		qps:     make(map[*qp]struct{}),
		cqs:     make(map[*cq]struct{}),
		regions: make(map[ndk.Token]*region),
		offers:  make(map[offer]*rendezvous),
	}
	a.rest = sync.NewCond(&a.mu)
	return a
}

func (a *adapter) NdkQueryAdapterInfo() ndk.AdapterInfo {
	return ndk.AdapterInfo{
		VersionMajor: 2, VersionMinor: 1,
		MaxCqDepth:             maxCqDepth,
		MaxInitiatorQueueDepth: maxQueueDepth,
		MaxReceiveQueueDepth:   maxQueueDepth,
		MaxInlineDataSize:      maxInlineData,
		FastRegister:           true,
		Bind:                   true,
		RemoteInvalidate:       true,
	}
}

// NdkCloseAdapter closes what is open, successors before antecedents come of themselves (LIFE-04), and waits for every
// goroutine and so for every callback (LIFE-14).
func (a *adapter) NdkCloseAdapter() {
	a.mu.Lock()
	a.closed = true
	for o := range a.objects {
		if !o.closing {
			o.startClose(nil)
		}
	}
	a.mu.Unlock()
	if insideCallback() {
		return // LIFE-13 is broken: to wait for the callback would be to wait for its own end
	}
	a.goroutines.Wait()
}

// Quiesce implements Quiescer.
func (a *adapter) Quiesce(timeout time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	expired := false
	timer := time.AfterFunc(timeout, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		expired = true
		a.rest.Broadcast()
	})
	defer timer.Stop()
	for !a.resting() {
		if expired {
			return false
		}
		a.rest.Wait()
	}
	return true
}

func (a *adapter) resting() bool {
	for q := range a.qps {
		if q.canStep() {
			return false
		}
	}
	for c := range a.cqs {
		if c.running > 0 || c.callbackDue() {
			return false
		}
	}
	return a.completing == 0
}
