package hwbinding

import (
	"math/rand/v2"
	"time"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// The device's CQ has room for more than the consumer's: for completions that the consumer never polls. At most qpReserve of them are of one QP
// and not yet moved to the shadow: signalled silent requests, one in each half of its queue, and markers.
const (
	cqReserve = 1024
	qpReserve = 3 + markers
	pollBatch = 32
)

// The watchdog's interval, from an arm on; it doubles each time.
const (
	watchMin = time.Millisecond
	watchMax = 32 * time.Millisecond
)

type cq struct {
	object
	shadow
	dev          deviceCQ
	notification ndk.CqNotification
	qps          map[*qp]int // that complete here, with how many queues
	armedAs      strength    // in the device, as far as events read tell: none, armSolicited or armAny
	awaited      event       // for a completion that came, and not read yet
	notifying    bool        // runCallbacks runs
	unattended   bool        // awaitEvents has ended, because the device failed
	watchdog     *time.Timer
	interval     time.Duration
	batch        [pollBatch]verbs.WC
}

// NdkCreateCq also returns STATUS_INVALID_PARAMETER for a nil function as notification and on a closed adapter.
func (a *adapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	if function, ok := notification.(ndk.NdkCqNotificationCallback); ok && function == nil {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	limit := a.NdkQueryAdapterInfo().MaxCqDepth
	a.lock()
	defer a.unlock()
	if depth == 0 || depth > limit || a.closed {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	dev, err := a.dev.CreateCQ(int(depth) + cqReserve)
	if err != nil {
		a.note(explainLocking(err))
		return nil, refusalOf(err)
	}
	c := &cq{
		object: a.newObject(), shadow: shadow{depth: int(depth)},
		dev: dev, notification: notification, qps: map[*qp]int{},
	}
	if a.options.Seed != 0 {
		a.created++
		c.coin = rand.New(rand.NewPCG(a.options.Seed, a.created))
	}
	c.watchdog = time.AfterFunc(time.Hour, c.watched)
	c.watchdog.Stop()
	c.busy = func() bool { return c.running }
	c.onClosed = c.forget
	a.objects[&c.object] = struct{}{}
	a.cqs[c] = struct{}{}
	if a.gone {
		c.fail(ndk.STATUS_INTERNAL_ERROR)
	}
	a.goroutines.Go(c.awaitEvents)
	return c, ndk.STATUS_SUCCESS
}

// NdkCloseCq drops the completions in the CQ, the arm, and owed callbacks when the close completes (ARM-20).
func (c *cq) NdkCloseCq(completion ndk.NdkCloseCompletion) ndk.Status { return c.close(completion) }

// forget leaves the device's CQ to awaitEvents, which destroys it once no thread waits for its events any more.
func (c *cq) forget() {
	c.entries, c.fresh, c.arm, c.due, c.errorDue = nil, 0, armNone, 0, false
	c.watchdog.Stop()
	delete(c.adapter.cqs, c)
	if c.unattended {
		c.adapter.note(c.dev.Destroy())
		return
	}
	c.dev.Interrupt()
}

// NdkArmCq ignores a type that is none (ARM-13), and a CQ that is closing (LIFE-06) or has no notification.
func (c *cq) NdkArmCq(notifyType ndk.NotifyType) {
	c.adapter.lock()
	defer c.adapter.unlock()
	asked := strengths[notifyType]
	if asked == armNone || c.closing || c.notification == nil {
		return
	}
	c.armAs(asked)
	c.armDevice()
	c.interval = watchMin
	c.watch()
	c.notify()
}

// armDevice arms the device for what is left of the arm, and then looks: a completion that came before the device was
// armed makes no event.
func (c *cq) armDevice() {
	want := c.arm
	if want == armNone {
		return
	}
	if want > armErrors && c.armedAs < want {
		if err := c.dev.ReqNotify(want == armSolicited); err != nil {
			c.adapter.deviceFailed(err)
			return
		}
		c.armedAs = want
		defer func(e event) { c.awaited = e }(c.awaited) // what is found now may have come before the arm
	}
	c.look()
}

// awaitEvents is the goroutine that reads the CQ's events, until the CQ is closed. Events are acknowledged at once, so
// that none is left when the CQ is destroyed.
func (c *cq) awaitEvents() {
	a := c.adapter
	for {
		err := c.dev.GetCQEvent()
		if err == nil {
			c.dev.AckEvents(1)
		}
		a.lock()
		more := c.event(err)
		a.unlock()
		if !more {
			return
		}
	}
}

// event is an event of the device, or the reason why none comes any more.
func (c *cq) event(err error) (more bool) {
	a := c.adapter
	switch {
	case c.closed:
		a.note(c.dev.Destroy())
		return false
	case err != nil:
		c.unattended = true
		a.deviceFailed(err)
		return false
	}
	a.progress = time.Now()
	c.armedAs, c.awaited = armNone, noEvent
	c.armDevice()
	c.watch()
	c.notify()
	return true
}

// look places what the device has completed.
func (c *cq) look() {
	for !c.adapter.gone {
		n, err := c.dev.Poll(c.batch[:])
		if err != nil {
			c.adapter.note(err)
			c.fail(ndk.STATUS_INTERNAL_ERROR)
			return
		}
		for _, wc := range c.batch[:n] {
			c.adapter.completed(wc)
		}
		if n < len(c.batch) {
			return
		}
	}
}

// An event of the device, for a completion.
type event int

const (
	noEvent     event = iota
	eventOfFail       // for one that failed: some devices make none when they are armed solicited-only (ARM-11)
	sureEvent
)

// await records which event the device makes for a completion.
func (c *cq) await(status verbs.WCStatus, solicited bool) {
	switch failed := status != verbs.IBV_WC_SUCCESS; {
	case c.armedAs == armAny, c.armedAs == armSolicited && solicited && !failed:
		c.awaited = sureEvent
	case c.armedAs == armSolicited && failed && !c.adapter.failsMute:
		c.awaited = max(c.awaited, eventOfFail)
	}
}

// put places a completion that came from anywhere, and lets the consumer know.
func (c *cq) put(entry completion) {
	if c.closed {
		return
	}
	healthy := c.health == ndk.STATUS_SUCCESS
	c.place(entry)
	if healthy && c.health != ndk.STATUS_SUCCESS {
		c.breakQps()
	}
	c.notify()
}

// fail is an error of the CQ. Every QP that completes here is of no more use (ARM-18).
func (c *cq) fail(status ndk.Status) {
	c.shadow.fail(status)
	c.breakQps()
	c.notify()
}

func (c *cq) breakQps() {
	for q := range c.qps {
		q.explained = true
		q.breakDown(broken)
	}
}

// watch starts the watchdog if the device may make no event for a completion that satisfies the arm.
//
// A failed completion also satisfies a SOLICITED arm (ARM-11), but some devices make no event for it when armed solicited-only. Arming them for
// any completion instead would wake the provider for completions that the consumer does not want, and hide the device's fault from the verbs
// trace. An overflow satisfies an ERRORS arm, and only a look at the device's CQ finds it. So while such an arm is outstanding, and the device
// has requests that may end, the watchdog polls the device: soon after each arm, post and flush, then ever less often. A look also places
// unsolicited successes, which satisfy no such arm (ARM-12).
func (c *cq) watch() {
	if c.arm == armNone || c.arm == armAny || c.closed || c.adapter.gone {
		return
	}
	for q := range c.qps {
		if q.initiator.cq == c && q.initiator.occupied() || q.receive.cq == c && q.receive.occupied() {
			c.watchdog.Reset(c.interval)
			return
		}
	}
}

// watchSoon is watch when something is about to happen.
func (c *cq) watchSoon() {
	c.interval = watchMin
	c.watch()
}

func (c *cq) watched() {
	c.adapter.lock()
	defer c.adapter.unlock()
	if c.closed || c.arm == armNone || c.arm == armAny {
		return
	}
	c.look()
	c.interval = min(2*c.interval, watchMax)
	c.watch()
}

// notify sees to it that a callback that is due is run.
func (c *cq) notify() {
	if c.callbackDue() && !c.notifying && !c.closed {
		c.notifying = true
		c.adapter.goroutines.Go(c.runCallbacks)
	}
}

// runCallbacks runs one callback after the other (ARM-06) while there are any to run.
func (c *cq) runCallbacks() {
	a := c.adapter
	a.lock()
	defer a.unlock()
	for c.callbackDue() {
		status := c.enter()
		callback := c.notification.Enter(c, status)
		a.unlock()
		runCallback(callback)
		a.lock()
		c.exit()
		a.progress = time.Now()
		c.finishClose()
	}
	c.notifying = false
}

// NdkGetCqResults returns 0 for a closed CQ. While NdkCloseCq is pending, the entries can still be polled.
func (c *cq) NdkGetCqResults(results []ndk.Result) int {
	c.adapter.lock()
	defer c.adapter.unlock()
	taken := c.get(len(results))
	for i, entry := range taken {
		results[i] = entry.Result
	}
	return len(taken)
}

func (c *cq) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	c.adapter.lock()
	defer c.adapter.unlock()
	taken := c.get(len(results))
	for i, entry := range taken {
		results[i] = entry.ResultEx
	}
	return len(taken)
}

func (c *cq) get(n int) []completion {
	if c.closed {
		return nil
	}
	c.look()
	return c.take(n)
}
