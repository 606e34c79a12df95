package stream

import (
	"slices"

	"ndkoracle/linearize/verdict"
)

// postsUnderWay holds the posts to a QP that have not returned.
type postsUnderWay struct {
	posts   [2]*underWay // the latest, by queue
	running [2]int       // how many there are, by queue
}

// runningCallbacks holds the callbacks that have been entered and have not returned.
type runningCallbacks struct {
	count    int
	byThread map[string][]eventIndex // their entries, by thread
}

// A consumer that breaks its own rules gets what it gets: what follows is not the provider's fault.

// postsWithin gives up on a QP where a request is posted within the post of another one.
func (p *qp) postsWithin(u *underWay) {
	if u.Verbs {
		return
	}
	if other := p.posts[u.Queue]; other != nil && u.nestsIn(other) {
		p.group.leaveOpen(u.fn + " of " + u.wr + " was called within the post of another request, and which of them came first " + verdict.NotFollowed)
	}
	p.posts[u.Queue] = u
}

// inner returns the entry of the callback that runs innermost on a thread, or 0.
func (c *runningCallbacks) inner(thr string) eventIndex {
	if c.count == 0 {
		return 0
	}
	running := c.byThread[thr]
	if len(running) == 0 {
		return 0
	}
	return running[len(running)-1]
}

// left takes the return of a callback.
func (c *runningCallbacks) left(u *underWay) {
	running := slices.DeleteFunc(c.byThread[u.thr], func(entry eventIndex) bool { return entry == u.call })
	if c.byThread[u.thr] = running; len(running) == 0 && len(c.byThread) > maxSpare {
		delete(c.byThread, u.thr)
	}
}

// nestsIn reports whether u was called from a callback that runs, on the same thread, within the call o (A27).
func (u *underWay) nestsIn(o *underWay) bool {
	return u.thr == o.thr && u.within > o.call
}
