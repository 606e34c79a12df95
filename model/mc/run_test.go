package mc

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/model"
	"ndkoracle/rules"
)

// dialects are the dialects and readings that every property is held against.
func dialects() []model.Dialect {
	return []model.Dialect{model.Ndkpi(), model.Ndspi(), model.Verbs(), model.VerbsDevice()}
}

// drawDialect draws how a dialect is read: one question may be answered in another way than by default.
func drawDialect(t *rapid.T, d model.Dialect) model.Dialect {
	open := slices.DeleteFunc(rules.Readings(), func(r rules.Reading) bool { return r.Choices == nil })
	r := rapid.SampledFrom(open).Draw(t, "reading")
	d, err := d.Assume(r.ID, rapid.SampledFrom(r.Choices).Draw(t, r.ID))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drawContract draws the objects: CQs alone, a connection with one CQ, one whose QPs complete into each other's CQs, and
// QPs of which one's peer is not known.
func drawContract(t *rapid.T, d model.Dialect) *model.Contract {
	c := &model.Contract{Dialect: d, Tokens: 2}
	switch rapid.SampledFrom([]string{"CQs", "one CQ", "crossed CQs", "three QPs", "SRQs"}).Draw(t, "objects") {
	case "CQs":
		c.Depth = []int{3, 1}
	case "SRQs":
		c.Depth = []int{1}
		c.Srqs = []model.Sharing{{Depth: 3, Threshold: rapid.IntRange(0, 2).Draw(t, "threshold"), Notifies: rapid.Bool().Draw(t, "notifies"), Qps: 2},
			{Depth: 2, Threshold: 1, Notifies: true, Qps: 1}}
	case "one CQ":
		c.Depth, c.Qps = []int{3}, []model.Binding{{Peer: 1}, {Peer: 0}}
	case "crossed CQs":
		c.Depth, c.Qps = []int{2, 3}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 0}}
	case "three QPs":
		c.Depth, c.Qps = []int{3, 2}, []model.Binding{{Peer: 1}, {ReceiveCq: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: -1}}
	}
	for _, depth := range c.Depth {
		c.Room = append(c.Room, depth+rapid.IntRange(0, 1).Draw(t, "more room"))
	}
	c.ReadInvalidates = rapid.Bool().Draw(t, "reads invalidate")
	c.Composed = len(c.Qps) < 3 && rapid.Bool().Draw(t, "composed")
	return c
}

// domain is what runs take their arguments from.
func domain(c *model.Contract) model.Domain {
	d := model.Domain{Room: []int{1, 3}, Depths: []int{1, 2}, Places: 5}
	if len(c.Srqs) > 0 {
		d.Depths, d.Thresholds = []int{0, 1, 4}, []int{0, 1, 2}
	}
	if len(c.Qps) == 0 {
		for _, status := range []model.Outcome{model.SUCCESS, model.FAILED, model.CANCELLED} {
			d.Completions = append(d.Completions, model.Completion{Queue: model.Receive, Status: status, Token: model.NoToken})
		}
		d.Completions = append(d.Completions, model.Completion{Queue: model.Receive, Solicited: true, Token: model.NoToken})
	}
	for op := range model.Write + 1 {
		d.Requests = append(d.Requests, requests(op, []string{"SILENT_SUCCESS", "READ_FENCE", "SEND_AND_SOLICIT_EVENT"}, c.Tokens)...)
	}
	return d
}

// ends holds the actions after which little can happen; they are drawn less often.
var ends = []model.Name{model.Overflow, model.CqInternalError, model.NdkCloseCq, model.NdkCloseCompletion, model.ConnectionLost, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp,
	model.SrqInternalError, model.NdkCloseSrq, model.SrqClosed, model.QpEnds}

