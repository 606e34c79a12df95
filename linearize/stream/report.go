package stream

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// Of the requests of a queue pair a stream knows one state, not several: a finding about one tells that, and what it would have
// allowed.

// allows adds to the latest finding the state of p just before, and what it would have allowed instead.
func (p *qp) allows(format string, args ...any) {
	if !p.s.muted {
		p.allowed(p.describe(), format, args...)
	}
}

// allowed does the same where p was described earlier.
func (p *qp) allowed(before, format string, args ...any) {
	if p.s.muted {
		return
	}
	f := &p.s.findings[len(p.s.findings)-1]
	f.Before, f.Instead = append(f.Before, before), append(f.Instead, fmt.Sprintf(format, args...))
}

func (p *qp) describe() string {
	return fmt.Sprintf("%s: %s, %s and %s pending", p.name, p.state(),
		p.wqs[model.Initiator].waiting.count("initiator request"), p.wqs[model.Receive].waiting.count("receive"))
}

// state names the states of the model that p may be in.
func (p *qp) state() string {
	switch {
	case p.gone:
		return model.QpClosed.String()
	case p.closing != 0:
		return model.QpClosing.String()
	case p.connected == 0 && p.mayBreak():
		return model.BrokenIdle.String()
	case p.connected == 0:
		return model.Idle.String()
	case p.cancelsAll != 0:
		return model.Flushed.String()
	case p.ended != 0 || p.lossTold:
		return model.Broken.String()
	case p.mayBreak():
		return model.Connected.String() + " or " + model.Broken.String()
	}
	return model.Connected.String()
}

// allows adds to the latest finding the requests whose completion might have been delivered instead: the oldest of each queue.
func (q *cq) allows() {
	if q.s.muted {
		return
	}
	f := &q.s.findings[len(q.s.findings)-1]
	var qps []*qp
	for _, l := range q.wqs {
		if slices.Contains(qps, l.qp) {
			continue
		}
		if qps = append(qps, l.qp); len(f.Before) == verdict.MaxDescribed {
			f.Before, f.Instead = append(f.Before, "and others"), append(f.Instead, "")
			return
		}
		var next []string
		for _, own := range l.qp.wqs {
			if own.cq == q && len(own.waiting) > 0 {
				next = append(next, "a completion of "+own.waiting[0].wr)
			}
		}
		f.Before, f.Instead = append(f.Before, l.qp.describe()), append(f.Instead, strings.Join(append(next, "none"), ", or "))
	}
}
