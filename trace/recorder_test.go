package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var testRecording = Header{Dialect: "ndkpi", Side: "provider", Producer: Producer{"test", "1"}}

// startRecorder returns a Recorder into memory, and a function that closes it and reads the trace back.
func startRecorder(t testing.TB, o Options) (*Recorder, func(quiescent bool) *Trace) {
	t.Helper()
	var file bytes.Buffer
	r, err := NewRecorder(&file, testRecording, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, func(quiescent bool) *Trace {
		t.Helper()
		if err := r.Close(quiescent); err != nil {
			t.Fatal(err)
		}
		noDrainLeft(t)
		whole, err := Read("recorded", &file, 0)
		if err != nil {
			t.Fatal(err)
		}
		return whole
	}
}

// noDrainLeft waits for the end of every drain goroutine: it is over but for its last instruction when Close returns.
func noDrainLeft(t testing.TB) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		all := stacks[:runtime.Stack(stacks, true)]
		if !bytes.Contains(all, []byte("(*Recorder).drain")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a goroutine is left:\n%s", all)
		}
	}
}

var (
	flushCall = Event{Fn: "NdkFlush", Qp: "qp1"}
	flushRet  = Event{Fn: "NdkFlush", Status: "STATUS_SUCCESS"}
)

// Many threads, buffers much too small: every event is there once, in one order without gaps that keeps each thread's
// own order.
func TestRecorderConcurrently(t *testing.T) {
	const threads, callsEach = 8, 500
	r, finish := startRecorder(t, Options{Buffer: 3, Block: true})
	var running sync.WaitGroup
	for i := range threads {
		thread := r.Thread("worker")
		running.Go(func() {
			for n := range callsEach {
				number := int64(n)
				op := thread.Call(Event{Fn: "NdkFlush", Qp: fmt.Sprint("qp", i), N: &number})
				thread.Ret(op, flushRet)
			}
		})
	}
	running.Wait()
	whole := finish(true)
	if len(whole.Events) != 2*threads*callsEach || whole.End.Dropped != 0 || !whole.End.Quiescent {
		t.Fatalf("%d events, end %+v", len(whole.Events), whole.End)
	}
	next := map[string]int64{}
	for i, e := range whole.Events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
		if e.Ph == Call {
			if *e.N != next[e.Thr] {
				t.Fatalf("line %d: %s is at call %d, want %d", e.Line, e.Thr, *e.N, next[e.Thr])
			}
			next[e.Thr]++
		}
	}
	if len(next) != threads || next["worker"] != callsEach || next["worker.8"] != callsEach {
		t.Errorf("calls of each thread: %v", next)
	}
}

// An event that happened before another, on another thread, has the smaller seq.
func TestRecorderOrder(t *testing.T) {
	r, finish := startRecorder(t, Options{Block: true})
	const rounds = 200
	there, back := make(chan bool), make(chan bool)
	a, b := r.Thread("a"), r.Thread("b")
	go func() {
		for range there {
			b.Quiesce()
			back <- true
		}
	}()
	for range rounds {
		a.Quiesce()
		there <- true
		<-back
	}
	close(there)
	for i, e := range finish(true).Events {
		if want := []string{"a", "b"}[i%2]; e.Thr != want {
			t.Fatalf("seq %d is of %s, want %s", e.Seq, e.Thr, want)
		}
	}
}

// gate is a writer that stands still until it is opened.
type gate struct {
	io.Writer
	once    sync.Once
	reached chan struct{} // closed when a write waits
	open    chan struct{}
}

func newGate(w io.Writer) *gate {
	return &gate{Writer: w, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) Write(p []byte) (int, error) {
	g.once.Do(func() { close(g.reached) })
	<-g.open
	return g.Writer.Write(p)
}

func closedChan(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Where the file can't keep up, events are dropped, counted, and the trace stays a trace: no return without its call.
func TestRecorderDrops(t *testing.T) {
	var file bytes.Buffer
	g := newGate(&file)
	r, err := NewRecorder(g, testRecording, Options{Buffer: 4})
	if err != nil {
		t.Fatal(err)
	}
	thread := r.Thread("a")
	recorded := 0
	record := func() {
		op := thread.Call(flushCall)
		thread.Ret(op, flushRet)
		recorded += 2
	}
	for !closedChan(g.reached) {
		record()
	}
	for range 10 {
		record()
	}
	close(g.open)
	if err := r.Close(true); err != nil {
		t.Fatal(err)
	}
	whole, err := Read("recorded", &file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(whole.Events) + int(whole.End.Dropped); got != recorded {
		t.Errorf("%d events and %d dropped, want %d in all", len(whole.Events), whole.End.Dropped, recorded)
	}
	if whole.End.Dropped < 16 {
		t.Errorf("%d dropped, want at least 16: the gate was shut", whole.End.Dropped)
	}
	for i, e := range whole.Events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
	}
}

// With Block nothing is dropped: the thread waits until the file is written.
func TestRecorderBlocks(t *testing.T) {
	var file bytes.Buffer
	g := newGate(&file)
	r, err := NewRecorder(g, testRecording, Options{Buffer: 4, Block: true})
	if err != nil {
		t.Fatal(err)
	}
	thread := r.Thread("a")
	const count = 2000 // more than the 64 KiB that are written at once
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range count {
			op := thread.Call(flushCall)
			thread.Ret(op, flushRet)
		}
	}()
	<-g.reached
	for !thread.waiting.Load() {
		runtime.Gosched()
	}
	close(g.open)
	<-done
	if err := r.Close(false); err != nil {
		t.Fatal(err)
	}
	whole, err := Read("recorded", &file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Events) != 2*count || whole.End.Dropped != 0 || whole.End.Quiescent {
		t.Errorf("%d events, end %+v", len(whole.Events), whole.End)
	}
}

// A full disk stops neither the threads nor Close, which says what happened.
func TestRecorderWriteError(t *testing.T) {
	full := errors.New("disk full")
	r, err := NewRecorder(failing{full}, testRecording, Options{Buffer: 4, Block: true})
	if err != nil {
		t.Fatal(err)
	}
	thread := r.Thread("a")
	for range 2000 {
		thread.Ret(thread.Call(flushCall), flushRet)
	}
	for range 2 {
		if err := r.Close(true); !errors.Is(err, full) {
			t.Errorf("error %v, want %v", err, full)
		}
	}
	noDrainLeft(t)
}

// Two goroutines on one Thread are a mistake that loses no event.
func TestThreadIsShared(t *testing.T) {
	r, finish := startRecorder(t, Options{Buffer: 4, Block: true})
	thread := r.Thread("a")
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 200 {
				thread.Ret(thread.Call(flushCall), flushRet)
			}
		})
	}
	running.Wait()
	if whole := finish(true); len(whole.Events) != 4*2*200 {
		t.Errorf("%d events", len(whole.Events))
	}
}

