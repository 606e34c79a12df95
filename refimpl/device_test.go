package refimpl

import (
	"slices"
	"testing"

	"ndkoracle/ndk"
)

const (
	silent      = ndk.NDK_OP_FLAG_SILENT_SUCCESS
	remoteRead  = ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ
	remoteWrite = ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE
)

// RES-01, RES-02, RES-04, RES-05, POLL-05: a message's bytes arrive, scattered over the receive's buffers, and both
// completions tell of it.
func TestSendReceive(t *testing.T) {
	r := newRig(t, Options{Seed: 1})
	sgl := slices.Concat(r.right.sge(0, 3), r.right.sge(100, 0), r.right.sge(200, 100))
	r.want(r.right.qp.NdkReceive("receive", sgl), success)
	clear(sgl) // the list, unlike the memory, is free on return
	r.left.send("send", "hello world", 0)
	received := r.right.outcomes(outcome{"receive", success})[0]
	if got := string(r.right.buffer[:3]) + string(r.right.buffer[200:208]); got != "hello world" {
		t.Errorf("received %q", got)
	}
	if received.BytesTransferred != 11 || received.Type != ndk.NdkOperationTypeReceive || received.QPContext != "qp" ||
		received.ProviderErrorCode != 0 {
		t.Errorf("receive completion %+v", received)
	}
	if sent := r.left.outcomes(outcome{"send", success})[0]; sent.Type != ndk.NdkOperationTypeSend {
		t.Errorf("send completion %+v", sent)
	}
}

// A send waits for a receive: without one the provider is at rest, and with one both complete (DEF-04).
func TestSendWaitsForReceive(t *testing.T) {
	r := newRig(t, Options{})
	r.left.send("send", "late", 0)
	r.left.outcomes()
	r.right.receive("receive", 0, 16)
	r.left.outcomes(outcome{"send", success})
	r.right.outcomes(outcome{"receive", success})
}

// FLAG-07: the buffer of an inline request is free on return, and its token is ignored. FLAG-05: its size is limited.
func TestInline(t *testing.T) {
	r := newRig(t, Options{})
	data := []byte("inline")
	sgl := make([]ndk.Sge, 0, 6) // more than MaxInitiatorRequestSge
	for i := range data {
		sgl = append(sgl, ndk.Sge{Buffer: data[i : i+1], MemoryRegionToken: 0xBAD})
	}
	r.want(r.left.qp.NdkSend("send", sgl, ndk.NDK_OP_FLAG_INLINE), success)
	copy(data, "XXXXXX")
	sgl[0].Buffer = nil
	r.right.receive("receive", 0, 16)
	r.settle()
	if got := string(r.right.buffer[:6]); got != "inline" {
		t.Errorf("received %q", got)
	}
	r.want(r.left.qp.NdkSend("send", r.left.sge(0, 65), ndk.NDK_OP_FLAG_INLINE), ndk.STATUS_INVALID_PARAMETER)
	r.left.outcomes(outcome{"send", success})

	address := ndk.VirtualAddress(r.right.buffer)
	r.want(r.left.qp.NdkWrite("write", []ndk.Sge{{Buffer: []byte("written")}}, address, r.right.token,
		ndk.NDK_OP_FLAG_INLINE), success)
	r.left.outcomes(outcome{"write", success})
	if got := string(r.right.buffer[:7]); got != "written" {
		t.Errorf("wrote %q", got)
	}
}

// NdkRead and NdkWrite reach the peer's memory by token and address, and nothing completes at the peer. FLAG-04: what
// comes after a read with NDK_OP_FLAG_READ_FENCE finds the bytes read.
func TestReadWrite(t *testing.T) {
	r := newRig(t, Options{})
	address := ndk.VirtualAddress(r.right.buffer)
	copy(r.left.buffer, "to the peer")
	r.want(r.left.qp.NdkWrite("write", r.left.sge(0, 11), address+7, r.right.token, silent), success)
	r.want(r.left.qp.NdkRead("read", r.left.sge(100, 4), address+14, r.right.token, 0), success)
	r.right.receive("receive", 64, 16)
	r.want(r.left.qp.NdkSend("send", r.left.sge(100, 4), ndk.NDK_OP_FLAG_READ_FENCE), success)
	r.left.outcomes(outcome{"read", success}, outcome{"send", success})
	r.right.outcomes(outcome{"receive", success})
	if got := string(r.right.buffer[7:18]); got != "to the peer" {
		t.Errorf("wrote %q", got)
	}
	if got := string(r.right.buffer[64:68]); got != "peer" {
		t.Errorf("read and sent %q", got)
	}
}

