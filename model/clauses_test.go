package model

import (
	"reflect"
	"testing"
)

// Entries of a CQ, told apart by their kind.
var (
	ok        = Completion{Queue: Receive, Request: 1, Token: NoToken}
	solicited = Completion{Queue: Receive, Request: 2, Solicited: true, Token: NoToken}
	failed    = Completion{Queue: Receive, Request: 3, Status: FAILED, Token: NoToken}
	cancelled = Completion{Queue: Receive, Request: 4, Status: CANCELLED, Token: NoToken}
)

func entries(c ...Completion) []Completion { return c }

// armed returns a CQ that is armed and empty.
func armed(a Arm) Cq { return Cq{Arm: a, Waiting: 1} }

func assume(d Dialect, reading, value string) Dialect {
	d, err := d.Assume(reading, value)
	if err != nil {
		panic(err)
	}
	return d
}

// check takes one step, and wants the states after it in their order, or the rule of the refusal.
func check(t *testing.T, c *Contract, before State, a Action, rule string, after ...State) {
	t.Helper()
	next, refusal := c.Step(before, a)
	if rule != "" {
		if refusal == nil || refusal.Rule != rule || refusal.Why == "" || next != nil {
			t.Errorf("%+v leads to %+v, refused %+v; want it refused by %s", a, next, refusal, rule)
		}
		return
	}
	if refusal != nil {
		t.Errorf("%+v is refused by %s: %s", a, refusal.Rule, refusal.Why)
	} else if !reflect.DeepEqual(next, after) {
		t.Errorf("%+v leads to\n%+v, want\n%+v", a, next, after)
	}
}

// ofDepth2 gives a CQ the depth that it has at first.
func ofDepth2(q Cq) Cq {
	if q.Depth == 0 {
		q.Depth = 2
	}
	return q
}

