package trace

import (
	"fmt"
	"strings"
	"testing"
)

// A trace in a partial order has its events in each order that its threads, their times and its calls leave open, and in no other.
func TestInOrder(t *testing.T) {
	partial := &Trace{Header: Header{Order: "partial"}, Events: []Event{
		{Seq: 1, T: 10, Thr: "a", Ph: Call, Op: "1"},
		{Seq: 2, T: 20, Thr: "a", Ph: Ret, Op: "1"},
		{Seq: 3, T: 20, Thr: "b", Ph: Enter, Op: "2", For: "1"},
		{Seq: 4, T: 20, Thr: "b", Ph: Exit, Op: "2"},
		{Seq: 5, T: 30, Thr: "c", Ph: Point},
	}}
	for _, test := range []struct {
		seqs []uint64
		says string
	}{
		{[]uint64{1, 2, 3, 4, 5}, ""},
		{[]uint64{1, 3, 2, 4, 5}, ""},
		{[]uint64{1, 3, 4, 2, 5}, ""},
		{[]uint64{1, 2, 4, 3, 5}, "comes before op"},
		{[]uint64{1, 2, 3, 5, 4}, "behind one with a later time"},
		{[]uint64{2, 1, 3, 4, 5}, "comes before op"},
		{[]uint64{1, 2, 3, 4}, "an order of 4 events"},
		{[]uint64{1, 2, 3, 3, 5}, "no event with seq 3"},
		{[]uint64{1, 2, 3, 4, 6}, "no event with seq 6"},
	} {
		total, err := partial.InOrder(test.seqs)
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v: %v, want %q", test.seqs, err, test.says)
			}
			continue
		}
		if err != nil || total.Header.Order != "total" || len(total.Events) != len(test.seqs) {
			t.Errorf("%v: %+v, %v", test.seqs, total, err)
			continue
		}
		for i, seq := range test.seqs {
			if total.Events[i].Seq != seq {
				t.Errorf("%v: seq %d in place %d", test.seqs, total.Events[i].Seq, i)
			}
		}
	}
	events, ties, err := partial.ByTime()
	if err != nil || len(ties) != 1 || ties[0].From != 1 || ties[0].To != 4 {
		t.Fatalf("%v, %v", ties, err)
	}
	var orders []string
	complete := ties[0].Orders(events[1:4], func(order []Event) bool {
		orders = append(orders, fmt.Sprint(SeqsOf(order)))
		return true
	})
	if got := fmt.Sprint(orders); !complete || got != "[[2 3 4] [3 2 4] [3 4 2]]" {
		t.Errorf("orders %s of the tie, all of them: %v", got, complete)
	}
	partial.Events[3].T = 15
	if _, err := partial.InOrder([]uint64{1, 4, 2, 3, 5}); err == nil {
		t.Error("a thread whose time runs backwards is in an order")
	}
	partial.Events[3] = Event{Seq: 4, T: 20, Thr: "b", Ph: Point}
	if _, err := partial.InOrder([]uint64{1, 2, 4, 3, 5}); err == nil || !strings.Contains(err.Error(), "a later one of its thread") {
		t.Errorf("events of one thread change places: %v", err)
	}
}
