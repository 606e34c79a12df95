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

// Arms is a set of arms, a bit each.
type Arms uint8

// Has reports whether a is in the set.
func (s Arms) Has(a Arm) bool { return s&(1<<a) != 0 }

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

// NoToken is the Token of a request or completion without one.
const NoToken = -1

// Completion is an entry of a CQ.
type Completion struct {
	Qp        int
	Queue     Queue
	Request   int // id of the request
	Status    Outcome
	Type      ResultType
	Solicited bool
	Token     int // the token that the peer invalidated, or NoToken
}

// ResultType is what NdkGetCqResultsEx calls the operation of a completion (RES-01, RES-02).
type ResultType uint8

// The types of results. A send that invalidates completes as a send.
const (
	ReceiveResult ResultType = iota
	ReceiveAndInvalidateResult
	SendResult
	FastRegisterResult
	BindResult
	InvalidateResult
	ReadResult
	WriteResult
)

var resultTypeNames = [...]string{"Receive", "ReceiveAndInvalidate", "Send", "FastRegister", "Bind", "Invalidate", "Read", "Write"}

func (t ResultType) String() string { return resultTypeNames[t] }

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

// Resizing is the progress of a resize.
type Resizing uint8

// A resize that was asked for is done or refused by the adapter; then a callback tells which.
const (
	NotResizing Resizing = iota
	ResizeAsked
	ResizeDone
	ResizeRefused
	ResizeTold
)

var resizingNames = [...]string{"NONE", "ASKED", "DONE", "REFUSED", "TOLD"}

func (r Resizing) String() string { return resizingNames[r] }

// Cq is the state of one completion queue.
type Cq struct {
	Entries   []Completion // oldest first; never changed in place, so that states can share it
	Fresh     int          // how many of the newest were placed since the last callback (A3)
	Uncounted bool         // no callback has been entered yet, and no entry counts as fresh (A26)
	Taken     Arms         // which completions match that are polled, but fresh (A25)
	Arm       Arm
	Waiting   int  // arms outstanding; with Merge at most one
	Due       int  // callbacks owed for completions
	ErrorDue  bool // the one callback that reports the CQ's error is owed
	Running   bool // a callback was entered and has not returned
	Health    Health
	Reported  bool // the CQ's error has been reported
	Depth     int  // for how many completions the consumer asked room
	Resize    Resizing
	Asked     int // the depth that a resize asks for, until it is done or refused
	Open      Openness
}

// Match says whether c has to, may, or does not satisfy an arm (ARM-08, ARM-09, ARM-10, ARM-11, ARM-12).
func (d Dialect) Match(a Arm, c Completion) Modality {
	failed := c.Status != SUCCESS
	switch {
	case a == ANY, a == SOLICITED && (c.Solicited || failed), a == ERRORS && failed && d.A4 == A4Must:
		return Must
	case a == SOLICITED && d.A5 == A5May, a == ERRORS && failed && d.A4 == A4May:
		return May
	}
	return MustNot
}

// owe returns the counts that may be owed once a callback became due for w arms while n were owed. There is none where the
// bound of A24 would be exceeded.
func (d Dialect) owe(n, w int) []int {
	full := d.A24 != A24None && n >= int(d.A24)
	switch {
	case d.SecondArm == Together:
		return []int{n + w}
	case n == 0:
		return []int{1}
	case d.A2 == A2One, d.A2 == A2Either && full:
		return []int{n}
	case full:
		return nil
	case d.A2 == A2Two:
		return []int{n + 1}
	}
	return []int{n, n + 1}
}

