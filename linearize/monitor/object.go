package monitor

import (
	"ndkoracle/trace"
)

// A Kind is what an object is.
type Kind uint8

// The kinds of objects.
const (
	NoKind Kind = iota
	Adapter
	Pd
	Cq
	Qp
	Srq
	Mr
	Mw
	Lam
	Connector
	Listener
	Endpoint
	Channel // of completion events: libibverbs
	kinds
)

// fieldNames are the keys that name an object of each kind in a trace.
var fieldNames = [kinds]string{"", "adapter", "pd", "cq", "qp", "srq", "mr", "mw", "lam", "connector", "listener", "endpoint", "channel"}

// An Object is named by a trace. Ids are unique among the objects of one kind.
type Object struct {
	Kind Kind
	Name string
}

// An object is what is known of the life of one.
type object struct {
	Object
	created    bool // its creation was called, or a callback delivered it
	exists     bool // its creation has succeeded
	refused    bool // its creation was refused
	parentless bool // the trace does not name its protection domain
	excused    bool // the consumer broke a rule on it: what the provider does with it is not judged
	retired    bool
	objectUse
	objectClose
	activity
	lineage
	connection
}

// An objectUse is when calls have named an object.
type objectUse struct {
	early  *use  // the first use before its creation was called
	told   bool  // a use after its close was reported
	usedBy Place // where the latest call that names it was called, its creation among them
}

// A connection is what is known of the connection of a queue pair, or a connector.
type connection struct {
	connected    bool  // NdkConnect or NdkAccept was called of a connector without a name
	attempted    bool  // the trace holds a connect of it
	failed       bool  // the latest connect of it failed
	disconnected *Call // the latest NdkDisconnect of it that was not refused, since it was connected
	inVain       bool  // the disconnect failed
	lost         *Call // the disconnect event of its connection
	conn         string
}

// A lineage is what outlives an object, and what it outlives (LIFE-15).
type lineage struct {
	antecedents []link // objects that outlive it, while it is a successor of them
	successors  []*object
	ended       int // successors that were closed
	leftBy      int // successors whose close had a completion callback
	outlived    outlived
}

// outlived is an antecedent whose close completed while the creation of an object was pending, and where; or none.
type outlived struct {
	Object
	at Place
}

// An activity holds the functions, requests and callbacks of an object that are under way.
type activity struct {
	running   []*Call // its functions that have not returned
	requests  []*Call // its asynchronous requests that have not completed, or whose completion callback has not returned
	events    []*Call // its event callbacks that run
	requested bool    // an asynchronous request of it was pending
	notified  bool    // an event callback of it was entered
	named     int     // requests that are of it, and are not known to be over
}

// An objectClose is how far the close of an object has come.
type objectClose struct {
	closing  bool      // a close was called, and is running or was accepted
	over     bool      // its close has completed
	answered bool      // a completion callback reported that its close has completed
	closes   []closing // that were called before one was accepted, and were not refused
	closedBy *Call     // the completion callback that says so, while it runs
	ender    *Call     // the close that has completed, which may not have returned; nil while the object is not over
}

// A link is between an object and one of its antecedents (LIFE-15).
type link struct {
	to      *object
	certain bool // or the texts do not say whether it still holds
	at      int  // its place among the successors of that
}

// A use of an object may turn out to have broken a rule.
type use struct {
	Place
	fn    string
	named []Object // by the call
}

// A closing is a close that was called.
type closing struct {
	by       *Call
	accepted bool
	used     *use // the first after its call, while it was running
}

// accepted returns the close that was not refused, or nil.
func (o *objectClose) accepted() *Call {
	for _, c := range o.closes {
		if c.accepted {
			return c.by
		}
	}
	return nil
}

// objects are those that a trace names, but for all that have ended except the latest.
type objects struct {
	byName      [kinds]named[object]
	roles       named[role]
	live        [kinds]int  // that have not ended, by kind
	unborn      [kinds]int  // live objects whose creation the trace does not record, by kind
	orphans     [kinds]int  // live objects whose protection domain the trace does not name, by kind
	unnamed     [kinds]int  // objects without a name that were created, less those that were closed
	strangers   [kinds]bool // the close of an object of this kind was called, and the trace does not name it
	strays      [kinds]bool // an object of this kind may have a successor that the trace does not name
	beganBefore bool        // the trace speaks of an object that was created before it began
	creations   int
	retired     []*object // a ring
	next        int
}

