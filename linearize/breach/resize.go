package breach

import "ndkoracle/model"

// WasNotResized is the reason where a refused resize is to have changed nothing.
var WasNotResized = &model.Refusal{Rule: ofResize, Why: "what was seen is possible only if the CQ had overflowed at the depth that was refused"}

// HoldsMore is the reason against a resize that has to be refused (A16): the CQ has more completions than most, the room at the new depth.
func HoldsMore(most string) *model.Refusal {
	return &model.Refusal{Rule: ofResize, Why: "the CQ holds more than " + most}
}

// Shrunk is the same of a CQ whose completions are known.
func Shrunk(cq string, depth int, held string) Breach {
	return breaks(ofResize, "%s was resized to a depth of %d, and held %s", cq, depth, held)
}

// OrResized is the rule that is broken beside an overflow where a resize was refused: it was to change nothing.
func OrResized() string { return ofResize }
