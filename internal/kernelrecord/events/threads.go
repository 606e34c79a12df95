package events

import "strconv"

// call is one that has begun and not returned.
type call struct {
	kind    Kind
	object  uint64
	frame   uint64
	op      string
	thread  string   // its name in the trace
	ignored bool     // it is of an object that is left out
	second  bool     // the second copy of the program recorded its begin
	doubled bool     // both copies did
	wrs     []string // the names of the requests of a post
	places  []uint64 // and where they were
}

// ending is the last return from a frame.
type ending struct {
	kind   Kind
	second bool
}

// thread is a stack: that of a task, or a processor's for interrupts.
type thread struct{ open []*call }

// threads pairs the ends of calls. A frame's address tells which belong together, and which records are duplicates.
type threads struct {
	stacks map[uint64]*thread
	frames map[uint64]*call
	ended  map[uint64]ending
	lost   int // calls whose return has not come and can't come any more
}

// maxIdle bounds what is kept of frames and stacks that nothing is open on.
const maxIdle = 1 << 16

func newThreads() threads {
	return threads{stacks: map[uint64]*thread{}, frames: map[uint64]*call{}, ended: map[uint64]ending{}}
}

// begin returns the call that a record begins, or nil where the other copy of the program has recorded it.
func (t *threads) begin(r *Record) *call {
	if c := t.frames[r.Frame]; c != nil && c.kind == r.Kind && c.object == r.Object && c.second != r.Second && !c.doubled {
		c.doubled = true
		return nil
	}
	if len(t.ended) > maxIdle || len(t.stacks) > maxIdle {
		t.forget()
	}
	delete(t.ended, r.Frame)
	stack := t.stacks[r.Thread]
	if stack == nil {
		stack = &thread{}
		t.stacks[r.Thread] = stack
	}
	// A stack grows down: what began at this address or below it has returned, and its return was lost.
	for n := len(stack.open); n > 0 && stack.open[n-1].frame <= r.Frame; n-- {
		delete(t.frames, stack.open[n-1].frame)
		stack.open = stack.open[:n-1]
		t.lost++
	}
	c := &call{kind: r.Kind, object: r.Object, frame: r.Frame, second: r.Second, thread: stack.name(r.Thread, r.Kind)}
	stack.open = append(stack.open, c)
	t.frames[r.Frame] = c
	return c
}

// name returns the name of the thread of a call that begins. A handler may be called within a call. A call that begins within another one, and not within a handler, has
// interrupted it, or is the driver's own: it is a thread of its own.
func (t *thread) name(of uint64, kind Kind) string {
	name := "pid" + strconv.FormatUint(of, 10)
	if of&interrupt != 0 {
		name = "cpu" + strconv.FormatUint(of&^interrupt, 10)
	}
	depth, within := 1, CompHandler
	for _, c := range t.open {
		if c.ignored {
			continue
		}
		if within != CompHandler && c.kind != CompHandler {
			depth++
		}
		within = c.kind
	}
	if within != CompHandler && kind != CompHandler {
		depth++
	}
	if depth > 1 {
		name += "." + strconv.Itoa(depth)
	}
	return name
}

// end returns the call that a record ends; nil where there is none, and whether that is because the record is a duplicate.
func (t *threads) end(r *Record) (c *call, duplicate bool) {
	c = t.frames[r.Frame]
	if c == nil || c.kind != r.Kind || c.object != r.Object {
		e, there := t.ended[r.Frame]
		delete(t.ended, r.Frame)
		return nil, there && e.kind == r.Kind && e.second != r.Second
	}
	t.ended[r.Frame] = ending{r.Kind, r.Second}
	delete(t.frames, r.Frame)
	stack := t.stacks[r.Thread]
	if stack == nil {
		return c, false
	}
	for n := len(stack.open); n > 0; n-- {
		last := stack.open[n-1]
		stack.open = stack.open[:n-1]
		if last == c {
			break
		}
		delete(t.frames, last.frame)
		t.lost++
	}
	return c, false
}

// open returns how many calls have begun and not returned.
func (t *threads) open() int { return len(t.frames) }

// forget drops what is kept of frames and stacks that nothing is open on.
func (t *threads) forget() {
	clear(t.ended)
	for id, stack := range t.stacks {
		if len(stack.open) == 0 {
			delete(t.stacks, id)
		}
	}
}
