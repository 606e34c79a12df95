package automaton

import (
	"ndkoracle/model"
)

// Reasons of this package's own.
var (
	TooFew        = &model.Refusal{Rule: "ARM-21", Why: "what was seen would take more completions than requests were outstanding"}
	BehindFence   = &model.Refusal{Rule: "DEF-04", Why: "a completion that was owed at a moment of rest had not been placed by then"}
	HadEnded      = &model.Refusal{Rule: "ARM-21", Why: "what is still outstanding had ended by a moment of rest"}
	OwedBefore    = &model.Refusal{Rule: "ARM-21", Why: "what is still outstanding had completed by a moment of rest, so its callback came before"}
	OtherExpected = &model.Refusal{Rule: "ARM-02", Why: "an earlier callback was for a completion of another kind, or placed earlier"}
	WasNotResized = &model.Refusal{Rule: "RSZ-03", Why: "what was seen is possible only if the CQ had overflowed at the depth that was refused"}
	CallbackDue   = &model.Refusal{Rule: "ARM-03", Why: "a callback is owed and was not entered"}
	errorUntold   = &model.Refusal{Rule: "ARM-08", Why: "the CQ's error was not reported to its arm"}
)
