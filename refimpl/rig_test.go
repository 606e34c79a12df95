package refimpl

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ndkoracle/ndk"
)

const patience = 10 * time.Second

// rig is two connected QPs, each with one CQ for both of its queues and one registered buffer.
type rig struct {
	t           *testing.T
	adapter     ndk.Adapter
	pd          ndk.Pd
	left, right *side
}

type side struct {
	rig    *rig
	qp     ndk.Qp
	cq     ndk.Cq
	notes  *notes
	buffer []byte
	mr     ndk.Mr
	token  ndk.Token

	written int
}

// notes keeps the CqStatus of each callback in the order of entry, and runs inside, if any, in each.
type notes struct {
	mu       sync.Mutex
	statuses []ndk.Status
	inside   func(cq ndk.Cq)
}

func (n *notes) Enter(cq ndk.Cq, cqStatus ndk.Status) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.statuses = append(n.statuses, cqStatus)
	inside := n.inside
	return func() {
		if inside != nil {
			inside(cq)
		}
	}
}

func (n *notes) do(inside func(cq ndk.Cq)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inside = inside
}

func (n *notes) seen() []ndk.Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.statuses)
}

// only is a Choose that says yes to the listed choices.
func only(choices ...May) func(May) bool {
	return func(choice May) bool { return slices.Contains(choices, choice) }
}

const testDepth = 64

func newRig(t *testing.T, o Options) *rig { return newRigOfDepth(t, o, testDepth) }

func newRigOfDepth(t *testing.T, o Options, cqDepth uint32) *rig {
	t.Helper()
	r := &rig{t: t, adapter: Open(o)}
	t.Cleanup(r.adapter.NdkCloseAdapter)
	var status ndk.Status
	r.pd, status = r.adapter.NdkCreatePd()
	r.want(status, ndk.STATUS_SUCCESS)
	r.left, r.right = r.newSide(cqDepth), r.newSide(cqDepth)
	r.connect(r.left, r.right)
	return r
}

func (r *rig) newSide(cqDepth uint32) *side {
	r.t.Helper()
	s := &side{rig: r, notes: &notes{}, buffer: make([]byte, 4096)}
	var status ndk.Status
	s.cq, status = r.adapter.NdkCreateCq(cqDepth, s.notes)
	r.want(status, ndk.STATUS_SUCCESS)
	s.qp = r.newQp(s.cq, s.cq)
	s.mr, s.token = r.register(s.buffer, ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ|ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE)
	return s
}

func (r *rig) newQp(receive, initiator ndk.Cq) ndk.Qp {
	r.t.Helper()
	qp, status := r.pd.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: receive, InitiatorCq: initiator, QPContext: "qp", InlineDataSize: 64,
		ReceiveQueueDepth: testDepth, InitiatorQueueDepth: testDepth, MaxReceiveRequestSge: 4, MaxInitiatorRequestSge: 4,
	})
	r.want(status, ndk.STATUS_SUCCESS)
	return qp
}

func (r *rig) register(buffer []byte, flags ndk.OpFlags) (ndk.Mr, ndk.Token) {
	r.t.Helper()
	mr, status := r.pd.NdkCreateMr(false)
	r.want(status, ndk.STATUS_SUCCESS)
	r.want(mr.NdkRegisterMr(buffer, flags), ndk.STATUS_SUCCESS)
	return mr, mr.NdkGetLocalTokenFromMr()
}

func (r *rig) connect(a, b *side) {
	r.t.Helper()
	accepted := make(chan ndk.Status)
	go func() { accepted <- r.adapter.NdkAccept(b.qp, "address") }()
	r.want(r.adapter.NdkConnect(a.qp, "address"), ndk.STATUS_SUCCESS)
	r.want(<-accepted, ndk.STATUS_SUCCESS)
}

func (r *rig) want(got, want ndk.Status) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("got %v, want %v", got, want)
	}
}

func (r *rig) settle() {
	r.t.Helper()
	if !r.adapter.(Quiescer).Quiesce(patience) {
		r.t.Fatal("the provider does not come to rest")
	}
}

// sge is n bytes of the side's buffer, from offset.
func (s *side) sge(offset, n int) []ndk.Sge {
	return []ndk.Sge{{Buffer: s.buffer[offset : offset+n], MemoryRegionToken: s.token}}
}

// write puts text where no other request in flight has its data: one of 32 places in the last half of the buffer.
func (s *side) write(text string) []ndk.Sge {
	offset := 2048 + s.written%32*64
	s.written++
	return s.sge(offset, copy(s.buffer[offset:offset+64], text))
}

func (s *side) send(context any, text string, flags ndk.OpFlags) {
	s.rig.t.Helper()
	s.rig.want(s.qp.NdkSend(context, s.write(text), flags), ndk.STATUS_SUCCESS)
}

func (s *side) receive(context any, offset, n int) {
	s.rig.t.Helper()
	s.rig.want(s.qp.NdkReceive(context, s.sge(offset, n)), ndk.STATUS_SUCCESS)
}

// deliver completes one receive at the side, solicited or not, with nothing left at the other.
func (s *side) deliver(flags ndk.OpFlags) {
	s.rig.t.Helper()
	other := s.rig.left
	if other == s {
		other = s.rig.right
	}
	s.receive("receive", 1024, 16)
	other.send("send", "x", flags|ndk.NDK_OP_FLAG_SILENT_SUCCESS)
	s.rig.settle()
}

func (s *side) hold(n int) {
	s.rig.t.Helper()
	s.rig.settle()
	s.rig.adapter.(*adapter).mu.Lock()
	defer s.rig.adapter.(*adapter).mu.Unlock()
	if got := len(s.cq.(*cq).entries); got != n {
		s.rig.t.Fatalf("the CQ holds %d completions, want %d", got, n)
	}
}

// drain polls to empty.
func (s *side) drain() []ndk.ResultEx {
	s.rig.settle()
	return drain(s.cq)
}

func drain(cq ndk.Cq) (all []ndk.ResultEx) {
	batch := make([]ndk.ResultEx, 8)
	for {
		n := cq.NdkGetCqResultsEx(batch)
		if n == 0 {
			return all
		}
		all = append(all, batch[:n]...)
	}
}

// outcome is what most tests want to know of a completion.
type outcome struct {
	context any
	status  ndk.Status
}

func (s *side) outcomes(want ...outcome) []ndk.ResultEx {
	s.rig.t.Helper()
	results := s.drain()
	var got []outcome
	for _, r := range results {
		got = append(got, outcome{r.RequestContext, r.Status})
	}
	if !slices.Equal(got, want) {
		s.rig.t.Fatalf("completions %v, want %v", got, want)
	}
	return results
}

func (s *side) callbacks(want ...ndk.Status) {
	s.rig.t.Helper()
	s.rig.settle()
	if got := s.notes.seen(); !slices.Equal(got, want) {
		s.rig.t.Fatalf("callbacks %v, want %v", got, want)
	}
}

// TestMain fails the run when the closed adapters of all tests left a goroutine (LIFE-14).
func TestMain(m *testing.M) {
	code := m.Run()
	if left := goroutinesLeft(); left != "" {
		fmt.Printf("goroutines left:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft returns the stacks of the providers' goroutines. Those that have given their last sign of life get time
// to be gone.
func goroutinesLeft() string {
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		left := ""
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "sync.(*WaitGroup).Go") {
				left += stack + "\n\n"
			}
		}
		if left == "" || time.Now().After(deadline) {
			return left
		}
	}
}
