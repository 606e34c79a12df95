//go:build unix

package tlcjudge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize"
)

// standIn puts a program into the path that stands for Java: it keeps a copy of the jar that it is given, and says what TLC says of a trace that it
// explains. It returns the file of the copy.
func standIn(t *testing.T) (ran string) {
	t.Helper()
	folder := t.TempDir()
	ran = filepath.Join(folder, "ran")
	success, err := filepath.Abs(filepath.Join("..", "tlc", "testdata", "pass.txt"))
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`#!/bin/sh
while [ "$1" != -cp ]; do shift; done
cat "$2" >%s
echo '<<"explain", 1, 0>>'
echo '<<"reached", 1, 0>>'
cat %s
`, ran, success)
	if err := os.WriteFile(filepath.Join(folder, "java"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return ran
}

// The jar that was looked at is the one that runs, and the report names one that is not pinned. One that was changed in between does not run.
func TestJarThatRuns(t *testing.T) {
	ran, jar := standIn(t), filepath.Join(t.TempDir(), "a.jar")
	t.Setenv("TLA2TOOLS_JAR", jar)
	write := func(content string) {
		if err := os.WriteFile(jar, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("looked at")
	found, err := tlc.FindJar(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plain := readTrace(t, filepath.Join("accept", "plain.ndktrace.jsonl"))
	judge := Judge{tlc.Runner{Jar: found, Build: t.TempDir()}}
	r, err := judge.Check(t.Context(), plain, linearize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(ran); err != nil || string(have) != "looked at" {
		t.Errorf("%q ran (%v)", have, err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, jar) || !strings.Contains(r.Warnings[0].Text, found.SHA256) {
		t.Errorf("warned of %v, want %s", r.Warnings, found.SHA256)
	}
	write("changed")
	if _, err := judge.Check(t.Context(), plain, linearize.Options{}); err == nil || !strings.Contains(err.Error(), jar+" has changed") {
		t.Errorf("error %v", err)
	}
	if have, err := os.ReadFile(ran); err != nil || string(have) != "looked at" {
		t.Errorf("%q ran (%v)", have, err)
	}
	judge.Runner.Jar.Pinned = true
	write("looked at")
	if r, err := judge.Check(t.Context(), plain, linearize.Options{}); err != nil || len(r.Warnings) > 0 {
		t.Errorf("of the pinned jar is warned (%v)", err)
	}
}
