package search

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"ndkoracle/internal/memory"
	"ndkoracle/model"
)

// A ledger counts the memory of one search, in bytes: what the search remembers, and what the step under way has made so far. A search that
// would need more than its limit is ended, in the middle of a step where it has to be. So is one whose context ends.
type ledger struct {
	limit int
	kept  int
	over  atomic.Bool // no step is possible any more
	why   context.Context
	end   context.CancelCauseFunc
	soft  memory.Reservation

	working sync.Mutex // locked by the step under way
}

// stepShare is the part of the limit that one set of states under way may take: steps within steps make a few sets at once.
const stepShare = 4

// opens begins a ledger for the steps that follow.
func (c *component) opens(ctx context.Context) *ledger {
	l := &ledger{limit: c.memory}
	l.why, l.end = context.WithCancelCause(ctx)
	context.AfterFunc(l.why, func() { l.over.Store(true) })
	c.ledger = l
	return l
}

// close gives back what is counted. No step is possible any more.
func (l *ledger) close() {
	l.over.Store(true)
	l.end(nil)
	l.working.Lock() // porcupine does not wait for its last step when the time is over
	defer l.working.Unlock()
	l.soft.Set(0)
}

// err returns why the ledger was ended before it was closed, or nil.
func (l *ledger) err() error { return context.Cause(l.why) }

// keep counts memory that stays in use until the search has ended. A negative number gives it back.
func (l *ledger) keep(bytes int) {
	l.kept += bytes
	l.soft.Set(l.kept)
	if l.kept > l.limit {
		l.spent()
	}
}

// makes reports whether a step may build a set of states of the given size in bytes.
func (l *ledger) makes(bytes int) bool {
	if l.kept+stepShare*bytes > l.limit {
		l.spent()
	}
	return !l.over.Load()
}

func (l *ledger) spent() {
	l.end(fmt.Errorf("%d MiB of memory were used up", l.limit>>20))
	l.over.Store(true)
}

// made returns about how much memory a state takes that an action has made. It shares with the state before it what the action leaves as it was.
func (c *component) made(s *state, a model.Action) int {
	m := &s.model
	n := bytesPerState + len(m.Cqs)*bytesPerCq + len(m.Qps)*bytesPerQp + len(m.Tokens)
	if a.Cq < len(m.Cqs) {
		n += cap(m.Cqs[a.Cq].Entries) * bytesPerEntry
	}
	if a.Qp < len(m.Qps) {
		n += (cap(m.Qps[a.Qp].Initiator) + cap(m.Qps[a.Qp].Receive)) * bytesPerRequest
	}
	if s.trail != nil {
		n += bytesPerTrail
	}
	return n
}

// A gathering is a set of states under way. It becomes empty when the search has no memory for it, which is ended then.
type gathering struct {
	c      *component
	states []state
	bytes  int
}

func (g *gathering) add(states ...state) {
	g.bytes += bytesOf(states)
	if g.states = append(g.states, states...); !g.c.ledger.makes(g.bytes) {
		g.states = nil
	}
}

func bytesOf(states []state) int {
	n := 0
	for i := range states {
		n += states[i].bytes
	}
	return n
}

// What porcupine notes of each operation of a history, and of each set that it remembers, beside a bit for each operation.
const (
	bytesPerOperation = 512
	bytesPerSet       = 256
)

var (
	bytesPerState   = size[state]()
	bytesPerCq      = size[model.Cq]()
	bytesPerQp      = size[model.Qp]()
	bytesPerEntry   = size[model.Completion]()
	bytesPerRequest = size[model.Request]()
	bytesPerTrail   = size[trail]() + 64
	bytesPerNode    = size[node]() + 64
)

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }
