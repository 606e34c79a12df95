package stream

import (
	"cmp"
)

// A group is of objects that share something. What is found on one of them ends what can be said of all.
type group struct {
	joined  *group
	broken  bool // a violation was found, from which what comes after it may follow
	told    int  // findings that may
	untold  int  // findings that may, and were omitted
	stopped bool // nothing more is said of the provider

	excusedFrom eventIndex // where the consumer broke a rule first, or 0

	unclear string   // why nothing more can be said of it, or ""
	doubt   string   // what may explain whatever has no other explanation, or ""
	objects int      // of it that are not retired
	endedIn *retired // where it is counted, if there are none
	place   int      // in the order of groups: that of its first CQ, or without one of its first QP

	overflowing []*cq // that may have overflowed at some time
	overflown   *cq   // one that has, at moments that are followed: that may explain what is not seen of it alone
	without     *cq   // what is found just now no overflow of it explains
}

// newGroup returns the group of one object.
func newGroup(place int) *group { return &group{objects: 1, place: place} }

// root returns the group that g has become part of. The way there gets shorter each time.
func (g *group) root() *group {
	for g.joined != nil {
		if g.joined.joined != nil {
			g.joined = g.joined.joined
		}
		g = g.joined
	}
	return g
}

// onlyQps is what the place of a group without a CQ is behind: those come last.
const onlyQps = 1 << 48

// leaveOpen records why nothing more can be said of a group. The first reason stays.
func (g *group) leaveOpen(reason string) {
	g = g.root()
	g.unclear = cmp.Or(g.unclear, reason)
}

// join makes two groups one.
func join(a, b *group) {
	a, b = a.root(), b.root()
	if a == b {
		return
	}
	ended := cmp.Or(a.endedIn, b.endedIn)
	for _, g := range []*group{a, b} {
		if g.endedIn != nil {
			ended.goesOn(g)
		}
	}
	a.broken, a.stopped = a.broken || b.broken, a.stopped || b.stopped
	if a.excusedFrom == 0 || b.excusedFrom != 0 && b.excusedFrom < a.excusedFrom {
		a.excusedFrom = b.excusedFrom
	}
	a.told, a.untold = a.told+b.told, a.untold+b.untold
	a.unclear = cmp.Or(a.unclear, b.unclear)
	a.doubt = cmp.Or(a.doubt, b.doubt)
	a.objects, a.place = a.objects+b.objects, min(a.place, b.place)
	a.overflowing = append(a.overflowing, b.overflowing...)
	if a.overflown != nil && b.overflown != nil {
		a.doubt = cmp.Or(a.doubt, b.overflown.failure())
	}
	a.overflown = cmp.Or(a.overflown, b.overflown)
	b.overflowing = nil
	if b.joined = a; a.objects == 0 && ended != nil {
		ended.ended(a)
	}
}
