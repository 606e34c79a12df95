package execprovider

import (
	"fmt"
	"maps"
	"time"

	"ndkoracle/ndk"
)

// newID names a new object.
func (a *Adapter) newID(prefix string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last[prefix]++
	return fmt.Sprintf("%s%d", prefix, a.last[prefix])
}

// NdkQueryAdapterInfo implements ndk.Adapter.
func (a *Adapter) NdkQueryAdapterInfo() ndk.AdapterInfo {
	i := a.info
	return ndk.AdapterInfo{VersionMajor: i.major, VersionMinor: i.minor, MaxCqDepth: i.CqDepth, MaxInitiatorQueueDepth: i.Initiator,
		MaxReceiveQueueDepth: i.Receive, MaxInlineDataSize: i.Inline, FastRegister: i.FastRegister, Bind: i.Bind, RemoteInvalidate: i.Invalidates}
}

// Describe returns the program's description of itself, for the header of a trace.
func (a *Adapter) Describe() map[string]string { return maps.Clone(a.info.Describe) }

// Quiesce asks the program whether it is at rest, until it is, and returns false when it is not within timeout.
func (a *Adapter) Quiesce(timeout time.Duration) bool {
	const longest = 20 * time.Millisecond
	deadline := time.Now().Add(timeout)
	for pause := time.Millisecond; ; pause = min(2*pause, longest) {
		var answer struct {
			Rest bool `json:"rest"`
		}
		if !a.ask("AtRest", params{}, &answer) {
			return false
		}
		if answer.Rest || time.Until(deadline) <= 0 {
			return answer.Rest
		}
		time.Sleep(min(pause, time.Until(deadline)))
	}
}

// NdkCreatePd implements ndk.Adapter.
func (a *Adapter) NdkCreatePd() (ndk.Pd, ndk.Status) {
	p := &pd{a, a.newID("pd")}
	if s := a.status("NdkCreatePd", params{"pd": p.id}); s != ndk.STATUS_SUCCESS {
		return nil, s
	}
	return p, ndk.STATUS_SUCCESS
}

// NdkCreateCq implements ndk.Adapter.
func (a *Adapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	c := &cq{adapter: a, id: a.newID("cq"), notification: notification}
	notify := notification != nil
	a.mu.Lock()
	a.cqs[c.id] = c
	a.mu.Unlock()
	if s := a.status("NdkCreateCq", params{"cq": c.id, "depth": depth, "notify": notify}); s != ndk.STATUS_SUCCESS {
		return nil, s
	}
	return c, ndk.STATUS_SUCCESS
}

// NdkConnect implements ndk.Adapter.
func (a *Adapter) NdkConnect(q ndk.Qp, address string) ndk.Status {
	return a.join("NdkConnect", q, address)
}

// NdkAccept implements ndk.Adapter.
func (a *Adapter) NdkAccept(q ndk.Qp, address string) ndk.Status {
	return a.join("NdkAccept", q, address)
}

func (a *Adapter) join(method string, q ndk.Qp, address string) ndk.Status {
	own, ok := q.(*qp)
	if !ok {
		return ndk.STATUS_INVALID_PARAMETER
	}
	return a.status(method, params{"qp": own.id, "peer_address": address})
}

// NdkCloseAdapter implements ndk.Adapter. The program ends after it has answered.
func (a *Adapter) NdkCloseAdapter() {
	var nothing struct{}
	if !a.ask("NdkCloseAdapter", params{}, &nothing) {
		return
	}
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.stdin.Close()
}

// closing starts a close of an object. Its completion is kept until the program calls it, and afterwards, for one that calls it twice.
func (a *Adapter) closing(method, id string, p params, completion ndk.NdkCloseCompletion) ndk.Status {
	a.mu.Lock()
	a.closes[id] = completion
	a.mu.Unlock()
	return a.status(method, p)
}
