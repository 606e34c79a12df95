package automaton

import (
	"ndkoracle/model"
)

// WasNotResized is a reason of this package's own. The others are in package breach.
var WasNotResized = &model.Refusal{Rule: "RSZ-03", Why: "what was seen is possible only if the CQ had overflowed at the depth that was refused"}
