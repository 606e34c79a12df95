package witness_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/traces"
)

// What the search leaves open is told so that it can have happened: the witness holds of each of these traces, which overlap, or tell of less
// than there was.
func TestWitnessesOfWhatIsLeftOpen(t *testing.T) {
	const (
		verbsOk  = `|`
		connects = `ibv_modify_qp "qp":"q","conn":"n","state":"RTR"` + verbsOk
	)
	verbs := func(events ...string) []string {
		return notation.Lines(append([]string{`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_cq "cq":"d","depth":4|`,
			`ibv_create_qp "qp":"q","recv_cq":"c","send_cq":"c"|`, `ibv_create_qp "qp":"p","recv_cq":"d","send_cq":"d"|`}, events...)...)
	}
	for _, test := range []struct {
		name, dialect string
		events        []string
	}{
		{"the return of a callback, and another CQ at rest (ARM-06)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkConnect "qp":"p","conn":"m"`+notation.Succeeds, `NdkArmCq "cq":"d","type":"ANY"|`, `NdkWrite "qp":"q","wr":"w","flags":["SILENT_SUCCESS"]`+notation.Succeeds,
			`NdkWrite "qp":"p","wr":"v"`+notation.Succeeds, `NdkCqNotificationCallback "cq":"d","status":"STATUS_SUCCESS"|`, `"ph":"point","fn":"quiesce"`)()},
		{"a post that ends a chain runs over a rest (DEF-04)", "ndkpi", notation.After(`NdkWrite "qp":"q","wr":"w","flags":["DEFER"]`+notation.Succeeds,
			`"ph":"call","op":"a","fn":"NdkWrite","qp":"q","wr":"v"`, `"ph":"point","fn":"quiesce"`, `NdkGetCqResults "cq":"c","n":4|"results":[]`,
			`"ph":"ret","op":"a","fn":"NdkWrite","status":"STATUS_SUCCESS"`,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"w",`+notation.StatusSuccess+`},{"wr":"v",`+notation.StatusSuccess+`}]`)()},
		{"a send that nobody polls, cancelled by the peer's bad token (INV-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `NdkSendAndInvalidate "qp":"p","wr":"t","token":8`+notation.Succeeds,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"t","status":"STATUS_ACCESS_VIOLATION"}]`)()},
		{"a receive that a bad token broke is told as flushed (INV-05)", "verbs", verbs(`ibv_post_recv "qp":"p","wrs":[{"wr":"r"}]|`, connects,
			`ibv_post_send "qp":"q","wrs":[{"wr":"s","opcode":"SEND_WITH_INV","flags":["SIGNALED"],"token":8}]|`, `ibv_modify_qp "qp":"p","conn":"n","state":"RTR"|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"s","status":"IBV_WC_SUCCESS"}]`,
			`ibv_poll_cq "cq":"d","n":4|"results":[{"wr":"r","status":"IBV_WC_WR_FLUSH_ERR"}]`)},
		{"an untold send has failed, as its peer had no receive for it (POLL-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s"`+notation.Succeeds,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r","status":"STATUS_CANCELLED"}]`)()},
		{"a silent send, and a receive posted later (POLL-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s","flags":["SILENT_SUCCESS"]`+notation.Succeeds, `NdkWrite "qp":"q","wr":"w"`+notation.Succeeds,
			`NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"w",`+notation.StatusSuccess+`}]`)()},
		{"a bad token ends the connection, and its send succeeds (INV-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkSendAndInvalidate "qp":"q","wr":"s","token":8`+notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",`+notation.StatusSuccess+`}]`,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r","status":"STATUS_ACCESS_VIOLATION"}]`)()},
		{"the failure that broke a QP is told as flushed (RES-10)", "verbs", verbs(connects, `ibv_modify_qp "qp":"p","conn":"n","state":"RTR"|`,
			`ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`, `ibv_post_send "qp":"q","wrs":[{"wr":"w","opcode":"RDMA_WRITE","flags":["SIGNALED"]},{"wr":"v","opcode":"RDMA_WRITE","flags":["SIGNALED"]}]|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"w","status":"IBV_WC_WR_FLUSH_ERR"},{"wr":"v","status":"IBV_WC_WR_FLUSH_ERR"}]`)},
		{"a receive whose post never returned (POLL-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds,
			`NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `NdkReceive "qp":"p","wr":"r"`, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",`+notation.StatusSuccess+`}]`, `NdkUnheardOf "cq":"d"`)()},
		{"a peer whose connection never returned (POLL-05)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`,
			`NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",`+notation.StatusSuccess+`}]`, `NdkUnheardOf "cq":"d"`)()},
		{"it is, and a receive posted later may have failed, too (RES-10)", "verbs", verbs(connects, `ibv_modify_qp "qp":"p","conn":"n","state":"RTR"|`,
			`ibv_post_send "qp":"q","wrs":[{"wr":"s","opcode":"SEND","flags":["SIGNALED"]}]|`, `ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"s","status":"IBV_WC_WR_FLUSH_ERR"}]`)},
		{"a list of posts, of which a message needs the last (POLL-05)", "verbs", verbs(connects, `ibv_modify_qp "qp":"p","conn":"n","state":"RTR"|`,
			`ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`,
			`ibv_post_send "qp":"p","wrs":[{"wr":"w","opcode":"RDMA_WRITE","flags":["SIGNALED"]},{"wr":"s","opcode":"SEND","flags":["SIGNALED"]}]|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"r","status":"IBV_WC_SUCCESS"}]`,
			`ibv_poll_cq "cq":"d","n":4|"results":[{"wr":"w","status":"IBV_WC_SUCCESS"},{"wr":"s","status":"IBV_WC_SUCCESS"}]`)},
		{"a send that overlaps its own connection (POST-08)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"r"`+notation.Succeeds,
			`"ph":"call","op":"s","fn":"NdkSend","qp":"p","wr":"s"`, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `"ph":"ret","op":"s","fn":"NdkSend","status":"STATUS_SUCCESS"`,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"r",`+notation.StatusSuccess+`}]`)()},
		{"a write whose post never returned, flushed (POST-04)", "ndkpi", notation.After(`NdkArmCq "cq":"c","type":"ANY"|`, `NdkWrite "qp":"q","wr":"w"`, `NdkFlush "qp":"q"`+notation.Succeeds,
			`"ph":"point","fn":"quiesce"`, `NdkGetCqResults "cq":"c","n":4|"results":[]`, `NdkUnheardOf "cq":"c"`)()},
		{"a peer whose CQ overflowed (RES-10)", "ndkpi", notation.Lines(`NdkCreateCq "cq":"c","depth":4`+notation.Succeeds, `NdkCreateCq "cq":"d","depth":1`+notation.Succeeds, notation.Created[2], notation.Created[3],
			`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkArmCq "cq":"d","type":"ANY"|`,
			`NdkWrite "qp":"p","wr":"v"`+notation.Succeeds, `NdkWrite "qp":"p","wr":"w"`+notation.Succeeds, `NdkCqNotificationCallback "cq":"d","status":"STATUS_BUFFER_OVERFLOW"|`,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"r","status":"STATUS_CANCELLED"}]`)},
		{"a peer whose CQ another QP may have overrun (RES-10)", "ndkpi", notation.Lines(`NdkCreateCq "cq":"c","depth":4`+notation.Succeeds, `NdkCreateCq "cq":"d","depth":1`+notation.Succeeds, notation.Created[2], notation.Created[3],
			`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds, `NdkCreateQp "qp":"x","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds,
			`NdkConnect "qp":"x","conn":"m"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkWrite "qp":"x","wr":"v"`+notation.Succeeds, `NdkWrite "qp":"x","wr":"w"`+notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"r","status":"STATUS_CANCELLED"}]`)},
		{"a receive waits for a message that is deferred (DEF-04)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds,
			`NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkSend "qp":"q","wr":"s","flags":["DEFER"]`+notation.Succeeds, `"ph":"point","fn":"quiesce"`, `NdkGetCqResults "cq":"d","n":4|"results":[]`,
			`NdkWrite "qp":"q","wr":"w"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",`+notation.StatusSuccess+`},{"wr":"w",`+notation.StatusSuccess+`}]`,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r",`+notation.StatusSuccess+`}]`)()},
		{"a peer that was closed (RES-10)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds,
			`NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkCloseQp "qp":"p"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"r","status":"STATUS_CANCELLED"}]`)()},
		{"a peer whose CQ failed (RES-10)", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"c","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds,
			`NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkArmCq "cq":"d","type":"ANY"|`, `NdkCqNotificationCallback "cq":"d","status":"STATUS_INTERNAL_ERROR"|`,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"r","status":"STATUS_CANCELLED"}]`)()},
		{"a CQ is closed, and the creation of a QP on it succeeds after that (LIFE-04)", "ndkpi", notation.Lines(notation.Created[0],
			`"ph":"call","op":"a","fn":"NdkCreateQp","qp":"q","receive_cq":"c","initiator_cq":"c"`, `NdkCloseCq "cq":"c"`+notation.Succeeds,
			`"ph":"ret","op":"a","fn":"NdkCreateQp","status":"STATUS_SUCCESS"`)},
		{"what overflowed a CQ is nowhere told (ARM-16)", "ndkpi", notation.Lines(`NdkCreateCq "cq":"c","depth":1`+notation.Succeeds, `NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"`+notation.Succeeds,
			`NdkConnect "qp":"q","conn":"n"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"r"`+notation.Succeeds, `NdkWrite "qp":"q","wr":"w","flags":["SILENT_SUCCESS"]`+notation.Succeeds,
			`NdkWrite "qp":"q","wr":"v"`+notation.Succeeds, `NdkArmCq "cq":"c","type":"ANY"|`, `NdkCqNotificationCallback "cq":"c","status":"STATUS_BUFFER_OVERFLOW"|`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, test.dialect, test.events)
			file := judging.WitnessOf(t, traced, linearize.Options{})
			if _, err := witness.Verify(bytes.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		})
	}
}

