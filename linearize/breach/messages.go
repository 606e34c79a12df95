package breach

import "ndkoracle/model"

// What an engine finds in the way of a completion, where the model would allow it.
var (
	NotPlaced    = &model.Refusal{Rule: impossible, Why: "no timing of the hidden steps places this completion before the poll that delivers it"}
	HaveVanished = &model.Refusal{Rule: passedOver, Why: "what was seen of the CQ is possible without them alone"}
	OutOfTurn    = &model.Refusal{Rule: outOfOrder, Why: "a completion that was delivered before it had not been placed"}
)

// IsOfPassedOver reports whether a rule is that a poll delivers what is there.
func IsOfPassedOver(rule string) bool { return rule == passedOver }

// EarlierPending is what an engine refuses where a request completes, and one that was posted before it on the same queue has not.
func EarlierPending(wr string) *model.Refusal {
	return &model.Refusal{Rule: outOfOrder, Why: wr + ", posted before it on the same queue, has not completed"}
}

// Passes is the breach that a request was delivered, and one that was posted before it on the same queue has not completed.
func Passes(cq, wr, before, qp string) Breach {
	return breaks(outOfOrder, "%s delivered %s, and %s, posted before it on the same queue of %s, has not completed", cq, wr, before, qp)
}

// Passed is the breach that a silent request was delivered which was over without a completion, as one behind it had been delivered.
func Passed(cq, wr string) Breach {
	return breaks(outOfOrder, "%s delivered %s after a request that was posted behind it on the same queue", cq, wr)
}

// AnotherPlacedFirst is the breach that a completion was delivered, as seen says, which another one had to come before.
func AnotherPlacedFirst(seen string) Breach {
	return breaks(impossible, "%s, and another completion had been placed in it before", seen).or(outOfOrder)
}

// BehindLater is the breach that a completion was delivered, as seen says, behind one that was placed later.
func BehindLater(seen, wr string) Breach {
	return breaks(impossible, "%s behind a completion that was placed later: %s had been placed in it by then", seen, wr).or(outOfOrder)
}

// PlacedBefore is the breach that a completion was delivered, and the points show that another one was placed before it.
func PlacedBefore(cq, wr, first string) Breach {
	return breaks(impossible, "%s delivered %s, and %s had been placed before it", cq, wr, first).or(outOfOrder)
}

// Vanished is the breach that a completion was delivered that had vanished with its queue pair.
func Vanished(cq, wr, qp string) Breach {
	return breaks(impossible, "%s delivered %s, and a poll had shown that the completions of %s vanished when it was closed", cq, wr, qp)
}

// A receive succeeds with a message, and a send with a receive.

// NoneLeft says why a receive has no message.
const NoneLeft = "the peer's sends are all accounted for by earlier receives"

// WithoutMessage is the breach that a receive succeeded, and there is no message for it, and why.
func WithoutMessage(wr, why string) Breach {
	return breaks(impossible, "%s completed with success, and %s", wr, why)
}

// MoreReceived is the breach that more receives of a queue pair succeeded than its peer has posted messages: posted of them outside its error state. If
// inErrorState, it posted others in its error state, which may have arrived.
func MoreReceived(wr, qp, peer string, posted int, inErrorState bool) Breach {
	if inErrorState {
		return breaks(OfErrorState, "%s completed with success, and more receives of %s did than %s has posted messages outside its error state (%d)", wr, qp, peer, posted)
	}
	return breaks(impossible, "%s completed with success, and more receives of %s did than %s has posted messages (%d)", wr, qp, peer, posted)
}

// TooManySent is the breach that a send succeeded, and more have than receives were posted that can have taken them, as is said.
func TooManySent(wr, most string) Breach {
	return breaks(impossible, "%s completed with success, and %s", wr, most)
}

// MoreThanSent is the breach that a receive succeeded, and more of them have than messages were sent.
func MoreThanSent(wr string) Breach {
	return WithoutMessage(wr, "more receives did than the peer has sent messages")
}

// RefusedMessage is the breach that more receives have succeeded than messages were sent, as the post of one, by fn, was refused.
func RefusedMessage(fn, wr, answer, qp string) Breach {
	return breaks(impossible, "%s of %s returned %s, and more receives of %s have succeeded than messages were sent to it", fn, wr, answer, qp)
}

// WithoutReceive is the breach that a send succeeded, and there is no receive for it. A silent one has failed, and lacks a completion.
func WithoutReceive(wr string, silently bool) Breach {
	rule := impossible
	if silently {
		rule = silentFailed
	}
	return breaks(rule, "%s succeeded, and the peer's receives are all accounted for by earlier sends, or had ended otherwise", wr)
}

// BeforePeer is the breach that a request succeeded before its peer was connected.
func BeforePeer(wr, peer string) Breach {
	return breaks(impossible, "%s completed with success, and %s, its peer, was not connected yet", wr, peer)
}

// Of two hosts, each with a trace of its own.

// MoreThanTaken is the breach that more sends of a queue pair succeeded than receives of its peer can have taken.
func MoreThanTaken(wr string, sends int, qp, peer string, most int) Breach {
	return breaks(impossible, "%s completed with success: %d sends of %s have, and of the receives of %s no more than %d can have taken a message", wr, sends, qp, peer, most)
}

// MoreThanPosted is the breach that more receives of a queue pair succeeded than its peer has posted messages, which are counted in words.
func MoreThanPosted(wr string, receives int, qp, peer, messages string) Breach {
	return breaks(impossible, "%s completed with success: %d receives of %s have, and %s has posted %s", wr, receives, qp, peer, messages)
}

// OtherHalfLater is the breach that a request succeeded, and what it takes was posted only after that was known. What is that: "send" or "receive".
func OtherHalfLater(wr, what, peer string) Breach {
	return breaks(impossible, "%s completed with success, and the %s of %s that it takes was posted, by what both hosts tell, only after that was known", wr, what, peer)
}

// OtherHalfTaken is the breach that a request succeeded, and each of what it may take was taken by an earlier one.
func OtherHalfTaken(wr, what, peer string) Breach {
	return breaks(impossible, "%s completed with success, and every %s of %s is accounted for by an earlier one", wr, what, peer)
}
