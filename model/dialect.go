// Package model is the contract of tla/ in Go: the same state, the same actions under the same names, the same clauses. A state is a value. A step is a
// pure function from a state and an action to the possible next states. The package has no clock, no goroutines, and no input or output.
//
// If a step is refused, the refusal names the rule that forbids it. A judge needs no more to give reasons.
package model

import "fmt"

// Modality says whether something has to, can, or must not happen.
type Modality uint8

// The modalities of the contract.
const (
	MustNot Modality = iota
	May
	Must
)

// SecondArm says what an arm does while another one is outstanding.
type SecondArm uint8

// Merge joins both into one arm, which buys one callback (ARM-07). Together keeps both: all outstanding ones complete when
// one is satisfied, as user-mode Notify requests do.
const (
	Merge SecondArm = iota
	Together
)

// Dialect has the constants in which kernel mode, user mode and libibverbs differ, and the reading of the documentation. The names are those of
// Dialect.tla.
type Dialect struct {
	Name       string
	FreshAtArm Modality // an entry placed since the last callback, and matching, is in the CQ at the arm (ARM-04)
	OldAtArm   Modality // only other entries are in the CQ at the arm (ARM-05)
	SecondArm  SecondArm
	ErrorsArm  bool // arms of type ERRORS exist, and CQ errors are reported to an arm (ARM-08)
	Serialised bool // callbacks of a CQ never overlap (ARM-06); where false, an event is data that is read, not run
	ExtraEvent bool // an armed, empty CQ may have an event with nothing to poll (ARM-21)

	// A flush moves a QP to an error state, in which it accepts posts on either queue and flushes them (FLUSH-06, POST-08).
	ErrorState bool

	// A request that fails ends the connection: nothing succeeds behind it (FLUSH-06). Where this is false A40 says whether.
	FailureEnds bool

	LowAtArm Modality // a shared receive queue has fewer receives than the threshold at the arm (SRQ-03)

	Traced
	Reading
}

// Traced has the differences between interfaces that show in a trace, but in no state of tla/. A judge of traces needs them.
type Traced struct {
	// The words are libibverbs's: functions, flags, opcodes, statuses, and types of queue pairs.
	Ibverbs bool

	// A notification is an event that waits in a channel until the consumer reads it, and not a callback that the provider
	// enters. The contract of tla/ calls either a callback.
	EventsAreRead bool

	// Requests can be deferred: there is NDK_OP_FLAG_DEFER (DEF-01).
	Defers bool

	// The loss of a connection cancels the pending requests (RES-10). If this is false, it fails the request that encounters it.
	LossCancels bool

	// A failed request may be reported as flushed, as Soft-RoCE does (RES-11). A completion of the contract has the true outcome; this is for comparing
	// it with what a device reports.
	FailsAsFlushed bool

	// Steps may be taken later than they happened: a request that succeeded before its connection ended may be executed after the end. An engine that
	// executes a request when its completion is recorded needs this.
	ExecutesLate bool
}

// Ndkpi returns the kernel-mode contract, the default.
func Ndkpi() Dialect {
	return Dialect{Name: "ndkpi", FreshAtArm: Must, OldAtArm: May, SecondArm: Merge, ErrorsArm: true, Serialised: true, LowAtArm: Must,
		Traced: Traced{LossCancels: true, Defers: true}}
}

// Ndspi returns the user-mode contract.
func Ndspi() Dialect {
	return Dialect{Name: "ndspi", FreshAtArm: Must, OldAtArm: MustNot, SecondArm: Together, ErrorsArm: true, FailureEnds: true, LowAtArm: May,
		Traced: Traced{LossCancels: true}}
}

// Verbs returns the contract of libibverbs as its manual pages have it.
func Verbs() Dialect {
	return Dialect{Name: "verbs", FreshAtArm: MustNot, OldAtArm: MustNot, SecondArm: Merge, ExtraEvent: true,
		ErrorState: true, FailureEnds: true, LowAtArm: May, Traced: Traced{Ibverbs: true, EventsAreRead: true}}
}

// VerbsDevice returns the contract of libibverbs at the level of the device.
func VerbsDevice() Dialect { return Verbs().AtDevice() }

// Kverbs returns the contract of the verbs of Linux for kernel code: libibverbs's arms and queue pairs, and a comp_handler that is called back, one call
// at a time (Linux, Documentation/infiniband/core_locking.rst).
func Kverbs() Dialect {
	d := Verbs()
	d.Name, d.Serialised, d.EventsAreRead = "kverbs", true, false
	return d
}

// AtDevice returns d for devices that may notify of entries already present at the arm, and may report a request that failed as one that was flushed.
func (d Dialect) AtDevice() Dialect {
	d.FreshAtArm, d.OldAtArm, d.FailsAsFlushed = May, May, true
	return d
}

// ends reports whether a request that fails ends its connection, and whatever cancels one shows that it has ended (FLUSH-06,
// A40).
func (d Dialect) ends() bool { return d.FailureEnds || d.A40 == A40Ends }

// QpType is a type of queue pair. Kernel mode and user mode have RC alone.
type QpType uint8

// The types, as IBV_QPT_ names them. An XRC queue pair promises what RC does.
const (
	RC QpType = iota
	UC
	UD
)

// Promise is what a queue pair of one type promises: Promises of Dialect.tla.
type Promise struct {
	Delivers     bool // a message that succeeds was taken by a receive; if false, it may be lost silently
	EndsWithPeer bool // the peer or the network may end the connection, and requests are cancelled for it
	SendsApart   bool // a failed initiator request stops the initiator queue alone
}

// Promise returns what a queue pair of the type promises.
func (t QpType) Promise() Promise {
	return [...]Promise{
		RC: {Delivers: true, EndsWithPeer: true},
		UC: {SendsApart: true},
		UD: {SendsApart: true},
	}[t]
}

// ByName returns the dialect of a trace's header: ndkpi, ndspi, verbs or kverbs.
func ByName(name string) (Dialect, error) {
	for _, d := range []Dialect{Ndkpi(), Ndspi(), Verbs(), Kverbs()} {
		if d.Name == name {
			return d, nil
		}
	}
	return Dialect{}, fmt.Errorf("no dialect %q: there are ndkpi, ndspi, verbs and kverbs", name)
}
