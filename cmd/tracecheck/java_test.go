//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endlessJava puts a program into the path that stands for Java, and never ends: it writes its process id, and that of a child of its own, to a file.
// It returns the environment and the file.
func endlessJava(t *testing.T) (env []string, pids string) {
	t.Helper()
	folder := t.TempDir()
	pids = filepath.Join(folder, "pids")
	script := fmt.Sprintf("#!/bin/sh\nsleep 1000 &\necho $$ $! >%[1]s.new\nmv %[1]s.new %[1]s\nwait\n", pids)
	jar := filepath.Join(folder, "a.jar")
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "java"), []byte(script), 0o755), os.WriteFile(jar, []byte("a jar"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "TLA2TOOLS_JAR=" + jar, "TMPDIR=" + t.TempDir()}, pids
}

// started waits until the stand-in for Java runs, and returns its process and its child's.
func started(t *testing.T, file string) (pids []int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		if err == nil {
			return pids
		}
	}
}

// end waits until a process has ended, waited for or not, and ends it itself where it goes on.
func end(t *testing.T, what string, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(status), ") Z ") {
			return
		}
	}
	t.Errorf("%s goes on", what)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// Java ends with the program that started it: on a signal with all that it started, and with the modules that were written for it; of SIGKILL, too,
// though nothing can be done about that one.
func TestJavaEndsWithTheProgram(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: exitInterrupted, syscall.SIGINT: exitInterrupted, syscall.SIGKILL: -1} {
		t.Run(signal.String(), func(t *testing.T) {
			env, file := endlessJava(t)
			command := process(t, "--engine", "tlc", plainTrace)
			command.Env = append(command.Env, env...)
			var stderr bytes.Buffer
			command.Stderr = &stderr
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			pids := started(t, file)
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got := exitCode(t, command.Wait()); got != code || code == exitInterrupted && !strings.Contains(stderr.String(), "interrupted in trace 1 of 1") {
				t.Errorf("exit %d, want %d, stderr %q", got, code, &stderr)
			}
			end(t, "Java", pids[0])
			if signal == syscall.SIGKILL {
				_ = syscall.Kill(pids[1], syscall.SIGKILL) // the kernel ends the program's children, and not theirs
				return
			}
			end(t, "what Java started", pids[1])
			left, err := filepath.Glob(strings.TrimPrefix(env[2], "TMPDIR=") + "/*")
			if err != nil || len(left) > 0 {
				t.Errorf("left are %v (%v)", left, err)
			}
		})
	}
}

// An interrupt while Maven fetches TLC is an interrupt, and no mistake on the command line.
func TestInterruptedFetch(t *testing.T) {
	env, file := endlessJava(t)
	folder := filepath.Dir(file)
	if err := os.Rename(filepath.Join(folder, "java"), filepath.Join(folder, "mvn")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/true", filepath.Join(folder, "java")); err != nil {
		t.Fatal(err)
	}
	command := process(t, "--engine", "tlc", plainTrace)
	command.Env = append(command.Env, append(env, "TLA2TOOLS_JAR=", "XDG_CACHE_HOME="+t.TempDir())...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pids := started(t, file)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, command.Wait()); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted before any trace was read") {
		t.Errorf("exit %d, stderr %q", code, &stderr)
	}
	for _, pid := range pids {
		end(t, "Maven", pid)
	}
}
