package kernelrecord

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
)

// compiler is the version of clang that built record.bpf.o: other versions build other code.
const compiler = "clang version 14."

// The object is what clang builds from the sources. go generate writes it anew.
func TestObjectIsBuiltFromItsSources(t *testing.T) {
	version, err := exec.Command("clang", "--version").Output()
	if err != nil {
		t.Fatalf("clang: %v: scripts/install.sh installs it", err)
	}
	if !strings.Contains(string(version), compiler) {
		t.Fatalf("record.bpf.o is built by %s (Debian 12), and this is %s: another version builds other code", compiler, strings.SplitN(string(version), "\n", 2)[0])
	}
	strip, err := exec.LookPath("llvm-strip")
	if err != nil {
		t.Fatalf("%v: scripts/install.sh installs llvm", err)
	}
	source, err := os.ReadFile("kernelrecord.go")
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(t.TempDir(), "record.bpf.o")
	_, line, found := strings.Cut(string(source), "//go:generate clang ")
	line, _, _ = strings.Cut(line, "\n")
	arguments := strings.Fields(line)
	if !found || arguments[len(arguments)-1] != "record.bpf.o" {
		t.Fatalf("go generate has no line of clang that ends with the object: %q", line)
	}
	arguments[len(arguments)-1] = built
	for _, command := range []*exec.Cmd{exec.Command("clang", arguments...), exec.Command(strip, "-g", built)} {
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	got, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("record.bpf.o")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, committed) {
		t.Error("record.bpf.o is not what its sources give: go generate ./internal/kernelrecord")
	}
}

// The object has the programs that the loader attaches, and the variables that it sets and reads. It can be read without a kernel.
func TestObjectHasItsPrograms(t *testing.T) {
	file, err := os.Open("record.bpf.o")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	spec, err := ebpf.LoadCollectionSpecFromReader(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"find_device", "comp_handler_entry", "comp_handler_exit"}
	for _, hook := range hooks {
		wanted = append(wanted, hook.name+"_entry", hook.name+"_exit")
	}
	for _, name := range wanted {
		program := spec.Programs[name]
		if program == nil {
			t.Errorf("no program %s", name)
			continue
		}
		if program.License != "Dual MIT/GPL" || program.Type != ebpf.Tracing {
			t.Errorf("%s: licence %q, type %v", name, program.License, program.Type)
		}
	}
	if len(wanted) != len(spec.Programs) {
		t.Errorf("%d programs, and %d are attached", len(spec.Programs), len(wanted))
	}
	for _, name := range []string{"device", "own_process", "second", "enabled", "dropped", "second_copies", "found"} {
		if spec.Variables[name] == nil {
			t.Errorf("no variable %s", name)
		}
	}
	if spec.Maps["ring"] == nil || spec.Maps["ring"].Type != ebpf.RingBuf {
		t.Error("no ring buffer")
	}
}
