package events

import (
	"bytes"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// script makes records: each is a millisecond behind the one before it.
type script struct {
	records []Record
	now     uint64
}

const millisecond = 1_000_000

func (s *script) add(r Record) {
	s.now += millisecond
	r.T, r.Seq = s.now, uint64(len(s.records))
	s.records = append(s.records, r)
}

// call adds both ends of a call of task 7. What is in inside happens meanwhile.
func (s *script) call(begin Record, value int64, items []Item, inside ...func()) {
	if begin.Thread == 0 {
		begin.Thread = 7
	}
	if begin.Frame == 0 {
		begin.Frame = 0x9000
	}
	s.add(begin)
	for _, f := range inside {
		f()
	}
	end := begin
	end.End, end.Value, end.Items = true, value, items
	s.add(end)
}

// The objects of most scripts: a queue pair, on one CQ with room for 8.
const (
	cqAt = 0x100
	qpAt = 0x200
)

func (s *script) create() {
	s.call(Record{Kind: CreateCq, Object: cqAt, Args: [6]uint64{8, 0x77}}, 0, nil)
	s.call(Record{Kind: CreateQp, Object: qpAt, Args: [6]uint64{cqAt, cqAt, 0, 4 | 5<<32, 16 | 1<<32 | 2<<40, 17}}, 0, nil)
}

func (s *script) post(kind Kind, value int64, items ...Item) {
	s.call(Record{Kind: kind, Object: qpAt, Items: items}, value, nil)
}

func (s *script) poll(items ...Item) {
	s.call(Record{Kind: PollCq, Object: cqAt, Value: 4}, int64(len(items)), items)
}

// text converts records, and returns the lines of the trace without header, end, seq, t, thr and op of calls that do not overlap.
func text(t *testing.T, o Options, records []Record) (string, Report) {
	t.Helper()
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Header{Dialect: "kverbs", Side: "provider", Order: "total"})
	if err != nil {
		t.Fatal(err)
	}
	c := New(o, w.Write)
	for i := range records {
		if err := c.Record(&records[i]); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
	report, rest, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(trace.End{Dropped: report.Dropped, Quiescent: rest}); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.Read("test", bytes.NewReader(out.Bytes()), 0); err != nil {
		t.Fatalf("what was written can't be read: %v\n%s", err, &out)
	}
	return out.String(), report
}

func TestConversion(t *testing.T) {
	send := func(id uint64, flags uint32) Item {
		return Item{Id: id, Place: 0x5000 + id, Opcode: 2, Flags: flags, Bytes: 64}
	}
	receive := func(id uint64) Item { return Item{Id: id, Place: 0x6000 + id, Bytes: 128} }
	sent := func(id uint64, status uint32) Item { return Item{Id: id, Place: qpAt, Status: status} }
	received := func(id uint64, status uint32) Item {
		return Item{Id: id, Place: qpAt, Status: status, Opcode: opcodeReceive, Bytes: 20}
	}
	for name, test := range map[string]struct {
		make func(s *script)
		want []string // each is in the trace, in this order
		not  []string
		o    Options
	}{
		"creation": {
			make: func(s *script) { s.create() },
			want: []string{
				`{"seq":1,"t":1000000,"thr":"pid7","ph":"call","op":"1","fn":"ibv_create_cq","cq":"cq1","depth":8}`,
				`"ph":"ret","op":"1","fn":"ibv_create_cq","depth":8}`,
				`"fn":"ibv_create_qp","qp":"qp1","recv_cq":"cq1","send_cq":"cq1","max_recv_wr":5,"max_send_wr":4,"max_inline_data":16,"sq_sig_all":false,"qp_type":"RC"}`,
				`"ph":"ret","op":"2","fn":"ibv_create_qp","max_recv_wr":5,"max_send_wr":4,"max_inline_data":16}`,
			},
		},
		"a creation that failed leaves nothing": {
			make: func(s *script) {
				s.call(Record{Kind: CreateCq, Object: cqAt}, -12, nil)
				s.poll()
				s.create()
			},
			want: []string{`"fn":"ibv_create_cq","errno":"ENOMEM"`, `"fn":"ibv_create_cq","cq":"cq2"`},
			not:  []string{"ibv_poll_cq"},
		},
		"requests by the order of their queue, as ids come again": {
			make: func(s *script) {
				s.create()
				s.post(PostSend, 0, send(1, sendSignaled), send(1, sendSignaled))
				s.post(PostRecv, 0, receive(1))
				s.poll(received(1, 0), sent(1, 0))
				s.poll(sent(1, 0))
			},
			want: []string{`"results":[{"wr":"w3","qp":"qp1","status":"IBV_WC_SUCCESS","bytes":20,"opcode":"RECV"},{"wr":"w1",`, `"results":[{"wr":"w2"`},
		},
		"a success passes by unsignaled requests": {
			make: func(s *script) {
				s.create()
				s.post(PostSend, 0, send(1, 0), send(1, sendSignaled), send(1, 0))
				s.poll(sent(1, 0))
				s.poll(sent(1, 5))
			},
			want: []string{`{"wr":"w2"`, `{"wr":"w3"`},
		},
		"a failure is told of unsignaled requests as well": {
			make: func(s *script) {
				s.create()
				s.post(PostSend, 0, send(1, 0), send(1, sendSignaled))
				s.poll(sent(1, 5), sent(1, 5))
			},
			want: []string{`[{"wr":"w1","qp":"qp1","status":"IBV_WC_WR_FLUSH_ERR"},{"wr":"w2"`},
		},
		"a failed receive whose opcode is of no use": {
			make: func(s *script) {
				s.create()
				s.post(PostRecv, 0, receive(9))
				s.poll(sent(9, 5))
			},
			want: []string{`{"wr":"w1","qp":"qp1","status":"IBV_WC_WR_FLUSH_ERR"}`},
		},
		"a completion of no request": {
			make: func(s *script) {
				s.create()
				s.poll(sent(3, 0))
			},
			want: []string{`{"wr":"?1","qp":"qp1"`},
		},
		"a post that stops": {
			make: func(s *script) {
				s.create()
				begin := Record{Kind: PostSend, Object: qpAt, Frame: 0x9000, Thread: 7, Items: []Item{send(1, sendSignaled), send(2, sendSignaled)}}
				s.add(begin)
				s.add(Record{Kind: PostSend, Object: qpAt, Frame: 0x9000, Thread: 7, End: true, Value: -12, Args: [6]uint64{0x5002}})
				s.poll(sent(2, 0))
			},
			want: []string{`"bad_wr":"w2","errno":"ENOMEM"`, `{"wr":"?1"`},
		},
		"arms": {
			make: func(s *script) {
				s.create()
				s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Value: 1 | 4}, 1, nil)
				s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Value: 2}, 0, nil)
			},
			want: []string{`"cq":"cq1","solicited_only":true}`, `"ph":"ret","op":"3","fn":"ibv_req_notify_cq"}`, `"solicited_only":false}`},
		},
		"connection": {
			make: func(s *script) {
				s.create()
				s.call(Record{Kind: ModifyQp, Object: qpAt, Value: 1, Args: [6]uint64{2, 9 | 1<<32, 0, 1 << 56, 0, 2 << 56}}, 0, nil)
				s.call(Record{Kind: ModifyQp, Object: qpAt, Value: 2}, 0, nil)
			},
			want: []string{`"fn":"ibv_modify_qp","qp":"qp1","conn":"[::1]:9-[::2]:17","state":"RTR"}`},
		},
		"a handler within a call, and a call that interrupts one": {
			make: func(s *script) {
				s.create()
				s.call(Record{Kind: PostRecv, Object: qpAt, Items: []Item{receive(1)}}, 0, nil, func() {
					s.call(Record{Kind: CompHandler, Object: cqAt, Frame: 0x8000}, 0, nil, func() {
						s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Frame: 0x7000, Value: 2}, 0, nil)
					})
					s.call(Record{Kind: PollCq, Object: cqAt, Frame: 0x8000, Value: 1}, -22, nil)
					s.call(Record{Kind: PollCq, Object: cqAt, Frame: 0xF000, Thread: interrupt | 1, Value: 1}, -22, nil)
				})
			},
			want: []string{
				`"thr":"pid7","ph":"enter","op":"4","fn":"comp_handler","cq":"cq1"}`, `"thr":"pid7","ph":"call","op":"5","fn":"ibv_req_notify_cq"`,
				`"thr":"pid7","ph":"exit","op":"4"`, `"thr":"pid7.2","ph":"call","op":"6","fn":"ibv_poll_cq"`, `"thr":"cpu1","ph":"call"`,
				`"thr":"pid7","ph":"ret","op":"3"`,
			},
		},
		"a row of empty polls": {
			make: func(s *script) {
				s.create()
				s.poll()
				s.poll()
				s.poll()
				s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Value: 2}, 0, nil)
				s.poll()
			},
			want: []string{
				`"seq":5,"t":5000000,"thr":"pid7","ph":"call","op":"3","fn":"ibv_poll_cq"`, `"seq":6,"t":10000000,"thr":"pid7","ph":"ret","op":"3","fn":"ibv_poll_cq","results":[]}`,
				`"seq":7,"t":11000000,"thr":"pid7","ph":"call","op":"6","fn":"ibv_req_notify_cq"`, `"op":"7","fn":"ibv_poll_cq"`, `"results":[]`,
			},
			not: []string{`"op":"4"`, `"op":"5"`},
		},
		"both copies of a program recorded": {
			make: func(s *script) {
				s.create()
				for _, end := range []bool{false, true} {
					for _, second := range []bool{false, true} {
						s.add(Record{Kind: PollCq, Object: cqAt, Frame: 0x9000, Thread: 7, End: end, Second: second, Value: 0})
					}
				}
				s.add(Record{Kind: PollCq, Object: cqAt, Frame: 0x9000, Thread: 7, Second: true, Value: 3}) // a call of its own
			},
			want: []string{`"op":"3","fn":"ibv_poll_cq"`, `"op":"3"`, `"op":"4","fn":"ibv_poll_cq","cq":"cq1","n":3`},
			not:  []string{`"op":"5"`},
		},
		"memory regions, and one that was deregistered": {
			make: func(s *script) {
				s.create()
				reg := Item{Id: 1, Opcode: wrRegMr, Mr: 0x300, Key: 5}
				s.post(PostSend, 0, reg, Item{Id: 1, Opcode: wrLocalInv, Key: 5, Flags: sendSignaled | 1<<9}, Item{Id: 1, Opcode: wrReadWithInv})
				s.call(Record{Kind: DeregMr, Object: 0x300}, 0, nil)
				s.post(PostSend, 0, reg)
			},
			want: []string{`"opcode":"REG_MR","bytes":0,"token":5,"mr":"mr1"}`, `"opcode":"LOCAL_INV","flags":["SIGNALED","0x200"],"bytes":0,"token":5}`, `"RDMA_READ_WITH_INV"`, `"mr":"mr2"`},
		},
		"a shared receive queue": {
			make: func(s *script) {
				s.call(Record{Kind: CreateSrq, Object: 0x400}, 0, nil)
				s.call(Record{Kind: CreateCq, Object: cqAt}, 0, nil)
				s.call(Record{Kind: CreateQp, Object: qpAt, Args: [6]uint64{cqAt, cqAt, 0x400}}, 0, nil)
				s.call(Record{Kind: PostSrqRecv, Object: 0x400, Items: []Item{receive(1), receive(2)}}, 0, nil)
				s.poll(received(2, 0), received(1, 0))
				s.call(Record{Kind: DestroySrq, Object: 0x400}, 0, nil)
			},
			want: []string{`"ibv_create_srq","srq":"srq1"`, `"qp":"qp1","srq":"srq1"`, `"ibv_post_srq_recv","srq":"srq1","wrs":[{"wr":"w1"`, `{"wr":"w2"`, `{"wr":"w1"`, "ibv_destroy_srq"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s script
			test.make(&s)
			got, _ := text(t, test.o, s.records)
			rest := got
			for _, want := range test.want {
				_, behind, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%s is missing, or stands elsewhere, in\n%s", want, got)
				}
				rest = behind
			}
			for _, not := range test.not {
				if strings.Contains(got, not) {
					t.Errorf("%s is in\n%s", not, got)
				}
			}
		})
	}
}