// beside returns how many of n callbacks that are owed for completions are left beside one that tells of an error (A2).
func (d Dialect) beside(n int) []int {
	switch {
	case n == 0:
		return []int{0}
	case d.A2 == A2Either, d.SecondArm == Together:
		return []int{n - 1, n}
	case d.A2 == A2One:
		return []int{n - 1}
	}
	return []int{n}
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

// satisfyOr returns the states after a match that must, may, or must not satisfy the arm of q. q is the state in which the arm is not satisfied.
func (d Dialect) satisfyOr(match Modality, q Cq) ([]Cq, *Refusal) {
	var next []Cq
	if match != MustNot {
		next = d.satisfy(q, q.Waiting)
	}
	if match != Must {
		next = append(next, q)
	}
	if next == nil {
		return nil, debtAtItsBound
	}
	return next, nil
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
	q.Entries = append(slices.Clip(q.Entries), c)
	if !q.Uncounted {
		q.Fresh++
	}
	return d.satisfyOr(d.Match(q.Arm, c), q)
}

// fail is Overflow and InternalError: the CQ takes nothing more, and an arm of any type is told of it (A1). A CQ that
// holds fewer completions than its depth can't overflow (ARM-16).
func (d Dialect) fail(q Cq, h Health) ([]Cq, *Refusal) {
	if q.Open == Closed || q.Health != OK {
		return nil, failedTwice
	}
	if h == BufferOverflow && len(q.Entries) < q.Depth {
		return nil, overflowWithRoom
	}
	q.Health = h
	next := []Cq{q}
	switch {
	case !d.ErrorsArm:
	case q.Arm != NONE || d.A1 == A1NoArm:
		q.Arm, q.Waiting, q.ErrorDue = NONE, 0, true
		next = []Cq{q}
	default: // the arm may count until its callback is entered, which then tells of the error (A2)
		next = next[:0]
		for _, due := range d.beside(q.Due) {
			told := q
			told.Due, told.ErrorDue = due, due < q.Due
			next = append(next, told)
		}
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

// FreshMatch says whether a completion placed since the last callback has to satisfy a: one that matches, or any (A3).
func (d Dialect) FreshMatch(q Cq, a Arm) bool {
	return q.Taken.Has(a) || d.fresh(q, a) == Must || d.A3 == A3AnyFresh && q.Fresh > 0
}

// Obliges says whether one completion that was placed since the last callback has to satisfy a: if it matches, or whatever it is (A3).
func (d Dialect) Obliges(a Arm, c Completion) bool {
	return d.A3 == A3AnyFresh || d.Match(a, c) == Must
}

// AtArm says whether the contents of the CQ must, may, or must not satisfy an arm of type a at once (ARM-04, ARM-05, ARM-21). If a fresh entry may
// count as a match or not (A4, A5), and that makes a difference, the result is that it may.
func (d Dialect) AtArm(q Cq, a Arm) Modality {
	switch {
	case d.FreshMatch(q, a):
		return d.FreshAtArm
	case d.fresh(q, a) == May && d.FreshAtArm != d.OldAtArm:
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
	if d.A1 == A1Kept && d.ErrorsArm && q.Health != OK && !q.Reported && !q.ErrorDue {
		q.ErrorDue = true
		return []Cq{q}, nil
	}
	if q.Waiting == 0 || d.SecondArm == Together {
		q.Waiting++
	}
	q.Arm = Stronger(q.Arm, t)
	if d.looksLater(q) {
		return []Cq{q}, nil
	}
	return d.satisfyOr(d.AtArm(q, q.Arm), q)
}

// looksLater reports whether an arm looks at what is in the CQ only when the running callback returns (A28).
func (d Dialect) looksLater(q Cq) bool { return q.Running && d.A28 == A28AtReturn }

// age makes old what the CQ holds: a callback has reported it.
func (q *Cq) age() { q.Fresh, q.Uncounted, q.Taken = 0, false, 0 }

// enter is NdkCqNotificationCallbackEnter, with one of the statuses that there are (ARM-15).
func (d Dialect) enter(q Cq, status Health) ([]Cq, *Refusal) {
	switch {
	case q.Open == Closed:
		return nil, callbackAfterClose
	case q.Running:
		return nil, callbacksOverlap
	case status == OK && q.Due == 0:
		return nil, notDue(q)
	case status == OK && q.ErrorDue && d.A2 == A2One && d.SecondArm == Merge:
		return nil, errorFirst
	case status == OK && len(q.Entries) == 0 && d.A6 == A6Never:
		return nil, callbackOnEmpty
	case status != OK && (!q.ErrorDue || q.Health != status):
		return nil, errorNotDue(q, status)
	}
	q.Running = d.Serialised
	if !d.Serialised || d.A3 != A3Return {
		q.age()
	}
	if status == OK {
		q.Due--
		return []Cq{q}, nil
	}
	q.ErrorDue, q.Reported = false, true
	due := d.beside(q.Due)
	next := make([]Cq, len(due))
	for i := range due {
		next[i] = q
		next[i].Due = due[i]
	}
	return next, nil
}

// exit is NdkCqNotificationCallbackExit.
func (d Dialect) exit(q Cq) ([]Cq, *Refusal) {
	if !q.Running {
		return nil, exitWithoutEnter
	}
	later := d.looksLater(q)
	q.Running = false
	if d.A3 == A3Return {
		q.age()
	}
	if later && q.Arm != NONE {
		return d.satisfyOr(d.AtArm(q, q.Arm), q)
	}
	return []Cq{q}, nil
}

// extraEvent is ExtraEventComes: it satisfies the arm of an empty CQ.
func (d Dialect) extraEvent(q Cq) ([]Cq, *Refusal) {
	if !d.ExtraEvent || q.Arm == NONE || len(q.Entries) > 0 {
		return nil, noExtraEvent
	}
	return d.satisfyOr(Must, q)
}

// poll is NdkGetCqResults and NdkGetCqResultsEx, which take the same (POLL-06, POLL-07): the k oldest entries leave, each once
// (POLL-04), out of room for n. Without any room nothing leaves.
func (d Dialect) poll(q Cq, n, k int) ([]Cq, *Refusal) {
	most := min(n, len(q.Entries))
	switch {
	case q.Open != Open:
		return nil, usedAfterClose
	case k > n:
		return nil, moreThanAsked
	case k > len(q.Entries):
		return nil, notInCq
	case q.Health != OK && d.A33 == A33AnyPart: // a failed CQ may keep what it has
	case k == 0 && most > 0:
		return nil, emptyHanded
	case k < most && d.A7 == A7MustNot:
		return nil, stoppedShort
	}
	if d.A25 == A25Yes {
		q.Taken |= d.matchedBy(q, k)
	}
	q.Entries = q.Entries[k:]
	q.Fresh = min(q.Fresh, len(q.Entries))
	return []Cq{q}, nil
}

// matchedBy returns the arms that a fresh completion among the first k matches.
func (d Dialect) matchedBy(q Cq, k int) Arms {
	var arms Arms
	for i := len(q.Entries) - q.Fresh; i < k; i++ {
		for _, a := range []Arm{ERRORS, SOLICITED, ANY} {
			if d.Match(a, q.Entries[i]) == Must && (a != ERRORS || d.ErrorsArm) {
				arms |= 1 << a
			}
		}
	}
	return arms
}

// askResize is NdkResizeCq, also while the CQ is armed or polled (RSZ-05).
func (d Dialect) askResize(q Cq, depth int) ([]Cq, *Refusal) {
	if q.Open != Open {
		return nil, usedAfterClose
	}
	if q.Resize != NotResizing {
		return nil, resizedTwice
	}
	q.Resize, q.Asked = ResizeAsked, depth
	return []Cq{q}, nil
}

// resize is Resize: the depth becomes what was asked for, or the resize is refused and changes nothing (RSZ-02, RSZ-03).
func (d Dialect) resize(q Cq) ([]Cq, *Refusal) {
	if q.Resize != ResizeAsked {
		return nil, noResize
	}
	done, refused := q, q
	done.Resize, done.Depth, done.Asked = ResizeDone, q.Asked, 0
	refused.Resize, refused.Asked = ResizeRefused, 0
	if d.A16 == A16Refused && len(q.Entries) > q.Asked {
		return []Cq{refused}, nil
	}
	return []Cq{done, refused}, nil
}

// tellResize is NdkRequestCompletionEnter of a resize.
func (d Dialect) tellResize(q Cq, outcome Outcome) ([]Cq, *Refusal) {
	if outcome == SUCCESS && q.Resize != ResizeDone || outcome == FAILED && q.Resize != ResizeRefused || outcome == CANCELLED {
		return nil, resizeNotSo
	}
	q.Resize = ResizeTold
	return []Cq{q}, nil
}

// endResize is NdkRequestCompletionExit of a resize.
func (d Dialect) endResize(q Cq) ([]Cq, *Refusal) {
	if q.Resize != ResizeTold {
		return nil, resizeNotTold
	}
	q.Resize = NotResizing
	return []Cq{q}, nil
}

// close is NdkCloseCq. It is never taken back (LIFE-12).
func (d Dialect) close(q Cq) ([]Cq, *Refusal) {
	if q.Open != Open {
		return nil, usedAfterClose
	}
	q.Open = Closing
	return []Cq{q}, nil
}

// closeCompletion is NdkCloseCompletion of a CQ. What was owed is owed no more (LIFE-08, LIFE-09, LIFE-11).
func (q Cq) closeCompletion() (Cq, *Refusal) {
	switch {
	case q.Open != Closing:
		return q, closeNotPending
	case q.Running:
		return q, closedWhileRunning
	case q.Resize != NotResizing:
		return q, closedWhileResizing
	}
	return Cq{Open: Closed, Health: q.Health, Reported: q.Reported, Depth: q.Depth}, nil
}

// without is Without: the completions of a QP that was closed have vanished (A21).
func (q Cq) without(qp int) Cq {
	of := func(c Completion) bool { return c.Qp == qp }
	if !slices.ContainsFunc(q.Entries, of) {
		return q
	}
	fresh := q.Entries[len(q.Entries)-q.Fresh:]
	q.Fresh = len(slices.DeleteFunc(slices.Clone(fresh), of))
	q.Entries = slices.DeleteFunc(slices.Clone(q.Entries), of)
	return q
}
