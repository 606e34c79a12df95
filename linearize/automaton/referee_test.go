package automaton

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/model"
)

// A sight is one thing that was seen of a CQ in a test, in the terms of both judges.
type sight struct {
	what    what
	arm     model.Arm
	request int    // posted, gone, placed
	told    []told // of a poll
	owed    []int  // of a moment of rest
	n       int
}

type told struct {
	request int
	kinds   Kinds
}

const (
	posted what = 100 + iota
	gone
	polled
	readCalled
	readReturned
)

// A referee decides by the plainest search there is: every state of the model, and which calls have taken effect.
type referee struct {
	c        *model.Contract
	consumer bool
	configs  map[string]config
	posted   []int
	gone     map[int]bool
	flights  []flight
	ops      int
	points   map[int]bool // requests whose placing the trace shows, and not yet
}

type flight struct {
	op   int
	arm  model.Arm
	read bool
}

type config struct {
	s     model.State
	done  uint64
	ahead int
}

func (k config) key() string {
	key := binary.LittleEndian.AppendUint64(nil, k.done)
	return string(k.s.AppendKey(append(key, byte(k.ahead))))
}

func newReferee(d model.Dialect, consumer bool) *referee {
	r := &referee{c: &model.Contract{Dialect: d, Depth: []int{unlimited}}, consumer: consumer, gone: map[int]bool{}, points: map[int]bool{}}
	first := config{s: r.c.Init()}
	r.configs = map[string]config{first.key(): first}
	return r
}

func (r *referee) placedIn(k config, request int, deliveredIds map[int]bool) bool {
	return deliveredIds[request] || slices.ContainsFunc(k.s.Cqs[0].Entries, func(c model.Completion) bool { return c.Request == request })
}

// close adds what hidden steps and calls under way lead to.
func (r *referee) close(delivered map[int]bool) bool {
	var unexplored []config
	for _, k := range r.configs {
		unexplored = append(unexplored, k)
	}
	for len(unexplored) > 0 {
		k := unexplored[len(unexplored)-1]
		unexplored = unexplored[:len(unexplored)-1]
		if len(r.configs) > 3_000 {
			return false
		}
		add := func(n config) {
			if key := n.key(); r.configs[key].s.Cqs == nil {
				r.configs[key] = n
				unexplored = append(unexplored, n)
			}
		}
		step := func(a model.Action, done uint64, ahead int) {
			next, _ := r.c.Step(k.s, a)
			for _, s := range next {
				add(config{s, done, ahead})
			}
		}
		for _, id := range r.posted {
			if r.gone[id] || r.points[id] || r.placedIn(k, id, delivered) {
				continue
			}
			AnyKind.each(func(kind Kinds) {
				c := completions[kind]
				c.Request = id
				step(model.Action{Name: model.Place, Completion: c}, k.done, k.ahead)
			})
		}
		step(model.Action{Name: model.ExtraEvent}, k.done, k.ahead)
		readers := 0
		for _, f := range r.flights {
			if f.read {
				readers++
				continue
			}
			if k.done>>f.op&1 == 0 {
				step(model.Action{Name: model.NdkArmCq, Type: f.arm}, k.done|1<<f.op, k.ahead)
			}
		}
		if r.consumer || k.ahead < readers {
			step(model.Action{Name: model.NdkCqNotificationCallbackEnter}, k.done, k.ahead+1)
		}
	}
	return true
}

func (r *referee) keep(f func(config) []config) {
	before := r.configs
	r.configs = map[string]config{}
	for _, k := range before {
		for _, n := range f(k) {
			r.configs[n.key()] = n
		}
	}
}

func (r *referee) step(k config, a model.Action) []config {
	next, _ := r.c.Step(k.s, a)
	var all []config
	for _, s := range next {
		all = append(all, config{s, k.done, k.ahead})
	}
	return all
}

