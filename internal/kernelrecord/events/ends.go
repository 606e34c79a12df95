package events

import (
	"slices"
	"strconv"

	"ndkoracle/trace"
)

// fillEnd fills in what a call returned, and forgets what it has destroyed, or not created.
func (c *Converter) fillEnd(r *Record, call *call, e *trace.Event) {
	failed := r.Value < 0
	switch r.Kind {
	case CreateCq:
		if failed {
			delete(c.cqs, r.Object)
		} else {
			e.Depth = pointer(int64(uint32(r.Args[0])))
		}
	case CreateQp:
		if q := c.qps[r.Object]; q != nil && !failed {
			q.number = uint32(r.Args[5])
			limits(r, e)
		} else if failed {
			delete(c.qps, r.Object)
		}
	case CreateSrq:
		if failed {
			delete(c.srqs, r.Object)
		}
	case DestroyCq, DestroyQp, DestroySrq:
		c.forget(r)
	case PostSend, PostRecv, PostSrqRecv:
		if r.Value != 0 {
			c.refused(r, call, e)
		}
	case PollCq:
		c.polled(r, e)
	}
}

// forget drops an object that was destroyed. Another one may have its address.
func (c *Converter) forget(r *Record) {
	if r.Value < 0 {
		return
	}
	switch r.Kind {
	case DestroyCq:
		delete(c.cqs, r.Object)
	case DestroyQp:
		delete(c.qps, r.Object)
	case DestroySrq:
		delete(c.srqs, r.Object)
	case DeregMr:
		delete(c.mrs, r.Object)
	}
}

// refused handles a post that failed: the request at which it stopped, and those behind it, were not accepted.
func (c *Converter) refused(r *Record, call *call, e *trace.Event) {
	if e.Errno == "" { // a driver may return what is not an error's number
		e.Errno = "EIO"
	}
	at := slices.Index(call.places, r.Args[0])
	if at < 0 {
		return
	}
	e.BadWr = call.wrs[at]
	if q := c.qps[r.Object]; q != nil {
		q.sends.refuse(call.wrs[at:])
		q.receives.refuse(call.wrs[at:])
	}
	if q := c.srqs[r.Object]; q != nil {
		q.receives.refuse(call.wrs[at:])
	}
}

// polled describes what a poll delivered.
func (c *Converter) polled(r *Record, e *trace.Event) {
	if r.Value < 0 {
		e.Errno = errno(r.Value)
		return
	}
	e.Results = make([]trace.Result, 0, len(r.Items))
	for i := range r.Items {
		e.Results = append(e.Results, c.result(&r.Items[i]))
	}
}

func (c *Converter) result(item *Item) trace.Result {
	result := trace.Result{Status: number(item.Status)}
	q := c.qps[item.Place]
	found := false
	if q != nil {
		result.Qp = q.id
		result.Wr, found = q.take(item)
	}
	if !found {
		c.report.Unidentified++
		result.Wr = "?" + strconv.FormatUint(c.report.Unidentified, 10)
	}
	if item.Status != 0 { // nothing else is valid then
		if item.Vendor != 0 {
			vendor := item.Vendor
			result.ProviderError = &vendor
		}
		return result
	}
	if name, known := c.options.Opcodes[item.Opcode]; known {
		result.Opcode = name
	} else if c.options.Opcodes == nil {
		result.Opcode = number(item.Opcode)
	}
	if item.Opcode&opcodeReceive != 0 {
		result.Bytes = pointer(int64(item.Bytes & (1<<62 - 1)))
		if item.Flags&withInvalidate != 0 {
			key := item.Key
			result.Token = &key
		}
	}
	return result
}
