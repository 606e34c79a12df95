package calls

import (
	"maps"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A function is what is known of one, looked up once a call.
type Function struct {
	Name    string
	Kind    Kind
	Verbs   bool
	MayPend bool // it may return STATUS_PENDING
	Op      model.Op
	Queue   model.Queue // that it posts on
}

// functions finds functions by name, without the cost of a map: each has the place of its hash, or the next free one.
var functions = func() (table [256]*Function) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(kinds)), maps.Keys(asynchronous))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		at := functionHash(name)
		for table[at] != nil {
			at++
		}
		_, mayPend := asynchronous[name]
		table[at] = &Function{Name: name, Kind: kinds[name], Verbs: isIbverbs(name), MayPend: mayPend,
			Op: opsOfFn[name], Queue: queueOf(name)}
	}
	return table
}()

// functionHash is of a name that is not empty.
func functionHash(name string) uint8 {
	return uint8(len(name)*5) + name[len(name)-1]*11 + name[len(name)/2]*37
}

// FunctionOf returns what is known of the function of an event.
func FunctionOf(e *trace.Event) *Function {
	if e.Fn == "" {
		return &Function{}
	}
	for at := functionHash(e.Fn); functions[at] != nil; at++ {
		switch f := functions[at]; {
		case f.Name != e.Fn:
		case f.Kind == modifyQp || e.NoEffect && f.Kind != Post:
			return &Function{Name: f.Name, Kind: KindOf(e), Verbs: f.Verbs, MayPend: f.MayPend}
		default:
			return f
		}
	}
	return &Function{Verbs: isIbverbs(e.Fn)}
}

// isIbverbs reports whether a function is of libibverbs, or of its like in the kernel.
func isIbverbs(fn string) bool { return strings.HasPrefix(fn, "ibv_") || fn == "comp_handler" }

// queueOf returns the queue that a function posts on.
func queueOf(fn string) model.Queue {
	if fn == "NdkReceive" || fn == "ibv_post_recv" {
		return model.Receive
	}
	return model.Initiator
}

// asynchronous lists the calls that may return STATUS_PENDING, and whether their completion waits for the provider alone. The others may wait
// for a peer, or for the consumer to close the objects that depend on theirs.
var asynchronous = map[string]bool{
	"NdkCreatePd": true, "NdkCreateCq": true, "NdkCreateQp": true, "NdkCreateQpWithSrq": true, "NdkCreateSrq": true, "NdkCreateMr": true, "NdkCreateMw": true,
	"NdkCreateConnector": true, "NdkCreateListener": true, "NdkCreateSharedEndpoint": true,
	"NdkResizeCq": true, "NdkModifySrq": true, "NdkInitializeFastRegisterMr": true, "NdkRegisterMr": true,
	"NdkBuildLAM": true, "NdkListen": true,

	"NdkConnect": false, "NdkConnectWithSharedEndpoint": false, "NdkCompleteConnect": false, "NdkCompleteConnectEx": false,
	"NdkAccept": false, "NdkAcceptEx": false, "NdkDisconnect": false, "NdkDeregisterMr": false,
	"NdkClosePd": false, "NdkCloseCq": false, "NdkCloseQp": false, "NdkCloseSrq": false, "NdkCloseMr": false, "NdkCloseMw": false,
	"NdkCloseConnector": false, "NdkCloseListener": false, "NdkCloseSharedEndpoint": false,
}

// WaitsForProvider reports whether the completion of a call that returned STATUS_PENDING waits for the provider alone.
func WaitsForProvider(fn string) bool { return asynchronous[fn] }