// Every clause of a CQ: the state before, the action, and the states after or the rule that refuses it.
func TestClausesOfCq(t *testing.T) {
	var (
		ndkpi, ndspi, verbs, device = Ndkpi(), Ndspi(), Verbs(), VerbsDevice()

		armAny, armSolicited, armErrors = Action{Name: NdkArmCq, Type: ANY}, Action{Name: NdkArmCq, Type: SOLICITED}, Action{Name: NdkArmCq, Type: ERRORS}
		enter                           = Action{Name: NdkCqNotificationCallbackEnter}
		enterOverflow                   = Action{Name: NdkCqNotificationCallbackEnter, CqStatus: BufferOverflow}
		exit                            = Action{Name: NdkCqNotificationCallbackExit}
		overflow, internal              = Action{Name: Overflow}, Action{Name: CqInternalError}
		closeCq, closed                 = Action{Name: NdkCloseCq}, Action{Name: NdkCloseCompletion}
		extra                           = Action{Name: ExtraEvent}

		place = func(c Completion) Action { return Action{Name: Place, Completion: c} }
		poll  = func(n, k int) Action { return Action{Name: NdkGetCqResults, N: n, K: k} }
		with1 = func(c Completion, q Cq) Cq { q.Entries, q.Fresh = entries(c), 1; return q }
	)
	tests := []struct {
		name    string
		dialect Dialect
		before  Cq
		action  Action
		rule    string
		after   []Cq
	}{
		{"ARM-09: ANY is satisfied by any", ndkpi, armed(ANY), place(ok), "", []Cq{with1(ok, Cq{Due: 1})}},
		{"ARM-10: SOLICITED by a solicited one", ndkpi, armed(SOLICITED), place(solicited), "", []Cq{with1(solicited, Cq{Due: 1})}},
		{"ARM-11: SOLICITED by a failed one", ndkpi, armed(SOLICITED), place(failed), "", []Cq{with1(failed, Cq{Due: 1})}},
		{"ARM-11: and by a cancelled one", verbs, armed(SOLICITED), place(cancelled), "", []Cq{with1(cancelled, Cq{Due: 1})}},
		{"ARM-12: SOLICITED by no other", ndkpi, armed(SOLICITED), place(ok), "", []Cq{with1(ok, armed(SOLICITED))}},
		{"ARM-08: ERRORS by none that succeeded", ndkpi, armed(ERRORS), place(solicited), "", []Cq{with1(solicited, armed(ERRORS))}},
		{"A4: ERRORS may be by a failed one", ndkpi, armed(ERRORS), place(failed), "",
			[]Cq{with1(failed, Cq{Due: 1}), with1(failed, armed(ERRORS))}},
		{"A4: must", assume(ndkpi, "A4", "MUST"), armed(ERRORS), place(failed), "", []Cq{with1(failed, Cq{Due: 1})}},
		{"A4: must not", assume(ndkpi, "A4", "MUST NOT"), armed(ERRORS), place(failed), "", []Cq{with1(failed, armed(ERRORS))}},
		{"ARM-01: no arm, no callback", ndkpi, Cq{}, place(failed), "", []Cq{with1(failed, Cq{})}},
		{"ARM-16: no room", ndkpi, Cq{Entries: entries(ok, ok, ok)}, place(ok), "ARM-16", nil},
		{"A35: room for more than was asked", ndkpi, Cq{Entries: entries(ok, ok)}, place(ok), "", []Cq{{Entries: entries(ok, ok, ok), Fresh: 1}}},
		{"A35: no more than was asked", assume(ndkpi, "A35", "EXACT"), Cq{Entries: entries(ok, ok)}, place(ok), "ARM-16", nil},
		{"ARM-17: not after an error", ndkpi, Cq{Health: InternalError}, place(ok), "ARM-17", nil},
		{"LIFE-04: not after close", ndkpi, Cq{Open: Closed}, place(ok), "LIFE-04", nil},
		{"LIFE-04: while it closes, it may", ndkpi, Cq{Open: Closing}, place(ok), "", []Cq{with1(ok, Cq{Open: Closing})}},

		{"ARM-04: a fresh match must", ndkpi, with1(ok, Cq{}), armAny, "", []Cq{with1(ok, Cq{Due: 1})}},
		{"ARM-04: of the kind that is waited for", ndkpi, with1(ok, Cq{}), armSolicited, "",
			[]Cq{with1(ok, Cq{Due: 1}), with1(ok, armed(SOLICITED))}},
		{"ARM-04: by the merged arm", ndkpi, with1(ok, armed(SOLICITED)), armAny, "", []Cq{with1(ok, Cq{Due: 1})}},
		{"ARM-04: also where the first arm is the stronger", ndkpi, with1(ok, armed(ANY)), armSolicited, "", []Cq{with1(ok, Cq{Due: 1})}},
		{"ARM-04: one fresh match among others", ndkpi, Cq{Entries: entries(ok, solicited, ok), Fresh: 2}, armSolicited, "",
			[]Cq{{Entries: entries(ok, solicited, ok), Fresh: 2, Due: 1}}},
		{"ARM-05: an old match may", ndkpi, Cq{Entries: entries(ok)}, armAny, "",
			[]Cq{{Entries: entries(ok), Due: 1}, {Entries: entries(ok), Arm: ANY, Waiting: 1}}},
		{"ARM-05: old ones before the fresh do not count as fresh", ndkpi, Cq{Entries: entries(solicited, ok), Fresh: 1}, armSolicited, "",
			[]Cq{{Entries: entries(solicited, ok), Fresh: 1, Due: 1}, {Entries: entries(solicited, ok), Fresh: 1, Arm: SOLICITED, Waiting: 1}}},
		{"ARM-21: an empty CQ must not", ndkpi, Cq{}, armAny, "", []Cq{armed(ANY)}},
		{"ndspi: fresh must", ndspi, with1(ok, Cq{}), armAny, "", []Cq{with1(ok, Cq{Due: 1})}},
		{"ndspi: old must not", ndspi, Cq{Entries: entries(ok)}, armAny, "", []Cq{{Entries: entries(ok), Arm: ANY, Waiting: 1}}},
		{"ndspi: a fresh failure may be a match of ERRORS (A4)", ndspi, with1(failed, Cq{}), armErrors, "",
			[]Cq{with1(failed, Cq{Due: 1}), with1(failed, armed(ERRORS))}},
		{"verbs: fresh must not", verbs, with1(ok, Cq{}), armAny, "", []Cq{with1(ok, armed(ANY))}},
		{"verbs: old must not", verbs, Cq{Entries: entries(ok)}, armAny, "", []Cq{{Entries: entries(ok), Arm: ANY, Waiting: 1}}},
		{"device: fresh may", device, with1(ok, Cq{}), armAny, "", []Cq{with1(ok, Cq{Due: 1}), with1(ok, armed(ANY))}},
		{"device: old may", device, Cq{Entries: entries(ok)}, armAny, "",
			[]Cq{{Entries: entries(ok), Due: 1}, {Entries: entries(ok), Arm: ANY, Waiting: 1}}},
		{"ARM-13: verbs has no ERRORS arm", verbs, Cq{}, armErrors, "ARM-13", nil},
		{"ARM-13: NONE is no arm", ndkpi, Cq{}, Action{Name: NdkArmCq, Type: NONE}, "ARM-13", nil},
		{"LIFE-06: no arm once close began", ndkpi, Cq{Open: Closing}, armAny, "LIFE-06", nil},

		{"A2: owed once or twice", ndkpi, Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "", []Cq{with1(ok, Cq{Due: 1}), with1(ok, Cq{Due: 2})}},
		{"A2: ONE", assume(ndkpi, "A2", "ONE"), Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "", []Cq{with1(ok, Cq{Due: 1})}},
		{"A2: TWO", assume(ndkpi, "A2", "TWO"), Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "", []Cq{with1(ok, Cq{Due: 2})}},
		{"A2: at an arm", assume(ndkpi, "A2", "TWO"), with1(ok, Cq{Due: 1}), armAny, "", []Cq{with1(ok, Cq{Due: 2})}},
		{"ndspi: arms are kept side by side", ndspi, armed(SOLICITED), armAny, "", []Cq{{Arm: ANY, Waiting: 2}}},
		{"ndspi: and complete together", ndspi, Cq{Arm: ANY, Waiting: 2, Due: 1}, place(ok), "", []Cq{with1(ok, Cq{Due: 3})}},
		{"ndspi: at an arm too", ndspi, with1(ok, armed(SOLICITED)), armAny, "", []Cq{with1(ok, Cq{Due: 2})}},

		{"ARM-06: a callback begins, and all is old", ndkpi, with1(ok, Cq{Due: 2}), enter, "", []Cq{{Entries: entries(ok), Due: 1, Running: true}}},
		{"verbs: an event does not run", verbs, with1(ok, Cq{Due: 1}), enter, "", []Cq{{Entries: entries(ok)}}},
		{"ARM-06: none beside another", ndkpi, Cq{Due: 1, Running: true}, enter, "ARM-06", nil},
		{"ARM-20: none after close", ndkpi, Cq{Due: 1, Open: Closed}, enter, "ARM-20", nil},
		{"LIFE-09: while it closes, it may", ndkpi, Cq{Due: 1, Open: Closing}, enter, "", []Cq{{Running: true, Open: Closing}}},
		{"ARM-01: none without an arm", ndkpi, Cq{Entries: entries(ok)}, enter, "ARM-01", nil},
		{"ARM-12: none for an unsolicited one", ndkpi, with1(ok, armed(SOLICITED)), enter, "ARM-12", nil},
		{"ARM-08: none for no error", ndkpi, with1(ok, armed(ERRORS)), enter, "ARM-08", nil},
		{"ARM-21: none for nothing", ndkpi, armed(ANY), enter, "ARM-21", nil},
		{"ARM-06: a callback returns", ndkpi, Cq{Running: true, Arm: ANY, Waiting: 1}, exit, "", []Cq{armed(ANY)}},
		{"ARM-06: only one that began", ndkpi, Cq{}, exit, "ARM-06", nil},
		{"verbs: an event with nothing to get", verbs, armed(SOLICITED), extra, "", []Cq{{Due: 1}}},
		{"ARM-01: not without an arm", verbs, Cq{}, extra, "ARM-21", nil},
		{"verbs: with something to get it is none", verbs, with1(ok, armed(SOLICITED)), extra, "ARM-21", nil},
		{"ARM-21: not in ndkpi", ndkpi, armed(ANY), extra, "ARM-21", nil},

		{"ARM-16, ARM-08: an overflow satisfies any arm", ndkpi, Cq{Entries: entries(ok, ok, ok), Arm: ERRORS, Waiting: 1}, overflow, "",
			[]Cq{{Entries: entries(ok, ok, ok), ErrorDue: true, Health: BufferOverflow}}},
		{"ARM-16: of what was asked for last", ndkpi, Cq{Entries: entries(ok, ok), Depth: 3}, overflow, "ARM-16", nil},
		{"ARM-16: with no more than was asked", ndkpi, Cq{Entries: entries(ok, ok)}, overflow, "", []Cq{{Entries: entries(ok, ok), Health: BufferOverflow}}},
		{"ARM-08: SOLICITED as well", ndkpi, armed(SOLICITED), internal, "", []Cq{{ErrorDue: true, Health: InternalError}}},
		{"ARM-08: and ANY", ndspi, Cq{Arm: ANY, Waiting: 2, Due: 1}, internal, "", []Cq{{ErrorDue: true, Health: InternalError, Due: 1}}},
		{"A2: an arm whose callback is owed may count as one", ndkpi, Cq{Due: 2}, internal, "",
			[]Cq{{Health: InternalError, ErrorDue: true, Due: 1}, {Health: InternalError, Due: 2}}},
		{"A2: ONE, it does", assume(ndkpi, "A2", "ONE"), Cq{Due: 1}, internal, "", []Cq{{Health: InternalError, ErrorDue: true}}},
		{"A2: TWO, it does not", assume(ndkpi, "A2", "TWO"), Cq{Due: 1}, internal, "", []Cq{{Health: InternalError, Due: 1}}},
		{"A2: not besides one that is outstanding", ndkpi, Cq{Arm: ANY, Waiting: 1, Due: 1}, internal, "",
			[]Cq{{Due: 1, ErrorDue: true, Health: InternalError}}},
		{"verbs: no callback tells of an error", verbs, Cq{Due: 1}, internal, "", []Cq{{Due: 1, Health: InternalError}}},
		{"A1: or waits for one", ndkpi, Cq{}, internal, "", []Cq{{Health: InternalError}}},
		{"A1: which it satisfies", ndkpi, Cq{Health: InternalError}, armErrors, "", []Cq{{Health: InternalError, ErrorDue: true}}},
		{"A1: and only one", ndkpi, Cq{Health: InternalError, ErrorDue: true}, armAny, "",
			[]Cq{{Health: InternalError, ErrorDue: true, Arm: ANY, Waiting: 1}}},
		{"A1: none once it is reported", ndkpi, Cq{Health: InternalError, Reported: true}, armAny, "",
			[]Cq{{Health: InternalError, Reported: true, Arm: ANY, Waiting: 1}}},
		{"A1: the error is told before what the CQ holds", ndkpi, with1(ok, Cq{Health: InternalError}), armAny, "",
			[]Cq{with1(ok, Cq{Health: InternalError, ErrorDue: true})}},
		{"verbs: an error is no matter of arms", verbs, Cq{Arm: ANY, Waiting: 1}, internal, "", []Cq{{Arm: ANY, Waiting: 1, Health: InternalError}}},
		{"verbs: and not latched", verbs, Cq{Health: InternalError}, armAny, "", []Cq{{Arm: ANY, Waiting: 1, Health: InternalError}}},
		{"ARM-16: no overflow with room", ndkpi, with1(ok, Cq{}), overflow, "ARM-16", nil},
		{"ARM-17: a CQ fails once", ndkpi, Cq{Health: BufferOverflow}, internal, "ARM-17", nil},
		{"ARM-20: not once closed", ndkpi, Cq{Open: Closed}, internal, "ARM-17", nil},
		{"A2: the error callback may be the owed one", ndkpi, Cq{Health: BufferOverflow, ErrorDue: true, Due: 2}, enterOverflow, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true, Due: 1}, {Health: BufferOverflow, Reported: true, Running: true, Due: 2}}},
		{"A2: ONE, it is", assume(ndkpi, "A2", "ONE"), Cq{Health: BufferOverflow, ErrorDue: true, Due: 1}, enterOverflow, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true}}},
		{"A2: ONE, nor does another come before it", assume(ndkpi, "A2", "ONE"), Cq{Health: BufferOverflow, ErrorDue: true, Due: 1}, enter, "ARM-08", nil},
		{"A2: TWO, it is not", assume(ndkpi, "A2", "TWO"), Cq{Health: BufferOverflow, ErrorDue: true, Due: 1}, enterOverflow, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true, Due: 1}}},
		{"A2: TWO, and another may come before it", assume(ndkpi, "A2", "TWO"), Cq{Health: BufferOverflow, ErrorDue: true, Due: 1}, enter, "",
			[]Cq{{Health: BufferOverflow, ErrorDue: true, Running: true}}},
		{"A2: ONE is of arms that merge", assume(ndspi, "A2", "ONE"), Cq{Health: BufferOverflow, ErrorDue: true, Due: 1}, enter, "",
			[]Cq{{Health: BufferOverflow, ErrorDue: true}}},
		{"ARM-15: one owed for completions alone", ndkpi, Cq{Health: BufferOverflow, ErrorDue: true}, enterOverflow, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true}}},
		{"ARM-16: the error that it is, no other", ndkpi, Cq{Health: InternalError, ErrorDue: true}, enterOverflow, "ARM-16", nil},
		{"ARM-16: no error", ndkpi, Cq{Due: 1}, enterOverflow, "ARM-16", nil},
		{"ARM-01: an error without an arm", ndkpi, Cq{Health: BufferOverflow}, enterOverflow, "ARM-01", nil},
		{"ARM-17: an error is not reported twice", ndkpi, Cq{Health: BufferOverflow, Reported: true}, enterOverflow, "ARM-17", nil},
		{"ARM-17: what is owed besides still comes", ndkpi, Cq{Health: BufferOverflow, Reported: true, Due: 1}, enter, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true}}},

		{"POLL-04: the oldest leave", ndkpi, Cq{Entries: entries(ok, solicited, failed), Fresh: 3}, poll(2, 2), "", []Cq{{Entries: entries(failed), Fresh: 1}}},
		{"A7: fewer than asked", ndkpi, Cq{Entries: entries(ok, failed), Fresh: 1}, poll(2, 1), "", []Cq{{Entries: entries(failed), Fresh: 1}}},
		{"POLL-06: by either function", ndkpi, Cq{Entries: entries(ok, failed), Fresh: 1}, Action{Name: NdkGetCqResultsEx, N: 2, K: 1}, "",
			[]Cq{{Entries: entries(failed), Fresh: 1}}},
		{"POLL-03: none if there are none", ndkpi, armed(ANY), poll(2, 0), "", []Cq{armed(ANY)}},
		{"POLL-03: and only then", ndkpi, Cq{Entries: entries(ok)}, poll(2, 0), "POLL-03", nil},
		{"A33: a failed CQ may keep what it holds", ndkpi, Cq{Entries: entries(ok), Health: InternalError}, poll(2, 0), "",
			[]Cq{{Entries: entries(ok), Health: InternalError}}},
		{"POLL-02: without room none", ndkpi, Cq{Entries: entries(ok)}, poll(0, 0), "", []Cq{{Entries: entries(ok)}}},
		{"POLL-02: no more than asked", ndkpi, Cq{Entries: entries(ok, ok)}, poll(1, 2), "POLL-02", nil},
		{"POLL-05: no more than there are", ndkpi, Cq{Entries: entries(ok)}, poll(2, 2), "POLL-05", nil},
		{"ARM-17: old entries of a failed CQ", ndkpi, Cq{Entries: entries(ok), Health: BufferOverflow}, poll(1, 1), "",
			[]Cq{{Entries: []Completion{}, Health: BufferOverflow}}},
		{"LIFE-06: no poll once close began", ndkpi, Cq{Entries: entries(ok), Open: Closing}, poll(1, 1), "LIFE-06", nil},

		{"A7: not where that is asked for", assume(ndkpi, "A7", "MUST NOT"), Cq{Entries: entries(ok, failed)}, poll(2, 1), "POLL-03", nil},
		{"A7: as many as there is room for", assume(ndkpi, "A7", "MUST NOT"), Cq{Entries: entries(ok, failed)}, poll(1, 1), "", []Cq{{Entries: entries(failed)}}},
		{"A33: a failed CQ must hand out", assume(ndkpi, "A33", "ALL"), Cq{Entries: entries(ok), Health: InternalError}, poll(2, 0), "POLL-03", nil},
		{"A25: what is fresh and polled is remembered", assume(ndkpi, "A25", "YES"), Cq{Entries: entries(failed, solicited, ok), Fresh: 2}, poll(2, 2), "",
			[]Cq{{Entries: entries(ok), Fresh: 1, Taken: 1<<SOLICITED | 1<<ANY}}},
		{"A25: and satisfies an arm", assume(ndkpi, "A25", "YES"), Cq{Taken: 1<<SOLICITED | 1<<ANY}, armSolicited, "",
			[]Cq{{Taken: 1<<SOLICITED | 1<<ANY, Due: 1}}},
		{"A25: until a callback", assume(ndkpi, "A25", "YES"), Cq{Taken: 1 << ANY, Due: 1}, enter, "", []Cq{{Running: true}}},
		{"A3: a callback that has returned", assume(ndkpi, "A3", "RETURN"), with1(ok, Cq{Running: true}), exit, "", []Cq{{Entries: entries(ok)}}},
		{"A3: not one that begins", assume(ndkpi, "A3", "RETURN"), with1(ok, Cq{Due: 1}), enter, "", []Cq{with1(ok, Cq{Running: true})}},
		{"A3: an event does not return", assume(ndspi, "A3", "RETURN"), with1(ok, Cq{Due: 1}), enter, "", []Cq{{Entries: entries(ok)}}},
		{"A5: SOLICITED may be by any", assume(ndkpi, "A5", "MAY"), armed(SOLICITED), place(ok), "", []Cq{with1(ok, Cq{Due: 1}), with1(ok, armed(SOLICITED))}},
		{"A6: none on an empty CQ", assume(ndkpi, "A6", "NEVER"), Cq{Due: 1}, enter, "ARM-21", nil},
		{"A6: but for an error", assume(ndkpi, "A6", "NEVER"), Cq{Health: BufferOverflow, ErrorDue: true}, enterOverflow, "",
			[]Cq{{Health: BufferOverflow, Reported: true, Running: true}}},
		{"A24: EITHER merges at the bound", assume(ndkpi, "A24", "1"), Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "", []Cq{with1(ok, Cq{Due: 1})}},
		{"A24: TWO has to wait", assume(assume(ndkpi, "A24", "1"), "A2", "TWO"), Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "ARM-03", nil},
		{"A24: below it nothing changes", assume(ndkpi, "A24", "2"), Cq{Arm: ANY, Waiting: 1, Due: 1}, place(ok), "",
			[]Cq{with1(ok, Cq{Due: 1}), with1(ok, Cq{Due: 2})}},
		{"A26: before the first callback nothing is fresh", assume(ndkpi, "A26", "OLD"), Cq{Uncounted: true}, place(ok), "",
			[]Cq{{Entries: entries(ok), Uncounted: true}}},
		{"A26: which ends that", assume(ndkpi, "A26", "OLD"), Cq{Uncounted: true, Due: 1}, enter, "", []Cq{{Running: true}}},
		{"A28: an arm within a callback", ndkpi, with1(ok, Cq{Running: true}), armAny, "", []Cq{with1(ok, Cq{Running: true, Due: 1})}},
		{"A28: waits for the return", assume(ndkpi, "A28", "AT RETURN"), with1(ok, Cq{Running: true}), armAny, "",
			[]Cq{with1(ok, Cq{Running: true, Arm: ANY, Waiting: 1})}},
		{"A28: which looks", assume(ndkpi, "A28", "AT RETURN"), with1(ok, Cq{Running: true, Arm: ANY, Waiting: 1}), exit, "", []Cq{with1(ok, Cq{Due: 1})}},
		{"A1: told to nobody", assume(ndkpi, "A1", "LOST"), Cq{Health: InternalError}, armErrors, "",
			[]Cq{{Health: InternalError, Arm: ERRORS, Waiting: 1}}},
		{"A1: told without an arm", assume(ndkpi, "A1", "NO ARM"), Cq{}, internal, "", []Cq{{Health: InternalError, ErrorDue: true}}},

		{"a resize is asked for", ndkpi, with1(ok, armed(SOLICITED)), Action{Name: NdkResizeCq, Depth: 3}, "",
			[]Cq{with1(ok, Cq{Arm: SOLICITED, Waiting: 1, Resize: ResizeAsked, Asked: 3})}},
		{"ASY-01: one at a time", ndkpi, Cq{Resize: ResizeTold}, Action{Name: NdkResizeCq, Depth: 3}, "ASY-01", nil},
		{"LIFE-06: not once close began", ndkpi, Cq{Open: Closing}, Action{Name: NdkResizeCq, Depth: 3}, "LIFE-06", nil},
		{"RSZ-02, RSZ-03: it is done or refused", ndkpi, Cq{Entries: entries(ok, ok), Resize: ResizeAsked, Asked: 1}, Action{Name: Resize}, "",
			[]Cq{{Entries: entries(ok, ok), Resize: ResizeDone, Depth: 1}, {Entries: entries(ok, ok), Resize: ResizeRefused}}},
		{"A16: below what the CQ holds it is refused", assume(ndkpi, "A16", "REFUSED"), Cq{Entries: entries(ok, ok), Resize: ResizeAsked, Asked: 1},
			Action{Name: Resize}, "", []Cq{{Entries: entries(ok, ok), Resize: ResizeRefused}}},
		{"A16: at what it holds it need not be", assume(ndkpi, "A16", "REFUSED"), Cq{Entries: entries(ok), Resize: ResizeAsked, Asked: 1},
			Action{Name: Resize}, "", []Cq{{Entries: entries(ok), Resize: ResizeDone, Depth: 1}, {Entries: entries(ok), Resize: ResizeRefused}}},
		{"a resize that nobody asked for", ndkpi, Cq{}, Action{Name: Resize}, "ASY-02", nil},
		{"ASY-01: a callback tells of it", ndkpi, Cq{Resize: ResizeDone}, Action{Name: NdkRequestCompletionEnter}, "", []Cq{{Resize: ResizeTold}}},
		{"ASY-01: and of a refusal", ndkpi, Cq{Resize: ResizeRefused}, Action{Name: NdkRequestCompletionEnter, Outcome: FAILED}, "", []Cq{{Resize: ResizeTold}}},
		{"ASY-01: a refusal is no success", ndkpi, Cq{Resize: ResizeRefused}, Action{Name: NdkRequestCompletionEnter}, "ASY-01", nil},
		{"ASY-01: and no resize is cancelled", ndkpi, Cq{Resize: ResizeDone}, Action{Name: NdkRequestCompletionEnter, Outcome: CANCELLED}, "ASY-01", nil},
		{"ASY-01: a success is no refusal", ndkpi, Cq{Resize: ResizeDone}, Action{Name: NdkRequestCompletionEnter, Outcome: FAILED}, "ASY-01", nil},
		{"the callback returns", ndkpi, Cq{Resize: ResizeTold}, Action{Name: NdkRequestCompletionExit}, "", []Cq{{}}},
		{"only one that began", ndkpi, Cq{Resize: ResizeDone}, Action{Name: NdkRequestCompletionExit}, "ASY-01", nil},
		{"LIFE-07: no close while a resize is pending", ndkpi, Cq{Open: Closing, Resize: ResizeTold}, closed, "LIFE-07", nil},

		{"close begins", ndkpi, Cq{Due: 1, Running: true}, closeCq, "", []Cq{{Due: 1, Running: true, Open: Closing}}},
		{"LIFE-06: once", ndkpi, Cq{Open: Closing}, closeCq, "LIFE-06", nil},
		{"ARM-20, LIFE-09: close drops what is owed", ndkpi,
			Cq{Entries: entries(ok), Fresh: 1, Arm: ANY, Waiting: 1, Due: 1, ErrorDue: true, Health: BufferOverflow, Open: Closing}, closed, "",
			[]Cq{{Health: BufferOverflow, Open: Closed}}},
		{"ARM-20: not while a callback runs", ndkpi, Cq{Running: true, Open: Closing}, closed, "ARM-20", nil},
		{"ASY-02: not unless it began", ndkpi, Cq{}, closed, "ASY-02", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Contract{Dialect: test.dialect, Depth: []int{2}, Room: []int{3}}
			var after []State
			for _, q := range test.after {
				after = append(after, State{Cqs: []Cq{ofDepth2(q)}})
			}
			check(t, c, State{Cqs: []Cq{ofDepth2(test.before)}}, test.action, test.rule, after...)
		})
	}
}