func newObjects() objects {
	t := objects{roles: named[role]{all: roles}}
	for k := range t.byName {
		t.byName[k] = newNamed[object]()
	}
	return t
}

// maxRetired is how many objects that have ended are kept by name.
const maxRetired = 1024

// get returns the object of a kind with a name.
func (t *objects) get(k Kind, name string) *object {
	o := t.byName[k].get(name)
	if o == nil {
		o = &object{Object: Object{k, name}}
		t.byName[k].put(name, o)
		t.live[k]++
		t.unborn[k]++
	}
	return o
}

// anyUnborn reports whether an object is used of which the trace does not have the creation.
func (t *objects) anyUnborn() bool { return t.unborn != [kinds]int{} }

// isCreated records that the creation of o was called, or a callback delivered it, and where.
func (t *objects) isCreated(o *object, at Place) {
	o.usedBy = at
	t.creations++
	if !o.created {
		o.created = true
		t.unborn[o.Kind]--
	}
	if o.retired {
		o.retired = false
		t.live[o.Kind]++
	}
	o.refused = false
}

// retire puts an object aside that has ended. The latest are kept by name, as they may be used after their close.
func (t *objects) retire(o *object) {
	if o.retired {
		return
	}
	o.retired = true
	t.live[o.Kind]--
	if !o.created {
		t.unborn[o.Kind]--
		t.beganBefore = true
	}
	if o.parentless {
		o.parentless = false
		t.orphans[o.Kind]--
	}
	for _, l := range o.antecedents {
		if o.exists && l.certain {
			if l.to.ended++; o.answered {
				l.to.leftBy++
			}
		}
		l.to.drop(l.at)
	}
	o.antecedents = nil
	if len(t.retired) < maxRetired {
		t.retired = append(t.retired, o)
		return
	}
	if old := t.retired[t.next]; old.retired && t.byName[old.Kind].get(old.Name) == old {
		t.byName[old.Kind].remove(old.Name)
	}
	t.retired[t.next] = o
	t.next = (t.next + 1) % maxRetired
}

// follows records that o is a successor of another object. One that comes while that is being closed came too late (LIFE-06), or by a callback:
// the close may wait for it.
func (o *object) follows(to *object, certain bool) {
	if to.over {
		return
	}
	certain = certain && !to.closing
	for i, l := range o.antecedents {
		if l.to == to {
			o.antecedents[i].certain = l.certain || certain
			return
		}
	}
	o.antecedents = append(o.antecedents, link{to, certain, len(to.successors)})
	to.successors = append(to.successors, o)
}

// drop forgets the successor at a place. The last one takes its place.
func (o *object) drop(at int) {
	last := len(o.successors) - 1
	moved := o.successors[last]
	o.successors[at], o.successors[last] = moved, nil
	o.successors = o.successors[:last]
	for i := range moved.antecedents {
		if moved.antecedents[i].to == o {
			moved.antecedents[i].at = at
		}
	}
}

// certainly reports whether it is certain that o still follows another object.
func (f *lineage) certainly(to *object) bool {
	for _, l := range f.antecedents {
		if l.to == to {
			return l.certain
		}
	}
	return false
}

// resolve finds the objects that a call uses, its own first, and the one that it creates.
func (t *objects) resolve(c *Call, e *trace.Event) {
	r := t.roles.get(c.Fn)
	if r == nil {
		return
	}
	c.role = *r
	if c.Entered {
		return
	}
	add := func(k Kind, name string) {
		if name == "" {
			return
		}
		if k == r.creates {
			c.creates = t.get(k, name)
			return
		}
		o := t.get(k, name)
		if o.usedBy == c.Begun {
			return // it is named twice
		}
		o.usedBy = c.Begun
		if c.objects == nil {
			c.objects = c.few[:0]
		}
		c.objects = append(c.objects, o)
	}
	for _, k := range r.of {
		if len(c.objects) == 0 && k != r.creates {
			add(k, idOf(e, k))
		}
	}
	c.ownFirst = len(c.objects) == 1
	for k := Adapter; k < kinds; k++ {
		if id := idOf(e, k); id != "" {
			add(k, id)
		}
	}
	add(Cq, e.InitiatorCq)
	add(Cq, e.ReceiveCq)
	for i := range e.Wrs {
		add(Mr, e.Wrs[i].Mr)
		add(Mw, e.Wrs[i].Mw)
	}
}
