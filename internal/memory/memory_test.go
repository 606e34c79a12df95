package memory

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"testing"
)

// A guard ends what is watched once too much memory is in use, and says so; what has ended by itself, and what is watched later, goes on.
func TestGuardEndsWhatIsWatched(t *testing.T) {
	g := NewGuard(t.Context(), 1<<40)
	over, end := g.Watch(t.Context())
	end()
	watched, stop := g.Watch(t.Context())
	defer stop()
	if g.look(1 << 40); watched.Err() != nil {
		t.Errorf("ended at its limit: %v", context.Cause(watched))
	}
	g.look(1<<40 + 1)
	if err := context.Cause(watched); !errors.Is(err, ErrLimit) {
		t.Errorf("cause %v", err)
	}
	if err := context.Cause(over); errors.Is(err, ErrLimit) {
		t.Errorf("what had ended before: %v", err)
	}
	later, stopLater := g.Watch(t.Context())
	defer stopLater()
	if later.Err() != nil {
		t.Error("what is watched later has ended")
	}
}

// A guard sees by itself that the process uses more than it may.
func TestGuardLooks(t *testing.T) {
	watched, stop := NewGuard(t.Context(), 1).Watch(t.Context())
	defer stop()
	<-watched.Done()
	if err := context.Cause(watched); !errors.Is(err, ErrLimit) {
		t.Errorf("cause %v", err)
	}
}

// What is reserved raises the soft limit, in steps, and is given back; without a limit nothing is set.
func TestReservations(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	var first, second Reservation
	if first.Set(100 << 20); debug.SetMemoryLimit(-1) != before {
		t.Error("a limit was set where there was none")
	}
	SetSoftLimit(200 << 20)
	defer func() { soft.base = 0 }()
	is := func(mebibytes int64) {
		t.Helper()
		if have := debug.SetMemoryLimit(-1); have != mebibytes<<20 {
			t.Errorf("a limit of %d MiB, want %d", have>>20, mebibytes)
		}
	}
	is(200 + 104)
	second.Set(1)
	is(200 + 104 + 8)
	first.Set(97 << 20)
	is(200 + 104 + 8)
	first.Set(0)
	second.Set(0)
	is(200)
	t.Setenv("GOMEMLIMIT", "1GiB")
	if SetSoftLimit(math.MaxInt64); debug.SetMemoryLimit(-1) != 200<<20 {
		t.Error("the limit of the environment was changed")
	}
}
