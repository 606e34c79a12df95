package counterexample

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// pairs describes the steps of a module with QPs. What a completion is, and what a poll returns, is read off the states: a wrong
// specification may do otherwise than its actions are called.
type pairs struct {
	*converter
	qps    map[string]mc.Qp
	alone  bool                 // QPs by themselves: what completes is polled at once
	posts  map[[2]string]int    // of each QP and queue, refused ones included
	names  map[[2]string]string // of a request, by QP and "queue number"
	tokens map[string]*uint32
}

// theCq is that of QPs by themselves.
const theCq = "q"

// newPairs creates the objects. Where a module has no connecting, its QPs are connected from the first.
func newPairs(c *converter, example Example) *pairs {
	p := &pairs{converter: c, qps: map[string]mc.Qp{}, posts: map[[2]string]int{}, names: map[[2]string]string{},
		tokens: map[string]*uint32{}}
	created := map[string]bool{}
	create := func(cq string) {
		if !created[cq] {
			created[cq] = true
			c.createCq(cq, int64(example.Depth))
		}
	}
	for _, q := range example.Qps {
		if p.alone = q.InitiatorCq == ""; p.alone {
			q.InitiatorCq, q.ReceiveCq = theCq, theCq
		}
		p.qps[q.Name] = q
		create(q.InitiatorCq)
		create(q.ReceiveCq)
		c.createQp(q)
	}
	if !p.alone {
		for _, q := range example.Qps {
			c.connect(q.Name, connection(q), q.Name > q.Peer)
		}
		c.listen()
	}
	return p
}

func connection(q mc.Qp) string { return min(q.Name, q.Peer) + "-" + max(q.Name, q.Peer) }

func queueOf(op string) string {
	if op == "Receive" {
		return "receive"
	}
	return "initiator"
}

// letter begins the name of a request. The two queues count by themselves, so no letter is of both.
func letter(op string) string {
	if op == "Read" {
		return "g" // it gets
	}
	return strings.ToLower(op[:1])
}

func (p *pairs) take(s step) error {
	object := s.word(0)
	switch s.name {
	case "NdkConnect":
		p.connect(object, connection(p.qps[object]), false)
		return nil
	case "Post", "PostRefused":
		return p.posted(s)
	case "NdkFlush", "NdkDisconnect":
		return p.flush(s.name, object)
	case "NdkCloseQp":
		return p.closeQp(object)
	case "NdkCloseCompletionEnter":
		return p.closeEnter(object)
	case "NdkCloseCompletionExit":
		return p.closeExit(object)
	case "Complete":
		if p.alone {
			return p.left(s, object)
		}
		return p.arrived(s)
	case getCqResults, "NdkGetCqResultsEx":
		return p.polled(s)
	case "TokenDies":
		return p.tokenDies(*p.token(object))
	case "HwIndicate", "Execute", "Deliver", "Abort", "CompletionLost", "ConnectionLost", "Overflow",
		"CloseBegins": // hidden steps
		return nil
	}
	return p.takeOfCq(s)
}

// posted handles MCPost(p, op, silent, fence, defer), or MCNdk's MCPost(p, op, token, silent, solicit, fence, defer). For a refused request it has no
// defer, or ends after op.
func (p *pairs) posted(s step) error {
	r := request{qp: s.word(0), op: s.word(1), refused: s.name == "PostRefused"}
	flags := []string{"SILENT_SUCCESS", "READ_FENCE", "DEFER"}
	given := s.arguments[min(2, len(s.arguments)):]
	if !p.alone {
		flags = []string{"SILENT_SUCCESS", "SEND_AND_SOLICIT_EVENT", "READ_FENCE", "DEFER"}
		r.token = p.token(s.word(2))
		given = s.arguments[min(3, len(s.arguments)):]
	}
	for i, set := range given {
		if set.text == "TRUE" {
			r.flags = append(r.flags, flags[i])
		}
	}
	counted := [2]string{r.qp, queueOf(r.op)}
	if p.alone {
		counted[1] = "both"
	}
	p.posts[counted]++
	n := strconv.Itoa(p.posts[counted])
	r.wr = r.qp + "-" + letter(r.op) + n
	p.names[[2]string{r.qp, queueOf(r.op) + " " + n}] = r.wr
	return p.post(r)
}

// token returns the number that a token has in the trace, or nil for none.
func (p *pairs) token(name string) *uint32 {
	if name == "no token" || name == "" {
		return nil
	}
	if p.tokens[name] == nil {
		n := uint32(len(p.tokens) + 1)
		p.tokens[name] = &n
	}
	return p.tokens[name]
}