func in(p Phase, id int, op Op) Request { return Request{Id: id, Op: op, Token: NoToken, Phase: p} }

const (
	hasSucceeded = Executed + Phase(SUCCESS)
	hasFailed    = Executed + Phase(FAILED)
	wasCancelled = Executed + Phase(CANCELLED)
)

// Every clause of a QP by itself.
func TestClausesOfQp(t *testing.T) {
	send, receive := in(0, 9, Send), in(0, 9, ReceiveOp)
	chain := func(phases ...Phase) []Request {
		var queue []Request
		for i, p := range phases {
			queue = append(queue, in(p, i, Write))
		}
		return queue
	}
	receives := func(phases ...Phase) []Request {
		queue := chain(phases...)
		for i := range queue {
			queue[i].Op = ReceiveOp
		}
		return queue
	}
	reads := func(p Phase, later Request) []Request { return []Request{in(p, 0, Read), later} }
	second := func(o Outcome) Action { return Action{Name: Execute, At: 1, Outcome: o, Token: NoToken} }
	posted := func(queue []Request, p Phase, r Request) []Request { r.Phase = p; return append(queue, r) }
	brought := func(o Outcome) Action {
		return Action{Name: Execute, Queue: Receive, Outcome: o, Solicited: true, Token: 1}
	}
	told := in(hasSucceeded, 0, ReceiveOp)
	told.Solicit, told.Token = true, 1
	execute := func(q Queue, o Outcome) Action { return Action{Name: Execute, Queue: q, Outcome: o, Token: NoToken} }
	var (
		post     = Action{Name: Post, Request: send}
		deferred = Action{Name: Post, Request: send, Deferred: true}
		postRecv = Action{Name: Post, Queue: Receive, Request: receive}
		refused  = Action{Name: PostRefused}
		connect  = Action{Name: NdkConnect}
	)
	tests := []struct {
		name   string
		before Qp
		action Action
		rule   string
		after  Qp
	}{
		{"connect", Qp{}, connect, "", Qp{State: Connected}},
		{"DISC-09: once", Qp{State: Broken}, connect, "DISC-09", Qp{}},
		{"DISC-07: a lost connection cancels nothing", Qp{State: Connected, Initiator: chain(Indicated)}, Action{Name: ConnectionLost}, "",
			Qp{State: Ended, Initiator: chain(Indicated)}},
		{"DISC-07: one that may have ended is lost, too", Qp{State: Doubtful}, Action{Name: ConnectionLost}, "", Qp{State: Ended}},
		{"DISC-07: so is one that a flush left free", Qp{State: Flushed}, Action{Name: ConnectionLost}, "", Qp{State: Ended}},
		{"DISC-07: only a connection can be lost", Qp{}, Action{Name: ConnectionLost}, "DISC-07", Qp{}},

		{"DEF-02: DEFER waits", Qp{State: Connected}, deferred, "", Qp{State: Connected, Initiator: posted(nil, Deferred, send)}},
		{"DEF-05: a post without DEFER indicates all before it", Qp{State: Connected, Initiator: chain(Deferred, Deferred)}, post, "",
			Qp{State: Connected, Initiator: posted(chain(Indicated, Indicated), Indicated, send)}},
		{"POST-08: not before the connection", Qp{}, post, "POST-08", Qp{}},
		{"POST-08: nor when it broke before", Qp{State: BrokenIdle}, post, "POST-08", Qp{}},
		{"POST-09: receives may be", Qp{}, postRecv, "", Qp{Receive: posted(nil, Indicated, receive)}},
		{"A15: after the connection it may be accepted", Qp{State: Broken}, post, "", Qp{State: Broken, Initiator: posted(nil, Indicated, send)}},
		{"a receive indicates no other", Qp{State: Connected, Initiator: chain(Deferred)}, postRecv, "",
			Qp{State: Connected, Initiator: chain(Deferred), Receive: posted(nil, Indicated, receive)}},
		{"LIFE-06: not once closed", Qp{State: QpClosed}, postRecv, "LIFE-06", Qp{}},
		{"DEF-03, DEF-05: a refused post queues nothing, and indicates all before it", Qp{State: Connected, Initiator: chain(hasSucceeded, Deferred)},
			refused, "", Qp{State: Connected, Initiator: chain(hasSucceeded, Indicated)}},
		{"a refused receive changes nothing", Qp{State: Connected, Initiator: chain(Deferred)}, Action{Name: PostRefused, Queue: Receive}, "",
			Qp{State: Connected, Initiator: chain(Deferred)}},
		{"LIFE-06: no refusal either", Qp{State: QpClosed}, refused, "LIFE-06", Qp{}},
		{"DEF-02, DEF-09: the oldest is indicated first", Qp{Initiator: chain(Indicated, Deferred, Deferred)}, Action{Name: HwIndicate}, "",
			Qp{Initiator: chain(Indicated, Indicated, Deferred)}},
		{"DEF-02: only a deferred one", Qp{Initiator: chain(Indicated)}, Action{Name: HwIndicate}, "DEF-02", Qp{}},

		{"POLL-09: the oldest executes first", Qp{State: Connected, Initiator: chain(hasSucceeded, Indicated, Indicated)}, second(SUCCESS), "",
			Qp{State: Connected, Initiator: chain(hasSucceeded, hasSucceeded, Indicated)}},
		{"a failure breaks the connection", Qp{State: Connected, Initiator: chain(Indicated)}, execute(Initiator, FAILED), "",
			Qp{State: Doubtful, Initiator: chain(hasFailed)}},
		{"A40: the first that is cancelled shows that it has ended", Qp{State: Doubtful, Initiator: chain(Indicated)}, execute(Initiator, CANCELLED), "",
			Qp{State: Ended, Initiator: chain(wasCancelled)}},
		{"A40: behind a failure a request may succeed", Qp{State: Doubtful, Initiator: chain(Indicated)}, execute(Initiator, SUCCESS), "",
			Qp{State: Doubtful, Initiator: chain(hasSucceeded)}},
		{"FLUSH-06: nothing succeeds on a connection that has ended", Qp{State: Ended, Receive: receives(Indicated)}, execute(Receive, SUCCESS), "FLUSH-06", Qp{}},
		{"DISC-10: nothing succeeds on one that was disconnected", Qp{State: Disconnected, Initiator: chain(Indicated)}, execute(Initiator, SUCCESS), "DISC-10", Qp{}},
		{"FLAG-09, RES-03: a receive learns what the message brought", Qp{State: Connected, Receive: receives(Indicated)}, brought(SUCCESS), "",
			Qp{State: Connected, Receive: []Request{told}}},
		{"RES-03: one that failed had no message", Qp{State: Connected, Receive: receives(Indicated)}, brought(FAILED), "",
			Qp{State: Doubtful, Receive: receives(hasFailed)}},
		{"an aborted one stays so", Qp{State: Aborted, Initiator: chain(Indicated)}, execute(Initiator, FAILED), "",
			Qp{State: Aborted, Initiator: chain(hasFailed)}},
		{"RES-10: cancelled for a cause", Qp{State: Broken, Receive: receives(Indicated)}, execute(Receive, CANCELLED), "",
			Qp{State: Broken, Receive: receives(wasCancelled)}},
		{"RES-10: not for none", Qp{State: Connected, Receive: receives(Indicated)}, execute(Receive, CANCELLED), "RES-10", Qp{}},
		{"INV-05: no success on an aborted connection", Qp{State: Aborted, Initiator: chain(Indicated)}, execute(Initiator, SUCCESS), "INV-05", Qp{}},
		{"POST-08: nor when it broke before it was connected", Qp{State: BrokenIdle, Receive: receives(Indicated)},
			execute(Receive, SUCCESS), "POST-08", Qp{}},
		{"FLUSH-05: one that broke may be connected", Qp{State: BrokenIdle}, Action{Name: NdkConnect}, "", Qp{State: Flushed}},
		{"POST-08: nor before it is connected", Qp{Receive: receives(Indicated)}, execute(Receive, SUCCESS), "POST-08", Qp{}},
		{"LIFE-06: nor once its close has begun to cancel", Qp{State: QpClosing, Receive: receives(Indicated)}, execute(Receive, SUCCESS), "LIFE-06", Qp{}},
		{"LIFE-06: nor once it is closed", Qp{State: QpClosed, Receive: receives(Indicated)}, execute(Receive, SUCCESS), "LIFE-06", Qp{}},
		{"DEF-02: not while deferred", Qp{State: Connected, Initiator: chain(Deferred)}, execute(Initiator, SUCCESS), "DEF-02", Qp{}},
		{"POLL-05: nothing posted", Qp{State: Connected, Initiator: chain(hasSucceeded)}, execute(Initiator, SUCCESS), "POLL-05", Qp{}},
		{"DEF-04: completes only once executed", Qp{Initiator: chain(Indicated, hasSucceeded)}, Action{Name: Complete}, "DEF-04", Qp{}},
		{"POLL-05: and only what was posted", Qp{}, Action{Name: Complete}, "POLL-05", Qp{}},

		{"FLUSH-01: a flush cancels all without an outcome, deferred ones too",
			Qp{State: Connected, Initiator: chain(hasSucceeded, Indicated, Deferred), Receive: receives(Indicated)}, Action{Name: NdkFlush}, "",
			Qp{State: Flushed, Initiator: chain(hasSucceeded, wasCancelled, wasCancelled), Receive: receives(wasCancelled)}},
		{"FLUSH-05: behind a flush a request may succeed", Qp{State: Flushed, Initiator: chain(Indicated)}, execute(Initiator, SUCCESS), "",
			Qp{State: Flushed, Initiator: chain(hasSucceeded)}},
		{"FLUSH-01: also before the connection", Qp{Receive: receives(Indicated)}, Action{Name: NdkFlush}, "",
			Qp{State: BrokenIdle, Receive: receives(wasCancelled)}},
		{"DISC-08: a disconnect flushes", Qp{State: Connected, Initiator: chain(Deferred)}, Action{Name: NdkDisconnect}, "",
			Qp{State: Disconnected, Initiator: chain(wasCancelled)}},
		{"an aborted one stays so", Qp{State: Aborted}, Action{Name: NdkFlush}, "", Qp{State: Aborted}},
		{"LIFE-06: not once closed", Qp{State: QpClosed}, Action{Name: NdkFlush}, "LIFE-06", Qp{}},
		{"LIFE-10: close cancels as well", Qp{State: Connected, Initiator: chain(Deferred)}, Action{Name: NdkCloseQp}, "",
			Qp{State: QpClosing, Initiator: chain(wasCancelled)}},
		{"LIFE-10: it may wait for the connector (A36)", Qp{State: Connected, Initiator: chain(Indicated)}, Action{Name: NdkCloseQp, Manner: Manner{Waits: true}}, "",
			Qp{State: CloseWaits, Initiator: chain(Indicated)}},
		{"LIFE-10: not without one", Qp{}, Action{Name: NdkCloseQp, Manner: Manner{Waits: true}}, "LIFE-10", Qp{}},
		{"LIFE-10: until then a request may succeed", Qp{State: CloseWaits, Initiator: chain(Indicated)}, execute(Initiator, SUCCESS), "",
			Qp{State: CloseWaits, Initiator: chain(hasSucceeded)}},
		{"LIFE-10: then it cancels", Qp{State: CloseWaits, Initiator: chain(Indicated)}, Action{Name: CloseBegins}, "",
			Qp{State: QpClosing, Initiator: chain(wasCancelled)}},
		{"LIFE-10: also where a failure ended the wait", Qp{State: QpClosing, Initiator: chain(hasFailed, Deferred)}, Action{Name: CloseBegins}, "",
			Qp{State: QpClosing, Initiator: chain(hasFailed, wasCancelled)}},
		{"LIFE-10: once", Qp{State: QpClosing}, Action{Name: CloseBegins}, "ASY-02", Qp{}},
		{"LIFE-06: no post while it waits", Qp{State: CloseWaits}, post, "LIFE-06", Qp{}},
		{"POST-08: not connected", Qp{State: Ended}, Action{Name: PostRefused, Manner: Manner{Invalid: true}}, "", Qp{State: Ended}},
		{"POST-08: a QP that is connected does not say so", Qp{State: Connected}, Action{Name: PostRefused, Manner: Manner{Invalid: true}}, "POST-08", Qp{}},
		{"LIFE-06: once", Qp{State: QpClosing}, Action{Name: NdkCloseQp}, "LIFE-06", Qp{}},
		{"LIFE-06: no post once close began", Qp{State: QpClosing}, post, "LIFE-06", Qp{}},
		{"LIFE-07: the close completes when nothing is left", Qp{State: QpClosing}, Action{Name: NdkCloseCompletionEnter}, "", Qp{State: QpCompleting}},
		{"LIFE-07: not before", Qp{State: QpClosing, Receive: receives(wasCancelled)}, Action{Name: NdkCloseCompletionEnter}, "LIFE-07", Qp{}},
		{"ASY-02: not unless it began", Qp{State: Broken}, Action{Name: NdkCloseCompletionEnter}, "ASY-02", Qp{}},
		{"its callback returns", Qp{State: QpCompleting}, Action{Name: NdkCloseCompletionExit}, "", Qp{State: QpClosed}},
		{"ASY-01: only one that began", Qp{State: QpClosing}, Action{Name: NdkCloseCompletionExit}, "ASY-01", Qp{}},

		{"FLAG-04: reads may be passed", Qp{State: Connected, Initiator: reads(Indicated, Request{Id: 1, Op: Write, Token: NoToken, Phase: Indicated})}, second(SUCCESS), "",
			Qp{State: Connected, Initiator: reads(Indicated, in(hasSucceeded, 1, Write))}},
		{"FLAG-04: not by what has READ_FENCE", Qp{State: Connected, Initiator: reads(Indicated, Request{Id: 1, Op: Write, Fence: true, Token: NoToken, Phase: Indicated})},
			second(SUCCESS), "POLL-09", Qp{}},
		{"FLAG-04: until the read has its data", Qp{State: Connected, Initiator: reads(hasSucceeded, Request{Id: 1, Op: Write, Fence: true, Token: NoToken, Phase: Indicated})},
			second(SUCCESS), "", Qp{State: Connected, Initiator: reads(hasSucceeded, Request{Id: 1, Op: Write, Fence: true, Token: NoToken, Phase: hasSucceeded})}},
		{"POLL-09: others are not passed", Qp{State: Connected, Initiator: chain(Indicated, Indicated)}, second(SUCCESS), "POLL-09", Qp{}},
		{"POLL-09: the first completes first (A9)", Qp{Initiator: chain(hasSucceeded, hasSucceeded)}, Action{Name: Complete, At: 1}, "POLL-09", Qp{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Contract{Dialect: Ndkpi(), Depth: []int{1}, Qps: []Binding{{Peer: -1}}, Tokens: 2}
			state := func(p Qp) State { return State{Cqs: make([]Cq, 1), Qps: []Qp{p}, Tokens: make([]Validity, 2)} }
			check(t, c, state(test.before), test.action, test.rule, state(test.after))
		})
	}
}

