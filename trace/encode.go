package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The encoders append to dst and do not keep their arguments. So an Event and everything that it points to can live on the caller's stack.

// AppendEvent appends the line of e, without its newline.
func AppendEvent(dst []byte, e *Event) []byte {
	dst = appendPlace(dst, e.Seq, e.T, e.Thr, e.Ph, e.Op)
	dst = appendArguments(dst, e)
	return append(dst, '}')
}

// appendPlace opens the object of an event with the fields that say where it belongs.
func appendPlace(dst []byte, seq uint64, t int64, thr string, ph Phase, op string) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, `,"t":`...)
	dst = strconv.AppendInt(dst, t, 10)
	dst = appendText(dst, "thr", thr)
	dst = appendText(dst, "ph", string(ph))
	return appendText(dst, "op", op)
}

// appendArguments appends the other fields of e, each after a comma, in the order of docs/trace-format.md.
func appendArguments(dst []byte, e *Event) []byte {
	receiveCq, initiatorCq, receiveDepth, initiatorDepth, inline := "receive_cq", "initiator_cq", "receive_depth", "initiator_depth", "inline"
	if createsVerbsQp(e.Fn) {
		receiveCq, initiatorCq, receiveDepth, initiatorDepth, inline = "recv_cq", "send_cq", "max_recv_wr", "max_send_wr", "max_inline_data"
	}
	dst = appendText(dst, "fn", e.Fn)
	dst = appendText(dst, "cq", e.Cq)
	dst = appendText(dst, "qp", e.Qp)
	dst = appendText(dst, "srq", e.Srq)
	dst = appendText(dst, "mr", e.Mr)
	dst = appendText(dst, "mw", e.Mw)
	dst = appendText(dst, "conn", e.Conn)
	dst = appendText(dst, receiveCq, e.ReceiveCq)
	dst = appendText(dst, initiatorCq, e.InitiatorCq)
	dst = appendInt(dst, receiveDepth, e.ReceiveDepth)
	dst = appendInt(dst, initiatorDepth, e.InitiatorDepth)
	dst = appendInt(dst, inline, e.Inline)
	dst = appendInt(dst, "depth", e.Depth)
	dst = appendInt(dst, "threshold", e.Threshold)
	dst = appendBool(dst, "notify", e.Notify)
	dst = appendBool(dst, "sq_sig_all", e.SqSigAll)
	dst = appendText(dst, "state", e.State)
	dst = appendBool(dst, "solicited_only", e.SolicitedOnly)
	dst = appendText(dst, "wr", e.Wr)
	if e.Wrs != nil {
		dst = appendList(dst, "wrs", e.Wrs, appendWorkRequest)
	}
	dst = appendText(dst, "bad_wr", e.BadWr)
	dst = appendFlags(dst, e.Flags)
	dst = appendText(dst, "type", e.Type)
	dst = appendUint32(dst, "token", e.Token)
	dst = appendInt(dst, "bytes", e.Bytes)
	dst = appendInt(dst, "n", e.N)
	dst = appendText(dst, "status", e.Status)
	dst = appendText(dst, "errno", e.Errno)
	if e.Results != nil {
		dst = appendList(dst, "results", e.Results, appendResult)
	}
	dst = appendText(dst, "for", e.For)
	dst = appendBool(dst, "solicited", e.Solicited)
	for f := fieldAdapter; f <= fieldChannel; f++ {
		dst = appendText(dst, f.String(), *e.object(f))
	}
	dst = appendText(dst, "qp_type", e.QpType)
	return appendInt(dst, "length", e.Length)
}

func appendWorkRequest(dst []byte, w *WorkRequest) []byte {
	dst = append(dst, `{"wr":`...)
	dst = appendString(dst, w.Wr)
	dst = appendText(dst, "opcode", w.Opcode)
	dst = appendFlags(dst, w.Flags)
	dst = appendInt(dst, "bytes", w.Bytes)
	dst = appendUint32(dst, "token", w.Token)
	dst = appendText(dst, "mr", w.Mr)
	dst = appendText(dst, "mw", w.Mw)
	return append(dst, '}')
}

func appendResult(dst []byte, r *Result) []byte {
	dst = append(dst, `{"wr":`...)
	dst = appendString(dst, r.Wr)
	dst = appendText(dst, "qp", r.Qp)
	dst = appendText(dst, "status", r.Status)
	dst = appendInt(dst, "bytes", r.Bytes)
	dst = appendText(dst, "type", r.Type)
	dst = appendText(dst, "opcode", r.Opcode)
	dst = appendUint32(dst, "token", r.Token)
	dst = appendUint32(dst, "provider_error", r.ProviderError)
	return append(dst, '}')
}

// appendList appends a list that is present, possibly empty: a poll that returned nothing is not a poll of which
// nothing is known.
func appendList[T any](dst []byte, key string, list []T, appendElement func([]byte, *T) []byte) []byte {
	dst = append(appendKey(dst, key), '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendElement(dst, &list[i])
	}
	return append(dst, ']')
}

func appendFlags(dst []byte, flags []string) []byte {
	if len(flags) == 0 {
		return dst
	}
	dst = append(appendKey(dst, "flags"), '[')
	for i, flag := range flags {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, flag)
	}
	return append(dst, ']')
}

func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

func appendText(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(appendKey(dst, key), value)
}

func appendInt(dst []byte, key string, value *int64) []byte {
	if value == nil {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, key), *value, 10)
}

func appendUint32(dst []byte, key string, value *uint32) []byte {
	if value == nil {
		return dst
	}
	return strconv.AppendUint(appendKey(dst, key), uint64(*value), 10)
}

func appendBool(dst []byte, key string, value *bool) []byte {
	if value == nil {
		return dst
	}
	return strconv.AppendBool(appendKey(dst, key), *value)
}

// appendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD, which readers refuse.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c > '~' && !unicode.IsPrint(c):
			dst = appendEscaped(dst, c)
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}

// EscapeJSON appends JSON text to dst, and escapes in its strings the characters that are not printable: what a trace says does not steer the terminal
// on which a file is shown.
func EscapeJSON(dst, text []byte) []byte {
	for _, c := range string(text) {
		if c > '~' && !unicode.IsPrint(c) {
			dst = appendEscaped(dst, c)
		} else {
			dst = utf8.AppendRune(dst, c)
		}
	}
	return dst
}

// appendEscaped appends a character as JSON escapes it: in UTF-16.
func appendEscaped(dst []byte, c rune) []byte {
	if c < 0x10000 {
		return fmt.Appendf(dst, `\u%04x`, c)
	}
	high, low := utf16.EncodeRune(c)
	return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
}

// headerLine is the header as it is written; Reader's decodeHeader is its inverse.
func headerLine(h Header) ([]byte, error) {
	line, err := json.Marshal(struct {
		Rec    string `json:"rec"`
		Format string `json:"format"`
		V      string `json:"v"`
		Header
	}{"hdr", formatName, Version, h})
	return append(EscapeJSON(nil, line), '\n'), err
}

func endLine(e End) ([]byte, error) {
	line, err := json.Marshal(struct {
		Rec string `json:"rec"`
		End
	}{"end", e})
	return append(line, '\n'), err
}
