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

// IsUnanswered is IsLostThere of tla/TraceCheck.tla: an Execute succeeds that reaches memory at an end of the connection that was lost. The contract
// has no memory, so its steps allow that; no provider can do it (RES-10).
func IsUnanswered(c *model.Contract, s model.State, a model.Action) bool {
	at := MemoryAt(c, s, a)
	return at >= 0 && a.Outcome == model.SUCCESS && !c.Dialect.ErrorState && s.Qps[at].State == model.Ended
}
