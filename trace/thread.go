package trace

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// Thread records the events of one thread of the recorded program. It is meant for one goroutine at a time; where a
// faulty program uses it from two, they wait for each other and no event is lost or torn.
//
// The methods take an Event of which Seq, T, Thr, Ph and Op are ignored: the Recorder knows them. They keep nothing of
// the Event, and they do not allocate in the steady state.
type Thread struct {
	recorder *Recorder
	name     string
	slots    []slot // a ring; its length is a power of two

	inUse   atomic.Bool
	head    atomic.Uint64 // slots before head are written out; advanced by the drain goroutine
	tail    atomic.Uint64 // slots before tail are published; advanced by the thread
	waiting atomic.Bool
	room    chan struct{}
}

// slot is an event on its way to the file. Its arguments are encoded already, which costs the thread some time and
// saves it from keeping the caller's memory alive.
type slot struct {
	seq       uint64
	t         int64
	ph        Phase
	op        Op
	arguments []byte
}

// keptBytes is how large a slot's buffer may stay between events.
const keptBytes = 4096

// Call records that a call begins, and returns what its Ret has to name.
func (t *Thread) Call(e Event) Op { return t.record(Call, 0, &e) }

// Ret records that the call op returned.
func (t *Thread) Ret(op Op, e Event) { t.recordEnd(Ret, op, &e) }

// Enter records that a callback is entered, and returns what its Exit has to name.
func (t *Thread) Enter(e Event) Op { return t.record(Enter, 0, &e) }

// Exit records that the callback op returned.
func (t *Thread) Exit(op Op, e Event) { t.recordEnd(Exit, op, &e) }

// Point records something that is known of the provider's insides.
func (t *Thread) Point(e Event) { t.record(Point, 0, &e) }

// Quiesce records that the provider is at rest: all that must eventually happen has happened.
func (t *Thread) Quiesce() { t.Point(Event{Fn: "quiesce"}) }

// recordEnd drops the end of a call whose beginning was dropped: a return without its call would make the trace
// unreadable.
func (t *Thread) recordEnd(ph Phase, op Op, e *Event) {
	if op != 0 {
		t.record(ph, op, e)
	} else if t != nil {
		t.recorder.dropped.Add(1)
	}
}

// record takes the event's place in the order last of all, when there is room for it and it is encoded: so the order
// has no gaps, and the drain goroutine hardly ever waits for a place that was taken. It returns op, or for op 0 the op
// that the event begins.
func (t *Thread) record(ph Phase, op Op, e *Event) Op {
	if t == nil {
		return 0
	}
	r := t.recorder
	for !t.inUse.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer t.inUse.Store(false)

	tail := t.tail.Load()
	if tail-t.head.Load() == uint64(len(t.slots)) {
		if !r.block {
			r.dropped.Add(1)
			return 0
		}
		t.waitForRoom(tail)
	}
	s := &t.slots[tail&uint64(len(t.slots)-1)]
	s.arguments = appendArguments(s.arguments[:0], e)
	s.ph = ph
	s.seq = r.seq.Add(1)
	if s.seq >= closed {
		return 0
	}
	if op == 0 && ph != Point {
		op = Op(s.seq)
	}
	s.op = op
	s.t = int64(time.Since(r.start))
	t.tail.Store(tail + 1)
	if r.asleep.Load() {
		r.signal()
	}
	return op
}

func (t *Thread) waitForRoom(tail uint64) {
	for {
		t.waiting.Store(true)
		if tail-t.head.Load() < uint64(len(t.slots)) {
			t.waiting.Store(false)
			return
		}
		<-t.room
	}
}

// take hands over the published events from seq next on, as far as this thread has them without a gap, and returns the
// seq that is wanted then. Only the drain goroutine calls it.
func (t *Thread) take(next uint64, write func(*slot)) uint64 {
	head, tail := t.head.Load(), t.tail.Load()
	for head < tail {
		s := &t.slots[head&uint64(len(t.slots)-1)]
		if s.seq != next {
			break
		}
		write(s)
		if cap(s.arguments) > keptBytes {
			s.arguments = nil
		}
		next++
		head++
		t.head.Store(head)
		if t.waiting.Load() && t.waiting.CompareAndSwap(true, false) {
			select {
			case t.room <- struct{}{}:
			default:
			}
		}
	}
	return next
}

// appendSlot appends the event's line with its newline. The op is its number as a string.
func appendSlot(dst []byte, thr string, s *slot) []byte {
	dst = appendPlace(dst, s.seq, s.t, thr, s.ph, "")
	if s.op != 0 {
		dst = append(strconv.AppendUint(append(appendKey(dst, "op"), '"'), uint64(s.op), 10), '"')
	}
	dst = append(dst, s.arguments...)
	return append(dst, '}', '\n')
}
