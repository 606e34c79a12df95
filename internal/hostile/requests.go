package hostile

import (
	"fmt"
	"math/rand/v2"
)

// requests are kinds with many requests and completions that the engines have to explain.
var requests = []Kind{
	{"receives that nobody polls", 1_000_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":%q`, wide("w", i)), ok)
		}
		w.end()
	}},
	{"writes that nobody polls", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.end()
	}},
	{"a chain of deferred requests", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d","flags":["DEFER"]`, i), ok)
		}
		w.end()
	}},
	{"silent requests and a poll", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d","flags":["SILENT_SUCCESS"]`, i), ok)
		}
		w.poll("c")
		w.end()
	}},
	{"posts that are refused", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d","flags":["DEFER"]`, i), `,"status":"STATUS_INSUFFICIENT_RESOURCES"`)
		}
		w.end()
	}},
	{"arms of every type between writes", 100_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkArmCq", fmt.Sprintf(`,"cq":"c","type":%q`, []string{"ANY", "ERRORS", "SOLICITED"}[i%3]), "")
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.callback("NdkCqNotificationCallback", `,"cq":"c"`+ok)
		w.end()
	}},
	{"writes, a callback and no poll", 20_000, func(w *writer, n int) {
		w.connected().done("NdkArmCq", `,"cq":"c","type":"ANY"`, "")
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.callback("NdkCqNotificationCallback", `,"cq":"c"`+ok)
		w.end()
	}},
	{"messages between peers, polled backwards", 50_000, func(w *writer, n int) {
		w.peers()
		for i := range n {
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"p","wr":"r%d"`, i), ok)
			w.done("NdkSend", fmt.Sprintf(`,"qp":"q","wr":"s%d"`, i), ok)
		}
		for i := n; i > 0; i-- {
			w.poll("d", success(fmt.Sprint("r", i-1)))
			w.poll("c", success(fmt.Sprint("s", i-1)))
		}
		w.end()
	}},
	{"a flush of everything, then polls", 100_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.done("NdkFlush", `,"qp":"q"`, "")
		for i := range n {
			w.poll("c", fmt.Sprintf(`{"wr":"w%d","status":"STATUS_CANCELLED"}`, i))
		}
		w.end()
	}},
	{"flushes between posts", 5000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkWrite", fmt.Sprintf(`,"qp":"q","wr":"w%d","flags":["SILENT_SUCCESS"]`, i), ok)
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":"r%d"`, i), ok)
			w.done("NdkFlush", `,"qp":"q"`, "")
			w.done("NdkArmCq", `,"cq":"c","type":"ANY"`, "")
		}
		w.poll("c")
		w.end()
	}},
	{"many queue pairs moved to the error state and destroyed", 64, func(w *writer, n int) {
		w.of("verbs")
		w.done("ibv_create_cq", `,"cq":"c","depth":4000`, "")
		for i := range n {
			w.done("ibv_create_qp", fmt.Sprintf(`,"qp":"q%d","qp_type":"RC","send_cq":"c","recv_cq":"c"`, i), "")
			w.done("ibv_modify_qp", fmt.Sprintf(`,"qp":"q%d","state":"RTR","conn":"k%d"`, i, i), "")
			w.done("ibv_post_recv", fmt.Sprintf(`,"qp":"q%d","wrs":[%s]`, i, repeated(16, func(k int) string { return fmt.Sprintf(`{"wr":"r%d.%d"}`, i, k) })), "")
		}
		w.done("ibv_req_notify_cq", `,"cq":"c","solicited_only":false`, "")
		for i := range n {
			w.done("ibv_modify_qp", fmt.Sprintf(`,"qp":"q%d","state":"ERR"`, i), "")
			w.done("ibv_poll_cq", `,"cq":"c","n":1`, fmt.Sprintf(`,"results":[{"wr":"r%d.0","status":"IBV_WC_WR_FLUSH_ERR"}]`, i))
			w.done("ibv_destroy_qp", fmt.Sprintf(`,"qp":"q%d"`, i), "")
		}
		w.end()
	}},
	{"completions twice", 300_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
			w.poll("c", success(fmt.Sprint("w", i)), success(fmt.Sprint("w", i)))
		}
		w.end()
	}},
	{"callbacks that nobody armed for", 300_000, func(w *writer, n int) {
		w.connected()
		for range n {
			w.callback("NdkCqNotificationCallback", `,"cq":"c"`+ok)
		}
		w.end()
	}},
	{"a violation in each of many groups", 100_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":%q,"depth":4`, wide("c", i)), ok)
			w.callback("NdkCqNotificationCallback", fmt.Sprintf(`,"cq":%q`+ok, wide("c", i)))
		}
		w.end()
	}},
	{"violations in large events", 60, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":"c%d","depth":4`, i), ok)
			w.poll(fmt.Sprint("c", i), repeated(60_000, func(k int) string { return success(fmt.Sprintf("x%d", 60_000*i+k)) }))
		}
		w.end()
	}},
	{"the consumer's mistakes", 200_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkSendAndInvalidate", fmt.Sprintf(`,"qp":"q","wr":"w%d","token":%d,"flags":["READ_FENCE","DEFER","0x8000"]`, i, i), ok)
			w.done("NdkCloseCq", `,"cq":"c"`, ok)
		}
		w.end()
	}},
	{"points that nobody expects", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.event("t", `"ph":"point","fn":"CqePlaced","cq":"c","wr":"w%d","status":"STATUS_SUCCESS"`, i)
			w.event("t", `"ph":"point","fn":"HwIndicate","qp":"q","wr":"w%d"`, i)
		}
		w.end()
	}},
	{"moments of rest", 1_000_000, func(w *writer, n int) {
		w.connected().done("NdkWrite", `,"qp":"q","wr":"w"`, ok)
		for range n {
			w.event("t", `"ph":"point","fn":"quiesce"`)
		}
		w.end()
	}},
	{"a queue that is resized without end", 200_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkResizeCq", fmt.Sprintf(`,"cq":"c","depth":%d`, i%7), pending)
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.end()
	}},
	{"invalidations of tokens that were never valid", 300_000, func(w *writer, n int) {
		w.peers()
		for i := range n {
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"p","wr":"r%d"`, i), ok)
			w.done("NdkSendAndInvalidate", fmt.Sprintf(`,"qp":"q","wr":"s%d","token":%d`, i, i), ok)
		}
		w.end()
	}},
	{"receives on a shared queue", 500_000, func(w *writer, n int) {
		w.of("ndkpi").done("NdkCreateSrq", `,"srq":"s"`, ok)
		for i := range n {
			w.done("NdkSrqReceive", fmt.Sprintf(`,"srq":"s","wr":"w%d"`, i), ok)
		}
		w.end()
	}},
	{"disconnects and connects", 100_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkDisconnect", `,"qp":"q"`, pending)
			w.done("NdkConnect", fmt.Sprintf(`,"qp":"q","conn":"k%d"`, i), pending)
			w.callback("NdkDisconnectEventCallback", `,"qp":"q"`)
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q","wr":"w%d"`, i), ok)
		}
		w.end()
	}},
	{"verbs without a signal, and events", 100_000, func(w *writer, n int) {
		w.verbs()
		for i := range n {
			w.done("ibv_post_send", fmt.Sprintf(`,"qp":"q","wrs":[{"wr":"w%d","opcode":"RDMA_WRITE"}]`, i), "")
			w.done("ibv_req_notify_cq", fmt.Sprintf(`,"cq":"c","solicited_only":%t`, i%2 == 0), "")
			w.done("ibv_get_cq_event", "", `,"errno":"EINTR"`)
		}
		w.end()
	}},
	{"anything at all", 100_000, anything},
	{"many queues of everything", 300, crowd},
}

