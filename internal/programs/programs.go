// Package programs is how tests build and run programs that are not written in Go, on this system or as programs of Windows under Wine.
package programs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Path returns a program that a test needs.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed; make install, or make test, installs it", name)
	}
	return path
}

// Depend reads what programs are built from: Go keeps the results of tests as long as the files that they read are the same.
func Depend(t testing.TB, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				continue
			}
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Run runs a command, which has to succeed, and returns what it says.
func Run(t testing.TB, command *exec.Cmd) string {
	t.Helper()
	var said bytes.Buffer
	command.Stderr = &said
	command.WaitDelay = 100 * time.Millisecond // what Wine starts beside a program keeps these open for seconds
	out, err := command.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%q: %v\n%s%s", command.Args, err, out, said.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// Mingw is the compiler for Windows.
const Mingw = "x86_64-w64-mingw32-gcc"

// random is a library that Go asks for random numbers. Wine has one since 8.16 only.
const random = `
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }
`

// Windows makes a Windows for the test, and returns what runs a program on it.
func Windows(t *testing.T) (wine string) {
	t.Helper()
	wine = Path(t, "wine")
	prefix := t.TempDir()
	t.Setenv("WINEPREFIX", prefix)
	t.Setenv("TMPDIR", prefix) // where its server has a socket
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("WINEDLLOVERRIDES", "mscoree,mshtml=") // no offer to install what these tests have no use for
	t.Cleanup(func() { _ = exec.Command("wineserver", "-k", "-w").Run() })
	Run(t, exec.Command("wineserver", "-p")) // else it ends soon after a program, and resets the connection of one that starts just then
	Run(t, exec.Command("wineboot", "--init"))
	library := filepath.Join(prefix, "drive_c/windows/system32/bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return wine
	}
	source := filepath.Join(t.TempDir(), "random.c")
	if err := os.WriteFile(source, []byte(random), 0o666); err != nil {
		t.Fatal(err)
	}
	Run(t, exec.Command(Path(t, Mingw), "-shared", "-o", library, source, "-ladvapi32"))
	return wine
}
