package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/scripts"
)

// A command line of guest that makes no sense is refused before anything is done.
func TestGuestUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tools(t, nil, nil) // one that is not refused starts nothing
	for _, test := range []struct {
		want string
		args []string
	}{
		{"PROGRAM is missing", nil},
		{"PROGRAM is missing", []string{"--accel", "tcg", "--"}},
		{"--accel xen: kvm or tcg", []string{"--accel", "xen", "--", "true"}},
		{"--mem 0G: a number of MiB", []string{"--mem", "0G", "--", "true"}},
		{"--mem much: a number of MiB", []string{"--mem", "much", "--", "true"}},
		{"--timeout 500ms: whole seconds", []string{"--timeout", "500ms", "--", "true"}},
		{"--timeout 1.5s: whole seconds", []string{"--timeout", "1.5s", "--", "true"}},
		{"--timeout 0s: whole seconds", []string{"--timeout", "0s", "--", "true"}},
		{`invalid value "10" for --timeout: must be a time`, []string{"--timeout", "10", "--", "true"}},
		{"what PROGRAM writes can't be kept there: it is no folder", []string{"--results", file, "--", "true"}},
		{"what PROGRAM writes can't be kept there: stat", []string{"--results", file + "none", "--", "true"}},
		{"unknown flag -o", []string{"-o", "a.ctf", "--", "true"}},
	} {
		code, stdout, stderr := command(append([]string{"guest"}, test.args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %q; want %d and %q", test.args, code, stderr, exitUsage, test.want)
		}
	}
	if code, stdout, _ := command("guest", "--help"); code != exitSuccess || !strings.Contains(stdout, "Usage:\n  ndkrecord guest") || !strings.Contains(stdout, "--results") ||
		!strings.Contains(strings.Join(strings.Fields(stdout), " "), "Exit: PROGRAM's where it ran, 2 usage, 124 the timeout expired, 125 the virtual machine failed or could not be started, 130 interrupted.") {
		t.Errorf("the help: exit code %d, %q", code, stdout)
	}
}

// tools has only these programs be found: some of this machine's, and stand-ins, which are scripts.
func tools(t *testing.T, real []string, standIns map[string]string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range real {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(folder, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range standIns {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/bash\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

var little = []string{"bash", "dirname", "mkdir", "cat", "sed", "grep", "find", "sort", "tail", "flock", "id"}

// What the virtual machine needs and is not there is named, with what helps. guest.sh looks into the folders of the administrator's programs as well, so qemu
// is the one that can be missing here.
func TestGuestSaysWhatIsMissing(t *testing.T) {
	t.Run("qemu", func(t *testing.T) {
		tools(t, little, map[string]string{"uname": "echo x86_64"})
		code, stdout, stderr := command("guest", "--", "true")
		if code != exitMachine || stdout != "" || !strings.Contains(stderr, "error: qemu-system-x86_64 is missing") || !strings.Contains(stderr, "apt-get install qemu-system-x86") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	})
	t.Run("a kernel", func(t *testing.T) {
		nothing := map[string]string{"apt-get": "exit 100", "apt-cache": "exit 100", "sudo": "exit 1", "id": "echo 1000", "uname": "echo x86_64"}
		for _, name := range []string{"qemu-system-x86_64", "rdma", "ip", "dpkg", "depmod", "modprobe"} {
			nothing[name] = "exit 1"
		}
		tools(t, slices.DeleteFunc(slices.Clone(little), func(name string) bool { return name == "id" }), nothing)
		code, stdout, stderr := command("guest", "--", "true")
		if code != exitMachine || stdout != "" || !strings.Contains(stderr, "error: apt offers no linux-image-6.12-amd64, the kernel that the guest boots") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	})
	t.Run("a processor", func(t *testing.T) {
		tools(t, little, map[string]string{"uname": "echo aarch64"})
		code, _, stderr := command("guest", "--", "true")
		if code != exitMachine || !strings.Contains(stderr, "error: the guest runs Debian's amd64 kernel, and this machine is aarch64") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	})
	t.Run("bash", func(t *testing.T) {
		tools(t, nil, nil)
		code, _, stderr := command("guest", "--", "true")
		if code != exitMachine || !strings.Contains(stderr, "the virtual machine is started by a script") || !strings.Contains(stderr, "bash") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	})
	t.Run("a cache", func(t *testing.T) {
		tools(t, little, nil)
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Setenv("XDG_CACHE_HOME", file)
		code, _, stderr := command("guest", "--", "true")
		if code != exitMachine || !strings.Contains(stderr, "the scripts that start the virtual machine: mkdir "+file) {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	})
}

// The script gets what it was told, and its exit code is that of the command. A script that was changed is as it should be again.
func TestGuestPassesOn(t *testing.T) {
	tools(t, nil, map[string]string{"bash": `printf '%s\n' "$@"; exit 7`})
	folder := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ndkoracle", "scripts")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "guest.sh"), []byte("of an earlier version"), 0o666); err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	code, stdout, stderr := command("guest", "--accel", "tcg", "--mem", "1G", "--timeout", "2m", "--results", results, "--", "ib_send_lat", "-d", "rxe0", "--help")
	want := []string{filepath.Join(folder, "guest.sh"), "--mem", "1G", "--timeout", "120", "--results", results, "--accel", "tcg", "--", "ib_send_lat", "-d", "rxe0", "--help"}
	if code != 7 || stderr != "" || !slices.Equal(strings.Split(strings.TrimSpace(stdout), "\n"), want) {
		t.Errorf("exit code %d, %q, %q; want 7 and %q", code, stdout, stderr, want)
	}
	for _, name := range []string{"guest.sh", "guest-init", "guest-kernel.sh", "install.sh", "apt.sh", "messages.sh"} {
		is, err := os.ReadFile(filepath.Join(folder, name))
		shall, wrong := scripts.Guest.ReadFile(name)
		if err != nil || wrong != nil || string(is) != string(shall) {
			t.Errorf("%s: %v, %v, %d bytes, want %d", name, err, wrong, len(is), len(shall))
		}
	}
	if left, err := filepath.Glob(folder + "/*.*.*"); err != nil || len(left) > 0 {
		t.Errorf("left are %q (%v)", left, err)
	}
}

// An interrupt ends the virtual machine.
func TestGuestIsInterrupted(t *testing.T) {
	tools(t, []string{"sleep"}, map[string]string{"bash": "trap 'kill $!; exit 143' TERM; sleep 60 >/dev/null 2>&1 & wait"})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errInterrupted)
	var stdout, stderr strings.Builder
	if code := run(ctx, []string{"guest", "--", "true"}, &stdout, &stderr); code != exitInterrupted {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
