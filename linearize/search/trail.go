package search

import (
	"context"
	"errors"
	"slices"

	"ndkoracle/linearize/witness"
	"ndkoracle/model"
)

// A trail lists the steps of the model that led to a state, the latest first.
type trail struct {
	step witness.Step
	from *trail
	odd  int  // number of steps, with extra weight for failures and less for posts and connects; the witness is the trail with the least
	gap  bool // the model has no action for one of its steps
}

// withoutStep returns t extended by a step that the model has no action for.
func (t *trail) withoutStep() *trail {
	if t == nil {
		return nil
	}
	gap := *t
	gap.gap = true
	return &gap
}

func (t *trail) oddity() int {
	if t == nil {
		return 0
	}
	return t.odd
}

// callsAreTaken is how many steps a post or a connect whose call never returned makes up for: a message may need it.
const callsAreTaken = 100

// lossIsOdd is how many steps the loss of a connection counts for: a trail that uses only what the trace records is plainer.
const lossIsOdd = 20

// extendTrail returns the trail of s extended by the action a, which led to next, or nil where trails are not kept. If open, a has several possible
// successors, of which next is one.
func (c *component) extendTrail(s state, a model.Action, next model.State, open bool) *trail {
	if !c.keepsTrails {
		return nil
	}
	step := c.stepOfAction(s, a)
	if a.Name == model.Resize {
		step.Outcome = witness.OutcomeOfResize(next.Cqs[a.Cq]).String()
	} else if open {
		leaves := witness.LeavesOf(next.Cqs[witness.CqOf(c.contract, a)])
		step.Leaves = &leaves
	}
	for i := range next.Cqs {
		if next.Cqs[i].Due > s.model.Cqs[i].Due {
			step.Owes = c.cqs[i].name
		}
	}
	longer := &trail{step: step, from: s.trail, odd: s.trail.oddity() + 1, gap: s.trail != nil && s.trail.gap}
	if a.Outcome != model.SUCCESS || a.Name == model.ConnectionLost || a.Name == model.Overflow || a.Name == model.NdkCloseCompletionEnter {
		longer.odd++
	}
	if a.Name == model.ConnectionLost {
		longer.odd += lossIsOdd
	}
	if a.Name == model.Post || a.Name == model.NdkConnect {
		longer.odd -= callsAreTaken
	}
	return longer
}

// stepOfAction describes an action with the names of the trace.
func (c *component) stepOfAction(s state, a model.Action) witness.Step {
	step := witness.Step{Action: a.Name}
	switch a.Name {
	case model.NdkArmCq:
		step.Cq, step.Type = c.cqs[a.Cq].name, a.Type.String()
	case model.NdkGetCqResults:
		step.Cq, step.N, step.K = c.cqs[a.Cq].name, &a.N, &a.K
	case model.NdkCqNotificationCallbackEnter:
		step.Cq, step.CqStatus = c.cqs[a.Cq].name, a.CqStatus.String()
	case model.NdkResizeCq:
		step.Cq, step.Depth = c.cqs[a.Cq].name, &a.Depth
	case model.NdkRequestCompletionEnter:
		step.Cq, step.Outcome = c.cqs[a.Cq].name, a.Outcome.String()
	case model.NdkCqNotificationCallbackExit, model.NdkRequestCompletionExit, model.Resize, model.NdkCloseCq, model.NdkCloseCompletion,
		model.Overflow, model.CqInternalError, model.ExtraEvent:
		step.Cq = c.cqs[a.Cq].name
	case model.Post, model.PostRefused:
		c.describePost(&step, a)
	case model.Execute, model.Complete, model.CompletionLost:
		r := c.h.requests[s.model.Qps[a.Qp].Queue(a.Queue)[a.At].Id]
		step.Qp, step.Queue, step.Wr = c.qps[a.Qp].name, a.Queue.String(), r.wr
		if a.Name == model.Execute {
			step.Outcome, step.Solicited = a.Outcome.String(), a.Solicited
			if a.Queue == model.Receive && a.Outcome == model.SUCCESS {
				step.Token = r.invalid
			}
		}
	case model.Abort:
		step.Qp, step.Outcome, step.Received = c.qps[a.Qp].name, a.Outcome.String(), a.Received.String()
	case model.TokenDies:
		step.Token = c.nameOf(a.Token)
	default:
		step.Qp = c.qps[a.Qp].name
	}
	return step
}

func (c *component) describePost(step *witness.Step, a model.Action) {
	r := c.h.requests[a.Request.Id]
	step.Qp, step.Queue, step.Wr, step.Request = c.qps[a.Qp].name, a.Queue.String(), r.wr, r.op.String()
	step.Silent, step.Solicit, step.Fence, step.Deferred = a.Request.Silent, a.Request.Solicit, a.Request.Fence, a.Deferred
	if c.h.madeValid == nil && r.op != model.Read && r.op != model.Write {
		step.Token = r.token
	}
}

// steps replays an order of the whole component, and returns the steps of the model that it stands for. Several trails may fit the order: steps
// returns the plainest that fits into the trace.
func (c *component) steps(ctx context.Context, order []*operation) ([]witness.Placed, error) {
	c.keepsTrails = true
	defer func() { c.keepsTrails = false }()
	l := c.opens(ctx)
	defer l.close()
	nodes := c.replay(order)
	if err := l.err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(nodes, func(a, b *node) int { return a.state.trail.oddity() - b.state.trail.oddity() })
	nodes = slices.DeleteFunc(nodes, func(n *node) bool { return n.state.trail != nil && n.state.trail.gap })
	for _, n := range nodes {
		if steps, fit := c.place(n.path()); fit {
			return steps, nil
		}
	}
	return nil, errors.New("the order found lets a message be received before it was sent")
}

// stepsOf returns the steps that an operation stood for on the way to n.
func (c *component) stepsOf(n *node) []witness.Step {
	var steps []witness.Step
	for t := n.state.trail; t != n.from.state.trail; t = t.from {
		step := t.step
		if n.op.span != nil && isEffect(step.Action) {
			step.Op = n.op.span.begin.Op
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps
}

// addSteps adds the steps of a component that was explained.
func (j *judge) addSteps(ctx context.Context, c *component, order []*operation) {
	if !j.explains {
		return
	}
	steps, err := c.steps(ctx, order)
	j.explained, j.explains = append(j.explained, steps...), err == nil
}

// isEffect reports whether an action is the effect of a call or of a callback.
func isEffect(name model.Name) bool {
	switch name {
	case model.NdkConnect, model.Post, model.PostRefused, model.NdkArmCq, model.NdkGetCqResults, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp,
		model.NdkCloseCompletionEnter, model.NdkCqNotificationCallbackEnter, model.NdkCqNotificationCallbackExit, model.NdkCloseCq,
		model.NdkCloseCompletion, model.NdkResizeCq, model.NdkRequestCompletionEnter, model.NdkRequestCompletionExit, model.TokenDies:
		return true
	}
	return false
}
