package monitor

import (
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// validity follows which tokens are certainly not valid: those that nothing ever made valid, those whose region or window is closed, and those
// whose invalidation was told.
type validity struct {
	tokens  map[int64]*madeToken
	of      map[Object][]int64      // the tokens of each region and window
	made    map[string]*madeToken   // by wr: those whose request is not told
	posts   map[string]*trace.Event // by op: the calls under way that make a token valid
	unknown bool                    // a token was made valid that the trace does not record
	revived func(token int64)       // is told of each token that is made valid, of unknown where the trace does not record which
}

// A madeToken is one that was made valid, or is to be.
type madeToken struct {
	holder Object
	made   int          // the index of the latest event that shows it
	by     *workRequest // the request that makes it valid, until that is told, or nil
	queue  queueOf      // of that request, or none
	behind int          // the position of that request in its queue
	told   int          // the index of the event that showed its success, or 0
	named  int          // the first message since then that names it, or 0
	shared bool         // several regions have had it at a time
	dead   string       // why it is not valid any more, or ""
	line   int          // the line that shows it, if dead
}

// isBad returns why a token is certainly not valid, and where that is told.
func (v *validity) isBad(m *Monitor, token int64) (why string, line int) {
	t := v.tokens[token]
	switch {
	case len(v.posts) > 0:
		return "", 0
	case t != nil && t.shared:
		return "", 0
	case t != nil:
		return t.dead, t.line
	case v.unknown || m.objects.unborn[Mr] > 0 || m.objects.unborn[Mw] > 0 || m.objects.beganBefore:
		return "", 0
	}
	return "nothing had made it valid", 0
}

// maxMade is how many tokens are remembered before all are forgotten.
const maxMade = 1 << 12

// makes records that an event tells which token a region or window has.
func (v *validity) makes(m *Monitor, holder Object, token int64, by *workRequest) {
	v.revived(token)
	if len(v.tokens) >= maxMade {
		clear(v.tokens)
		clear(v.of)
		clear(v.made)
		v.unknown = true
	}
	old := v.tokens[token]
	if old != nil && old.by != nil {
		delete(v.made, old.by.wr)
	}
	t := &madeToken{holder: holder, made: m.now.Index, by: by, shared: old != nil && (old.shared || old.dead == "" && old.holder != holder)}
	if v.tokens[token] = t; by != nil {
		v.made[by.wr] = t
		t.queue, t.behind = queueOf{by.queue.name, by.queue.kind}, by.position
	}
	if !slices.Contains(v.of[holder], token) {
		v.of[holder] = append(v.of[holder], token)
	}
}

// makesUntold records that a token was made valid that the trace does not record.
func (v *validity) makesUntold() {
	v.unknown = true
	v.revived(unknown)
}

func holderOf(e *trace.Event) Object {
	if e.Mw != "" {
		return Object{Mw, e.Mw}
	}
	return Object{Mr, e.Mr}
}

func registers(op model.Op) bool { return op == model.FastRegister || op == model.Bind }

// begin records the calls that make a token valid.
func (v *validity) begin(m *Monitor, c *Call, e *trace.Event) {
	switch {
	case calls.GivesUntoldToken(c.Fn):
		v.makesUntold()
	case c.Kind == calls.Post && registers(c.Function.Op):
		v.posts[c.Op] = &trace.Event{Mr: e.Mr, Mw: e.Mw, Token: e.Token}
	case c.Kind == calls.Post:
		for i := range e.Wrs {
			w := &e.Wrs[i]
			if op, _ := calls.OpOfRequest(w); c.Queue == model.Initiator && registers(op) {
				if w.Token == nil {
					v.makesUntold()
					continue
				}
				v.makes(m, holderOf(&trace.Event{Mr: w.Mr, Mw: w.Mw}), int64(*w.Token), m.requests.byWr[w.Wr])
			}
		}
	}
}

// end records the token that a call returns.
func (v *validity) end(m *Monitor, c *Call, e *trace.Event) {
	called, posts := v.posts[c.Op]
	delete(v.posts, c.Op)
	if calls.IsRefusal(c.Verbs, e) {
		return
	}
	switch {
	case posts && e.Token == nil && called.Token == nil:
		v.makesUntold()
	case posts && e.Token != nil:
		v.makes(m, holderOf(called), int64(*e.Token), m.requests.byWr[c.Wr])
	case posts:
		v.makes(m, holderOf(called), int64(*called.Token), m.requests.byWr[c.Wr])
	case e.Token != nil && strings.HasPrefix(c.Fn, "NdkGet"):
		var of Object
		if len(c.objects) > 0 {
			of = c.objects[0].Object
		}
		v.makes(m, of, int64(*e.Token), nil)
	}
}

// closed records that a region or window was closed by a call: its tokens are dead.
func (v *validity) closed(c *Call, line int) {
	for _, o := range c.objects {
		for _, token := range v.of[o.Object] {
			if t := v.tokens[token]; t != nil && t.holder == o.Object && t.made < c.Begun.Index && t.dead == "" {
				t.by, t.dead, t.line = nil, o.Name+", whose token it was, was closed", line
			}
		}
		delete(v.of, o.Object)
	}
}

// called records that a request names a token.
func (v *validity) called(r *workRequest, at int) {
	if t := v.tokens[r.token]; t != nil && r.op == model.SendAndInvalidate && t.named == 0 {
		t.named = at
	}
}

// succeeded records where a poll told that r succeeded, and the token that a receive is known to have invalidated, or unknown.
func (v *validity) succeeded(r *workRequest, at Place, invalidated int64) {
	if t := v.made[r.wr]; t != nil && t.by == r {
		t.told, t.by = at.Index, nil
	}
	for _, token := range []int64{r.token, invalidated} {
		t := v.tokens[token]
		switch {
		case t == nil || t.dead != "":
		case r.op == model.Invalidate && (t.told > 0 && t.told < r.place.Index || t.queue == queueOf{r.queue.name, r.queue.kind} && t.behind < r.position):
			t.by, t.dead, t.line = nil, r.wr+" had invalidated it", at.Line
		case r.op == model.ReceiveOp && t.told > 0 && t.told < t.named:
			t.dead, t.line = "the peer had invalidated it, as "+r.wr+" shows", at.Line
		}
	}
}
