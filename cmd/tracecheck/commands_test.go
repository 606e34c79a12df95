package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
)

// Each command that help lists says what it does, with an example that names it, and each of its flags has a text.
func TestEachCommandIsDescribed(t *testing.T) {
	b := newBench(t)
	root := b.commands()
	if len(root.Commands()) < 10 {
		t.Fatalf("%d commands", len(root.Commands()))
	}
	for _, c := range root.Commands() {
		if c.Short == "" || c.Long == "" || !strings.Contains(c.Example, "tracecheck "+c.Name()) && c.Name() != "man" {
			t.Errorf("%s: %q, %q, %q", c.Name(), c.Short, c.Long, c.Example)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no text", c.Name(), f.Name)
			}
		})
		if code := b.do("help", c.Name()); code != exitConformant || !strings.Contains(b.out.String(), c.Example) {
			t.Errorf("help %s: exit %d, %s", c.Name(), code, &b.out)
		}
		if listed := b.do("help") == 0 && strings.Contains(b.out.String(), "\n  "+c.Name()+" "); listed == c.Hidden {
			t.Errorf("help lists %s: %t", c.Name(), listed)
		}
	}
}

// A file that is called as a command almost is a file, and so is what is called as one exactly, behind --.
func TestFilesCalledLikeCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"chekc", "rules"} {
		if err := os.WriteFile(name, []byte("conformant"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t)
	for _, args := range [][]string{{"chekc"}, {"--", "rules"}, {"check", "rules"}} {
		if code := b.do(args...); code != exitConformant || !strings.Contains(b.out.String(), ": conformant") {
			t.Errorf("%q: exit %d, %s%s", args, code, &b.out, &b.errors)
		}
	}
	if code := b.do("./chekk"); code != exitMalformed { // a path
		t.Errorf("exit %d", code)
	}
}

// --jobs 0 is a trace on each core.
func TestJobsOfAllCores(t *testing.T) {
	s := &settings{files: []string{"-"}}
	if err := s.complete(); err != nil || s.jobs != runtime.GOMAXPROCS(0) {
		t.Errorf("%d jobs, %v", s.jobs, err)
	}
}

// A shell completes commands, flags with check or without, the values of a flag, rules and groups, and asks for no file where none is meant.
func TestCompletion(t *testing.T) {
	b := newBench(t)
	for _, given := range []struct {
		args []string
		want string
	}{
		{[]string{"ver"}, "verify-witness\tre"}, {[]string{"--eng"}, "--engine"}, {[]string{"a.ndktrace.jsonl", "--eng"}, "--engine"},
		{[]string{"check", "--engine", ""}, "porcupine\n"}, {[]string{"--engine", "st"}, "stream\n"}, {[]string{"explain", "ARM-0"}, "ARM-04\n"},
		{[]string{"rules", ""}, "POLL\n"}, {[]string{"completion", ""}, "fish\n"}, {[]string{"stats", ""}, ":0"}, {[]string{"run"}, ":0"}, {[]string{"ex"}, ":0"},
	} {
		code := b.do(append([]string{cobra.ShellCompRequestCmd}, given.args...)...)
		if code != exitConformant || !strings.Contains(b.out.String(), given.want) {
			t.Errorf("%q: exit %d, want %q in %s%s", given.args, code, given.want, &b.out, &b.errors)
		}
	}
}

// The scripts of completion are such as their shells take, where these are at hand.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range commandline.Shells() {
		b := newBench(t)
		if code := b.do("completion", shell); code != exitConformant || !strings.Contains(b.out.String(), "tracecheck") {
			t.Errorf("%s: exit %d", shell, code)
		}
		check := map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "-n"}}[shell]
		if check == nil {
			continue
		}
		if _, err := exec.LookPath(check[0]); err != nil {
			continue
		}
		file := filepath.Join(t.TempDir(), shell)
		if err := os.WriteFile(file, b.out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), check[0], append(check[1:], file)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

// There is a manual page for the program and for each command, with each of its flags.
func TestManualPages(t *testing.T) {
	b := newBench(t)
	folder := filepath.Join(t.TempDir(), "new")
	if code := b.do("man", folder); code != exitConformant {
		t.Fatalf("exit %d, %s", code, &b.errors)
	}
	root := b.commands()
	for _, c := range append(root.Commands(), root) {
		page, err := os.ReadFile(filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if (err == nil) == c.Hidden {
			t.Errorf("%s: %v", c.Name(), err)
		}
		if c.Hidden {
			continue
		}
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"} {
			if !bytes.Contains(page, []byte("\n.SH "+section+"\n")) {
				t.Errorf("%s has no %s", c.Name(), section)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !bytes.Contains(page, []byte(`\fB\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fR`)) {
				t.Errorf("%s has no --%s", c.Name(), f.Name)
			}
		})
	}
	if code := b.do("man", filepath.Join(folder, "tracecheck.1")); code != exitInternal || !strings.Contains(b.errors.String(), "can't be written") {
		t.Errorf("exit %d, %s", code, &b.errors)
	}
}
