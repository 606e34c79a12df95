// Package synthetic writes long traces that keep the contract, for benchmarks: consumers that post, arm, sleep until the
// callback, and poll, each on a completion queue of its own, their events interleaved. The same options give the same
// bytes. Memory is by what is outstanding, never by length.
package synthetic

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"ndkoracle/trace"
)

// Options of a trace. No new round begins once Events were written, so there are a few more.
type Options struct {
	Seed   uint64
	Events uint64
	Cqs    int // completion queues, of which each has its own thread
	Pairs  int // connected queue pairs of each completion queue
	Depth  int // requests that are outstanding at once in each pair
}

// Write writes a trace. The error is of the options, or of writing.
func Write(w io.Writer, o Options) error {
	if o.Cqs < 1 || o.Pairs < 1 || o.Depth < 1 {
		return fmt.Errorf("%d completion queues, %d pairs, depth %d: at least 1 of each is needed", o.Cqs, o.Pairs, o.Depth)
	}
	out, err := begin(w, map[string]string{"seed": strconv.FormatUint(o.Seed, 10), "events": strconv.FormatUint(o.Events, 10),
		"cqs": strconv.Itoa(o.Cqs), "pairs": strconv.Itoa(o.Pairs), "depth": strconv.Itoa(o.Depth)})
	if err != nil {
		return err
	}
	g := &generator{Options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), out: out}
	if err := g.interleave(); err != nil {
		return err
	}
	return out.Close(trace.End{Quiescent: true})
}

// begin writes the header of a trace that comes from what run says.
func begin(w io.Writer, run map[string]string) (*trace.Writer, error) {
	return trace.NewWriter(w, trace.Header{
		Dialect: "ndkpi", Ndk: "2.1", Side: "provider", Order: "total", Clock: trace.Clock{Id: "synthetic", Unit: "ns"},
		Producer: trace.Producer{Name: "tracegen", Version: "1.0"}, Run: run,
	})
}

// generator is what the consumers share. One of them runs at a time, so that its choices depend on the seed alone.
type generator struct {
	Options
	random *rand.Rand
	out    *trace.Writer
	seq    uint64
	ops    uint64
	posts  uint64
}

func (g *generator) write(e trace.Event) error {
	g.seq++
	e.Seq, e.T = g.seq, int64(100*g.seq)
	return g.out.Write(&e)
}

// interleave lets one consumer after the other, chosen at random, do its next step.
func (g *generator) interleave() error {
	type running struct {
		next func() (trace.Event, bool)
		stop func()
	}
	var consumers []running
	for i := range g.Cqs {
		next, stop := iter.Pull(newConsumer(g, i+1).run)
		defer stop()
		consumers = append(consumers, running{next, stop})
	}
	for len(consumers) > 0 {
		i := g.random.IntN(len(consumers))
		e, more := consumers[i].next()
		if !more {
			consumers = slices.Delete(consumers, i, i+1)
			continue
		}
		if err := g.write(e); err != nil {
			return err
		}
	}
	return g.write(trace.Event{Thr: "thread1", Ph: trace.Point, Fn: "quiesce"})
}
