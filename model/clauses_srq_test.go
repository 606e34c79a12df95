package model

import "testing"

// Every clause of a shared receive queue: the state before, the action, and the states after or the rule that refuses it.
func TestClausesOfSrq(t *testing.T) {
	var (
		ndkpi, ndspi, verbs = Ndkpi(), Ndspi(), Verbs()

		receive, modified, told = Action{Name: NdkSrqReceive}, Action{Name: SrqModified}, Action{Name: SrqModifyTold}
		take, takeOther         = Action{Name: Take}, Action{Name: Take, Qp: 1}
		complete, completeOther = Action{Name: CompleteReceive}, Action{Name: CompleteReceive, Qp: 1}
		ends, last              = Action{Name: QpEnds}, Action{Name: LastWqeReached}
		enter, exit             = Action{Name: NdkSrqNotificationCallbackEnter}, Action{Name: NdkSrqNotificationCallbackExit}
		enterError              = Action{Name: NdkSrqNotificationCallbackEnter, CqStatus: InternalError}
		fails                   = Action{Name: SrqInternalError}
		closeSrq, closed        = Action{Name: NdkCloseSrq}, Action{Name: SrqClosed}

		modify = func(depth, threshold int) Action {
			return Action{Name: NdkModifySrq, Depth: depth, OfSrq: OfSrq{Threshold: threshold}}
		}
		asked = func(threshold int, r Srq) Srq {
			r.Modify, r.AskedThreshold = ModifyAsked, threshold
			return r
		}
	)
	tests := []struct {
		name    string
		dialect Dialect
		before  Srq
		action  Action
		rule    string
		after   []Srq
	}{
		{"a receive is queued", ndkpi, Srq{Depth: 2}, receive, "", []Srq{{Depth: 2, Queued: 1}}},
		{"LIFE-06: not once close began", ndkpi, Srq{Open: Closing}, receive, "LIFE-06", nil},
		{"SRQ-09: not after an error", ndkpi, Srq{Reported: true}, receive, "SRQ-09", nil},

		{"A18: what is taken counts", ndkpi, Srq{Queued: 1, Threshold: 1, Waiting: 1}, take, "", []Srq{{Taken: []int{0}, Threshold: 1, Waiting: 1}}},
		{"A18: or does not", assume(ndkpi, "A18", "TAKEN"), Srq{Queued: 1, Threshold: 1, Waiting: 1}, take, "", []Srq{{Taken: []int{0}, Threshold: 1, Due: 1}}},
		{"POLL-05: none from an empty queue", ndkpi, Srq{}, take, "POLL-05", nil},
		{"FLUSH-06: none in the error state", verbs, Srq{Queued: 1, Ended: 1}, take, "FLUSH-06", nil},
		{"FLUSH-06: that is of one QP", verbs, Srq{Queued: 1, Ended: 1}, takeOther, "", []Srq{{Taken: []int{1}, Ended: 1}}},
		{"SRQ-09: none after an error", ndkpi, Srq{Queued: 1, Reported: true}, take, "SRQ-09", nil},
		{"LIFE-09: none after the close", ndkpi, Srq{Queued: 1, Open: Closed}, take, "LIFE-09", nil},

		{"SRQ-02: the queue runs low", ndkpi, Srq{Queued: 1, Taken: []int{0}, Threshold: 2, Waiting: 1}, complete, "", []Srq{{Queued: 1, Taken: []int{}, Threshold: 2, Due: 1}}},
		{"SRQ-02: not while enough is queued", ndkpi, Srq{Queued: 2, Taken: []int{0}, Threshold: 2, Waiting: 1}, complete, "", []Srq{{Queued: 2, Taken: []int{}, Threshold: 2, Waiting: 1}}},
		{"SRQ-04: not without an arm", ndkpi, Srq{Taken: []int{0}, Threshold: 2}, complete, "", []Srq{{Taken: []int{}, Threshold: 2}}},
		{"SRQ-04: owed once or twice", ndkpi, Srq{Taken: []int{0}, Threshold: 1, Waiting: 1, Due: 1}, complete, "",
			[]Srq{{Taken: []int{}, Threshold: 1, Due: 1}, {Taken: []int{}, Threshold: 1, Due: 2}}},
		{"ndspi: all arms complete together", ndspi, Srq{Taken: []int{0}, Threshold: 1, Waiting: 2, Due: 1}, complete, "", []Srq{{Taken: []int{}, Threshold: 1, Due: 3}}},
		{"verbs: a queue that was low before may wait", verbs, Srq{Taken: []int{0}, Threshold: 2, Waiting: 1}, complete, "",
			[]Srq{{Taken: []int{}, Threshold: 2, Due: 1}, {Taken: []int{}, Threshold: 2, Waiting: 1}}},
		{"POLL-05: what the QP did not take", ndkpi, Srq{Taken: []int{1}}, complete, "POLL-05", nil},
		{"SRQ-09: none completes after an error", ndkpi, Srq{Taken: []int{0}, Reported: true}, complete, "SRQ-09", nil},
		{"FLUSH-06: the last is done", verbs, Srq{Taken: []int{1, 0}, Ended: 1}, complete, "", []Srq{{Taken: []int{1}, Ended: 1, LastDue: 1}}},
		{"FLUSH-06: not the last", verbs, Srq{Taken: []int{0, 0}, Ended: 1}, complete, "", []Srq{{Taken: []int{0}, Ended: 1}}},
		{"FLUSH-06: nor of another QP", verbs, Srq{Taken: []int{1, 0}, Ended: 1}, completeOther, "", []Srq{{Taken: []int{0}, Ended: 1}}},
		{"FLUSH-04: a QP ends, and what is queued stays", verbs, Srq{Queued: 2}, ends, "", []Srq{{Queued: 2, Ended: 1, LastDue: 1}}},
		{"FLUSH-06: it ends once", verbs, Srq{Ended: 1}, ends, "FLUSH-06", nil},
		{"ndkpi: there is no error state", ndkpi, Srq{}, ends, "FLUSH-06", nil},
		{"LIFE-09: not after the close", verbs, Srq{Open: Closed}, ends, "LIFE-09", nil},
		{"FLUSH-06: it is told of", verbs, Srq{Ended: 3, LastDue: 3}, last, "", []Srq{{Ended: 3, LastDue: 2}}},
		{"FLUSH-06: once", verbs, Srq{Ended: 1}, last, "FLUSH-06", nil},

		{"a modification is asked for", ndkpi, Srq{}, modify(4, 1), "", []Srq{{Modify: ModifyAsked, AskedDepth: 4, AskedThreshold: 1}}},
		{"ASY-01: one at a time", ndkpi, Srq{Modify: ModifyDone}, modify(4, 1), "ASY-01", nil},
		{"LIFE-06: not once close began", ndkpi, Srq{Open: Closing}, modify(4, 1), "LIFE-06", nil},
		{"SRQ-03: low already", ndkpi, asked(1, Srq{}), modified, "", []Srq{{Threshold: 1, Due: 1, Modify: ModifyDone}, {Modify: ModifyDone}}},
		{"verbs: low already may wait", verbs, asked(1, Srq{}), modified, "",
			[]Srq{{Threshold: 1, Due: 1, Modify: ModifyDone}, {Threshold: 1, Waiting: 1, Modify: ModifyDone}, {Modify: ModifyDone}}},
		{"SRQ-02: it arms", ndkpi, asked(1, Srq{Queued: 1}), modified, "",
			[]Srq{{Queued: 1, Threshold: 1, Waiting: 1, Modify: ModifyDone}, {Queued: 1, Modify: ModifyDone}}},
		{"SRQ-04: arms merge", ndkpi, asked(1, Srq{Queued: 2, Threshold: 2, Waiting: 1}), modified, "",
			[]Srq{{Queued: 2, Threshold: 1, Waiting: 1, Modify: ModifyDone}, {Queued: 2, Threshold: 2, Waiting: 1, Modify: ModifyDone}}},
		{"ndspi: arms wait beside one another", ndspi, asked(2, Srq{Queued: 2, Threshold: 2, Waiting: 1}), modified, "",
			[]Srq{{Queued: 2, Threshold: 2, Waiting: 2, Modify: ModifyDone}, {Queued: 2, Threshold: 2, Waiting: 1, Modify: ModifyDone}}},
		{"SRQ-05: 0 leaves threshold and arm", ndkpi, asked(0, Srq{Queued: 2, Threshold: 2, Waiting: 1}), modified, "",
			[]Srq{{Queued: 2, Threshold: 2, Waiting: 1, Modify: ModifyDone}}},
		{"SRQ-01: the depth", ndkpi, Srq{Modify: ModifyAsked, AskedDepth: 4, Depth: 2}, modified, "", []Srq{{Depth: 4, Modify: ModifyDone}, {Depth: 2, Modify: ModifyDone}}},
		{"ASY-02: nothing was asked", ndkpi, Srq{}, modified, "ASY-02", nil},
		{"ASY-01: it is told", ndkpi, Srq{Modify: ModifyDone}, told, "", []Srq{{}}},
		{"ASY-01: not before it is done", ndkpi, Srq{Modify: ModifyAsked}, told, "ASY-01", nil},

		{"SRQ-04: a callback begins", ndkpi, Srq{Due: 2, Running: 1}, enter, "", []Srq{{Due: 1, Running: 2}}},
		{"SRQ-04: none that is not owed", ndkpi, Srq{Waiting: 1}, enter, "SRQ-04", nil},
		{"verbs: an event does not run", verbs, Srq{Due: 1}, enter, "", []Srq{{}}},
		{"LIFE-09: none after the close", ndkpi, Srq{Due: 1, Open: Closed}, enter, "LIFE-09", nil},
		{"SRQ-09: it tells of the error", ndkpi, Srq{Health: InternalError, ErrorDue: true}, enterError, "", []Srq{{Health: InternalError, Reported: true, Running: 1}}},
		{"SRQ-08: once", ndkpi, Srq{Health: InternalError, Reported: true}, enterError, "SRQ-08", nil},
		{"SRQ-08: of the error that there is", ndkpi, Srq{Health: InternalError, ErrorDue: true}, Action{Name: NdkSrqNotificationCallbackEnter, CqStatus: BufferOverflow}, "SRQ-08", nil},
		{"SRQ-11: a callback returns", ndkpi, Srq{Running: 2}, exit, "", []Srq{{Running: 1}}},
		{"SRQ-11: one that runs", ndkpi, Srq{}, exit, "SRQ-11", nil},
		{"SRQ-09: the queue fails", ndkpi, Srq{Waiting: 1}, fails, "", []Srq{{Waiting: 1, Health: InternalError, ErrorDue: true}}},
		{"SRQ-09: once", ndkpi, Srq{Health: InternalError}, fails, "SRQ-09", nil},
		{"SRQ-09: not after the close", ndkpi, Srq{Open: Closed}, fails, "SRQ-09", nil},

		{"a close begins", ndkpi, Srq{Waiting: 1}, closeSrq, "", []Srq{{Waiting: 1, Open: Closing}}},
		{"LIFE-06: once", ndkpi, Srq{Open: Closing}, closeSrq, "LIFE-06", nil},
		{"LIFE-09: nothing is owed any more", ndkpi, Srq{Queued: 1, Depth: 2, Threshold: 1, Waiting: 1, Due: 1, Open: Closing}, closed, "", []Srq{{Depth: 2, Threshold: 1, Open: Closed}}},
		{"ASY-02: not before it began", ndkpi, Srq{}, closed, "ASY-02", nil},
		{"LIFE-08: not during a callback", ndkpi, Srq{Running: 1, Open: Closing}, closed, "LIFE-08", nil},
		{"LIFE-07: not while it is modified", ndkpi, Srq{Modify: ModifyDone, Open: Closing}, closed, "LIFE-07", nil},
		{"LIFE-04: not before its QPs", ndkpi, Srq{Taken: []int{0}, Open: Closing}, closed, "LIFE-04", nil},
		{"LIFE-04: what an error has lost is no matter", ndkpi, Srq{Taken: []int{0}, Reported: true, Open: Closing}, closed, "", []Srq{{Reported: true, Open: Closed}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Contract{Dialect: test.dialect, Srqs: []Sharing{{Notifies: true, Qps: 2}}}
			var after []State
			for _, r := range test.after {
				after = append(after, State{Srqs: []Srq{r}})
			}
			check(t, c, State{Srqs: []Srq{test.before}}, test.action, test.rule, after...)
		})
	}
}

