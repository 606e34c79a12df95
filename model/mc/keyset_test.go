package mc

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"
)

// A key is new once, whoever adds it, and the set's own copy is the same and stays so.
func TestKeySet(t *testing.T) {
	const keys, adders = 20000, 4
	s := newKeySet()
	var added atomic.Int64
	var wait sync.WaitGroup
	for range adders {
		wait.Go(func() {
			var owned [][]byte
			for i := range uint64(keys) {
				key := binary.AppendUvarint(nil, i*i)
				own, isNew := s.add(key)
				if isNew {
					added.Add(1)
				}
				clear(key) // the set has a copy
				owned = append(owned, own)
			}
			for i, own := range owned {
				if want := binary.AppendUvarint(nil, uint64(i)*uint64(i)); !bytes.Equal(own, want) {
					t.Errorf("key %d is %x, not %x", i, own, want)
					return
				}
			}
		})
	}
	wait.Wait()
	if n, size := s.size(); n != keys || added.Load() != keys || size < keys*2 {
		t.Errorf("%d keys in %d bytes, %d times one was new; there are %d", n, size, added.Load(), keys)
	}
}

// The set is exact: keys that all have the same hash are different ones still. An empty key and a very long one are keys.
func TestKeySetIsExact(t *testing.T) {
	s := &keySet{hash: func([]byte) uint64 { return 0 }}
	all := [][]byte{{}, make([]byte, 3*chunkSize), make([]byte, 3*chunkSize-1)}
	for i := range byte(200) {
		all = append(all, []byte{i}, []byte{i, 0})
	}
	for _, want := range []bool{true, false} {
		for _, key := range all {
			if own, added := s.add(key); added != want || !bytes.Equal(own, key) {
				t.Fatalf("a key of %d bytes: new is %t, and the set's copy has %d bytes", len(key), added, len(own))
			}
		}
	}
	if n, _ := s.size(); n != len(all) {
		t.Errorf("%d keys, there are %d", n, len(all))
	}
}
