package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// The reference decodes lines with encoding/json, as plainly as it can be said. It is what the decoder is compared with.

// referenceObject is an object whose members are taken out one by one. What is left at the end are keys that the format
// does not know.
type referenceObject struct {
	members map[string]json.RawMessage
	err     error
}

// refuse keeps the first error.
func (o *referenceObject) refuse(format string, arguments ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, arguments...)
	}
}

// newReferenceObject reads an object by its tokens: encoding/json's own mapping to structs would take "SEQ" for "seq", and
// the last of two equal keys.
func newReferenceObject(raw []byte) *referenceObject {
	o := &referenceObject{members: map[string]json.RawMessage{}}
	tokens := json.NewDecoder(bytes.NewReader(raw))
	if open, err := tokens.Token(); err != nil || open != json.Delim('{') || !json.Valid(raw) {
		o.refuse("no object")
		return o
	}
	for tokens.More() {
		token, _ := tokens.Token()
		key := token.(string)
		if _, twice := o.members[key]; twice {
			o.refuse("key %q occurs twice", key)
		}
		var value json.RawMessage
		if err := tokens.Decode(&value); err != nil {
			o.refuse("%v", err)
		}
		o.members[key] = value
	}
	return o
}

// take removes a member and returns its value.
func (o *referenceObject) take(key string) (value json.RawMessage, present bool) {
	value, present = o.members[key]
	delete(o.members, key)
	return value, present
}

// done refuses keys that the format does not know when their values nest too deep, or hold a key twice in an object.
func (o *referenceObject) done() error {
	for key, value := range o.members {
		depth, tokens := 0, json.NewDecoder(bytes.NewReader(value))
		for token, err := tokens.Token(); err == nil; token, err = tokens.Token() {
			switch token {
			case json.Delim('{'), json.Delim('['):
				depth++
			case json.Delim('}'), json.Delim(']'):
				depth--
			}
			if depth > maxDepth {
				o.refuse("%s nests deeper than %d", key, maxDepth)
			}
		}
		if o.err == nil {
			o.unique(value)
		}
	}
	return o.err
}

// unique refuses a key that occurs twice in an object of an ignored value.
func (o *referenceObject) unique(value json.RawMessage) {
	var list []json.RawMessage
	switch value[0] {
	case '[':
		if err := json.Unmarshal(value, &list); err != nil {
			o.refuse("%v", err)
		}
	case '{':
		within := newReferenceObject(value)
		if within.err != nil {
			o.refuse("%v", within.err)
		}
		list = slices.Collect(maps.Values(within.members))
	}
	for _, inner := range list {
		o.unique(inner)
	}
}

func referenceNumber(raw json.RawMessage) bool {
	return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9'
}

func (o *referenceObject) parseInteger(raw json.RawMessage, max int64) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 0 || n > max {
		o.refuse("%s is no integer from 0 to %d", raw, max)
	}
	return n
}

func (o *referenceObject) parseText(raw json.RawMessage) (text string) {
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil || text == "" {
		o.refuse("%s is no text, or empty", raw)
	}
	return text
}

func (o *referenceObject) parseWord(raw json.RawMessage, max int64) string {
	if referenceNumber(raw) {
		return strconv.FormatInt(o.parseInteger(raw, max), 10)
	}
	return o.parseText(raw)
}

// id is of a member that may be an integer, too.
func (o *referenceObject) id(key string) string { return o.word(key, math.MaxInt64) }

// signed is of a word that may be a negative integer, too.
func (o *referenceObject) signed(key string) string {
	if raw := o.members[key]; raw != nil && raw[0] == '-' {
		n, err := strconv.ParseInt(string(raw), 10, 32)
		if err != nil || n == 0 {
			o.refuse("%s is no negative integer", raw)
		}
		delete(o.members, key)
		return strconv.FormatInt(n, 10)
	}
	return o.word(key, math.MaxUint32)
}

func (o *referenceObject) text(key string) string {
	if raw, present := o.take(key); present {
		return o.parseText(raw)
	}
	return ""
}

func (o *referenceObject) word(key string, max int64) string {
	if raw, present := o.take(key); present {
		return o.parseWord(raw, max)
	}
	return ""
}

func (o *referenceObject) integer(key string, max int64) *int64 {
	raw, present := o.take(key)
	if !present {
		return nil
	}
	n := o.parseInteger(raw, max)
	return &n
}

func (o *referenceObject) small(key string) *int64 { return o.integer(key, math.MaxUint32) }

func (o *referenceObject) token(key string) *uint32 {
	n := o.small(key)
	if n == nil {
		return nil
	}
	token := uint32(*n)
	return &token
}

func (o *referenceObject) truth(key string) *bool {
	raw, present := o.take(key)
	if !present {
		return nil
	}
	truth := string(raw) == "true"
	if !truth && string(raw) != "false" {
		o.refuse("%s is neither true nor false", raw)
	}
	return &truth
}

