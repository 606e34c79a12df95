package notation

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A scene is a trace of two queue pairs that are connected: qp1 completes into cq1, its peer qp2 into cq2. Statements are separated by
// semicolons; one that begins with "peer" is of the other end.
//
//	send 1, inv, read, write, recv   a post, inv of NdkSendAndInvalidate; then Q for SILENT_SUCCESS, D for DEFER, N for READ_FENCE, F for one that is refused, I as not connected
//	register 1 T5, invalidate 1 T5, inv 1 T5   a post that names token 5; memory is the creation of what has the tokens
//	get 1 2x 3c                 a poll that delivers 1 with success, 2 failed, 3 cancelled; get alone finds nothing
//	get 1T5                     a receive of a message that made token 5 invalid
//	flush, disconnect, close    of the queue pair; flush F is refused; rest is quiesce; put 1x is the point of a completion
//	begin …, end                the statement is under way until its end: the latest of that name
//	fail internal, overflow     a callback of the CQ reports it
//	connect R, connect B        a connect that is refused, or aborted
//	connect                     only where the scene begins with "apart": else both ends are connected first
//
// A scene that begins with "room 2" has CQs of that depth; else they are deep. One that begins with "UC" is of queue pairs of that type; else they
// are of type RC.
type scene struct {
	trace    *trace.Trace
	op       int
	underWay map[string]trace.Event
	verbs    bool
}

