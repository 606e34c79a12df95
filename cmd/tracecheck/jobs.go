package main

import (
	"context"
	"time"
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
		r := <-results[i]
		i++
		select {
		case <-ahead:
		default: // it was never begun
		}
		return r
	}
}

// checkWithin is checkOne that does not outlive an interrupt, or its time.
func (p *program) checkWithin(ctx context.Context, in input, s *settings, judge judge) *result {
	return p.within(ctx, []input{in}, s, func() []*result { return []*result{p.checkOne(ctx, in, s, judge)} })[0]
}

// within judges inputs together. It does not outlive an interrupt, or their time, by more than p.grace, whatever the engine does.
func (p *program) within(ctx context.Context, inputs []input, s *settings, judge func() []*result) []*result {
	done := make(chan []*result, 1)
	go func() { done <- judge() }()
	late := time.NewTimer(s.options.Timeout + p.grace)
	defer late.Stop()
	select {
	case r := <-done:
		return r
	case <-late.C:
		var all []*result
		for _, in := range inputs {
			all = append(all, overdue(in.name, s))
		}
		return all
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r
	case <-time.After(p.grace):
		return make([]*result, len(inputs))
	}
}