// A request completes into the CQ of its queue, unless it succeeded in silence (FLAG-01, FLAG-02, RES-03).
func TestClausesOfComplete(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{1, 1}, Qps: []Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: -1}}}
	tests := []struct {
		name    string
		queue   Queue
		request Request
		cqs     []Cq
	}{
		{"FLAG-01: silent success", Initiator, Request{Id: 5, Silent: true, Token: 0, Phase: hasSucceeded}, []Cq{{}, {}}},
		{"FLAG-02: silent failure", Initiator, Request{Id: 5, Silent: true, Token: 0, Phase: hasFailed},
			[]Cq{{Entries: entries(Completion{Request: 5, Status: FAILED, Type: SendResult, Token: NoToken}), Fresh: 1}, {}}},
		{"FLAG-02: silent, and cancelled", Initiator, Request{Id: 5, Silent: true, Token: 0, Phase: wasCancelled},
			[]Cq{{Entries: entries(Completion{Request: 5, Status: CANCELLED, Type: SendResult, Token: NoToken}), Fresh: 1}, {}}},
		{"FLAG-09: a send is not solicited, its receive is", Initiator, Request{Id: 5, Solicit: true, Token: 0, Phase: hasSucceeded},
			[]Cq{{Entries: entries(Completion{Request: 5, Type: SendResult, Token: NoToken}), Fresh: 1}, {}}},
		{"RES-03: a receive tells the token", Receive, Request{Id: 5, Op: ReceiveOp, Solicit: true, Token: 0, Phase: hasSucceeded},
			[]Cq{{}, {Entries: entries(Completion{Queue: Receive, Request: 5, Type: ReceiveAndInvalidateResult, Solicited: true, Token: 0}), Fresh: 1}}},
		{"RES-03: not one that failed", Receive, Request{Id: 5, Op: ReceiveOp, Solicit: true, Token: 0, Phase: wasCancelled},
			[]Cq{{}, {Entries: entries(Completion{Queue: Receive, Request: 5, Status: CANCELLED, Token: NoToken}), Fresh: 1}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := Qp{}.withQueue(test.queue, []Request{test.request})
			check(t, c, State{Cqs: make([]Cq, 2), Qps: []Qp{before}}, Action{Name: Complete, Queue: test.queue}, "",
				State{Cqs: test.cqs, Qps: []Qp{Qp{}.withQueue(test.queue, []Request{})}})
		})
	}
	// ARM-17: in a failed CQ it has no place, and may get lost.
	failed := State{Cqs: []Cq{{Health: InternalError}, {}}, Qps: []Qp{{Initiator: []Request{in(hasSucceeded, 1, Send)}}}}
	check(t, c, failed, Action{Name: Complete}, "ARM-17")
	lost := State{Cqs: failed.Cqs, Qps: []Qp{{Initiator: []Request{}}}}
	check(t, c, failed, Action{Name: CompletionLost}, "", lost)

	// A21: on a QP that is being closed it may; elsewhere it does not, and what leaves none does not.
	closing := func(p Connection, r Request) State {
		return State{Cqs: make([]Cq, 2), Qps: []Qp{{State: p, Initiator: []Request{r}}}}
	}
	check(t, c, closing(QpClosing, in(wasCancelled, 1, Send)), Action{Name: CompletionLost}, "",
		State{Cqs: make([]Cq, 2), Qps: []Qp{{State: QpClosing, Initiator: []Request{}}}})
	check(t, c, closing(Broken, in(wasCancelled, 1, Send)), Action{Name: CompletionLost}, "DEF-04")
	check(t, c, closing(QpClosing, Request{Id: 1, Silent: true, Phase: hasSucceeded}), Action{Name: CompletionLost}, "DEF-04")
	kept := *c
	kept.Dialect = assume(Ndkpi(), "A21", "KEPT")
	check(t, &kept, closing(QpClosing, in(wasCancelled, 1, Send)), Action{Name: CompletionLost}, "DEF-04")
}

