package events

import "ndkoracle/trace"

// polls passes events on, and tells a row of polls of one CQ by one thread, where each but the last found nothing and nothing else happened meanwhile, as one call:
// docs/trace-functions.md, Polls that find nothing.
type polls struct {
	emit   func(*trace.Event) error
	events uint64

	open map[string]poll // the polls that have not returned, by op
	held *trace.Event    // the return of one that found nothing: the next event may be another poll
	last poll            // the one of held
}

// poll is a poll that has been called.
type poll struct {
	thr, cq string
	n       int64
	op      string // the one under which it is told: that of the first poll of its row
}

// put handles the next event.
func (p *polls) put(e *trace.Event) error {
	if e.Fn != "ibv_poll_cq" {
		if err := p.flush(); err != nil {
			return err
		}
		return p.write(e)
	}
	if e.Ph == trace.Call {
		return p.call(e)
	}
	if err := p.flush(); err != nil {
		return err
	}
	called := p.open[e.Op]
	delete(p.open, e.Op)
	e.Op = called.op
	if e.Errno != "" || len(e.Results) > 0 {
		return p.write(e)
	}
	held := *e
	p.held, p.last = &held, called
	return nil
}

// call handles a call of a poll, which may go on with the row that is held.
func (p *polls) call(e *trace.Event) error {
	called := poll{e.Thr, e.Cq, *e.N, e.Op}
	goesOn := p.held != nil && p.last.thr == called.thr && p.last.cq == called.cq && p.last.n == called.n
	if goesOn {
		called.op, p.held = p.last.op, nil
	}
	if p.open == nil {
		p.open = map[string]poll{}
	}
	p.open[e.Op] = called
	if goesOn {
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	return p.write(e)
}

// flush passes on the event that is held back.
func (p *polls) flush() error {
	if p.held == nil {
		return nil
	}
	held := p.held
	p.held = nil
	return p.write(held)
}

func (p *polls) write(e *trace.Event) error {
	p.events++
	e.Seq = p.events
	return p.emit(e)
}
