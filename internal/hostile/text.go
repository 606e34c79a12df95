package hostile

import (
	"fmt"
	"io"
	"strings"
)

// texts are kinds that the reader meets: what is not a trace, and what is one and says little in much space.
var texts = []Kind{
	{"nothing but zeros", 1 << 30, func(w *writer, n int) { w.fill("\x00", n) }},
	{"nothing but empty lines", 1 << 30, func(w *writer, n int) { w.fill("\n", n) }},
	{"a header without an end", 1 << 30, func(w *writer, n int) {
		io.WriteString(w.out, `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"`)
		w.fill("x", n)
	}},
	{"blanks behind a header", 1 << 30, func(w *writer, n int) {
		w.connected().fill(" ", n)
	}},
	{"a header of many keys", 1 << 20, func(w *writer, n int) {
		fmt.Fprintf(w.out, `{"rec":"hdr","format":"ndk-trace","v":"1.1","dialect":"ndkpi","side":"provider","order":"total","run":{%s}}`+"\n",
			repeated(n, func(i int) string { return fmt.Sprintf(`"k%d":"v"`, i) }))
		w.end()
	}},
	{"lists in lists", 8 << 20, func(w *writer, n int) {
		w.connected().event("t", `"ph":"point","fn":"quiesce","deep":%s`, strings.Repeat("[", n))
		w.end()
	}},
	{"objects in objects, as deep as may be", 200_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.event("t", `"ph":"point","fn":"quiesce","deep%d":%s`, i, strings.Repeat(`{"x":`, 30)+"1"+strings.Repeat("}", 30))
		}
		w.end()
	}},
	{"an id of megabytes", 15 << 20, func(w *writer, n int) {
		w.of("ndkpi").done("NdkCreateCq", `,"depth":1,"cq":"`+strings.Repeat("x", n)+`"`, ok)
		w.end()
	}},
	{"a number of megabytes", 15 << 20, func(w *writer, n int) {
		w.of("ndkpi").done("NdkCreateCq", `,"cq":"c","depth":`+strings.Repeat("9", n), ok)
		w.end()
	}},
	{"an id of escapes", 2 << 20, func(w *writer, n int) {
		w.of("ndkpi").done("NdkCreateCq", `,"depth":1,"cq":"`+strings.Repeat(`\ud83d\ude00`, n/2)+`"`, ok)
		w.end()
	}},
	{"long texts under unknown keys", 100, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.event("t", `"ph":"point","fn":"quiesce","text%d":"%s"`, i, strings.Repeat("y", 15<<20))
		}
		w.end()
	}},
	{"a thousand unknown keys in each event", 2000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.event("t", `"ph":"point","fn":"quiesce",%s`, repeated(900, func(k int) string { return fmt.Sprintf(`"%s":0`, wide("k", 1000*i+k)) }))
		}
		w.end()
	}},
	{"keys that are nearly right", 300_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkSend", fmt.Sprintf(`,"qp":"q","wr":"w%d","flagz":["DEFER"]`, i), ok)
		}
		w.end()
	}},
	{"unknown functions", 1_000_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.event("t", `"ph":"point","fn":%q,"cq":"c","qp":"q"`, wide("Ndk", i))
		}
		w.end()
	}},
	{"unknown functions with lists", 100, func(w *writer, n int) {
		w.connected()
		list := repeated(400_000, func(int) string { return success("w1") })
		for range n {
			w.event("t", `"ph":"point","fn":"Foo","results":[%s]`, list)
		}
		w.end()
	}},
	{"unknown statuses", 200_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkSend", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), fmt.Sprintf(`,"status":"STATUS_%d"`, i))
		}
		w.end()
	}},
	{"polls of a long list each", 20, func(w *writer, n int) {
		w.connected().done("NdkReceive", `,"qp":"q","wr":"w1"`, ok)
		list := repeated(700_000, func(int) string { return `{"wr":"w1","status":0}` })
		for range n {
			w.on("t", "NdkGetCqResults", `,"cq":"c","n":4000000000`, `,"results":[`+list+`]`)
		}
		w.end()
	}},
	{"polls of many completions that nobody knows", 40, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.poll("c", repeated(60_000, func(k int) string { return success(fmt.Sprintf("x%d", 60_000*i+k)) }))
		}
		w.end()
	}},
	{"results with all fields, as long as may be", 20, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.on("t", "NdkGetCqResultsEx", `,"cq":"c","n":4294967295`, `,"results":[`+repeated(15_000, func(k int) string {
				id := wide("x", 20_000*i+k)
				return `{"wr":"` + id + `","qp":"` + id + `","status":0,"type":"` + wide("T", k) + `","bytes":9223372036854775807,"token":4294967295,"provider_error":1}`
			})+`]`)
		}
		w.end()
	}},
	{"posts of a long list each", 10, func(w *writer, n int) {
		w.verbs()
		for i := range n {
			w.done("ibv_post_recv", `,"qp":"q","wrs":[`+repeated(400_000, func(k int) string { return fmt.Sprintf(`{"wr":"%d"}`, 400_000*i+k) })+`]`, "")
		}
		w.end()
	}},
	{"posts of lists that are kept whole", 40, func(w *writer, n int) {
		w.verbs()
		for i := range n {
			w.done("ibv_post_send", `,"qp":"q","wrs":[`+repeated(50_000, func(k int) string {
				return fmt.Sprintf(`{"wr":"%d","opcode":"SEND","flags":["SIGNALED","FENCE"],"bytes":1,"token":1,"mr":"m%d","mw":"v%d"}`, 50_000*i+k, k, k)
			})+`]`, "")
		}
		w.end()
	}},
	{"lists that are refused", 20, func(w *writer, n int) {
		w.verbs()
		for i := range n {
			w.done("ibv_post_recv", `,"qp":"q","wrs":[`+repeated(60_000, func(k int) string { return fmt.Sprintf(`{"wr":"%d"}`, 60_000*i+k) })+`]`,
				fmt.Sprintf(`,"errno":"ENOMEM","bad_wr":"%d"`, 60_000*i))
		}
		w.end()
	}},
}

// fill writes a text repeatedly, n bytes in all.
func (w *writer) fill(text string, n int) {
	block := strings.Repeat(text, 1<<16/len(text))
	for ; n > 0; n -= len(block) {
		io.WriteString(w.out, block[:min(n, len(block))])
	}
}