func (o *referenceObject) list(key string) (elements []json.RawMessage, present bool) {
	raw, present := o.take(key)
	if present && (raw[0] != '[' || json.Unmarshal(raw, &elements) != nil) {
		o.refuse("%s is no list", raw)
	}
	return elements, present
}

func (o *referenceObject) flags() (flags []string) {
	if raw := o.members["flags"]; raw != nil && referenceNumber(raw) {
		return []string{o.word("flags", math.MaxUint32)}
	}
	elements, _ := o.list("flags")
	if len(elements) > maxFlags {
		o.refuse("%d flags", len(elements))
	}
	for _, raw := range elements {
		flags = append(flags, o.parseWord(raw, math.MaxUint32))
	}
	return flags
}

func (o *referenceObject) workRequests() []WorkRequest {
	elements, present := o.list("wrs")
	if !present {
		return nil
	}
	requests := []WorkRequest{}
	for _, raw := range elements {
		w := newReferenceObject(raw)
		requests = append(requests, WorkRequest{Wr: w.id("wr"), Opcode: w.word("opcode", math.MaxUint32), Flags: w.flags(),
			Bytes: w.integer("bytes", math.MaxInt64), Token: w.token("token"), Mr: w.id("mr"), Mw: w.id("mw")})
		if err := w.done(); err != nil || requests[len(requests)-1].Wr == "" {
			o.refuse("wrs: %v", err)
		}
	}
	return requests
}

func (o *referenceObject) results() []Result {
	elements, present := o.list("results")
	if !present {
		return nil
	}
	results := []Result{}
	for _, raw := range elements {
		r := newReferenceObject(raw)
		result := Result{Wr: r.id("wr"), Qp: r.id("qp"), Status: r.signed("status"), Bytes: r.integer("bytes", math.MaxInt64),
			Type: r.word("type", math.MaxUint32), Opcode: r.word("opcode", math.MaxUint32), Token: r.token("token"),
			ProviderError: r.token("provider_error")}
		if err := r.done(); err != nil || result.Wr == "" || result.Status == "" {
			o.refuse("results: %v", err)
		}
		results = append(results, result)
	}
	return results
}

// referenceEvent is what decoder.decode has to return of a line that is UTF-8.
func referenceEvent(line []byte) (Event, error) {
	o := newReferenceObject(line)
	if _, record := o.take("rec"); record {
		return Event{}, errors.New("not an event")
	}
	seq, t := o.integer("seq", math.MaxInt64), o.integer("t", math.MaxInt64)
	if seq == nil {
		o.refuse("no seq")
		seq = new(int64)
	}
	if t == nil {
		t = new(int64)
	}
	e := Event{
		Seq: uint64(*seq), T: *t, Thr: o.id("thr"), Ph: Phase(o.text("ph")), Op: o.word("op", math.MaxInt64),
		Fn: o.text("fn"), Cq: o.id("cq"), Qp: o.id("qp"), Srq: o.id("srq"), Mr: o.id("mr"), Mw: o.id("mw"),
		Conn: o.id("conn"), ReceiveCq: o.id("receive_cq"), InitiatorCq: o.id("initiator_cq"),
		ReceiveDepth: o.small("receive_depth"), InitiatorDepth: o.small("initiator_depth"), Inline: o.small("inline"),
		Depth: o.small("depth"), SqSigAll: o.truth("sq_sig_all"), State: o.word("state", math.MaxUint32),
		SolicitedOnly: o.truth("solicited_only"), Wr: o.id("wr"), Wrs: o.workRequests(), BadWr: o.id("bad_wr"),
		Flags: o.flags(), Type: o.word("type", math.MaxUint32), Token: o.token("token"), Bytes: o.integer("bytes", math.MaxInt64),
		N: o.small("n"), Status: o.signed("status"), Errno: o.signed("errno"),
		Results: o.results(), For: o.word("for", math.MaxInt64), Solicited: o.truth("solicited"),
		Adapter: o.id("adapter"), Pd: o.id("pd"), Lam: o.id("lam"), Connector: o.id("connector"),
		Listener: o.id("listener"), Endpoint: o.id("endpoint"), Channel: o.id("channel"),
		QpType: o.word("qp_type", math.MaxUint32), Length: o.integer("length", math.MaxInt64), Threshold: o.small("threshold"), Notify: o.truth("notify"),
	}
	e.Fn = functionName(e.Fn)
	recvCq, sendCq := o.id("recv_cq"), o.id("send_cq")
	maxRecvWr, maxSendWr, maxInline := o.small("max_recv_wr"), o.small("max_send_wr"), o.small("max_inline_data")
	if e.Fn == "ibv_create_qp" || e.Fn == "ibv_create_qp_ex" {
		e.ReceiveCq, e.InitiatorCq, e.ReceiveDepth, e.InitiatorDepth, e.Inline = recvCq, sendCq, maxRecvWr, maxSendWr, maxInline
	}
	return e, o.done()
}

// referenceKind is what recordKind has to return.
func referenceKind(line []byte) (string, error) {
	o := newReferenceObject(line)
	kind := o.text("rec")
	return kind, o.done()
}
