package execprovider

import (
	"fmt"
	"sync"

	"ndkoracle/ndk"
)

// memory is what the program may read and write: the buffers that were registered. Its addresses are those of this process.
type memory struct {
	mu      sync.Mutex
	buffers [][]byte
}

func (m *memory) register(buffer []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buffers = append(m.buffers, buffer)
}

// part returns length bytes at an address.
func (m *memory) part(address uint64, length int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.buffers {
		offset := address - ndk.VirtualAddress(b)
		if size := uint64(len(b)); offset <= size && 0 <= length && uint64(length) <= size-offset {
			return b[offset : offset+uint64(length)], nil
		}
	}
	return nil, fmt.Errorf("no registered memory holds %d bytes at address %d", length, address)
}
