package model

import (
	"reflect"
	"slices"
	"testing"
)

// A state with something in every field.
func fullState() State {
	return State{
		Cqs: []Cq{{Entries: []Completion{{Qp: 1, Request: 7, Token: NoToken}, {Queue: Receive, Request: 8, Token: 1}},
			Fresh: 1, Arm: SOLICITED, Waiting: 1, Due: 2, Health: OK}, {}},
		Qps: []Qp{{State: Connected, Initiator: []Request{{Id: 3, Op: Bind, Token: 1, Phase: Indicated}, {Id: 4, Op: Send, Token: NoToken}},
			Receive: []Request{{Id: 5, Op: ReceiveOp, Token: NoToken, Phase: Executed}}}},
		Tokens: []Validity{Invalid, Valid},
		Srqs:   []Srq{{Queued: 2, Taken: []int{1, 0}, Depth: 4, Threshold: 1, Due: 1}, {}},
	}
}

// A change of any field, or another number of elements, is another key: no two states of a contract share one.
func TestEveryFieldIsInTheKey(t *testing.T) {
	full := fullState()
	seen := map[string]string{string(full.AppendKey(nil)): "nothing"}
	check := func(what string) {
		t.Helper()
		key := string(full.AppendKey(nil))
		if other, known := seen[key]; known {
			t.Errorf("the key is the same with %s changed and with %s changed", what, other)
		}
		seen[key] = what
	}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(path+"["+string(rune('0'+i))+"]", v.Index(i))
			}
			if elem := v.Type().Elem(); v.Len() > 0 && (elem == reflect.TypeFor[Completion]() || elem == reflect.TypeFor[Request]()) {
				whole := v.Interface()
				v.Set(v.Slice(0, v.Len()/2))
				check("half of " + path)
				v.Set(reflect.ValueOf(whole))
			}
		case reflect.Bool:
			v.SetBool(!v.Bool())
			check(path)
			v.SetBool(!v.Bool())
		case reflect.Int:
			old := v.Int()
			for _, n := range []int64{old + 1, old + 2, old + 300} {
				v.SetInt(n)
				check(path)
			}
			v.SetInt(old)
		case reflect.Uint8:
			old := v.Uint()
			v.SetUint(old ^ 1)
			check(path)
			v.SetUint(old ^ 2)
			check(path)
			v.SetUint(old)
		default:
			t.Fatalf("%s: a kind that is not expected: %v", path, v.Kind())
		}
	}
	walk("", reflect.ValueOf(&full).Elem())
	if len(seen) < 100 {
		t.Errorf("only %d changes were tried", len(seen))
	}
	if !reflect.DeepEqual(full, fullState()) {
		t.Error("the state was not put back")
	}
}

// Equal states have equal keys, whether an empty queue is nil or has been emptied.
func TestEqualStatesHaveEqualKeys(t *testing.T) {
	a, b := fullState(), fullState()
	a.Cqs[1].Entries, b.Cqs[1].Entries = nil, []Completion{}
	if !slices.Equal(a.AppendKey(nil), b.AppendKey(nil)) {
		t.Error("two states that are equal have different keys")
	}
}

// The order of Enabled is fixed, and every action in it is taken by Step; every one that has a name is reachable somewhere.
func TestEnabled(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{2}, Qps: []Binding{{Peer: 1}, {Peer: 0}}, Tokens: 1}
	domain := Domain{Room: []int{1, 3}}
	for op := range Write + 1 {
		domain.Requests = append(domain.Requests, Request{Op: op, Token: NoToken}, Request{Op: op, Token: 0})
	}
	first := c.Enabled(c.Init(), domain)
	if !reflect.DeepEqual(first, c.Enabled(c.Init(), domain)) {
		t.Error("the order of actions changed")
	}
	for _, a := range first {
		if _, refusal := c.Step(c.Init(), a); refusal != nil {
			t.Errorf("%+v is enabled, and refused: %s", a, refusal.Why)
		}
	}
	var names []Name
	for _, a := range first {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	want := []Name{NdkArmCq, NdkGetCqResults, NdkGetCqResultsEx, NdkCloseCq, CqInternalError,
		NdkConnect, Post, PostRefused, NdkFlush, NdkDisconnect, NdkCloseQp}
	if !slices.Equal(names, want) {
		t.Errorf("in the first state %v are enabled, want %v", names, want)
	}
}

// Actions has each form of an action once: polls for each room from none to all of it, receives with what a message may bring,
// and where no places are given those at the head of a queue.
func TestActions(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{2}, Qps: []Binding{{Peer: -1}}, Tokens: 2}
	receive := Request{Op: ReceiveOp, Token: NoToken}
	got := map[Name][]Action{}
	for _, a := range c.Actions(Domain{Room: []int{1, 2}, Requests: []Request{receive}}) {
		got[a.Name] = append(got[a.Name], a)
	}
	var polls, executions, completions []Action
	for _, nk := range [][2]int{{1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}} {
		polls = append(polls, Action{Name: NdkGetCqResults, N: nk[0], K: nk[1]})
	}
	for _, q := range []Queue{Initiator, Receive} {
		for _, o := range []Outcome{FAILED, CANCELLED} {
			executions = append(executions, Action{Name: Execute, Queue: q, Outcome: o, Token: NoToken})
		}
		completions = append(completions, Action{Name: Complete, Queue: q})
	}
	executions = append(executions, Action{Name: Execute, Token: NoToken})
	for _, solicited := range []bool{false, true} {
		for _, token := range []int{NoToken, 0, 1} {
			executions = append(executions, Action{Name: Execute, Queue: Receive, Solicited: solicited, Token: token})
		}
	}
	refused := []Action{{Name: PostRefused, Queue: Receive, Request: receive}}
	for _, want := range [][]Action{polls, executions, completions, refused} {
		if name := want[0].Name; !reflect.DeepEqual(got[name], want) {
			t.Errorf("the forms of %s are\n%+v, want\n%+v", name, got[name], want)
		}
	}
}

// Two steps from one state do not write to the same place, even where a queue has room behind its last element.
func TestStepsFromOneStateAreApart(t *testing.T) {
	c := &Contract{Dialect: Ndkpi(), Depth: []int{4}, Qps: []Binding{{Peer: -1}}}
	s := State{Cqs: []Cq{{Entries: make([]Completion, 1, 4)}},
		Qps: []Qp{{State: Connected, Initiator: make([]Request, 1, 4), Receive: make([]Request, 1, 4)}}}
	tests := [][2]Action{
		{{Name: Place, Completion: ok}, {Name: Place, Completion: failed}},
		{{Name: Post, Request: Request{Id: 1}}, {Name: Post, Request: Request{Id: 2}}},
		{{Name: Post, Queue: Receive, Request: Request{Id: 1}}, {Name: Post, Queue: Receive, Request: Request{Id: 2}}},
	}
	for _, test := range tests {
		first, refusal := c.Step(s, test[0])
		if refusal != nil {
			t.Fatal(refusal.Why)
		}
		key := first[0].AppendKey(nil)
		second, refusal := c.Step(s, test[1])
		if refusal != nil {
			t.Fatal(refusal.Why)
		}
		if !slices.Equal(first[0].AppendKey(nil), key) {
			t.Errorf("%+v changed the state after %+v", test[1], test[0])
		}
		if slices.Equal(second[0].AppendKey(nil), key) {
			t.Errorf("%+v and %+v lead to the same state", test[0], test[1])
		}
	}
}
