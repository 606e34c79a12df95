package conformance

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// Two pairs of QPs. In each round every queue of every QP has a thread that posts to it. Every CQ has a thread that arms and polls it while its callbacks
// do the same.
func threads(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		if err := w.addSecondPair(); err != nil {
			return err
		}
		for _, q := range w.queues {
			q.onCallback(func(cq ndk.Cq) {
				q.drain(cq, 2)
				q.rearm(cq, ndk.NDK_CQ_NOTIFY_ANY)
			})
		}
		return w.rounds(2, func() error {
			w.playTogether()
			return nil
		})
	})
}

// addSecondPair adds a pair on the CQs of the first, or on CQs of its own.
func (w *world) addSecondPair() error {
	a, b := w.a, w.b
	queues := []*queue{a.initiator, a.receive, b.initiator, b.receive}
	if w.run.chance(2) {
		for i := range queues {
			var err error
			if queues[i], err = w.addQueue(cqDepth); err != nil {
				return err
			}
		}
	}
	_, _, err := w.addPair(queues[0], queues[1], queues[2], queues[3])
	return err
}

// playTogether runs one round's threads and waits for them. What each does is drawn beforehand.
func (w *world) playTogether() {
	r := w.run
	var threads sync.WaitGroup
	for i, e := range w.endpoints {
		sends := r.random.IntN(3)
		spare := len(e.peer.receives) - len(e.sent)
		if sends > 0 {
			flags := e.anySendFlags()
			t := r.thread(fmt.Sprintf("initiator-%d", i+1))
			threads.Go(func() {
				for n := range sends {
					chained := flags
					if n < sends-1 {
						chained |= ndk.NDK_OP_FLAG_DEFER
					}
					e.send(trace.On(t, e.qp), chained)
				}
			})
		}
		if receives := sends - spare; receives > 0 {
			t := r.thread(fmt.Sprintf("receiver-%d", i+1))
			threads.Go(func() {
				for range receives {
					e.peer.accept(trace.On(t, e.peer.qp))
				}
			})
		}
	}
	for i, q := range w.queues {
		if r.chance(3) {
			continue
		}
		q.mayRearm(1)
		t := r.thread(fmt.Sprintf("cq-%d", i+1))
		choices := rand.New(rand.NewPCG(r.random.Uint64(), 0))
		threads.Go(func() {
			cq := trace.On(t, q.cq)
			for range 1 + choices.IntN(3) {
				if choices.IntN(2) == 0 {
					q.arm(cq, notifyTypes[choices.IntN(len(notifyTypes))])
				} else {
					q.poll(cq, 1+choices.IntN(2))
				}
			}
		})
	}
	threads.Wait()
}