// fastRegister gives the side's peers the memory of buffer, and returns the Mr.
func (s *side) fastRegister(buffer []byte, flags ndk.OpFlags) ndk.Mr {
	s.rig.t.Helper()
	mr, status := s.rig.pd.NdkCreateMr(true)
	s.rig.want(status, success)
	s.rig.want(s.qp.NdkFastRegister("register", mr, buffer, flags), success)
	return mr
}

// MEM-05, INV-08: a fast registration's token is there on return, works when it completed, and no more when
// invalidated. POST-15: a read without access fails with STATUS_REMOTE_RESOURCES.
func TestFastRegisterAndInvalidate(t *testing.T) {
	r := newRig(t, Options{})
	memory := []byte("registered")
	mr := r.right.fastRegister(memory, remoteRead)
	token := mr.RemoteToken()
	if token == 0 {
		t.Fatal("no token on return")
	}
	r.right.outcomes(outcome{"register", success})
	read := func() {
		r.want(r.left.qp.NdkRead("read", r.left.sge(0, 10), ndk.VirtualAddress(memory), token, 0), success)
	}
	read()
	r.left.outcomes(outcome{"read", success})
	if got := string(r.left.buffer[:10]); got != "registered" {
		t.Errorf("read %q", got)
	}
	r.want(r.right.qp.NdkInvalidate("invalidate", mr, 0), success)
	r.right.outcomes(outcome{"invalidate", success})
	r.want(r.right.qp.NdkFastRegister("again", mr, memory, remoteRead), success)
	r.right.outcomes(outcome{"again", success})
	if mr.RemoteToken() == token {
		t.Error("a token came back to life")
	}
	read()
	r.left.outcomes(outcome{"read", ndk.STATUS_REMOTE_RESOURCES})
}

// MEM-17, INV-08: the same for a window. MEM-15, MEM-16: a window outside its Mr, or with more rights, fails.
func TestBind(t *testing.T) {
	r := newRig(t, Options{})
	newWindow := func() ndk.Mw {
		mw, status := r.pd.NdkCreateMw()
		r.want(status, success)
		return mw
	}
	mw := newWindow()
	window := r.right.buffer[100:200]
	r.want(r.right.qp.NdkBind("bind", r.right.mr, mw, window, remoteWrite), success)
	token := mw.RemoteToken()
	write := func(offset, n int) {
		address := ndk.VirtualAddress(r.right.buffer) + uint64(offset)
		r.want(r.left.qp.NdkWrite("write", r.left.sge(0, n), address, token, 0), success)
	}
	r.right.outcomes(outcome{"bind", success})
	copy(r.left.buffer, "through the window")
	write(100, 18)
	r.left.outcomes(outcome{"write", success})
	if got := string(r.right.buffer[100:118]); got != "through the window" {
		t.Errorf("wrote %q", got)
	}
	r.want(r.right.qp.NdkInvalidate("invalidate", mw, 0), success)
	r.right.outcomes(outcome{"invalidate", success})
	write(100, 18)
	r.left.outcomes(outcome{"write", ndk.STATUS_REMOTE_RESOURCES})

	outside := newRig(t, Options{})
	foreign, status := outside.pd.NdkCreateMw()
	outside.want(status, success)
	outside.want(outside.right.qp.NdkBind("bind", outside.right.mr, foreign, make([]byte, 8), remoteRead), success)
	outside.right.outcomes(outcome{"bind", ndk.STATUS_ACCESS_VIOLATION})

	r = newRig(t, Options{})
	readOnly, _ := r.register(make([]byte, 64), remoteRead)
	w := newWindow()
	r.want(r.right.qp.NdkBind("bind", readOnly, w, readOnly.(*mr).current.memory, remoteWrite), success)
	r.right.outcomes(outcome{"bind", ndk.STATUS_ACCESS_VIOLATION})
}

