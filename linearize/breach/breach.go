// Package breach names the rule that a completion breaks, or a callback, and words how, for every engine. An engine finds the request, the place, and what
// follows.
package breach

import "fmt"

// A Breach is a rule that was broken, and how.
type Breach struct {
	Rule, Message string
	Also          []string // the rules that are broken in its place where another explanation is true
	Alone         bool     // it rests on no hidden step and on no message
}

func breaks(rule, format string, args ...any) Breach {
	return Breach{Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// or returns b with the rules that may be broken in its place.
func (b Breach) or(also ...string) Breach {
	b.Also = also
	return b
}

// A poll delivers a completion.

// NoRoom is the breach that a poll by fn returned more completions than it was asked for.
func NoRoom(fn, cq string, delivered int, room int64) Breach {
	return breaks(tooMany, "%s of %s returned %d completions into room for %d", fn, cq, delivered, room)
}

// Unposted is the breach that a request was delivered that had not been posted.
func Unposted(cq, wr string) Breach {
	b := breaks(impossible, "%s delivered a completion of %s, and no request of that name was posted", cq, wr)
	b.Alone = true
	return b
}

// Early is the breach that a request was delivered before it was posted.
func Early(cq, wr string) Breach {
	return breaks(impossible, "%s delivered a completion of %s before %s was posted", cq, wr, wr)
}

// Refused is the breach that a request was delivered whose post had failed.
func Refused(cq, wr, answer string) Breach {
	return breaks(ofRefused, "%s delivered a completion of %s, and the post of %s had returned %s", cq, wr, wr, answer)
}

// RefusedLater is the breach that the post of a request failed, by fn, that had been delivered.
func RefusedLater(cq, wr, fn, answer string) Breach {
	return breaks(ofRefused, "%s of %s returned %s, and %s had delivered its completion before", fn, wr, answer, cq)
}

// Again is the breach that a request was delivered twice.
func Again(cq, wr string) Breach {
	return breaks(again, "%s delivered the completion of %s a second time", cq, wr)
}

// Elsewhere is the breach that a request was delivered by another CQ than its own.
func Elsewhere(cq, wr, home string) Breach {
	return breaks(impossible, "%s delivered the completion of %s, which completes into %s", cq, wr, home)
}

// OfAnotherQp is the breach that a result names another queue pair than that of the post.
func OfAnotherQp(wr, named, posted string) Breach {
	return breaks(impossible, "the completion of %s names %s, and it was posted on %s", wr, named, posted)
}

// Otherwise is the breach that a result has another status than its completion was placed with.
func Otherwise(cq, wr, status string) Breach {
	return breaks(impossible, "%s delivered %s with %s, and its completion was placed with another status", cq, wr, status)
}

// Told is the breach that a silent request succeeded, and was delivered.
func Told(wr string) Breach {
	return breaks(silentFound, "%s was posted as a silent request, succeeded, and has a completion all the same", wr)
}

// Late is the breach that a request was delivered that was pending when its queue pair had closed: a poll had found nothing since.
func Late(cq, qp, wr string) Breach {
	return breaks(afterClose, "the close of %s completed while %s was pending: a poll of %s found nothing afterwards, and a later one had its completion", qp, wr, cq).or(passedOver)
}

// OutOfOrder is the breach that a request was delivered behind one that was posted after it.
func OutOfOrder(cq, wr, before, qp string) Breach {
	return breaks(outOfOrder, "%s delivered %s after %s, and it was posted before it on the same queue of %s", cq, wr, before, qp)
}

// A point shows when a completion is placed.

// PlacedUnposted is the breach that a completion was placed for a request that had not been posted.
func PlacedUnposted(cq, wr string) Breach {
	return breaks(impossible, "a completion of %s was placed in %s, and no request of that name had been posted", wr, cq)
}

// PlacedRefused is the breach that a completion was placed of a request whose post failed.
func PlacedRefused(cq, wr, answer string) Breach {
	return breaks(ofRefused, "a completion of %s was placed in %s, and its post returned %s", wr, cq, answer)
}

// PlacedAgain is the breach that a completion was placed twice.
func PlacedAgain(cq, wr string) Breach {
	return breaks(again, "the completion of %s was placed in %s a second time", wr, cq)
}

// PlacedDelivered is the breach that a completion was placed that a poll had delivered.
func PlacedDelivered(cq, wr string) Breach {
	return breaks(again, "the completion of %s was placed in %s, and a poll had delivered it", wr, cq)
}

// PlacedElsewhere is the breach that a completion was placed in another CQ than its own.
func PlacedElsewhere(cq, wr, home string) Breach {
	return breaks(impossible, "the completion of %s was placed in %s, and it completes into %s", wr, cq, home)
}

// PlacedTold is the breach that a completion was placed of a silent request that succeeded.
func PlacedTold(wr string) Breach {
	return breaks(silentFound, "%s was posted as a silent request, succeeded, and a completion was placed all the same", wr)
}

// PlacedLate is the breach that a completion was placed of a request that was pending when its queue pair had closed.
func PlacedLate(cq, qp, wr string) Breach {
	return breaks(afterClose, "the close of %s completed while %s was pending: its completion was placed in %s afterwards", qp, wr, cq)
}

// PlacedOutOfOrder is the breach that the completion of a request was placed before that of one that was posted before it.
func PlacedOutOfOrder(wr, before, qp string) Breach {
	return breaks(outOfOrder, "the completion of %s was placed before that of %s, which was posted before it on the same queue of %s", wr, before, qp)
}

// What a receive tells of its message, where it is not known which message that is.

// TokenOfNone is the breach that a receive has the type of a message that names a token, and can have taken none.
func TokenOfNone(wr, kind string) Breach {
	return breaks(typeOfResult, "the completion of %s has type %s, and no message that it can have taken names a token: it is Receive", wr, kind)
}

// TokenOfEach is the breach that a receive has the type of a message that names no token, and each that it can have taken names one.
func TokenOfEach(wr, kind string) Breach {
	return breaks(typeOfResult, "the completion of %s has type %s, and each message that it can have taken names a token: it is ReceiveAndInvalidate", wr, kind)
}

// OtherToken is the breach that a receive tells a token that no message names which it can have taken.
func OtherToken(wr string, token uint32) Breach {
	return breaks(tokenOfResult, "%s names the invalidated token %d, and no message that it can have taken does", wr, token)
}

// LostByResize is the breach that a request had to be over by a moment of rest before its CQ was resized, and was not in it afterwards.
func LostByResize(cq, wr string) Breach {
	return breaks(byResize, "the provider was at rest before %s was resized, and its completions afterwards lack that of %s", cq, wr)
}
