//go:build !seededbugs

package refimpl

// seededBug adds nothing to the Options of the normal build.
type seededBug struct{}

func (seededBug) prepareBug() {}

func (*adapter) seeded(bug) bool { return false }

// Bugs returns the names of the faults that this build can switch on: none.
func Bugs() []string { return nil }
