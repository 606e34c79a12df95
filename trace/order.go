package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ndkoracle/ndk"
)

// checker judges whether events form a trace: their order, their pairing, and that each has what its fn needs. Its memory
// has bounds: so have the calls that are open, and the creations that are pending.
type checker struct {
	events uint64
	seq    uint64 // of the newest event
	open   openCalls
	ops    idSet
	wrs    idSet

	objects  idSet             // each id with its kind
	creating map[string]string // the object of each creation that may yet fail, by op
}

// event checks the next event, whose fn is f, or not known if f is nil. Its words and integers were checked. complete says that it is known to have
// all fields that f requires. The error is a reason without a place.
func (c *checker) event(e *Event, f *function, complete bool) error {
	if c.events > 0 && e.Seq <= c.seq {
		return fmt.Errorf("seq %d is not above %d, the seq before it; \"tracecheck fix\" numbers a trace written by hand", e.Seq, c.seq)
	}
	if e.Fn == "" {
		return errors.New("no fn")
	}
	if e.Thr == "" {
		return errors.New("no thr")
	}
	if err := c.pair(e); err != nil {
		return err
	}
	if !complete {
		if err := required(e, f); err != nil {
			return err
		}
	}
	if e.For != "" && !c.ops.mayHave(e.For) {
		return fmt.Errorf("%s is for op %q, which was never called", e.Fn, e.For)
	}
	if err := c.posted(e); err != nil {
		return err
	}
	if err := c.created(e, f); err != nil {
		return err
	}
	c.events, c.seq = c.events+1, e.Seq
	return nil
}

// pair checks that ops are used once, by a call and its return.
func (c *checker) pair(e *Event) error {
	switch e.Ph {
	case Point:
		return nil
	case Call, Ret, Enter, Exit:
	case "":
		return errors.New("no ph")
	default:
		return fmt.Errorf("ph is %q, not one of call, ret, enter, exit, point", e.Ph)
	}
	if e.Op == "" {
		return errors.New("no op")
	}
	begin := Call
	if e.Ph == Enter || e.Ph == Exit {
		begin = Enter
	}
	if e.Begins() {
		if !c.ops.add(e.Op) || c.ops.forgot && c.open.has(e.Op) {
			return fmt.Errorf("op %q is used a second time", e.Op)
		}
		if len(c.open.many) == maxOpen {
			return fmt.Errorf("more than %d calls and callbacks have not returned", maxOpen)
		}
		c.open.add(e.Op, e.Fn, begin)
		return nil
	}
	opened, ok := c.open.take(e.Op)
	if !ok {
		return fmt.Errorf("%s without %s: op %q is not open", e.Ph, begin, e.Op)
	}
	if opened.fn != e.Fn || opened.begin != begin {
		return fmt.Errorf("%s of %s, but op %q is the %s of %s", e.Ph, e.Fn, e.Op, opened.begin, opened.fn)
	}
	return nil
}

// satisfied reports whether an event that has these fields has what its fn needs. An errno may be there and say that there was none.
func (f *function) satisfied(ph Phase, present fieldSet) bool {
	if f == nil {
		return true
	}
	for _, oneOf := range f.of(ph).required {
		if !slices.ContainsFunc(oneOf, func(f field) bool { return f != fieldErrno && present.has(f) }) {
			return false
		}
	}
	return true
}

// required checks that e has what its fn needs.
func required(e *Event, f *function) error {
	if f == nil {
		return nil
	}
	if e.Ph != f.kind.begins() && e.Ph != f.kind.ends() {
		return fmt.Errorf("%s has no %s", e.Fn, e.Ph)
	}
	for _, oneOf := range f.of(e.Ph).required {
		if !e.hasOneOf(oneOf) {
			var names []string
			for _, f := range oneOf {
				names = append(names, f.String())
			}
			return fmt.Errorf("%s of %s has no %s", e.Ph, e.Fn, strings.Join(names, " and no "))
		}
	}
	return nil
}

func (e *Event) hasOneOf(fields []field) bool {
	for _, f := range fields {
		if e.has(f) {
			return true
		}
	}
	return false
}

// posted checks that no request has the id of an earlier one: results could not be distinguished.
func (c *checker) posted(e *Event) error {
	if e.Wr == "" && len(e.Wrs) == 0 || e.Ph != Call {
		return nil
	}
	if e.Wr != "" && !c.wrs.add(e.Wr) {
		return fmt.Errorf("wr %q is posted a second time", e.Wr)
	}
	for i := range e.Wrs {
		if !c.wrs.add(e.Wrs[i].Wr) {
			return fmt.Errorf("wr %q is posted a second time", e.Wrs[i].Wr)
		}
	}
	return nil
}

