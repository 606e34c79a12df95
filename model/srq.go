package model

import "slices"

// Sharing has the parameters of a shared receive queue.
type Sharing struct {
	Depth     int  // for how many receives the consumer asked room
	Threshold int  // of the notification; 0 is none
	Notifies  bool // the consumer has a callback (SRQ-07)
	Qps       int  // number of queue pairs that take their receives from it
}

// Modifying is the progress of a call that modifies a shared receive queue.
type Modifying uint8

// A call that was made is done or refused by the adapter; then its return, or a callback, tells which.
const (
	NotModifying Modifying = iota
	ModifyAsked
	ModifyDone
)

var modifyingNames = [...]string{"NONE", "ASKED", "DONE"}

func (m Modifying) String() string { return modifyingNames[m] }

// QpSet is a set of queue pairs, a bit each.
type QpSet uint8

// Has reports whether the queue pair is in the set.
func (s QpSet) Has(qp int) bool { return s&(1<<qp) != 0 }

// Srq is the state of one shared receive queue.
type Srq struct {
	Queued         int   // receives that no message has taken
	Taken          []int // the queue pair of each receive that was taken and has not completed; never changed in place
	Depth          int
	Threshold      int
	Waiting        int  // arms outstanding; with Merge at most one
	Due            int  // callbacks owed because the queue ran low
	ErrorDue       bool // the one callback that reports the queue's error is owed
	Running        int  // callbacks that were entered and have not returned
	Health         Health
	Reported       bool // the queue's error has been reported
	Modify         Modifying
	AskedDepth     int   // of a call that is pending; 0 for no change
	AskedThreshold int   // the same
	Ended          QpSet // queue pairs in their error state
	LastDue        QpSet // those of Ended that have no receive any more, which has not been reported yet
	Open           Openness
}

// NewSrqs returns the states that a shared receive queue may have when it was just created (SRQ-06, A19).
func (c *Contract) NewSrqs(i int) []Srq {
	of := c.Srqs[i]
	unarmed := Srq{Depth: of.Depth, Threshold: of.Threshold}
	if c.Dialect.A19 == A19Unarmed || !of.Notifies || of.Threshold == 0 {
		return []Srq{unarmed}
	}
	armed := unarmed
	armed.Waiting = 1
	next := c.Dialect.atModify(armed)
	if c.Dialect.A19 == A19Either {
		next = append([]Srq{unarmed}, next...)
	}
	return next
}

// low reports whether fewer receives are queued than the threshold (A18).
func (d Dialect) low(r Srq) bool {
	count := r.Queued
	if d.A18 == A18Completed {
		count += len(r.Taken)
	}
	return count < r.Threshold
}

// notified clears the arm and owes a callback (SRQ-04).
func (d Dialect) notified(r Srq) []Srq {
	next := r
	next.Due, next.Waiting = r.Due+1, 0
	switch {
	case d.SecondArm == Together:
		next.Due = r.Due + r.Waiting
		return []Srq{next}
	case r.Due == 0:
		return []Srq{next}
	}
	r.Waiting = 0
	return []Srq{r, next}
}

// notifiedOr returns the states after an arm that must, may, or must not find the queue low. r is the state in which it does not.
func (d Dialect) notifiedOr(low Modality, r Srq) []Srq {
	var next []Srq
	if low != MustNot {
		next = d.notified(r)
	}
	if low != Must {
		next = append(next, r)
	}
	return next
}

// atModify is AtModify: an arm that was just made (SRQ-03).
func (d Dialect) atModify(r Srq) []Srq {
	if !d.low(r) {
		return []Srq{r}
	}
	return d.notifiedOr(d.LowAtArm, r)
}

// left is Left: a receive has left the queue before, and n is what it left behind (SRQ-02).
func (d Dialect) left(before, n Srq) []Srq {
	switch {
	case n.Waiting == 0 || !d.low(n):
		return []Srq{n}
	case d.low(before):
		return d.notifiedOr(d.LowAtArm, n)
	}
	return d.notifiedOr(Must, n)
}

// works reports why nothing is posted, taken or completed any more.
func (r Srq) works() *Refusal {
	switch {
	case r.Open == Closed:
		return srqIsClosed
	case r.Reported:
		return srqHasFailed
	}
	return nil
}

// postReceive is NdkSrqReceive that returns success.
func (r Srq) postReceive() ([]Srq, *Refusal) {
	switch {
	case r.Open != Open:
		return nil, usedAfterClose
	case r.Reported:
		return nil, srqHasFailed
	}
	r.Queued++
	return []Srq{r}, nil
}

// take is Take: a message to a queue pair takes a receive.
func (d Dialect) take(r Srq, qp int) ([]Srq, *Refusal) {
	switch refusal := r.works(); {
	case refusal != nil:
		return nil, refusal
	case r.Queued == 0:
		return nil, srqIsEmpty
	case r.Ended.Has(qp):
		return nil, takenEnded
	}
	n := r
	n.Queued--
	n.Taken = append(slices.Clip(r.Taken), qp)
	return d.left(r, n), nil
}

// completeReceive is CompleteReceive: a receive completes that a queue pair has taken.
func (d Dialect) completeReceive(r Srq, qp int) ([]Srq, *Refusal) {
	if refusal := r.works(); refusal != nil {
		return nil, refusal
	}
	i := slices.Index(r.Taken, qp)
	if i < 0 {
		return nil, notTaken
	}
	n := r
	n.Taken = slices.Delete(slices.Clone(r.Taken), i, i+1)
	return d.left(r, n.lastIsDone(qp)), nil
}