// take takes what was seen; delivered holds the requests that polls have returned.
func (r *referee) take(e sight, delivered map[int]bool) (known bool) {
	if e.what != posted && e.what != armCalled && e.what != readCalled && !r.close(delivered) {
		return false
	}
	switch e.what {
	case posted:
		r.posted = append(r.posted, e.request)
	case gone:
		r.gone[e.request] = true
		r.keep(func(k config) []config {
			if r.placedIn(k, e.request, nil) {
				return nil
			}
			return []config{k}
		})
	case armCalled:
		r.flights = append(r.flights, flight{op: r.ops, arm: e.arm})
		r.ops++
	case readCalled:
		r.flights = append(r.flights, flight{read: true})
	case armReturned:
		i := slices.IndexFunc(r.flights, func(f flight) bool { return !f.read })
		op := r.flights[i].op
		r.flights = slices.Delete(r.flights, i, i+1)
		r.keep(func(k config) []config {
			if k.done>>op&1 == 0 {
				return nil
			}
			return []config{k}
		})
	case callbackEntered, readReturned:
		if e.what == readReturned {
			i := slices.IndexFunc(r.flights, func(f flight) bool { return f.read })
			r.flights = slices.Delete(r.flights, i, i+1)
		}
		r.keep(func(k config) []config {
			all := r.step(k, model.Action{Name: model.NdkCqNotificationCallbackEnter})
			if e.what == readReturned && k.ahead > 0 || r.consumer && k.ahead > 0 {
				all = append(all, config{k.s, k.done, k.ahead - 1})
			}
			return all
		})
		if e.what == readReturned {
			r.keep(func(k config) []config {
				if k.ahead > e.n {
					return nil
				}
				return []config{k}
			})
		}
	case callbackExited:
		r.keep(func(k config) []config { return r.step(k, model.Action{Name: model.NdkCqNotificationCallbackExit}) })
	case polled:
		r.keep(func(k config) []config {
			entries := k.s.Cqs[0].Entries
			for i, t := range e.told {
				if i >= len(entries) || entries[i].Request != t.request || kindOf(entries[i])&t.kinds == 0 {
					return nil
				}
			}
			return r.step(k, model.Action{Name: model.NdkGetCqResults, N: e.n, K: len(e.told)})
		})
	case placed:
		r.points[e.request] = false
		r.keep(func(k config) []config {
			var all []config
			e.told[0].kinds.each(func(kind Kinds) {
				c := completions[kind]
				c.Request = e.request
				all = append(all, r.step(k, model.Action{Name: model.Place, Completion: c})...)
			})
			return all
		})
	case rested, notified:
		r.keep(func(k config) []config {
			q := k.s.Cqs[0]
			waits := len(q.Entries) == 0 && r.c.Dialect.A6 == model.A6Never
			if q.Open != model.Closed && !q.Running && e.what == notified && (q.Due > 0 && !waits || q.ErrorDue) {
				return nil
			}
			for _, id := range e.owed {
				if q.Health == model.OK && !r.placedIn(k, id, delivered) {
					return nil
				}
			}
			return []config{k}
		})
	}
	return true
}

func kindOf(c model.Completion) Kinds {
	for kind := Plain; kind <= Cancelled; kind <<= 1 {
		if other := completions[kind]; other.Status == c.Status && other.Solicited == c.Solicited {
			return kind
		}
	}
	panic("no such kind")
}

// A walk is a random run of the model, and what is seen of it.
type walk struct {
	r        *rand.Rand
	c        *model.Contract
	s        model.State
	seen     []sight
	consumer bool
	points   bool
	requests int
	waiting  []int // posted, not placed
	kinds    map[int]Kinds
	flights  []*inFlight
	unread   int // callbacks entered, not told
}

// newWalk begins a random run, which the two numbers repeat.
func newWalk(d model.Dialect, seed, stream uint64) *walk {
	w := &walk{r: rand.New(rand.NewPCG(seed, stream)), c: &model.Contract{Dialect: d, Depth: []int{unlimited}}, kinds: map[int]Kinds{}}
	w.s = w.c.Init()
	w.consumer = !strings.HasPrefix(d.Name, "verbs") && w.draw(4, "consumer") == 3
	return w
}

type inFlight struct {
	sight sight
	arm   bool
	done  bool
}

func (w *walk) draw(n int, _ string) int { return w.r.IntN(n) }

