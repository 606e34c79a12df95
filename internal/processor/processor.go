// Package processor says how long processors have worked for this program. Others may want them, too: what is measured so does not grow with the load
// of the machine, as the time of a clock does.
package processor

import "time"

// Time is what this process has used so far, the collection of garbage included.
func Time() time.Duration { return used() }
