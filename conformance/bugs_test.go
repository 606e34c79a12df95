package conformance_test

import (
	"slices"

	"ndkoracle/linearize/verdict"
)

// within is the number of seeds that must be enough to find a bug.
const within = 200

// broken is the rule that each seeded bug breaks.
var broken = map[string]string{
	"error-not-solicited":       "ARM-11",
	"solicit-bit-ignored":       "ARM-10",
	"last-arm-wins":             "ARM-07",
	"merge-equality":            "ARM-07",
	"disarm-after-callback":     "ARM-09",
	"arm-takes-effect-at-get":   "ARM-09",
	"third-arm-breaks":          "ARM-07",
	"second-arm-dropped":        "ARM-07",
	"no-fire-at-arm":            "ARM-04",
	"fire-again-for-reported":   "ARM-21",
	"two-callbacks-one-arm":     "ARM-02",
	"callback-never-armed":      "ARM-01",
	"callbacks-overlap":         "ARM-06",
	"refused-post-no-doorbell":  "DEF-05",
	"refused-post-completes":    "DEF-03",
	"failure-swallowed":         "DEF-04",
	"duplicate-completion":      "POLL-04",
	"silent-failure-lost":       "FLAG-02",
	"flush-misses-last":         "FLUSH-02",
	"overflow-continues":        "ARM-17",
	"wrong-invalidated-token":   "RES-03",
	"token-survives-plain-poll": "POLL-07",
	"bad-token-accepted":        "INV-05",
	"callback-after-close":      "ARM-20",
	"swap-completions":          "POLL-09",
}

func breaks(r *verdict.Report, rule string) bool {
	return slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
		return f.Verdict == verdict.ProviderViolation && f.Rule == rule
	})
}
