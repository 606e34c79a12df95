package hwbinding

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// verbs does not say how much a QP can take inline; every current device takes this.
const maxInlineData = 64

type adapter struct {
	options     Options
	dev         device
	attributes  verbs.DeviceAttr
	description map[string]string

	mu         sync.Mutex // guards everything below, and all state of the adapter's objects
	later      []func()   // to be run when the lock was let go
	goroutines sync.WaitGroup
	asyncEnded chan struct{}
	closed     bool
	gone       bool      // the device failed for good
	err        error     // see Adapter.Err
	progress   time.Time // when the device, or a callback, last did something
	failsMute  bool      // the device makes no event for a failed completion while it is armed solicited-only
	completing int       // NdkCloseCompletions due or running
	created    uint64
	lastWR     uint64
	inventory
}

// An inventory holds the objects of an adapter, and the requests that its device has.
type inventory struct {
	requests map[uint64]*issued // by wr_id: what the device has, and will report
	objects  map[*object]struct{}
	cqs      map[*cq]struct{} // that exist in the device
	qps      map[*qp]struct{}
	regions  map[ndk.Token]*mr // by local token
}

// issued is where a request belongs.
type issued struct {
	*request
	qp    *qp
	queue *boundQueue
}

// newAdapter makes the provider on an open device, which it closes when it fails.
func newAdapter(dev device, o Options, description map[string]string) (*adapter, error) {
	attributes, err := dev.QueryDevice()
	if err == nil {
		err = tryLocking(dev)
	}
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	a := &adapter{
		options: o, dev: dev, attributes: attributes, description: description,
		asyncEnded: make(chan struct{}),
		inventory: inventory{
			requests: map[uint64]*issued{},
			objects:  map[*object]struct{}{},
			cqs:      map[*cq]struct{}{},
			qps:      map[*qp]struct{}{},
			regions:  map[ndk.Token]*mr{},
		},
	}
	go a.awaitAsyncEvents()
	return a, nil
}

// tryLocking registers a little memory: where that is not permitted, nothing would work.
func tryLocking(dev device) error {
	pd, err := dev.AllocPD()
	if err != nil {
		return err
	}
	probe := make([]byte, 64<<10)
	var pinner runtime.Pinner
	pinner.Pin(&probe[0])
	defer pinner.Unpin()
	region, err := pd.RegMR(probe, verbs.IBV_ACCESS_LOCAL_WRITE)
	if err == nil {
		err = pd.DeregMR(region)
	}
	return errors.Join(explainLocking(err), pd.Dealloc())
}

func explainLocking(err error) error {
	if !errors.Is(err, syscall.ENOMEM) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	return fmt.Errorf("no permission to lock memory for the device: %w (%s; raise the limit with \"ulimit -l unlimited\" "+
		"or memlock in /etc/security/limits.conf, or run with CAP_IPC_LOCK)", err, lockLimit())
}

func (a *adapter) lock() { a.mu.Lock() }

// unlock runs what had to wait until the lock was free.
func (a *adapter) unlock() {
	later := a.later
	a.later = nil
	a.mu.Unlock()
	for _, f := range later {
		f()
	}
}

func (a *adapter) Describe() map[string]string { return maps.Clone(a.description) }

func (a *adapter) Err() error {
	a.lock()
	defer a.unlock()
	return a.err
}

// note keeps the first failure that the call at hand can't return.
func (a *adapter) note(err error) {
	if a.err == nil && err != nil {
		a.err = err
	}
}

func (a *adapter) NdkQueryAdapterInfo() ndk.AdapterInfo {
	windows := a.attributes.MemWindowType2 && a.attributes.MemMgtExtensions
	return ndk.AdapterInfo{
		VersionMajor: 2, VersionMinor: 1,
		MaxCqDepth:             uint32(max(0, a.attributes.MaxCQE-cqReserve)),
		MaxInitiatorQueueDepth: uint32(max(0, a.attributes.MaxQPWR-markers)),
		MaxReceiveQueueDepth:   uint32(a.attributes.MaxQPWR),
		MaxInlineDataSize:      maxInlineData,
		Bind:                   windows,
		RemoteInvalidate:       windows,
	}
}

// NdkCloseAdapter closes all open objects, and waits for every goroutine and so for every callback (LIFE-14). Called from a callback (LIFE-13), it
// returns at once and closes the objects afterwards.
func (a *adapter) NdkCloseAdapter() {
	a.lock()
	again := a.closed
	a.closed = true
	open := slices.Collect(maps.Keys(a.objects))
	for _, o := range open {
		if !o.closing {
			o.startClose(nil)
		}
	}
	a.unlock()
	finish := func() {
		a.goroutines.Wait()
		if again {
			return
		}
		a.dev.InterruptAsync()
		<-a.asyncEnded
		err := a.dev.Close()
		a.lock()
		defer a.unlock()
		a.note(err)
	}
	if insideCallback() {
		go finish()
		return
	}
	finish()
}

func (a *adapter) awaitAsyncEvents() {
	defer close(a.asyncEnded)
	for {
		event, err := a.dev.GetAsyncEvent()
		if errors.Is(err, syscall.EINTR) {
			return
		}
		a.lock()
		if err != nil {
			a.deviceFailed(err)
		} else {
			a.asyncEvent(event)
		}
		a.unlock()
		if err != nil {
			return
		}
	}
}

func (a *adapter) asyncEvent(event verbs.AsyncEvent) {
	a.progress = time.Now()
	switch event.Type {
	case verbs.IBV_EVENT_DEVICE_FATAL:
		a.deviceFailed(errors.New("the device reported IBV_EVENT_DEVICE_FATAL"))
	case verbs.IBV_EVENT_CQ_ERR:
		for c := range a.cqs {
			if c.dev.Name() == event.Object {
				c.fail(ndk.STATUS_BUFFER_OVERFLOW)
			}
		}
	case verbs.IBV_EVENT_QP_FATAL, verbs.IBV_EVENT_QP_REQ_ERR, verbs.IBV_EVENT_QP_ACCESS_ERR:
		for q := range a.qps {
			if q.dev.Name() == event.Object {
				q.initiator.cq.look()
				q.receive.cq.look()
				q.breakDown(broken)
			}
		}
	}
}

// deviceFailed is the end of the device: every CQ has an error, and with it every QP (ARM-18).
func (a *adapter) deviceFailed(err error) {
	if a.gone {
		return
	}
	a.gone = true
	a.note(fmt.Errorf("the device failed: %w", err))
	for c := range a.cqs {
		c.fail(ndk.STATUS_INTERNAL_ERROR)
	}
	for q := range a.qps {
		q.breakDown(broken)
	}
}

// issue gives a request its wr_id, under which the device will report it.
func (a *adapter) issue(r *request, q *qp, queue *boundQueue) {
	a.lastWR++
	r.id = a.lastWR
	a.requests[r.id] = &issued{r, q, queue}
}

// runCallback calls the consumer. insideCallback finds it on the stack by its name.
//
//go:noinline
func runCallback(callback func()) {
	if callback != nil {
		callback()
	}
}

func insideCallback() bool {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "/hwbinding.runCallback") {
			return true
		}
		if !more {
			return false
		}
	}
}
