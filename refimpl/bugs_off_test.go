//go:build !seededbugs

package refimpl

import "testing"

// The normal build has no seeded bug, whatever the environment says.
func TestNoSeededBugs(t *testing.T) {
	t.Setenv("NDK_SEEDED_BUG", "last-arm-wins")
	if Bugs() != nil || Open(Options{}).(*adapter).seeded(bugLastArmWins) {
		t.Error("a seeded bug in the normal build")
	}
}
