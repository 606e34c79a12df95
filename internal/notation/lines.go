package notation

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// Text puts header and end around lines, and numbers them.
func Text(dialect string, lines []string) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":%q,"side":"provider","order":"total","producer":{"name":"by hand","version":"1"}}`+"\n", dialect)
	for i, line := range lines {
		fmt.Fprintf(&text, `{"seq":%d,"thr":"t",%s}`+"\n", i+1, line)
	}
	fmt.Fprintf(&text, `{"rec":"end","events":%d,"dropped":0,"quiescent":true}`+"\n", len(lines))
	return text.Bytes()
}

// Lines makes events of a short notation: a call and its return on one line, the return after a bar. What begins with a quote
// is an event as it stands.
func Lines(calls ...string) []string {
	var all []string
	for i, c := range calls {
		if strings.HasPrefix(c, `"`) {
			all = append(all, c)
			continue
		}
		begin, end, returns := strings.Cut(c, "|")
		fn, rest, _ := strings.Cut(begin, " ")
		fields := func(s string) string {
			if s = strings.TrimSpace(s); s == "" {
				return ""
			}
			return "," + s
		}
		phases := [2]string{"call", "ret"}
		if strings.HasSuffix(fn, "Callback") || strings.HasSuffix(fn, "Completion") {
			phases = [2]string{"enter", "exit"}
		}
		all = append(all, fmt.Sprintf(`"ph":%q,"op":"%d","fn":%q%s`, phases[0], i+1, fn, fields(rest)))
		if returns {
			all = append(all, fmt.Sprintf(`"ph":%q,"op":"%d","fn":%q%s`, phases[1], i+1, fn, fields(end)))
		}
	}
	return all
}

// Succeeds ends a line of Lines: the return, with success.
const Succeeds = `|"status":"STATUS_SUCCESS"`

// Created are the lines that create two CQs and a queue pair, and connect that.
var Created = []string{
	`NdkCreateCq "cq":"c","depth":4` + Succeeds, `NdkCreateCq "cq":"d","depth":4` + Succeeds,
	`NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"` + Succeeds, `NdkConnect "qp":"q","conn":"n"` + Succeeds,
}

// After returns what makes the events of such lines, behind Created.
func After(calls ...string) func() []string {
	return func() []string { return Lines(slices.Concat(Created, calls)...) }
}

// Bool returns a pointer to a word of the format.
func Bool(b bool) *bool { return &b }

// Read returns the trace of such events, read from its text, so that the reader notes which functions it does not know.
func Read(t *testing.T, dialect string, events []string) *trace.Trace {
	t.Helper()
	traced, err := trace.Read(t.Name(), bytes.NewReader(Text(dialect, events)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return traced
}

// StatusSuccess is the field of a status in a line.
const StatusSuccess = `"status":"STATUS_SUCCESS"`

// VerbsQp are the lines that create a CQ and a queue pair of libibverbs, and connect that.
var VerbsQp = []string{
	`ibv_create_cq "cq":"c","depth":8|`, `ibv_create_cq "cq":"d","depth":8|`,
	`ibv_create_qp "qp":"q","send_cq":"c","recv_cq":"c","sq_sig_all":false|`,
	`ibv_modify_qp "qp":"q","state":"INIT"|`, `ibv_modify_qp "qp":"q","state":"RTR","conn":"n"|`, `ibv_modify_qp "qp":"q","state":"RTS"|`,
}

const (
	VerbsWrite = `ibv_post_send "qp":"q","wrs":[{"wr":"1","opcode":"RDMA_WRITE","flags":["SIGNALED"]}]|`
	VerbsEmpty = `ibv_poll_cq "cq":"c","n":8|"results":[]`
	Rest       = `"ph":"point","fn":"quiesce"`
)
