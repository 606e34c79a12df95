// Package kernelrecord records what kernel code on Linux does with the verbs of an RDMA device: consumers such as nvme-rdma, NFS over RDMA, RDS and SMB Direct. Programs
// of BPF at the driver's functions write records, which package events turns into the events of a trace.
package kernelrecord

//go:generate clang -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -fdebug-compilation-dir=. -c bpf/record.c -o record.bpf.o
//go:generate llvm-strip -g record.bpf.o

import (
	"errors"
	"time"

	"ndkoracle/internal/kernelrecord/events"
	"ndkoracle/trace"
)

// Options say what is recorded.
type Options struct {
	Device string        // the RDMA device; "" for the only one
	Rest   time.Duration // silence of this time is told as rest; 0 tells none
}

// ErrEnded is the cause of a recording's end that came as it was meant to come.
var ErrEnded = errors.New("ended")

// Report says what was recorded.
type Report struct {
	events.Report
	AtRest   bool
	Missing  []string // completion handlers that were not recorded, by their names
	Attached int      // functions
	Missed   uint64   // calls that passed by the first copy of a program
	Rescued  uint64   // those of them that the second copy recorded
}

// Header returns the header of a trace of a device.
func header(device, driver, kernel string, o Options) trace.Header {
	h := trace.Header{
		Dialect: "kverbs", Side: "consumer", Order: "total", Clock: trace.Clock{Id: "monotonic", Unit: "ns"},
		Producer: trace.Producer{Name: "ndkrecord attach"},
		Adapter:  map[string]string{"device": device, "driver": driver, "kernel": kernel, "boundary": "struct ib_device_ops"},
		Run:      map[string]string{},
	}
	if software[driver] {
		h.Side = "provider"
	}
	if o.Rest > 0 {
		h.Run["rest"] = "a guess: silence of " + o.Rest.String()
	}
	return h
}

// software are the drivers that call a completion handler where they place the completion: the handler's beginning is the provider's own moment. An adapter's
// interrupt comes later.
var software = map[string]bool{"rdma_rxe": true, "siw": true}
