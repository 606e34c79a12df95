package breach

import "ndkoracle/model"

// What an engine refuses where a request succeeds, and something has ended its connection or its queue, or would have cancelled it.

// AfterBadToken is the refusal that a bad token had ended the connection.
func AfterBadToken() *model.Refusal {
	return &model.Refusal{Rule: BadToken, Why: "a bad token had ended the connection, on which nothing succeeds any more"}
}

// InErrorState is the refusal that its queue pair was in the error state.
func InErrorState() *model.Refusal {
	return &model.Refusal{Rule: OfErrorState, Why: "its queue pair was in the error state, in which nothing succeeds"}
}

// CancelledFirst is the refusal that a request was cancelled before it could end otherwise.
func CancelledFirst(wr string) *model.Refusal {
	return &model.Refusal{Rule: atFlush, Why: "a flush or the end of the connection cancelled " + wr + " before it could have another outcome"}
}

// BehindFailure is the refusal that a request before it failed.
func BehindFailure(failed string) *model.Refusal {
	return &model.Refusal{Rule: OfErrorState, Why: failed + ", posted before it, failed, which ends the connection: nothing succeeds behind that"}
}

// BehindCancelled is the breach that a request ahead of it was cancelled without a flush, on a connection one of whose messages names a token.
func BehindCancelled(cancelled string) *model.Refusal {
	return &model.Refusal{Rule: BadToken, Why: cancelled + ", posted before it, was cancelled, which shows that the connection had ended: by a message whose " +
		"token was not valid, or by a loss. Nothing succeeds on it any more"}
}

// BehindUncaused is the refusal that a request before it was cancelled, and nothing had cancelled that.
func BehindUncaused(cancelled string) *model.Refusal {
	return &model.Refusal{Rule: uncaused, Why: cancelled + ", posted before it, was cancelled, and nothing cancelled that: no flush, close or failed request of the QP came before, " +
		"and the connection was not lost"}
}

// IsOfUncaused reports whether a refusal is that nothing has cancelled a request.
func IsOfUncaused(r *model.Refusal) bool { return r.Rule == uncaused }

// SaysMore reports whether of two rules which one event breaks the first is named, rather than the second: it is the same, or that a bad token ended the
// connection on which a request failed.
func SaysMore(rule, than string) bool {
	return rule == than || rule == BadToken && than == OfErrorState
}

// Uncaused is the breach that a request was flushed, and nothing did what is said, as "flushed it at either host".
func Uncaused(wr, status, did string) Breach {
	return breaks(uncaused, "%s ended with %s, and nothing %s", wr, status, did)
}

// BrokeItself is the same of a request that can only have broken its queue pair itself: it completes with an error of its own.
func BrokeItself(wr, status, did, qp string) Breach {
	return breaks(OwnError, "%s: it broke %s, so it completes with its own error", Uncaused(wr, status, did).Message, qp)
}

// WentOn is the breach that a request was cancelled as at the end of its connection, and one that was posted afterwards succeeded on it.
func WentOn(cancelled, succeeded string) Breach {
	return breaks(uncaused, "%s completed as cancelled, which only the end of its connection explains, and %s, posted afterwards, succeeded: "+
		"the connection had not ended", cancelled, succeeded)
}

// Unconnected is the breach that the post of a request, by fn, succeeded on a queue pair that is not connected.
func Unconnected(fn, wr, qp string) Breach {
	return breaks(NeedConnection, "%s of %s returned success, and %s is not connected", fn, wr, qp)
}

// SucceededUnconnected is the breach that a request succeeded on a queue pair that is not connected.
func SucceededUnconnected(cq, wr, qp string) Breach {
	return breaks(NeedConnection, "%s completed into %s with success, and %s is not connected", wr, cq, qp)
}

// ConnectFailed is the breach that the post of a request, by fn, succeeded on a queue pair whose connection failed by another call.
func ConnectFailed(fn, wr, qp, attempt string) Breach {
	return breaks(NeedConnection, "%s: %s failed", Unconnected(fn, wr, qp).Message, attempt)
}
