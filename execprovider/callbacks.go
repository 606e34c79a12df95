package execprovider

import (
	"encoding/json"
	"errors"
	"fmt"

	"ndkoracle/ndk"
)

// callback is what the program tells of a call of its own.
type callback struct {
	Cq      string  `json:"cq"`
	Status  *status `json:"status"`
	Object  string  `json:"object"`
	Address uint64  `json:"address"`
	Length  int64   `json:"length"`
	Data    []byte  `json:"data"`
}

// called handles a call of the program: a callback, or an access to memory. What has to happen in the order of its lines happens here.
func (a *Adapter) called(method string, encoded json.RawMessage) (func() (any, error), error) {
	var c callback
	if err := json.Unmarshal(encoded, &c); err != nil {
		return nil, err
	}
	nothing := func() (any, error) { return struct{}{}, nil }
	switch method {
	case "NdkCqNotificationCallback":
		return a.notified(&c)
	case "NdkCloseCompletion":
		a.mu.Lock()
		completion, known := a.closes[c.Object]
		a.mu.Unlock()
		switch {
		case !known:
			return nil, fmt.Errorf("no close of %q was asked for", c.Object)
		case completion == nil:
			return nothing, nil
		}
		return func() (any, error) { completion(); return nothing() }, nil
	case "ReadMemory":
		part, err := a.memory.part(c.Address, c.Length)
		if err != nil {
			return nil, err
		}
		answer := struct {
			Data []byte `json:"data"`
		}{append([]byte{}, part...)}
		return func() (any, error) { return answer, nil }, nil
	case "WriteMemory":
		part, err := a.memory.part(c.Address, int64(len(c.Data)))
		if err != nil {
			return nil, err
		}
		copy(part, c.Data)
		return nothing, nil
	}
	return nil, errors.New("there is no such method")
}

// notified enters a notification callback, and returns the consumer's own.
func (a *Adapter) notified(c *callback) (func() (any, error), error) {
	a.mu.Lock()
	q := a.cqs[c.Cq]
	a.mu.Unlock()
	switch {
	case q == nil:
		return nil, fmt.Errorf("there is no CQ %q", c.Cq)
	case c.Status == nil:
		return nil, errors.New("the status is missing")
	case q.notification == nil:
		return nil, fmt.Errorf("%s was created without a callback", c.Cq)
	}
	consumer := q.notification.Enter(q, ndk.Status(*c.Status))
	return func() (any, error) {
		if consumer != nil {
			consumer()
		}
		return struct{}{}, nil
	}, nil
}
