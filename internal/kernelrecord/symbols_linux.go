package kernelrecord

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// symbol is a function of the kernel.
type symbol struct{ name, module string }

// symbols are the kernel's functions by address.
type symbols map[uint64]symbol

// readSymbols reads /proc/kallsyms, of the functions that wanted asks for.
func readSymbols(wanted func(address uint64, s symbol) bool) (symbols, error) {
	file, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, hidden := symbols{}, true
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || !strings.ContainsAny(fields[1], "tTwW") {
			continue
		}
		address, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil || address == 0 {
			continue
		}
		hidden = false
		s := symbol{name: fields[2]}
		if len(fields) > 3 {
			s.module = strings.Trim(fields[3], "[]")
		}
		if wanted(address, s) {
			found[address] = s
		}
	}
	if hidden {
		return nil, errors.New("/proc/kallsyms hides the addresses of the kernel's functions: run as root, or set kernel.kptr_restrict to 1 and give CAP_SYSLOG")
	}
	return found, nil
}

// types are the types of the running kernel and its modules.
type types struct{ cache *btf.Cache }

// of returns the types of a module, or of the kernel itself for "".
func (t types) of(module string) (*btf.Spec, error) {
	if module == "" {
		return t.cache.Kernel()
	}
	return t.cache.Module(module)
}

// core returns the types of ib_core, a module or a part of the kernel.
func (t types) core() (*btf.Spec, error) {
	if _, err := os.Stat("/sys/kernel/btf/ib_core"); err == nil {
		return t.of("ib_core")
	}
	return t.of("")
}

// opcodes returns the names of enum ib_wc_opcode, without IB_WC_: some of its numbers differ from version to version. The driver's types may have it where those of
// ib_core do not.
func (t types) opcodes(driver string) (map[uint32]string, error) {
	var enum *btf.Enum
	for _, find := range []func() (*btf.Spec, error){
		t.core,
		func() (*btf.Spec, error) { return t.of("") },
		func() (*btf.Spec, error) { return t.of(driver) },
	} {
		spec, err := find()
		if err != nil {
			return nil, err
		}
		if err := spec.TypeByName("ib_wc_opcode", &enum); errors.Is(err, btf.ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		names := map[uint32]string{}
		for _, v := range enum.Values {
			names[uint32(v.Value)] = strings.TrimPrefix(v.Name, "IB_WC_")
		}
		return names, nil
	}
	return nil, btf.ErrNotFound
}

// handlers returns the functions that can be completion handlers, by their arguments, of the kernel and of each module that uses ib_core.
func (t types) handlers() ([]symbol, error) {
	modules := []string{"ib_core"}
	if _, err := os.Stat("/sys/kernel/btf/ib_core"); err != nil { // it is a part of the kernel
		all, err := t.cache.Modules()
		if err != nil {
			return nil, err
		}
		modules = append(all, "")
	} else {
		holders, err := os.ReadDir("/sys/module/ib_core/holders")
		if err != nil {
			return nil, err
		}
		for _, holder := range holders {
			modules = append(modules, holder.Name())
		}
	}
	var found []symbol
	for _, module := range modules {
		if _, err := os.Stat(filepath.Join("/sys/kernel/btf", module)); err != nil {
			continue // a module without types: nothing can be attached to its functions
		}
		spec, err := t.of(module)
		if err != nil {
			return nil, fmt.Errorf("types of module %s: %w", module, err)
		}
		for typ, err := range spec.All() {
			if err != nil {
				return nil, fmt.Errorf("types of module %s: %w", module, err)
			}
			if f, ok := typ.(*btf.Func); ok && isHandler(f) && !slices.Contains(found, symbol{f.Name, module}) {
				found = append(found, symbol{f.Name, module})
			}
		}
	}
	return found, nil
}

// isHandler reports whether a function is a void (*)(struct ib_cq *, void *).
func isHandler(f *btf.Func) bool {
	proto, ok := f.Type.(*btf.FuncProto)
	if !ok || len(proto.Params) != 2 {
		return false
	}
	if _, void := btf.UnderlyingType(proto.Return).(*btf.Void); !void {
		return false
	}
	second, ok := btf.UnderlyingType(proto.Params[1].Type).(*btf.Pointer)
	if !ok {
		return false
	}
	_, void := btf.UnderlyingType(second.Target).(*btf.Void)
	return void && pointsTo(proto.Params[0].Type, "ib_cq")
}

// pointsTo reports whether a type is a pointer to a struct.
func pointsTo(t btf.Type, name string) bool {
	pointer, ok := btf.UnderlyingType(t).(*btf.Pointer)
	if !ok {
		return false
	}
	to, ok := btf.UnderlyingType(pointer.Target).(*btf.Struct)
	return ok && to.Name == name
}
