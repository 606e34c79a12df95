package histories

import (
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// lifeOf is what the words of a trace say of one of the objects that take no part in what queues do.
type lifeOf struct {
	exists, closed, over bool
	parent               string
	running              int // functions that have not returned, but for its close
}

// A callOfLife is a call of a function of such an object.
type callOfLife struct {
	fn, object string
	pending    bool
	over       bool
}

// judgeLives decides by the plainest reading of the texts who breaks LIFE-01, LIFE-02, LIFE-04, LIFE-06, LIFE-11, ASY-01 or ASY-02. If no close may fail,
// it also decides LIFE-12. It returns every party and the reasons.
func judgeLives(events []trace.Event, noCloseFails bool) map[verdict.Verdict][]string {
	found := map[verdict.Verdict][]string{}
	blame := func(who verdict.Verdict, rule string) { found[who] = append(found[who], rule) }
	lives, made := map[string]*lifeOf{}, map[string]*callOfLife{}
	ends := func(name string) {
		lives[name].over = true
		for _, child := range lives {
			if child.parent == name && child.exists && !child.over {
				blame(verdict.ProviderViolation, "LIFE-04")
			}
		}
	}
	succeeds := func(c *callOfLife) {
		c.pending, c.over = false, true
		switch {
		case creates(c.fn):
			lives[c.object].exists = true
		case closes(c.fn):
			ends(c.object)
		}
	}
	for i := range events {
		e := &events[i]
		name := objectOf(e)
		c := made[e.Op]
		switch {
		case e.Fn == "quiesce":
			for _, c := range made {
				if c.pending {
					blame(verdict.ProviderViolation, "LIFE-11")
				}
			}
		case e.Ph == trace.Call && name != "":
			made[e.Op] = &callOfLife{fn: e.Fn, object: name}
			if creates(e.Fn) {
				lives[name] = &lifeOf{parent: parentOf(e, name)}
				if p := lives[lives[name].parent]; p != nil && p.closed {
					blame(verdict.ConsumerViolation, "LIFE-06")
				}
				continue
			}
			l := lives[name]
			switch {
			case !l.exists:
				blame(verdict.ConsumerViolation, "LIFE-01")
			case l.closed:
				blame(verdict.ConsumerViolation, "LIFE-06")
			case closes(e.Fn) && l.running > 0:
				blame(verdict.ConsumerViolation, "LIFE-02")
			}
			if closes(e.Fn) {
				l.closed = true
			} else {
				l.running++
			}
		case e.Ph == trace.Ret && c != nil:
			if !creates(c.fn) && !closes(c.fn) {
				lives[c.object].running--
			}
			switch failed := e.Errno != "" || e.Status != "" && e.Status != "STATUS_SUCCESS" && e.Status != "STATUS_PENDING"; {
			case e.Status == "STATUS_PENDING":
				c.pending = true
			case failed && closes(c.fn):
				if l := lives[c.object]; noCloseFails && l.exists && !l.over {
					blame(verdict.ProviderViolation, "LIFE-12")
				}
				lives[c.object].closed = lives[c.object].over
			case !failed:
				succeeds(c)
			}
		case e.Ph == trace.Enter && made[e.For] != nil:
			if c := made[e.For]; c.pending {
				succeeds(c)
			} else {
				blame(verdict.ProviderViolation, "ASY-01")
			}
		}
	}
	return found
}

func creates(fn string) bool {
	return strings.HasPrefix(fn, "NdkCreate") || slices.Contains([]string{"ibv_alloc_pd", "ibv_reg_mr", "ibv_alloc_mw", "ibv_create_srq"}, fn)
}

func closes(fn string) bool {
	return strings.HasPrefix(fn, "NdkClose") || slices.Contains([]string{"ibv_dealloc_pd", "ibv_dereg_mr", "ibv_dealloc_mw", "ibv_destroy_srq"}, fn)
}

// objectOf returns the object of a call that belongs to these lives, or "".
func objectOf(e *trace.Event) string {
	if e.Thr != "u" {
		return ""
	}
	for _, id := range []string{e.Mr, e.Mw, e.Srq, e.Connector, e.Listener, e.Endpoint, e.Pd} {
		if id != "" {
			return id
		}
	}
	return ""
}

// parentOf returns the protection domain that a creation names for an object, or "".
func parentOf(e *trace.Event, name string) string {
	if e.Pd == name {
		return ""
	}
	return e.Pd
}
