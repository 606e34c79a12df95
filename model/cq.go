package model

import "slices"

// Arm is what a CQ is armed for, in order of strength (ARM-07).
type Arm uint8

// The arms. NONE is weaker than all: the CQ is not armed.
const (
	NONE Arm = iota
	ERRORS
	SOLICITED
	ANY
)

var armNames = [...]string{"NONE", "ERRORS", "SOLICITED", "ANY"}

func (a Arm) String() string { return armNames[a] }

// Stronger is the join of the merge table (ARM-07).
func Stronger(a, b Arm) Arm { return max(a, b) }

// Outcome is how a request ended.
type Outcome uint8

// The outcomes. CANCELLED is a failure that has its cause elsewhere (RES-08).
const (
	SUCCESS Outcome = iota
	FAILED
	CANCELLED
)

var outcomeNames = [...]string{"SUCCESS", "FAILED", "CANCELLED"}

func (o Outcome) String() string { return outcomeNames[o] }

// Queue is one of a QP's two queues.
type Queue uint8

// The queues of a QP.
const (
	Initiator Queue = iota
	Receive
)

var queueNames = [...]string{"initiator", "receive"}

func (q Queue) String() string { return queueNames[q] }

// NoToken is the Token of what carries none.
const NoToken = -1

// Completion is an entry of a CQ.
type Completion struct {
	Qp        int
	Queue     Queue
	Request   int // id of the request
	Status    Outcome
	Solicited bool
	Token     int // the token that the peer invalidated, or NoToken
}

// Health is the state of a CQ as a callback reports it.
type Health uint8

// The healths of a CQ (ARM-15).
const (
	OK Health = iota
	BufferOverflow
	InternalError
)

var healthNames = [...]string{"STATUS_SUCCESS", "STATUS_BUFFER_OVERFLOW", "STATUS_INTERNAL_ERROR"}

func (h Health) String() string { return healthNames[h] }

// Openness is where an object is on its way to being closed.
type Openness uint8

// A close that was called but not completed is Closing.
const (
	Open Openness = iota
	Closing
	Closed
)

var opennessNames = [...]string{"OPEN", "CLOSING", "CLOSED"}

func (o Openness) String() string { return opennessNames[o] }

// Cq is the state of one completion queue.
type Cq struct {
	Entries  []Completion // oldest first; never changed in place, so that states can share it
	Fresh    int          // how many of the newest were placed since the last callback was entered
	Arm      Arm
	Waiting  int  // arms outstanding; with Merge at most one
	Due      int  // callbacks owed for completions
	ErrorDue bool // the one callback that reports the CQ's error is owed
	Running  bool // a callback was entered and has not returned
	Health   Health
	Reported bool // the CQ's error has been reported
	Open     Openness
}

// Match says whether c has to, may, or does not satisfy an arm (ARM-08 to ARM-12).
func (d Dialect) Match(a Arm, c Completion) Modality {
	failed := c.Status != SUCCESS
	switch {
	case a == ANY:
		return Must
	case a == SOLICITED && (c.Solicited || failed):
		return Must
	case a == ERRORS && failed:
		return d.A4
	}
	return MustNot
}

// owe returns the counts that may be owed once a callback became due for w arms while n were owed.
func (d Dialect) owe(n, w int) []int {
	switch {
	case d.SecondArm == Together:
		return []int{n + w}
	case n == 0:
		return []int{1}
	case d.A2 == OweOne:
		return []int{n}
	case d.A2 == OweTwo:
		return []int{n + 1}
	}
	return []int{n, n + 1}
}

// satisfy clears the arm and owes a callback (ARM-02).
func (d Dialect) satisfy(q Cq, w int) []Cq {
	q.Arm, q.Waiting = NONE, 0
	var next []Cq
	for _, due := range d.owe(q.Due, w) {
		q.Due = due
		next = append(next, q)
	}
	return next
}

// place appends c. The arm is satisfied when c matches it.
func (d Dialect) place(q Cq, capacity int, c Completion) ([]Cq, *Refusal) {
	switch {
	case q.Open == Closed:
		return nil, placedAfterClose
	case q.Health != OK:
		return nil, placedAfterError
	case len(q.Entries) >= capacity:
		return nil, placedBeyondRoom
	}
	match := d.Match(q.Arm, c)
	q.Entries = append(slices.Clip(q.Entries), c)
	q.Fresh++
	switch match {
	case Must:
		return d.satisfy(q, q.Waiting), nil
	case May:
		return append(d.satisfy(q, q.Waiting), q), nil
	}
	return []Cq{q}, nil
}

// fail is Overflow and InternalError: the CQ takes nothing more, and an arm of any type is told of it (A1). A CQ that
// holds fewer completions than its depth can't overflow (ARM-16).
func (d Dialect) fail(q Cq, depth int, h Health) ([]Cq, *Refusal) {
	if q.Open == Closed || q.Health != OK {
		return nil, failedTwice
	}
	if h == BufferOverflow && len(q.Entries) < depth {
		return nil, overflowWithRoom
	}
	q.Health = h
	next := []Cq{q}
	switch {
	case !d.ErrorsArm:
	case q.Arm != NONE:
		q.Arm, q.Waiting, q.ErrorDue = NONE, 0, true
		next = []Cq{q}
	case q.Due > 0: // the arm may count until its callback is entered, which then tells of the error (A2)
		q.Due, q.ErrorDue = q.Due-1, true
		next = append(next, q)
	}
	return next, nil
}

