package histories

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// Dice decide what a random run does next.
type dice interface {
	Roll(sides int, label string) int // from 0
	Fatalf(format string, args ...any)
}

// Shrinking dice are rapid's: what they find is made small.
type Shrinking struct{ *rapid.T }

// Roll draws a number below sides.
func (d Shrinking) Roll(sides int, label string) int {
	return rapid.IntRange(0, sides-1).Draw(d.T, label)
}

// Quick dice have nothing to remember, and the same numbers for the same seed.
type Quick struct{ *rand.Rand }

// Roll draws a number below sides.
func (d Quick) Roll(sides int, _ string) int { return d.IntN(sides) }

// Fatalf panics: no test listens.
func (Quick) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Flip is heads or tails.
func Flip(d dice, label string) bool { return d.Roll(2, label) == 1 }
