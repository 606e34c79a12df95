package refimpl

// bug is a fault of the field that a test build can switch on: one place each, marked by a.seeded.
type bug string

const (
	bugErrorNotSolicited      bug = "error-not-solicited"
	bugSolicitBitIgnored      bug = "solicit-bit-ignored"
	bugLastArmWins            bug = "last-arm-wins"
	bugMergeEquality          bug = "merge-equality"
	bugDisarmAfterCallback    bug = "disarm-after-callback"
	bugArmTakesEffectAtGet    bug = "arm-takes-effect-at-get"
	bugThirdArmBreaks         bug = "third-arm-breaks"
	bugSecondArmDropped       bug = "second-arm-dropped"
	bugNoFireAtArm            bug = "no-fire-at-arm"
	bugFireAgainForReported   bug = "fire-again-for-reported"
	bugTwoCallbacksOneArm     bug = "two-callbacks-one-arm"
	bugCallbackNeverArmed     bug = "callback-never-armed"
	bugCallbacksOverlap       bug = "callbacks-overlap"
	bugRefusedPostNoDoorbell  bug = "refused-post-no-doorbell"
	bugRefusedPostCompletes   bug = "refused-post-completes"
	bugFailureSwallowed       bug = "failure-swallowed"
	bugDuplicateCompletion    bug = "duplicate-completion"
	bugSilentFailureLost      bug = "silent-failure-lost"
	bugFlushMissesLast        bug = "flush-misses-last"
	bugOverflowContinues      bug = "overflow-continues"
	bugWrongInvalidatedToken  bug = "wrong-invalidated-token"
	bugTokenSurvivesPlainPoll bug = "token-survives-plain-poll"
	bugBadTokenAccepted       bug = "bad-token-accepted"
	bugCallbackAfterClose     bug = "callback-after-close"
	bugSwapCompletions        bug = "swap-completions"
)
