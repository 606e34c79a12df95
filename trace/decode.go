package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// recordKind returns the value of the key rec: "" for an event, which has none.
func recordKind(line []byte) (string, error) {
	if !bytes.Contains(line, []byte(`"rec"`)) && !bytes.Contains(line, []byte(`\u`)) {
		return "", nil
	}
	kind, p := "", newParser(line)
	err := p.line(func(key string) (bool, error) {
		if key != "rec" {
			return false, nil
		}
		return true, p.id(key, &kind)
	})
	return kind, err
}

func decodeHeader(line []byte) (Header, error) {
	kind, err := recordKind(line)
	if err != nil {
		return Header{}, err
	}
	if kind != "hdr" {
		return Header{}, errors.New(`no header: the first line is not {"rec":"hdr",…}`)
	}
	// A header of another version may differ in all else, so the version is looked at before the rest.
	if err := decodeVersion(line); err != nil {
		return Header{}, err
	}
	var h Header
	p := newParser(line)
	err = p.line(func(key string) (bool, error) { return decodeHeaderField(p, key, &h) })
	if err != nil {
		return h, err
	}
	return h, checkHeader(&h)
}

// decodeVersion checks a header's format and version alone.
func decodeVersion(line []byte) error {
	var format, version *string
	p := newParser(line)
	err := p.line(func(key string) (bool, error) {
		switch key {
		case "format":
			format = new(string)
			return true, p.text(key, format)
		case "v":
			version = new(string)
			return true, p.text(key, version)
		}
		return false, nil
	})
	switch {
	case err != nil:
		return err
	case format == nil:
		return errors.New("the header has no format")
	case version == nil:
		return errors.New("the header has no v")
	}
	return checkVersion(*format, *version)
}

func decodeHeaderField(p *parser, key string, h *Header) (known bool, err error) {
	switch key {
	case "dialect":
		err = p.text(key, &h.Dialect)
	case "ndk":
		err = p.text(key, &h.Ndk)
	case "side":
		err = p.text(key, &h.Side)
	case "order":
		err = p.text(key, &h.Order)
	case "clock":
		err = decodeTexts(p, key, map[string]*string{"id": &h.Clock.Id, "unit": &h.Clock.Unit})
	case "producer":
		err = decodeTexts(p, key, map[string]*string{"name": &h.Producer.Name, "version": &h.Producer.Version})
	case "adapter":
		h.Adapter, err = decodeMap(p, key)
	case "run":
		h.Run, err = decodeMap(p, key)
	default:
		return false, nil
	}
	return true, err
}

func decodeTexts(p *parser, parent string, values map[string]*string) error {
	return under(parent, p.object(func(key string) (bool, error) {
		if value, ok := values[key]; ok {
			return true, p.text(key, value)
		}
		return false, nil
	}))
}

func decodeMap(p *parser, parent string) (map[string]string, error) {
	values := map[string]string{}
	err := p.object(func(key string) (bool, error) {
		var value string
		err := p.text(key, &value)
		values[key] = value
		return true, err
	})
	return values, under(parent, err)
}

// under says in which field an error is. A cut line stays what it is.
func under(field string, err error) error {
	if err == nil || err == errCut {
		return err
	}
	return fmt.Errorf("%s: %w", field, err)
}

