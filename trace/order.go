package trace

import (
	"errors"
	"fmt"
	"strings"
)

// checker judges whether events form a trace: their order, their pairing, and that each has what its fn needs. Its memory
// has bounds, but for the calls that are open.
type checker struct {
	events uint64
	seq    uint64 // of the newest event
	open   openCalls
	ops    idSet
	wrs    idSet
}

// event takes the next event in, whose fn is f or, where f is nil, not known. Its words and integers were checked. The
// error is a reason without a place.
func (c *checker) event(e *Event, f *function) error {
	if c.events > 0 && e.Seq <= c.seq {
		return fmt.Errorf("seq %d is not above %d, the seq before it", e.Seq, c.seq)
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
	if err := required(e, f); err != nil {
		return err
	}
	if e.For != "" && !c.ops.mayHave(e.For) {
		return fmt.Errorf("%s is for op %q, which was never called", e.Fn, e.For)
	}
	if err := c.posted(e); err != nil {
		return err
	}
	c.events, c.seq = c.events+1, e.Seq
	return nil
}

// pair checks that ops are used once, by a call and its return.
func (c *checker) pair(e *Event) error {
	begin := Call
	switch e.Ph {
	case Point:
		return nil
	case Call, Ret:
	case Enter, Exit:
		begin = Enter
	case "":
		return errors.New("no ph")
	default:
		return fmt.Errorf("ph is %q, not one of call, ret, enter, exit, point", e.Ph)
	}
	if e.Op == "" {
		return errors.New("no op")
	}
	if e.Ph == begin {
		if !c.ops.add(e.Op) || c.ops.forgot && c.open.has(e.Op) {
			return fmt.Errorf("op %q is used a second time", e.Op)
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

// required checks that e has what its fn needs.
func required(e *Event, f *function) error {
	if f == nil {
		return nil
	}
	fields := f.begin
	switch e.Ph {
	case f.kind.begins():
	case f.kind.ends():
		fields = f.end
	default:
		return fmt.Errorf("%s has no %s", e.Fn, e.Ph)
	}
	for _, oneOf := range fields {
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

// posted checks that no request has the id of an earlier one: results could not be told apart.
func (c *checker) posted(e *Event) error {
	if e.Ph != Call {
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
