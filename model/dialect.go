// Package model is the contract of tla/ in Go: the same state, the same actions under the same names, the same clauses.
// A state is a value; a step is a pure function from a state and an action to the states that may follow. There is no
// clock, no goroutine and no input or output here.
//
// Where a step is refused, the refusal names the rule that is in the way. That is all that a judge needs to give reasons.
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

// SecondArm says what becomes of an arm that meets an outstanding one.
type SecondArm uint8

// Merge joins both into one arm, which buys one callback (ARM-07). Together keeps both: all outstanding ones complete when
// one is satisfied, as user-mode Notify requests do.
const (
	Merge SecondArm = iota
	Together
)

// Dialect holds the constants in which kernel mode, user mode and libibverbs differ, and how the documentation
// is read. The names are those of Dialect.tla.
type Dialect struct {
	Name       string
	FreshAtArm Modality // an entry placed since the last callback, and matching, is in the CQ at the arm (ARM-04)
	OldAtArm   Modality // only other entries are in the CQ at the arm (ARM-05)
	SecondArm  SecondArm
	ErrorsArm  bool // arms of type ERRORS exist, and CQ errors are reported to an arm (ARM-08)
	Serialised bool // callbacks of a CQ never overlap (ARM-06); where false, an event is data that is read, not run
	ExtraEvent bool // an armed, empty CQ may give an event with nothing to get (ARM-21)

	// A QP that broke before it was connected takes requests for its initiator queue, too (POST-08).
	PostsInError bool

	Reading
}

// Ndkpi returns the kernel-mode contract, the default.
func Ndkpi() Dialect {
	return Dialect{Name: "ndkpi", FreshAtArm: Must, OldAtArm: May, SecondArm: Merge, ErrorsArm: true, Serialised: true}
}

// Ndspi returns the user-mode contract.
func Ndspi() Dialect {
	return Dialect{Name: "ndspi", FreshAtArm: Must, OldAtArm: MustNot, SecondArm: Together, ErrorsArm: true}
}

// Verbs returns the contract of libibverbs as its manual pages have it.
func Verbs() Dialect {
	return Dialect{Name: "verbs", FreshAtArm: MustNot, OldAtArm: MustNot, SecondArm: Merge, ExtraEvent: true, PostsInError: true}
}

// VerbsDevice returns the contract of libibverbs for devices that may notify of entries already present at the arm.
func VerbsDevice() Dialect {
	d := Verbs()
	d.Name, d.FreshAtArm, d.OldAtArm = "verbs (device level)", May, May
	return d
}

// ByName returns the dialect of a trace's header: ndkpi, ndspi or verbs.
func ByName(name string) (Dialect, error) {
	for _, d := range []Dialect{Ndkpi(), Ndspi(), Verbs()} {
		if d.Name == name {
			return d, nil
		}
	}
	return Dialect{}, fmt.Errorf("no dialect %q: there are ndkpi, ndspi and verbs", name)
}
