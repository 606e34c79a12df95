package trace

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder writes a trace while a program runs. Each thread records into its own buffer without a lock. One atomic counter orders the events, and one
// goroutine writes them in that order. Memory is bounded: if a buffer is full, the event is dropped and counted, or with Options.Block the thread waits.
//
// A nil *Recorder gives nil Threads, and a nil *Thread records nothing: that is recording switched off.
type Recorder struct {
	start time.Time
	block bool
	size  uint64
	wake  chan struct{}

	_   cacheLine
	seq atomic.Uint64 // of the newest event; closed is added when recording ends
	end atomic.Uint64 // seq of the last event, once it is known

	_      cacheLine
	asleep atomic.Bool // the drain goroutine waits for wake, or is about to

	_       cacheLine
	clock   atomic.Int64 // nanoseconds since start, when the drain goroutine last looked
	dropped atomic.Uint64
	threads atomic.Pointer[[]*Thread] // replaced, with mu held, never changed in place
	spare   atomic.Pointer[Thread]    // of the callback that returned last

	mu     sync.Mutex
	names  map[string]int
	spares []*Thread // of the callbacks that returned before

	out       *bufio.Writer
	err       error         // of out; the drain goroutine's until done is closed
	done      chan struct{} // closed when the drain goroutine has ended
	closeOnce sync.Once
}

// closed is a bit of Recorder.seq that no trace reaches by counting.
const closed = 1 << 63

// Options of a Recorder.
type Options struct {
	// Buffer is the number of events that a thread can be ahead of the file, rounded up to a power of two; 4096 if 0.
	Buffer int
	// Block makes a thread wait for room in its buffer instead of dropping the event. A judged run needs every event; a
	// measured one needs threads that never wait.
	Block bool
}

// Op names a call or a callback within its trace: what pairs Ret with Call and Exit with Enter. 0 is a call that was not
// recorded.
type Op uint64

// String returns the op as traces have it, "" for 0.
func (op Op) String() string {
	if op == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(op), 10)
}

// NewRecorder writes the header and starts recording. The Recorder itself decides h.Order and h.Clock: total, and
// nanoseconds since NewRecorder. The error is of the header or of writing it.
func NewRecorder(w io.Writer, h Header, o Options) (*Recorder, error) {
	h.Order, h.Clock = "total", Clock{Id: "monotonic", Unit: "ns"}
	out, err := startTrace(w, h)
	if err != nil {
		return nil, err
	}
	size := uint64(1)
	for size < uint64(max(o.Buffer, 0)) {
		size *= 2
	}
	if o.Buffer == 0 {
		size = 4096
	}
	r := &Recorder{
		wake: make(chan struct{}, 1), start: time.Now(), block: o.Block, size: size,
		names: map[string]int{}, out: out, done: make(chan struct{}),
	}
	r.threads.Store(&[]*Thread{})
	r.end.Store(closed)
	go r.drain()
	return r, nil
}

// Thread returns a new source of events. A name that was given before gets a number.
func (r *Recorder) Thread(name string) *Thread {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newThread(name)
}

func (r *Recorder) newThread(name string) *Thread {
	r.names[name]++
	if n := r.names[name]; n > 1 {
		name = fmt.Sprintf("%s.%d", name, n)
	}
	t := &Thread{recorder: r, name: name, slots: make([]slot, r.size), room: make(chan struct{}, 1)}
	threads := append([]*Thread{}, *r.threads.Load()...)
	threads = append(threads, t)
	r.threads.Store(&threads)
	return t
}

// callbackThread lends a thread to a callback until it is given back. Callbacks of one thread never overlap, so there
// are as many of them as callbacks ever ran at once.
func (r *Recorder) callbackThread() *Thread {
	if t := r.spare.Swap(nil); t != nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.spares) - 1; last >= 0 {
		t := r.spares[last]
		r.spares = r.spares[:last]
		return t
	}
	return r.newThread("callback")
}

func (r *Recorder) giveBack(t *Thread) {
	before := r.spare.Swap(t)
	if before == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spares = append(r.spares, before)
}

// Close ends the trace. quiescent says that the provider is at rest, so that obligations that were not met can be judged. Events that threads record
// later are ignored. Close returns the first error of writing, also when it is called again.
func (r *Recorder) Close(quiescent bool) error {
	r.closeOnce.Do(func() {
		events := r.seq.Add(closed) &^ closed
		r.end.Store(events) // threads that go on recording count on
		r.signal()
		<-r.done
		line, err := endLine(End{Events: events, Dropped: r.dropped.Load(), Quiescent: quiescent})
		r.failed(err)
		r.write(line)
		r.failed(r.out.Flush())
	})
	return r.err
}

// drop counts an event that is not recorded. Nothing is missing of what comes after the end.
func (r *Recorder) drop() {
	if r.seq.Load() < closed {
		r.dropped.Add(1)
	}
}

func (r *Recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// now is the time of an event, in nanoseconds since start. Reading the clock would cost a thread as much as all else, so
// the drain goroutine does it, where it is awake.
func (r *Recorder) now() int64 {
	if r.asleep.Load() {
		return r.tick()
	}
	return r.clock.Load()
}

func (r *Recorder) tick() int64 {
	now := int64(time.Since(r.start))
	r.clock.Store(now)
	return now
}

// The drain goroutine looks at the clock each time it has written tickEvents. When there is nothing to write it looks for
// more every lull, maxLulls times, before it falls asleep: to wake it costs a thread more than to record.
const (
	tickEvents = 64
	lull       = 50 * time.Microsecond
	maxLulls   = 20
)

// drain writes the events in the order of seq until recording ends.
func (r *Recorder) drain() {
	defer close(r.done)
	var line []byte
	next, lulls := uint64(1), 0
	timer := time.NewTimer(lull)
	defer timer.Stop()
	for {
		before := next
		r.tick()
		for _, t := range *r.threads.Load() {
			next = t.writeOut(next, func(s *slot) {
				line = appendSlot(line[:0], t.name, s)
				r.write(line)
				if s.seq%tickEvents == 0 {
					r.tick()
				}
			})
		}
		if next != before {
			lulls = 0
			continue
		}
		switch newest := r.seq.Load(); {
		case min(newest&^closed, r.end.Load()) >= next:
			runtime.Gosched() // a thread has its place in the order and is about to publish
		case newest >= closed:
			return
		case lulls < maxLulls:
			lulls++
			timer.Reset(lull)
			select {
			case <-r.wake:
			case <-timer.C:
			}
		default:
			r.asleep.Store(true)
			if r.seq.Load() == newest {
				<-r.wake
			}
			r.asleep.Store(false)
		}
	}
}

func (r *Recorder) write(line []byte) {
	if r.err == nil {
		_, err := r.out.Write(line)
		r.failed(err)
	}
}

// failed keeps the first error. Later events are taken from the buffers all the same: no thread waits for a full disk.
func (r *Recorder) failed(err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("writing the trace: %w", err)
	}
}
