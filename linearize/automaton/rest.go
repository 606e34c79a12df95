package automaton

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// rest applies a moment of rest: no callback is owed that could be entered, and each completion that was due has been placed.
func (t *transition) rest(x explanation) {
	settle := func(y explanation) {
		if y.open != model.Closed && !y.running && t.event.what == notified {
			if y.errorDue {
				t.refuse(breach.ErrorUntold)
				return
			}
			if y.most > 0 && y.nullable() && t.machine.contract.Dialect.A6 == model.A6Never { // what is owed waits for a completion
				z := y.emptied()
				z.least = max(z.least, 1)
				t.settled(z)
			}
			if y.least > 0 {
				t.refuse(breach.CallbackDue)
				return
			}
			y.most = 0
		}
		if t.event.what == rested {
			t.unread(y)
			return
		}
		t.settled(y)
	}
	if t.event.is || t.set.readers > 0 || len(t.set.flights) > 0 {
		t.staged(x, settle)
		return
	}
	settle(x)
}

// unread keeps y at a moment of rest at which no thread waits: the owed event is unread in the channel.
func (t *transition) unread(y explanation) {
	if y.open == model.Closed {
		t.settled(y)
		return
	}
	if y.least == 0 {
		none := y
		none.most = 0
		t.settled(none)
	}
	if y.most > 0 {
		y.least, y.unread = max(y.least, 1), true
		t.settled(y)
	}
}

// settled keeps y, with a fence behind what must have been placed by now.
func (t *transition) settled(y explanation) {
	if t.event.is && y.health == model.OK && y.open != model.Closed {
		c := cell{form: openFence, by: t.now}
		if t.event.n > 0 {
			c.form = fence
		}
		y = t.machine.with(y, c)
	}
	t.keep(y)
}
