package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/kernelrecord"
	"ndkoracle/internal/kernelrecord/events"
)

// A command line of attach that makes no sense is refused before anything is done.
func TestAttachUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.jsonl")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"--kernel is missing: attach records kernel code", []string{"-o", file}},
		{"-o is missing", []string{"--kernel"}},
		{"standard output is COMMAND's", []string{"--kernel", "-o", "-", "--", "true"}},
		{"the trace is JSON Lines", []string{"--kernel", "-o", "a.ndktrace.ctf"}},
		{"--rest 2m0s: from 0 to 1m", []string{"--kernel", "-o", file, "--rest", "2m"}},
		{"--duration -1s: a time that passes", []string{"--kernel", "-o", file, "--duration", "-1s"}},
		{"unknown flag --user", []string{"--kernel", "--user", "-o", file}},
	} {
		code, stdout, stderr := command(append([]string{"attach"}, test.args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %q; want %d and %q", test.args, code, stderr, exitUsage, test.want)
		}
	}
	if code, stdout, _ := command("attach", "--help"); code != exitSuccess || !strings.Contains(stdout, "Usage:\n  ndkrecord attach --kernel -o FILE") || !strings.Contains(stdout, "a guess") {
		t.Errorf("the help: exit code %d, %q", code, stdout)
	}
}

// Without a device, or without a program to run, nothing is recorded and no file is left.
func TestAttachWithoutWhatItNeeds(t *testing.T) {
	const nothing = "longer-than-the-name-of-a-device-may-be-which-has-63-characters-at-most" // IB_DEVICE_NAME_MAX
	file := filepath.Join(t.TempDir(), "a.ndktrace.jsonl")
	for want, args := range map[string][]string{
		"RDMA device":          {"--device", nothing},
		"executable file not ": {"--", "no-such-program"},
	} {
		code, _, stderr := command(append([]string{"attach", "--kernel", "-o", file}, args...)...)
		onLinux := strings.Contains(stderr, want) || strings.Contains(stderr, "the kernel of Linux only")
		if code != exitFailure || !onLinux {
			t.Errorf("%q: exit code %d, %q", args, code, stderr)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("an empty file stays")
		}
	}
}

// The report says what was left out, what was lost, and that rest is a guess.
func TestAttachReport(t *testing.T) {
	o := attachOptions{output: "a.jsonl"}
	o.Rest = 700 * time.Millisecond
	for _, test := range []struct {
		report kernelrecord.Report
		want   string
		fails  bool
	}{
		{kernelrecord.Report{Report: events.Report{Events: 7, Cqs: 2, Qps: 1}, AtRest: true}, "a.jsonl: 7 events, 2 completion queues, 1 queue pairs\n", false},
		{kernelrecord.Report{Report: events.Report{Events: 7, Rests: 1}, AtRest: true}, "rest is a guess: 700ms of silence", false},
		{kernelrecord.Report{Report: events.Report{Events: 7, Dropped: 3}}, ", 3 dropped, not at rest", false},
		{kernelrecord.Report{Report: events.Report{Events: 7, OlderQps: 4}}, "4 queue pairs are left out: their completion queues were created before", false},
		{kernelrecord.Report{Report: events.Report{Events: 7, PartlyQps: 4}}, "4 queue pairs are left out and counted as dropped", false},
		{kernelrecord.Report{Report: events.Report{Events: 7}, Missing: []string{"done of smc"}}, "handler done of smc was not recorded: load its module", false},
		{kernelrecord.Report{}, "0 events", true},
	} {
		var stderr bytes.Buffer
		err := reportKernel(o, test.report, &stderr)
		if !strings.Contains(stderr.String(), test.want) || (err != nil) != test.fails {
			t.Errorf("%+v: %q, %v", test.report, stderr.String(), err)
		}
	}
	if err := reportKernel(o, kernelrecord.Report{}, &bytes.Buffer{}); err == nil || errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "attach first") {
		t.Error(err)
	}
}