// A witness is refused in which a step has moved to where it can't have been taken, though all its events stay.
func TestWitnessesAreHeldInOrder(t *testing.T) {
	for _, test := range []struct {
		name, file     string
		step, to, says string // what a step has, and before which line it is moved
	}{
		{"a send that succeeds before the receive is posted (POLL-05)", "accept/send-waits-for-a-receive", `"Execute","qp":"qp1"`, `"action":"Post","op":"9"`,
			"the peer has posted no receive for it"},
		{"a receive that succeeds before the send is posted (POLL-05)", "accept/receive-before-the-send-completes", `"Execute","qp":"qp1"`, `"wr":"s1","request":"Send"`,
			"the peer has posted no send for it"},
		{"a close behind its completion (ASY-02)", "accept/completion-before-its-call-returns", `"action":"NdkCloseQp"`, `"ph":"exit","op":"5"`, "should stand before this line"},
		{"a completion behind the close of its QP (LIFE-07)", "accept/closed-qp-polled", `"Complete","qp":"qp1","queue":"receive"`, `"fn":"NdkGetCqResults","cq"`, "the close of qp1 has completed"},
		{"an overflow before what is one too many (ARM-16)", "accept/overflow", `"Overflow"`, `"wr":"w3","request"`, "no completion waits for room"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := judging.Row{Row: traces.Row{File: test.file + ".ndktrace.jsonl"}}
			traced := row.Read(t)
			var moved string
			var file []string
			for _, line := range witnessLines(t, traced, row) {
				if moved == "" && strings.Contains(line, test.step) {
					moved = line
					continue
				}
				file = append(file, line)
			}
			text := strings.Join(file, "")
			if at := strings.Index(text, test.to); moved == "" || at < 0 {
				t.Fatalf("no line to move, or none to move it to:\n%s%s", moved, text)
			} else {
				start := strings.LastIndex(text[:at], "\n") + 1
				text = text[:start] + moved + text[start:]
			}
			if _, err := witness.Verify(strings.NewReader(text), traced); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q\n%s", err, test.says, text)
			}
		})
	}
}