// lastIsDone is LastIsDone: it notes a queue pair in its error state that holds no receive any more.
func (r Srq) lastIsDone(qp int) Srq {
	if r.Ended.Has(qp) && !slices.Contains(r.Taken, qp) {
		r.LastDue |= 1 << qp
	}
	return r
}

// endQp is QpEnds: a queue pair goes into its error state. What is queued stays (FLUSH-04).
func (d Dialect) endQp(r Srq, qp int) ([]Srq, *Refusal) {
	switch refusal := r.works(); {
	case refusal != nil:
		return nil, refusal
	case !d.ErrorState || r.Ended.Has(qp):
		return nil, endsNot
	}
	r.Ended |= 1 << qp
	return []Srq{r.lastIsDone(qp)}, nil
}

// tellLast is LastWqeReached.
func (r Srq) tellLast(qp int) ([]Srq, *Refusal) {
	if !r.LastDue.Has(qp) {
		return nil, lastNotDone
	}
	r.LastDue &^= 1 << qp
	return []Srq{r}, nil
}

// askModify is NdkModifySrq.
func (r Srq) askModify(depth, threshold int) ([]Srq, *Refusal) {
	switch {
	case r.Open != Open:
		return nil, usedAfterClose
	case r.Modify != NotModifying:
		return nil, modifiedTwice
	}
	r.Modify, r.AskedDepth, r.AskedThreshold = ModifyAsked, depth, threshold
	return []Srq{r}, nil
}

// modified is SrqModified: the call takes effect, or is refused and changes nothing. 0 leaves what there is (SRQ-01, SRQ-05).
func (d Dialect) modified(r Srq, notifies bool) ([]Srq, *Refusal) {
	if r.Modify != ModifyAsked {
		return nil, noModify
	}
	refused := r
	refused.Modify, refused.AskedDepth, refused.AskedThreshold = ModifyDone, 0, 0
	done := refused
	if r.AskedDepth != 0 {
		done.Depth = r.AskedDepth
	}
	next := []Srq{done}
	if r.AskedThreshold != 0 {
		next[0].Threshold = r.AskedThreshold
		if notifies {
			next = d.armed(next[0])
		}
	}
	if !slices.ContainsFunc(next, refused.sameArm) {
		next = append(next, refused)
	}
	return next, nil
}

// armed is AfterModify of a threshold that arms.
func (d Dialect) armed(r Srq) []Srq {
	if r.Waiting == 0 || d.SecondArm == Together {
		r.Waiting++
	}
	return d.atModify(r)
}

// sameArm reports whether two queues agree in all that a call to modify them can change.
func (r Srq) sameArm(other Srq) bool {
	return r.Depth == other.Depth && r.Threshold == other.Threshold && r.Waiting == other.Waiting && r.Due == other.Due
}

// tellModify is SrqModifyTold.
func (r Srq) tellModify() ([]Srq, *Refusal) {
	if r.Modify != ModifyDone {
		return nil, modifyNotDone
	}
	r.Modify = NotModifying
	return []Srq{r}, nil
}

// enterSrq is NdkSrqNotificationCallbackEnter, with one of the statuses that there are (SRQ-08).
func (d Dialect) enterSrq(r Srq, status Health) ([]Srq, *Refusal) {
	switch {
	case r.Open == Closed:
		return nil, srqIsClosed
	case status == OK && r.Due == 0:
		return nil, srqNotDue
	case status != OK && (!r.ErrorDue || r.Health != status):
		return nil, srqErrorNotDue
	}
	if d.Serialised {
		r.Running++
	}
	if status == OK {
		r.Due--
	} else {
		r.ErrorDue, r.Reported = false, true
	}
	return []Srq{r}, nil
}

// exitSrq is NdkSrqNotificationCallbackExit.
func (r Srq) exitSrq() ([]Srq, *Refusal) {
	if r.Running == 0 {
		return nil, srqExitWithoutEnter
	}
	r.Running--
	return []Srq{r}, nil
}

// failSrq is SrqInternalError.
func (r Srq) failSrq(notifies bool) ([]Srq, *Refusal) {
	if r.Open == Closed || r.Health != OK {
		return nil, srqFailedTwice
	}
	r.Health, r.ErrorDue = InternalError, notifies
	return []Srq{r}, nil
}

// closeSrq is NdkCloseSrq. It is never taken back (LIFE-12).
func (r Srq) closeSrq() ([]Srq, *Refusal) {
	if r.Open != Open {
		return nil, usedAfterClose
	}
	r.Open = Closing
	return []Srq{r}, nil
}

// finishCloseSrq is SrqClosed. Its queue pairs come first, and nothing is owed any more (LIFE-04, LIFE-07, LIFE-08, LIFE-09).
func (r Srq) finishCloseSrq() ([]Srq, *Refusal) {
	switch {
	case r.Open != Closing:
		return nil, closeNotPending
	case r.Running > 0:
		return nil, srqClosedWhileRunning
	case r.Modify != NotModifying:
		return nil, srqClosedWhileModifying
	case len(r.Taken) > 0 && !r.Reported:
		return nil, srqClosedBeforeQps
	}
	return []Srq{{Open: Closed, Depth: r.Depth, Threshold: r.Threshold, Health: r.Health, Reported: r.Reported, Ended: r.Ended}}, nil
}
