package search

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// place puts the steps of a way each as early as it can be, and reports whether all come in time.
func (c *component) place(path []*node) (all []witness.Placed, fit bool) {
	behind := -1
	received, met := map[*qp]int{}, map[*qp]int{} // messages, and receives that sends went to
	for _, n := range path {
		behind = max(behind, n.op.call)
		steps := c.stepsOf(n)
		for _, s := range steps {
			switch r := c.h.byWr[s.Wr]; {
			case s.Action == model.Deliver:
				received[c.h.qpByName[s.Qp].peer]++
			case s.Action != model.Execute || s.Outcome != model.SUCCESS.String() || r.qp.peer == nil:
			case r.op.IsSend():
				receives, next := r.qp.peer.receive, met[r.qp]
				for next < len(receives) && !receives[next].mayTake(r) {
					next++
				}
				if next == len(receives) {
					return nil, false
				}
				behind, met[r.qp] = max(behind, receives[next].post.call, r.qp.peer.connected.call), next+1
			case r.queue == model.Receive:
				if behind = max(behind, r.sent); r.message != nil {
					behind = max(behind, r.message.post.call)
				}
				i, sends := received[r.qp], r.qp.peer.sends
				if received[r.qp]++; i >= len(sends) {
					return nil, false
				}
				behind = max(behind, sends[i].post.call, r.qp.peer.connected.call)
			}
		}
		at := behind
		if n.op.effect == doRest {
			at-- // what is held against a moment of rest stands before it
		}
		if at >= len(c.h.trace.Events) {
			return all, true // what could still happen at the end explains nothing
		}
		if len(steps) > 0 && behind > n.op.ret {
			return nil, false
		}
		for _, s := range steps {
			all = append(all, witness.Placed{Step: s, Behind: at})
		}
	}
	return all, true
}

// witness returns the steps of all components, if they are asked for and nothing but the end of the trace is undecided. Those of one place stay in the
// order of their components, which share nothing but the messages of their QPs.
func (j *judge) witness() []witness.Placed {
	if !j.explains || slices.ContainsFunc(j.report.Findings, func(f verdict.Finding) bool { return f.Message != verdict.NotAtRest }) {
		return nil
	}
	all := append([]witness.Placed{}, j.explained...)
	late := func(s witness.Placed) int {
		if j.isAtOnce(s) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b witness.Placed) int { return cmp.Or(cmp.Compare(a.Behind, b.Behind), late(a)-late(b)) })
	return j.history.postedFirst(all)
}

// isAtOnce reports whether a step is what its event tells: no other stands between them.
func (j *judge) isAtOnce(s witness.Placed) bool {
	switch s.Action {
	case model.NdkCqNotificationCallbackEnter, model.NdkCqNotificationCallbackExit, model.NdkCloseCompletion:
		return s.Behind >= 0 && j.history.trace.Events[s.Behind].Op == s.Op && j.history.trace.Events[s.Behind].Ph != trace.Call
	}
	return false
}

// postedFirst moves posts and connections forward, each before the request of the peer that could not succeed without it: a message is sent before
// it is received, and received before its send succeeds (POLL-05). The search asks only that their calls come first.
func (h *history) postedFirst(steps []witness.Placed) []witness.Placed {
	connected, sent, received := map[*qp]bool{}, map[*qp]int{}, map[*qp]int{}
	receives := map[*qp][]*request{} // that have been posted, and no send went to yet
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		p, r := h.qpByName[s.Qp], h.byWr[s.Wr]
		switch {
		case p == nil || p.peer == nil:
		case s.Action == model.NdkConnect:
			connected[p] = true
		case s.Action == model.Post && r.op.IsSend():
			sent[p]++
			if !connected[p] && h.bringForward(steps, i, model.NdkConnect, func(q *qp, _ *request) bool { return q == p }) {
				connected[p] = true
			}
		case s.Action == model.Post && r.queue == model.Receive:
			receives[p] = append(receives[p], r)
		case s.Action == model.Deliver:
			received[p.peer]++
		case s.Action != model.Execute || s.Outcome != model.SUCCESS.String():
		case r.queue == model.Receive && received[p] < sent[p.peer]:
			received[p]++
		case r.queue == model.Receive:
			if h.bringForward(steps, i, model.Post, func(q *qp, r *request) bool { return q == p.peer && r.op.IsSend() }) {
				i--
			}
		case r.op.IsSend() && !connected[p.peer]:
			if connected[p.peer] = true; h.bringForward(steps, i, model.NdkConnect, func(q *qp, _ *request) bool { return q == p.peer }) {
				i--
			}
		case r.op.IsSend():
			left := receives[p.peer]
			for len(left) > 0 && !left[0].mayTake(r) {
				left = left[1:]
			}
			if receives[p.peer] = left; len(left) > 0 {
				receives[p.peer] = left[1:]
			} else if h.bringForward(steps, i, model.Post, func(q *qp, r *request) bool { return q == p.peer && r.queue == model.Receive }) {
				i--
			}
		}
	}
	return steps
}

// bringForward moves the next matching step of an action to index i, or first an earlier step of the same call, and reports whether there is one.
func (h *history) bringForward(steps []witness.Placed, i int, action model.Name, isIt func(*qp, *request) bool) bool {
	wanted := func(s witness.Placed) bool { return s.Action == action && isIt(h.qpByName[s.Qp], h.byWr[s.Wr]) }
	j := i + 1 + slices.IndexFunc(steps[i+1:], wanted)
	if j == i {
		return false
	}
	j = i + 1 + slices.IndexFunc(steps[i+1:], func(s witness.Placed) bool { return s.Op == steps[j].Op })
	s := steps[j]
	s.Behind = steps[i].Behind
	copy(steps[i+1:j+1], steps[i:j])
	steps[i] = s
	return true
}