// Scene plays a scene, in a dialect that may be followed by a reading: "ndkpi A15=CANCELLED".
func Scene(t *testing.T, dialect, text string) (model.Dialect, *trace.Trace) {
	t.Helper()
	dialect, reading, assumes := strings.Cut(dialect, " ")
	d, err := model.ByName(dialect)
	if id, choice, _ := strings.Cut(reading, "="); assumes && err == nil {
		d, err = d.Assume(id, choice)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{trace: &trace.Trace{Header: trace.Header{Dialect: dialect, Side: "provider", Order: "total"}, End: &trace.End{}},
		underWay: map[string]trace.Event{}, verbs: d.ErrorState}
	depth, all := int64(256), false
	if room, rest, ok := strings.Cut(text, ";"); ok && strings.HasPrefix(room, "room ") {
		fmt.Sscanf(room, "room %d", &depth)
		text = rest
	}
	kind := "RC"
	if rest, ok := strings.CutPrefix(text, "UC;"); ok {
		kind, text = "UC", rest
	}
	for _, q := range []string{"1", "2"} {
		s.call(trace.Event{Fn: s.name("NdkCreateCq", "ibv_create_cq"), Cq: "cq" + q, Depth: &depth})
		s.call(trace.Event{Fn: s.name("NdkCreateQp", "ibv_create_qp"), Qp: "qp" + q, InitiatorCq: "cq" + q, ReceiveCq: "cq" + q, SqSigAll: &all, QpType: s.name("", kind)})
	}
	if rest, apart := strings.CutPrefix(text, "apart;"); apart {
		text = rest
	} else {
		text = "connect; peer connect;" + text
	}
	for _, statement := range strings.Split(text, ";") {
		if words := strings.Fields(statement); len(words) > 0 {
			s.play(t, words)
		}
	}
	return d, s.trace
}

func (s *scene) name(ndk, verbs string) string {
	if s.verbs {
		return verbs
	}
	return ndk
}

func (s *scene) event(ph trace.Phase, e trace.Event) {
	e.Ph, e.Seq, e.Line = ph, uint64(len(s.trace.Events)+1), len(s.trace.Events)+2
	s.trace.Events = append(s.trace.Events, e)
}

func (s *scene) call(e trace.Event) {
	s.begin(&e)
	s.end(e, "")
}

func (s *scene) begin(e *trace.Event) {
	s.op++
	e.Op = string(rune('A' + s.op))
	s.event(trace.Call, *e)
}

// end returns a call with success, or refused for the reason of letters.
func (s *scene) end(e trace.Event, letters string) {
	ret := trace.Event{Fn: e.Fn, Op: e.Op}
	refused := strings.Contains(letters, "F")
	switch {
	case s.verbs && refused:
		ret.Errno = "ENOMEM"
		if len(e.Wrs) > 0 {
			ret.BadWr = e.Wrs[0].Wr
		}
	case s.verbs:
	case strings.Contains(letters, "I"):
		ret.Status = "STATUS_CONNECTION_INVALID"
	case strings.Contains(letters, "R"):
		ret.Status = "STATUS_CONNECTION_REFUSED"
	case strings.Contains(letters, "B"):
		ret.Status = "STATUS_CONNECTION_ABORTED"
	case refused:
		ret.Status = "STATUS_INSUFFICIENT_RESOURCES"
	default:
		ret.Status = "STATUS_SUCCESS"
	}
	s.event(trace.Ret, ret)
}

func (s *scene) play(t *testing.T, words []string) {
	begins, ends := words[0] == "begin", words[0] == "end"
	if begins || ends {
		words = words[1:]
	}
	key := strings.Join(words[:min(2, len(words))], " ")
	end := "1"
	if words[0] == "peer" {
		end, words = "2", words[1:]
	}
	if ends {
		s.end(s.underWay[key], strings.Join(words[1:], ""))
		return
	}
	e := trace.Event{Qp: "qp" + end}
	var results []trace.Result
	switch words[0] {
	case "rest":
		s.event(trace.Point, trace.Event{Fn: "quiesce"})
		return
	case "fail":
		status := map[string]string{"internal": "STATUS_INTERNAL_ERROR", "overflow": "STATUS_BUFFER_OVERFLOW"}[words[1]]
		s.event(trace.Enter, trace.Event{Fn: "NdkCqNotificationCallback", Op: "cb", Cq: "cq" + end, Status: status})
		s.event(trace.Exit, trace.Event{Fn: "NdkCqNotificationCallback", Op: "cb"})
		return
	case "put":
		r := s.result(words[1])
		s.event(trace.Point, trace.Event{Fn: "CqePlaced", Cq: "cq" + end, Wr: r.Wr, Status: r.Status})
		return
	case "memory":
		s.call(trace.Event{Fn: "NdkCreateMr", Mr: "m"})
		return
	case "connect":
		e.Fn, e.Conn, e.State = s.name("NdkConnect", "ibv_modify_qp"), "c", s.name("", "RTR")
	case "flush":
		e.Fn, e.State = s.name("NdkFlush", "ibv_modify_qp"), s.name("", "ERR")
	case "disconnect":
		e.Fn = "NdkDisconnect"
	case "close":
		e.Fn = s.name("NdkCloseQp", "ibv_destroy_qp")
	case "get":
		room := int64(8)
		e.Fn, e.Cq, e.N = s.name("NdkGetCqResults", "ibv_poll_cq"), "cq"+end, &room
		for _, word := range words[1:] {
			results = append(results, s.result(word))
		}
	default:
		s.post(&e, words)
	}
	s.begin(&e)
	switch {
	case begins:
		s.underWay[key] = e
	case e.Cq != "":
		s.event(trace.Ret, trace.Event{Fn: e.Fn, Op: e.Op, Results: results})
	default:
		s.end(e, strings.Join(words[min(1, len(words)):], ""))
	}
}

func (s *scene) result(word string) trace.Result {
	r := trace.Result{Wr: strings.TrimRight(word, "xc"), Status: s.name("STATUS_SUCCESS", "SUCCESS")}
	if wr, token, ok := strings.Cut(r.Wr, "T"); ok {
		r.Wr, r.Type, r.Token = wr, "ReceiveAndInvalidate", tokenOf(token)
	}
	switch word[len(word)-1] {
	case 'x':
		r.Status = s.name("STATUS_ACCESS_VIOLATION", "REM_ACCESS_ERR")
	case 'c':
		r.Status = s.name("STATUS_CANCELLED", "WR_FLUSH_ERR")
	}
	return r
}

// tokenOf returns the token of a digit.
func tokenOf(text string) *uint32 {
	t := uint32(text[0] - '0')
	return &t
}

func (s *scene) post(e *trace.Event, words []string) {
	functions := map[string]string{"send": "NdkSend", "inv": "NdkSendAndInvalidate", "read": "NdkRead", "write": "NdkWrite", "recv": "NdkReceive",
		"register": "NdkFastRegister", "invalidate": "NdkInvalidate"}
	opcodes := map[string]string{"send": "SEND", "inv": "SEND_WITH_INV", "register": "BIND_MW", "invalidate": "LOCAL_INV", "read": "RDMA_READ", "write": "RDMA_WRITE"}
	letters := strings.Join(words[2:], "")
	var token *uint32
	if _, of, ok := strings.Cut(letters, "T"); ok {
		token = tokenOf(of)
	}
	if s.verbs {
		w := trace.WorkRequest{Wr: words[1], Opcode: opcodes[words[0]], Token: token}
		if !strings.Contains(letters, "Q") {
			w.Flags = append(w.Flags, "SIGNALED")
		}
		if strings.Contains(letters, "N") {
			w.Flags = append(w.Flags, "FENCE")
		}
		e.Fn, e.Wrs = cmp.Or(map[string]string{"recv": "ibv_post_recv"}[words[0]], "ibv_post_send"), []trace.WorkRequest{w}
		return
	}
	e.Fn, e.Wr, e.Token, e.Mr = functions[words[0]], words[1], token, "m"
	for letter, flag := range map[string]string{"Q": "SILENT_SUCCESS", "D": "DEFER", "N": "READ_FENCE"} {
		if strings.Contains(letters, letter) {
			e.Flags = append(e.Flags, flag)
		}
	}
}
