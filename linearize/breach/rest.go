package breach

import "ndkoracle/model"

// What must have completed when the provider is at rest.

// BehindFence is what an engine refuses where a completion comes too late for a moment of rest.
var BehindFence = &model.Refusal{Rule: inTheEnd, Why: "a completion that was owed at a moment of rest had not been placed by then"}

// An Overdue request had not completed by a moment of rest by which it had to.
type Overdue struct {
	Wr        string
	Silent    bool // it can only have failed, and has no completion for that
	Ended     bool // Silent, and it is known that it failed or was cancelled
	Cancelled bool // a flush, or the end of its connection, cancelled it
	Refused   bool // it was deferred, and a post that was refused ended its chain
}

// Breach returns the rule that is broken, with the part of a sentence behind "the provider was at rest, and". A poll that found nothing may have passed
// over the completion instead.
func (o Overdue) Breach() Breach {
	switch {
	case o.Silent && (o.Ended || o.Cancelled):
		return breaks(silentFailed, "%s, a silent request that failed or was cancelled, had not completed", o.Wr).or(passedOver)
	case o.Silent:
		return breaks(silentFailed, "%s, a silent request that can only have failed, had not completed", o.Wr).or(passedOver)
	case o.Cancelled:
		return breaks(flushed, "%s, pending when a flush or the end of the connection cancelled it, had not completed", o.Wr).or(passedOver)
	case o.Refused:
		return breaks(ofChain, "%s, deferred before a post that was refused, had not been indicated and completed", o.Wr).or(passedOver)
	}
	return breaks(inTheEnd, "%s, posted with success, had not completed", o.Wr).or(passedOver)
}

// Unreported is the breach that no callback reported the overflow of a CQ that would explain that a request, as why says, had not completed.
func Unreported(cq, why string) Breach {
	return breaks(forErrors, "%s, and if %s had overflowed, no callback reported it", why, cq).or(passedOver, inTheEnd)
}

// WaitForEachOther is the refusal that a send and the receive that it would have taken are both pending at a moment of rest.
func WaitForEachOther(send, receive string) *model.Refusal {
	return &model.Refusal{Rule: inTheEnd, Why: send + ", posted with success, has not completed, and neither has " + receive + ", which it would have taken"}
}

// LostAndDelivered is the breach that a completion was delivered, as seen says, of a CQ that can only have lost it by an overflow.
func LostAndDelivered(cq, seen string) Breach {
	return breaks(reported, "%s, and what was seen before is possible only if %s had overflowed and lost it", seen, cq).or(passedOver, inTheEnd)
}
