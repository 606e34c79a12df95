package ndkshim

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

const mingw = "x86_64-w64-mingw32-gcc"

// random is a library that Go asks for random numbers. Wine has one since 8.16 only.
const random = `
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }
`

// windows makes a Windows for the test, and returns how a program is run on it.
func windows(t *testing.T) (wine string) {
	t.Helper()
	wine = program(t, "wine")
	prefix := t.TempDir()
	t.Setenv("WINEPREFIX", prefix)
	t.Setenv("TMPDIR", prefix) // where its server has a socket
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("WINEDLLOVERRIDES", "mscoree,mshtml=") // no offer to install what these tests have no use for
	t.Cleanup(func() { _ = exec.Command("wineserver", "-k", "-w").Run() })
	run(t, exec.Command("wineboot", "--init"))
	library := filepath.Join(prefix, "drive_c/windows/system32/bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return wine
	}
	source := filepath.Join(t.TempDir(), "random.c")
	if err := os.WriteFile(source, []byte(random), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, exec.Command(program(t, mingw), "-shared", "-o", library, source, "-ladvapi32"))
	return wine
}

// The same shim, consumer and provider as programs of Windows: the provider is conformant, each seeded bug is found by its rule, contexts and counts hold.
func TestWindows(t *testing.T) {
	consumer := compiled(t, mingw, "consumer.c", "-O1", library(t, "GOOS=windows", "GOARCH=amd64", "CC="+mingw), "-static", "-pthread")
	traps := compiled(t, mingw, "traps.c", "-O1", "-static", "-pthread")
	threads := compiled(t, mingw, "threads.c", "-O2", "-static", "-pthread")
	wine := windows(t)
	t.Run("conformant", func(t *testing.T) { isConformant(t, []string{wine, consumer}, 3) })
	t.Run("bugs", func(t *testing.T) { findEach(t, []string{wine, consumer}, slices.Sorted(maps.Keys(shows))) })
	t.Run("traps", func(t *testing.T) {
		for _, name := range []string{"functions", "pending", "dispatch", "contexts", "unrecorded", "silent", "late", "ended-twice"} {
			run(t, exec.Command(wine, traps, name, filepath.Join(t.TempDir(), "a.ndktrace.ctf")))
		}
	})
	t.Run("threads", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
		attempted, err := strconv.ParseUint(run(t, exec.Command(wine, threads, file, "1024", "2000")), 10, 64)
		if whole := read(t, file); err != nil || whole.End == nil || whole.End.Events+whole.End.Dropped != attempted {
			t.Errorf("%d events attempted, end %+v (%v)", attempted, whole.End, err)
		}
	})
}
