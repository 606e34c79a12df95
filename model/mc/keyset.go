package mc

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"sync"
)

// A keySet is a set of keys that several may add to at once. It is exact: keys with the same hash are compared.
type keySet struct {
	hash   func(key []byte) uint64
	shards [256]shard
}

// A shard has the keys whose hash ends in its number.
type shard struct {
	sync.Mutex
	slots  []slot // a power of two, at most three quarters of them in use
	n      int
	chunks [][]byte // the keys, each after its length; they are never moved
}

// A slot is empty, or has the place of a key, and what tells it from most others without a look there.
type slot struct {
	hash uint32
	at   uint32 // one more than chunk * chunkSize + offset; 0 is empty
}

const (
	chunkSize   = 1 << 12
	fewestSlots = 64
)

func newKeySet() *keySet {
	seed := maphash.MakeSeed()
	return &keySet{hash: func(key []byte) uint64 { return maphash.Bytes(seed, key) }}
}

// add puts a copy of a key into the set, and reports whether it is new.
func (s *keySet) add(key []byte) bool {
	hash := s.hash(key)
	of := &s.shards[hash%uint64(len(s.shards))]
	of.Lock()
	defer of.Unlock()
	if of.n >= len(of.slots)/4*3 {
		of.grow()
	}
	short := uint32(hash >> 32)
	i := of.free(short, func(at uint32) bool { return bytes.Equal(of.key(at), key) })
	if of.slots[i].at != 0 {
		return false
	}
	of.slots[i] = slot{short, of.store(key)}
	of.n++
	return true
}

// free returns the slot with that hash whose key is the same, or the empty one where it belongs.
func (of *shard) free(hash uint32, same func(at uint32) bool) uint32 {
	mask := uint32(len(of.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := of.slots[i]; s.at == 0 || s.hash == hash && same(s.at) {
			return i
		}
	}
}

func (of *shard) grow() {
	old := of.slots
	of.slots = make([]slot, max(2*len(old), fewestSlots))
	for _, s := range old {
		if s.at != 0 {
			of.slots[of.free(s.hash, func(uint32) bool { return false })] = s
		}
	}
}

// store keeps a key, and returns its place.
func (of *shard) store(key []byte) uint32 {
	n, need := len(of.chunks), binary.MaxVarintLen64+len(key)
	if n == 0 || len(of.chunks[n-1])+need > chunkSize {
		of.chunks = append(of.chunks, make([]byte, 0, max(chunkSize, need)))
		n++
	}
	chunk := of.chunks[n-1]
	at := (n-1)*chunkSize + len(chunk)
	of.chunks[n-1] = append(binary.AppendUvarint(chunk, uint64(len(key))), key...)
	return uint32(at) + 1
}

func (of *shard) key(at uint32) []byte {
	chunk := of.chunks[(at-1)/chunkSize][(at-1)%chunkSize:]
	length, n := binary.Uvarint(chunk)
	return chunk[n : n+int(length) : n+int(length)]
}
