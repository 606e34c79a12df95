// Package hostile writes traces, and what pretends to be some, that a stranger may send to use up the memory or the time of whoever judges them.
// They keep the format, but for a few kinds whose sense is in breaking it, and hardly ever the contract. The same size gives the same bytes.
package hostile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Kind is one way to use up a judge.
type Kind struct {
	Name string
	Size int // how large it is to be so that it hurts; a test may take a part of that
	body func(*writer, int)
}

// Write writes a trace of a kind, compressed. The error is of writing.
func (k Kind) Write(w io.Writer, size int) error {
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	out := &writer{out: bufio.NewWriterSize(packed, 1<<16)}
	k.body(out, size)
	if err := out.out.Flush(); err != nil {
		return err
	}
	return packed.Close()
}

// A writer numbers events, and gives each call an op. Errors are kept by the buffer behind it.
type writer struct {
	out     *bufio.Writer
	ops     int
	events  int
	partial bool // events have a time, a thousand of them the same
}

// of begins a trace in a dialect.
func (w *writer) of(dialect string) *writer {
	order := "total"
	if w.partial {
		order = "partial"
	}
	fmt.Fprintf(w.out, `{"rec":"hdr","format":"ndk-trace","v":"1.1","dialect":%q,"side":"provider","order":%q,"producer":{"name":"hostile","version":"1"}}`+"\n", dialect, order)
	return w
}

// end ends a trace at rest.
func (w *writer) end() {
	fmt.Fprintf(w.out, `{"rec":"end","events":%d,"dropped":0,"quiescent":true}`+"\n", w.events)
}

// event writes an event of a thread, whose fields follow.
func (w *writer) event(thread, fields string, args ...any) {
	w.events++
	if w.partial {
		fmt.Fprintf(w.out, `{"seq":%d,"t":%d,"thr":%q,`, w.events, w.events/1000, thread)
	} else {
		fmt.Fprintf(w.out, `{"seq":%d,"thr":%q,`, w.events, thread)
	}
	fmt.Fprintf(w.out, fields, args...)
	io.WriteString(w.out, "}\n")
}

// call writes the call of a function, and returns its op. Fields begin with a comma, or are empty.
func (w *writer) call(thread, fn, fields string, args ...any) int {
	w.ops++
	w.event(thread, `"ph":"call","op":%d,"fn":%q`+fields, append([]any{w.ops, fn}, args...)...)
	return w.ops
}

// done writes a call and its return.
func (w *writer) done(fn, call, ret string) { w.on("t", fn, call, ret) }

// on does that on a thread.
func (w *writer) on(thread, fn, call, ret string) {
	op := w.call(thread, fn, "%s", call)
	w.event(thread, `"ph":"ret","op":%d,"fn":%q%s`, op, fn, ret)
}

// callback writes a callback that enters and leaves.
func (w *writer) callback(fn, fields string) {
	w.ops++
	w.event("cb", `"ph":"enter","op":%d,"fn":%q%s`, w.ops, fn, fields)
	w.event("cb", `"ph":"exit","op":%d,"fn":%q`, w.ops, fn)
}

const (
	ok      = `,"status":"STATUS_SUCCESS"`
	pending = `,"status":"STATUS_PENDING"`
)

// connected begins a trace of NDKPI with a CQ c and a connected queue pair q.
func (w *writer) connected() *writer {
	w.of("ndkpi")
	w.done("NdkCreateCq", `,"cq":"c","depth":4294967295`, ok)
	w.done("NdkCreateQp", `,"qp":"q","receive_cq":"c","initiator_cq":"c"`, ok)
	w.done("NdkConnect", `,"qp":"q","conn":"k"`, ok)
	return w
}

// peers begins a trace of NDKPI with two CQs and two queue pairs that are connected with each other.
func (w *writer) peers() *writer {
	w.connected()
	w.done("NdkCreateCq", `,"cq":"d","depth":4294967295`, ok)
	w.done("NdkCreateQp", `,"qp":"p","receive_cq":"d","initiator_cq":"d"`, ok)
	w.done("NdkAccept", `,"qp":"p","conn":"k"`, ok)
	return w
}

// verbs begins a trace of libibverbs with a CQ c and a connected queue pair q.
func (w *writer) verbs() *writer {
	w.of("verbs")
	w.done("ibv_create_cq", `,"cq":"c","depth":100000`, "")
	w.done("ibv_create_qp", `,"qp":"q","qp_type":"RC","send_cq":"c","recv_cq":"c","sq_sig_all":false`, "")
	w.done("ibv_modify_qp", `,"qp":"q","state":"INIT"`, "")
	w.done("ibv_modify_qp", `,"qp":"q","state":"RTR","conn":"k"`, "")
	w.done("ibv_modify_qp", `,"qp":"q","state":"RTS"`, "")
	return w
}

// poll writes a poll of a CQ that delivers these.
func (w *writer) poll(cq string, results ...string) {
	w.on("t", "NdkGetCqResults", fmt.Sprintf(`,"cq":%q,"n":4294967295`, cq), `,"results":[`+strings.Join(results, ",")+`]`)
}

func success(wr string) string { return `{"wr":"` + wr + `","status":"STATUS_SUCCESS"}` }

// wide is an id as long as the format has them, of a number.
func wide(prefix string, n int) string {
	id := fmt.Sprintf("%s%d.", prefix, n)
	return id + strings.Repeat("x", 256-len(id))
}

// repeated is a list of n elements.
func repeated(n int, element func(int) string) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(element(i))
	}
	return list.String()
}

// Kinds are all of them.
func Kinds() []Kind { return slices.Concat(texts, objects, requests) }
