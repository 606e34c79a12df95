package trace

// Awaited returns, for each moment of rest of a verbs trace, the CQs that had no unread event then. The key is the index of the quiesce point, or
// the number of events for the end of the trace. A CQ is in the set if a thread was waiting for its events, or if a later read found none and no
// event had been read in between.
func Awaited(t *Trace) map[int]map[string]bool {
	a := awaiting{since: map[string]int{}, waiting: map[string]Waiter{}, called: map[string]int{}, at: map[int]map[string]bool{}}
	for i := range t.Events {
		a.take(i, &t.Events[i])
	}
	if t.End != nil && t.End.Quiescent {
		a.rest(len(t.Events))
	}
	return a.at
}

// awaiting follows who waits for which events.
type awaiting struct {
	channels Channels
	rests    []int
	since    map[string]int    // by CQ: the first of the rests behind the latest event that was read, or behind EAGAIN
	waiting  map[string]Waiter // by op
	called   map[string]int
	at       map[int]map[string]bool
}

func (a *awaiting) take(i int, e *Event) {
	a.channels.Take(e)
	switch {
	case e.Ph == Point && e.Fn == "quiesce":
		a.rest(i)
	case e.Fn != "ibv_get_cq_event":
	case e.Ph == Call:
		a.waiting[e.Op], a.called[e.Op] = a.channels.WaiterOf(e), i
	case e.Ph == Ret:
		w, call := a.waiting[e.Op], a.called[e.Op]
		delete(a.waiting, e.Op)
		delete(a.called, e.Op)
		if e.Cq != "" {
			a.since[e.Cq] = len(a.rests)
		}
		if e.Errno == "EAGAIN" {
			a.foundNone(w, call)
		}
	}
}

func (a *awaiting) rest(i int) {
	a.rests = append(a.rests, i)
	for _, w := range a.waiting {
		for _, cq := range a.channels.ReadBy(w) {
			a.await(i, cq)
		}
	}
}

func (a *awaiting) await(rest int, cq string) {
	if a.at[rest] == nil {
		a.at[rest] = map[string]bool{}
	}
	a.at[rest][cq] = true
}

// foundNone handles EAGAIN of a call: what had come before the call would have been there, unless another call may have read it.
func (a *awaiting) foundNone(w Waiter, call int) {
	for _, cq := range a.channels.ReadBy(w) {
		if a.mayBeRead(cq) {
			continue
		}
		i := a.since[cq]
		for ; i < len(a.rests) && a.rests[i] < call; i++ {
			a.await(a.rests[i], cq)
		}
		a.since[cq] = i
	}
}

// mayBeRead reports whether a call under way may read an event of a CQ.
func (a *awaiting) mayBeRead(cq string) bool {
	for _, w := range a.waiting {
		if a.channels.MayRead(w, cq) {
			return true
		}
	}
	return false
}

// Unplaced returns the calls of ibv_get_cq_event, by op, that returned an event though the trace does not say on which channel they waited.
func Unplaced(t *Trace) map[string]bool {
	var channels Channels
	waiters, unplaced := map[string]Waiter{}, map[string]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		channels.Take(e)
		switch {
		case e.Fn != "ibv_get_cq_event":
		case e.Ph == Call:
			waiters[e.Op] = channels.WaiterOf(e)
		case e.Ph == Ret && e.Cq != "" && !channels.Reads(waiters[e.Op], e.Cq):
			unplaced[e.Op] = true
		}
	}
	return unplaced
}
