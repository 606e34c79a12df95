package synthetic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

func written(t *testing.T, o Options) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, o); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Every trace keeps the contract (all rules that the judge checks), says that it came to rest, and is as long as asked.
func TestConformant(t *testing.T) {
	for seed := range uint64(20) {
		o := Options{Seed: seed, Events: 150, Cqs: 1 + int(seed%3), Pairs: 1 + int(seed%2), Depth: 1 + int(seed%4)}
		whole, err := trace.Read("synthetic", bytes.NewReader(written(t, o)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(whole.Events)) < o.Events || whole.End == nil || !whole.End.Quiescent {
			t.Errorf("%+v: %d events, end %+v", o, len(whole.Events), whole.End)
		}
		if r := linearize.Check(context.Background(), whole, linearize.Options{}); r.Verdict != verdict.Conformant {
			t.Errorf("%+v: %s: %+v", o, r.Verdict, r.Findings)
		}
	}
}

// Irregular walks keep the contract, and the judge reports no violation of them. Long ones reach cases in their queues that short histories do not,
// such as a read or a fence that is refused, and a write that passes a read and fails (RES-10, FLAG-04).
func TestIrregularIsNotAccused(t *testing.T) {
	for seed, events := range map[uint64]uint64{1: 250_000, 2: 100_000, 3: 100_000} {
		var file bytes.Buffer
		if err := WriteIrregular(&file, Options{Seed: seed, Events: events}); err != nil {
			t.Fatal(err)
		}
		in, err := trace.NewReader("irregular", &file)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := linearize.CheckReader(t.Context(), in, "irregular", linearize.Options{Engine: linearize.Streaming})
		if err != nil || r.Violated() || uint64(r.Events) < events {
			t.Errorf("seed %d: %v, %d events, %s: %+v", seed, err, r.Events, r.Verdict, r.Findings)
		}
	}
}

// The same options give the same bytes, another seed gives others.
func TestSeed(t *testing.T) {
	o := Options{Seed: 7, Events: 1000, Cqs: 3, Pairs: 2, Depth: 4}
	first := written(t, o)
	if !bytes.Equal(first, written(t, o)) {
		t.Error("two traces of one seed differ")
	}
	o.Seed++
	if bytes.Equal(first, written(t, o)) {
		t.Error("traces of two seeds are the same")
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Bad options and errors of writing are told.
func TestErrors(t *testing.T) {
	if err := Write(io.Discard, Options{Events: 1}); err == nil || !strings.Contains(err.Error(), "at least 1") {
		t.Errorf("error %v", err)
	}
	if err := Write(full{}, Options{Events: 100000, Cqs: 2, Pairs: 1, Depth: 1}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

// Neither writing nor reading takes more memory where the trace is longer: within the noise of the heap, what is in use
// near the end of a long one is what was in use early on.
func TestFlatMemory(t *testing.T) {
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Write(out, Options{Events: 300_000, Cqs: 2, Pairs: 2, Depth: 8})
		out.CloseWithError(err)
		done <- err
	}()
	r, err := trace.NewReader("synthetic", in)
	if err != nil {
		t.Fatal(err)
	}
	var e trace.Event
	var early, late uint64
	for n := 1; err == nil; n++ {
		switch n {
		case 30_000:
			early = heap()
		case 290_000:
			late = heap()
		}
		err = r.Next(&e)
	}
	if err := errors.Join(<-done, r.Close()); err != io.EOF && err != nil {
		t.Fatal(err)
	}
	if early == 0 || late > early+1<<20 {
		t.Errorf("%d bytes in use early on, %d near the end", early, late)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
