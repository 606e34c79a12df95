package stream

// requestNames finds requests by the names that the trace gives them.
type requestNames struct {
	byName map[string]*request // the requests that are accepted or not answered yet, and not delivered; nil until the first lookup
	past   past                // requests that are over
	shared shared
}

// Lookup of outstanding requests by name. A queue completes in order, so the next result of a CQ is of the oldest request of one of its queues, or of the
// first behind silent ones. If these are few, a linear search covers them. A map of all names is kept only from the first failed search on.

// maxLooked is how many requests are looked at.
const maxLooked = 32

// request returns the outstanding request that a result of q, or a point, names, or nil.
func (s *Stream) request(q *cq, wr string) *request {
	if s.byName == nil {
		if r := q.next(wr); r != nil {
			return r
		}
		s.keepByName()
	}
	return s.byName[wr]
}

// next returns the request of a name, where it is one that may complete next into q.
func (q *cq) next(wr string) *request {
	looked := 0
	for _, l := range q.wqs {
		if looked++; looked > maxLooked {
			return nil
		}
		for _, r := range l.waiting {
			if r.wr == wr {
				return r
			}
			if looked++; looked > maxLooked {
				return nil
			}
			if !r.silent {
				break
			}
		}
	}
	return nil
}

func (s *Stream) keepByName() {
	s.byName = map[string]*request{}
	for _, p := range s.qpsInOrder {
		for _, l := range p.wqs {
			for _, r := range l.waiting {
				s.byName[r.wr] = r
			}
		}
	}
}
