package events

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ndkoracle/trace"
)

// What was created before recording is left out, with the queue pairs that use it; where they use one that is recorded as well, that counts as a loss.
func TestOlderObjectsAreLeftOut(t *testing.T) {
	var s script
	s.create()
	s.call(Record{Kind: CreateQp, Object: 0x210, Args: [6]uint64{0x999, 0x999}}, 0, nil)
	s.call(Record{Kind: CreateQp, Object: 0x220, Args: [6]uint64{cqAt, 0x999}}, 0, nil)
	s.call(Record{Kind: CreateQp, Object: 0x230, Args: [6]uint64{0, 0, 0x998}}, 0, nil)
	s.call(Record{Kind: PostSend, Object: 0x210, Items: make([]Item, 1)}, 0, nil)
	s.call(Record{Kind: PollCq, Object: 0x999}, 0, nil)
	s.call(Record{Kind: CompHandler, Object: 0x999}, 0, nil)
	_, report := text(t, Options{}, s.records)
	if report.Events != 4 || report.OlderQps != 2 || report.PartlyQps != 1 || report.Dropped != 1 || report.Qps != 1 || report.Cqs != 1 {
		t.Errorf("%+v", report)
	}
}

// A return whose call is missing is dropped and counted, and one that is missing leaves its call open.
func TestMissingEnds(t *testing.T) {
	var s script
	s.create()
	s.add(Record{Kind: PollCq, Object: cqAt, Frame: 0x9000, Thread: 7, End: true})
	s.add(Record{Kind: PollCq, Object: cqAt, Frame: 0x9000, Thread: 7})
	s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Frame: 0x9800}, 0, nil)
	_, report := text(t, Options{}, s.records)
	if report.Events != 7 || report.Dropped != 1 || report.LostReturns != 1 {
		t.Errorf("%+v", report)
	}
}

// Rest is silence during which the converter was told of the time again and again. Where the machine stood still, or the reader lay behind, nothing is known.
func TestRest(t *testing.T) {
	const step = 10 * millisecond
	quiet := func(c *Converter, from uint64, steps int, step uint64) {
		for i := range steps {
			if err := c.Tick(from + uint64(i+1)*step); err != nil {
				t.Fatal(err)
			}
		}
	}
	arm := Record{Kind: ReqNotifyCq, Object: cqAt, Frame: 0x9000, Thread: 7, Value: 2}
	for name, test := range map[string]struct {
		then  func(c *Converter, now uint64)
		rests int
		end   bool
	}{
		"silence":                  {func(c *Converter, now uint64) { quiet(c, now, 20, step) }, 1, true},
		"too short":                {func(c *Converter, now uint64) { quiet(c, now, 9, step) }, 0, false},
		"the machine stood still":  {func(c *Converter, now uint64) { quiet(c, now, 1, 1000*step) }, 0, false},
		"a clock that goes back":   {func(c *Converter, now uint64) { quiet(c, 0, 3, 1); quiet(c, now, 5, step) }, 0, false},
		"a call that is under way": {func(c *Converter, now uint64) { c.Record(&arm); quiet(c, now, 50, step) }, 0, false},
		"rest, and then a call": {func(c *Converter, now uint64) {
			quiet(c, now, 12, step)
			begin, end := arm, arm
			begin.T, end.T, end.End, end.Value = now+12*step, now+12*step, true, 0
			c.Record(&begin)
			c.Record(&end)
			quiet(c, now+12*step, 5, step)
		}, 1, false},
	} {
		var s script
		s.create()
		points := 0
		c := New(Options{Rest: 10 * step}, func(e *trace.Event) error {
			if e.Fn == "quiesce" {
				points++
			}
			return nil
		})
		for i := range s.records {
			c.Record(&s.records[i])
		}
		test.then(c, s.now)
		report, atRest, err := c.Finish()
		if err != nil || report.Rests != test.rests || points != test.rests || atRest != test.end {
			t.Errorf("%s: %d rests, %d points, at rest %t, %v", name, report.Rests, points, atRest, err)
		}
	}
	c := New(Options{Rest: 10 * step}, func(e *trace.Event) error { t.Error(e); return nil })
	quiet(c, 0, 20, step) // before anything
}

// A CQ whose handler is not recorded is said to be one, and counts as a loss.
func TestUnheardHandler(t *testing.T) {
	var s script
	s.create()
	for range 2 {
		s.call(Record{Kind: ReqNotifyCq, Object: cqAt, Value: 2, Args: [6]uint64{0, 0x77}}, 0, nil)
	}
	for handler, dropped := range map[uint64]uint64{0x77: 0, 0x78: 1} {
		if _, report := text(t, Options{Handlers: map[uint64]bool{handler: true}}, s.records); report.Dropped != dropped || len(report.Unheard) != int(dropped) {
			t.Errorf("%+v", report)
		}
	}
}

