package mc

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// all yields the keys of the set.
func (s *keySet) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range s.shards {
			for _, slot := range s.shards[i].slots {
				if slot.at != 0 && !yield(string(s.shards[i].key(slot.at))) {
					return
				}
			}
		}
	}
}

// A key is new once, whoever adds it. The set has a copy of its own.
func TestKeySet(t *testing.T) {
	const keys, adders = 20000, 4
	s := newKeySet()
	var added atomic.Int64
	var wait sync.WaitGroup
	for range adders {
		wait.Go(func() {
			for i := range uint64(keys) {
				key := binary.AppendUvarint(nil, i*i)
				if s.add(key) {
					added.Add(1)
				}
				clear(key)
			}
		})
	}
	wait.Wait()
	want := map[string]int{}
	for i := range uint64(keys) {
		want[string(binary.AppendUvarint(nil, i*i))]++
	}
	got := map[string]int{}
	for key := range s.all() {
		got[key]++
	}
	if added.Load() != keys || !maps.Equal(got, want) {
		t.Errorf("%d times a key was new, and %d are in the set; there are %d", added.Load(), len(got), keys)
	}
}

// The set is exact: keys that all have the same hash are different ones still. An empty key and a very long one are keys.
func TestKeySetIsExact(t *testing.T) {
	s := &keySet{hash: func([]byte) uint64 { return 0 }}
	all := []string{"", string(make([]byte, 3*chunkSize)), string(make([]byte, 3*chunkSize-1))}
	for i := range byte(200) {
		all = append(all, string([]byte{i}), string([]byte{i, 0}))
	}
	for _, want := range []bool{true, false} {
		for _, key := range all {
			if added := s.add([]byte(key)); added != want {
				t.Fatalf("a key of %d bytes: new is %t", len(key), added)
			}
		}
	}
	if got := slices.Sorted(s.all()); !slices.Equal(got, slices.Sorted(slices.Values(all))) {
		t.Errorf("the set has %d keys, there are %d", len(got), len(all))
	}
}
