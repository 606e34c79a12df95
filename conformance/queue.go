package conformance

import (
	"fmt"
	"sync"

	"ndkoracle/ndk"
)

// queue is a CQ and its consumer. The mutex serialises NdkArmCq, NdkGetCqResults and NdkGetCqResultsEx (POLL-01).
//
// Methods take the CQ as the calling thread sees it, because the recording tells threads apart.
type queue struct {
	run   *Run
	cq    ndk.Cq // as the main thread sees it
	depth int

	mutex   sync.Mutex
	over    bool // an error CqStatus was reported, or the close began: no more arms and polls (ARM-19, LIFE-06)
	closing bool
	respond func(cq ndk.Cq)
	rearms  int  // arms that callbacks may still make in this round
	toggle  bool // whether the next poll is an NdkGetCqResultsEx
}

func (r *Run) newQueue(depth int) (*queue, error) {
	q := &queue{run: r, depth: depth, toggle: r.chance(2)}
	cq, status := r.adapter.NdkCreateCq(uint32(depth), ndk.NdkCqNotificationCallback(q.notified))
	if status != ndk.STATUS_SUCCESS {
		return nil, fmt.Errorf("NdkCreateCq with depth %d: %v", depth, status)
	}
	q.cq = cq
	return q, nil
}

func (q *queue) notified(cq ndk.Cq, cqStatus ndk.Status) {
	q.mutex.Lock()
	q.over = q.over || cqStatus != ndk.STATUS_SUCCESS
	respond := q.respond
	q.mutex.Unlock()
	if respond != nil && cqStatus == ndk.STATUS_SUCCESS {
		respond(cq)
	}
}

// onCallback sets what callbacks do from now on.
func (q *queue) onCallback(respond func(cq ndk.Cq)) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.respond = respond
}

// mayRearm lets callbacks arm n times more: without a bound, a provider that notifies of old completions (ARM-05) and a
// callback that leaves them would never come to rest.
func (q *queue) mayRearm(n int) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.rearms = n
}

func (q *queue) arm(cq ndk.Cq, notifyType ndk.NotifyType) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !q.over {
		cq.NdkArmCq(notifyType)
	}
}

// rearm is arm from a callback, as long as mayRearm allows.
func (q *queue) rearm(cq ndk.Cq, notifyType ndk.NotifyType) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.over || q.rearms == 0 {
		return
	}
	q.rearms--
	cq.NdkArmCq(notifyType)
}

// poll asks for up to room completions, by NdkGetCqResults and NdkGetCqResultsEx in turn, and returns how many came.
func (q *queue) poll(cq ndk.Cq, room int) int {
	q.mutex.Lock()
	q.toggle = !q.toggle
	extended := q.toggle
	q.mutex.Unlock()
	return q.get(cq, room, extended)
}

func (q *queue) get(cq ndk.Cq, room int, extended bool) int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.over {
		return 0
	}
	if extended {
		results := make([]ndk.ResultEx, room)
		n := cq.NdkGetCqResultsEx(results)
		for _, result := range results[:n] {
			completed(result.Result)
		}
		return n
	}
	results := make([]ndk.Result, room)
	n := cq.NdkGetCqResults(results)
	for _, result := range results[:n] {
		completed(result)
	}
	return n
}

// drain polls until nothing is left. A provider that hands out more than the CQ can hold while nothing is placed would
// do so for ever: drain stops there.
func (q *queue) drain(cq ndk.Cq, room int) {
	for left := 4 * q.depth; left > 0; {
		n := q.poll(cq, room)
		if n == 0 {
			return
		}
		left -= n
	}
}

// completed records the result in the post that it belongs to. The first result counts: a second one is for the judge.
func completed(result ndk.Result) {
	if p, ok := result.RequestContext.(*post); ok && !p.done {
		p.done, p.status, p.bytes = true, result.Status, int(result.BytesTransferred)
	}
}

func (q *queue) isOver() bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.over
}
