package stream

import (
	"context"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// A trace is decoded while what was decoded before it is judged: events go from the one to the other in batches.

// eventsAtHand is the number of events in a batch. At least that many of the latest events are kept, to be shown with findings. If events are large there
// are fewer: those of a batch use at most bytesAtHand, and one event more.
const (
	eventsAtHand = 1 << 8
	bytesAtHand  = 2 << 20
)

// mostAnswers is how many events more a batch has, so that it ends behind an answer.
const mostAnswers = 1 << 4

// batchesAtOnce is how many batches there are: one that is filled, one on its way, and the two latest.
const batchesAtOnce = 4

// bytesOfElement is about what an element of an event's list takes.
const bytesOfElement = 128

type batch struct {
	events []trace.Event
	err    error // that came after them
}

// batches hands out the events of a reader.
type batches struct {
	full, free chan *batch
	stop       context.CancelFunc
	ended      chan struct{}
}

// readBatches begins to read. Its end is to be waited for, by close, before the reader is used again.
func readBatches(ctx context.Context, in *trace.Reader) *batches {
	ctx, stop := context.WithCancel(ctx)
	b := &batches{make(chan *batch, batchesAtOnce), make(chan *batch, batchesAtOnce), stop, make(chan struct{})}
	for range batchesAtOnce {
		b.free <- &batch{events: make([]trace.Event, 0, eventsAtHand+mostAnswers)}
	}
	go func() {
		defer close(b.ended)
		defer close(b.full)
		for {
			var next *batch
			select {
			case next = <-b.free:
			case <-ctx.Done():
				return
			}
			next.fill(in)
			b.full <- next // there is room for all
			if next.err != nil {
				return
			}
		}
	}()
	return b
}

func (b *batch) fill(in *trace.Reader) {
	b.events = b.events[:0]
	for bytes := 0; !b.isFull(bytes) && b.err == nil; {
		b.events = b.events[:len(b.events)+1]
		e := &b.events[len(b.events)-1]
		if b.err = in.Next(e); b.err != nil {
			b.events = b.events[:len(b.events)-1]
			break
		}
		bytes += (len(e.Results) + len(e.Wrs)) * bytesOfElement
	}
	calls.MarkNoEffect(b.events)
}

// isFull reports whether the batch takes no more: it does not end between a call and the answer that tells whether the call had an effect, unless many
// of these follow each other.
func (b *batch) isFull(bytes int) bool {
	n := len(b.events)
	return n == cap(b.events) || (n >= eventsAtHand || bytes >= bytesAtHand) && !calls.MayHaveNoEffect(&b.events[n-1])
}

// close ends the reading, and waits until it has.
func (b *batches) close() {
	b.stop()
	<-b.ended
}
