package hwbinding

import (
	"slices"
	"testing"

	"ndkoracle/ndk"
)

func requests(silent ...bool) []*request {
	var list []*request
	for i, s := range silent {
		list = append(list, &request{id: uint64(i + 1), silent: s})
	}
	return list
}

func addAll(w *workQueue, list []*request) {
	for _, r := range list {
		w.add(r)
	}
}

func ids(list []*request) []uint64 {
	got := []uint64{}
	for _, r := range list {
		got = append(got, r.id)
	}
	return got
}

func expect(t *testing.T, what string, got []*request, want ...uint64) {
	t.Helper()
	if !slices.Equal(ids(got), want) {
		t.Errorf("%s: requests %v, want %v", what, ids(got), want)
	}
}

// Of silent requests one in each half of the queue is signalled, so that the device's queue never stays full, and
// succeeds in silence all the same (FLAG-01).
func TestSilentRequests(t *testing.T) {
	w := workQueue{depth: 8}
	list := requests(true, true, true, true, true, true)
	addAll(&w, list)
	signalled := []bool{}
	for _, r := range w.chain() {
		signalled = append(signalled, r.signalled)
	}
	if !slices.Equal(signalled, []bool{false, false, false, true, false, false}) {
		t.Errorf("signalled: %v", signalled)
	}
	w.posted(6)
	if w.unmarked != 2 {
		t.Errorf("%d requests are behind the last signalled one, want 2", w.unmarked)
	}
	expect(t, "a silent success", w.complete(list[3]))
	if w.count() != 2 {
		t.Errorf("%d requests are left, want 2", w.count())
	}
	list[5].Status = ndk.STATUS_CANCELLED
	expect(t, "a silent failure (FLAG-02)", w.complete(list[5]), 6)
	if w.count() != 0 {
		t.Errorf("%d requests are left, want none", w.count())
	}
	for depth := 1; depth < 4; depth++ {
		w := workQueue{depth: depth}
		addAll(&w, requests(true))
		if depth < 4 && !w.chain()[0].signalled {
			t.Errorf("depth %d: a silent request would keep half the queue for good", depth)
		}
	}
}

// Requests that the device refused after they were accepted complete in their place, behind those that it has (POLL-09).
func TestEndedRequestsWait(t *testing.T) {
	w := workQueue{depth: 8}
	list := requests(false, true, false, false)
	addAll(&w, list)
	w.chain()
	w.posted(2)
	w.endDeferred(ndk.STATUS_INSUFFICIENT_RESOURCES)
	expect(t, "before the device is done", w.settle())
	marker := &request{id: 9, marker: true, silent: true, signalled: true}
	w.addMarker(marker)
	if !slices.Equal(ids(w.requests), []uint64{1, 2, 3, 4, 9}) {
		t.Errorf("order %v", ids(w.requests))
	}
	expect(t, "the signalled one", w.complete(list[0]), 1)
	expect(t, "the marker, after which the silent one is known to be done", w.complete(marker), 3, 4)
	if list[2].Status != ndk.STATUS_INSUFFICIENT_RESOURCES || list[3].Status != ndk.STATUS_CANCELLED {
		t.Errorf("statuses %v, %v", list[2].Status, list[3].Status)
	}
}

// A marker comes before requests that the device does not have yet.
func TestMarkerBeforeDeferred(t *testing.T) {
	w := workQueue{depth: 8}
	addAll(&w, requests(true, false))
	w.chain()
	w.posted(1)
	w.addMarker(&request{id: 9, marker: true, silent: true, signalled: true})
	if !slices.Equal(ids(w.requests), []uint64{1, 9, 2}) || w.deferred != 1 || w.unmarked != 0 {
		t.Errorf("order %v, %d deferred, %d unmarked", ids(w.requests), w.deferred, w.unmarked)
	}
	if w.full() || w.count() != 2 {
		t.Errorf("the marker counts: %d", w.count())
	}
}

// Sends that wait for a receive, and what is behind them, are not awaited (Quiesce).
func TestAwaited(t *testing.T) {
	w := workQueue{depth: 8}
	list := requests(false, false, false)
	list[1].message = &message{}
	addAll(&w, list)
	if w.awaited(0) {
		t.Error("deferred requests are awaited")
	}
	w.chain()
	w.posted(3)
	if !w.awaited(1) {
		t.Error("the request before the waiting send is not awaited")
	}
	w.complete(list[0])
	if w.awaited(1) || !w.awaited(0) {
		t.Error("the waiting send counts where it waits, or not where it does not")
	}
	list[1].doomed = true
	if !w.awaited(1) {
		t.Error("a send with a bad local token, which fails without a receive, is not awaited")
	}
}
