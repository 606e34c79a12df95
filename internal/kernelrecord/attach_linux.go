package kernelrecord

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
)

//go:embed record.bpf.o
var object []byte

// hooks are the driver's functions that are recorded, in the order of found.functions in bpf/record.c: the name of the programs, the struct that the function's
// first argument points to, and how many arguments it has.
var hooks = []struct {
	name, object string
	arguments    int
}{
	{"create_cq", "ib_cq", 3}, {"destroy_cq", "ib_cq", 2}, {"create_qp", "ib_qp", 3}, {"modify_qp", "ib_qp", 4}, {"destroy_qp", "ib_qp", 2},
	{"create_srq", "ib_srq", 3}, {"destroy_srq", "ib_srq", 2}, {"post_send", "ib_qp", 3}, {"post_recv", "ib_qp", 3}, {"post_srq_recv", "ib_srq", 3},
	{"poll_cq", "ib_cq", 3}, {"req_notify_cq", "ib_cq", 2}, {"dereg_mr", "ib_mr", 2},
}

// target is a function, and the programs that are attached to it.
type target struct {
	programs string // such as poll_cq
	function symbol
}

// targets returns what is to be attached to: the driver's functions, and whatever can be a completion handler.
func (t types) targets(d device) ([]target, map[uint64]symbol, error) {
	candidates, err := t.handlers()
	if err != nil {
		return nil, nil, err
	}
	named, err := readSymbols(func(address uint64, s symbol) bool {
		return slices.Contains(d.functions[:], address) || slices.Contains(candidates, s)
	})
	if err != nil {
		return nil, nil, err
	}
	var found []target
	for i, hook := range hooks {
		address := d.functions[i]
		if address == 0 {
			continue // a driver without shared receive queues
		}
		s, known := named[address]
		if !known {
			return nil, nil, fmt.Errorf("%s of %s is not a function that the kernel names", hook.name, d.name)
		}
		if err := t.fits(s, hook.object, hook.arguments); err != nil {
			return nil, nil, fmt.Errorf("%s of %s: %w", hook.name, d.name, err)
		}
		found = append(found, target{hook.name, s})
	}
	handlers := map[uint64]symbol{}
	for address, s := range named {
		if slices.Contains(candidates, s) {
			handlers[address] = s
			found = append(found, target{"comp_handler", s})
		}
	}
	return found, handlers, nil
}

// fits returns an error where a function does not have the arguments that the programs read.
func (t types) fits(s symbol, object string, arguments int) error {
	spec, err := t.of(s.module)
	if err != nil {
		return fmt.Errorf("the kernel has no types of %s, the module of %s: %w", s.module, s.name, err)
	}
	var f *btf.Func
	if err := spec.TypeByName(s.name, &f); err != nil {
		return fmt.Errorf("the kernel has no type of %s: %w", s.name, err)
	}
	proto, ok := f.Type.(*btf.FuncProto)
	if !ok || len(proto.Params) != arguments || !pointsTo(proto.Params[0].Type, object) {
		return fmt.Errorf("%s of this kernel has other arguments than those of Linux 5.15 and newer", s.name)
	}
	return nil
}

// programs are the loaded and attached programs.
type programs struct {
	collections []*ebpf.Collection
	links       []link.Link
	first       []*ebpf.Program // the first copies
}

func (p *programs) close() {
	for _, l := range p.links {
		l.Close()
	}
	for _, c := range p.collections {
		c.Close()
	}
}

// load loads a copy of the programs: for each target those that are attached to it. It uses the maps of the copies before it.
func (p *programs) load(t types, d device, targets []target, second uint32) error {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return err
	}
	templates := spec.Programs
	spec.Programs = map[string]*ebpf.ProgramSpec{}
	for i, to := range targets {
		for _, when := range []string{"entry", "exit"} {
			program := templates[to.programs+"_"+when].Copy()
			program.AttachTo = to.function.name
			spec.Programs[fmt.Sprintf("%03d_%s_%s", i, to.programs, when)] = program
		}
	}
	if err := errors.Join(spec.Variables["device"].Set(d.address), spec.Variables["second"].Set(second)); err != nil {
		return err
	}
	options := ebpf.CollectionOptions{MapReplacements: map[string]*ebpf.Map{}}
	options.Programs.ExtraRelocationTargets, err = t.relocations()
	if err != nil {
		return err
	}
	if len(p.collections) > 0 {
		for _, name := range []string{"ring", ".bss"} {
			options.MapReplacements[name] = p.collections[0].Maps[name]
		}
	}
	loaded, err := ebpf.NewCollectionWithOptions(spec, options)
	if err != nil {
		return err
	}
	p.collections = append(p.collections, loaded)
	for _, name := range slices.Sorted(maps.Keys(loaded.Programs)) {
		attached, err := link.AttachTracing(link.TracingOptions{Program: loaded.Programs[name]})
		if err != nil {
			return fmt.Errorf("attaching %s: %w", strings.TrimLeft(name, "0123456789_"), err)
		}
		p.links = append(p.links, attached)
		if second == 0 {
			p.first = append(p.first, loaded.Programs[name])
		}
	}
	return nil
}

// relocations returns the types in which the programs look for members, beside the kernel's own.
func (t types) relocations() ([]*btf.Spec, error) {
	core, err := t.core()
	if err != nil {
		return nil, err
	}
	kernel, err := t.of("")
	if err != nil || core == kernel {
		return nil, err
	}
	return []*btf.Spec{core}, nil
}

// misses returns how often a first copy was passed by.
func (p *programs) misses() (sum uint64) {
	for _, program := range p.first {
		if stats, err := program.Stats(); err == nil {
			sum += stats.RecursionMisses
		}
	}
	return sum
}
