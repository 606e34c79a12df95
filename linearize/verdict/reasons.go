package verdict

import (
	"fmt"

	"ndkoracle/model"
)

// Why something is undecided is said together with what would have decided it: a field, a function, a point or an option.

// NotAtRest is the reason of every engine for what is undecided in a trace that does not end at rest.
const NotAtRest = "the trace does not end with the provider at rest: " +
	"what must happen eventually is undecided after the last moment of rest; a trace that is recorded to the end of the program, or that marks a quiesce, decides it"

// NotFollowed ends a reason of the streaming engine: a search tries every order of what the trace hides.
const NotFollowed = "is unknown to this engine; --engine porcupine decides it in a trace that is short enough"

// Shorter ends the reason of an engine that a bound of its own has stopped.
const Shorter = "; a shorter trace may be decided, or this one by --engine "

// RecordedBy says which point of the provider records when a request completed.
func RecordedBy(wr string) string {
	return fmt.Sprintf("the point CqePlaced of %s would record when, and --engine porcupine decides it in a trace that is short enough", wr)
}

// CqOfBefore says why a CQ is undecided that was created before the trace began.
func CqOfBefore(cq, dialect string) string {
	return fmt.Sprintf("the trace does not hold the creation of %s, so it is not known how it was armed and what it held; a trace that begins before its %s decides it",
		cq, words(dialect, "NdkCreateCq", "ibv_create_cq"))
}

// QpOfBefore says why a QP is undecided that was created before the trace began.
func QpOfBefore(qp, dialect string) string {
	return fmt.Sprintf("the trace does not hold the creation of %s, so it is not known where its requests complete; a trace that begins before its %s decides it",
		qp, words(dialect, "NdkCreateQp", "ibv_create_qp"))
}

// TakesShared says why a CQ is undecided in which receives of a shared receive queue may complete. If no QP names such a queue, that may be any CQ.
func TakesShared(cq string, named bool, dialect string) string {
	reason := "receives of a shared receive queue may complete into " + cq
	if named {
		return fmt.Sprintf("%s, and which queue pair took what %s posted is not followed; receive queues of the queue pairs' own would decide it", reason, words(dialect, "NdkSrqReceive", "ibv_post_srq_recv"))
	}
	return fmt.Sprintf("%s, as no %s has the field srq", reason, words(dialect, "NdkCreateQpWithSrq", "ibv_create_qp"))
}

// PostedOnShared says why a CQ is undecided that delivered a receive of a shared receive queue.
func PostedOnShared(wr, dialect string) string {
	return fmt.Sprintf("%s was posted on a shared receive queue, and which queue pair took it is not followed; a receive queue of the queue pair's own, and %s, would decide it", wr, words(dialect, "NdkReceive", "ibv_post_recv"))
}

// MayNameBadToken says why a QP is undecided: a message of its peer may have named a bad token, and the receives come from a shared queue, so the
// message is not followed.
func MayNameBadToken(peer string) string {
	return fmt.Sprintf("a message of %s may have named a bad token, and as its receives come from a shared queue it is not followed; receive queues of the queue pairs' own would decide it", peer)
}

// Unsettled says why a QP is undecided that was moved to a state in which requests are dropped, or wait.
func Unsettled(qp, state string) string {
	return fmt.Sprintf("%s was put into the state %s, and what ibv_modify_qp drops or holds back there is not followed, whatever the trace records", qp, state)
}

// DeviceFailed says why a CQ is undecided for which the device reported an error.
func DeviceFailed(event, cq string) string {
	return fmt.Sprintf("the device reported %s: %s may have lost completions, and what ibv_get_async_event does not say of that is not followed", event, cq)
}

// Dropped says why all of a trace is undecided that lacks events.
func Dropped(n uint64) string {
	return fmt.Sprintf("the recorder dropped %d events (dropped of the end record): what is missing could explain anything; a larger buffer, drained more often, drops none", n)
}

// TokenUntold says why the validity of tokens is undecided.
func TokenUntold(wr string) string {
	return fmt.Sprintf("the trace does not record the token of %s, so the state of tokens is unknown; its field token decides it", wr)
}

// TokenContradicted says why the validity of tokens is undecided.
func TokenContradicted(wr string) string {
	return fmt.Sprintf("the receive of %s names another token (its field token), so the state of both is unknown: the right one would decide it", wr)
}

// ReadInvalidates says why the validity of tokens is undecided.
func ReadInvalidates(wr string) string {
	return fmt.Sprintf("%s is a read with RDMA_READ_LOCAL_INVALIDATE: whether it made its token invalid depends on the adapter and on its outcome (INV-01, INV-02), "+
		"which the trace does not record; an NdkInvalidate in its place would say it", wr)
}

// ResizedTwice says why a CQ is undecided that two overlapping calls resize.
func ResizedTwice(cq, dialect string) string {
	fn := words(dialect, "NdkResizeCq", "ibv_resize_cq")
	return fmt.Sprintf("%s is resized while another resize of it is pending, and nothing says which of them counts; one %s that waits for the other decides it", cq, fn)
}

// words returns the name of a function in the words of a dialect.
func words(dialect, ndk, ibv string) string {
	if d, err := model.ByName(dialect); err == nil && d.Ibverbs {
		return ibv
	}
	return ndk
}
