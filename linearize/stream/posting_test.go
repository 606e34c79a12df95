package stream

import (
	"reflect"
	"runtime"
	"testing"
)

var taken [][]posting

// No rule, but the cost of each request: memory comes in sizes, and one more word in a posting may be a fifth more memory.
func TestPostingsFillTheirMemory(t *testing.T) {
	var before, after runtime.MemStats
	const times = 1000
	taken = make([][]posting, 0, times)
	runtime.ReadMemStats(&before)
	for range times {
		taken = append(taken, make([]posting, postingsAtOnce))
	}
	runtime.ReadMemStats(&after)
	taken = nil
	used := times * postingsAtOnce * uint64(reflect.TypeFor[posting]().Size())
	if took := after.TotalAlloc - before.TotalAlloc; took > used+used/20 {
		t.Errorf("%d bytes are taken for %d bytes of postings: another number at once would waste less", took/times, used/times)
	}
}
