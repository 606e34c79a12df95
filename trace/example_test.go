package trace_test

import (
	"fmt"
	"os"

	"ndkoracle/trace"
)

// A recorder of one's own writes the events as they come. The end record says that none was dropped and that the provider is at rest.
func ExampleNewWriter() {
	header := trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total", Clock: trace.Clock{Id: "monotonic", Unit: "ns"}, Producer: trace.Producer{Name: "mine", Version: "1"}}
	w, err := trace.NewWriter(os.Stdout, header)
	if err != nil {
		fmt.Println(err)
		return
	}
	events := []trace.Event{
		{Seq: 1, T: 100, Thr: "main", Ph: trace.Call, Op: "1", Fn: "NdkArmCq", Cq: "cq1", Type: "ANY"},
		{Seq: 2, T: 250, Thr: "main", Ph: trace.Ret, Op: "1", Fn: "NdkArmCq"},
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(trace.End{Events: 2, Quiescent: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"rec":"hdr","format":"ndk-trace","v":"1.1","dialect":"ndkpi","side":"provider","order":"total","clock":{"id":"monotonic","unit":"ns"},"producer":{"name":"mine","version":"1"}}
	// {"seq":1,"t":100,"thr":"main","ph":"call","op":"1","fn":"NdkArmCq","cq":"cq1","type":"ANY"}
	// {"seq":2,"t":250,"thr":"main","ph":"ret","op":"1","fn":"NdkArmCq"}
	// {"rec":"end","events":2,"dropped":0,"quiescent":true}
}
