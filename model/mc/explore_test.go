package mc

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/model"
)

var deep = flag.Bool("deep", false, "visit the large configurations of tla/ too (minutes)")

var tla = os.DirFS("../../tla")

// A pin is a line of the manifest: what TLC found with a configuration.
type pin struct {
	configuration, module string
	states, depth         int
}

// pins returns what the manifest says of the configurations that pass, of the large ones only with -deep.
func pins(t *testing.T) []pin {
	t.Helper()
	manifest, err := os.ReadFile("../../tla/manifest.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []pin
	for line := range strings.Lines(string(manifest)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 7 || f[2] != "pass" || f[6] != "fast" && f[6] != "more" && !*deep {
			continue
		}
		states, err := strconv.Atoi(f[4])
		if err != nil {
			t.Fatalf("manifest.tsv: %v", err)
		}
		depth, err := strconv.Atoi(f[5])
		if err != nil {
			t.Fatalf("manifest.tsv: %v", err)
		}
		all = append(all, pin{f[0], f[1], states, depth})
	}
	if len(all) == 0 {
		t.Fatal("manifest.tsv pins nothing")
	}
	return all
}

// The model has as many states as the specification, at the same depth, in every configuration that TLC has counted; and
// the same invariants hold in them. Two transition systems that differ in a clause hardly ever agree in all of these numbers.
// In the smaller ones the explorer takes from each state the very steps that Next yields, which graph.Compare compares with
// those of TLC.
func TestSameStatesAsTla(t *testing.T) {
	for _, p := range pins(t) {
		t.Run(p.configuration, func(t *testing.T) {
			t.Parallel()
			machine, err := Read(tla, p.module, p.configuration)
			if err != nil {
				t.Fatal(err)
			}
			found, err := machine.Explore(2)
			if err != nil {
				t.Fatal(err)
			}
			if found.States != p.states || found.Depth != p.depth {
				t.Errorf("the model has %d distinct states, depth %d; TLC found %d, depth %d", found.States, found.Depth, p.states, p.depth)
			}
			if p.states < 17_000 || *deep { // of each module and dialect there are such
				if err := found.compareWithNext(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// compareWithNext compares the steps that were taken from every moment with those of Next.
func (found *Exploration) compareWithNext() error {
	r, machine := found.memo.newReader(), found.memo.machine
	m, to := machine.init[0].clone(), machine.init[0].clone()
	steps := 0
	for key := range found.seen.all() {
		from := make([]uint32, len(r.parts))
		for i, rest := 0, []byte(key); i < len(from); i++ {
			number, n := binary.Uvarint(rest)
			from[i], rest = uint32(number), rest[n:]
		}
		r.read(&m, from)
		wanted := map[string]int{}
		for action, next := range machine.Next(m) {
			wanted[string(machine.AppendKey(appendNumber(nil, action), next))]++
			steps++
		}
		for i, g := range r.groups {
			list, err := r.steps(i, from)
			if err != nil {
				return err
			}
			for numbers := slices.Clone(from); len(list) > 0; list = list[1+len(g.parts):] {
				for k, part := range g.parts {
					numbers[part] = list[1+k]
				}
				r.read(&to, numbers)
				wanted[string(machine.AppendKey(appendNumber(nil, int(list[0])), to))]--
			}
		}
		for step, n := range wanted {
			if action, _ := binary.Uvarint([]byte(step)); n != 0 {
				return fmt.Errorf("%s leads to a moment %d times less often than in Next, from %+v", machine.steps[action].text, n, m.state)
			}
		}
	}
	if steps != found.Steps {
		return fmt.Errorf("the explorer took %d steps, Next has %d", found.Steps, steps)
	}
	return nil
}

// What an action touches beyond what the memo is told is found, in either way: if it is not said to look at a part, the
// steps from some moment are others than in Next; if it is not said to change one, the exploration ends.
func TestTooLittleTouched(t *testing.T) {
	for _, test := range []struct {
		module, configuration string
		action                model.Name
		part                  string // the type of its value
		want                  string
	}{
		{"MCNdk", "Ndk-places", model.Post, "[2][]int", "MCPost("},                    // whether a place is free
		{"MCNdk", "Ndk-reading-A8-inline", model.Post, "[]model.Validity", "MCPost("}, // whether its token is dead
		{"MCNdk", "Ndk-ndkpi", model.Overflow, "model.Qp", "MCOverflow("},             // which completion waits
		{"MCQueuePair", "QP-reading-A11-post", model.NdkFlush, "bool", "MCNdkFlush("}, // whether a chain is open
		{"MCNdk", "Ndk-chains", model.Execute, "[]model.Validity", "not said to touch what it changes to [VALID]"},
		{"MCNdk", "Ndk-ndkpi", model.NdkArmCq, "int", "not said to touch what it changes to 1"},
	} {
		machine, err := Read(tla, test.module, test.configuration)
		if err != nil {
			t.Fatal(err)
		}
		machine.Checked = nil
		for i, p := range machine.parts {
			if fmt.Sprintf("%T", p.value(&machine.init[0])) == test.part {
				machine.parts[i].touched = func(s *step) bool { return s.action.Name != test.action && p.touched(s) }
			}
		}
		found, err := machine.Explore(2)
		if err == nil {
			err = found.compareWithNext()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s is not said to touch %s: got %v", test.configuration, test.action, test.part, err)
		}
	}
}

// A configuration that is not understood is refused, and the error says what is in the way.
func TestReadErrors(t *testing.T) {
	for name, test := range map[string]struct{ module, old, new, want string }{
		"module":   {"MCNothing", "", "", "no bounds are known for the module MCNothing"},
		"missing":  {"MCNdk", "MaxArms", "MaxLegs", "there is no constant MaxArms"},
		"number":   {"MCNdk", "MaxArms = 2", "MaxArms = TRUE", "MaxArms is no number"},
		"truth":    {"MCNdk", "Serialised  |-> TRUE", `Serialised |-> "YES"`, "Serialised = YES is not known"},
		"modality": {"MCNdk", `OldAtArm    |-> "MAY"`, `OldAtArm |-> "CAN"`, "OldAtArm = CAN is not known"},
		"dialect":  {"MCNdk", "Dialect <- Ndkpi", "Dialect <- Infiniband", "Dialects defines no Infiniband"},
		"reading":  {"MCNdk", "Reading <- Default", "Reading <- A99_X", "Readings defines no A99_X"},
		"budget":   {"MCNdk", "MessageBudget", "NoBudget", "MCNdk defines no NoBudget"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, tla); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"Ndk-ndkpi.cfg", "Dialects.tla"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.Replace(text, []byte(test.old), []byte(test.new), 1)
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Read(os.DirFS(dir), test.module, "Ndk-ndkpi"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	if _, err := Read(tla, "MCNdk", "no-such"); err == nil || !strings.Contains(err.Error(), "no-such.cfg") {
		t.Errorf("a configuration that does not exist: %v", err)
	}
}

// A property that no function here stands for is an error, not a pass; so is one that does not hold.
func TestExploreErrors(t *testing.T) {
	machine, err := Read(tla, "MCNdk", "Ndk-mishaps")
	if err != nil {
		t.Fatal(err)
	}
	machine.Checked = []string{"NoSuchProperty"}
	if _, err := machine.Explore(2); err == nil || !strings.Contains(err.Error(), "NoSuchProperty, which is not known") {
		t.Errorf("got %v", err)
	}
	machine.Checked = []string{"OneCallbackAnArm"} // its ghost variable is not kept by MCNdk within these bounds
	machine.init[0].unspent = []int{-1}
	if _, err := machine.Explore(2); err == nil || !strings.Contains(err.Error(), "OneCallbackAnArm does not hold in") {
		t.Errorf("got %v", err)
	}
}
