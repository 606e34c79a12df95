package conformance

import (
	"errors"
	"sync"

	"ndkoracle/ndk"
)

// close starts NdkCloseCq, after which the consumer calls nothing more on the CQ (LIFE-06).
func (q *queue) close(cq ndk.Cq) (finish func() error, err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.over, q.closing = true, true
	return q.run.closing("NdkCloseCq", cq.NdkCloseCq)
}

// The CQ under test is b's receive CQ. What remains of the world is closed as in any scenario.
func closing(r *Run) error {
	return r.worlds(always(apart), func(w *world) error {
		q := w.b.receive
		ways := []func(*queue) error{w.closeArmed, w.closeBeforeQps, w.closeDuringCallback, w.closeInCallback}
		return ways[r.random.IntN(len(ways))](q)
	})
}

// closeArmed closes the QPs and the CQ with an arm outstanding, and often completions in it.
func (w *world) closeArmed(q *queue) error {
	r := w.run
	q.arm(q.cq, r.anyNotifyType())
	w.bring(r.anySuccess())
	w.b.accept(w.b.qp) // the close cancels it
	if r.chance(2) {
		if err := w.rest(); err != nil {
			return err
		}
		q.arm(q.cq, r.anyNotifyType())
	}
	return nil
}

// closeBeforeQps closes the CQ first: pending until its QP is closed (LIFE-04).
func (w *world) closeBeforeQps(q *queue) error {
	w.bring(w.run.anySuccess())
	if err := w.settle(); err != nil {
		return err
	}
	q.arm(q.cq, w.run.anyNotifyType())
	w.b.accept(w.b.qp)
	finish, err := q.close(q.cq)
	if err != nil {
		return err
	}
	return errors.Join(w.closeQps(), finish())
}

// closeDuringCallback closes everything while a callback runs and, in most cases, another is owed, which then must not
// come (ARM-20).
func (w *world) closeDuringCallback(q *queue) error {
	r := w.run
	entered, release := make(chan struct{}), make(chan struct{})
	var first sync.Once
	q.mayRearm(1)
	q.onCallback(func(cq ndk.Cq) {
		first.Do(func() {
			q.drain(cq, 4)
			q.rearm(cq, ndk.NDK_CQ_NOTIFY_ANY)
			close(entered)
			wait(release)
		})
	})
	released := sync.OnceFunc(func() { close(release) })
	defer released()
	q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
	w.bring(unsolicitedReceive)
	if !r.happens(entered) {
		return nil
	}
	if !r.chance(4) {
		w.bring(unsolicitedReceive)
		w.a.initiator.await(w.a.initiator.cq)
	}
	if err := w.closeQps(); err != nil {
		return err
	}
	finish, err := q.close(q.cq)
	if err != nil {
		return err
	}
	released()
	return finish()
}

// closeInCallback closes the CQ in its own callback, before its QP.
func (w *world) closeInCallback(q *queue) error {
	type outcome struct {
		finish func() error
		err    error
	}
	closed := make(chan outcome, 1)
	entered := make(chan struct{})
	var first sync.Once
	q.onCallback(func(cq ndk.Cq) {
		first.Do(func() {
			finish, err := q.close(cq)
			closed <- outcome{finish, err}
			close(entered)
		})
	})
	q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
	w.bring(unsolicitedReceive)
	if !w.run.happens(entered) {
		return nil
	}
	o := <-closed
	if o.err != nil {
		return o.err
	}
	return errors.Join(w.closeQps(), o.finish())
}