// What crosses a connection: a message, a token, and the end of both.
func TestClausesOfConnection(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{1, 1}, Qps: []Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}, Tokens: 2, Composed: true}
	message := Request{Id: 1, Op: SendAndInvalidate, Solicit: true, Token: 1, Phase: Indicated}
	pending := in(Indicated, 2, ReceiveOp)
	valid := []Validity{Valid, Valid}
	state := func(a, b Connection, send Request, receive Request, tokens ...Validity) State {
		return State{Cqs: make([]Cq, 2), Tokens: tokens,
			Qps: []Qp{{State: a, Initiator: []Request{send}}, {State: b, Receive: []Request{receive}}}}
	}
	as := func(r Request, p Phase) Request { r.Phase = p; return r }
	got := Request{Id: 2, Op: ReceiveOp, Solicit: true, Token: 1, Phase: hasSucceeded}
	deliver := Action{Name: Deliver}
	abort := Action{Name: Abort, Outcome: SUCCESS, Received: CANCELLED}
	idle := State{Cqs: make([]Cq, 2), Tokens: valid, Qps: []Qp{{State: Connected, Initiator: []Request{message}}, {State: Connected}}}

	tests := []struct {
		name   string
		before State
		action Action
		rule   string
		after  State
	}{
		{"INV-06, RES-09, FLAG-09: the token is invalid, the receive knows it", state(Connected, Connected, message, pending, valid...), deliver, "",
			state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid)},
		{"RES-02: a plain send carries none", state(Connected, Connected, in(Indicated, 1, Send), pending, valid...), deliver, "",
			state(Connected, Connected, in(Unacknowledged, 1, Send), as(pending, hasSucceeded), valid...)},
		{"RES-02: though it may name one", state(Connected, Connected, Request{Id: 1, Token: 1, Phase: Indicated}, pending, valid...), deliver, "",
			state(Connected, Connected, Request{Id: 1, Token: 1, Phase: Unacknowledged}, as(pending, hasSucceeded), valid...)},
		{"RES-03: of an unknown token none is told", state(Connected, Connected, in(Indicated, 1, SendAndInvalidate), pending, valid...), deliver, "",
			state(Connected, Connected, in(Unacknowledged, 1, SendAndInvalidate), as(pending, hasSucceeded), valid...)},
		{"POLL-05: it is received once", state(Connected, Connected, as(message, Unacknowledged), pending, valid...), deliver, "POLL-05", State{}},
		{"acknowledged, it succeeds", state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid), Action{Name: Execute}, "",
			state(Connected, Connected, as(message, hasSucceeded), got, Valid, Invalid)},
		{"unacknowledged, it may fail", state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid), Action{Name: Execute, Outcome: FAILED}, "",
			state(Doubtful, Connected, as(message, hasFailed), got, Valid, Invalid)},
		{"RES-10: but is not cancelled without a cause", state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid),
			Action{Name: Execute, Outcome: CANCELLED}, "RES-10", State{}},
		{"FLUSH-01: a flush cancels it", state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid), Action{Name: NdkFlush}, "",
			state(Flushed, Connected, as(message, wasCancelled), got, Valid, Invalid)},
		{"LIFE-10: and so does a close", state(Connected, Connected, as(message, Unacknowledged), got, Valid, Invalid), Action{Name: NdkCloseQp}, "",
			state(QpClosing, Connected, as(message, wasCancelled), got, Valid, Invalid)},
		{"INV-05: a bad token is not delivered", state(Connected, Connected, message, pending, Valid, Invalid), deliver, "INV-05", State{}},
		{"POLL-05: only a message is", state(Connected, Connected, in(Indicated, 1, Write), pending, valid...), deliver, "POLL-05", State{}},
		{"POLL-05: only to a receive", idle, deliver, "POLL-05", State{}},
		{"INV-05: not on an aborted connection", state(Connected, Aborted, message, pending, valid...), deliver, "INV-05", State{}},
		{"INV-05: from neither end of it", state(Aborted, Connected, message, pending, valid...), deliver, "INV-05", State{}},
		{"POST-08: not before it", state(Connected, Idle, message, pending, valid...), deliver, "POST-08", State{}},
		{"INV-05: a bad token aborts, both ways", state(Connected, Connected, message, pending, Valid, Invalid), abort, "",
			state(Aborted, Aborted, as(message, hasSucceeded), as(pending, wasCancelled), Valid, Invalid)},
		{"INV-05: the send may fail, and the receive", state(Connected, Broken, message, pending, Valid, Invalid),
			Action{Name: Abort, Outcome: FAILED, Received: FAILED}, "",
			state(Aborted, Aborted, as(message, hasFailed), as(pending, hasFailed), Valid, Invalid)},
		{"INV-05: the receive does not succeed", state(Connected, Connected, message, pending, Valid, Invalid), Action{Name: Abort}, "INV-05", State{}},
		{"RES-10: the send is not cancelled", state(Connected, Connected, message, pending, Valid, Invalid),
			Action{Name: Abort, Outcome: CANCELLED, Received: FAILED}, "RES-10", State{}},
		{"INV-05: a good token does not abort", state(Connected, Connected, message, pending, valid...), abort, "INV-05", State{}},
		{"INV-05: nor does no token", state(Connected, Connected, in(Indicated, 1, Send), pending, valid...), abort, "INV-05", State{}},
		{"INV-05: nor one that a plain send names", state(Connected, Connected, Request{Id: 1, Token: 1, Phase: Indicated}, pending, Valid, Invalid), abort, "INV-05", State{}},
		{"INV-05: nor one that is not known", state(Connected, Connected, in(Indicated, 1, SendAndInvalidate), pending, Valid, Invalid), abort, "INV-05", State{}},
		{"a message does not succeed alone", idle, Action{Name: Execute}, "POLL-05", State{}},
		{"nor does a receive", state(Connected, Connected, message, pending, valid...), Action{Name: Execute, Qp: 1, Queue: Receive}, "POLL-05", State{}},
		{"alone it may fail", state(Connected, Connected, message, pending, valid...), Action{Name: Execute, Outcome: FAILED}, "",
			state(Doubtful, Connected, as(message, hasFailed), pending, valid...)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { check(t, c, test.before, test.action, test.rule, test.after) })
	}

	// POLL-05: either QP sends to the other.
	back := State{Cqs: make([]Cq, 2), Tokens: valid, Qps: []Qp{{State: Connected, Receive: []Request{pending}}, {State: Connected, Initiator: []Request{message}}}}
	received := State{Cqs: make([]Cq, 2), Tokens: []Validity{Valid, Invalid},
		Qps: []Qp{{State: Connected, Receive: []Request{got}}, {State: Connected, Initiator: []Request{as(message, Unacknowledged)}}}}
	check(t, c, back, Action{Name: Deliver, Qp: 1}, "", received)

	// INV-05: whatever else was pending on either side is cancelled, deferred or not.
	before := state(Connected, Connected, message, pending, Invalid, Invalid)
	before.Qps[0].Initiator = append(before.Qps[0].Initiator, in(Deferred, 3, Write))
	before.Qps[1].Initiator = []Request{in(hasSucceeded, 4, Write), in(Indicated, 5, Write)}
	after := state(Aborted, Aborted, as(message, hasSucceeded), as(pending, wasCancelled), Invalid, Invalid)
	after.Qps[0].Initiator = append(after.Qps[0].Initiator, in(wasCancelled, 3, Write))
	after.Qps[1].Initiator = []Request{in(hasSucceeded, 4, Write), in(wasCancelled, 5, Write)}
	check(t, c, before, abort, "", after)

	// DEF-09: messages are received in posting order, behind those that are unacknowledged, and acknowledged in that order.
	two := func(first, second Request, receive Phase) State {
		s := state(Connected, Connected, first, as(pending, receive), valid...)
		s.Qps[0].Initiator = append(s.Qps[0].Initiator, second)
		return s
	}
	sent := func(id int, p Phase) Request { return in(p, id, Send) }
	check(t, c, two(sent(1, Unacknowledged), sent(3, Indicated), Indicated), deliver, "",
		two(sent(1, Unacknowledged), sent(3, Unacknowledged), hasSucceeded))
	check(t, c, two(sent(1, Unacknowledged), sent(3, Unacknowledged), hasSucceeded), Action{Name: Execute, At: 1}, "POLL-09")
	check(t, c, two(in(Indicated, 1, Bind), sent(3, Indicated), Indicated), deliver, "POLL-09")
	// Writes before a message arrive with it, through a valid token (INV-08), and need it no more.
	write := func(p Phase) Request { return Request{Id: 1, Op: Write, Phase: p} }
	check(t, c, two(write(Indicated), sent(3, Indicated), Indicated), deliver, "",
		two(write(Unacknowledged), sent(3, Unacknowledged), hasSucceeded))
	check(t, c, two(in(Indicated, 1, Write), sent(3, Indicated), Indicated), deliver, "",
		two(in(Unacknowledged, 1, Write), sent(3, Unacknowledged), hasSucceeded))
	dead := func(s State) State {
		s.Tokens = []Validity{Invalid, Valid}
		return s
	}
	check(t, c, dead(two(write(Indicated), sent(3, Indicated), Indicated)), deliver, "INV-08")
	check(t, c, dead(two(write(Unacknowledged), sent(3, Unacknowledged), hasSucceeded)), Action{Name: Execute}, "",
		dead(two(write(hasSucceeded), sent(3, Unacknowledged), hasSucceeded)))
	// But not if they wait for a read themselves, which the message may pass (FLAG-04).
	fenced := state(Connected, Connected, in(Indicated, 1, Read), pending, valid...)
	fenced.Qps[0].Initiator = append(fenced.Qps[0].Initiator, Request{Id: 3, Op: Write, Fence: true, Phase: Indicated}, sent(4, Indicated))
	check(t, c, fenced, deliver, "POLL-09")
	// What does not arrive with the message may wait: it passes a fenced read, and the read before that.
	reads := func(p Phase) State {
		s := state(Connected, Connected, in(Indicated, 1, Read), as(pending, hasSucceeded), valid...)
		s.Qps[0].Initiator = append(s.Qps[0].Initiator, Request{Id: 3, Op: Read, Fence: true, Phase: Indicated}, sent(4, p))
		return s
	}
	passing := reads(Indicated)
	passing.Qps[1].Receive = []Request{pending}
	check(t, c, passing, deliver, "", reads(Unacknowledged))
	check(t, c, two(sent(1, Deferred), sent(3, Indicated), Indicated), deliver, "DEF-02")
	// INV-05: what answers a bad token acknowledges the messages before it.
	check(t, c, two(sent(1, Unacknowledged), Request{Id: 3, Op: SendAndInvalidate, Phase: Indicated}, Indicated), abort, "INV-05")
	bad := two(sent(1, Unacknowledged), Request{Id: 3, Op: SendAndInvalidate, Phase: Indicated}, Indicated)
	bad.Tokens = []Validity{Invalid, Invalid}
	check(t, c, bad, abort, "POLL-09")

	// RES-14: a read is answered by an end that was connected, is there, and, in libibverbs, not in its error state.
	verbs := *c
	verbs.Dialect = Verbs()
	read := func(other Connection, p Phase) State {
		return state(Connected, other, in(p, 1, Read), pending, valid...)
	}
	for other, answers := range map[Connection][2]bool{
		Connected: {true, true}, QpClosing: {true, true}, QpCompleting: {true, true}, QpClosed: {}, Idle: {}, BrokenIdle: {},
		Ended: {true, false},
	} {
		for i, c := range []*Contract{c, &verbs} {
			want, after := "RES-14", State{}
			if answers[i] {
				want, after = "", read(other, hasSucceeded)
			}
			check(t, c, read(other, Indicated), Action{Name: Execute}, want, after)
		}
	}
	swapped := read(QpClosed, Indicated)
	swapped.Qps[0], swapped.Qps[1] = swapped.Qps[1], swapped.Qps[0]
	check(t, c, swapped, Action{Name: Execute, Qp: 1}, "RES-14", State{})
	// RES-14: of a part of the whole, what it does not hold may answer, and so may an end that is not known.
	part := *c
	part.Composed = false
	check(t, &part, read(Idle, Indicated), Action{Name: Execute}, "", read(Idle, hasSucceeded))
	stranger := *c
	stranger.Qps = []Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: -1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: -1}}
	check(t, &stranger, read(Idle, Indicated), Action{Name: Execute}, "", read(Idle, hasSucceeded))
	check(t, &verbs, state(Connected, Ended, in(Indicated, 1, Write), pending, valid...), Action{Name: Execute}, "",
		state(Connected, Ended, in(hasSucceeded, 1, Write), pending, valid...))

	// POLL-05: to an unknown peer nothing is delivered.
	alone := &Contract{Dialect: Ndkpi(), Depth: []int{1}, Qps: []Binding{{Peer: -1}}, Tokens: 2}
	check(t, alone, State{Cqs: make([]Cq, 1), Qps: idle.Qps[:1], Tokens: valid}, deliver, "POLL-05")
}