func (w *walk) take(a model.Action) bool {
	next, _ := w.c.Step(w.s, a)
	if len(next) == 0 {
		return false
	}
	w.s = next[w.draw(len(next), "successor")]
	return true
}

func (w *walk) see(s sight) { w.seen = append(w.seen, s) }

func (w *walk) go1() {
	q := w.s.Cqs[0]
	switch choice := w.draw(14, "choice"); choice {
	case 0, 1:
		if len(w.waiting)+len(q.Entries) < 4 {
			w.see(sight{what: posted, request: w.requests})
			w.waiting = append(w.waiting, w.requests)
			w.requests++
		}
	case 2, 3, 4:
		w.place()
	case 5, 6:
		arms := []model.Arm{model.ANY, model.SOLICITED}
		if w.c.Dialect.ErrorsArm {
			arms = append(arms, model.ERRORS)
		}
		if len(w.flights) < 2 {
			f := &inFlight{sight: sight{what: armCalled, arm: arms[w.draw(len(arms), "arm")]}, arm: true}
			w.see(f.sight)
			w.flights = append(w.flights, f)
			if w.draw(2, "at once") == 1 {
				w.effect()
				w.finish()
			}
		}
	case 7:
		w.effect()
	case 8:
		w.finish()
	case 9, 10:
		w.callback()
	case 11, 12:
		w.poll()
	case 13:
		if w.draw(3, "other") > 0 {
			return
		}
		switch w.draw(3, "which") {
		case 0:
			if len(w.waiting) > 0 && !w.points {
				w.see(sight{what: gone, request: w.waiting[0]})
				w.waiting = w.waiting[1:]
			}
		case 1:
			w.take(model.Action{Name: model.ExtraEvent})
		case 2:
			for len(w.waiting) > 0 && w.draw(2, "place all") == 1 {
				w.place()
			}
			q := w.s.Cqs[0]
			what := notified
			waits := len(q.Entries) == 0 && w.c.Dialect.A6 == model.A6Never
			if q.Due > 0 && !q.Running && !waits {
				what = rested
			}
			var owed []int
			for _, c := range q.Entries {
				owed = append(owed, c.Request)
			}
			w.see(sight{what: what, owed: owed})
		}
	}
}

func (w *walk) place() {
	if len(w.waiting) == 0 {
		return
	}
	i := w.draw(len(w.waiting), "which")
	id := w.waiting[i]
	kind := Kinds(1) << w.draw(4, "kind")
	c := completions[kind]
	c.Request = id
	if w.take(model.Action{Name: model.Place, Completion: c}) {
		w.waiting = slices.Delete(w.waiting, i, i+1)
		w.kinds[id] = kind
		if w.points {
			w.see(sight{what: placed, request: id, told: []told{{id, w.tell(id)}}})
		}
	}
}

// tell is what is known of how a request ended.
func (w *walk) tell(id int) Kinds {
	kind := w.kinds[id]
	if kind&(Plain|Solicited) != 0 && id%2 == 0 {
		return Plain | Solicited
	}
	return kind
}

func (w *walk) effect() {
	for _, f := range w.flights {
		if !f.done && f.arm {
			f.done = w.take(model.Action{Name: model.NdkArmCq, Type: f.sight.arm})
			return
		}
		if !f.done && !f.arm {
			if f.done = w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter}); f.done {
				return
			}
		}
	}
}

func (w *walk) finish() {
	readers := 0
	for _, f := range w.flights {
		if !f.arm {
			readers++
		}
	}
	arms := 0
	for i, f := range w.flights {
		if f.done && f.arm {
			if arms == 0 { // the referee knows the calls by their order
				w.see(sight{what: armReturned})
				w.flights = slices.Delete(w.flights, i, i+1)
				return
			}
		}
		if f.arm {
			arms++
		}
		if f.done && !f.arm {
			w.see(sight{what: readReturned, n: readers - 1})
			w.flights = slices.Delete(w.flights, i, i+1)
			return
		}
	}
}