var versionPattern = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}$`)

// checkVersion accepts every minor version of major version 1.
func checkVersion(format, version string) error {
	if format != formatName {
		return fmt.Errorf("the header's format is %.40q, not %q", format, formatName)
	}
	if !versionPattern.MatchString(version) {
		return fmt.Errorf("the header's v is %.40q, not a version such as %q", version, Version)
	}
	if !strings.HasPrefix(version, "1.") {
		return fmt.Errorf("format version %s is not supported: this program reads version 1", version)
	}
	return nil
}

func decodeEnd(line []byte) (End, error) {
	var end End
	missing := map[string]bool{"events": true, "dropped": true, "quiescent": true}
	p := newParser(line)
	err := p.line(func(key string) (known bool, err error) {
		delete(missing, key)
		var n int64
		switch key {
		case "events":
			n, err = p.integer(key, math.MaxInt64)
			end.Events = uint64(n)
		case "dropped":
			n, err = p.integer(key, math.MaxInt64)
			end.Dropped = uint64(n)
		case "quiescent":
			end.Quiescent, err = p.boolean(key)
		default:
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return end, err
	}
	for _, key := range []string{"events", "dropped", "quiescent"} {
		if missing[key] {
			return end, fmt.Errorf("the end record has no %s", key)
		}
	}
	return end, nil
}

// createQpKeys are the names that ibv_create_qp has for arguments of NdkCreateQp.
type createQpKeys struct {
	recvCq, sendCq       string
	maxRecvWr, maxSendWr *int64
}

func decodeEvent(line []byte) (Event, error) {
	var e Event
	var verbs createQpKeys
	hasSeq := false
	p := newParser(line)
	err := p.line(func(key string) (known bool, err error) {
		hasSeq = hasSeq || key == "seq"
		return decodeField(p, key, &e, &verbs)
	})
	if err != nil {
		return e, err
	}
	if !hasSeq {
		return e, errors.New("no seq")
	}
	if e.Fn == "ibv_create_qp" {
		e.ReceiveCq, e.InitiatorCq = verbs.recvCq, verbs.sendCq
		e.ReceiveDepth, e.InitiatorDepth = verbs.maxRecvWr, verbs.maxSendWr
	}
	return e, normalise(&e)
}

func decodeField(p *parser, key string, e *Event, verbs *createQpKeys) (known bool, err error) {
	var n int64
	switch key {
	case "seq":
		n, err = p.integer(key, math.MaxInt64)
		e.Seq = uint64(n)
	case "t":
		e.T, err = p.integer(key, math.MaxInt64)
	case "thr":
		err = p.id(key, &e.Thr)
	case "ph":
		err = p.id(key, (*string)(&e.Ph))
	case "op":
		err = p.word(key, math.MaxInt64, &e.Op)
	case "fn":
		err = p.id(key, &e.Fn)
	case "cq":
		err = p.id(key, &e.Cq)
	case "qp":
		err = p.id(key, &e.Qp)
	case "srq":
		err = p.id(key, &e.Srq)
	case "mr":
		err = p.id(key, &e.Mr)
	case "mw":
		err = p.id(key, &e.Mw)
	case "conn":
		err = p.id(key, &e.Conn)
	case "receive_cq":
		err = p.id(key, &e.ReceiveCq)
	case "recv_cq":
		err = p.id(key, &verbs.recvCq)
	case "initiator_cq":
		err = p.id(key, &e.InitiatorCq)
	case "send_cq":
		err = p.id(key, &verbs.sendCq)
	case "receive_depth":
		e.ReceiveDepth, err = p.optional(key)
	case "max_recv_wr":
		verbs.maxRecvWr, err = p.optional(key)
	case "initiator_depth":
		e.InitiatorDepth, err = p.optional(key)
	case "max_send_wr":
		verbs.maxSendWr, err = p.optional(key)
	case "inline":
		e.Inline, err = p.optional(key)
	case "depth":
		e.Depth, err = p.optional(key)
	case "sq_sig_all":
		e.SqSigAll, err = p.optionalBool(key)
	case "state":
		err = p.word(key, math.MaxUint32, &e.State)
	case "solicited_only":
		e.SolicitedOnly, err = p.optionalBool(key)
	case "wr":
		err = p.id(key, &e.Wr)
	case "wrs":
		e.Wrs, err = decodeWorkRequests(p, key)
	case "bad_wr":
		err = p.id(key, &e.BadWr)
	case "flags":
		e.Flags, err = decodeFlags(p, key)
	case "type":
		err = p.word(key, math.MaxUint32, &e.Type)
	case "token":
		e.Token, err = p.optionalUint32(key)
	case "bytes":
		e.Bytes, err = p.optional(key)
	case "n":
		e.N, err = p.optional(key)
	case "status":
		err = p.word(key, math.MaxUint32, &e.Status)
	case "errno":
		err = p.word(key, math.MaxUint32, &e.Errno)
	case "results":
		e.Results, err = decodeResults(p, key)
	case "for":
		err = p.word(key, math.MaxInt64, &e.For)
	case "solicited":
		e.Solicited, err = p.optionalBool(key)
	default:
		return false, nil
	}
	return true, err
}

func decodeWorkRequests(p *parser, key string) ([]WorkRequest, error) {
	requests := []WorkRequest{}
	err := p.list(key, func(i int) error {
		var w WorkRequest
		err := p.object(func(key string) (known bool, err error) {
			switch key {
			case "wr":
				err = p.id(key, &w.Wr)
			case "opcode":
				err = p.word(key, math.MaxUint32, &w.Opcode)
			case "flags":
				w.Flags, err = decodeFlags(p, key)
			case "bytes":
				w.Bytes, err = p.optional(key)
			case "token":
				w.Token, err = p.optionalUint32(key)
			case "mw":
				err = p.id(key, &w.Mw)
			default:
				return false, nil
			}
			return true, err
		})
		if err == nil && w.Wr == "" {
			err = errors.New("no wr")
		}
		requests = append(requests, w)
		return under(fmt.Sprintf("%s[%d]", key, i), err)
	})
	return requests, err
}

func decodeResults(p *parser, key string) ([]Result, error) {
	results := []Result{}
	err := p.list(key, func(i int) error {
		var r Result
		err := p.object(func(key string) (known bool, err error) {
			switch key {
			case "wr":
				err = p.id(key, &r.Wr)
			case "qp":
				err = p.id(key, &r.Qp)
			case "status":
				err = p.word(key, math.MaxUint32, &r.Status)
			case "bytes":
				r.Bytes, err = p.optional(key)
			case "type":
				err = p.word(key, math.MaxUint32, &r.Type)
			case "opcode":
				err = p.word(key, math.MaxUint32, &r.Opcode)
			case "token":
				r.Token, err = p.optionalUint32(key)
			case "provider_error":
				r.ProviderError, err = p.optionalUint32(key)
			default:
				return false, nil
			}
			return true, err
		})
		switch {
		case err != nil:
		case r.Wr == "":
			err = errors.New("no wr")
		case r.Status == "":
			err = errors.New("no status")
		}
		results = append(results, r)
		return under(fmt.Sprintf("%s[%d]", key, i), err)
	})
	return results, err
}

// decodeFlags reads an integer, or a list of names and integers.
func decodeFlags(p *parser, key string) ([]string, error) {
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	if number, ok := token.(json.Number); ok {
		n, err := toInteger(key, number, math.MaxUint32)
		return []string{strconv.FormatInt(n, 10)}, err
	}
	if token != json.Delim('[') {
		return nil, fmt.Errorf("%s is %s, neither a list nor an integer", key, kindOf(token))
	}
	var flags []string
	err = p.elements(func(i int) error {
		if i == maxFlags {
			return fmt.Errorf("%s has more than %d elements", key, maxFlags)
		}
		var flag string
		err := p.word(fmt.Sprintf("%s[%d]", key, i), math.MaxUint32, &flag)
		flags = append(flags, flag)
		return err
	})
	return flags, err
}
