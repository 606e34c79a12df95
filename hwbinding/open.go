//go:build linux && cgo && ibverbs

package hwbinding

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"ndkoracle/hwbinding/verbs"
)

// Devices returns the names of the devices that Open accepts. An empty list is not an error, and neither is a kernel without RDMA.
func Devices() ([]string, error) {
	names, err := verbs.GetDeviceList()
	if errors.Is(err, syscall.ENOSYS) {
		return nil, nil
	}
	return names, err
}

// Open returns a provider on an RDMA device. The error says what is missing: a device, its libibverbs driver, or the permission to use it or to lock
// memory. NdkCloseAdapter ends everything that Open started.
func Open(o Options) (Adapter, error) {
	names, err := Devices()
	if err != nil {
		return nil, err
	}
	if o.Device == "" && len(names) > 0 {
		o.Device = names[0]
	}
	if !slices.Contains(names, o.Device) {
		return nil, missing(o.Device, names)
	}
	context, err := verbs.OpenDevice(o.Device, o.VerbsTrace)
	switch {
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return nil, fmt.Errorf("no permission to use %s: %w (make /dev/infiniband/uverbs* accessible, or run as root)",
			o.Device, err)
	case err != nil:
		return nil, fmt.Errorf("opening %s: %w", o.Device, err)
	}
	return newAdapter(verbsDevice{context}, o, describe(sysfs, o.Device))
}

// missing explains why there is no such device.
func missing(device string, known []string) error {
	var inKernel []string
	entries, err := os.ReadDir(sysfs)
	if err == nil {
		for _, entry := range entries {
			inKernel = append(inKernel, entry.Name())
		}
	}
	switch {
	case len(known) > 0:
		return fmt.Errorf("no RDMA device %s; there are: %s", device, strings.Join(known, ", "))
	case len(inKernel) > 0:
		return fmt.Errorf("the kernel has RDMA devices (%s), but libibverbs can't use them: install ibverbs-providers, "+
			"load the module ib_uverbs", strings.Join(inKernel, ", "))
	}
	return errors.New("this machine has no RDMA device; Soft-RoCE makes one of a network interface: " +
		"\"modprobe rdma_rxe; rdma link add rxe0 type rxe netdev INTERFACE\"")
}

// verbsDevice and the types below fit package verbs to the interfaces of device.go.
type verbsDevice struct{ *verbs.Context }

func (d verbsDevice) AllocPD() (devicePD, error) {
	pd, err := d.Context.AllocPD()
	if err != nil {
		return nil, err
	}
	return verbsPD{pd}, nil
}

func (d verbsDevice) CreateCQ(cqe int) (deviceCQ, error) {
	cq, err := d.Context.CreateCQ(cqe)
	if err != nil {
		return nil, err
	}
	return verbsCQ{cq}, nil
}

type verbsPD struct{ *verbs.PD }

func (verbsPD) DeregMR(mr *verbs.MR) error   { return mr.Dereg() }
func (verbsPD) DeallocMW(mw *verbs.MW) error { return mw.Dealloc() }

func (p verbsPD) CreateQP(send, recv deviceCQ, attributes verbs.QPInitAttr) (deviceQP, error) {
	qp, err := p.PD.CreateQP(send.(verbsCQ).CQ, recv.(verbsCQ).CQ, attributes)
	if err != nil {
		return nil, err
	}
	return verbsQP{qp}, nil
}

type verbsCQ struct{ *verbs.CQ }

func (q verbsCQ) Name() string { return q.CQ.Name }

type verbsQP struct{ *verbs.QP }

func (q verbsQP) Name() string { return q.QP.Name }
