package monitor

import (
	"maps"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// bindings are the requests that bind a memory window to a memory region, and have not completed. A window that is bound follows its
// region (LIFE-15). The texts do not say whether an invalidation parts them.
type bindings struct {
	open      map[string][2]*object // window and region, by request
	uncertain bool                  // an unknown window may have been invalidated
}

// maxBindings bounds how many are followed at a time.
const maxBindings = 1024

// posted records a bind that is posted, of a window to a region. Both are nil where the trace does not name them.
func (b *bindings) posted(c *Call, mw, mr *object) {
	switch {
	case mw == nil:
		return
	case mr == nil || len(b.open) >= maxBindings:
		b.uncertain = true
		return
	case b.open == nil:
		b.open = map[string][2]*object{}
	}
	mw.mayPart(Mr) // from the region that it was bound to before
	mw.follows(mr, false)
	b.open[c.Wr] = [2]*object{mw, mr}
}

// completed records the results of a poll.
func (b *bindings) completed(results []trace.Result) {
	if len(b.open) == 0 {
		return
	}
	for i := range results {
		bound, known := b.open[results[i].Wr]
		if !known {
			continue
		}
		delete(b.open, results[i].Wr)
		mw, mr := bound[0], bound[1]
		if calls.OutcomeOf(results[i].Status) == model.SUCCESS && !b.uncertain && !mw.retired && !mr.retired && !b.isBoundAgain(mw) {
			mw.follows(mr, true)
		}
	}
}

// isBoundAgain reports whether another bind of a window is under way, which may have parted it from its region.
func (b *bindings) isBoundAgain(mw *object) bool {
	for _, other := range b.open {
		if other[0] == mw {
			return true
		}
	}
	return false
}

// parted forgets the binds that are under way of a window, or to a region, that is invalidated behind them.
func (b *bindings) parted(mw, mr *object) {
	maps.DeleteFunc(b.open, func(_ string, bound [2]*object) bool { return bound[0] == mw || bound[1] == mr })
}

// mayBeUnbound reports whether any window may have been invalidated, so that its region need not wait for it. In NDKPI a message does that: one
// whose sender the trace does not have may have.
func (m *Monitor) mayBeUnbound() bool {
	if !m.bindings.uncertain && m.dialect.Name == "ndkpi" && m.requests.hearStrangers() {
		m.bindings.uncertain = true
	}
	return m.bindings.uncertain
}