// anything writes events drawn at random, of few objects: most make no sense.
func anything(w *writer, n int) {
	random := rand.New(rand.NewPCG(7, 0))
	w.peers()
	one := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	for i := range n {
		status := one(ok, ok, ok, pending, `,"status":"STATUS_UNSUCCESSFUL"`)
		switch cq, qp := one("c", "d"), one("q", "p"); random.IntN(8) {
		case 0:
			w.done("NdkArmCq", fmt.Sprintf(`,"cq":%q,"type":%q`, cq, one("ANY", "ERRORS", "SOLICITED")), "")
		case 1:
			w.callback("NdkCqNotificationCallback", fmt.Sprintf(`,"cq":%q`, cq)+ok)
		case 2, 3:
			w.done(one("NdkSend", "NdkWrite", "NdkRead"), fmt.Sprintf(`,"qp":%q,"wr":"w%d","flags":[%s]`, qp, i, one("", `"DEFER"`, `"SILENT_SUCCESS"`)), status)
		case 4:
			w.done("NdkReceive", fmt.Sprintf(`,"qp":%q,"wr":"w%d"`, qp, i), status)
		case 5, 6:
			w.poll(cq, fmt.Sprintf(`{"wr":"w%d","status":%q}`, max(0, i-random.IntN(40)), one("STATUS_SUCCESS", "STATUS_CANCELLED", "STATUS_IO_TIMEOUT")))
		case 7:
			w.done("NdkFlush", fmt.Sprintf(`,"qp":%q`, qp), "")
		}
	}
	w.end()
}

// crowd writes few events of which each may be explained in many ways: queues that share completion queues, all armed, none polled.
func crowd(w *writer, n int) {
	w.of("ndkpi")
	for i := range 8 {
		w.done("NdkCreateCq", fmt.Sprintf(`,"cq":"c%d","depth":4`, i), ok)
	}
	for i := range n {
		w.done("NdkCreateQp", fmt.Sprintf(`,"qp":"q%d","receive_cq":"c%d","initiator_cq":"c%d"`, i, i%8, (i+1)%8), ok)
		w.done("NdkConnect", fmt.Sprintf(`,"qp":"q%d","conn":"k%d"`, i, i/2), ok)
		w.done("NdkReceive", fmt.Sprintf(`,"qp":"q%d","wr":"r%d"`, i, i), ok)
	}
	for i := range n {
		w.done("NdkArmCq", fmt.Sprintf(`,"cq":"c%d","type":%q`, i%8, []string{"ANY", "ERRORS", "SOLICITED"}[i%3]), "")
		w.done("NdkSend", fmt.Sprintf(`,"qp":"q%d","wr":"s%d","flags":["DEFER","SILENT_SUCCESS"]`, i, i), ok)
		w.done("NdkWrite", fmt.Sprintf(`,"qp":"q%d","wr":"w%d"`, i, i), ok)
		w.callback("NdkCqNotificationCallback", fmt.Sprintf(`,"cq":"c%d"`+ok, i%8))
	}
	w.end()
}
