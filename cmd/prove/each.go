package main

import (
	"runtime"
	"sync/atomic"
)

// each works on as many items at a time as there are processors, and hands over what comes of them in their order.
func each[T, R any](list []T, work func(T) R, done func(T, R)) {
	results := make([]chan R, len(list))
	for i := range results {
		results[i] = make(chan R, 1)
	}
	var taken atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		go func() {
			for i := taken.Add(1) - 1; i < int64(len(list)); i = taken.Add(1) - 1 {
				results[i] <- work(list[i])
			}
		}()
	}
	for i, item := range list {
		done(item, <-results[i])
	}
}
