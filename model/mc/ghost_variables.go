package mc

import (
	"encoding/binary"
	"slices"

	"ndkoracle/model"
)

// A Moment is a state with the ghost variables that the invariants need: a record of the path to the state. The ghost variables have their names
// in MCCompletionQueue, MCQueuePair, MCSharedReceiveQueue, MCNdk and MCConsumer. A Moment is immutable, as a state is.
type Moment struct {
	contract *model.Contract
	maxDue   int // maximal number of callbacks owed at a time
	state    model.State

	queueDepth int // places in each queue of a QP; 0 means no limit

	joined  []model.Arms // of each CQ: types of the arm requests since the arm was last clear, as bits
	unspent []int        // of each CQ: arm requests made less callbacks entered
	inside  []int        // of each CQ: callbacks entered less callbacks returned

	posts   []int                  // of each QP: posts so far
	postsOf [][model.Write + 1]int // of each QP, by operation
	refused [][]number             // of each QP: posts that were refused
	open    []bool                 // of each QP: a chain is open, which only a post ends (A11)
	flushed [][]int                // of each QP: ids of the requests that were in a queue when NdkFlush was called
	left    [][]leaving            // of each QP: requests that left their queue, in this order

	arms      int        // arm requests so far
	delivered [][2][]int // ids that polls delivered, by QP and queue
	fetched   [2]uint64  // tokens in completions that NdkGetCqResults and NdkGetCqResultsEx returned, as bits

	consumer consumer

	shared []sharing // of each shared receive queue
}

// A sharing has the ghost variables of a shared receive queue.
type sharing struct {
	unspent int // arms made less callbacks entered for them
	inside  int // callbacks entered less callbacks returned
}

// A number identifies a QP or a request id together with its queue.
type number struct {
	of    int
	queue model.Queue
}

type leaving struct {
	number
	silent bool
	status model.Outcome
	told   bool // a completion was placed
}

func start(c *model.Contract, maxDue int) Moment {
	return Moment{
		contract: c, maxDue: maxDue, state: c.Init(),
		joined: make([]model.Arms, len(c.Depth)), unspent: make([]int, len(c.Depth)), inside: make([]int, len(c.Depth)),
		posts: make([]int, len(c.Qps)), postsOf: make([][model.Write + 1]int, len(c.Qps)), refused: make([][]number, len(c.Qps)),
		open: make([]bool, len(c.Qps)), flushed: make([][]int, len(c.Qps)), left: make([][]leaving, len(c.Qps)),
		delivered: make([][2][]int, max(len(c.Qps), len(c.Depth))), // completions of no QP are indexed by their CQ
		shared:    make([]sharing, len(c.Srqs)),
	}
}

// clone returns a copy whose parts can be changed independently.
func (m Moment) clone() Moment {
	m.state.Cqs, m.state.Qps = slices.Clone(m.state.Cqs), slices.Clone(m.state.Qps)
	m.joined, m.unspent, m.inside = slices.Clone(m.joined), slices.Clone(m.unspent), slices.Clone(m.inside)
	m.posts, m.postsOf, m.refused = slices.Clone(m.posts), slices.Clone(m.postsOf), slices.Clone(m.refused)
	m.open, m.flushed, m.left = slices.Clone(m.open), slices.Clone(m.flushed), slices.Clone(m.left)
	m.delivered = slices.Clone(m.delivered)
	m.state.Srqs, m.shared = slices.Clone(m.state.Srqs), slices.Clone(m.shared)
	return m
}

// with returns a copy of the slice whose element i is value.
func with[T any](s []T, i int, value T) []T {
	s = slices.Clone(s)
	s[i] = value
	return s
}

// add returns a copy of the slice with one more element.
func add[T any](s []T, value T) []T { return append(slices.Clip(s), value) }

// mayArm is MayArm: a consumer that arms so often that too many callbacks are owed waits for one of them.
func (m Moment) mayArm(cq int) bool {
	q := m.state.Cqs[cq]
	if m.contract.Dialect.SecondArm == model.Together {
		return q.Due+q.Waiting < m.maxDue
	}
	return q.Due < m.maxDue
}

