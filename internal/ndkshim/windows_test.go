package ndkshim

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"ndkoracle/internal/programs"
)

// The same shim, consumer and provider as programs of Windows: the provider is conformant, each seeded bug is found by its rule, contexts and counts hold.
func TestWindows(t *testing.T) {
	consumer := compiled(t, programs.Mingw, "consumer.c", "-O1", library(t, "GOOS=windows", "GOARCH=amd64", "CC="+programs.Mingw), "-static", "-pthread")
	traps := compiled(t, programs.Mingw, "traps.c", "-O1", "-static", "-pthread")
	threads := compiled(t, programs.Mingw, "threads.c", "-O2", "-static", "-pthread")
	wine := programs.Windows(t)
	t.Run("conformant", func(t *testing.T) { isConformant(t, []string{wine, consumer}, 3) })
	t.Run("bugs", func(t *testing.T) { findEach(t, []string{wine, consumer}, slices.Sorted(maps.Keys(shows))) })
	t.Run("traps", func(t *testing.T) {
		for _, name := range []string{"functions", "pending", "dispatch", "contexts", "unrecorded", "silent", "late", "ended-twice"} {
			programs.Run(t, exec.Command(wine, traps, name, filepath.Join(t.TempDir(), "a.ndktrace.ctf")))
		}
	})
	t.Run("threads", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
		attempted, err := strconv.ParseUint(programs.Run(t, exec.Command(wine, threads, file, "1024", "2000")), 10, 64)
		if whole := read(t, file); err != nil || whole.End == nil || whole.End.Events+whole.End.Dropped != attempted {
			t.Errorf("%d events attempted, end %+v (%v)", attempted, whole.End, err)
		}
	})
}
