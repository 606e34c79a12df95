package refimpl

import (
	"slices"
	"sync"
	"testing"

	"ndkoracle/ndk"
)

// The same seed makes the same choices, another seed others, and each seed both.
func TestSeededChoices(t *testing.T) {
	draw := func(seed uint64) (drawn []bool) {
		a := Open(Options{Seed: seed}).(*adapter)
		for range 2 {
			p := a.newPolicy()
			for range 50 {
				drawn = append(drawn, p.may(SatisfyOnOldEntries))
			}
		}
		return drawn
	}
	one := draw(1)
	if !slices.Equal(one, draw(1)) {
		t.Error("the same seed made other choices")
	}
	if slices.Equal(one, draw(2)) {
		t.Error("another seed made the same choices")
	}
	if slices.Equal(one[:50], one[50:]) {
		t.Error("two objects make the same choices")
	}
	if !slices.Contains(one, true) || !slices.Contains(one, false) {
		t.Error("a seed always chooses the same")
	}
}

// Refuse is asked once at each initiator post, with their number, also for posts that fail for another reason.
func TestRefuseIsAsked(t *testing.T) {
	var mu sync.Mutex
	var asked []uint64
	r := newRig(t, Options{Refuse: func(n uint64) bool {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, n)
		return n == 1
	}})
	r.want(r.left.qp.NdkSend(0, nil, 0), success)
	r.want(r.right.qp.NdkWrite(0, nil, 0, 0, 0), ndk.STATUS_INSUFFICIENT_RESOURCES)
	r.want(r.left.qp.NdkReceive(0, nil), success)
	r.want(r.left.qp.NdkSend(0, nil, ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ), ndk.STATUS_INVALID_PARAMETER)
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(asked, []uint64{0, 1, 2}) {
		t.Errorf("asked for %v", asked)
	}
}
