// Package memory keeps the memory of a process within bounds. Engines count what they remember, and end by themselves at their own limits, the
// same on each machine. This package has the garbage collector keep up with that, and is the last resort where a count is wrong.
package memory

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// ErrLimit is the cause of a check that was ended because the process used as much memory as it may.
var ErrLimit = errors.New("the memory limit was reached")

var soft struct {
	sync.Mutex
	base     int64 // 0 where nothing is limited
	reserved int64
}

// SetSoftLimit makes the garbage collector run more often once the process uses the given bytes and the reserved ones. It does nothing if the
// environment variable GOMEMLIMIT has another limit.
func SetSoftLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	soft.Lock()
	defer soft.Unlock()
	soft.base = bytes
	debug.SetMemoryLimit(soft.base + soft.reserved)
}

// A Reservation raises the soft limit for memory that is known to be in use. The zero value has none.
type Reservation struct{ bytes int64 }

// granularity is the least change of a reservation: each costs a moment in which nothing else runs.
const granularity = 8 << 20

// Set changes the reservation to approximately the given number of bytes.
func (r *Reservation) Set(bytes int) {
	rounded := (int64(bytes) + granularity - 1) / granularity * granularity
	if bytes != 0 && rounded <= r.bytes && r.bytes-rounded < 4*granularity {
		return
	}
	if rounded == r.bytes {
		return
	}
	soft.Lock()
	defer soft.Unlock()
	soft.reserved += rounded - r.bytes
	r.bytes = rounded
	if soft.base != 0 {
		debug.SetMemoryLimit(soft.base + soft.reserved)
	}
}

// A Guard ends what runs in a process that uses too much memory.
type Guard struct {
	limit uint64

	lock    sync.Mutex
	running map[*context.CancelCauseFunc]bool
}

// lookEvery is how often a guard looks: a process can make a few megabytes of garbage in that time.
const lookEvery = 5 * time.Millisecond

// NewGuard returns a guard that looks at the memory of this process, as long as ctx lasts.
func NewGuard(ctx context.Context, limit uint64) *Guard {
	g := &Guard{limit: limit, running: map[*context.CancelCauseFunc]bool{}}
	go func() {
		for ticks := time.NewTicker(lookEvery); ; {
			select {
			case <-ticks.C:
				g.look(InUse())
			case <-ctx.Done():
				ticks.Stop()
				return
			}
		}
	}()
	return g
}

// Watch returns a context that ends when the process uses more memory than it may. Its cause is ErrLimit. A nil guard watches nothing.
func (g *Guard) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if g != nil {
		g.lock.Lock()
		g.running[&cancel] = true
		g.lock.Unlock()
	}
	return ctx, func() {
		if g != nil {
			g.lock.Lock()
			delete(g.running, &cancel)
			g.lock.Unlock()
		}
		cancel(nil)
	}
}

// look ends everything that is watched if used bytes are too many.
func (g *Guard) look(used uint64) {
	if used <= g.limit {
		return
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	for cancel := range g.running {
		(*cancel)(ErrLimit)
	}
	clear(g.running)
}

// InUse returns how much memory the process has from the system, in bytes: what the Go runtime does not know of is not counted.
func InUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
