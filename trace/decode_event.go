package trace

import (
	"errors"
	"math"
	"slices"
)

// decoder turns lines into events. What the events of one trace share it makes once: their words, and room for what they
// point to. An event stays as it is when the next one is decoded.
type decoder struct {
	parser
	names words // that come again and again: of threads, functions, objects
	ids   words // that come a few times, near each other: of calls and requests

	shapes shapes

	newFlags [4]flagList // the newest lists of flags
	oldest   int         // of them

	numbers  slab[int64]
	tokens   slab[uint32]
	truths   slab[bool]
	strings  slab[string]
	requests slab[WorkRequest]
	results  slab[Result]

	limit int // of a line that is read quickly

	// Of the present event.
	event    *Event
	verbs    createQpKeys
	odd      bool // has a word that is not printable ASCII, or long: it may be none
	lost     bool // has a key that the format does not know, or not of its function: the event has nothing of it
	listed   []string
	posted   []WorkRequest
	finished []Result
}

// createQpKeys are the names that libibverbs has for arguments of NdkCreateQp.
type createQpKeys struct {
	recvCq, sendCq                  string
	maxRecvWr, maxSendWr, maxInline *int64
}

// createsVerbsQp reports whether a function has those names for them.
func createsVerbsQp(fn string) bool { return fn == "ibv_create_qp" || fn == "ibv_create_qp_ex" }

// hasOther reports whether the event has one of those arguments by the name that functions of the other kind have for it.
func (d *decoder) hasOther(fn string) bool {
	if createsVerbsQp(fn) {
		return d.seen.hasAnyOf(fieldReceiveCq, fieldInitiatorCq, fieldReceiveDepth, fieldInitiatorDepth, fieldInline)
	}
	return d.verbs != createQpKeys{}
}

// errRecord is a line with a key rec, which no event has.
var errRecord = errors.New("not an event")

// decode decodes a line into an event. What its words mean is not looked at.
func (d *decoder) decode(line []byte, e *Event) error {
	d.line, d.at, d.values, d.unknown = line, 0, d.values[:0], d.unknown[:0]
	d.verbs, d.odd, d.lost = createQpKeys{}, false, false
	*e = Event{Seq: noSeq}
	d.event = e
	if err := d.document((*eventObject)(d)); err != nil {
		return err
	}
	if e.Seq == noSeq {
		return errors.New("no seq; \"tracecheck fix\" numbers a trace written by hand")
	}
	e.Fn = functionName(e.Fn)
	d.lost = len(d.unknown) > 0 || d.hasOther(e.Fn)
	if createsVerbsQp(e.Fn) {
		e.ReceiveCq, e.InitiatorCq = d.verbs.recvCq, d.verbs.sendCq
		e.ReceiveDepth, e.InitiatorDepth, e.Inline = d.verbs.maxRecvWr, d.verbs.maxSendWr, d.verbs.maxInline
	}
	return nil
}

// usualFields are the fields that events of all functions have.
var usualFields = []field{fieldSeq, fieldT, fieldThr, fieldPh, fieldOp, fieldFn}

// misspelt reports whether the line of an event, which was decoded last, has a key that was probably meant for a field.
func (d *decoder) misspelt(e *Event, known *function) (misspelt bool) {
	if len(d.unknown) == 0 {
		return false
	}
	fields := usualFields
	if known != nil {
		fields = append(known.of(e.Ph).all(), usualFields...)
	}
	missing := slices.DeleteFunc(slices.Clone(fields), d.seen.has)
	for i := range d.unknown {
		u := &d.unknown[i]
		if u.list == noField {
			u.near = nearest(u.key, missing)
		}
		misspelt = misspelt || u.near != noField
	}
	return misspelt
}

// learn remembers how the line of a valid event, which was decoded last, is written.
func (d *decoder) learn(e *Event, known *function) {
	if !d.odd {
		d.shapes.learn(d.line, d.values, e, known)
	}
}

// noSeq is a seq that no event has.
const noSeq = math.MaxUint64

// eventObject is the decoder as the object that an event is.
type eventObject decoder

func (o *eventObject) member(f field) (known bool, err error) {
	d, e := (*decoder)(o), o.event
	var n int64
	switch f {
	case fieldSeq:
		n, err = d.integer(f, math.MaxInt64)
		e.Seq = uint64(n)
	case fieldT:
		e.T, err = d.integer(f, math.MaxInt64)
	case fieldThr:
		e.Thr, err = d.objectId(f)
	case fieldPh:
		var ph string
		ph, err = d.name(f)
		e.Ph = Phase(ph)
	case fieldOp:
		e.Op, err = d.id(f)
	case fieldFn:
		e.Fn, err = d.name(f)
	case fieldCq:
		e.Cq, err = d.objectId(f)
	case fieldQp:
		e.Qp, err = d.objectId(f)
	case fieldSrq:
		e.Srq, err = d.objectId(f)
	case fieldMr:
		e.Mr, err = d.objectId(f)
	case fieldMw:
		e.Mw, err = d.objectId(f)
	case fieldConn:
		e.Conn, err = d.objectId(f)
	case fieldReceiveCq:
		e.ReceiveCq, err = d.objectId(f)
	case fieldRecvCq:
		d.verbs.recvCq, err = d.objectId(f)
	case fieldInitiatorCq:
		e.InitiatorCq, err = d.objectId(f)
	case fieldSendCq:
		d.verbs.sendCq, err = d.objectId(f)
	case fieldReceiveDepth:
		e.ReceiveDepth, err = d.optional(f)
	case fieldMaxRecvWr:
		d.verbs.maxRecvWr, err = d.optional(f)
	case fieldInitiatorDepth:
		e.InitiatorDepth, err = d.optional(f)
	case fieldMaxSendWr:
		d.verbs.maxSendWr, err = d.optional(f)
	case fieldInline:
		e.Inline, err = d.optional(f)
	case fieldMaxInlineData:
		d.verbs.maxInline, err = d.optional(f)
	case fieldDepth:
		e.Depth, err = d.optional(f)
	case fieldThreshold:
		e.Threshold, err = d.optional(f)
	case fieldNotify:
		e.Notify, err = d.optionalBool(f)
	case fieldSqSigAll:
		e.SqSigAll, err = d.optionalBool(f)
	case fieldState:
		e.State, err = d.word(f)
	case fieldSolicitedOnly:
		e.SolicitedOnly, err = d.optionalBool(f)
	case fieldWr:
		e.Wr, err = d.id(f)
	case fieldWrs:
		e.Wrs, err = d.workRequests()
	case fieldBadWr:
		e.BadWr, err = d.id(f)
	case fieldFlags:
		e.Flags, err = d.flags()
	case fieldType:
		e.Type, err = d.word(f)
	case fieldToken:
		e.Token, err = d.optionalToken(f)
	case fieldBytes:
		e.Bytes, err = d.length(f)
	case fieldN:
		e.N, err = d.optional(f)
	case fieldStatus:
		e.Status, err = d.signed(f)
	case fieldErrno:
		e.Errno, err = d.signed(f)
	case fieldResults:
		e.Results, err = d.resultList()
	case fieldFor:
		e.For, err = d.id(f)
	case fieldSolicited:
		e.Solicited, err = d.optionalBool(f)
	case fieldQpType:
		e.QpType, err = d.word(f)
	case fieldLength:
		e.Length, err = d.length(f)
	case fieldRec:
		return false, errRecord
	default:
		id := e.object(f)
		if id == nil {
			return false, nil
		}
		*id, err = d.objectId(f)
	}
	return true, err
}