// Tokens: what makes them valid, and what invalid.
func TestClausesOfTokens(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{1}, Qps: []Binding{{Peer: -1}}, Tokens: 2, ReadInvalidates: true}
	tests := []struct {
		name          string
		op            Op
		outcome       Outcome
		before, after Validity
		rule          string
	}{
		{"MEM-05: a registration makes valid", FastRegister, SUCCESS, Invalid, Valid, ""},
		{"MEM-17: a binding makes valid", Bind, SUCCESS, Invalid, Valid, ""},
		{"what was undefined, too", Bind, SUCCESS, Undefined, Valid, ""},
		{"not one that fails", Bind, FAILED, Invalid, Invalid, ""},
		{"NdkInvalidate makes invalid", Invalidate, SUCCESS, Valid, Invalid, ""},
		{"POLL-08: not what is so already", Invalidate, SUCCESS, Invalid, Invalid, "POLL-08"},
		{"POLL-08, A8: it fails", Invalidate, FAILED, Invalid, Invalid, ""},
		{"one that fails invalidates nothing", Invalidate, FAILED, Valid, Valid, ""},
		{"INV-01: a read that is to invalidate", Read, SUCCESS, Valid, Invalid, ""},
		{"INV-02: and fails", Read, FAILED, Valid, Undefined, ""},
		{"INV-02: which revives nothing", Read, FAILED, Invalid, Invalid, ""},
		{"INV-08: a write through a valid token", Write, SUCCESS, Valid, Valid, ""},
		{"INV-08: through an undefined one it may", Write, SUCCESS, Undefined, Undefined, ""},
		{"INV-08: through an invalid one it can't", Write, SUCCESS, Invalid, Invalid, "INV-08"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			state := func(p Connection, phase Phase, v Validity) State {
				return State{Cqs: make([]Cq, 1), Tokens: []Validity{Valid, v},
					Qps: []Qp{{State: p, Initiator: []Request{{Id: 1, Op: test.op, Token: 1, Phase: phase}}}}}
			}
			connection := Connected
			if test.outcome == FAILED {
				connection = Doubtful
			}
			after := state(connection, Executed+Phase(test.outcome), test.after)
			check(t, c, state(Connected, Indicated, test.before), Action{Name: Execute, Outcome: test.outcome}, test.rule, after)
		})
	}

	state := func(p Connection, r Request, v Validity) State {
		return State{Cqs: make([]Cq, 1), Qps: []Qp{Qp{State: p}.withQueue(r.Op.Queue(), []Request{r})}, Tokens: []Validity{Valid, v}}
	}
	read := Request{Id: 1, Op: Read, Token: 1, Phase: Indicated}
	as := func(r Request, p Phase) Request { r.Phase = p; return r }
	// INV-02: a read that a flush cancels has failed.
	check(t, c, state(Connected, read, Valid), Action{Name: NdkFlush}, "", state(Flushed, as(read, wasCancelled), Undefined))
	// INV-02: one that names no token leaves all as they are.
	check(t, c, state(Connected, in(Indicated, 1, Read), Valid), Action{Name: NdkFlush}, "", state(Flushed, in(wasCancelled, 1, Read), Valid))
	// INV-02: so has one that a close cancels, at once or when it no longer waits.
	check(t, c, state(Connected, read, Valid), Action{Name: NdkCloseQp}, "", state(QpClosing, as(read, wasCancelled), Undefined))
	check(t, c, state(CloseWaits, read, Valid), Action{Name: CloseBegins}, "", state(QpClosing, as(read, wasCancelled), Undefined))
	// INV-05: a token dies with its region.
	check(t, c, state(Connected, read, Valid), Action{Name: TokenDies, Token: 1}, "", state(Connected, read, Invalid))
	check(t, c, state(Connected, read, Invalid), Action{Name: TokenDies, Token: 1}, "INV-05")
	// INV-03: an adapter that does not know the flag ignores it.
	ignores := *c
	ignores.ReadInvalidates = false
	check(t, &ignores, state(Connected, read, Valid), Action{Name: Execute}, "", state(Connected, as(read, hasSucceeded), Valid))
	check(t, &ignores, state(Connected, read, Valid), Action{Name: NdkFlush}, "", state(Flushed, as(read, wasCancelled), Valid))

	// RES-09: a message of a peer that is not known invalidates its token before the receive completes.
	got := in(hasSucceeded, 1, ReceiveOp)
	got.Token = 1
	check(t, c, state(Connected, in(Indicated, 1, ReceiveOp), Valid), Action{Name: Execute, Queue: Receive, Token: 1}, "",
		state(Connected, got, Invalid))
	// One that does not succeed leaves it as it is.
	check(t, c, state(Connected, in(Indicated, 1, ReceiveOp), Valid), Action{Name: Execute, Queue: Receive, Outcome: FAILED, Token: 1}, "",
		state(Doubtful, in(hasFailed, 1, ReceiveOp), Valid))
}

