package timeline

import "math"

// A Time is an event of the trace, and a number of steps behind it.
type Time int64

const (
	stepBits  = 12
	mostSteps = 1<<stepBits - 2 // between two events
)

// Never is later than every event.
const Never = Time(math.MaxInt64 / 2)

// At returns the first time behind an event.
func At(event int) Time { return Time(event) << stepBits }

// Before returns the last time before an event.
func Before(event int) Time { return Time(event)<<stepBits - 1 }

// Event returns the event that t is behind.
func (t Time) Event() int { return int(t >> stepBits) }

// after returns t and some steps. Where more variables were alive at once than there are steps between two events, a chain of them
// may leave no room: then the sum stays before the next event, which is a weaker bound.
func (s *Solver) after(t, steps Time) Time {
	if steps > 0 && t < Never && (t+steps)>>stepBits != t>>stepBits && len(s.nodes) > mostSteps {
		return t
	}
	return min(t+steps, Never)
}
