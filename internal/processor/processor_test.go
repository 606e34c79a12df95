package processor

import "testing"

// Work takes time, and none is given back.
func TestTime(t *testing.T) {
	before, sum := Time(), 0
	for Time() == before { // the clock of some systems ticks every 16 ms
		for i := range 1 << 16 {
			sum += i
		}
	}
	if after := Time(); after < before || sum == 0 {
		t.Errorf("%v, and %v before", after, before)
	}
}
