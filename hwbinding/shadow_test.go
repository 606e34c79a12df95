package hwbinding

import (
	"math/rand/v2"
	"testing"

	"ndkoracle/ndk"
)

func entry(status ndk.Status, solicited bool) completion {
	return completion{ndk.ResultEx{Result: ndk.Result{Status: status}}, solicited}
}

var (
	success   = entry(ndk.STATUS_SUCCESS, false)
	solicited = entry(ndk.STATUS_SUCCESS, true)
	failure   = entry(ndk.STATUS_IO_TIMEOUT, false)
	flushed   = entry(ndk.STATUS_CANCELLED, false)
)

// Arms before a completion merge to the strongest (ARM-07), and what that matches makes one callback (ARM-02, ARM-08 to
// ARM-12).
func TestShadowMergesArms(t *testing.T) {
	arms := []strength{armNone, armErrors, armSolicited, armAny}
	due := map[strength]map[string]int{
		armNone: {}, armErrors: {},
		armSolicited: {"solicited": 1, "failure": 1, "flushed": 1},
		armAny:       {"success": 1, "solicited": 1, "failure": 1, "flushed": 1},
	}
	entries := map[string]completion{"success": success, "solicited": solicited, "failure": failure, "flushed": flushed}
	for _, first := range arms {
		for _, second := range arms {
			for name, c := range entries {
				s := shadow{depth: 4}
				s.armAs(first)
				s.armAs(second)
				s.place(c)
				if want := due[max(first, second)][name]; s.due != want {
					t.Errorf("armed %d then %d, a %s completion: %d callbacks due, want %d", first, second, name, s.due, want)
				}
			}
		}
	}
}

// An arm is satisfied by what was placed since the last callback (ARM-04), not by what that reported (ARM-05 leaves it
// open, and seed 0 takes the silent side), and not by what was polled.
func TestShadowArmsWithEntriesPresent(t *testing.T) {
	s := shadow{depth: 4}
	s.place(success)
	s.armAs(armSolicited)
	if s.due != 0 {
		t.Error("a SOLICITED arm was satisfied by an unsolicited success (ARM-12)")
	}
	s.armAs(armAny)
	if s.due != 1 || s.arm != armNone {
		t.Error("an ANY arm was not satisfied at once by a fresh entry (ARM-04)")
	}
	s.enter()
	s.exit()
	s.armAs(armAny)
	if s.due != 0 {
		t.Error("an ANY arm was satisfied by an entry that the last callback reported")
	}
	s.place(flushed)
	if s.due != 1 {
		t.Error("an ANY arm was not satisfied by the next completion (ARM-09)")
	}
	s.enter()
	s.exit()
	s.place(failure)
	if got := s.take(3); len(got) != 3 || s.fresh != 0 {
		t.Errorf("took %d entries, %d fresh are left", len(got), s.fresh)
	}
	s.armAs(armAny)
	if s.due != 0 {
		t.Error("an arm was satisfied by an entry that was polled (ARM-21)")
	}
}

// A callback that is due while one runs waits for it (ARM-06).
func TestShadowSerialisesCallbacks(t *testing.T) {
	s := shadow{depth: 4}
	s.armAs(armAny)
	s.place(success)
	s.enter()
	s.armAs(armAny)
	s.place(success)
	if s.callbackDue() {
		t.Error("a second callback could be entered while one runs")
	}
	s.exit()
	if !s.callbackDue() || s.enter() != ndk.STATUS_SUCCESS {
		t.Error("the deferred callback was lost")
	}
}

// One completion too many is an error (ARM-16) that any arm is satisfied by, whether it came before or comes after (A1),
// once; nothing is placed afterwards (ARM-17), and what was placed can be polled.
func TestShadowOverflow(t *testing.T) {
	for _, early := range []bool{true, false} {
		s := shadow{depth: 1}
		if early {
			s.armAs(armErrors)
		}
		s.place(success)
		s.place(success)
		if !early {
			if s.callbackDue() {
				t.Error("a callback without an arm (ARM-01)")
			}
			s.armAs(armErrors)
		}
		if !s.callbackDue() || s.enter() != ndk.STATUS_BUFFER_OVERFLOW {
			t.Error("the overflow was not reported")
		}
		s.exit()
		s.armAs(armAny)
		s.place(success)
		if s.due > 0 && !early || s.errorDue {
			t.Error("the error was reported twice, or something was placed after it")
		}
		if got := s.take(4); len(got) != 1 {
			t.Errorf("%d entries can be polled after the error, want the 1 that was placed", len(got))
		}
	}
}

// A seed takes both sides of what is open: an arm with only old entries present (ARM-05).
func TestShadowChoices(t *testing.T) {
	sides := map[int]bool{}
	for seed := range uint64(64) {
		s := shadow{depth: 4, coin: rand.New(rand.NewPCG(seed, 0))}
		s.armAs(armAny)
		s.place(success)
		s.enter()
		s.exit()
		s.armAs(armAny)
		sides[s.due] = true
	}
	if !sides[0] || !sides[1] || len(sides) != 2 {
		t.Errorf("64 seeds made these numbers of callbacks: %v; want 0 and 1", sides)
	}
}
