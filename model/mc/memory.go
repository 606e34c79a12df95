package mc

import "ndkoracle/model"

// MemoryAt returns the queue pair whose memory a request reads or writes that an Execute is of, or -1.
func MemoryAt(c *model.Contract, s model.State, a model.Action) int {
	queue := s.Qps[a.Qp].Queue(a.Queue)
	if a.Name != model.Execute || a.At >= len(queue) || queue[a.At].Op != model.Read && queue[a.At].Op != model.Write {
		return -1
	}
	return c.Qps[a.Qp].Peer
}

// IsUnanswered reports whether an Execute succeeds that reaches memory at an end of the connection that was lost, as IsLostThere of
// tla/TraceCheck.tla says: the contract has no memory, so its steps allow that, and no provider can do it (RES-10). Nor does a read succeed that
// the other end does not answer (RES-14), which only a contract that is Composed says itself.
func IsUnanswered(c *model.Contract, s model.State, a model.Action) bool {
	at := MemoryAt(c, s, a)
	if at < 0 || a.Outcome != model.SUCCESS {
		return false
	}
	lost := !c.Dialect.ErrorState && s.Qps[at].State == model.Ended
	return lost || s.Qps[a.Qp].Queue(a.Queue)[a.At].Op == model.Read && !c.Answers(s, at)
}
