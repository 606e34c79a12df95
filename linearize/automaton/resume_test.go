package automaton

import (
	"slices"
	"testing"

	"ndkoracle/model"
)

// resumed lets a queue take what was seen, resume wherever no explanation is left, and returns where that was.
func resumed(t *testing.T, m *Machine, consumer bool, seen []sight) (deaths []int) {
	t.Helper()
	f := &follow{q: m.NewQueue(consumer), from: map[int]Moment{}, known: map[int]bool{}, fences: map[int]Moment{}, told: map[int]bool{}}
	for i, e := range seen {
		if f.take(e, Moment(i+1)) {
			continue
		}
		if deaths = append(deaths, i); f.q.Alive() {
			t.Fatalf("%d: false, and alive", i)
		}
		if f.q.Resume(); !f.q.Alive() && f.q.Err() == nil {
			t.Fatalf("nothing is alive after Resume at %d\n%s", i, list(seen))
		}
	}
	return deaths
}

// What is wrong with one event is told once, and what is wrong with a later one too (ARM-01 to ARM-05, ARM-09, ARM-12, ARM-21,
// POLL-03, DEF-04).
func TestResume(t *testing.T) {
	all := slices.Concat[[]sight]
	arm := func(a model.Arm) []sight { return []sight{{what: armCalled, arm: a}, {what: armReturned}} }
	armed := arm(model.ANY)
	callback := []sight{{what: callbackEntered}, {what: callbackExited}}
	post := func(id int) []sight { return []sight{{what: posted, request: id}} }
	poll := func(kind Kinds, ids ...int) []sight {
		e := sight{what: polled}
		for _, id := range ids {
			e.told = append(e.told, told{id, kind})
		}
		return []sight{e}
	}
	rest := func(ids ...int) []sight { return []sight{{what: notified, owed: ids}} }
	round := func(id int) []sight {
		return all(armed, post(id), callback, poll(Plain, id), poll(Plain), rest())
	}
	for name, test := range map[string]struct {
		seen   []sight
		deaths []int
	}{
		"nothing is wrong":                         {all(round(1), round(2)), nil},
		"a callback without an arm":                {all(callback, round(1), round(2)), []int{0}},
		"two of them":                              {all(callback, round(1), callback), []int{0, 10}},
		"two callbacks of one arm":                 {all(armed, post(1), callback, callback, poll(Plain, 1), rest(), round(2)), []int{5}},
		"a callback at an unsolicited completion":  {all(arm(model.SOLICITED), post(1), poll(Plain, 1), callback, rest(), round(2)), []int{4}},
		"a callback is missing":                    {all(armed, post(1), rest(1), poll(Plain, 1), rest(), round(2)), []int{3}},
		"two are missing":                          {all(armed, post(1), rest(1), poll(Plain, 1), armed, post(2), rest(2)), []int{3, 8}},
		"it comes later":                           {all(armed, post(1), rest(1), callback, poll(Plain, 1), rest(), round(2)), []int{3}},
		"a poll leaves a completion behind":        {all(post(1), rest(1), poll(Plain), poll(Plain, 1), round(2)), []int{2}},
		"a callback overlaps another":              {all(armed, post(1), callback[:1], armed, post(2), callback, callback[1:], poll(Plain, 1, 2), rest(), round(3)), []int{7, 9}},
		"a callback is missing, and another wrong": {all(armed, post(1), rest(1), poll(Plain, 1), rest(), callback, round(2)), []int{3, 6}},
	} {
		if deaths := resumed(t, New(model.Ndkpi(), 0), false, test.seen); !slices.Equal(deaths, test.deaths) {
			t.Errorf("%s: deaths at %v, want %v\n%s", name, deaths, test.deaths, list(test.seen))
		}
	}
}

// After Resume an explanation is always left, whatever was seen.
func TestResumeAlwaysGoesOn(t *testing.T) {
	for _, d := range dialects() {
		m, deaths := New(d, 0), 0
		for n := range uint64(*count) {
			w := newWalk(d, *seed+n, 11)
			w.points = w.draw(3, "points") == 2
			for range w.draw(40, "steps") {
				w.go1()
			}
			for range 3 {
				w.spoil()
			}
			if valid(w.seen) {
				deaths += len(resumed(t, m, w.consumer, w.seen))
			}
		}
		if deaths == 0 {
			t.Errorf("%s: nothing ever died", d.Name)
		}
	}
}