// created checks that no object has the id of an earlier one of its kind: events could not be distinguished. A creation that
// fails creates none, so its id is free again.
func (c *checker) created(e *Event, f *function) error {
	if e.Ph == Call {
		if f == nil || !f.creates {
			return nil
		}
		return c.creationCalled(e)
	}
	if len(c.creating) == 0 {
		return nil
	}
	op := e.Op
	switch {
	case e.Ph == Enter && e.Fn == "NdkCreateCompletion":
		op = e.For
	case e.Ph != Ret || e.Status == statusPending:
		return nil
	}
	if object, ok := c.creating[op]; ok && e.failed() {
		c.objects.remove(object)
	}
	delete(c.creating, op)
	return nil
}

var statusPending = ndk.STATUS_PENDING.String()

func (c *checker) creationCalled(e *Event) error {
	kind, id := e.Creates()
	if id == "" {
		return nil
	}
	object := kind + " " + id
	if !c.objects.add(object) {
		return fmt.Errorf("%s %q is created a second time", kind, id)
	}
	if c.creating == nil {
		c.creating = map[string]string{}
	}
	if len(c.creating) == maxOpen {
		return fmt.Errorf("more than %d creations are pending", maxOpen)
	}
	c.creating[e.Op] = object
	return nil
}

// failed reports whether a return or a completion callback tells of failure.
func (e *Event) failed() bool {
	status, err := ndk.ParseStatus(e.Status)
	return e.Errno != "" && e.Errno != "0" || e.Status != "" && (err != nil || !status.Success())
}

// Creates returns the kind, as events name it ("cq", "qp" and so on), and the id of the object that a call creates, or "" and "".
func (e *Event) Creates() (kind, id string) {
	switch e.Fn {
	case "NdkCreateCq", "ibv_create_cq", "ibv_create_cq_ex":
		return "cq", e.Cq
	case "NdkCreateQp", "NdkCreateQpWithSrq", "ibv_create_qp", "ibv_create_qp_ex":
		return "qp", e.Qp
	case "NdkCreateSrq", "ibv_create_srq", "ibv_create_srq_ex":
		return "srq", e.Srq
	case "NdkCreateMr", "ibv_reg_mr":
		return "mr", e.Mr
	case "NdkCreateMw", "ibv_alloc_mw":
		return "mw", e.Mw
	case "NdkOpenAdapter", "ibv_open_device":
		return "adapter", e.Adapter
	case "NdkCreatePd", "ibv_alloc_pd":
		return "pd", e.Pd
	case "NdkBuildLAM":
		return "lam", e.Lam
	case "NdkCreateConnector":
		return "connector", e.Connector
	case "NdkCreateListener":
		return "listener", e.Listener
	case "NdkCreateSharedEndpoint":
		return "endpoint", e.Endpoint
	case "ibv_create_comp_channel":
		return "channel", e.Channel
	}
	return "", ""
}

// openCall is a call or a callback that has not returned.
type openCall struct {
	op, fn string
	begin  Phase
}

// openCalls are all of them. There are seldom more than a program has threads.
type openCalls struct {
	few  [8]openCall // where op is not ""
	many map[string]openCall
}

func (o *openCalls) add(op, fn string, begin Phase) {
	for i := range o.few {
		if c := &o.few[i]; c.op == "" {
			c.op, c.fn, c.begin = op, fn, begin
			return
		}
	}
	if o.many == nil {
		o.many = map[string]openCall{}
	}
	o.many[op] = openCall{op, fn, begin}
}

func (o *openCalls) has(op string) bool {
	for i := range o.few {
		if o.few[i].op == op {
			return true
		}
	}
	_, ok := o.many[op]
	return ok
}

// take removes and returns a call.
func (o *openCalls) take(op string) (c openCall, ok bool) {
	for i := range o.few { // mostly a call and its return have not only equal ops, but one
		if c := &o.few[i]; unsafe.StringData(c.op) == unsafe.StringData(op) && c.op == op {
			found := *c
			c.op = ""
			return found, true
		}
	}
	for i := range o.few {
		if c := &o.few[i]; c.op == op {
			found := *c
			c.op = ""
			return found, true
		}
	}
	if c, ok = o.many[op]; ok {
		delete(o.many, op)
	}
	return c, ok
}