// What comes after Close is ignored.
func TestRecordAfterClose(t *testing.T) {
	r, finish := startRecorder(t, Options{Buffer: 2, Block: true})
	thread := r.Thread("a")
	op := thread.Call(flushCall)
	if op == 0 || op.String() != "1" {
		t.Errorf("op %v", op)
	}
	whole := finish(true)
	for range 5 {
		if op := thread.Call(flushCall); op != 0 {
			t.Errorf("op %v after Close", op)
		}
	}
	thread.Ret(op, flushRet)
	if len(whole.Events) != 1 || r.Close(true) != nil {
		t.Errorf("%d events", len(whole.Events))
	}
}

// A thread that goes on recording does not keep Close from coming to an end.
func TestCloseWhileThreadsRecord(t *testing.T) {
	for range 20 {
		r, finish := startRecorder(t, Options{Buffer: 16, Block: true})
		thread, stop, stopped := r.Thread("main"), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					thread.Ret(thread.Call(Event{Fn: "NdkCreatePd"}), Event{Fn: "NdkCreatePd", Status: "STATUS_SUCCESS"})
				}
			}
		}()
		for r.seq.Load() < 1000 {
			runtime.Gosched()
		}
		whole := finish(false)
		close(stop)
		<-stopped
		if whole.End == nil || whole.End.Events != uint64(len(whole.Events)) || whole.End.Dropped > 0 || whole.End.Quiescent {
			t.Errorf("%d events, and the end is %+v", len(whole.Events), whole.End)
		}
	}
}

// Recording switched off is a nil Recorder.
func TestNilRecorder(t *testing.T) {
	var r *Recorder
	thread := r.Thread("a")
	if op := thread.Call(flushCall); op != 0 || op.String() != "" {
		t.Errorf("op %v", op)
	}
	thread.Ret(0, flushRet)
	thread.Quiesce()
	if adapter := Record(nil, nil, nil); adapter != nil {
		t.Errorf("recorded %v", adapter)
	}
}

// A header that no trace can have is refused before anything is recorded.
func TestRecorderHeader(t *testing.T) {
	_, err := NewRecorder(io.Discard, Header{Dialect: "ndkpi"}, Options{})
	if err == nil || !strings.Contains(err.Error(), "no side") {
		t.Errorf("error %v, want no side", err)
	}
}

// recordPoll records a call of the hot path with all that it points to.
func recordPoll(thread *Thread) {
	room, bytes := int64(16), int64(64)
	op := thread.Call(Event{Fn: "NdkGetCqResults", Cq: "cq1", N: &room})
	thread.Ret(op, Event{Fn: "NdkGetCqResults", Results: []Result{{Wr: "w1", Qp: "qp1", Status: "STATUS_SUCCESS", Bytes: &bytes}}})
}

// Recording does not allocate in the steady state.
func TestRecordAllocates(t *testing.T) {
	r, err := NewRecorder(io.Discard, testRecording, Options{Buffer: 64, Block: true})
	if err != nil {
		t.Fatal(err)
	}
	thread := r.Thread("a")
	for range 200 {
		recordPoll(thread)
	}
	if n := testing.AllocsPerRun(1000, func() { recordPoll(thread) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	if err := r.Close(true); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	var file bytes.Buffer
	r, err := NewRecorder(&file, testRecording, Options{Block: true})
	if err != nil {
		b.Fatal(err)
	}
	thread := r.Thread("a")
	for range 5000 {
		recordPoll(thread)
	}
	if err := r.Close(true); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("f", bytes.NewReader(file.Bytes()), 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(10000*b.N)/b.Elapsed().Seconds(), "events/s")
}
