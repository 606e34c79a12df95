package histories

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// A config is a state, which calls have taken effect, and the step that led to it.
type config struct {
	s      model.State
	done   uint64
	failed uint64 // the queue pairs of which a request of the initiator queue has failed, a bit each
	how    *taken
}

// to returns the config that k leads to by a step.
func (k config) to(s model.State, done uint64, how taken) config {
	how.from = k.how
	return config{s, done, k.failed | justFailed(k.s, s), &how}
}

type taken struct {
	action *model.Action // a hidden step, or
	span   *interval     // what a call or a callback did
	from   *taken
}

// String describes the steps of the way, oldest first.
func (w *taken) String() string {
	if w == nil {
		return ""
	}
	what := "the end"
	if a := w.action; a != nil {
		what = fmt.Sprintf("%s cq%d qp%d %v %v %v", a.Name, a.Cq+1, a.Qp+1, a.Queue, a.Outcome, a.Solicited)
	} else if w.span != nil {
		what = fmt.Sprintf("%s of line %d", w.span.fn, w.span.begin.Line)
	}
	return w.from.String() + "\n" + what
}

func (k config) appendKey(key []byte) []byte {
	key = binary.LittleEndian.AppendUint64(key, k.done)
	return k.s.AppendKey(binary.LittleEndian.AppendUint64(key, k.failed))
}

// ways are all that the events so far may have led to: with each config every other that hidden steps and effects of open calls
// make of it.
type ways struct {
	ref        *referee
	reached    map[string]config
	unexplored []config
	open       []*interval
	number     map[*interval]int
	key        []byte
}

func (w *ways) put(k config) {
	w.key = k.appendKey(w.key[:0])
	if _, known := w.reached[string(w.key)]; !known && w.ref.asTold(k.s) {
		w.reached[string(w.key)] = k
		w.unexplored = append(w.unexplored, k)
	}
}

// replace leads each config to what an event makes of it.
func (w *ways) replace(of *interval, next func(config) []model.State) {
	before := w.reached
	w.reached = map[string]config{}
	for _, k := range before {
		for _, s := range next(k) {
			w.put(k.to(s, k.done, taken{span: of}))
		}
	}
}

// begin lets calls take effect from now on.
func (w *ways) begin(spans ...*interval) {
	for _, s := range spans {
		w.open = append(w.open, s)
		for _, k := range w.reached {
			w.effect(k, s)
		}
	}
}

// returns drops the configs in which a call that returns has not taken effect.
func (w *ways) returns(s *interval) {
	w.open = slices.DeleteFunc(w.open, func(o *interval) bool { return o == s })
	w.keep(func(k config) bool { return k.done>>w.number[s]&1 == 1 })
}

// keep drops the configs of which something does not hold.
func (w *ways) keep(holds func(config) bool) {
	for key, k := range w.reached {
		if !holds(k) {
			delete(w.reached, key)
		}
	}
}

// again lets all configs be explored once more: what some of them lead to was dropped.
func (w *ways) again() {
	for _, k := range w.reached {
		w.unexplored = append(w.unexplored, k)
	}
}

// explore adds what hidden steps and effects of open calls lead to, and reports whether that is not too much.
func (w *ways) explore() bool {
	for len(w.unexplored) > 0 {
		last := len(w.unexplored) - 1
		k := w.unexplored[last]
		w.unexplored = w.unexplored[:last]
		if len(w.reached) > w.ref.most {
			return false
		}
		for i, a := range w.ref.candidates {
			if a.Name == model.Execute && a.At >= len(k.s.Qps[a.Qp].Queue(a.Queue)) {
				continue
			}
			if !w.ref.plausible(k, a) {
				continue
			}
			if next, _ := w.ref.c.Step(k.s, a); len(next) > 0 {
				for _, s := range next {
					w.put(k.to(s, k.done, taken{action: &w.ref.candidates[i]}))
				}
			}
		}
		for _, s := range w.open {
			w.effect(k, s)
		}
	}
	return true
}

// effect lets an open call take effect, once. The close of a QP that returns success has completed at some moment since.
func (w *ways) effect(k config, of *interval) {
	bit := uint64(1) << w.number[of]
	switch {
	case k.done&bit == 0:
		for _, s := range w.ref.effect(k.s, of) {
			w.put(k.to(s, k.done|bit, taken{span: of}))
		}
	case of.kind == calls.CloseQp && of.returned() && of.succeeded() && !of.pending():
		for _, s := range w.ref.closed(k.s, index(of.begin.Qp)) {
			w.put(k.to(s, k.done, taken{span: of}))
		}
	}
}
