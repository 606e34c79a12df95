package ndkshim

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/programs"
)

// unit is a freestanding unit that uses all of the shim. Memory comes from the driver.
const unit = `
#include <stddef.h>
#include <stdint.h>
struct ndkt_writer;
extern struct ndkt_writer *writer;
void *pool_take(size_t size);
void pool_give(void *p);
#define NDKT_WRITER(r) writer
#define NDKT_THREAD() 7
#define NDKS_ALLOC(size) pool_take(size)
#define NDKS_FREE(p) pool_give(p)
#include "ndkshim.h"
struct ndkt_writer *writer;
uint64_t all(ndkt_ring *r, NDK_ADAPTER *theirs);
uint64_t all(ndkt_ring *r, NDK_ADAPTER *theirs)
{
    NDK_ADAPTER *a = ndks_init(r) ? ndks_open(theirs) : 0;
    if (a && ndks_provider(a) == theirs) ndks_closed(a, ndks_closing(a));
    return ndks_end();
}
`

// The shim is C99, and C++11 where it is included there, freestanding, for each compiler and without a floating point register: no warning, and nothing that
// a driver has to have but memory.
func TestFreestandingCompilers(t *testing.T) {
	depend(t)
	folder := t.TempDir()
	for _, name := range []string{"all.c", "all.cc"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(unit), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	freestanding := []string{"-ffreestanding", "-nostdlib", "-mno-sse", "-mno-red-zone", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", shim}
	for _, test := range []struct {
		program, file string
		flags         []string
	}{
		{"gcc", "all.c", []string{"-std=c99"}}, {"gcc", "all.c", []string{"-std=c99", "-O0"}}, {"gcc", "all.c", []string{"-std=c17"}},
		{"gcc", "all.c", []string{"-std=c99", "-O3"}}, {"clang", "all.c", []string{"-std=c99"}}, {"clang", "all.cc", []string{"-std=c++11"}},
		{"x86_64-w64-mingw32-gcc", "all.c", []string{"-std=c99"}}, {"clang", "all.c", []string{"-std=c99", "-target", "x86_64-pc-windows-msvc"}},
		{"clang", "all.c", []string{"-std=c99", "-target", "aarch64-pc-windows-msvc"}},
	} {
		t.Run(test.program+strings.Join(test.flags, " "), func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "all.o")
			flags := append(slices.Clone(freestanding), "-O2")
			if strings.Contains(strings.Join(test.flags, " "), "aarch64") {
				flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-mno-") })
				flags = append(flags, "-mgeneral-regs-only")
			}
			flags = append(append(flags, test.flags...), "-c", "-o", object, filepath.Join(folder, test.file))
			programs.Run(t, exec.Command(programs.Path(t, test.program), flags...))
			if test.program != "gcc" {
				return
			}
			out, err := exec.Command("nm", "-u", object).Output()
			if names := strings.Fields(string(bytes.ReplaceAll(out, []byte(" U "), nil))); err != nil || !slices.Equal(names, []string{"pool_give", "pool_take"}) {
				t.Errorf("error %v; it needs %q", err, names)
			}
		})
	}
}

// kernel stands for what the lines in the document take from the kernel's headers.
const kernel = `
#include <stdlib.h>
#include <stdint.h>
typedef unsigned char KIRQL;
enum { DISPATCH_LEVEL = 2, POOL_FLAG_NON_PAGED = 64 };
void KeRaiseIrql(KIRQL to, KIRQL *from);
void KeLowerIrql(KIRQL to);
void *KeGetCurrentThread(void);
unsigned KeGetCurrentProcessorNumberEx(void *number);
void *ExAllocatePool2(unsigned flags, size_t size, unsigned tag);
void ExFreePool(void *p);
`

// use has the driver call the shim.
const use = `
int start(ndkt_ring *ring, NDK_ADAPTER *theirs, NDK_ADAPTER **adapter);
int start(ndkt_ring *ring, NDK_ADAPTER *theirs, NDK_ADAPTER **adapter) { return ndks_init(ring) && (*adapter = ndks_open(theirs)) != 0; }
`

// The lines that docs/ndk-shim.md has a driver add compile, but for the WDK's header, which is not here.
func TestDocumentCompiles(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/ndk-shim.md")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, found := strings.Cut(string(text), "```c\n")
	lines, _, ended := strings.Cut(lines, "```")
	if !found || !ended || !strings.Contains(lines, "#define NDKS_WDK\n") {
		t.Fatalf("docs/ndk-shim.md has no lines in C, or not the WDK's header:\n%s", lines)
	}
	source := filepath.Join(t.TempDir(), "driver.c")
	whole := kernel + strings.Replace(lines, "#define NDKS_WDK\n", "", 1) + use
	if err := os.WriteFile(source, []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{"gcc", "clang", programs.Mingw} {
		programs.Run(t, exec.Command(programs.Path(t, compiler), "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-multichar", "-I", shim, "-c", "-o",
			filepath.Join(t.TempDir(), "driver.o"), source))
	}
}

// No rule, but the house: no file of the shim has more than 400 lines.
func TestFilesAreSmall(t *testing.T) {
	for _, pattern := range []string{shim + "/ndkshim*", shim + "/ndspi/*", shim + "/example/ndspi/*", "testdata/*", cprovider + "/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if n := bytes.Count(text, []byte("\n")); err != nil || n > 400 {
				t.Errorf("%s has %d lines (%v)", file, n, err)
			}
		}
	}
}
