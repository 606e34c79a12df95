package kernelrecord

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// The device is the one that was asked for, or the only one; else the error names what there is.
func TestChoose(t *testing.T) {
	none, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	for folder, names := range map[string][]string{one: {"rxe0"}, two: {"rxe0", "siw0"}} {
		for _, name := range names {
			if err := os.Mkdir(filepath.Join(folder, name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct{ folder, wanted, name, problem string }{
		{one, "", "rxe0", ""},
		{two, "siw0", "siw0", ""},
		{two, "", "", "choose with --device: rxe0, siw0"},
		{two, "mlx5_0", "", "no RDMA device mlx5_0: there are rxe0, siw0"},
		{none, "", "", "there is no RDMA device: load the driver"},
		{none, "rxe0", "", "there is no RDMA device: load the driver"},
		{filepath.Join(none, "missing"), "", "", "there is no RDMA device: load the driver"},
	} {
		name, err := choose(test.folder, test.wanted)
		if name != test.name || (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%+v: %q, %v", test, name, err)
		}
	}
}

// What the kernel refuses is told with what to do about it.
func TestExplain(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("load program: %w", unix.EPERM), "needs root, or CAP_BPF"},
		{fmt.Errorf("load program: %w", &ebpf.VerifierError{Cause: unix.EACCES}), "does not take the programs"},
		{fmt.Errorf("create link: %w", ebpf.ErrNotSupported), "does not take the programs"},
		{errors.New("another"), "another"},
	} {
		if got := explain(test.err).Error(); !strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// The header says who takes the callbacks' beginnings, and that rest is a guess.
func TestHeader(t *testing.T) {
	soft := (&Recorder{device: device{name: "rxe0", driver: "rdma_rxe"}, options: Options{Rest: 700_000_000}}).Header()
	if soft.Side != "provider" || soft.Dialect != "kverbs" || soft.Run["rest"] != "a guess: silence of 700ms" || soft.Adapter["driver"] != "rdma_rxe" {
		t.Errorf("%+v", soft)
	}
	hard := (&Recorder{device: device{name: "mlx5_0"}}).Header()
	if _, named := hard.Adapter["driver"]; hard.Side != "consumer" || hard.Run["rest"] != "" || named {
		t.Errorf("%+v", hard)
	}
}