func (w *walk) callback() {
	if strings.HasPrefix(w.c.Dialect.Name, "verbs") {
		if len(w.flights) < 3 {
			f := &inFlight{sight: sight{what: readCalled}}
			w.see(f.sight)
			w.flights = append(w.flights, f)
			w.effect()
		}
		return
	}
	q := w.s.Cqs[0]
	if w.consumer {
		switch {
		case w.unread > 0 && w.draw(2, "tell") == 1:
			w.unread--
			w.see(sight{what: callbackEntered})
		case q.Running && w.unread == 0:
			w.take(model.Action{Name: model.NdkCqNotificationCallbackExit})
			w.see(sight{what: callbackExited})
		case w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter}):
			w.unread++
		}
		return
	}
	if q.Running && w.draw(2, "exit") == 1 {
		w.take(model.Action{Name: model.NdkCqNotificationCallbackExit})
		w.see(sight{what: callbackExited})
		return
	}
	if w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter}) {
		w.see(sight{what: callbackEntered})
	}
}

func (w *walk) poll() {
	n := 1 + w.draw(3, "room")
	k := min(n, len(w.s.Cqs[0].Entries))
	if k > 1 {
		k -= w.draw(2, "less")
	}
	e := sight{what: polled, n: n}
	for _, c := range w.s.Cqs[0].Entries[:k] {
		e.told = append(e.told, told{c.Request, w.tell(c.Request)})
	}
	w.take(model.Action{Name: model.NdkGetCqResults, N: n, K: k})
	w.see(e)
}

// spoil changes something of what was seen.
func (w *walk) spoil() {
	for range 10 {
		if len(w.seen) == 0 {
			return
		}
		i := w.draw(len(w.seen), "spoilt")
		e := w.seen[i]
		switch e.what {
		case callbackEntered, callbackExited, polled, rested, notified, readReturned:
			switch w.draw(4, "how") {
			case 0:
				w.seen = slices.Delete(w.seen, i, i+1)
			case 1:
				j := max(0, i-1-w.draw(6, "to"))
				w.seen = slices.Insert(slices.Delete(w.seen, i, i+1), j, e)
			case 2:
				if len(e.told) > 0 {
					changed := slices.Clone(e.told)
					changed[0].kinds = Kinds(1) << w.draw(4, "kind")
					w.seen[i].told = changed
				} else {
					w.seen = slices.Insert(w.seen, i, e)
				}
			case 3:
				w.seen = slices.Insert(w.seen, i, sight{what: notified})
			}
			return
		case armCalled:
			if w.draw(2, "how") == 0 {
				w.seen[i].arm = model.Arm(2 + w.draw(2, "arm"))
				return
			}
		}
	}
}

// follow lets the queue take what was seen, as an engine would.
type follow struct {
	q      *Queue
	from   map[int]Moment
	known  map[int]bool
	fences map[int]Moment
	open   int
	told   map[int]bool
	reads  int
}

func (f *follow) take(e sight, at Moment) bool {
	q := f.q
	switch e.what {
	case posted:
		f.from[e.request] = at
		f.open++
		q.Pending(f.open)
	case gone:
		f.open--
		f.told[e.request] = true
		return q.Gone(f.from[e.request], at)
	case armCalled:
		return q.ArmCalled(e.arm, at)
	case armReturned:
		return q.ArmReturned(0, at)
	case readCalled:
		f.reads++
		return q.Readers(f.reads, at)
	case readReturned:
		f.reads--
		if !q.Entered(model.OK, at) {
			return false
		}
		return q.Readers(f.reads, at)
	case callbackEntered:
		return q.Entered(model.OK, at)
	case callbackExited:
		return q.Exited(at)
	case placed:
		f.known[e.request] = true
		f.open--
		return q.Placed(e.told[0].kinds, f.from[e.request], at)
	case polled:
		if len(e.told) == 0 {
			return q.FoundEmpty(at)
		}
		for _, t := range e.told {
			if !f.known[t.request] {
				f.open--
			}
			f.told[t.request] = true
			if !q.Delivered(Delivery{t.kinds, f.from[t.request], f.from[t.request], f.from[t.request], f.fences[t.request], f.known[t.request]}, at) {
				return false
			}
		}
	case rested, notified:
		var owed []Moment
		for _, id := range e.owed {
			if !f.told[id] && !f.known[id] && f.fences[id] == 0 {
				f.fences[id] = at
				owed = append(owed, f.from[id])
			}
		}
		return q.Rested(owed, 0, e.what == notified, at)
	}
	return q.Alive()
}

