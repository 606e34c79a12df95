package hwbinding

import (
	"time"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// Options are the settings of Open.
type Options struct {
	// Device is the device's name, as Devices lists it; "" for the first.
	Device string
	// Seed determines the choices that the contract permits. 0 always chooses the fewest callbacks.
	Seed uint64
	// VerbsTrace records the calls of libibverbs. nil records nothing. It must be closed after NdkCloseAdapter.
	VerbsTrace *trace.Recorder
}

// Adapter is what Open returns.
type Adapter interface {
	ndk.Adapter
	// Describe returns the fields of the device for the header of a trace: kernel, driver, device, firmware, node_guid.
	Describe() map[string]string
	// Quiesce waits until the provider is at rest and returns true, or false when it is not within timeout. At rest
	// means: every request that the device can execute has completed, every owed callback was entered and has
	// returned, and so has every NdkCloseCompletion that is due. A send that waits for a receive and a deferred request
	// can't make progress. Because a device is not a part of this program, rest includes that it stayed silent for a
	// moment. It must not be called from a callback, which would wait for itself.
	Quiesce(timeout time.Duration) bool
	// MarkQuiesce says in the verbs trace that the device is at rest: call it when Quiesce has returned true.
	MarkQuiesce()
	// Err returns the first failure of the device that no call could report: of a resource that could not be given
	// back, or memory that could not be locked. nil if there was none.
	Err() error
}
