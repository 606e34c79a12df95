package witness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ndkoracle/linearize/resets"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Refused says why a file is not a witness of a trace, and in which line.
type Refused struct {
	Line   int
	Reason string
}

func (r *Refused) Error() string { return fmt.Sprintf("line %d: %s", r.Line, r.Reason) }

// A Replay is what Verify counted in a correct witness.
type Replay struct {
	Claim
	Events, Steps, Hidden int // Hidden counts the hidden ones among the steps
}

// maxLine is how long a line may be, in bytes: as in a trace, with room to spare.
const maxLine = trace.MaxLine + 1<<10

// Verify replays a witness with the model alone. The error is nil if the witness shows that the contract of its claim allows t. Then every step is a
// step of the model from its initial state, and the events are those of t. Each call's effect is between its call and its return, and at rest nothing is
// owed. A *Refused names the line that is wrong. Every other error is an error of reading.
func Verify(in io.Reader, t *trace.Trace) (Replay, error) {
	lines := bufio.NewReaderSize(in, 64<<10)
	r := &replay{trace: t}
	for {
		text, err := readLine(lines)
		switch {
		case err == io.EOF && r.ended:
			return r.found, nil
		case err == io.EOF:
			r.line++
			return r.found, r.refuse("the witness ends here, without its end record")
		case errors.Is(err, bufio.ErrTooLong):
			r.line++
			return r.found, r.refuse("the line is longer than %d bytes", maxLine)
		case err != nil:
			return r.found, err
		}
		r.line++
		if err := r.take(text); err != nil {
			return r.found, err
		}
	}
}

// readLine returns a line with its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxLine:
			return nil, bufio.ErrTooLong
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(text) > 0:
			return text, nil
		default:
			return text, err
		}
	}
}

// A replay is how far a witness has been followed.
type replay struct {
	trace   *trace.Trace
	facts   *facts
	state   model.State
	found   Replay
	line    int
	event   []byte // the line of the next event
	ended   bool
	closes  map[int]bool // QPs whose close was called
	inbound []inbound    // of each QP: the messages that its receives take
}

func (r *replay) refuse(format string, args ...any) error {
	return &Refused{r.line, fmt.Sprintf(format, args...)}
}

// take handles the next line.
func (r *replay) take(text []byte) error {
	if r.facts == nil {
		return r.begin(text)
	}
	if r.ended {
		return r.refuse("a line behind the end record")
	}
	if r.event != nil && bytes.Equal(text, r.event) {
		return r.pass()
	}
	var record struct {
		Rec string `json:"rec"`
	}
	if err := json.Unmarshal(text, &record); err != nil {
		return r.refuse("the line is not a JSON object: %v", err)
	}
	switch record.Rec {
	case "step":
		var s stepRecord
		if err := r.decode(text, &s); err != nil {
			return err
		}
		r.found.Steps++
		return r.step(s.Step)
	case "end":
		var e endRecord
		if err := r.decode(text, &e); err != nil {
			return err
		}
		return r.end(e)
	}
	return r.refuse("neither a step nor the next event of the trace: %s", r.next())
}

// next names the next event of the trace.
func (r *replay) next() string {
	if r.found.Events == len(r.trace.Events) {
		return "all have passed"
	}
	e := &r.trace.Events[r.found.Events]
	return fmt.Sprintf("that is %s %s in its line %d", e.Fn, e.Ph, e.Line)
}

// decode reads a record that has to be written as this package writes it.
func (r *replay) decode(text []byte, record any) error {
	if err := json.Unmarshal(text, record); err != nil {
		return r.refuse("%v", err)
	}
	if again, err := line(record); err != nil || !bytes.Equal(again, text) {
		return r.refuse("the line is not written as a witness's are: unknown or repeated keys, or another order")
	}
	return nil
}

