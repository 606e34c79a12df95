package main

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"ndkoracle/internal/memory"
)

// judgeAll judges the inputs, at most s.jobs of them at a time and no more than that ahead of what has been taken. next returns the
// results in the order of the inputs, one a call, and nil for what was not judged when ctx ended. It is called once for each input.
func (p *program) judgeAll(ctx context.Context, inputs []input, s *settings, judge judge) (next func() *result) {
	results := make([]chan *result, len(inputs))
	for i := range results {
		results[i] = make(chan *result, 1)
	}
	ahead := make(chan struct{}, s.jobs)
	go func() {
		for i, in := range inputs {
			if ctx.Err() != nil {
				results[i] <- nil
				continue
			}
			select {
			case ahead <- struct{}{}:
				go func() { results[i] <- p.checkWithin(ctx, in, s, judge) }()
			case <-ctx.Done():
				results[i] <- nil
			}
		}
	}()
	i := 0
	return func() *result {
		if i > 0 { // what was returned last has been taken
			select {
			case <-ahead:
			default: // it was never begun
			}
		}
		i++
		return <-results[i-1]
	}
}

// checkWithin checks one trace, beside others where there is memory for all of them. What there was no memory for beside others is checked once
// more by itself, so that its result is the same as if it had been from the beginning.
func (p *program) checkWithin(ctx context.Context, in input, s *settings, judge judge) *result {
	if s.jobs > 1 && in.name != "-" { // which can't be read a second time
		p.alone.RLock()
		r, fits := p.checkInMemory(ctx, in, s, judge)
		p.alone.RUnlock()
		if fits {
			return r
		}
	}
	p.alone.Lock()
	defer p.alone.Unlock()
	r, _ := p.checkInMemory(ctx, in, s, judge)
	return r
}

// checkInMemory reports whether there was memory for the check.
func (p *program) checkInMemory(ctx context.Context, in input, s *settings, judge judge) (r *result, fits bool) {
	watched, stop := p.guard.Watch(ctx)
	defer stop()
	r = p.checkInTime(watched, in, s, judge)
	if fits = !errors.Is(context.Cause(watched), memory.ErrLimit); !fits {
		debug.FreeOSMemory() // for the next one
	}
	return r, fits
}

// checkInTime is checkOne with what is asked for beside the verdict. It does not outlive an interrupt, or its time: then the verdict
// stands where there is one.
func (p *program) checkInTime(ctx context.Context, in input, s *settings, judge judge) *result {
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	so := &reading{}
	r, inTime := within(ctx, p.grace, func() *result {
		return guarded(in, func() *result {
			r := p.checkOne(ctx, in, s, judge, so)
			if r.report.Witness != nil && r.code == exitConformant {
				prove(r, s)
			}
			return r
		})
	})
	switch {
	case !inTime:
		return overdue(ctx, in.shown(), s, so)
	case s.minimize.path == "" || r.code != exitViolation:
		return r
	}
	if ctx.Err() == nil {
		found := *r
		shrunk, inTime := within(ctx, p.grace, func() *result {
			return guarded(in, func() *result {
				p.minimize(ctx, in, &found, s)
				return &found
			})
		})
		if inTime {
			return shrunk
		}
	}
	_, r.unshrunk = ended(ctx)
	return r
}

// patientFor is how many times longer work is waited for that took too much memory.
const patientFor = 20

// within waits for work, but not for longer than grace after ctx is done, whatever the work does.
func within[T any](ctx context.Context, grace time.Duration, work func() T) (answer T, inTime bool) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case answer = <-done:
		return answer, true
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), memory.ErrLimit) {
		grace *= patientFor // what runs next would have no room beside it
	}
	select {
	case answer = <-done:
		return answer, true
	case <-time.After(grace):
		return answer, false
	}
}
