package automaton

import (
	"ndkoracle/model"
)

// Reasons of this package's own. Those of callbacks are in package breach.
var (
	BehindFence   = &model.Refusal{Rule: "DEF-04", Why: "a completion that was owed at a moment of rest had not been placed by then"}
	WasNotResized = &model.Refusal{Rule: "RSZ-03", Why: "what was seen is possible only if the CQ had overflowed at the depth that was refused"}
)
