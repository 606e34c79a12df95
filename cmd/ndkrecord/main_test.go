package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/hwbinding"
	"ndkoracle/trace"
)

// command runs ndkrecord.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	one, hard, soft := file+".one", file+".hard", file+".soft"
	if err := errors.Join(os.WriteFile(one, nil, 0o666), os.Link(one, hard), os.Symlink(one, soft)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--scenario", "drain", "-o", one, "--peer", hard}, "-o and --peer would both write"},
		{[]string{"--provider", "verbs", "--scenario", "drain", "-o", soft, "--verbs-trace", one}, "-o and --verbs-trace would both write"},
		{[]string{"--scenario", "drain", "-o", "-", "--peer", "-"}, "only one trace can be recorded to standard output"},
		{nil, "--scenario is missing"},
		{[]string{"--scenario", "drain"}, "-o is missing"},
		{[]string{"--scenario", "nothing", "-o", file}, "there are arm-merge, arm-present"},
		{[]string{"--scenario", "drain", "-o", file, "--ops", "0"}, "at least 1 request"},
		{[]string{"--scenario", "drain", "-o", file, "--ops", "many"}, `invalid value "many"`},
		{[]string{"--scenario", "drain", "-o", file, "--seed", "-1"}, `invalid value "-1"`},
		{[]string{"--scenario", "drain", "-o", file, "--provider", "mlx5"}, "there are refimpl, verbs, and exec:"},
		{[]string{"--scenario", "drain", "-o", file, "--device", "rxe0"}, "--device is for --provider verbs"},
		{[]string{"--scenario", "drain", "-o", file, "--verbs-trace", "x"}, "--verbs-trace is for --provider verbs"},
		{[]string{"--provider", "verbs", "--scenario", "drain", "-o", file, "--verbs-trace", file}, "-o and --verbs-trace would both write"},
		{[]string{"--scenario", "drain", "-o", file, "--peer", file}, "-o and --peer would both write"},
		{[]string{"--provider", "verbs", "--scenario", "drain", "-o", file, "--peer", "x", "--verbs-trace", "y"}, "can't be asked for together"},
		{[]string{"--scenario", "drain", "-o", file, "more"}, `"more" is not a flag`},
		{[]string{"--colour"}, "unknown flag --colour"},
		{[]string{"--scenaro", "drain"}, "unknown flag --scenaro; did you mean --scenario?"},
		{[]string{"atach", "--kernel"}, `"atach" is not a command; did you mean attach?`},
		{[]string{"--scenario", "drain", "-o"}, "flag needs an argument"},
	} {
		code, stdout, stderr := command(test.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %q; want %d and %q", test.args, code, stderr, exitUsage, test.want)
		}
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a command that was refused left a file: %v", err)
	}
}

func TestListNamesEveryScenario(t *testing.T) {
	code, stdout, _ := command("--list")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if scenarios := conformance.Scenarios(); code != exitSuccess || len(lines) != len(scenarios) {
		t.Fatalf("exit code %d, %d lines for %d scenarios", code, len(lines), len(scenarios))
	}
	for i, s := range conformance.Scenarios() {
		if !strings.HasPrefix(lines[i], s.Name+" ") || !strings.Contains(lines[i], s.Doc) {
			t.Errorf("line %d is %q, and the scenario %s", i+1, lines[i], s.Name)
		}
	}
}

// A recording, plain or compressed by either way of asking, reads back and says how to repeat it.
func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name       string
		flags      []string
		compressed bool
	}{
		{"plain.jsonl", nil, false},
		{"named.jsonl.zst", nil, true},
		{"asked.jsonl", []string{"--zstd"}, true},
		{"both.jsonl.zst", []string{"--zstd"}, true},
	} {
		file := filepath.Join(t.TempDir(), test.name)
		args := append([]string{"--scenario", "flush", "--seed", "7", "--ops", "20", "-o", file}, test.flags...)
		code, stdout, stderr := command(args...)
		if code != exitSuccess || stdout != "" || !strings.Contains(stderr, "seed 7") {
			t.Fatalf("%s: exit code %d, %q", test.name, code, stderr)
		}
		recorded, err := trace.ReadFile(file, 0)
		if err != nil {
			t.Fatal(err)
		}
		if run := recorded.Header.Run; run["scenario"] != "flush" || run["seed"] != "7" || run["ops"] != "20" {
			t.Errorf("%s: the header says %v of the run", test.name, run)
		}
		if recorded.End == nil || !recorded.End.Quiescent {
			t.Errorf("%s: the end is %+v", test.name, recorded.End)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if magic := bytes.HasPrefix(content, []byte{0x28, 0xb5, 0x2f, 0xfd}); magic != test.compressed {
			t.Errorf("%s: compressed: %v", test.name, magic)
		}
		if bytes.Count(content, []byte{0x28, 0xb5, 0x2f, 0xfd}) > 1 {
			t.Errorf("%s is compressed twice", test.name)
		}
	}
}

