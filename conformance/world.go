package conformance

import (
	"fmt"
	"sync"
	"time"

	"ndkoracle/ndk"
)

// patience bounds every wait for the provider.
const patience = 10 * time.Second

// cqDepth is enough for all completions of a round of one world.
const cqDepth = 64

// layout says which queues of a pair of QPs share a CQ.
type layout int

const (
	apart  layout = iota // a CQ for each of the four queues
	joined               // a CQ for each QP
	shared               // one CQ for everything
	layouts
)

// world is what a few rounds work on: connected QPs and their CQs. a and b are the first pair.
type world struct {
	run       *Run
	queues    []*queue
	endpoints []*endpoint
	a, b      *endpoint
}

// worlds makes a world of one pair, has body play its rounds, closes it, and begins again until enough requests were
// posted. The world that was begun is finished.
func (r *Run) worlds(choose func() layout, body func(w *world) error) error {
	for r.posted.Load() < int64(r.ops) && !r.stopped() {
		w, err := r.newWorld(choose())
		if err != nil {
			return err
		}
		if err := body(w); err != nil {
			return err
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}

// always is the choice of worlds that need one layout.
func always(l layout) func() layout { return func() layout { return l } }

// anyLayout draws one.
func (r *Run) anyLayout() layout { return layout(r.random.IntN(int(layouts))) }

// cqOf says which CQ each queue has: a's initiator and receive queue, then b's.
var cqOf = map[layout][4]int{apart: {0, 1, 2, 3}, joined: {0, 0, 1, 1}, shared: {0, 0, 0, 0}}

func (r *Run) newWorld(l layout) (w *world, err error) {
	w = &world{run: r}
	r.used.Store(0)
	of := cqOf[l]
	for range of[3] + 1 {
		if _, err := w.addQueue(cqDepth); err != nil {
			return nil, err
		}
	}
	w.a, w.b, err = w.addPair(w.queues[of[0]], w.queues[of[1]], w.queues[of[2]], w.queues[of[3]])
	return w, err
}

func (w *world) addQueue(depth int) (*queue, error) {
	q, err := w.run.newQueue(depth)
	if err == nil {
		w.queues = append(w.queues, q)
	}
	return q, err
}

// addPair makes two QPs and connects them.
func (w *world) addPair(aInitiator, aReceive, bInitiator, bReceive *queue) (a, b *endpoint, err error) {
	if a, err = w.run.newEndpoint(aInitiator, aReceive); err != nil {
		return nil, nil, err
	}
	if b, err = w.run.newEndpoint(bInitiator, bReceive); err != nil {
		return nil, nil, err
	}
	a.peer, b.peer = b, a
	w.endpoints = append(w.endpoints, a, b)
	return a, b, w.run.connect(a, b)
}

// rest waits until the provider has come to rest and marks the place.
func (w *world) rest() error { return w.run.rest() }

// settle ends a round: rest, mark, drain, and a look at the data.
func (w *world) settle() error {
	if err := w.rest(); err != nil {
		return err
	}
	room := 1 + w.run.random.IntN(8)
	for _, q := range w.queues {
		q.drain(q.cq, room)
	}
	for _, e := range w.endpoints {
		w.run.noteData(e.verify())
	}
	return nil
}

// broken reports that a QP of this world is of no more use.
func (w *world) broken() bool {
	for _, e := range w.endpoints {
		if e.broken {
			return true
		}
	}
	return false
}

// rounds plays up to most rounds and settles after each; a world with a broken QP gets no further round.
func (w *world) rounds(most int, round func() error) error {
	for range 1 + w.run.random.IntN(most) {
		if err := round(); err != nil {
			return err
		}
		if err := w.settle(); err != nil {
			return err
		}
		if w.broken() {
			break
		}
	}
	return nil
}

// close closes what is still open, QPs first.
func (w *world) close() error {
	if err := w.closeQps(); err != nil {
		return err
	}
	for _, q := range w.queues {
		if q.closing {
			continue
		}
		finish, err := q.close(q.cq)
		if err != nil {
			return err
		}
		if err := finish(); err != nil {
			return err
		}
	}
	return w.run.closeRegions()
}

func (w *world) closeQps() error {
	for _, e := range w.endpoints {
		if e.closing {
			continue
		}
		e.closing = true
		if err := w.run.closed("NdkCloseQp", e.qp.NdkCloseQp); err != nil {
			return err
		}
	}
	return nil
}

// closed starts a close and waits until it has completed.
func (r *Run) closed(name string, start func(ndk.NdkCloseCompletion) ndk.Status) error {
	finish, err := r.closing(name, start)
	if err != nil {
		return err
	}
	return finish()
}

// closing starts a close; the function it returns waits until the close has completed.
func (r *Run) closing(name string, start func(ndk.NdkCloseCompletion) ndk.Status) (finish func() error, err error) {
	completed := make(chan struct{})
	switch status := start(sync.OnceFunc(func() { close(completed) })); status {
	case ndk.STATUS_SUCCESS:
		return func() error { return nil }, nil
	case ndk.STATUS_PENDING:
		return func() error {
			if !wait(completed) {
				return fmt.Errorf("%s stayed pending for %v", name, patience)
			}
			return nil
		}, nil
	default:
		return nil, fmt.Errorf("%s: %v", name, status)
	}
}

// wait waits for a channel to be closed, or to bring something, and reports whether that happened in time.
func wait(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-event:
		return true
	case <-timer.C:
		return false
	}
}