// The readings of posting, refusing, flushing and completing, one clause each: the reading, a state, and what may follow.
func TestClausesOfQpReadings(t *testing.T) {
	chain := func(phases ...Phase) []Request {
		var queue []Request
		for i, p := range phases {
			queue = append(queue, in(p, i, Write))
		}
		return queue
	}
	initiator := func(p Connection, phases ...Phase) Qp { return Qp{State: p, Initiator: chain(phases...)} }
	dead := Request{Id: 9, Op: Invalidate, Token: 0}
	revived := Request{Id: 8, Op: Bind, Token: 0, Phase: Indicated}
	other := Request{Id: 8, Op: Bind, Token: 1, Phase: Indicated}
	unknown := Request{Id: 9, Op: Invalidate, Token: NoToken}
	refused := Action{Name: PostRefused, Request: dead}
	flush := Action{Name: NdkFlush}
	tests := []struct {
		id, choice string
		before     []Qp
		action     Action
		rule       string
		after      []Qp
	}{
		{"A8", "EITHER", []Qp{{State: Connected}}, refused, "", []Qp{{State: Connected}}},
		{"A8", "INLINE", []Qp{{State: Connected}}, Action{Name: Post, Request: dead}, "POLL-08", nil},
		{"A8", "INLINE", []Qp{{State: Connected, Initiator: []Request{revived}}}, Action{Name: Post, Request: dead}, "",
			[]Qp{{State: Connected, Initiator: []Request{revived, {Id: 9, Op: Invalidate, Phase: Indicated}}}}},
		{"A8", "INLINE", []Qp{{State: Connected, Initiator: []Request{other}}}, Action{Name: Post, Request: dead}, "POLL-08", nil},
		{"A8", "INLINE", []Qp{{State: Connected}}, Action{Name: Post, Request: unknown}, "",
			[]Qp{{State: Connected, Initiator: []Request{{Id: 9, Op: Invalidate, Token: NoToken, Phase: Indicated}}}}},
		{"A8", "COMPLETION", []Qp{{State: Connected}}, refused, "POLL-08", nil},
		{"A9", "UNORDERED", []Qp{initiator(Broken, Indicated, wasCancelled)}, Action{Name: Complete, At: 1}, "", []Qp{initiator(Broken, Indicated)}},
		{"A10", "QP", []Qp{initiator(Connected, Deferred), initiator(Connected, Deferred)}, refused, "",
			[]Qp{initiator(Connected, Indicated), initiator(Connected, Deferred)}},
		{"A10", "ALL", []Qp{initiator(Connected, Deferred), initiator(Connected, Deferred)}, refused, "",
			[]Qp{initiator(Connected, Indicated), initiator(Connected, Indicated)}},
		{"A15", "CANCELLED", []Qp{initiator(Connected)}, flush, "", []Qp{initiator(Flushed)}},
		{"A15", "CANCELLED", []Qp{initiator(Aborted)}, flush, "", []Qp{initiator(Aborted)}},
		{"A15", "CANCELLED", []Qp{initiator(Flushed, Indicated)}, Action{Name: Execute}, "FLUSH-05", nil},
		{"A15", "CANCELLED", []Qp{initiator(Flushed, Indicated)}, Action{Name: Execute, Outcome: CANCELLED}, "", []Qp{initiator(Flushed, wasCancelled)}},
		{"A21", "KEPT", []Qp{{State: QpClosing}}, Action{Name: NdkCloseCompletionEnter, Manner: Manner{Dropped: true}}, "LIFE-10", nil},
		{"A21", "DROPPED", []Qp{{State: QpClosing}}, Action{Name: NdkCloseCompletionEnter}, "LIFE-10", nil},
		{"A30", "ANY", []Qp{initiator(Connected, Deferred)}, Action{Name: PostRefused, Queue: Receive}, "", []Qp{initiator(Connected, Indicated)}},
		{"A31", "STRANDED", []Qp{initiator(Connected, Unacknowledged, Indicated, Deferred)}, flush, "", []Qp{initiator(Flushed, wasCancelled, wasCancelled, Deferred)}},
		{"A34", "DROPPED", []Qp{initiator(Connected, Indicated, Deferred)}, refused, "", []Qp{initiator(Connected, Indicated)}},
	}
	for _, test := range tests {
		t.Run(test.id+"="+test.choice, func(t *testing.T) {
			c := &Contract{Dialect: assume(Ndkpi(), test.id, test.choice), Depth: []int{1}, Tokens: 1}
			for range test.before {
				c.Qps = append(c.Qps, Binding{Peer: -1})
			}
			cqs := make([]Cq, 1)
			after := State{Cqs: cqs, Qps: test.after, Tokens: make([]Validity, 1)}
			if test.action.Name == Complete {
				after.Cqs = []Cq{{Entries: entries(Completion{Request: 1, Status: CANCELLED, Type: WriteResult, Token: NoToken}), Fresh: 1}}
			}
			check(t, c, State{Cqs: cqs, Qps: test.before, Tokens: make([]Validity, 1)}, test.action, test.rule, after)
		})
	}

	// A29: a silent success leaves a completion after all.
	told := &Contract{Dialect: assume(Ndkpi(), "A29", "TOLD"), Depth: []int{1}, Qps: []Binding{{Peer: -1}}}
	silent := Request{Id: 5, Op: Write, Silent: true, Phase: hasSucceeded}
	check(t, told, State{Cqs: make([]Cq, 1), Qps: []Qp{{Initiator: []Request{silent}}}}, Action{Name: Complete}, "",
		State{Cqs: []Cq{{Entries: entries(Completion{Request: 5, Type: WriteResult, Token: NoToken}), Fresh: 1}}, Qps: []Qp{{Initiator: []Request{}}}})
}

// The completions of a QP vanish with it, or stay (A21). Its CQ closes after it (LIFE-04).
func TestClausesOfClosing(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{3}, Qps: []Binding{{Peer: 1}, {Peer: 0}}, Composed: true}
	other := Completion{Qp: 1, Request: 7, Token: NoToken}
	state := func(p Connection, q Cq) State { return State{Cqs: []Cq{q}, Qps: []Qp{{State: p}, {State: QpClosed}}} }
	held := Cq{Entries: entries(ok, other, ok), Fresh: 2}
	finish := Action{Name: NdkCloseCompletionEnter}
	check(t, c, state(QpClosing, held), finish, "", state(QpCompleting, held))
	finish.Dropped = true
	check(t, c, state(QpClosing, held), finish, "", state(QpCompleting, Cq{Entries: entries(other), Fresh: 1}))

	closed := Action{Name: NdkCloseCompletion}
	check(t, c, state(QpCompleting, Cq{Open: Closing}), closed, "LIFE-04")
	check(t, c, state(QpClosed, Cq{Open: Closing}), closed, "", state(QpClosed, Cq{Open: Closed}))
	part := *c
	part.Composed = false // then the QPs are not for the CQ to wait for
	check(t, &part, state(QpCompleting, Cq{Open: Closing}), closed, "", state(QpCompleting, Cq{Open: Closed}))
}