// A seed that was not given is printed, so that the run can be repeated.
func TestSeedIsPrinted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	_, _, stderr := command("--scenario", "drain", "--ops", "5", "-o", file)
	recorded, err := trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if seed := recorded.Header.Run["seed"]; seed == "" || !strings.Contains(stderr, "seed "+seed+",") {
		t.Errorf("the header says seed %q; printed was %q", seed, stderr)
	}
}

func TestOutputErrors(t *testing.T) {
	folder := t.TempDir()
	for _, test := range []struct{ name, file, want string }{
		{"no such directory", filepath.Join(folder, "none", "trace.jsonl"), "no such file or directory"},
		{"a directory", folder, "is a directory"},
		{"a full disk", "/dev/full", "no space left on device (free some space"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.file == "/dev/full" && runtime.GOOS != "linux" {
				t.Skip("only Linux has /dev/full")
			}
			code, _, stderr := command("--scenario", "drain", "--seed", "1", "--ops", "5", "-o", test.file)
			if code != exitFailure || !strings.Contains(stderr, test.want) || !strings.Contains(stderr, test.file) {
				t.Errorf("exit code %d, %q; want %d and %q", code, stderr, exitFailure, test.want)
			}
			if opened := test.file == "/dev/full"; strings.Contains(stderr, "seed 1") != opened {
				t.Errorf("a run that could not begin is announced, or one that could is not: %q", stderr)
			}
		})
	}
	code, _, stderr := command("--provider", "verbs", "--scenario", "drain", "--seed", "1",
		"-o", filepath.Join(folder, "ndk.jsonl"), "--verbs-trace", filepath.Join(folder, "none", "verbs.jsonl"))
	if _, err := os.Stat(filepath.Join(folder, "ndk.jsonl")); code != exitFailure || strings.Contains(stderr, "seed 1") ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the second file: exit code %d, %q, and of the first %v", code, stderr, err)
	}
	if _, err := os.Stat("/dev/full"); runtime.GOOS == "linux" && err != nil {
		t.Errorf("a file that was there before is gone: %v", err)
	}
}

// Without a device, or without libibverbs, the reason is printed, and no empty files stay.
func TestNoDevice(t *testing.T) {
	_, openErr := hwbinding.Open(hwbinding.Options{Device: "no-such-device"})
	if openErr == nil {
		t.Fatal("the device no-such-device was opened")
	}
	folder := t.TempDir()
	code, _, stderr := command("--provider", "verbs", "--device", "no-such-device", "--scenario", "drain", "--seed", "1",
		"-o", filepath.Join(folder, "ndk.jsonl"), "--verbs-trace", filepath.Join(folder, "verbs.jsonl"))
	if code != exitFailure || !strings.Contains(stderr, strings.ReplaceAll(openErr.Error(), "\n", "; ")) {
		t.Errorf("exit code %d, %q; want %d and %q", code, stderr, exitFailure, openErr)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("files that were left: %v, %v", left, err)
	}
}

// --peer records two hosts apart: of the QPs that accept, the second file has those that share no CQ with one that connects.
func TestRecordsTwoHosts(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first.jsonl"), filepath.Join(folder, "second.jsonl.zst")
	if code, _, stderr := command("--scenario", "flush", "-o", first, "--peer", second, "--seed", "1", "--ops", "50"); code != exitSuccess {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for file, host := range map[string]int{first: 0, second: 1} {
		recorded, err := trace.ReadFile(file, 0)
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]int{}
		for i := range recorded.Events {
			calls[recorded.Events[i].Fn]++
		}
		connects, accepts := calls["NdkConnect"], calls["NdkAccept"]
		if host == 0 && connects == 0 || host == 1 && (connects > 0 || accepts == 0) || calls["NdkCreateQp"] != connects+accepts {
			t.Errorf("%s: %v", file, calls)
		}
	}
}
