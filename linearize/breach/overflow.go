package breach

import "ndkoracle/model"

// What an engine finds in the way where a CQ fails, or has failed.
var (
	NoneTooMany = &model.Refusal{Rule: overflow, Why: "no request is pending whose completion could have been one too many"}
	AfterError  = &model.Refusal{Rule: reported, Why: "the CQ has failed, and nothing is placed in it afterwards"}
)

// IsOfOverflow reports whether a refusal is that a CQ can't have overflowed, or must have.
func IsOfOverflow(r *model.Refusal) bool { return r.Rule == overflow }

// IsOfFailedCq reports whether a rule is about a CQ that fails.
func IsOfFailedCq(rule string) bool { return rule == overflow || rule == reported }

// ErrorAgain is the breach that a callback reports an error of its CQ, as seen says, and one was reported before.
func ErrorAgain(seen string) Breach {
	return breaks(reported, "%s, and an error was reported before", seen)
}

// NeverFull is the breach that a callback reports an overflow of a CQ that always had room.
func NeverFull(cq, status string) Breach {
	return breaks(overflow, "the callback of %s reports %s, and there were never more completions than it has room for", cq, status)
}

// HeldTooMany is the breach that a CQ held more completions than it has room for, and reported nothing.
func HeldTooMany(cq string, held, room int) Breach {
	return breaks(overflow, "%s delivered %d completions at once, and has room for %d: it should have overflowed", cq, held, room)
}

// PostedAfterError is the breach that a CQ delivered a request that was posted when it had failed.
func PostedAfterError(cq, wr string) Breach {
	return breaks(reported, "%s delivered %s, which was posted after %s had failed: nothing is placed in it afterwards", cq, wr, cq)
}

// LostNothing is the breach that a CQ that had overflowed has delivered all that it can have lost.
func LostNothing(cq, wr string) Breach {
	return breaks(reported, "%s delivered %s, and with it all that was posted before an overflow was reported, which loses a completion", cq, wr)
}
