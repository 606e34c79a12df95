// Package events turns the records that programs of BPF write of a kernel's verbs into the events of a trace. It needs no kernel.
package events

import (
	"encoding/binary"
	"fmt"
)

// Kind is what was called: enum kind of bpf/record.h.
type Kind uint8

// The kinds.
const (
	CreateCq Kind = iota + 1
	DestroyCq
	CreateQp
	ModifyQp
	DestroyQp
	CreateSrq
	DestroySrq
	PostSend
	PostRecv
	PostSrqRecv
	PollCq
	ReqNotifyCq
	CompHandler
	DeregMr
	kinds
)

// functions are the names that traces have for the kinds.
var functions = [kinds]string{
	CreateCq: "ibv_create_cq", DestroyCq: "ibv_destroy_cq", CreateQp: "ibv_create_qp", ModifyQp: "ibv_modify_qp", DestroyQp: "ibv_destroy_qp",
	CreateSrq: "ibv_create_srq", DestroySrq: "ibv_destroy_srq", PostSend: "ibv_post_send", PostRecv: "ibv_post_recv", PostSrqRecv: "ibv_post_srq_recv",
	PollCq: "ibv_poll_cq", ReqNotifyCq: "ibv_req_notify_cq", CompHandler: "comp_handler",
}

// Record is one end of a call: struct record of bpf/record.h.
type Record struct {
	Seq    uint64 // place in the order, from 0, without holes
	T      uint64 // nanoseconds
	Frame  uint64 // the same at both ends of a call, and of no other call meanwhile
	Thread uint64
	Object uint64 // address of the CQ, QP, SRQ or MR
	Value  int64
	Args   [6]uint64
	Items  []Item
	Kind   Kind
	End    bool
	Second bool // from the second copy of a program
}

// Item is a request of a post or a completion of a poll.
type Item struct {
	Id     uint64 // wr_id or wr_cqe
	Place  uint64 // address of the request; of a completion, of the QP
	Bytes  uint64
	Mr     uint64
	Opcode uint32
	Flags  uint32
	Key    uint32
	Status uint32
	Vendor uint32
}

const (
	recordSize = 104
	itemSize   = 56
	maxItems   = 64
	interrupt  = 1 << 63 // of Thread: on a processor's stack of interrupts
	unknown    = ^uint64(0)
)

// Decode reads a record of the ring buffer into r, whose Items are used again.
func Decode(data []byte, r *Record) error {
	if len(data) < recordSize {
		return fmt.Errorf("a record of %d bytes, which is too short", len(data))
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(data[8*i:]) }
	count := int(min(binary.NativeEndian.Uint32(data[96:]), maxItems+1))
	*r = Record{
		Seq: word(0), T: word(1), Frame: word(2), Thread: word(3), Object: word(4), Value: int64(word(5)), Items: r.Items[:0],
		Kind: Kind(data[100]), End: data[101] != 0, Second: data[102] != 0,
	}
	for i := range r.Args {
		r.Args[i] = word(6 + i)
	}
	switch {
	case r.Kind == 0 || r.Kind >= kinds:
		return fmt.Errorf("a record of kind %d, which is not known", r.Kind)
	case count > maxItems || len(data) < recordSize+count*itemSize:
		return fmt.Errorf("a record of %d bytes with %d items", len(data), count)
	}
	for i := range count {
		item := data[recordSize+i*itemSize:]
		half := func(i int) uint32 { return binary.NativeEndian.Uint32(item[32+4*i:]) }
		whole := func(i int) uint64 { return binary.NativeEndian.Uint64(item[8*i:]) }
		r.Items = append(r.Items, Item{
			Id: whole(0), Place: whole(1), Bytes: whole(2), Mr: whole(3),
			Opcode: half(0), Flags: half(1), Key: half(2), Status: half(3), Vendor: half(4),
		})
	}
	return nil
}

// Order puts records into their order. The ring buffer has them in the order in which room was made for them, and each takes its place a little later.
type Order struct {
	next    uint64
	waiting map[uint64]Record
}

// Add hands r, and what waited for it, to deliver; or keeps a copy of it until its turn.
func (o *Order) Add(r *Record, deliver func(*Record) error) error {
	if r.Seq != o.next {
		if o.waiting == nil {
			o.waiting = map[uint64]Record{}
		}
		kept := *r
		kept.Items = append([]Item(nil), r.Items...)
		o.waiting[r.Seq] = kept
		return nil
	}
	if err := deliver(r); err != nil {
		return err
	}
	for o.next++; len(o.waiting) > 0; o.next++ {
		kept, there := o.waiting[o.next]
		if !there {
			return nil
		}
		delete(o.waiting, o.next)
		if err := deliver(&kept); err != nil {
			return err
		}
	}
	return nil
}

// Waiting returns how many records wait for one that has not come.
func (o *Order) Waiting() int { return len(o.waiting) }