// SRQ-07: without a callback, a threshold arms nothing, and an error is not reported.
func TestSrqWithoutCallback(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Srqs: []Sharing{{Depth: 2, Threshold: 1}}}
	if made := c.NewSrqs(0); len(made) != 1 || made[0].Waiting+made[0].Due != 0 {
		t.Errorf("it is created as %+v", made)
	}
	check(t, c, State{Srqs: []Srq{{Modify: ModifyAsked, AskedThreshold: 1}}}, Action{Name: SrqModified}, "",
		State{Srqs: []Srq{{Threshold: 1, Modify: ModifyDone}}}, State{Srqs: []Srq{{Modify: ModifyDone}}})
	check(t, c, State{Srqs: []Srq{{}}}, Action{Name: SrqInternalError}, "", State{Srqs: []Srq{{Health: InternalError}}})
}

// SRQ-06: whether an SRQ with a threshold is armed from its creation is open (A19); in ndkpi one that is armed is low, and owes a callback.
func TestCreatedSrq(t *testing.T) {
	unarmed, owes, waits := Srq{Depth: 2, Threshold: 1}, Srq{Depth: 2, Threshold: 1, Due: 1}, Srq{Depth: 2, Threshold: 1, Waiting: 1}
	for _, test := range []struct {
		dialect   Dialect
		threshold int
		want      []Srq
	}{
		{Ndkpi(), 1, []Srq{unarmed, owes}},
		{Ndkpi(), 0, []Srq{{Depth: 2}}},
		{assume(Ndkpi(), "A19", "ARMED"), 1, []Srq{owes}},
		{assume(Ndkpi(), "A19", "UNARMED"), 1, []Srq{unarmed}},
		{assume(Verbs(), "A19", "ARMED"), 1, []Srq{owes, waits}},
	} {
		c := &Contract{Dialect: test.dialect, Srqs: []Sharing{{Depth: 2, Threshold: test.threshold, Notifies: true}}}
		if got := c.NewSrqs(0); !sameSrqs(got, test.want) {
			t.Errorf("%s, threshold %d: got %+v, want %+v", test.dialect.Name, test.threshold, got, test.want)
		}
		if first := c.Init().Srqs; !sameSrqs(first, test.want[:1]) {
			t.Errorf("%s, threshold %d: the first is %+v, want %+v", test.dialect.Name, test.threshold, first, test.want[0])
		}
	}
}

func sameSrqs(a, b []Srq) bool {
	return string(State{Srqs: a}.AppendKey(nil)) == string(State{Srqs: b}.AppendKey(nil)) && len(a) == len(b)
}
