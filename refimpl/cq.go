package refimpl

import (
	"sync"

	"ndkoracle/ndk"
)

// armStrength orders the arms as they merge (ARM-07).
type armStrength int

const (
	armNone armStrength = iota
	armErrors
	armSolicited
	armAny
	armNothing // only with a seeded bug: armed, and satisfied by nothing
)

var strengths = map[ndk.NotifyType]armStrength{
	ndk.NDK_CQ_NOTIFY_ERRORS:    armErrors,
	ndk.NDK_CQ_NOTIFY_SOLICITED: armSolicited,
	ndk.NDK_CQ_NOTIFY_ANY:       armAny,
}

type completion struct {
	ndk.ResultEx
	queue     *queue
	solicited bool
}

type cq struct {
	object
	policy
	depth        int
	notification ndk.CqNotification
	qps          map[*qp]struct{} // that complete here
	work         *sync.Cond       // signalled when there may be a callback to run, or the CQ is closed

	entries  []completion // oldest first
	fresh    int          // how many of the newest were placed since a callback was last entered
	arm      armStrength
	due      int        // callbacks owed for completions
	errorDue bool       // the error callback is owed
	reported bool       // the error callback was entered
	running  int        // callbacks entered and not returned; never above 1
	health   ndk.Status // STATUS_SUCCESS or the CqStatus of the error callback

	// Only with a seeded bug:
	armCalls int         // NdkArmCq since the last one was satisfied
	lateArm  armStrength // that waits for the next poll
	stale    bool        // the last callback reported entries
}

