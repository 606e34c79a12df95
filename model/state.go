package model

import (
	"encoding/binary"
	"math"
	"slices"
)

// State is the state of a component: CQs, QPs, tokens and shared receive queues that share something. It is a value: a step never changes the
// state that it starts from.
type State struct {
	Cqs    []Cq
	Qps    []Qp
	Tokens []Validity
	Srqs   []Srq
}

// Contract is the contract for given objects: the part that no step changes.
type Contract struct {
	Dialect Dialect
	Depth   []int     // of each CQ: the depth requested at its creation; at least that many completions fit
	Room    []int     // of each CQ: how many completions fit at most; nil where only the provider knows
	Qps     []Binding // of each QP
	Tokens  int
	Srqs    []Sharing // each by itself: its QPs are none of Qps

	// ReadInvalidates says that the adapter has NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE; one that has not ignores it (INV-03).
	ReadInvalidates bool

	// Composed adds the constraints of Ndk.tla: a message succeeds only if a receive takes it (Deliver), and a CQ overflows only for a completion that
	// waits for room. The close of a CQ completes after those of its QPs. Without it the parts are independent, as in CompletionQueue, QueuePair and
	// Tokens: messages are sent and received without constraint, as a judge that has only one side sees them.
	Composed bool
}

// Binding says where a QP's requests complete, and who its peer is: the index of a QP, or -1.
type Binding struct {
	InitiatorCq, ReceiveCq int
	Peer                   int
	Type                   QpType
}

// Cq returns the CQ that a queue completes into.
func (b Binding) Cq(q Queue) int {
	if q == Initiator {
		return b.InitiatorCq
	}
	return b.ReceiveCq
}

// capacity returns how many completions the CQ can hold (A35).
func (c *Contract) capacity(s State, cq int) int {
	switch {
	case c.Dialect.A35 == A35Exact:
		return s.Cqs[cq].Depth
	case c.Room == nil:
		return math.MaxInt
	}
	return c.Room[cq]
}

// Init is the state in which nothing has been armed, posted or connected, and no token is valid: the first, where a shared receive queue
// may be armed when it is created (A19).
func (c *Contract) Init() State {
	s := State{Cqs: make([]Cq, len(c.Depth)), Qps: make([]Qp, len(c.Qps)), Tokens: make([]Validity, c.Tokens)}
	for i, depth := range c.Depth {
		s.Cqs[i].Depth, s.Cqs[i].Uncounted = depth, c.Dialect.A26 == A26Old
	}
	for i := range c.Srqs {
		s.Srqs = append(s.Srqs, c.NewSrqs(i)[0])
	}
	return s
}

func (s State) withCq(i int, q Cq) State {
	s.Cqs = slices.Clone(s.Cqs)
	s.Cqs[i] = q
	return s
}

func (s State) withQp(i int, p Qp) State {
	s.Qps = slices.Clone(s.Qps)
	s.Qps[i] = p
	return s
}

// AppendKey appends an encoding of s: two states of one contract are equal exactly when their keys are.
func (s State) AppendKey(key []byte) []byte {
	for _, q := range s.Cqs {
		key = binary.AppendUvarint(key, uint64(len(q.Entries)))
		for _, c := range q.Entries {
			key = append(key, byte(c.Queue)<<4|byte(c.Status)<<1|bit(c.Solicited), byte(c.Type))
			key = binary.AppendUvarint(key, uint64(c.Qp))
			key = binary.AppendUvarint(key, uint64(c.Request))
			key = binary.AppendVarint(key, int64(c.Token))
		}
		key = binary.AppendUvarint(key, uint64(q.Fresh))
		key = binary.AppendUvarint(key, uint64(q.Waiting))
		key = binary.AppendUvarint(key, uint64(q.Due))
		key = binary.AppendUvarint(key, uint64(q.Depth))
		key = binary.AppendUvarint(key, uint64(q.Asked))
		key = append(key, byte(q.Arm)<<4|byte(q.Health)<<2|byte(q.Open), byte(q.Taken)<<4|byte(q.Resize),
			bit(q.ErrorDue)|bit(q.Running)<<1|bit(q.Reported)<<2|bit(q.Uncounted)<<3)
	}
	for _, p := range s.Qps {
		key = append(key, byte(p.State))
		for _, queue := range [][]Request{p.Initiator, p.Receive} {
			key = binary.AppendUvarint(key, uint64(len(queue)))
			for _, r := range queue {
				key = append(key, byte(r.Op)<<4|byte(r.Phase), bit(r.Silent)|bit(r.Solicit)<<1|bit(r.Fence)<<2)
				key = binary.AppendUvarint(key, uint64(r.Id))
				key = binary.AppendVarint(key, int64(r.Token))
			}
		}
	}
	for _, v := range s.Tokens {
		key = append(key, byte(v))
	}
	for _, r := range s.Srqs {
		key = r.appendKey(key)
	}
	return key
}

func (r Srq) appendKey(key []byte) []byte {
	key = binary.AppendUvarint(key, uint64(len(r.Taken)))
	for _, n := range append(slices.Clip(r.Taken), r.Queued, r.Depth, r.Threshold, r.Waiting, r.Due, r.Running, r.AskedDepth, r.AskedThreshold) {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return append(key, byte(r.Health)<<4|byte(r.Modify)<<2|byte(r.Open), bit(r.ErrorDue)|bit(r.Reported)<<1, byte(r.Ended), byte(r.LastDue))
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
