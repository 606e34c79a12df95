package trace

import (
	"runtime"
	"strconv"
	"sync/atomic"
)

// Thread records the events of one thread of the recorded program. It is meant for one goroutine at a time. If a faulty program uses it from two, they
// wait for each other, and no event is lost or torn.
//
// The methods ignore Seq, T, Thr, Ph and Op of the Event: the Recorder sets them. They keep nothing of the Event, and do not allocate in the steady
// state.
type Thread struct {
	recorder *Recorder
	name     string
	slots    []slot // a ring; its length is a power of two

	_        cacheLine
	tail     atomic.Uint64 // slots before tail are published; taken is added while a goroutine has the thread
	freed    uint64        // what head was when it was last looked at
	requests slab[request]

	_       cacheLine
	head    atomic.Uint64 // slots before head are written out; advanced by the drain goroutine
	waiting atomic.Bool
	room    chan struct{}
}

// cacheLine keeps apart what different processors write.
type cacheLine [64]byte

// taken is a bit of Thread.tail that no thread reaches by counting.
const taken = 1 << 63

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

// encoded is arguments as a line has them, or a part: made once where they come again and again.
type encoded string

func encode(e Event) encoded { return encoded(appendArguments(nil, &e)) }

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

func (t *Thread) record(ph Phase, op Op, e *Event) Op {
	s := t.open()
	if s == nil {
		return 0
	}
	s.arguments = appendArguments(s.arguments, e)
	return t.publish(s, ph, op)
}

func (t *Thread) recordEnd(ph Phase, op Op, e *Event) {
	if s := t.openEnd(op); s != nil {
		s.arguments = appendArguments(s.arguments, e)
		t.publish(s, ph, op)
	}
}

// beginAs is Call or Enter with arguments that are encoded already.
func (t *Thread) beginAs(ph Phase, arguments encoded) Op {
	s := t.open()
	if s == nil {
		return 0
	}
	s.arguments = append(s.arguments, arguments...)
	return t.publish(s, ph, 0)
}

// endAs is Ret or Exit with arguments that are encoded already.
func (t *Thread) endAs(ph Phase, op Op, arguments encoded) {
	if s := t.openEnd(op); s != nil {
		s.arguments = append(s.arguments, arguments...)
		t.publish(s, ph, op)
	}
}

// open locks the thread and returns the slot for its next event. The caller appends to the slot's arguments before it calls publish. open returns nil if
// nothing is recorded, or if there is no room: then it counts the event as dropped.
func (t *Thread) open() *slot {
	if t == nil {
		return nil
	}
	tail := t.tail.Load()
	for tail&taken != 0 || !t.tail.CompareAndSwap(tail, tail|taken) {
		runtime.Gosched()
		tail = t.tail.Load()
	}
	if tail-t.freed == uint64(len(t.slots)) && !t.findRoom(tail) {
		t.tail.Store(tail)
		return nil
	}
	s := &t.slots[tail&uint64(len(t.slots)-1)]
	s.arguments = s.arguments[:0]
	return s
}

// openEnd is open for the end of a call, and drops that of a call whose beginning was dropped: a return without its call
// would make the trace unreadable.
func (t *Thread) openEnd(op Op) *slot {
	if op != 0 {
		return t.open()
	}
	if t != nil {
		t.recorder.drop()
	}
	return nil
}

// findRoom looks for slots that were written out meanwhile, and waits for one or counts the event as dropped.
func (t *Thread) findRoom(tail uint64) bool {
	t.freed = t.head.Load()
	switch {
	case tail-t.freed < uint64(len(t.slots)):
		return true
	case !t.recorder.block:
		t.recorder.drop()
		return false
	}
	t.recorder.signal()
	for {
		t.waiting.Store(true)
		t.freed = t.head.Load()
		if tail-t.freed < uint64(len(t.slots)) {
			t.waiting.Store(false)
			return true
		}
		<-t.room
	}
}

// publish assigns the event's place in the order last of all, once it is encoded. So the order has no gaps, and the drain goroutine rarely waits for
// an assigned place. It returns op, or for op 0 the op that the event begins.
func (t *Thread) publish(s *slot, ph Phase, op Op) Op {
	r := t.recorder
	tail := t.tail.Load() &^ taken
	s.ph = ph
	s.seq = r.seq.Add(1)
	if s.seq >= closed {
		t.tail.Store(tail)
		return 0
	}
	if op == 0 && ph != Point {
		op = Op(s.seq)
	}
	s.op = op
	s.t = r.now()
	t.tail.Store(tail + 1)
	if r.asleep.Load() {
		r.signal()
	}
	return op
}

// writeOut passes the published events of this thread to write, from seq next on and without a gap, and returns the seq that is next. Only the drain
// goroutine calls it.
func (t *Thread) writeOut(next uint64, write func(*slot)) uint64 {
	head, tail := t.head.Load(), t.tail.Load()&^taken
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
