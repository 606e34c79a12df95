package conformance

// Reveals names, for each fault that a test build of the reference provider can switch on, the scenario that shows it. Each of these scenarios makes the
// fault's effect visible at the boundary before a quiesce mark, or in the drain after it.
var Reveals = map[string]string{
	// An arm, then one completion that must or must not meet it, then rest: the callback is missing, or one too many.
	"error-not-solicited":     "solicited-errors",
	"solicit-bit-ignored":     "solicited-errors",
	"last-arm-wins":           "arm-merge",
	"merge-equality":          "arm-merge",
	"second-arm-dropped":      "arm-merge",
	"third-arm-breaks":        "arm-merge",
	"arm-takes-effect-at-get": "arm-merge",
	"two-callbacks-one-arm":   "arm-merge",
	"callback-never-armed":    "arm-merge",
	// Rest before the arm and after it: the callback has no other cause, and no excuse to be late.
	"no-fire-at-arm": "arm-present",
	// Armed again after everything was polled, with nothing placed.
	"fire-again-for-reported": "drain",
	// The callback arms, and the next completion comes after it returned, or while it is held.
	"disarm-after-callback": "callback-rearm",
	"callbacks-overlap":     "callback-rearm",
	// Nothing follows the refused post within the round.
	"refused-post-no-doorbell": "chain-inline-failure",
	"refused-post-completes":   "chain-inline-failure",
	"failure-swallowed":        "chain-inline-failure",
	// Everything that was placed is polled, and compared with what was posted.
	"duplicate-completion": "drain",
	"swap-completions":     "drain",
	"silent-failure-lost":  "silent-success",
	"flush-misses-last":    "flush",
	"overflow-continues":   "overflow",
	// The owner's NdkInvalidate after either poll, the token that the Ex poll told, life after an unknown token.
	"wrong-invalidated-token":   "send-and-invalidate",
	"token-survives-plain-poll": "send-and-invalidate",
	"bad-token-accepted":        "send-and-invalidate",
	// Closed while a callback runs and another is owed.
	"callback-after-close": "close",
}
