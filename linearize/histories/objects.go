package histories

import (
	"fmt"
	"slices"

	"ndkoracle/trace"
)

// Objects that have no part in the work of queues: protection domains, regions, windows, shared queues, connectors, listeners and shared endpoints. They
// are created, used and closed beside a run, as the contract allows or with one breach.

// A kindOfObject says by which functions objects of a kind live.
type kindOfObject struct {
	of                 func(*trace.Event) *string // the field that names one
	create, use, close string
	child              bool // of a protection domain
}

func pdOf(e *trace.Event) *string { return &e.Pd }

func mrOf(e *trace.Event) *string { return &e.Mr }

func mwOf(e *trace.Event) *string { return &e.Mw }

func srqOf(e *trace.Event) *string { return &e.Srq }

func connectorOf(e *trace.Event) *string { return &e.Connector }

func listenerOf(e *trace.Event) *string { return &e.Listener }

func endpointOf(e *trace.Event) *string { return &e.Endpoint }

// kindsOfObjects are those of NDKPI and of NDSPI, the protection domain first, and kindsOfVerbs those of libibverbs.
var (
	kindsOfObjects = []kindOfObject{
		{pdOf, "NdkCreatePd", "", "NdkClosePd", false},
		{mrOf, "NdkCreateMr", "NdkInitializeFastRegisterMr", "NdkCloseMr", true},
		{mwOf, "NdkCreateMw", "", "NdkCloseMw", true},
		{srqOf, "NdkCreateSrq", "NdkModifySrq", "NdkCloseSrq", true},
		{connectorOf, "NdkCreateConnector", "NdkGetConnectionData", "NdkCloseConnector", false},
		{listenerOf, "NdkCreateListener", "NdkGetListenerLocalAddress", "NdkCloseListener", false},
		{endpointOf, "NdkCreateSharedEndpoint", "NdkGetSharedEndpointLocalAddress", "NdkCloseSharedEndpoint", false},
	}
	kindsOfVerbs = []kindOfObject{
		{pdOf, "ibv_alloc_pd", "", "ibv_dealloc_pd", false},
		{mrOf, "ibv_reg_mr", "", "ibv_dereg_mr", true},
		{mwOf, "ibv_alloc_mw", "", "ibv_dealloc_mw", true},
		{srqOf, "ibv_create_srq", "", "ibv_destroy_srq", true},
	}
)

// mayPend lists the functions of those that may return STATUS_PENDING, but for creations and closes.
var mayPend = []string{"NdkInitializeFastRegisterMr", "NdkModifySrq"}

// bystanders draws the lives of such objects.
type bystanders struct {
	d      dice
	verbs  bool
	strict bool // no close fails (A22)
	events []trace.Event
	ops    int
	lives  []life // those that are open
	nth    int
	domain string // the protection domain
}

type life struct {
	kind kindOfObject
	id   string
}

func (b *bystanders) begin(fn string, e trace.Event) string {
	b.ops++
	op := fmt.Sprintf("b%d", b.ops)
	e.Ph, e.Fn, e.Op, e.Thr = trace.Call, fn, op, "u"
	b.events = append(b.events, e)
	return op
}

func (b *bystanders) returns(fn, op, status string) {
	e := trace.Event{Ph: trace.Ret, Fn: fn, Op: op, Thr: "u", Status: status}
	if b.verbs {
		if e.Status = ""; status != "STATUS_SUCCESS" {
			e.Errno = "EBUSY"
		}
	}
	b.events = append(b.events, e)
}

// completes is the callback that completes a call which was pending.
func (b *bystanders) completes(fn, of, status string) {
	b.ops++
	op := fmt.Sprintf("b%d", b.ops)
	b.events = append(b.events, trace.Event{Ph: trace.Enter, Fn: fn, Op: op, For: of, Status: status, Thr: "v"},
		trace.Event{Ph: trace.Exit, Fn: fn, Op: op, Thr: "v"})
}

// calls is a call that succeeds, at once or later.
func (b *bystanders) calls(fn string, e trace.Event, completion string) {
	op := b.begin(fn, e)
	if completion == "" || b.verbs || b.d.Roll(3, "pends") > 0 {
		b.returns(fn, op, "STATUS_SUCCESS")
		return
	}
	b.returns(fn, op, "STATUS_PENDING")
	status := "STATUS_SUCCESS"
	if completion == "NdkCloseCompletion" {
		status = ""
	}
	b.completes(completion, op, status)
}

func (l life) named() trace.Event {
	var e trace.Event
	*l.kind.of(&e) = l.id
	return e
}

func (b *bystanders) create(kind kindOfObject) life {
	b.nth++
	l := life{kind, fmt.Sprintf("o%d", b.nth)}
	e := l.named()
	if kind.child {
		e.Pd = b.domain
	}
	b.calls(kind.create, e, "NdkCreateCompletion")
	b.lives = append(b.lives, l)
	return l
}

func (b *bystanders) use(l life) {
	completion := ""
	if slices.Contains(mayPend, l.kind.use) {
		completion = "NdkRequestCompletion"
	}
	b.calls(l.kind.use, l.named(), completion)
}

// close closes an object. A close that fails leaves it open, where one may fail (A22).
func (b *bystanders) close(l life) {
	if !b.verbs && !b.strict && b.d.Roll(6, "close fails") == 0 {
		b.failToClose(l)
	}
	b.lives = slices.DeleteFunc(b.lives, func(o life) bool { return o.id == l.id })
	b.calls(l.kind.close, l.named(), "NdkCloseCompletion")
}