// drawAction draws an enabled action: first its name, so that the many posts do not crowd out the rest.
func drawAction(t *rapid.T, m Moment, d model.Domain) (model.Action, bool) {
	byName := map[model.Name][]model.Action{}
	var names []model.Name
	for _, a := range m.contract.Enabled(m.state, d) {
		if a.Name == model.NdkArmCq && !m.mayArm(a.Cq) || a.Name == model.Post && len(m.state.Qps[a.Qp].Queue(a.Queue)) > 3 || !m.mayCancel(&a) || !mayOfSrq(&m, &a) || a.Name == model.NdkResizeCq && a.Depth == 0 {
			continue
		}
		if byName[a.Name] == nil {
			names = append(names, a.Name)
			if !slices.Contains(ends, a.Name) {
				names = append(names, slices.Repeat([]model.Name{a.Name}, 5)...)
			}
		}
		byName[a.Name] = append(byName[a.Name], a)
	}
	if len(names) == 0 {
		return model.Action{}, false
	}
	a := rapid.SampledFrom(byName[rapid.SampledFrom(names).Draw(t, "name")]).Draw(t, "action")
	switch a.Name {
	case model.Post, model.PostRefused:
		a.Request.Id = m.posts[a.Qp] + 1
	case model.Place:
		a.Completion.Qp = a.Cq // each CQ has numbers of its own
		a.Completion.Request = len(m.delivered[a.Cq][model.Receive]) + len(m.state.Cqs[a.Cq].Entries) + 1
	}
	return a, true
}

// drawRun draws a run, and calls visit with every step of it. Returned is the last moment.
func drawRun(t *rapid.T, c *model.Contract, visit func(before, after Moment, a model.Action)) Moment {
	m, d := start(c, 3), domain(c)
	for i := range c.Srqs {
		m.state.Srqs[i] = rapid.SampledFrom(c.NewSrqs(i)).Draw(t, "created")
		m.shared[i].unspent = m.state.Srqs[i].Waiting + m.state.Srqs[i].Due
	}
	if rapid.Bool().Draw(t, "connected") {
		for i := range c.Qps {
			m.state.Qps[i].State = model.Connected
		}
	}
	for range rapid.IntRange(0, 80).Draw(t, "steps") {
		a, ok := drawAction(t, m, d)
		if !ok {
			break
		}
		next, refusal := c.Step(m.state, a)
		if refusal != nil || len(next) == 0 {
			t.Fatalf("%+v is enabled, and is refused (%v) in %+v", a, refusal, m.state)
		}
		for _, s := range next {
			visit(m, m.after(a, s), a)
		}
		m = m.after(a, next[rapid.IntRange(0, len(next)-1).Draw(t, "next")])
	}
	return m
}

// broken returns the names of the invariants that do not hold.
func (m Moment) broken() []string {
	var names []string
	for name, holds := range invariants {
		if !holds(&m) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// brokenBy returns the names of the properties that a step does not have.
func brokenBy(before, after Moment, a model.Action) []string {
	var names []string
	for name, holds := range properties {
		if !holds(&before, &after, a) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Every invariant of tla/ holds in every state of random runs, and every property of every step, in each dialect and under
// each reading. Their rules are with their functions.
func TestInvariantsHoldAlongRuns(t *testing.T) {
	for _, dialect := range dialects() {
		t.Run(dialect.Name, rapid.MakeCheck(func(t *rapid.T) {
			c := drawContract(t, drawDialect(t, dialect))
			drawRun(t, c, func(before, after Moment, a model.Action) {
				if broken := after.broken(); len(broken) > 0 {
					t.Fatalf("after %+v %v do not hold in %+v", a, broken, after.state)
				}
				if broken := brokenBy(before, after, a); len(broken) > 0 {
					t.Fatalf("%v do not hold of %+v\nfrom %+v\nto   %+v", broken, a, before.state, after.state)
				}
			})
		}))
	}
}

// Whatever a run did: when the provider does what fairness promises, what is owed gets done. The rules are with the functions.
func TestWhatIsOwedGetsDone(t *testing.T) {
	for _, dialect := range dialects() {
		t.Run(dialect.Name, rapid.MakeCheck(func(t *rapid.T) {
			c := drawContract(t, drawDialect(t, dialect))
			c.Composed = false // messages need no receive, and none is posted
			for i := range c.Qps {
				c.Qps[i].Peer = -1
			}
			m := drawRun(t, c, func(before, after Moment, a model.Action) {})
			choose := rester(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "rest") })
			for _, name := range slices.Sorted(maps.Keys(liveness)) {
				if kept := liveness[name]; !kept(choose, m) {
					t.Fatalf("%s does not hold after %+v", name, m.state)
				}
			}
		}))
	}
}

// Step leaves the state as it is that it starts from, and all that were made before: they share what does not change.
func TestStepIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContract(t, drawDialect(t, rapid.SampledFrom(dialects()).Draw(t, "dialect")))
		var states []model.State
		var copies [][]byte
		keep := func(s model.State) {
			states, copies = append(states, s), append(copies, deepCopy(t, s))
		}
		keep(c.Init())
		drawRun(t, c, func(_, after Moment, _ model.Action) { keep(after.state) })
		for i, s := range states {
			if !bytes.Equal(deepCopy(t, s), copies[i]) {
				t.Fatalf("a later step changed a state\nfrom %s\nto   %s", copies[i], deepCopy(t, s))
			}
		}
		for i := 1; i < len(states); i++ {
			equal := bytes.Equal(copies[i], copies[i-1])
			if same := bytes.Equal(states[i].AppendKey(nil), states[i-1].AppendKey(nil)); same != equal {
				t.Fatalf("keys equal: %v, states equal: %v\n%s\n%s", same, equal, copies[i], copies[i-1])
			}
		}
	})
}

