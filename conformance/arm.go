package conformance

import "ndkoracle/ndk"

var notifyTypes = []ndk.NotifyType{ndk.NDK_CQ_NOTIFY_ERRORS, ndk.NDK_CQ_NOTIFY_ANY, ndk.NDK_CQ_NOTIFY_SOLICITED}

func (r *Run) anyNotifyType() ndk.NotifyType { return notifyTypes[r.random.IntN(len(notifyTypes))] }

// cause is a completion that a round brings about.
type cause int

const (
	unsolicitedReceive cause = iota
	solicitedReceive
	sendSuccess
	sendFailure
	receiveFlushed
)

func (r *Run) anyCause() cause   { return cause(r.random.IntN(int(receiveFlushed) + 1)) }
func (r *Run) anySuccess() cause { return cause(r.random.IntN(int(sendSuccess) + 1)) }

// target is the CQ in which the completion appears.
func (w *world) target(c cause) *queue {
	if c == sendSuccess || c == sendFailure {
		return w.a.initiator
	}
	return w.b.receive
}

// bring posts what leads to the completion.
func (w *world) bring(c cause) {
	switch c {
	case unsolicitedReceive, sendSuccess:
		w.a.transfer(0)
	case solicitedReceive:
		w.a.transfer(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT)
	case sendFailure:
		w.a.sendBadly(w.a.qp, 0)
	case receiveFlushed:
		w.b.accept(w.b.qp)
		w.b.flush()
	}
}

// maybeDrainInCallbacks has the callbacks of half the CQs drain them.
func (w *world) maybeDrainInCallbacks() {
	for _, q := range w.queues {
		if w.run.chance(2) {
			q.onCallback(func(cq ndk.Cq) { q.drain(cq, 4) })
		}
	}
}

// Several arms before a completion make one arm, the strongest (ARM-07), which buys one callback (ARM-02); no arm buys
// none (ARM-01). Arms that a round leaves outstanding join those of the next.
func armMerge(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		return w.rounds(3, func() error {
			c := r.anyCause()
			q := w.target(c)
			for range r.random.IntN(4) {
				q.arm(q.cq, r.anyNotifyType())
			}
			if c != sendFailure && c != receiveFlushed && r.chance(2) {
				w.bring(c)
			}
			w.bring(c)
			return nil
		})
	})
}

// Only rest before the arm makes it certain that a completion is present. Only rest after the arm makes it certain that the callback was owed now
// (ARM-04), and not for a later completion.
func armPresent(r *Run) error {
	if err := r.armOverReceive(); err != nil {
		return err
	}
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		return w.rounds(2, func() error {
			c := r.anySuccess()
			q := w.target(c)
			for range 1 + r.random.IntN(2) {
				w.bring(c)
			}
			if err := w.rest(); err != nil {
				return err
			}
			for range 1 + r.random.IntN(3) {
				switch r.random.IntN(4) {
				case 0:
					w.bring(c) // fresh beside old, when the round's first arm was met
				case 1:
					q.poll(q.cq, 1)
				}
				if err := w.rest(); err != nil {
					return err
				}
				q.arm(q.cq, r.anyNotifyType())
				if err := w.rest(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// armOverReceive makes one case without chance: the completion of a receive, alone in its CQ and not polled, and an arm of ANY.
func (r *Run) armOverReceive() error {
	w, err := r.newWorld(apart)
	if err != nil {
		return err
	}
	err = w.rounds(1, func() error {
		w.bring(unsolicitedReceive)
		if err := w.rest(); err != nil {
			return err
		}
		q := w.target(unsolicitedReceive)
		q.arm(q.cq, ndk.NDK_CQ_NOTIFY_ANY)
		return nil
	})
	if err != nil {
		return err
	}
	return w.close()
}

// The CQ is armed before the cause, never after: with the completion present already, an arm tells nothing of matching.
func solicitedErrors(r *Run) error {
	const (
		flushThenSend = iota
		sendThenFlush
		flushThenReceive
		receiveThenFlush
		badToken
		unsolicited
		solicited
		cases
	)
	return r.worlds(always(apart), func(w *world) error {
		return w.rounds(3, func() error {
			a, b := w.a, w.b
			arm := func(q *queue) { q.arm(q.cq, ndk.NDK_CQ_NOTIFY_SOLICITED) }
			switch r.random.IntN(cases) {
			case flushThenSend:
				a.flush()
				arm(a.initiator)
				a.send(a.qp, 0)
			case sendThenFlush:
				arm(a.initiator)
				a.sendUnmet(0)
				a.flush()
			case flushThenReceive:
				b.flush()
				arm(b.receive)
				b.accept(b.qp)
			case receiveThenFlush:
				b.accept(b.qp)
				arm(b.receive)
				b.flush()
			case badToken:
				arm(a.initiator)
				a.sendBadly(a.qp, 0)
			case unsolicited:
				arm(a.initiator)
				arm(b.receive)
				a.transfer(0)
			case solicited:
				arm(b.receive)
				a.transfer(ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT)
			}
			return nil
		})
	})
}
