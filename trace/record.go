package trace

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"ndkoracle/ndk"
)

// Record returns a view of a whose calls, and those of all objects made through it, are recorded on t at the level of NDKPI: the call before the
// provider is called, the return after it returned. A callback's enter is recorded in the provider's CqNotification.Enter. From that moment the
// provider treats the contents of the CQ as reported, so the header's side is "provider". If r is nil, Record returns a.
//
// On makes views of one object on other threads. The consumer gets its contexts back unchanged; the provider gets the recorder's contexts instead.
func Record(a ndk.Adapter, r *Recorder, t *Thread) ndk.Adapter {
	if r == nil {
		return a
	}
	return adapterView{&recordedAdapter{inner: a, recorder: r, id: "adapter1", last: map[string]int{}, pairs: map[string][]*pair{}}, t}
}

// On returns a view of a recorded object, an Adapter, Pd, Cq, Qp, Mr or Mw, whose calls are recorded on t. Each thread of the consumer calls through
// its own views. If the object is not recorded, or t is nil, On returns the object itself.
func On[T any](t *Thread, object T) T {
	if t == nil {
		return object
	}
	var view any
	switch o := any(object).(type) {
	case adapterView:
		view = adapterView{o.recordedAdapter, t}
	case pdView:
		view = pdView{o.recordedPd, t}
	case cqView:
		view = cqView{o.recordedCq, t}
	case qpView:
		view = qpView{o.recordedQp, t}
	case mrView:
		view = mrView{o.recordedMr, t}
	case mwView:
		view = mwView{o.recordedMw, t}
	default:
		return object
	}
	return view.(T)
}

// recordedAdapter is an adapter, and what recording it and its objects needs.
type recordedAdapter struct {
	inner    ndk.Adapter
	recorder *Recorder
	id       string

	posts atomic.Uint64
	mu    sync.Mutex
	last  map[string]int     // number of the newest id, by prefix
	pairs map[string][]*pair // connections of which a side is still free, by address
	conns idSet              // all that were given
}

type adapterView struct {
	*recordedAdapter
	thread *Thread
}

// newId returns an unused id: the prefix and a number. The prefix "?" marks an object of a faulty provider or consumer that the recorder does not
// know.
func (a *recordedAdapter) newId(prefix string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last[prefix]++
	return fmt.Sprintf("%s%d", prefix, a.last[prefix])
}

func (v adapterView) NdkQueryAdapterInfo() ndk.AdapterInfo {
	op := v.thread.Call(Event{Fn: "NdkQueryAdapterInfo", Adapter: v.id})
	info := v.inner.NdkQueryAdapterInfo()
	v.thread.Ret(op, Event{Fn: "NdkQueryAdapterInfo"})
	return info
}

func (v adapterView) NdkCreatePd() (ndk.Pd, ndk.Status) {
	id := v.newId("pd")
	op := v.thread.Call(Event{Fn: "NdkCreatePd", Pd: id, Adapter: v.id})
	inner, status := v.inner.NdkCreatePd()
	v.thread.Ret(op, Event{Fn: "NdkCreatePd", Status: status.String()})
	if inner == nil {
		return nil, status
	}
	return pdView{&recordedPd{v.recordedAdapter, inner, id}, v.thread}, status
}

func (v adapterView) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	cq := v.newRecordedCq()
	recorded := notification
	// A nil function is for the provider to refuse.
	if function, ok := notification.(ndk.NdkCqNotificationCallback); notification != nil && !(ok && function == nil) {
		recorded = recordedNotification{cq, notification}
	}
	entries := int64(depth)
	op := v.thread.Call(Event{Fn: "NdkCreateCq", Cq: cq.id, Depth: &entries, Adapter: v.id})
	inner, status := v.inner.NdkCreateCq(depth, recorded)
	v.thread.Ret(op, Event{Fn: "NdkCreateCq", Status: status.String()})
	if inner == nil {
		return nil, status
	}
	cq.inner = inner
	return cqView{cq, v.thread}, status
}

func (v adapterView) NdkConnect(qp ndk.Qp, address string) ndk.Status {
	return v.join("NdkConnect", connectSide, v.inner.NdkConnect, qp, address)
}

func (v adapterView) NdkAccept(qp ndk.Qp, address string) ndk.Status {
	return v.join("NdkAccept", acceptSide, v.inner.NdkAccept, qp, address)
}

func (v adapterView) join(fn string, s side, inner func(ndk.Qp, string) ndk.Status, qp ndk.Qp,
	address string) ndk.Status {
	innerQp, id := v.unwrapQp(qp)
	p := v.enterPair(address, s)
	op := v.thread.Call(Event{Fn: fn, Qp: id, Conn: p.conn})
	status := inner(innerQp, address)
	v.leavePair(address, p, s, status == ndk.STATUS_SUCCESS)
	v.thread.Ret(op, Event{Fn: fn, Status: status.String()})
	return status
}

func (v adapterView) NdkCloseAdapter() {
	op := v.thread.Call(Event{Fn: "NdkCloseAdapter", Adapter: v.id})
	v.inner.NdkCloseAdapter()
	v.thread.Ret(op, Event{Fn: "NdkCloseAdapter"})
}

// closing records a close and its completion. The provider gets a completion even where the consumer gave none, because
// the trace needs to know when the close completed.
func (a *recordedAdapter) closing(t *Thread, call Event, inner func(ndk.NdkCloseCompletion) ndk.Status,
	completion ndk.NdkCloseCompletion) ndk.Status {
	op := t.Call(call)
	status := inner(func() {
		own := a.recorder.callbackThread()
		defer a.recorder.giveBack(own)
		var entered Op
		if op != 0 {
			entered = own.Enter(Event{Fn: "NdkCloseCompletion", For: op.String()})
		}
		if completion != nil {
			completion()
		}
		own.Exit(entered, Event{Fn: "NdkCloseCompletion"})
	})
	t.Ret(op, Event{Fn: call.Fn, Status: status.String()})
	return status
}

// pair is a connection: the k-th NdkConnect and the k-th NdkAccept of one address, those that failed left out.
type pair struct {
	conn  string
	taken [2]bool
	done  [2]bool
}

// side is an index of pair's arrays.
type side int

const (
	connectSide side = iota
	acceptSide
)

func (a *recordedAdapter) enterPair(address string, s side) *pair {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.pairs[address] {
		if !p.taken[s] {
			p.taken[s] = true
			return p
		}
	}
	name := connName(address)
	conn := name
	for !a.conns.add(conn) {
		a.last["#"+name]++
		conn = fmt.Sprintf("%s#%d", name, a.last["#"+name]+1)
	}
	p := &pair{conn: conn}
	p.taken[s] = true
	a.pairs[address] = append(a.pairs[address], p)
	return p
}

// leavePair frees the side if the call failed, and drops the pair once no call can join it any more.
func (a *recordedAdapter) leavePair(address string, p *pair, s side, joined bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.taken[s], p.done[s] = joined, joined
	if p.taken != [2]bool{} && p.done != [2]bool{true, true} {
		return
	}
	rest := a.pairs[address][:0]
	for _, other := range a.pairs[address] {
		if other != p {
			rest = append(rest, other)
		}
	}
	a.pairs[address] = rest
	if len(rest) == 0 {
		delete(a.pairs, address)
	}
}

// connName makes an id of an address, which may be any text.
func connName(address string) string {
	name := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return '?'
		}
		return c
	}, address)
	if runes := []rune(name); len(runes) > maxId/2 {
		name = string(runes[:maxId/2])
	}
	if name == "" {
		name = "?"
	}
	return name
}