// What a failure, a flush and a loss leave behind differs by dialect and by type of QP (FLUSH-06, A40).
func TestClausesOfError(t *testing.T) {
	failed := Action{Name: Execute, Outcome: FAILED, Token: NoToken}
	ofReceive := Action{Name: Execute, Queue: Receive, Outcome: FAILED, Token: NoToken}
	tests := []struct {
		name   string
		d      Dialect
		of     QpType
		before Connection
		action Action
		rule   string
		after  Connection
	}{
		{"ndkpi: a failure leaves it open", Ndkpi(), RC, Connected, failed, "", Doubtful},
		{"ndkpi, A40: it ends the connection", assume(Ndkpi(), "A40", "ENDS"), RC, Connected, failed, "", Ended},
		{"ndspi: it does", Ndspi(), RC, Connected, failed, "", Ended},
		{"ndspi: behind a flush, too", Ndspi(), RC, Flushed, failed, "", Ended},
		{"verbs: it does", Verbs(), RC, Connected, failed, "", Ended},
		{"verbs: whoever executes late sees it later", late(Verbs()), RC, Ended, Action{Name: Execute, Token: NoToken}, "", Ended},
		{"verbs, UC: of a send it stops the initiator queue alone", Verbs(), UC, Connected, failed, "", SendError},
		{"ndkpi, UC: of a send it leaves a doubt (A40)", Ndkpi(), UC, Connected, failed, "", Doubtful},
		{"verbs, UC: of a receive it ends all", Verbs(), UC, Connected, ofReceive, "", Ended},
		{"verbs, UD: and then the rest", Verbs(), UD, SendError, ofReceive, "", Ended},
		{"verbs, UC: no send succeeds there", Verbs(), UC, SendError, Action{Name: Execute, Token: NoToken}, "FLUSH-06", SendError},
		{"verbs, UC: a receive does", Verbs(), UC, SendError, Action{Name: Execute, Queue: Receive, Token: NoToken}, "", SendError},
		{"verbs, UC: none is cancelled", Verbs(), UC, SendError, Action{Name: Execute, Queue: Receive, Outcome: CANCELLED, Token: NoToken}, "RES-10", SendError},
		{"verbs, UC: where a CQ failed as well, one is", Verbs(), UC, SendBroken, Action{Name: Execute, Queue: Receive, Outcome: CANCELLED, Token: NoToken}, "", Ended},
		{"verbs, UC: and one succeeds", Verbs(), UC, SendBroken, Action{Name: Execute, Queue: Receive, Token: NoToken}, "", SendBroken},
		{"verbs, UC: but no send", Verbs(), UC, SendBroken, Action{Name: Execute, Token: NoToken}, "FLUSH-06", SendBroken},
		{"verbs, UC: that one is flushed", Verbs(), UC, SendBroken, Action{Name: NdkFlush}, "", Ended},
		{"verbs, UC: that one is not brought back (ARM-18)", Verbs(), UC, SendBroken, Action{Name: NdkConnect}, "DISC-09", SendBroken},
		{"verbs, UC: of a send on a broken one it ends all", Verbs(), UC, Broken, failed, "", Ended},
		{"verbs: before the connection it breaks the QP", Verbs(), RC, Idle, ofReceive, "", BrokenIdle},
		{"ndspi: while the close waits it ends that", Ndspi(), RC, CloseWaits, failed, "", QpClosing},
		{"ndkpi: there it does not", Ndkpi(), RC, CloseWaits, failed, "", CloseWaits},
		{"verbs: a flush is the error state", Verbs(), RC, Connected, Action{Name: NdkFlush}, "", Ended},
		{"verbs: of a stopped one, too", Verbs(), UC, SendError, Action{Name: NdkFlush}, "", Ended},
		{"verbs: of a broken one", Verbs(), RC, Broken, Action{Name: NdkFlush}, "", Ended},
		{"verbs: of one that may have ended", Verbs(), RC, Doubtful, Action{Name: NdkFlush}, "", Ended},
		{"verbs: not of one that never was connected", Verbs(), RC, Idle, Action{Name: NdkFlush}, "", BrokenIdle},
		{"ndspi: it is none", Ndspi(), RC, Connected, Action{Name: NdkFlush}, "", Flushed},
		{"ndkpi: a broken one stays so", Ndkpi(), RC, Broken, Action{Name: NdkFlush}, "", Broken},
		{"ndkpi, A15: nothing is free", assume(Ndkpi(), "A15", "CANCELLED"), RC, Broken, Action{Name: NdkFlush}, "", Flushed},
		{"verbs: a close does not wait", Verbs(), RC, Connected, Action{Name: NdkCloseQp, Manner: Manner{Waits: true}}, "LIFE-10", Connected},
		{"A36: nor where it is read so", assume(Ndkpi(), "A36", "NO"), RC, Connected, Action{Name: NdkCloseQp, Manner: Manner{Waits: true}}, "LIFE-10", Connected},
		{"a broken one is disconnected", Ndkpi(), RC, Broken, Action{Name: NdkDisconnect}, "", Disconnected},
		{"one that never was connected is not", Ndkpi(), RC, Idle, Action{Name: NdkDisconnect}, "", BrokenIdle},
		{"verbs, UC: nothing ends with the peer", Verbs(), UC, Connected, Action{Name: ConnectionLost}, "DISC-07", Connected},
		{"ndkpi, A15: nothing is lost there", assume(Ndkpi(), "A15", "CANCELLED"), RC, Flushed, Action{Name: ConnectionLost}, "DISC-07", Flushed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Contract{Dialect: test.d, Depth: []int{1}, Qps: []Binding{{Peer: -1, Type: test.of}}}
			before := Qp{State: test.before, Initiator: []Request{in(Indicated, 1, Send)}, Receive: []Request{in(Indicated, 2, ReceiveOp)}}
			next, refusal := c.Step(State{Cqs: make([]Cq, 1), Qps: []Qp{before}}, test.action)
			if refusal != nil || test.rule != "" {
				if refusal == nil || refusal.Rule != test.rule {
					t.Fatalf("refused by %v, want %q", refusal, test.rule)
				}
				return
			}
			if got := next[0].Qps[0].State; got != test.after {
				t.Errorf("the QP is %v, want %v", got, test.after)
			}
		})
	}
	stopped := Contract{Dialect: Verbs(), Depth: []int{1}, Qps: []Binding{{Peer: -1, Type: UC}}}
	recover := func(p Qp) State { return State{Cqs: make([]Cq, 1), Qps: []Qp{p}} }
	check(t, &stopped, recover(Qp{State: SendError}), Action{Name: NdkConnect}, "", recover(Qp{State: Connected}))
	check(t, &stopped, recover(Qp{State: SendError, Initiator: []Request{in(Indicated, 1, Send)}}), Action{Name: NdkConnect}, "DISC-09")
}

// A post is refused as one on a QP that is not connected only where it is not, or not any more (POST-08).
func TestClausesOfRefusal(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{1}, Qps: []Binding{{Peer: -1}}}
	for state, rule := range map[Connection]string{
		Idle: "", BrokenIdle: "", Ended: "", Disconnected: "", Aborted: "",
		Connected: "POST-08", Doubtful: "POST-08", Broken: "POST-08", SendError: "POST-08", SendBroken: "POST-08", Flushed: "POST-08",
		CloseWaits: "LIFE-06", QpClosing: "LIFE-06", QpCompleting: "LIFE-06", QpClosed: "LIFE-06",
	} {
		t.Run(state.String(), func(t *testing.T) {
			s := State{Cqs: make([]Cq, 1), Qps: []Qp{{State: state}}}
			check(t, c, s, Action{Name: PostRefused, Request: in(0, 1, Send), Manner: Manner{Invalid: true}}, rule, s)
		})
	}
}

func late(d Dialect) Dialect {
	d.ExecutesLate = true
	return d
}

// Which requests may wait for what the peer does, and so are not owed at rest (DEF-04).
func TestMayWait(t *testing.T) {
	for _, test := range []struct {
		d             Dialect
		of            QpType
		state         Connection
		sends, awaits bool
	}{
		{Ndkpi(), RC, Connected, true, true}, {Ndkpi(), RC, Doubtful, true, true}, {Ndkpi(), RC, Flushed, true, true},
		{Ndkpi(), RC, Broken, false, true}, {Ndkpi(), RC, Ended, false, true}, {Ndkpi(), RC, Idle, false, true},
		{Ndkpi(), RC, Disconnected, false, false}, {assume(Ndkpi(), "A15", "CANCELLED"), RC, Flushed, false, false},
		{Verbs(), RC, Connected, true, true}, {Verbs(), RC, Ended, false, false}, {Verbs(), RC, BrokenIdle, false, false},
		{Verbs(), UC, Connected, false, true}, {Verbs(), UD, SendError, false, true}, {Verbs(), UC, SendBroken, false, true}, {Ndspi(), RC, Aborted, false, true},
		{Verbs(), RC, Aborted, false, false},
	} {
		if got := test.d.MayWait(test.state, test.of, Initiator); got != test.sends {
			t.Errorf("%s %v %v: a send may wait: %v", test.d.Name, test.of, test.state, got)
		}
		if got := test.d.MayWait(test.state, test.of, Receive); got != test.awaits {
			t.Errorf("%s %v %v: a receive may wait: %v", test.d.Name, test.of, test.state, got)
		}
	}
}

// A CQ breaks the QPs that complete into it, by either queue, and no other (ARM-18). It overflows only for a completion
// that has no room (ARM-16).
func TestClausesOfCqErrors(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{1, 1}, Qps: []Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: -1}, {InitiatorCq: 1, ReceiveCq: 0, Peer: -1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: -1}, {InitiatorCq: 0, ReceiveCq: 0, Peer: -1}, {InitiatorCq: 1, ReceiveCq: 0, Peer: -1, Type: UC}}}
	before := State{Cqs: make([]Cq, 2), Qps: []Qp{{State: Connected}, {}, {State: Connected}, {State: Aborted}, {State: SendError}}}
	check(t, c, before, Action{Name: CqInternalError}, "", State{Cqs: []Cq{{Health: InternalError}, {}},
		Qps: []Qp{{State: Broken}, {State: BrokenIdle}, {State: Connected}, {State: Aborted}, {State: SendBroken}}})

	c = &Contract{Dialect: Ndkpi(), Depth: []int{1, 1}, Qps: []Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: -1}}, Composed: true}
	full := Cq{Entries: entries(ok)}
	waiting := func(r Request) State { return State{Cqs: []Cq{full, {}}, Qps: []Qp{{Initiator: []Request{r}}}} }
	overflow := Action{Name: Overflow}
	check(t, c, waiting(in(Indicated, 1, Write)), overflow, "ARM-16")
	silent := in(hasSucceeded, 1, Write)
	silent.Silent = true
	check(t, c, waiting(silent), overflow, "ARM-16")
	elsewhere := State{Cqs: []Cq{full, {}}, Qps: []Qp{{Receive: []Request{in(hasSucceeded, 1, ReceiveOp)}}}}
	check(t, c, elsewhere, overflow, "ARM-16")
	after := waiting(in(hasSucceeded, 1, Write))
	after.Cqs[0].Health, after.Qps[0].State = BufferOverflow, BrokenIdle
	check(t, c, waiting(in(hasSucceeded, 1, Write)), overflow, "", after)
}

// A dialect's constants are those of the contract's table, and only known names and readings are taken.
func TestDialects(t *testing.T) {
	for _, name := range []string{"ndkpi", "ndspi", "verbs"} {
		if d, err := ByName(name); err != nil || d.Name != name {
			t.Errorf("ByName(%q) is %q, %v", name, d.Name, err)
		}
	}
	if _, err := ByName("smb"); err == nil {
		t.Error("there is a dialect smb")
	}
	for _, value := range []string{"", "THREE", "MAY"} {
		if d, err := Ndkpi().Assume("A2", value); err == nil || d != Ndkpi() {
			t.Errorf("A2 was taken as %q", value)
		}
	}
}
