package processor

import "testing"

// Work takes time, and none is given back.
func TestTime(t *testing.T) {
	before, after := Time(), Time()
	for after == before { // the clock of some systems ticks every 16 ms
		after = Time()
	}
	if after < before {
		t.Errorf("%v, and %v before", after, before)
	}
}
