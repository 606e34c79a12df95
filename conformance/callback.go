package conformance

import (
	"runtime"
	"sync"
	"time"

	"ndkoracle/ndk"
)

// Callbacks that poll and arm in one order or another; and rounds in which a callback is held until more has happened.
func callbackRearm(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		return w.rounds(3, func() error {
			c := r.anySuccess()
			q := w.target(c)
			if r.chance(3) {
				return w.whileCallbackRuns(q, c)
			}
			return w.rearmInCallback(q, c)
		})
	})
}

func (w *world) rearmInCallback(q *queue, c cause) error {
	r := w.run
	t, room := r.anyNotifyType(), 1+r.random.IntN(4)
	respond := []func(cq ndk.Cq){
		func(cq ndk.Cq) { q.drain(cq, room); q.rearm(cq, t) },
		func(cq ndk.Cq) { q.rearm(cq, t); q.drain(cq, room) },
		func(cq ndk.Cq) { q.poll(cq, 1); q.rearm(cq, t) },
		func(cq ndk.Cq) { q.rearm(cq, t) },
	}
	q.onCallback(respond[r.random.IntN(len(respond))])
	q.mayRearm(2)
	q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
	for range 1 + r.random.IntN(2) {
		w.bring(c)
	}
	if err := w.rest(); err != nil {
		return err
	}
	w.bring(c) // for the arm that a callback made
	return nil
}

// whileCallbackRuns blocks a callback until the CQ was armed again, by the callback itself or by another thread. In most cases it also waits for another
// completion in the CQ: its callback is owed and has to wait (ARM-06).
func (w *world) whileCallbackRuns(q *queue, c cause) error {
	r := w.run
	armInside := r.chance(2)
	entered, release := make(chan struct{}), make(chan struct{})
	var first sync.Once
	q.mayRearm(1)
	q.onCallback(func(cq ndk.Cq) {
		first.Do(func() {
			q.drain(cq, 4)
			if armInside {
				q.rearm(cq, ndk.NDK_CQ_NOTIFY_ANY)
			}
			close(entered)
			wait(release)
		})
	})
	defer q.onCallback(nil)
	defer close(release)
	q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
	w.bring(c)
	if !r.happens(entered) {
		return nil
	}
	if !armInside {
		q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
	}
	w.bring(c)
	if !r.chance(4) {
		q.await(q.cq)
	}
	return nil
}

// await polls until a completion comes, at growing intervals, and gives up after some 40 ms.
func (q *queue) await(cq ndk.Cq) {
	for range 100 {
		runtime.Gosched() // most often it comes at once; polls that find nothing only make the trace longer
	}
	for pause := 10 * time.Microsecond; pause < 20*time.Millisecond; pause *= 2 {
		if q.poll(cq, 1) > 0 {
			return
		}
		time.Sleep(pause)
	}
}
