package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/internal/synthetic"
	"ndkoracle/linearize"
)

// behind writes a trace that was recorded behind so many other events, and returns its file and the line of its last arm.
func behind(t *testing.T, events int, recorded string) (file string, arm int) {
	t.Helper()
	var run bytes.Buffer
	if err := synthetic.Write(&run, synthetic.Options{Seed: 1, Events: uint64(events), Cqs: 1, Pairs: 1, Depth: 1}); err != nil {
		t.Fatal(err)
	}
	short, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(run.String()), "\n")
	lines = lines[:len(lines)-1] // without its end
	others := strings.NewReplacer(`":"cq`, `":"scq`, `":"qp`, `":"sqp`, `"conn":"`, `"conn":"s`, `"wr":"`, `"wr":"s`, `"thr":"`, `"thr":"s`, `"op":"`, `"op":"s`)
	for _, line := range strings.Split(strings.TrimSpace(string(short)), "\n")[1:] {
		if _, rest, isEvent := strings.Cut(line, ","); strings.HasPrefix(line, `{"seq"`) && isEvent {
			line = fmt.Sprintf(`{"seq":%d,%s`, len(lines)+1, others.Replace(rest))
		} else {
			line = fmt.Sprintf(`{"rec":"end","events":%d,"dropped":0,"quiescent":true}`, len(lines)-1)
		}
		if lines = append(lines, line); strings.Contains(line, `"call"`) && strings.Contains(line, "NdkArmCq") {
			arm = len(lines)
		}
	}
	file = filepath.Join(t.TempDir(), "long.ndktrace.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, arm
}

const lostTrace = "../../traces/reject/received-before-the-arm-and-lost.ndktrace.jsonl"

// Of a trace that is too long to keep, a finding shows the arm that made the lost callback due as it does of a short one (ARM-04).
func TestLongTraceShowsTheArm(t *testing.T) {
	file, arm := behind(t, linearize.MaxEvents, lostTrace)
	code, out, _ := shipped(t, file)
	if want := fmt.Sprintf("line %d: NdkArmCq call", arm); code != exitViolation || !strings.Contains(out, want) || !strings.Contains(out, "ARM-04") {
		t.Errorf("exit %d, want %q in %s", code, want, out)
	}
}