// fresh is the strongest match of an entry placed since the last callback.
func (d Dialect) fresh(q Cq, a Arm) Modality {
	strongest := MustNot
	for _, c := range q.Entries[len(q.Entries)-q.Fresh:] {
		strongest = max(strongest, d.Match(a, c))
	}
	return strongest
}

// FreshMatch says whether an entry placed since the last callback has to satisfy a.
func (d Dialect) FreshMatch(q Cq, a Arm) bool { return d.fresh(q, a) == Must }

// AtArm says whether what the CQ holds has to, may, or does not satisfy an arm of type a at once (ARM-04, ARM-05, ARM-21).
// A fresh entry that may count as a match, or as none, leaves both open (A4).
func (d Dialect) AtArm(q Cq, a Arm) Modality {
	switch fresh := d.fresh(q, a); {
	case fresh == Must:
		return d.FreshAtArm
	case fresh == May:
		return May
	case len(q.Entries) > 0:
		return d.OldAtArm
	}
	return MustNot
}

// arm is NdkArmCq.
func (d Dialect) arm(q Cq, t Arm) ([]Cq, *Refusal) {
	if q.Open != Open {
		return nil, usedAfterClose
	}
	if t == NONE || t == ERRORS && !d.ErrorsArm {
		return nil, noSuchArm
	}
	a := Stronger(q.Arm, t)
	if d.ErrorsArm && q.Health != OK && !q.Reported && !q.ErrorDue {
		q.Arm, q.Waiting, q.ErrorDue = NONE, 0, true
		return []Cq{q}, nil
	}
	at := d.AtArm(q, a)
	w := 1
	if d.SecondArm == Together {
		w = q.Waiting + 1
	}
	var next []Cq
	if at != MustNot {
		next = d.satisfy(q, w)
	}
	if at != Must {
		q.Arm, q.Waiting = a, w
		next = append(next, q)
	}
	return next, nil
}

// enter is NdkCqNotificationCallbackEnter.
func (d Dialect) enter(q Cq, status Health) ([]Cq, *Refusal) {
	switch {
	case q.Open == Closed:
		return nil, callbackAfterClose
	case d.Serialised && q.Running:
		return nil, callbacksOverlap
	case status == OK && q.Due == 0:
		return nil, notDue(q)
	case status != OK && (!q.ErrorDue || q.Health != status):
		return nil, errorNotDue(q, status)
	}
	q.Fresh, q.Running = 0, d.Serialised
	if status == OK {
		q.Due--
		return []Cq{q}, nil
	}
	q.ErrorDue, q.Reported = false, true
	next := []Cq{q}
	if q.Due > 0 {
		q.Due--
		next = append(next, q)
	}
	return next, nil
}

// exit is NdkCqNotificationCallbackExit.
func (d Dialect) exit(q Cq) ([]Cq, *Refusal) {
	if !q.Running {
		return nil, exitWithoutEnter
	}
	q.Running = false
	return []Cq{q}, nil
}

// extraEvent is ExtraEventComes: it satisfies the arm of an empty CQ.
func (d Dialect) extraEvent(q Cq) ([]Cq, *Refusal) {
	if !d.ExtraEvent || q.Arm == NONE || len(q.Entries) > 0 {
		return nil, noExtraEvent
	}
	return d.satisfy(q, q.Waiting), nil
}

// poll is NdkGetCqResults and NdkGetCqResultsEx: the k oldest entries leave, out of room for n. Without any room nothing
// leaves.
func (d Dialect) poll(q Cq, n, k int) ([]Cq, *Refusal) {
	switch {
	case q.Open != Open:
		return nil, usedAfterClose
	case k > n:
		return nil, moreThanAsked
	case k > len(q.Entries):
		return nil, notInCq
	case k == 0 && len(q.Entries) > 0 && n > 0 && q.Health == OK: // a failed CQ may keep what it has (A33)
		return nil, emptyHanded
	}
	q.Entries = q.Entries[k:]
	q.Fresh = min(q.Fresh, len(q.Entries))
	return []Cq{q}, nil
}

// close is NdkCloseCq.
func (d Dialect) close(q Cq) ([]Cq, *Refusal) {
	if q.Open != Open {
		return nil, usedAfterClose
	}
	q.Open = Closing
	return []Cq{q}, nil
}

// closeCompletion is NdkCloseCompletion of a CQ.
func (d Dialect) closeCompletion(q Cq) ([]Cq, *Refusal) {
	if q.Open != Closing {
		return nil, closeNotPending
	}
	if q.Running {
		return nil, closedWhileRunning
	}
	return []Cq{{Open: Closed, Health: q.Health, Reported: q.Reported}}, nil
}