// Records come a little out of order, and are put into it.
func TestOrder(t *testing.T) {
	var o Order
	var got []uint64
	for _, seq := range []uint64{2, 0, 1, 5, 3, 4} {
		r := Record{Seq: seq, Items: []Item{{Id: seq}}}
		if err := o.Add(&r, func(r *Record) error {
			got = append(got, r.Items[0].Id)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		r.Items[0].Id = 99 // the next record's
	}
	for i, seq := range got {
		if seq != uint64(i) {
			t.Fatalf("%v", got)
		}
	}
	if len(got) != 6 || o.Waiting() != 0 {
		t.Errorf("%v, %d wait", got, o.Waiting())
	}
}

// encode writes a record as the programs of BPF do.
func encode(r *Record) []byte {
	data := make([]byte, recordSize+len(r.Items)*itemSize)
	for i, word := range append([]uint64{r.Seq, r.T, r.Frame, r.Thread, r.Object, uint64(r.Value)}, r.Args[:]...) {
		binary.NativeEndian.PutUint64(data[8*i:], word)
	}
	binary.NativeEndian.PutUint32(data[96:], uint32(len(r.Items)))
	data[100] = byte(r.Kind)
	if r.End {
		data[101] = 1
	}
	if r.Second {
		data[102] = 1
	}
	for i, item := range r.Items {
		to := data[recordSize+i*itemSize:]
		for j, word := range []uint64{item.Id, item.Place, item.Bytes, item.Mr} {
			binary.NativeEndian.PutUint64(to[8*j:], word)
		}
		for j, half := range []uint32{item.Opcode, item.Flags, item.Key, item.Status, item.Vendor} {
			binary.NativeEndian.PutUint32(to[32+4*j:], half)
		}
	}
	return data
}

func TestDecode(t *testing.T) {
	want := Record{
		Seq: 1, T: 2, Frame: 3, Thread: 4, Object: 5, Value: -6, Args: [6]uint64{7, 8, 9, 10, 11, 12}, Kind: PollCq, End: true, Second: true,
		Items: []Item{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {Id: 11, Vendor: 12}},
	}
	var got Record
	if err := Decode(encode(&want), &got); err != nil {
		t.Fatal(err)
	}
	if again := encode(&got); !bytes.Equal(again, encode(&want)) {
		t.Errorf("%+v, want %+v", got, want)
	}
	whole := encode(&want)
	for n := range len(whole) {
		if err := Decode(whole[:n], &got); err == nil {
			t.Fatalf("%d of %d bytes were accepted", n, len(whole))
		}
	}
	for _, kind := range []byte{0, byte(kinds), 255} {
		whole[100] = kind
		if err := Decode(whole, &got); err == nil {
			t.Errorf("kind %d was accepted", kind)
		}
	}
}

// Whatever records say, nothing panics, and what is written can be read.
func TestAnyRecords(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var records []Record
		few := func() uint64 { return random.Uint64N(4) }
		odd := func() uint64 {
			if random.IntN(4) == 0 {
				return random.Uint64()
			}
			return few()
		}
		for i := range 200 {
			r := Record{
				Seq: uint64(i), T: uint64(i) * 10, Frame: few() * 16, Thread: few() | few()<<62, Object: few(), Value: int64(odd()),
				Kind: Kind(1 + random.IntN(int(kinds)-1)), End: random.IntN(2) == 0, Second: random.IntN(4) == 0,
			}
			if random.IntN(4) == 0 {
				r.Value = -r.Value
			}
			for j := range r.Args {
				r.Args[j] = odd()
			}
			for range random.IntN(3) {
				r.Items = append(r.Items, Item{few(), few(), odd(), few(), uint32(odd()), uint32(odd()), uint32(odd()), uint32(odd()), uint32(odd())})
			}
			records = append(records, r)
		}
		text(t, Options{Rest: 7, Start: 3, Opcodes: map[uint32]string{0: "SEND"}}, records)
	}
}

// An error of the writer ends the conversion.
func TestWriterFails(t *testing.T) {
	c := New(Options{}, func(*trace.Event) error { return bytes.ErrTooLarge })
	if err := c.Record(&Record{Kind: CreateCq, Object: 1}); err != bytes.ErrTooLarge {
		t.Error(err)
	}
}
