//go:build seededbugs

package refimpl

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// seededBug chooses the fault of an adapter.
type seededBug struct {
	// Bug is one of Bugs. If it is empty, the environment's NDK_SEEDED_BUG applies; if both are empty, there is no fault.
	Bug string
}

// prepareBug panics at a name that is none of Bugs: a test build that runs without the fault it was asked for would
// prove nothing.
func (s *seededBug) prepareBug() {
	if s.Bug == "" {
		s.Bug = os.Getenv("NDK_SEEDED_BUG")
	}
	if s.Bug != "" && !slices.Contains(Bugs(), s.Bug) {
		panic(fmt.Sprintf("refimpl: no seeded bug %q; there are %s", s.Bug, strings.Join(Bugs(), ", ")))
	}
}

func (a *adapter) seeded(b bug) bool { return a.options.Bug == string(b) }

// Bugs returns the names of the faults that this build can switch on.
func Bugs() []string {
	return []string{
		string(bugErrorNotSolicited), string(bugSolicitBitIgnored), string(bugLastArmWins), string(bugMergeEquality),
		string(bugDisarmAfterCallback), string(bugArmTakesEffectAtGet), string(bugThirdArmBreaks),
		string(bugSecondArmDropped), string(bugNoFireAtArm), string(bugFireAgainForReported),
		string(bugTwoCallbacksOneArm), string(bugCallbackNeverArmed), string(bugCallbacksOverlap),
		string(bugRefusedPostNoDoorbell), string(bugRefusedPostCompletes), string(bugFailureSwallowed),
		string(bugDuplicateCompletion), string(bugSilentFailureLost), string(bugFlushMissesLast),
		string(bugOverflowContinues), string(bugWrongInvalidatedToken), string(bugTokenSurvivesPlainPoll),
		string(bugBadTokenAccepted), string(bugCallbackAfterClose), string(bugSwapCompletions),
	}
}