// valid reports whether a spoilt sight still speaks of requests as the engine would let it.
func valid(seen []sight) bool {
	was, over, known := map[int]bool{}, map[int]bool{}, map[int]bool{}
	arms, reads, running := 0, 0, 0
	points := slices.ContainsFunc(seen, func(e sight) bool { return e.what == placed })
	var order []int // of those placed, as far as the points tell it and no poll has delivered them
	for _, e := range seen {
		switch e.what {
		case posted:
			was[e.request] = true
		case gone:
			over[e.request] = true
		case placed:
			if !was[e.request] || over[e.request] || known[e.request] {
				return false
			}
			known[e.request] = true
			order = append(order, e.request)
		case polled:
			for _, t := range e.told {
				if !was[t.request] || over[t.request] || points && (len(order) == 0 || order[0] != t.request) {
					return false
				}
				over[t.request] = true
				if points {
					order = order[1:]
				}
			}
		case rested, notified:
			for _, id := range e.owed {
				if !was[id] {
					return false
				}
			}
		case armCalled:
			arms++
		case armReturned:
			arms--
		case readCalled:
			reads++
		case readReturned:
			reads--
		case callbackEntered:
			running++
		case callbackExited:
			running--
		}
		if arms < 0 || reads < 0 || running < 0 {
			return false
		}
	}
	return true
}

func dialects() []model.Dialect {
	all := []model.Dialect{model.Ndkpi(), model.Ndspi(), model.Verbs(), model.VerbsDevice()}
	for _, reading := range []string{"A2=ONE", "A2=TWO", "A3=RETURN", "A3=ANY FRESH", "A4=MUST", "A5=MAY", "A28=AT RETURN",
		"A6=NEVER", "A24=1", "A24=2 A2=TWO", "A25=YES A3=RETURN", "A26=OLD", "A25=YES A6=NEVER A26=OLD"} {
		all = append(all, assume(model.Ndkpi(), reading))
	}
	return append(all, assume(model.Ndspi(), "A25=YES"), assume(model.Ndspi(), "A26=OLD"), assume(model.Verbs(), "A6=NEVER"),
		assume(model.VerbsDevice(), "A25=YES"))
}

var oneReading = regexp.MustCompile(`(A\d+)=(AT RETURN|ANY FRESH|\w+)`)

func assume(d model.Dialect, readings string) model.Dialect {
	for _, reading := range oneReading.FindAllStringSubmatch(readings, -1) {
		var err error
		if d, err = d.Assume(reading[1], reading[2]); err != nil {
			panic(err)
		}
	}
	d.Name += " " + readings
	return d
}

var (
	seed  = flag.Uint64("seed", 1, "of the first random history")
	count = flag.Int("histories", 400, "how many random histories, of each dialect")
)

// compare takes what was seen with both, and says where they differ first, or where both lose their last explanation.
func compare(m *Machine, consumer bool, seen []sight) (differ bool, at int, known bool, err error) {
	ref := newReferee(m.contract.Dialect, consumer)
	for _, e := range seen {
		if e.what == placed {
			ref.points[e.request] = true
		}
	}
	f := &follow{q: m.NewQueue(consumer), from: map[int]Moment{}, known: map[int]bool{}, fences: map[int]Moment{}, told: map[int]bool{}}
	polled := map[int]bool{}
	for i, e := range seen {
		if !ref.take(e, polled) {
			return false, i, false, nil
		}
		if e.what != placed {
			for _, told := range e.told {
				polled[told.request] = true
			}
		}
		alive := f.take(e, Moment(i+1))
		if f.q.Err() != nil {
			return false, i, false, f.q.Err()
		}
		// The referee knows from the beginning of which requests the trace will show the place.
		if explained := len(ref.configs) > 0; alive != explained && (alive || len(ref.points) == 0 || i == len(seen)-1) {
			if alive && len(ref.points) > 0 && i < len(seen)-1 {
				continue
			}
			return true, i, true, nil
		}
		if !alive {
			return false, i, true, nil
		}
	}
	return false, len(seen), true, nil
}