// left handles a request that left its queue, of a QP by itself: its completion is polled.
func (p *pairs) left(s step, qp string) error {
	before, err := field(s.before, "left", qp)
	if err != nil {
		return err
	}
	after, err := field(s.after, "left", qp)
	if err != nil {
		return err
	}
	for _, l := range after.elements[min(len(before.elements), len(after.elements)):] {
		if l.fields["told"].text != "TRUE" {
			continue
		}
		result := trace.Result{Wr: p.names[[2]string{qp, l.fields["queue"].text + " " + l.fields["req"].text}], Qp: qp,
			Status: p.status(l.fields["status"].text)}
		p.poll(mainThread, getCqResults, theCq, 1, []trace.Result{result})
	}
	return nil
}

// arrived handles a request that left its queue, of connected QPs: its completion is placed, unless it has none.
func (p *pairs) arrived(s step) error {
	for _, cq := range p.cqs() {
		before, err := field(s.before, "cq", cq, "entries")
		if err != nil {
			return err
		}
		after, err := field(s.after, "cq", cq, "entries")
		if err != nil {
			return err
		}
		for _, entry := range after.elements[min(len(before.elements), len(after.elements)):] {
			p.placed(cq, p.result(entry), isSolicited(entry))
		}
	}
	return nil
}

func (p *pairs) cqs() []string {
	var all []string
	for _, q := range p.qps {
		all = append(all, q.InitiatorCq, q.ReceiveCq)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// result returns a completion as a poll tells it.
func (p *pairs) result(entry value) trace.Result {
	qp := entry.fields["qp"].text
	return trace.Result{Wr: p.names[[2]string{qp, entry.fields["queue"].text + " " + entry.fields["req"].text}], Qp: qp,
		Status: p.status(entry.fields["status"].text)}
}

// polled handles a poll. Which completions it returned is what its QPs' queues have had delivered more than before.
func (p *pairs) polled(s step) error {
	cq := s.word(0)
	if len(s.arguments) != 3 {
		return errors.New("it does not say with what room, and how many completions it finds")
	}
	room, err := s.arguments[1].number()
	if err != nil {
		return err
	}
	held, err := field(s.before, "cq", cq, "entries")
	if err != nil {
		return err
	}
	results := []trace.Result{}
	more := map[[2]string][]value{}
	for qp := range p.qps {
		for _, queue := range []string{"initiator", "receive"} {
			before, err := field(s.before, "delivered", qp, queue)
			if err != nil {
				return err
			}
			after, err := field(s.after, "delivered", qp, queue)
			if err != nil {
				return err
			}
			more[[2]string{qp, queue}] = after.elements[min(len(before.elements), len(after.elements)):]
		}
	}
	for _, entry := range inOrder(held.elements, more) {
		result := p.result(entry)
		if s.name == "NdkGetCqResultsEx" {
			result.Type, result.Token = entry.fields["type"].text, p.token(entry.fields["token"].text)
		}
		results = append(results, result)
	}
	p.poll(mainThread, s.name, cq, int64(room), results)
	return nil
}

// inOrder returns the completions that were delivered, as the CQ held them: oldest first, but for those of one queue, which
// come as they were delivered.
func inOrder(held []value, delivered map[[2]string][]value) []value {
	var all []value
	for _, entry := range held {
		of := [2]string{entry.fields["qp"].text, entry.fields["queue"].text}
		if len(delivered[of]) == 0 {
			continue
		}
		next := slices.IndexFunc(held, func(e value) bool {
			return e.fields["qp"].text == of[0] && e.fields["queue"].text == of[1] && e.fields["req"].text == delivered[of][0].text
		})
		if next >= 0 {
			all, delivered[of] = append(all, held[next]), delivered[of][1:]
		}
	}
	return all
}

// field reads a field of a variable. In the state before the first step nothing is in anything.
func field(state map[string]string, variable string, path ...string) (value, error) {
	if state == nil {
		return value{}, nil
	}
	v, err := parseValue(state[variable])
	if err != nil {
		return value{}, fmt.Errorf("the variable %s: %w", variable, err)
	}
	for _, name := range path {
		next, ok := v.fields[name]
		if !ok {
			return value{}, fmt.Errorf("the variable %s has no %s", variable, strings.Join(path, "."))
		}
		v = next
	}
	return v, nil
}
