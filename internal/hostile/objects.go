package hostile

import "fmt"

// objects are kinds with many objects, threads and calls under way.
var objects = []Kind{
	{"completion queues without end", 300_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":%q,"depth":4294967295`, wide("c", i)), ok)
		}
		w.end()
	}},
	{"completion queues, each armed", 200_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":"c%d","depth":4`, i), ok)
			w.done("NdkArmCq", fmt.Sprintf(`,"cq":"c%d","type":"ANY"`, i), "")
		}
		w.end()
	}},
	{"queue pairs without end", 300_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkCreateQp", fmt.Sprintf(`,"qp":%q,"receive_cq":"c","initiator_cq":"c"`, wide("q", i)), ok)
		}
		w.end()
	}},
	{"queue pairs that all are connected", 100_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkCreateQp", fmt.Sprintf(`,"qp":"q%d","receive_cq":"c","initiator_cq":"c"`, i), ok)
			w.done("NdkConnect", fmt.Sprintf(`,"qp":"q%d","conn":"k%d"`, i, i/2), ok)
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q%d","wr":"w%d"`, i, i), ok)
		}
		w.end()
	}},
	{"queue pairs of one connection", 50_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkCreateQp", fmt.Sprintf(`,"qp":"q%d","receive_cq":"c","initiator_cq":"c"`, i), ok)
			w.done("NdkConnect", fmt.Sprintf(`,"qp":"q%d","conn":"k"`, i), ok)
		}
		w.end()
	}},
	{"queue pairs that come and go", 200_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkCreateQp", fmt.Sprintf(`,"qp":"q%d","receive_cq":"c","initiator_cq":"c"`, i), ok)
			w.done("NdkReceive", fmt.Sprintf(`,"qp":"q%d","wr":"w%d"`, i, i), ok)
			w.done("NdkCloseQp", fmt.Sprintf(`,"qp":"q%d"`, i), pending)
		}
		w.end()
	}},
	{"regions and their tokens", 300_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.done("NdkCreateMr", fmt.Sprintf(`,"mr":%q`, wide("m", i)), ok)
			w.done("NdkRegisterMr", fmt.Sprintf(`,"mr":%q,"length":9223372036854775807`, wide("m", i)), ok)
			w.done("NdkGetRemoteTokenFromMr", fmt.Sprintf(`,"mr":%q`, wide("m", i)), fmt.Sprintf(`,"token":%d`, i))
		}
		w.end()
	}},
	{"windows that are bound and never invalidated", 200_000, func(w *writer, n int) {
		w.connected().done("NdkCreateMr", `,"mr":"m"`, ok)
		for i := range n {
			w.done("NdkCreateMw", fmt.Sprintf(`,"mw":"v%d"`, i), ok)
			w.done("NdkBind", fmt.Sprintf(`,"qp":"q","wr":"w%d","mw":"v%d","mr":"m"`, i, i), fmt.Sprintf(`,"token":%d`+ok, i))
		}
		w.end()
	}},
	{"objects of every other kind", 100_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkOpenAdapter", fmt.Sprintf(`,"adapter":"a%d"`, i), ok)
			w.done("NdkCreatePd", fmt.Sprintf(`,"adapter":"a%d","pd":"p%d"`, i, i), ok)
			w.done("NdkCreateListener", fmt.Sprintf(`,"adapter":"a%d","listener":"l%d"`, i, i), ok)
			w.done("NdkCreateConnector", fmt.Sprintf(`,"adapter":"a%d","connector":"c%d"`, i, i), ok)
			w.done("NdkCreateSharedEndpoint", fmt.Sprintf(`,"adapter":"a%d","endpoint":"e%d"`, i, i), ok)
			w.done("NdkBuildLAM", fmt.Sprintf(`,"adapter":"a%d","lam":"b%d","length":1`, i, i), ok)
			w.done("NdkCreateSrq", fmt.Sprintf(`,"pd":"p%d","srq":"s%d"`, i, i), ok)
		}
		w.end()
	}},
	{"one domain with many objects", 300_000, func(w *writer, n int) {
		w.of("ndkpi").done("NdkCreatePd", `,"pd":"p"`, ok)
		for i := range n {
			w.done("NdkCreateMr", fmt.Sprintf(`,"pd":"p","mr":"m%d"`, i), ok)
		}
		w.done("NdkClosePd", `,"pd":"p"`, ok)
		w.end()
	}},
	{"creations that are pending", 130_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":"c%d","depth":1`, i), pending)
		}
		w.end()
	}},
	{"closes that are pending", 200_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateMr", fmt.Sprintf(`,"mr":"m%d"`, i), ok)
			w.done("NdkCloseMr", fmt.Sprintf(`,"mr":"m%d"`, i), pending)
		}
		w.end()
	}},
	{"threads with a post each that never returns", 130_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.call(wide("t", i), "NdkReceive", `,"qp":"q","wr":%q`, wide("w", i))
		}
		w.end()
	}},
	{"threads with a poll each that never returns", 130_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.call(fmt.Sprint("t", i), "NdkGetCqResults", `,"cq":"c","n":1`)
		}
		w.end()
	}},
	{"threads with an arm each that never returns", 130_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.call(fmt.Sprint("t", i), "NdkArmCq", `,"cq":"c","type":"ANY"`)
		}
		w.end()
	}},
	{"threads that wait for events", 130_000, func(w *writer, n int) {
		w.verbs()
		for i := range n {
			w.call(fmt.Sprint("t", i), "ibv_get_cq_event", "")
		}
		for range 1000 {
			w.done("ibv_poll_cq", `,"cq":"c","n":1`, `,"results":[]`)
		}
		w.end()
	}},
	{"threads with a close each that never returns", 130_000, func(w *writer, n int) {
		w.of("ndkpi")
		for i := range n {
			w.done("NdkCreateCq", fmt.Sprintf(`,"cq":"c%d","depth":1`, i), ok)
			w.call(fmt.Sprint("t", i), "NdkCloseCq", `,"cq":"c%d"`, i)
		}
		w.end()
	}},
	{"calls in calls on one thread", 100_000, func(w *writer, n int) {
		w.connected()
		for range n {
			w.ops++
			w.event("t", `"ph":"enter","op":%d,"fn":"NdkCqNotificationCallback","cq":"c","status":"STATUS_SUCCESS"`, w.ops)
		}
		w.end()
	}},
	{"threads without end", 500_000, func(w *writer, n int) {
		w.connected()
		for i := range n {
			w.on(wide("t", i), "NdkGetCqResults", `,"cq":"c","n":1`, `,"results":[]`)
		}
		w.end()
	}},
	{"threads whose times are all the same", 200_000, func(w *writer, n int) {
		w.partial = true
		w.connected()
		for i := range n {
			w.on(fmt.Sprint("t", i%1000), "NdkGetCqResults", `,"cq":"c","n":1`, `,"results":[]`)
		}
		w.end()
	}},
	{"channels and completion queues", 100_000, func(w *writer, n int) {
		w.of("verbs")
		for i := range n {
			w.done("ibv_create_comp_channel", fmt.Sprintf(`,"channel":"h%d"`, i), "")
			w.done("ibv_create_cq", fmt.Sprintf(`,"cq":"c%d","channel":"h%d","depth":1`, i, i), "")
			w.done("ibv_req_notify_cq", fmt.Sprintf(`,"cq":"c%d","solicited_only":false`, i), "")
		}
		w.end()
	}},
}