// A registration that was cancelled leaves a dead token: its invalidation fails as of any other (POLL-08).
func TestCancelledRegistration(t *testing.T) {
	r := newRig(t, Options{Choose: only(InvalidateFailsInline)})
	mr := r.left.fastRegister(make([]byte, 8), remoteRead|deferred)
	r.left.qp.NdkFlush()
	r.left.outcomes(outcome{"register", ndk.STATUS_CANCELLED})
	r.want(r.right.qp.NdkInvalidate("invalidate", mr, 0), ndk.STATUS_ACCESS_VIOLATION)
}

// RES-02, RES-03, RES-09, POLL-07: NdkSendAndInvalidate makes the token invalid, whichever poll fetches the completion,
// and NdkGetCqResultsEx tells which. POLL-08, A8: a later NdkInvalidate fails, inline or in its completion.
func TestSendAndInvalidate(t *testing.T) {
	for _, plain := range []bool{false, true} {
		for _, inline := range []bool{false, true} {
			choose := only()
			if inline {
				choose = only(InvalidateFailsInline)
			}
			r := newRig(t, Options{Choose: choose})
			mr := r.right.fastRegister(make([]byte, 8), remoteRead)
			r.right.outcomes(outcome{"register", success})
			r.right.receive("receive", 0, 16)
			r.want(r.left.qp.NdkSendAndInvalidate("send", r.left.write("x"), 0, mr.RemoteToken()), success)
			if sent := r.left.outcomes(outcome{"send", success})[0]; sent.Type != ndk.NdkOperationTypeSend {
				t.Errorf("send completion %+v", sent)
			}
			if plain {
				if n := r.right.cq.NdkGetCqResults(make([]ndk.Result, 1)); n != 1 {
					t.Fatal("not to be had by NdkGetCqResults")
				}
			} else {
				received := r.right.outcomes(outcome{"receive", success})[0]
				if received.Type != ndk.NdkOperationTypeReceiveAndInvalidate ||
					received.TypeSpecificCompletionOutput != uint64(mr.RemoteToken()) {
					t.Errorf("receive completion %+v", received)
				}
			}
			status := r.right.qp.NdkInvalidate("invalidate", mr, 0)
			if inline {
				r.want(status, ndk.STATUS_ACCESS_VIOLATION)
				r.right.outcomes()
			} else {
				r.want(status, success)
				r.right.outcomes(outcome{"invalidate", ndk.STATUS_ACCESS_VIOLATION})
			}
		}
	}
}

// INV-05: a token that is none, is invalid, or was made by NdkRegisterMr aborts the connection: no receive succeeds, and
// all that waits at both sides is cancelled.
func TestBadTokenAborts(t *testing.T) {
	for _, sendFails := range []bool{false, true} {
		choose, status := only(), success
		if sendFails {
			choose, status = only(AbortedSendFails), ndk.STATUS_CONNECTION_ABORTED
		}
		for _, known := range []bool{false, true} {
			r := newRig(t, Options{Choose: choose})
			token := ndk.Token(0xBAD)
			if known {
				token = r.right.token
			}
			r.left.receive("left", 0, 16)
			r.right.receive("right 1", 0, 16)
			r.right.receive("right 2", 16, 16)
			r.want(r.left.qp.NdkSendAndInvalidate("send", r.left.write("x"), 0, token), success)
			r.settle()
			r.right.outcomes(outcome{"right 1", ndk.STATUS_CANCELLED}, outcome{"right 2", ndk.STATUS_CANCELLED})
			got := r.left.drain()
			slices.SortFunc(got, func(a, b ndk.ResultEx) int { return int(b.Type) - int(a.Type) })
			if len(got) != 2 || got[0].Status != status || got[1].Status != ndk.STATUS_CANCELLED {
				t.Errorf("%+v", got)
			}
		}
	}
}