// deepCopy returns a state in words, with empty slices the same whether or not they are nil.
func deepCopy(t *rapid.T, s model.State) []byte {
	for i, q := range s.Cqs {
		if len(q.Entries) == 0 {
			s.Cqs = with(s.Cqs, i, q)
			s.Cqs[i].Entries = nil
		}
	}
	for i, p := range s.Qps {
		s.Qps = with(s.Qps, i, p)
		for _, queue := range []*[]model.Request{&s.Qps[i].Initiator, &s.Qps[i].Receive} {
			if len(*queue) == 0 {
				*queue = nil
			}
		}
	}
	for i, r := range s.Srqs {
		if len(r.Taken) == 0 {
			s.Srqs = with(s.Srqs, i, r)
			s.Srqs[i].Taken = nil
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the whole allows its parts allow too, to the same states: who judges the parts alone accepts no less.
func TestPartsAllowWhatTheWholeAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContract(t, drawDialect(t, rapid.SampledFrom(dialects()).Draw(t, "dialect")))
		parts := *c
		parts.Composed = false
		drawRun(t, c, func(before, _ Moment, a model.Action) {
			whole, _ := c.Step(before.state, a)
			alone, refusal := parts.Step(before.state, a)
			if !reflect.DeepEqual(whole, alone) {
				t.Fatalf("%+v: the parts go to %+v (%v), the whole to %+v", a, alone, refusal, whole)
			}
		})
	})
}

// LIFE-11: a close during which the connection failed completes, though a deferred request remains that is never indicated.
func TestCloseCompletesBehindAFailure(t *testing.T) {
	c := &model.Contract{Dialect: model.Ndspi(), Depth: []int{2}, Room: []int{2}, Qps: []model.Binding{{Peer: -1}}}
	m := start(c, 3)
	m.state.Qps[0] = model.Qp{State: model.CloseWaits, Initiator: []model.Request{
		{Id: 1, Op: model.Send, Token: model.NoToken, Phase: model.Indicated},
		{Id: 2, Op: model.Send, Token: model.NoToken, Phase: model.Deferred}}}
	next, refusal := c.Step(m.state, model.Action{Name: model.Execute, Outcome: model.FAILED, Token: model.NoToken})
	if refusal != nil {
		t.Fatal(refusal)
	}
	m.state = next[0]
	for name, kept := range map[string]func(rester, Moment) bool{"CloseQpCompletes": CloseQpCompletes, "CloseCqCompletes": CloseCqCompletes} {
		if !kept(func(int) int { return 0 }, m) {
			t.Errorf("%s does not hold after %+v", name, m.state)
		}
	}
}
