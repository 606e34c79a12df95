package stream

import (
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A shared is what is known of shared receive queues. Which queue pair takes what was posted to one is not followed.
type shared struct {
	wrs   map[string]bool // receives that were posted to one, and that no poll has delivered
	named bool            // a queue pair was created that names the one that it takes its receives from
}

// postsShared takes the post of receives to a shared queue.
func (s *Stream) postsShared(e *trace.Event) {
	first := s.shared.wrs == nil
	if first {
		s.shared.wrs = map[string]bool{}
	}
	if len(e.Wrs) == 0 {
		s.shared.wrs[e.Wr] = true
	}
	for _, w := range e.Wrs {
		s.shared.wrs[w.Wr] = true
	}
	if first {
		for _, p := range s.qpsInOrder {
			p.mayShare()
		}
	}
}

// mayShare leaves the CQ open of which the receives of p may be of a shared queue: p names that queue, or none names one.
func (p *qp) mayShare() {
	q := p.wqs[model.Receive].cq
	if q != nil && (p.sharedReceives || p.s.shared.wrs != nil && !p.s.shared.named) {
		q.group.leaveOpen(verdict.TakesShared(q.name, p.sharedReceives, p.s.dialect.Name))
	}
}