// INV-01: a read with RDMA_READ_LOCAL_INVALIDATE makes the token of its first buffer invalid.
func TestReadLocalInvalidate(t *testing.T) {
	r := newRig(t, Options{Choose: only(InvalidateFailsInline)})
	sink := make([]byte, 8)
	mr := r.left.fastRegister(sink, ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE|ndk.NDK_OP_FLAG_RDMA_READ_SINK)
	copy(r.right.buffer, "8 bytes!")
	r.want(r.left.qp.NdkRead("read", []ndk.Sge{{Buffer: sink, MemoryRegionToken: mr.NdkGetLocalTokenFromMr()}},
		ndk.VirtualAddress(r.right.buffer), r.right.token, ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE), success)
	r.left.outcomes(outcome{"register", success}, outcome{"read", success})
	if string(sink) != "8 bytes!" {
		t.Errorf("read %q", sink)
	}
	r.want(r.left.qp.NdkInvalidate("invalidate", mr, 0), ndk.STATUS_ACCESS_VIOLATION)
}

// Requests fail for a reason, and a failed request breaks the QP: what follows in both queues is cancelled (RES-10).
// FLAG-02: also where success would have been silent.
func TestFailures(t *testing.T) {
	const lost, violation = ndk.STATUS_REMOTE_RESOURCES, ndk.STATUS_ACCESS_VIOLATION
	address := func(r *rig) uint64 { return ndk.VirtualAddress(r.right.buffer) }
	bad := func(s *side) []ndk.Sge { return []ndk.Sge{{Buffer: s.buffer[:8], MemoryRegionToken: 0xBAD}} }
	for name, c := range map[string]struct {
		fail        func(r *rig) ndk.Status
		left, right ndk.Status // of the failing request, and of the peer's receive; success: none completes
	}{
		"message larger than the receive": {func(r *rig) ndk.Status {
			r.right.receive("peer", 0, 7)
			return r.left.qp.NdkSend("fails", r.left.sge(0, 8), silent)
		}, lost, ndk.STATUS_BUFFER_TOO_SMALL},
		"receive with a bad token": {func(r *rig) ndk.Status {
			r.want(r.right.qp.NdkReceive("peer", bad(r.right)), success)
			return r.left.qp.NdkSend("fails", r.left.sge(0, 8), silent)
		}, lost, violation},
		"send with a bad token": {func(r *rig) ndk.Status {
			return r.left.qp.NdkSend("fails", bad(r.left), silent)
		}, violation, success},
		"write with a bad local token": {func(r *rig) ndk.Status {
			return r.left.qp.NdkWrite("fails", bad(r.left), address(r), r.right.token, silent)
		}, violation, success},
		"read with a bad local token": {func(r *rig) ndk.Status {
			return r.left.qp.NdkRead("fails", bad(r.left), address(r), r.right.token, silent)
		}, violation, success},
		"send with a token of another PD": {func(r *rig) ndk.Status {
			memory := make([]byte, 8)
			mr := must(must(r.adapter.NdkCreatePd()).NdkCreateMr(false))
			r.want(mr.NdkRegisterMr(memory, remoteRead), success)
			sgl := []ndk.Sge{{Buffer: memory, MemoryRegionToken: mr.RemoteToken()}}
			return r.left.qp.NdkSend("fails", sgl, silent)
		}, violation, success},
		"read with a bad remote token": {func(r *rig) ndk.Status {
			return r.left.qp.NdkRead("fails", r.left.sge(0, 8), address(r), 0xBAD, silent)
		}, lost, success},
		"write past the remote memory": {func(r *rig) ndk.Status {
			return r.left.qp.NdkWrite("fails", r.left.sge(0, 8), address(r)+4089, r.right.token, silent)
		}, lost, success},
		"write before the remote memory": {func(r *rig) ndk.Status {
			return r.left.qp.NdkWrite("fails", r.left.sge(0, 8), address(r)-1, r.right.token, silent)
		}, lost, success},
		"write where only reading is allowed": {func(r *rig) ndk.Status {
			memory := make([]byte, 8)
			_, token := r.register(memory, remoteRead)
			return r.left.qp.NdkWrite("fails", r.left.sge(0, 8), ndk.VirtualAddress(memory), token, silent)
		}, lost, success},
		"registration of a valid token": {func(r *rig) ndk.Status {
			mr, status := r.pd.NdkCreateMr(true)
			r.want(status, success)
			r.want(r.left.qp.NdkFastRegister("before", mr, r.left.buffer, silent), success)
			return r.left.qp.NdkFastRegister("fails", mr, r.left.buffer, silent)
		}, violation, success},
		"send to a peer that is gone": {func(r *rig) ndk.Status {
			r.right.qp.NdkFlush()
			return r.left.qp.NdkSend("fails", r.left.sge(0, 8), silent)
		}, ndk.STATUS_CONNECTION_ABORTED, success},
		"write to a peer that is gone": {func(r *rig) ndk.Status {
			r.right.qp.NdkFlush()
			return r.left.qp.NdkWrite("fails", r.left.sge(0, 8), address(r), r.right.token, silent)
		}, ndk.STATUS_CONNECTION_ABORTED, success},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Choose: only()})
			r.left.receive("left", 512, 16)
			r.want(c.fail(r), success)
			r.left.send("follows", "x", 0)
			results := r.left.drain()
			slices.SortFunc(results, func(a, b ndk.ResultEx) int { return int(b.Type&1) - int(a.Type&1) })
			var got []outcome
			for _, result := range results {
				got = append(got, outcome{result.RequestContext, result.Status})
			}
			want := []outcome{{"left", ndk.STATUS_CANCELLED}, {"fails", c.left}, {"follows", ndk.STATUS_CANCELLED}}
			if !slices.Equal(got, want) {
				t.Errorf("completions %v, want %v", got, want)
			}
			if c.right == success {
				r.right.outcomes()
			} else {
				r.right.outcomes(outcome{"peer", c.right})
			}
		})
	}
}

