package synthetic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ndkoracle/linearize"
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
		if r := linearize.Check(context.Background(), whole, linearize.Options{}); r.Verdict != linearize.Conformant {
			t.Errorf("%+v: %s: %+v", o, r.Verdict, r.Findings)
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