// NdkCreateCq also returns STATUS_INVALID_PARAMETER for a nil function as notification.
func (a *adapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	if function, ok := notification.(ndk.NdkCqNotificationCallback); ok && function == nil {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if depth == 0 || depth > maxCqDepth || a.closed {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	c := &cq{
		object:       a.newObject(),
		policy:       a.newPolicy(),
		depth:        int(depth),
		notification: notification,
		qps:          make(map[*qp]struct{}),
		work:         sync.NewCond(&a.mu),
	}
	c.busy = func() bool { return c.running > 0 }
	c.onClosed = c.forget
	a.objects[&c.object] = struct{}{}
	if notification != nil {
		a.cqs[c] = struct{}{}
		a.goroutines.Go(c.runCallbacks)
	}
	return c, ndk.STATUS_SUCCESS
}

// NdkCloseCq drops what is in the CQ, the arm, and callbacks that are owed when the close completes (ARM-20).
func (c *cq) NdkCloseCq(completion ndk.NdkCloseCompletion) ndk.Status { return c.close(completion) }

func (c *cq) forget() {
	c.entries, c.fresh, c.arm, c.due, c.errorDue = nil, 0, armNone, 0, false
	if c.adapter.seeded(bugCallbackAfterClose) {
		c.due = 1
	}
	c.work.Signal()
}

// NdkArmCq ignores a type that is none (ARM-13), and a CQ that is closing (LIFE-06) or has no notification.
func (c *cq) NdkArmCq(notifyType ndk.NotifyType) {
	c.adapter.mu.Lock()
	defer c.adapter.mu.Unlock()
	strength := strengths[notifyType]
	if strength == armNone || c.closing || c.notification == nil {
		return
	}
	if c.adapter.seeded(bugArmTakesEffectAtGet) {
		c.lateArm = max(c.lateArm, strength)
		return
	}
	c.armAs(strength)
}

func (c *cq) armAs(strength armStrength) {
	c.armCalls++
	if c.adapter.seeded(bugThirdArmBreaks) && c.armCalls >= 3 {
		c.arm = armNone
		return
	}
	c.arm = c.merged(strength)
	switch {
	case c.health != ndk.STATUS_SUCCESS && !c.reported && !c.errorDue: // the error waited for an arm (A1)
		c.arm, c.errorDue = armNone, true
	case c.freshEntryMatches():
		c.satisfy()
	case len(c.entries) > 0 && c.may(SatisfyOnOldEntries):
		c.satisfy()
	case c.stale && len(c.entries) == 0 && c.adapter.seeded(bugFireAgainForReported):
		c.stale = false
		c.satisfy()
	}
	c.work.Signal()
}

// merged is the arm after another of that strength came: the stronger (ARM-07).
func (c *cq) merged(strength armStrength) armStrength {
	switch {
	case c.arm != armNone && c.adapter.seeded(bugLastArmWins):
		return strength
	case c.arm != armNone && c.adapter.seeded(bugSecondArmDropped):
		return c.arm
	case c.arm != armNone && c.arm != strength && c.adapter.seeded(bugMergeEquality):
		return armNothing
	}
	return max(c.arm, strength)
}

// freshEntryMatches says whether the arm must be satisfied at once (ARM-04).
func (c *cq) freshEntryMatches() bool {
	if c.adapter.seeded(bugNoFireAtArm) {
		return false
	}
	for _, entry := range c.entries[len(c.entries)-c.fresh:] {
		if c.matches(entry) {
			return true
		}
	}
	return false
}

// matches says whether the entry satisfies the arm by necessity.
func (c *cq) matches(entry completion) bool {
	failed := entry.Status != ndk.STATUS_SUCCESS
	switch c.arm {
	case armAny:
		return true // ARM-09
	case armSolicited:
		return entry.solicited && !c.adapter.seeded(bugSolicitBitIgnored) || // ARM-10
			failed && !c.adapter.seeded(bugErrorNotSolicited) // ARM-11
	}
	return false
}

// satisfy consumes the arm (ARM-02): a callback is owed for it.
func (c *cq) satisfy() {
	if c.adapter.seeded(bugTwoCallbacksOneArm) && c.armCalls > 0 {
		c.armCalls = 0 // the arm stays for one more callback
	} else {
		c.arm, c.armCalls = armNone, 0
	}
	if c.due == 0 || c.may(OweSecondCallback) {
		c.due++
	}
}

// place puts a completion into the CQ, if the CQ has had no error (ARM-17).
func (c *cq) place(entry completion) {
	if c.closed || c.health != ndk.STATUS_SUCCESS {
		return
	}
	if len(c.entries) == c.depth {
		if !c.adapter.seeded(bugOverflowContinues) {
			c.overflow()
		}
		return
	}
	c.entries = append(c.entries, entry)
	c.fresh++
	if n := len(c.entries); c.adapter.seeded(bugSwapCompletions) && n > 1 && c.entries[n-2].queue == entry.queue {
		c.entries[n-2], c.entries[n-1] = c.entries[n-1], c.entries[n-2]
	}
	failed := entry.Status != ndk.STATUS_SUCCESS
	switch {
	case c.matches(entry):
		c.satisfy()
	case c.arm == armErrors && failed && c.may(ErrorsOnFailure):
		c.satisfy()
	case c.arm == armNone && c.notification != nil && c.adapter.seeded(bugCallbackNeverArmed):
		c.due = 1
	}
	c.work.Signal()
}

// overflow is the CQ error that a completion without room makes: it satisfies an arm of any type, waits for one when
// there is none (A1), and breaks every QP that completes here (ARM-18).
func (c *cq) overflow() {
	c.health = ndk.STATUS_BUFFER_OVERFLOW
	if c.arm != armNone {
		c.arm, c.armCalls, c.errorDue = armNone, 0, true
	}
	c.work.Signal()
	for q := range c.qps {
		q.breakDown(broken)
	}
}

func (c *cq) callbackDue() bool {
	free := c.running == 0 || c.adapter.seeded(bugCallbacksOverlap)
	return free && (c.due > 0 || c.errorDue)
}

// runCallbacks is the callback goroutine: one callback after the other (ARM-06), until the CQ is closed.
func (c *cq) runCallbacks() {
	a := c.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		for !c.callbackDue() {
			if c.closed {
				delete(a.cqs, c)
				a.rest.Broadcast()
				return
			}
			a.rest.Broadcast()
			c.work.Wait()
		}
		callback := c.enter()
		if a.seeded(bugCallbacksOverlap) {
			a.goroutines.Go(func() {
				runCallback(callback)
				a.mu.Lock()
				defer a.mu.Unlock()
				c.exit()
				a.rest.Broadcast()
			})
			continue
		}
		a.mu.Unlock()
		runCallback(callback)
		a.mu.Lock()
		c.exit()
	}
}

// enter begins an owed callback: from here on, nothing that is in the CQ is fresh.
func (c *cq) enter() (callback func()) {
	status := ndk.STATUS_SUCCESS
	if c.errorDue && (c.due == 0 || c.may(ErrorCallbackFirst)) {
		status = c.health
		c.errorDue, c.reported = false, true
		if c.due > 0 && c.may(ErrorCallbackMerges) {
			c.due--
		}
	} else {
		c.due--
	}
	c.stale = len(c.entries) > 0
	c.fresh = 0
	c.running++
	return c.notification.Enter(c, status)
}

func (c *cq) exit() {
	c.running--
	if c.adapter.seeded(bugDisarmAfterCallback) {
		c.arm = armNone
	}
	c.finishClose()
}

// NdkGetCqResults returns 0 for a closed CQ. NdkCloseCq leaves the entries to be polled while the close is pending.
func (c *cq) NdkGetCqResults(results []ndk.Result) int {
	c.adapter.mu.Lock()
	defer c.adapter.mu.Unlock()
	taken := c.take(len(results))
	for i, entry := range taken {
		results[i] = entry.Result
	}
	return len(taken)
}

func (c *cq) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	c.adapter.mu.Lock()
	defer c.adapter.mu.Unlock()
	taken := c.take(len(results))
	for i, entry := range taken {
		if entry.Type == ndk.NdkOperationTypeReceiveAndInvalidate {
			if c.adapter.seeded(bugTokenSurvivesPlainPoll) {
				c.adapter.invalidate(c.adapter.regions[ndk.Token(entry.TypeSpecificCompletionOutput)])
			}
			if c.adapter.seeded(bugWrongInvalidatedToken) {
				entry.TypeSpecificCompletionOutput++
			}
		}
		results[i] = entry.ResultEx
	}
	return len(taken)
}

// take removes at most n of the oldest entries; none only when there are none (POLL-03).
func (c *cq) take(n int) []completion {
	if c.lateArm != armNone {
		c.armAs(c.lateArm)
		c.lateArm = armNone
	}
	n = min(n, len(c.entries))
	if n > 1 && c.may(ShortBatch) {
		n = (n + 1) / 2
	}
	taken := c.entries[:n]
	c.entries = c.entries[n:]
	c.fresh = min(c.fresh, len(c.entries))
	return taken
}