// after returns the moment after a step by a to the state next.
func (m Moment) after(a model.Action, next model.State) Moment {
	before := m.state
	m.state = next
	switch a.Name {
	case model.NdkArmCq:
		m.arms++
		m.joined = with(m.joined, a.Cq, m.joined[a.Cq]|1<<a.Type)
		m.unspent = with(m.unspent, a.Cq, min(m.unspent[a.Cq]+1, m.maxDue+1))
	case model.NdkCqNotificationCallbackEnter:
		if a.CqStatus == model.OK || m.contract.Dialect.A1 != model.A1NoArm { // under A1NoArm, the callback for an error needs no arm
			m.unspent = with(m.unspent, a.Cq, m.unspent[a.Cq]-1)
		}
		if m.contract.Dialect.Serialised {
			m.inside = with(m.inside, a.Cq, m.inside[a.Cq]+1)
		}
	case model.NdkCqNotificationCallbackExit:
		m.inside = with(m.inside, a.Cq, m.inside[a.Cq]-1)
	case model.NdkGetCqResults:
		m = m.polled(0, before.Cqs[a.Cq].Entries[:a.K])
	case model.NdkGetCqResultsEx:
		m = m.polled(1, before.Cqs[a.Cq].Entries[:a.K])
	case model.Post:
		m = m.posted(a)
		if a.Queue == model.Initiator {
			m.open = with(m.open, a.Qp, a.Deferred && m.contract.Dialect.A11 == model.A11Post)
		}
	case model.PostRefused:
		m = m.posted(a)
		m.open = with(m.open, a.Qp, a.Queue == model.Receive && m.open[a.Qp])
		m.refused = with(m.refused, a.Qp, add(m.refused[a.Qp], number{a.Request.Id, a.Queue}))
	case model.NdkFlush, model.NdkDisconnect:
		ids := slices.Clone(m.flushed[a.Qp])
		for _, r := range slices.Concat(before.Qps[a.Qp].Initiator, before.Qps[a.Qp].Receive) {
			if r.Phase != model.Deferred || m.contract.Dialect.A31 == model.A31Cancelled {
				ids = append(ids, r.Id)
			}
		}
		slices.Sort(ids)
		m.flushed = with(m.flushed, a.Qp, slices.Compact(ids))
	case model.Complete:
		r := before.Qps[a.Qp].Queue(a.Queue)[a.At]
		cq := m.contract.Qps[a.Qp].Cq(a.Queue)
		told := len(next.Cqs[cq].Entries) > len(before.Cqs[cq].Entries)
		m.left = with(m.left, a.Qp, add(m.left[a.Qp], leaving{number{r.Id, a.Queue}, r.Silent, model.Outcome(r.Phase - model.Executed), told}))
	}
	if len(m.shared) > 0 {
		m.shared = with(m.shared, a.Srq, m.afterSrq(a, before.Srqs[a.Srq], next.Srqs[a.Srq]))
	}
	for i, q := range next.Cqs {
		if q.Arm == model.NONE && m.joined[i] != 0 {
			m.joined = with(m.joined, i, 0)
		}
	}
	for t, v := range next.Tokens {
		if v == model.Valid && before.Tokens[t] != model.Valid { // registered again
			m.fetched[0] &^= 1 << t
			m.fetched[1] &^= 1 << t
		}
	}
	return m
}

func (m Moment) posted(a model.Action) Moment {
	m.posts = with(m.posts, a.Qp, m.posts[a.Qp]+1)
	m.postsOf = slices.Clone(m.postsOf)
	m.postsOf[a.Qp][a.Request.Op]++
	return m
}

func (m Moment) polled(function int, results []model.Completion) Moment {
	m.delivered = slices.Clone(m.delivered)
	for _, c := range results {
		ids := &m.delivered[c.Qp][c.Queue]
		*ids = add(*ids, c.Request)
		if c.Token != model.NoToken {
			m.fetched[function] |= 1 << c.Token
		}
	}
	return m
}

func appendNumbers(key []byte, numbers ...int) []byte {
	for _, n := range numbers {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return key
}