// shrink leaves out what is not needed for a difference.
func shrink(m *Machine, consumer bool, seen []sight) []sight {
	for again := true; again; {
		again = false
		for i := len(seen) - 1; i >= 0; i-- {
			fewer := slices.Delete(slices.Clone(seen), i, i+1)
			if !valid(fewer) {
				continue
			}
			if differ, _, _, _ := compare(m, consumer, fewer); differ {
				seen, again = fewer, true
				i = len(seen)
			}
		}
	}
	return seen
}

// The automaton loses its last explanation exactly where plain search does. Covers ARM-01 to ARM-14, ARM-21, POLL-03.
func TestSameAnswerAsPlainSearch(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			m := New(d, 0)
			died, lived, most := 0, 0, 0
			for n := range uint64(*count) {
				w := newWalk(d, *seed+n, 7)
				w.points = w.draw(5, "points") == 4
				for range w.draw(40, "steps") {
					w.go1()
				}
				if w.draw(3, "spoil") > 0 {
					w.spoil()
				}
				if !valid(w.seen) {
					continue
				}
				differ, at, known, err := compare(m, w.consumer, w.seen)
				if err != nil {
					t.Fatal(err)
				}
				if differ {
					seen := shrink(m, w.consumer, w.seen)
					t.Fatalf("seed %d, consumer's side %v: only one of the two has an explanation left\n%s%s", *seed+n, w.consumer, list(seen),
						describe(m, w.consumer, seen))
				}
				if known && at < len(w.seen) {
					died++
				} else if known {
					lived++
				}
			}
			for _, s := range m.sets {
				most = max(most, len(s.alive))
			}
			t.Logf("%d lived, %d died; %d sets, the largest of %d", lived, died, len(m.sets), most)
			if lived == 0 || died == 0 {
				t.Error("one of the two answers never came")
			}
		})
	}
}

// describe tells what the automaton makes of what was seen.
func describe(m *Machine, consumer bool, seen []sight) string {
	var text strings.Builder
	ref := newReferee(m.contract.Dialect, consumer)
	f := &follow{q: m.NewQueue(consumer), from: map[int]Moment{}, known: map[int]bool{}, fences: map[int]Moment{}, told: map[int]bool{}}
	for i, e := range seen {
		polled := map[int]bool{}
		for _, e := range seen[:i] {
			if e.what != placed {
				for _, told := range e.told {
					polled[told.request] = true
				}
			}
		}
		known := ref.take(e, polled)
		fmt.Fprintf(&text, "referee %v %d\n", known, len(ref.configs))
		f.take(e, Moment(i+1))
		fmt.Fprintf(&text, "after %d: moments %v pending %v why %v\n", i, f.q.moments, f.q.pending, f.q.why)
		for _, x := range f.q.set.alive {
			fmt.Fprintf(&text, "    %+v old %d cells %v\n", x.control, x.old, x.cells)
		}
	}
	return text.String()
}

var words = map[what]string{armCalled: "arm", armReturned: "arm ret", callbackEntered: "enter", callbackExited: "exit", polled: "poll",
	posted: "post", gone: "gone", readCalled: "read", readReturned: "read ret", placed: "placed", rested: "rest", notified: "rest, notified"}

func list(seen []sight) string {
	var text strings.Builder
	for i, e := range seen {
		fmt.Fprintf(&text, "%3d %s", i, words[e.what])
		switch e.what {
		case armCalled:
			fmt.Fprintf(&text, " %v", e.arm)
		case posted, gone, placed:
			fmt.Fprintf(&text, " w%d", e.request)
		case rested, notified:
			fmt.Fprintf(&text, " owed %v", e.owed)
		}
		for _, t := range e.told {
			fmt.Fprintf(&text, " w%d:%04b", t.request, t.kinds)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
