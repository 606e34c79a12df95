package execprovider

import (
	"errors"
	"fmt"

	"ndkoracle/ndk"
)

type pd struct {
	adapter *Adapter
	id      string
}

func (p *pd) NdkCreateMr(fastRegister bool) (ndk.Mr, ndk.Status) {
	m := &mr{p.adapter, p.adapter.newID("mr")}
	if s := p.adapter.status("NdkCreateMr", params{"mr": m.id, "pd": p.id, "fast_register": fastRegister}); s != ndk.STATUS_SUCCESS {
		return nil, s
	}
	return m, ndk.STATUS_SUCCESS
}

func (p *pd) NdkCreateMw() (ndk.Mw, ndk.Status) {
	m := &mw{p.adapter, p.adapter.newID("mw")}
	if s := p.adapter.status("NdkCreateMw", params{"mw": m.id, "pd": p.id}); s != ndk.STATUS_SUCCESS {
		return nil, s
	}
	return m, ndk.STATUS_SUCCESS
}

func (p *pd) NdkCreateQp(given ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	a := p.adapter
	receive, known := given.ReceiveCq.(*cq)
	initiator, both := given.InitiatorCq.(*cq)
	if !known || !both {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	q := &qp{adapter: a, id: a.newID("qp"), context: given.QPContext}
	a.mu.Lock()
	a.qps[q.id] = q
	a.mu.Unlock()
	s := a.status("NdkCreateQp", params{"qp": q.id, "pd": p.id, "receive_cq": receive.id, "initiator_cq": initiator.id, "receive_depth": given.ReceiveQueueDepth,
		"initiator_depth": given.InitiatorQueueDepth, "receive_sge": given.MaxReceiveRequestSge, "initiator_sge": given.MaxInitiatorRequestSge, "inline": given.InlineDataSize})
	if s != ndk.STATUS_SUCCESS {
		return nil, s
	}
	return q, ndk.STATUS_SUCCESS
}

func (p *pd) NdkClosePd(completion ndk.NdkCloseCompletion) ndk.Status {
	return p.adapter.closing("NdkClosePd", p.id, params{"pd": p.id}, completion)
}

type cq struct {
	adapter      *Adapter
	id           string
	notification ndk.CqNotification
}

func (c *cq) NdkArmCq(notifyType ndk.NotifyType) {
	var nothing struct{}
	c.adapter.ask("NdkArmCq", params{"cq": c.id, "type": notifyType.String()}, &nothing)
}

// poll returns what the program delivers.
func (c *cq) poll(method string, room int) []result {
	var answer struct {
		Results []result `json:"results"`
	}
	if !c.adapter.ask(method, params{"cq": c.id, "n": room}, &answer) {
		return nil
	}
	if err := check(method, answer.Results, room); err != nil {
		c.adapter.fails(err)
		<-c.adapter.released
		return nil
	}
	return answer.Results
}

// check refuses results that package ndk can't tell of.
func check(method string, results []result, room int) error {
	if len(results) > room {
		return fmt.Errorf("%s: %d results for the room of %d (POLL-02)", method, len(results), room)
	}
	for i := range results {
		if results[i].Status == nil {
			return fmt.Errorf("%s: a result has no status", method)
		}
	}
	return nil
}

func (c *cq) NdkGetCqResults(results []ndk.Result) int {
	told := c.poll("NdkGetCqResults", len(results))
	for i := range told {
		results[i] = c.adapter.resultOf(&told[i])
	}
	return len(told)
}

func (c *cq) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	told := c.poll("NdkGetCqResultsEx", len(results))
	for i := range told {
		r := &told[i]
		kind, err := ndk.ParseOperationType(r.Type)
		if err != nil {
			c.adapter.fails(errors.Join(errors.New("NdkGetCqResultsEx"), err))
			<-c.adapter.released
			return 0
		}
		results[i] = ndk.ResultEx{Result: c.adapter.resultOf(r), Type: kind, ProviderErrorCode: r.ProviderError, TypeSpecificCompletionOutput: uint64(r.Token)}
	}
	return len(told)
}

// resultOf finds the contexts of a result. A name that is not known is its own context, which no caller passed in.
func (a *Adapter) resultOf(r *result) ndk.Result {
	out := ndk.Result{Status: ndk.Status(*r.Status), BytesTransferred: r.Bytes, RequestContext: r.Wr, QPContext: r.Qp}
	a.mu.Lock()
	defer a.mu.Unlock()
	named := r.Qp
	if posted := a.requests[r.Wr]; posted != nil {
		out.RequestContext = posted.context
		if named == "" {
			named = posted.qp
		}
	}
	if q := a.qps[named]; q != nil {
		out.QPContext = q.context
	}
	return out
}

func (c *cq) NdkCloseCq(completion ndk.NdkCloseCompletion) ndk.Status {
	return c.adapter.closing("NdkCloseCq", c.id, params{"cq": c.id}, completion)
}

type mr struct {
	adapter *Adapter
	id      string
}

func (m *mr) NdkRegisterMr(buffer []byte, flags ndk.OpFlags) ndk.Status {
	m.adapter.memory.register(buffer)
	address, length := ndk.VirtualAddress(buffer), len(buffer)
	return m.adapter.status("NdkRegisterMr", params{"mr": m.id, "address": address, "length": length}.withFlags(nil, flags))
}

// token asks for a token.
func (a *Adapter) token(method string, p params) ndk.Token {
	var answer struct {
		Token ndk.Token `json:"token"`
	}
	a.ask(method, p, &answer)
	return answer.Token
}

func (m *mr) NdkGetLocalTokenFromMr() ndk.Token {
	return m.adapter.token("NdkGetLocalTokenFromMr", params{"mr": m.id})
}

func (m *mr) RemoteToken() ndk.Token {
	return m.adapter.token("NdkGetRemoteTokenFromMr", params{"mr": m.id})
}

func (m *mr) NdkCloseMr(completion ndk.NdkCloseCompletion) ndk.Status {
	return m.adapter.closing("NdkCloseMr", m.id, params{"mr": m.id}, completion)
}

type mw struct {
	adapter *Adapter
	id      string
}

func (m *mw) RemoteToken() ndk.Token {
	return m.adapter.token("NdkGetRemoteTokenFromMw", params{"mw": m.id})
}

func (m *mw) NdkCloseMw(completion ndk.NdkCloseCompletion) ndk.Status {
	return m.adapter.closing("NdkCloseMw", m.id, params{"mw": m.id}, completion)
}
