package verdict

import (
	"fmt"

	"ndkoracle/model"
)

// MaxDescribed is the maximal number of explanations that a finding describes.
const MaxDescribed = 4

// ClosesLater is what the provider might have done instead of completing a close.
const ClosesLater = "the close completes when the callback has returned"

// NotOnChannel says why an unexplained event is undecided.
const NotOnChannel = "the trace does not say that the call waited on the channel of this CQ (its field channel, or that of the creation)"

// MovedTwice says why the state of a QP is undecided.
func MovedTwice(qp string) string {
	return "two calls of ibv_modify_qp move " + qp + " at the same time, and the trace does not record which was the last: only calls that do not overlap would decide it"
}

// BroughtBack says why the state of a QP is undecided.
func BroughtBack(qp string) string {
	return "ibv_modify_qp moved " + qp + " to RTS once more, and what becomes of a send queue that a failure had stopped is not followed: only a completion of each request would decide it"
}

// NoCallback says what has to happen before a callback, or an event, is entered.
func NoCallback(what string, q *model.Cq) string {
	switch {
	case q.Open == model.Closed:
		return what + ": the CQ is closed"
	case q.Running:
		return what + " before the one that is running returns"
	case q.Arm == model.NONE:
		return what + " before the next arm"
	case q.Arm == model.ERRORS:
		return what + " before the CQ has an error"
	case q.Arm == model.SOLICITED:
		return what + " before a completion is placed that is solicited or failed"
	}
	return what + " before a completion is placed"
}

// Notice is a dialect's word for the notification of a CQ that was armed.
func Notice(d *model.Dialect) string {
	if d.EventsAreRead {
		return "event"
	}
	return "callback"
}

// NoticesOf names the callbacks, or events, that are due.
func NoticesOf(d *model.Dialect, due int, cq string) string {
	if due == 1 {
		return fmt.Sprintf("the %s of %s", Notice(d), cq)
	}
	return fmt.Sprintf("%d %ss of %s", due, Notice(d), cq)
}

// Counted says how many of something there are.
func Counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
