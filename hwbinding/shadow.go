package hwbinding

import (
	"math/rand/v2"

	"ndkoracle/ndk"
)

// completion is an entry of a CQ.
type completion struct {
	ndk.ResultEx
	solicited bool // a receive whose sender asked for an event
}

// strength orders the arms as they merge (ARM-07).
type strength int

const (
	armNone strength = iota
	armErrors
	armSolicited
	armAny
)

var strengths = map[ndk.NotifyType]strength{
	ndk.NDK_CQ_NOTIFY_ERRORS:    armErrors,
	ndk.NDK_CQ_NOTIFY_SOLICITED: armSolicited,
	ndk.NDK_CQ_NOTIFY_ANY:       armAny,
}

// shadow is the part of a CQ that the contract speaks of. It knows no device and no lock.
type shadow struct {
	depth    int
	entries  []completion // oldest first
	fresh    int          // how many of the newest were placed since a callback was last entered
	arm      strength
	due      int        // callbacks owed for completions
	errorDue bool       // the error callback is owed
	reported bool       // the error callback was entered
	running  bool       // a callback was entered and has not returned
	health   ndk.Status // STATUS_SUCCESS, or the CqStatus of the error callback
	coin     *rand.Rand // for the choices that the contract permits; nil: the fewest callbacks
}

func (s *shadow) may() bool { return s.coin != nil && s.coin.Uint64()&1 == 1 }

// place appends a completion. One too many is lost, and an error of the CQ (ARM-16); after an error nothing is placed
// any more (ARM-17).
func (s *shadow) place(c completion) {
	switch {
	case s.health != ndk.STATUS_SUCCESS:
		return
	case len(s.entries) == s.depth:
		s.fail(ndk.STATUS_BUFFER_OVERFLOW)
		return
	}
	s.entries = append(s.entries, c)
	s.fresh++
	if s.matches(c) {
		s.satisfy()
	}
}

// fail is an error of the CQ. It satisfies an arm of any type, or waits for one (A1).
func (s *shadow) fail(status ndk.Status) {
	if s.health != ndk.STATUS_SUCCESS {
		return
	}
	s.health = status
	if s.arm != armNone {
		s.arm, s.errorDue = armNone, true
	}
}

// armAs is NdkArmCq.
func (s *shadow) armAs(arm strength) {
	s.arm = max(s.arm, arm)
	if s.health != ndk.STATUS_SUCCESS && !s.reported && !s.errorDue {
		s.arm, s.errorDue = armNone, true
		return
	}
	for _, c := range s.entries[len(s.entries)-s.fresh:] {
		if s.matches(c) {
			s.satisfy() // ARM-04
			return
		}
	}
	if len(s.entries) > 0 && s.may() {
		s.satisfy() // ARM-05
	}
}

// matches says whether the completion satisfies the present arm. That failed completions don't satisfy ERRORS is this
// provider's choice (A4).
func (s *shadow) matches(c completion) bool {
	switch s.arm {
	case armAny:
		return true // ARM-09
	case armSolicited:
		return c.solicited || c.Status != ndk.STATUS_SUCCESS // ARM-10, ARM-11, ARM-12
	}
	return false
}

// satisfy consumes the arm (ARM-02). Where a callback is owed already, one or two are right (A2).
func (s *shadow) satisfy() {
	s.arm = armNone
	if s.due == 0 || s.may() {
		s.due++
	}
}

// take removes at most n of the oldest entries.
func (s *shadow) take(n int) []completion {
	n = min(n, len(s.entries))
	taken := s.entries[:n]
	s.entries = s.entries[n:]
	s.fresh = min(s.fresh, len(s.entries))
	return taken
}

// callbackDue says whether a callback can be entered now (ARM-06).
func (s *shadow) callbackDue() bool { return !s.running && (s.due > 0 || s.errorDue) }

// enter begins an owed callback and returns its CqStatus. Nothing that is present stays fresh.
func (s *shadow) enter() ndk.Status {
	s.fresh, s.running = 0, true
	if s.due > 0 {
		s.due--
		return ndk.STATUS_SUCCESS
	}
	s.errorDue, s.reported = false, true
	return s.health
}

func (s *shadow) exit() { s.running = false }