func (b *bystanders) failToClose(l life) {
	b.returns(l.kind.close, b.begin(l.kind.close, l.named()), "STATUS_INSUFFICIENT_RESOURCES")
}

func (b *bystanders) kinds() []kindOfObject {
	if b.verbs {
		return kindsOfVerbs
	}
	return kindsOfObjects
}

// live draws what happens, all of it legal, and closes some of what is left, children before their domain.
func (b *bystanders) live() {
	all := b.kinds()
	b.domain = b.create(all[0]).id
	for range 1 + b.d.Roll(5, "deeds") {
		kind := all[1+b.d.Roll(len(all)-1, "kind")]
		l := b.create(kind)
		if kind.use != "" && Flip(b.d, "use") {
			b.use(l)
		}
		if Flip(b.d, "close") {
			b.close(l)
		}
	}
	if Flip(b.d, "close all") {
		for _, l := range slices.Backward(slices.Clone(b.lives)) {
			b.close(l)
		}
	}
}

// fresh creates an object of any kind but the domain.
func (b *bystanders) fresh() life {
	all := b.kinds()
	return b.create(all[1+b.d.Roll(len(all)-1, "kind")])
}

// A breachOfLife breaks the contract for one object. It needs a function of its kind beside creation and close, or a call that may pend.
type breachOfLife struct {
	what      string
	uses, ndk bool
	do        func(*bystanders, life)
}

// closeFails is a breach where A22 is read so.
const closeFails = "a close fails"

var breachesOfLives = []breachOfLife{
	{"an object is closed whose creation was refused", false, false, func(b *bystanders, l life) {
		refused := life{l.kind, "refused"}
		b.returns(l.kind.create, b.begin(l.kind.create, refused.named()), "STATUS_INSUFFICIENT_RESOURCES")
		b.calls(l.kind.close, refused.named(), "")
	}},
	{"an object is closed twice", false, false, func(b *bystanders, l life) {
		b.close(l)
		b.calls(l.kind.close, l.named(), "")
	}},
	{"an object is used behind its close", true, false, func(b *bystanders, l life) {
		b.close(l)
		b.calls(l.kind.use, l.named(), "")
	}},
	{"an object is closed while its function runs", true, false, func(b *bystanders, l life) {
		op := b.begin(l.kind.use, l.named())
		b.close(l)
		b.returns(l.kind.use, op, "STATUS_SUCCESS")
	}},
	{"a domain is closed before its children", false, true, func(b *bystanders, _ life) {
		mr := b.create(kindsOfObjects[1])
		b.lives = slices.DeleteFunc(b.lives, func(o life) bool { return o.id == mr.id || o.id == b.domain })
		l := life{kindsOfObjects[0], b.domain}
		b.returns(l.kind.close, b.begin(l.kind.close, l.named()), "STATUS_SUCCESS")
	}},
	{"a close completes twice", false, true, func(b *bystanders, l life) {
		op := b.begin(l.kind.close, l.named())
		b.returns(l.kind.close, op, "STATUS_PENDING")
		b.completes("NdkCloseCompletion", op, "")
		b.completes("NdkCloseCompletion", op, "")
	}},
	{"a close never completes", false, true, func(b *bystanders, l life) {
		b.returns(l.kind.close, b.begin(l.kind.close, l.named()), "STATUS_PENDING")
		b.events = append(b.events, trace.Event{Ph: trace.Point, Fn: "quiesce", Thr: "u"})
	}},
	{"a creation that returned success completes", false, true, func(b *bystanders, l life) {
		other := life{l.kind, "told"}
		op := b.begin(l.kind.create, other.named())
		b.returns(l.kind.create, op, "STATUS_SUCCESS")
		b.completes("NdkCreateCompletion", op, "STATUS_SUCCESS")
	}},
	{closeFails, false, true, (*bystanders).failToClose},
}

// breach breaks the contract, and says how.
func (b *bystanders) breach() string {
	if !slices.ContainsFunc(b.lives, func(l life) bool { return l.id == b.domain }) {
		b.domain = b.create(b.kinds()[0]).id
	}
	for {
		l, how := b.fresh(), breachesOfLives[b.d.Roll(len(breachesOfLives), "breach")]
		if how.uses && l.kind.use == "" || how.ndk && b.verbs || how.what == closeFails && !b.strict {
			continue
		}
		how.do(b, l)
		return how.what
	}
}

// withObjects returns the trace with the lives of such objects added, in a stretch without a moment of rest. breach says how they break the contract, or
// is "nothing".
func withObjects(d dice, t *trace.Trace, verbs, strict bool) (more *trace.Trace, breach string) {
	b := &bystanders{d: d, verbs: verbs, strict: strict}
	if b.live(); Flip(d, "breach of a life") {
		breach = b.breach()
	} else {
		breach = "nothing"
	}
	from := d.Roll(len(t.Events)+1, "from")
	copied := *t
	copied.Events = slices.Clone(t.Events[:from])
	rest := t.Events[from:]
	for _, e := range b.events {
		for len(rest) > 0 && rest[0].Fn != "quiesce" && e.Fn != "quiesce" && Flip(d, "first") {
			copied.Events, rest = append(copied.Events, rest[0]), rest[1:]
		}
		copied.Events = append(copied.Events, e)
	}
	copied.Events = append(copied.Events, rest...)
	for i := range copied.Events {
		copied.Events[i].Seq, copied.Events[i].Line = uint64(i+1), i+2
	}
	if t.End != nil {
		copied.End = &trace.End{Events: uint64(len(copied.Events)), Quiescent: t.End.Quiescent}
	}
	return &copied, breach
}
