package refimpl

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ndkoracle/ndk"
)

// posting is the RequestContext of the stress test: what was posted, and what became of it.
type posting struct {
	queue       string // of one QP
	number      int    // in its queue
	silent      bool
	accepted    bool
	completions atomic.Int32
	status      ndk.Status
}

// consumer keeps the rules of a CQ's consumer: it drains the CQ and arms it again, in the callback alone, but for a
// thread that drains it now and then.
type consumer struct {
	t         *testing.T
	mu        sync.Mutex // serialises polls and arms (POLL-01)
	cq        ndk.Cq
	inside    atomic.Int32
	arms      atomic.Int64
	callbacks atomic.Int64
	last      map[string]int
}

func (c *consumer) Enter(ndk.Cq, ndk.Status) func() {
	if c.inside.Add(1) != 1 {
		c.t.Error("callbacks overlap (ARM-06)")
	}
	c.callbacks.Add(1)
	return func() {
		c.drain(true)
		c.inside.Add(-1)
	}
}

func (c *consumer) drain(arm bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, result := range drain(c.cq) {
		p := result.RequestContext.(*posting)
		p.completions.Add(1)
		p.status = result.Status
		if p.number <= c.last[p.queue] {
			c.t.Errorf("%s: request %d completes after %d (POLL-09)", p.queue, p.number, c.last[p.queue])
		}
		c.last[p.queue] = p.number
	}
	if arm {
		c.arms.Add(1)
		c.cq.NdkArmCq(ndk.NDK_CQ_NOTIFY_ANY)
	}
}

// Several threads on several QPs that share CQs. A consumer that drains and arms in its callback alone finds every
// completion (ARM-03, ARM-04); each accepted request completes once, unless silent and successful, and a refused one
// never (DEF-03, DEF-04, DEF-05, POLL-04, FLAG-01, FLAG-02, FLUSH-02).
func TestStress(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { stress(t, seed) })
	}
}

func stress(t *testing.T, seed uint64) {
	r := &rig{t: t, adapter: Open(Options{
		Seed:   seed,
		Refuse: func(n uint64) bool { return rand.New(rand.NewPCG(seed, n)).IntN(16) == 0 },
	})}
	t.Cleanup(r.adapter.NdkCloseAdapter)
	r.pd = must(r.adapter.NdkCreatePd())
	consumers := make([]*consumer, 3)
	for i := range consumers {
		c := &consumer{t: t, last: make(map[string]int)}
		c.mu.Lock() // a callback may come before the CQ is known
		c.cq = must(r.adapter.NdkCreateCq(4096, c))
		c.mu.Unlock()
		c.drain(true)
		consumers[i] = c
	}
	var sides []*side
	var all [][]*posting
	for i := range 4 {
		s := &side{rig: r, cq: consumers[i%3].cq, buffer: make([]byte, 4096)}
		s.qp = r.newQp(consumers[i%3].cq, consumers[i%2].cq)
		s.mr, s.token = r.register(s.buffer, remoteRead|remoteWrite)
		sides = append(sides, s)
	}
	r.connect(sides[0], sides[1])
	r.connect(sides[2], sides[3])

	var threads sync.WaitGroup
	var mu sync.Mutex
	run := func(thread func() []*posting) {
		threads.Go(func() {
			postings := thread()
			mu.Lock()
			defer mu.Unlock()
			all = append(all, postings)
		})
	}
	for i, s := range sides {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		run(func() []*posting { return s.postInitiator(fmt.Sprint("initiator ", i), random, sides[i^1]) })
		run(func() []*posting { return s.postReceives(fmt.Sprint("receive ", i)) })
	}
	threads.Go(func() {
		for range 50 {
			consumers[0].drain(false)
			runtime.Gosched()
		}
	})
	threads.Wait()
	r.settle()
	for i, c := range consumers {
		if got := len(drain(c.cq)); got != 0 {
			t.Errorf("CQ %d: %d completions and no callback (ARM-03, ARM-04)", i, got)
		}
	}
	for _, s := range sides {
		s.qp.NdkFlush()
	}
	r.settle()
	for i, c := range consumers {
		if c.callbacks.Load() > c.arms.Load() {
			t.Errorf("CQ %d: %d callbacks for %d arms (ARM-02)", i, c.callbacks.Load(), c.arms.Load())
		}
	}
	for _, postings := range all {
		for _, p := range postings {
			p.check(t)
		}
	}
}

func (p *posting) check(t *testing.T) {
	n := p.completions.Load()
	switch {
	case !p.accepted && n != 0:
		t.Errorf("%s: refused request %d completed (DEF-03)", p.queue, p.number)
	case p.accepted && p.silent && n == 1 && p.status == success:
		t.Errorf("%s: silent request %d completed with success (FLAG-01)", p.queue, p.number)
	case p.accepted && (n > 1 || n == 0 && !p.silent):
		t.Errorf("%s: request %d completed %d times (DEF-04, POLL-04)", p.queue, p.number, n)
	}
}

const postsPerThread = 300

func (s *side) postReceives(queue string) (postings []*posting) {
	for i := range postsPerThread {
		p := &posting{queue: queue, number: i + 1}
		postings = append(postings, p)
		status := s.qp.NdkReceive(p, s.sge(0, 64))
		p.accepted = status == success
		if !p.accepted {
			runtime.Gosched()
		}
	}
	return postings
}

// postInitiator posts a random mix of everything, in chains.
func (s *side) postInitiator(queue string, random *rand.Rand, peer *side) (postings []*posting) {
	address := ndk.VirtualAddress(peer.buffer)
	mr := must(s.rig.pd.NdkCreateMr(true))
	registered := false
	for i := range postsPerThread {
		p := &posting{queue: queue, number: i + 1}
		postings = append(postings, p)
		flags := []ndk.OpFlags{0, 0, silent, deferred, deferred | silent}[random.IntN(5)]
		p.silent = flags.Has(silent)
		var status ndk.Status
		switch random.IntN(6) {
		case 0, 1:
			status = s.qp.NdkSend(p, s.sge(2048, 8), flags|solicit)
		case 2:
			data := binary.LittleEndian.AppendUint64(nil, uint64(i))
			status = s.qp.NdkSend(p, []ndk.Sge{{Buffer: data}}, flags|ndk.NDK_OP_FLAG_INLINE)
		case 3:
			status = s.qp.NdkRead(p, s.sge(1024, 16), address+2048, peer.token, flags)
		case 4:
			status = s.qp.NdkWrite(p, s.sge(2048, 16), address+512, peer.token, flags)
		case 5:
			if registered {
				status = s.qp.NdkInvalidate(p, mr, flags)
			} else {
				status = s.qp.NdkFastRegister(p, mr, s.buffer, flags)
			}
			if status == success {
				registered = !registered
			}
		}
		p.accepted = status == success
	}
	end := &posting{queue: queue, number: postsPerThread + 1}
	end.accepted = s.qp.NdkWrite(end, nil, 0, 0, 0) == success // DEF-06; refused, it ends the chain too
	return append(postings, end)
}
