// Package processor measures the processor time of this program. Unlike the time of a clock, it does not grow with the load of the machine.
package processor

import "time"

// Time is what this process has used so far, the collection of garbage included.
func Time() time.Duration { return used() }
