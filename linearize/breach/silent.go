package breach

import "ndkoracle/model"

// A silent request that did not succeed has a completion.

// SilentBefore is what an engine refuses where a request completes behind a silent one that did not succeed.
func SilentBefore(wr string) *model.Refusal {
	return &model.Refusal{Rule: silentFailed, Why: wr + ", a silent request posted before it, failed or was cancelled, and has no completion"}
}

// SilentCancelled is what an engine refuses where a silent request is taken to have succeeded that was cancelled.
func SilentCancelled(wr string) *model.Refusal {
	return &model.Refusal{Rule: silentFailed, Why: "a flush or the end of the connection cancelled " + wr + ", a silent request, and it has no completion"}
}

// OnlyFailed is the breach that a silent request can only have failed, and has no completion.
func OnlyFailed(wr string) Breach {
	return breaks(silentFailed, "%s, a silent request, can only have failed, and has no completion", wr)
}

// FoundEmpty is the breach that a silent request was delivered after a moment of rest behind which its CQ was found empty.
func FoundEmpty(cq, wr string) Breach {
	return breaks(silentFailed, "the provider was at rest, and %s, a silent request, had not completed: %s was found empty afterwards", wr, cq)
}

// CancelledBehind is the breach that requests were cancelled, as seen says, which only the failure of a silent one explains.
func CancelledBehind(seen, silent string) Breach {
	return breaks(silentFailed, "%s, and only a failure of %s, a silent request posted before it, explains the cancelled ones: that has no completion", seen, silent)
}