// begin reads the header.
func (r *replay) begin(text []byte) error {
	var h headerRecord
	if err := json.Unmarshal(text, &h); err != nil || h.Rec != "hdr" || h.Format != formatName {
		return r.refuse("not a witness: its first line is not a header of format %s", formatName)
	}
	if h.Version != version {
		return r.refuse("version %.20q of the format, and this program knows %s", h.Version, version)
	}
	if err := r.decode(text, &h); err != nil {
		return err
	}
	d, err := h.dialect()
	if err != nil {
		return r.refuse("%v", err)
	}
	switch {
	case r.trace.More > 0 || r.trace.End != nil && r.trace.End.Dropped > 0:
		return r.refuse("events of the trace are missing")
	}
	if r.trace, err = h.ordered(r.trace); err != nil {
		return r.refuse("%v", err)
	}
	if r.facts, err = factsOf(resets.Of(r.trace), d); err != nil {
		return r.refuse("%v", err)
	}
	r.found.Claim = h.Claim
	r.state = r.facts.contract.Init()
	for _, token := range r.facts.old {
		r.state.Tokens[token] = model.Undefined
	}
	r.closes, r.inbound = map[int]bool{}, make([]inbound, len(r.facts.qps.list))
	r.encodeNext()
	return nil
}

// dialect returns the contract of a claim.
func (c Claim) dialect() (model.Dialect, error) {
	d, err := model.ByName(c.Dialect)
	if err == nil && c.DeviceLevel {
		if !d.Ibverbs {
			return d, fmt.Errorf("the device level is of the dialects verbs and kverbs, and this is %s", c.Dialect)
		}
		d = d.AtDevice()
	}
	for id, choice := range c.Assume {
		if err == nil {
			d, err = d.Assume(id, choice)
		}
	}
	d.ExecutesLate = true
	return d, err
}

func (r *replay) encodeNext() {
	r.event = nil
	if i := r.found.Events; i < len(r.trace.Events) {
		r.event = append(trace.AppendEvent(r.event, &r.trace.Events[i]), '\n')
	}
}

// behind is the index of the event that the present line stands behind.
func (r *replay) behind() int { return r.found.Events - 1 }

// pass handles the next event: what had to stand before it did, and if it is a moment of rest, nothing is owed.
func (r *replay) pass() error {
	if err := r.settled(); err != nil {
		return err
	}
	e := &r.facts.events[r.found.Events]
	if e.Fn == "quiesce" && e.Ph == trace.Point {
		if err := r.rest(r.found.Events); err != nil {
			return err
		}
	}
	if cq, known := r.facts.failedCq(e); known && r.state.Cqs[cq].Health == model.OK && r.state.Cqs[cq].Open != model.Closed {
		return r.refuse("the event in line %d reports an error of %s, and no step before it is an error", e.Line, e.Cq)
	}
	if c := r.facts.byOp[e.Op]; c != nil {
		for _, q := range r.facts.requestsOf(c) {
			r.passPost(q, e.Ph)
		}
	}
	if e.Ph == trace.Call && closesQp[e.Fn] {
		r.closes[r.facts.qps.index[e.Qp]] = true
	}
	r.found.Events++
	r.encodeNext()
	return nil
}

// settled reports a step that should have stood behind the event that passed last, or before.
func (r *replay) settled() error {
	at := r.behind()
	for _, e := range r.facts.dying { // the token may have died while it was invalid
		if e.from <= at && at <= e.to && r.isDead(e.step) {
			e.must = false
		}
	}
	for _, e := range r.facts.due[at] {
		if e.must && !e.taken && !r.isDead(e.step) {
			return r.refuse("the step %s of op %s should stand before this line: between its call and its return, or right "+
				"behind its event", e.step.Action, e.step.Op)
		}
	}
	if at < 0 {
		return nil
	}
	if e := &r.facts.events[at]; e.Fn == "CqePlaced" && e.Ph == trace.Point {
		if q := r.facts.byWr[e.Wr]; q != nil && q.placed == at && !q.completed {
			return r.refuse("the step Complete of %s should stand before this line, right behind the point that tells of it", e.Wr)
		}
	}
	return nil
}

func (r *replay) end(e endRecord) error {
	if err := r.settled(); err != nil {
		return err
	}
	switch {
	case r.found.Events < len(r.trace.Events):
		return r.refuse("the end record, and events of the trace are missing: %s", r.next())
	case e.Events != r.found.Events || e.Steps != r.found.Steps:
		return r.refuse("the end record counts %d events and %d steps, and there are %d and %d", e.Events, e.Steps,
			r.found.Events, r.found.Steps)
	}
	if end := r.trace.End; end == nil || !end.Quiescent {
		return r.refuse("the trace does not end with the provider at rest, so that nothing shows what was owed")
	}
	if err := r.rest(len(r.trace.Events)); err != nil {
		return err
	}
	r.ended = true
	return nil
}
