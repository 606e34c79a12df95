package trace

import "slices"

// fieldSet is a set of fields: one bit for each.
type fieldSet [(fieldCount + 63) / 64]uint64

func (s *fieldSet) add(f field)     { s[f/64] |= 1 << (f % 64) }
func (s fieldSet) has(f field) bool { return s[f/64]&(1<<(f%64)) != 0 }

func (s fieldSet) hasAnyOf(fields ...field) bool {
	return slices.ContainsFunc(fields, s.has)
}

// field is a key that the format knows, wherever in a line it stands.
type field uint8

const (
	noField field = iota // a key that the format does not know

	fieldSeq
	fieldT
	fieldThr
	fieldPh
	fieldOp
	fieldFn
	fieldCq
	fieldQp
	fieldSrq
	fieldMr
	fieldMw
	fieldConn
	fieldReceiveCq
	fieldRecvCq
	fieldInitiatorCq
	fieldSendCq
	fieldReceiveDepth
	fieldMaxRecvWr
	fieldInitiatorDepth
	fieldMaxSendWr
	fieldInline
	fieldMaxInlineData
	fieldDepth
	fieldSqSigAll
	fieldState
	fieldSolicitedOnly
	fieldWr
	fieldWrs
	fieldBadWr
	fieldFlags
	fieldType
	fieldToken
	fieldBytes
	fieldN
	fieldStatus
	fieldErrno
	fieldResults
	fieldFor
	fieldSolicited
	fieldAdapter // of an event, and of the header
	fieldPd
	fieldLam
	fieldConnector
	fieldListener
	fieldEndpoint
	fieldChannel
	fieldQpType
	fieldLength
	fieldThreshold
	fieldNotify
	fieldOpcode        // of a request or a result
	fieldProviderError // of a result

	fieldRec // of the header and the end
	fieldFormat
	fieldV
	fieldDialect
	fieldNdk
	fieldSide
	fieldOrder
	fieldClock
	fieldId
	fieldUnit
	fieldProducer
	fieldName
	fieldVersion
	fieldRun
	fieldEvents
	fieldDropped
	fieldQuiescent

	fieldCount
)

var fieldNames = [fieldCount]string{
	fieldSeq: "seq", fieldT: "t", fieldThr: "thr", fieldPh: "ph", fieldOp: "op", fieldFn: "fn", fieldCq: "cq",
	fieldQp: "qp", fieldSrq: "srq", fieldMr: "mr", fieldMw: "mw", fieldConn: "conn", fieldReceiveCq: "receive_cq",
	fieldRecvCq: "recv_cq", fieldInitiatorCq: "initiator_cq", fieldSendCq: "send_cq", fieldReceiveDepth: "receive_depth",
	fieldMaxRecvWr: "max_recv_wr", fieldInitiatorDepth: "initiator_depth", fieldMaxSendWr: "max_send_wr",
	fieldInline: "inline", fieldMaxInlineData: "max_inline_data",
	fieldDepth: "depth", fieldSqSigAll: "sq_sig_all", fieldState: "state",
	fieldSolicitedOnly: "solicited_only", fieldWr: "wr", fieldWrs: "wrs", fieldBadWr: "bad_wr", fieldFlags: "flags",
	fieldType: "type", fieldToken: "token", fieldBytes: "bytes", fieldN: "n", fieldStatus: "status", fieldErrno: "errno",
	fieldResults: "results", fieldFor: "for", fieldSolicited: "solicited", fieldOpcode: "opcode",
	fieldProviderError: "provider_error", fieldPd: "pd", fieldLam: "lam", fieldConnector: "connector",
	fieldListener: "listener", fieldEndpoint: "endpoint", fieldChannel: "channel", fieldQpType: "qp_type",
	fieldLength: "length", fieldThreshold: "threshold", fieldNotify: "notify", fieldRec: "rec", fieldFormat: "format", fieldV: "v", fieldDialect: "dialect",
	fieldNdk: "ndk", fieldSide: "side", fieldOrder: "order", fieldClock: "clock", fieldId: "id", fieldUnit: "unit",
	fieldProducer: "producer", fieldName: "name", fieldVersion: "version", fieldAdapter: "adapter", fieldRun: "run",
	fieldEvents: "events", fieldDropped: "dropped", fieldQuiescent: "quiescent",
}

func (f field) String() string { return fieldNames[f] }

// fieldTable finds fields by name, without the cost of a map: each has the place of its hash, or the next free one.
var fieldTable = func() (table [256]field) {
	for f := noField + 1; f < fieldCount; f++ {
		at := fieldHash([]byte(f.String()))
		for table[at] != noField {
			at++
		}
		table[at] = f
	}
	return table
}()

// fieldHash is of a key that is not empty.
func fieldHash(key []byte) uint8 {
	return uint8(len(key)*5) + key[0]*37 + key[len(key)-1]*11 + key[len(key)/2]
}

// fieldOf returns the field that a key names.
func fieldOf(key []byte) field {
	if len(key) == 0 {
		return noField
	}
	for at := fieldHash(key); fieldTable[at] != noField; at++ {
		if f := fieldTable[at]; fieldNames[f] == string(key) {
			return f
		}
	}
	return noField
}

// has reports whether a field that a function may require is in e.
func (e *Event) has(f field) bool {
	switch f {
	case fieldRecvCq:
		return e.ReceiveCq != ""
	case fieldSendCq:
		return e.InitiatorCq != ""
	case fieldDepth:
		return e.Depth != nil
	case fieldSolicitedOnly:
		return e.SolicitedOnly != nil
	case fieldWrs:
		return e.Wrs != nil
	case fieldToken:
		return e.Token != nil
	case fieldN:
		return e.N != nil
	case fieldResults:
		return e.Results != nil
	}
	if word := e.word(f); word != nil {
		return *word != ""
	}
	return false
}

// object is where an event keeps the id of an object, or nil.
func (e *Event) object(f field) *string {
	switch f {
	case fieldCq:
		return &e.Cq
	case fieldQp:
		return &e.Qp
	case fieldSrq:
		return &e.Srq
	case fieldMr:
		return &e.Mr
	case fieldMw:
		return &e.Mw
	case fieldConn:
		return &e.Conn
	case fieldReceiveCq:
		return &e.ReceiveCq
	case fieldInitiatorCq:
		return &e.InitiatorCq
	case fieldAdapter:
		return &e.Adapter
	case fieldPd:
		return &e.Pd
	case fieldLam:
		return &e.Lam
	case fieldConnector:
		return &e.Connector
	case fieldListener:
		return &e.Listener
	case fieldEndpoint:
		return &e.Endpoint
	case fieldChannel:
		return &e.Channel
	}
	return nil
}

// word is where an event keeps a word that an integer may stand for, or nil.
func (e *Event) word(f field) *string {
	switch f {
	case fieldThr:
		return &e.Thr
	case fieldOp:
		return &e.Op
	case fieldFor:
		return &e.For
	case fieldWr:
		return &e.Wr
	case fieldBadWr:
		return &e.BadWr
	case fieldState:
		return &e.State
	case fieldType:
		return &e.Type
	case fieldStatus:
		return &e.Status
	case fieldErrno:
		return &e.Errno
	case fieldQpType:
		return &e.QpType
	}
	return e.object(f)
}
