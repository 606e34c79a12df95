package kernelrecord

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

const infiniband = "/sys/class/infiniband"

// device is an RDMA device of the running kernel.
type device struct {
	name      string
	driver    string // the module whose functions it has
	address   uint64 // of its struct ib_device
	functions [13]uint64
}

// choose returns the name of the device: the one that was asked for, or the only one.
func choose(folder, wanted string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() == wanted {
			return wanted, nil
		}
		names = append(names, entry.Name())
	}
	switch {
	case len(names) == 0:
		return "", errors.New("there is no RDMA device: load the driver of the adapter, or make one (modprobe rdma_rxe; rdma link add rxe0 type rxe netdev eth0)")
	case wanted != "":
		return "", fmt.Errorf("there is no RDMA device %s: there are %s", wanted, strings.Join(names, ", "))
	case len(names) > 1:
		return "", fmt.Errorf("there are %d RDMA devices, and a trace has one: choose with --device: %s", len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}

// find finds a device in the kernel: where a file of its port is read, the kernel calls a function with the device, and a program of BPF looks at it.
func (t types) find(name string) (d device, err error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return d, err
	}
	spec.Programs = map[string]*ebpf.ProgramSpec{"find_device": spec.Programs["find_device"]}
	delete(spec.Maps, "ring")
	if err := spec.Variables["own_process"].Set(uint32(os.Getpid())); err != nil {
		return d, err
	}
	var options ebpf.CollectionOptions
	if options.Programs.ExtraRelocationTargets, err = t.relocations(); err != nil {
		return d, err
	}
	loaded, err := ebpf.NewCollectionWithOptions(spec, options)
	if err != nil {
		return d, err
	}
	defer loaded.Close()
	attached, err := link.AttachTracing(link.TracingOptions{Program: loaded.Programs["find_device"]})
	if err != nil {
		return d, err
	}
	defer attached.Close()
	ports, _ := filepath.Glob(filepath.Join(infiniband, name, "ports", "*", "state"))
	for _, file := range ports {
		if _, err := os.ReadFile(file); err != nil {
			return d, err
		}
		var found struct {
			Device    uint64
			Name      [64]byte
			Functions [13]uint64
		}
		if err := loaded.Variables["found"].Get(&found); err != nil {
			return d, err
		}
		if text, _, _ := bytes.Cut(found.Name[:], []byte{0}); string(text) == name {
			return device{name: name, address: found.Device, functions: found.Functions}, nil
		}
	}
	return d, fmt.Errorf("the kernel did not show the RDMA device %s where its port's state was read", name)
}
