package linearize

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// Dice decide what a random run does next.
type dice interface {
	roll(sides int, label string) int // from 0
	Fatalf(format string, args ...any)
}

// shrinking dice are rapid's: what they find is made small.
type shrinking struct{ *rapid.T }

func (d shrinking) roll(sides int, label string) int {
	return rapid.IntRange(0, sides-1).Draw(d.T, label)
}

// quick dice have nothing to remember, and the same numbers for the same seed.
type quick struct{ *rand.Rand }

func (d quick) roll(sides int, _ string) int { return d.IntN(sides) }

func (quick) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// flip is heads or tails.
func flip(d dice, label string) bool { return d.roll(2, label) == 1 }
