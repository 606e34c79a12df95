package picture

import (
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A message goes from the post of a send to the poll that delivers its receive.
type message struct {
	send, receive string // the requests
	from, to      *item
	slot          int // where its line goes down beside the lanes; -1 where there is no place
}

// A port is one end of a connection.
type port struct {
	sends, receives []*request
}

// request is a send or a receive of a connection.
type request struct {
	wr     string
	posted *item
	got    *item // the poll that delivers it with success
}

// A postbox finds which receive a message went to: the messages of a connection succeed receives in the order of both posts.
type postbox struct {
	verbs bool
	ports map[string]map[string]*port // by connection, by host and queue pair, in no order
	ends  map[string][]*port          // by connection, in the order of their first request
	of    map[string]*request         // by host and request
	conns map[string]string           // by host and queue pair
}

// connect finds the messages between items, and notes each with both its ends.
func connect(hosts [][]*item) {
	b := postbox{ports: map[string]map[string]*port{}, ends: map[string][]*port{}, of: map[string]*request{}, conns: map[string]string{}}
	for _, items := range hosts {
		for _, i := range items {
			if i.kind == event {
				b.take(i)
			}
		}
	}
	for _, ends := range b.ends {
		if len(ends) != 2 {
			continue
		}
		for n, end := range ends {
			deliver(end.sends, ends[1-n].receives)
		}
	}
}

// name tells apart what two hosts call by one name.
func name(host int, id string) string { return string(rune('A'+host)) + id }

func (b *postbox) take(i *item) {
	e := i.event
	if e.Conn != "" && e.Qp != "" && e.Ph != trace.Ret {
		b.conns[name(i.host, e.Qp)] = e.Conn
	}
	if calls.KindOf(e) == calls.Post && e.Ph == trace.Call {
		b.posted(i)
	}
	last := e
	if i.ret != nil {
		last = i.ret
	}
	for _, result := range last.Results {
		if r := b.of[name(i.host, result.Wr)]; r != nil && calls.OutcomeOf(result.Status) == model.SUCCESS {
			r.got = i
		}
	}
}

// posted notes the sends and receives of a post on a queue pair whose connection has a name.
func (b *postbox) posted(i *item) {
	e, qp := i.event, name(i.host, i.event.Qp)
	conn := b.conns[qp]
	if conn == "" {
		return
	}
	if b.ports[conn] == nil {
		b.ports[conn] = map[string]*port{}
	}
	end := b.ports[conn][qp]
	if end == nil {
		end = &port{}
		b.ports[conn][qp] = end
		b.ends[conn] = append(b.ends[conn], end)
	}
	add := func(wr string, isReceive, isSend bool) {
		r := &request{wr: wr, posted: i}
		switch {
		case isReceive:
			end.receives = append(end.receives, r)
		case isSend:
			end.sends = append(end.sends, r)
		default:
			return
		}
		b.of[name(i.host, wr)] = r
	}
	receives := calls.OpOf(e.Fn) == model.ReceiveOp || strings.HasSuffix(e.Fn, "_recv")
	if e.Wr != "" {
		add(e.Wr, receives, sends(calls.OpOf(e.Fn)))
	}
	for n := range e.Wrs {
		op, unknown := calls.OpOfRequest(&e.Wrs[n])
		add(e.Wrs[n].Wr, receives, unknown == "" && sends(op))
	}
}

func sends(op model.Op) bool { return op == model.Send || op == model.SendAndInvalidate }

// deliver pairs the sends of one end with the receives of the other that succeeded.
func deliver(sent, received []*request) {
	for _, r := range received {
		if r.got == nil {
			continue
		}
		if len(sent) == 0 {
			return
		}
		m := &message{send: sent[0].wr, receive: r.wr, from: sent[0].posted, to: r.got, slot: -1}
		sent = sent[1:]
		m.from.sent = append(m.from.sent, m)
		m.to.got = append(m.to.got, m)
	}
}
