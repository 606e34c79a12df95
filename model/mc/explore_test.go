package mc

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
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
		})
	}
}

// A configuration that is not understood is refused, and the error says what is in the way.
func TestReadErrors(t *testing.T) {
	good, err := os.ReadFile("../../tla/Ndk-ndkpi.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ module, old, new, want string }{
		"module":   {"MCNothing", "", "", "no bounds are known for the module MCNothing"},
		"missing":  {"MCNdk", "MaxArms", "MaxLegs", "there is no constant MaxArms"},
		"number":   {"MCNdk", "MaxArms = 2", "MaxArms = TRUE", "MaxArms is no number"},
		"truth":    {"MCNdk", "Serialised = TRUE", `Serialised = "YES"`, "Serialised = YES is not known"},
		"modality": {"MCNdk", `OldAtArm = "MAY"`, `OldAtArm = "CAN"`, "OldAtArm = CAN is not known"},
		"reading":  {"MCNdk", "Reading <- Default", "Reading <- A99_X", "Readings defines no A99_X"},
		"budget":   {"MCNdk", "MessageBudget", "NoBudget", "MCNdk defines no NoBudget"},
	} {
		dir := t.TempDir()
		text := strings.Replace(string(good), test.old, test.new, 1)
		if err := os.WriteFile(dir+"/broken.cfg", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, tla); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(os.DirFS(dir), test.module, "broken"); err == nil || !strings.Contains(err.Error(), test.want) {
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
