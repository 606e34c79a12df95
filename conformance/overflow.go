package conformance

// A CQ that holds d completions gets d, or one too many. The error comes to an arm of any type (ARM-17); the consumer
// that heard of it calls the CQ and its QP no more (ARM-19), the one that did not goes on.
func overflow(r *Run) error {
	return r.worlds(always(apart), func(w *world) error {
		depth := 1 + r.random.IntN(3)
		q, err := w.addQueue(depth)
		if err != nil {
			return err
		}
		a, b, err := w.addPair(q, w.a.receive, w.b.initiator, w.b.receive)
		if err != nil {
			return err
		}
		if r.chance(2) {
			q.arm(q.cq, r.anyNotifyType())
		}
		n := depth + 1
		if r.chance(4) {
			n = depth
		}
		for range n {
			a.transfer(0)
		}
		if err := w.rest(); err != nil {
			return err
		}
		if r.chance(2) {
			q.arm(q.cq, r.anyNotifyType())
		}
		if err := w.settle(); err != nil || q.isOver() {
			return err
		}
		b.accept(b.qp)
		a.send(a.qp, 0)
		return w.settle()
	})
}