// FLAG-01: silent success leaves no completion, at every operation that takes the flag.
func TestSilentSuccess(t *testing.T) {
	r := newRig(t, Options{})
	mr := r.left.fastRegister(make([]byte, 8), silent|remoteRead)
	mw, status := r.pd.NdkCreateMw()
	r.want(status, success)
	address := ndk.VirtualAddress(r.right.buffer)
	r.right.receive("receive", 0, 16)
	r.want(r.left.qp.NdkBind("bind", r.left.mr, mw, r.left.buffer[:8], silent|remoteRead), success)
	r.want(r.left.qp.NdkInvalidate("invalidate", mr, silent), success)
	r.want(r.left.qp.NdkRead("read", r.left.sge(0, 8), address, r.right.token, silent), success)
	r.want(r.left.qp.NdkWrite("write", r.left.sge(0, 8), address, r.right.token, silent), success)
	r.left.send("send", "x", silent)
	r.left.outcomes()
	r.right.outcomes(outcome{"receive", success})
}

// POLL-09: a queue completes in posting order; of the two queues of a CQ either may come first. DEF-04: executing may
// run ahead of completing.
func TestOrder(t *testing.T) {
	for _, choose := range []func(May) bool{
		nil, only(), only(ReceiveBeforeSend), only(InitiatorQueueFirst), only(ExecuteAhead), only(CompleteBeforeReturn),
	} {
		r := newRig(t, Options{Seed: 7, Choose: choose})
		for i := range 20 {
			r.right.receive(i, 0, 16)
			r.left.receive(100+i, 0, 16)
		}
		for i := range 20 {
			r.left.send(i, "x", 0)
			r.right.send(100+i, "x", 0)
		}
		for _, s := range []*side{r.left, r.right} {
			var low, high []int
			for _, result := range s.drain() {
				if context := result.RequestContext.(int); context < 100 {
					low = append(low, context)
				} else {
					high = append(high, context)
				}
			}
			if len(low) != 20 || len(high) != 20 || !slices.IsSorted(low) || !slices.IsSorted(high) {
				t.Errorf("completions out of order: %v, %v", low, high)
			}
		}
	}
}
