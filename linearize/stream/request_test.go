package stream

import (
	"reflect"
	"runtime"
	"testing"
)

var taken [][]request

// No rule, but the cost of each request: memory comes in sizes, and one more word in a request may be a fifth more memory.
func TestRequestsFillTheirMemory(t *testing.T) {
	var before, after runtime.MemStats
	const times = 1000
	taken = make([][]request, 0, times)
	runtime.ReadMemStats(&before)
	for range times {
		taken = append(taken, make([]request, requestsAtOnce))
	}
	runtime.ReadMemStats(&after)
	taken = nil
	used := times * requestsAtOnce * uint64(reflect.TypeFor[request]().Size())
	if took := after.TotalAlloc - before.TotalAlloc; took > used+used/20 {
		t.Errorf("%d bytes are taken for %d bytes of requests: another number at once would waste less", took/times, used/times)
	}
}