// A witness is refused that was altered together with its trace, where what the trace says now is not allowed.
func TestWitnessesAreHeldAgainstTheirTrace(t *testing.T) {
	peer := []string{`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds, `NdkAccept "qp":"p","conn":"n"` + notation.Succeeds}
	message := func(post, kind string) []string {
		return notation.After(slices.Concat(peer, []string{`NdkFastRegister "qp":"p","wr":"f","mr":"m"|` + notation.StatusSuccess + `,"token":8`,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"f",` + notation.StatusSuccess + `}]`, `NdkReceive "qp":"p","wr":"r"` + notation.Succeeds, post + notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",` + notation.StatusSuccess + `}]`, `NdkGetCqResultsEx "cq":"d","n":4|"results":[{"wr":"r",` + notation.StatusSuccess + kind + `}]`})...)()
	}
	const (
		plain       = `"fn":"NdkSend","qp":"q","wr":"s"`
		invalidates = `"fn":"NdkSendAndInvalidate","qp":"q","wr":"s","token":8`
		returns     = `"fn":"NdkSend","status"`
		returned    = `"fn":"NdkSendAndInvalidate","status"`
		step        = `"wr":"s","request":"Send"`
		other       = `"wr":"s","request":"SendAndInvalidate","token":8`
	)
	connectedLate := notation.Lines(slices.Concat(notation.Created[:3], []string{notation.Created[3], peer[0], `NdkReceive "qp":"p","wr":"r"` + notation.Succeeds, `NdkSend "qp":"q","wr":"s"` + notation.Succeeds, peer[1],
		`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",` + notation.StatusSuccess + `}]`, `NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r",` + notation.StatusSuccess + `}]`})...)
	ends := func(qp, queue, wr, outcome string) string {
		return fmt.Sprintf(`{"rec":"step","action":"Execute","qp":%q,"queue":%q,"wr":%q,"outcome":%q}`, qp, queue, wr, outcome) + "\n"
	}
	point := `"ph":"point","fn":"CqePlaced","cq":"c","wr":"w",` + notation.StatusSuccess
	for _, test := range []struct {
		name     string
		events   []string
		replaced []string // what, and by what
		says     string
	}{
		{"a message of another kind (RES-02)", message(`NdkSend "qp":"q","wr":"s"`, `,"type":"Receive"`),
			[]string{plain, invalidates, returns, returned, step, other}, "the token is not as that was sent"},
		{"a loss that explains nothing (RES-10)", notation.After(slices.Concat(peer, []string{`NdkWrite "qp":"q","wr":"w"` + notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"w",` + notation.StatusSuccess + `}]`, `NdkArmCq "cq":"c","type":"ANY"` + notation.Succeeds})...)(),
			[]string{`{"seq":17,`, `{"rec":"step","action":"ConnectionLost","qp":"q"}` + "\n" + `{"seq":17,`}, "nothing can have ended it"},
		{"a disconnect that was pending has flushed (POLL-05)", notation.After(slices.Concat(peer, []string{`NdkReceive "qp":"p","wr":"r"` + notation.Succeeds,
			`"ph":"call","op":"x","fn":"NdkDisconnect","qp":"p"`, `"ph":"ret","op":"x","fn":"NdkDisconnect","status":"STATUS_PENDING"`,
			`NdkSend "qp":"q","wr":"s"` + notation.Succeeds,
			`"ph":"enter","op":"y","fn":"NdkRequestCompletion","for":"x","status":"STATUS_IO_TIMEOUT"`, `"ph":"exit","op":"y","fn":"NdkRequestCompletion"`,
			`NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s",` + notation.StatusSuccess + `}]`})...)(),
			[]string{`STATUS_IO_TIMEOUT`, `STATUS_SUCCESS`, `{"seq":16,`, `{"rec":"step","action":"NdkFlush","op":"x","qp":"p"}` + "\n" + `{"seq":16,`}, "no request of the queue is pending"},
		{"a point of a request that there is not (POLL-05)", notation.After(`NdkWrite "qp":"q","wr":"w"`+notation.Succeeds, `NdkUnheardOf|`, point)(),
			[]string{`"wr":"w","status"`, `"wr":"v","status"`}, "no such request"},
		{"a second point (POLL-04)", notation.After(`NdkWrite "qp":"q","wr":"w"`+notation.Succeeds, point, `NdkWrite "qp":"q","wr":"v"`+notation.Succeeds, strings.Replace(point, `"w"`, `"v"`, 1))(),
			[]string{`"wr":"v","status"`, `"wr":"w","status"`}, "two points"},
		{"a send that succeeds before the peer is connected (POLL-05)", connectedLate, nil, "the peer is not connected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, "ndkpi", test.events)
			file := string(judging.WitnessOf(t, traced, linearize.Options{}))
			if _, err := witness.Verify(strings.NewReader(file), traced); err != nil {
				t.Fatalf("unaltered: %v", err)
			}
			altered := strings.NewReplacer(test.replaced...)
			if test.replaced == nil { // the send's end is moved before the connection
				end := ends("q", "initiator", "s", "SUCCESS")
				accepts := `{"rec":"step","action":"NdkConnect","op":"8","qp":"p"}` + "\n"
				altered = strings.NewReplacer(end, "", accepts, end+accepts)
			}
			events := slices.Clone(test.events)
			for i := range events {
				events[i] = altered.Replace(events[i])
			}
			again := altered.Replace(file)
			if again == file {
				t.Fatalf("nothing was altered:\n%s", file)
			}
			if _, err := witness.Verify(strings.NewReader(again), notation.Read(t, "ndkpi", events)); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q\n%s", err, test.says, again)
			}
		})
	}
}

// What comes behind the last moment of rest but one is at rest with the next, be it no call: a reader of events that never returned, a point (ARM-09).
func TestBehindTheLastRest(t *testing.T) {
	const write = `"wrs":[{"wr":"w","opcode":"RDMA_WRITE","flags":["SIGNALED"]}]|`
	for _, test := range []struct {
		name, dialect string
		events        []string
	}{
		{"a reader", "verbs", notation.Lines(`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_qp "qp":"q","recv_cq":"c","send_cq":"c"|`,
			`ibv_modify_qp "qp":"q","conn":"n","state":"RTR"|`, `ibv_req_notify_cq "cq":"c","solicited_only":false|`,
			`ibv_post_send "qp":"q",`+write, `"ph":"point","fn":"quiesce"`, `ibv_get_cq_event "cq":"c"`)},
		{"a point", "ndspi", notation.After(`NdkArmCq "cq":"c","type":"ANY"|`, `NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `"ph":"point","fn":"quiesce"`,
			`"ph":"point","fn":"CqePlaced","cq":"c","wr":"s",`+notation.StatusSuccess)()},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, test.dialect, test.events)
			for _, engine := range []linearize.Engine{linearize.Porcupine, linearize.Streaming} {
				r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine})
				if r.Verdict != verdict.ProviderViolation || len(r.Findings) != 1 || r.Findings[0].Rule != "ARM-09" && r.Findings[0].Rule != "ARM-03" {
					t.Errorf("%v: %s, want a violation of ARM-09: %+v", engine, r.Verdict, r.Findings)
				}
			}
		})
	}
}
