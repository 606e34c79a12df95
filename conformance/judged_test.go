package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// seeds is how many seeds each scenario is recorded with. NDK_SEEDS asks for more: 2000 is the number that a release is
// held to.
func seeds(t *testing.T) uint64 {
	text := os.Getenv("NDK_SEEDS")
	if text == "" {
		return 20
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("NDK_SEEDS: %v", err)
	}
	return n
}

const judgedOps = 25

func judge(t *testing.T, s conformance.Scenario, seed uint64) *verdict.Report {
	t.Helper()
	return judgeOf(t, conformance.Refimpl(), s, seed)
}

// judgeOf records a provider, and judges the trace. A run may fail where the provider is broken.
func judgeOf(t *testing.T, p conformance.Provider, s conformance.Scenario, seed uint64) *verdict.Report {
	t.Helper()
	r, _ := recordAndJudge(t, p, s, seed)
	return r
}

// recordAndJudge is judgeOf, and says whether the run failed, too.
func recordAndJudge(t *testing.T, p conformance.Provider, s conformance.Scenario, seed uint64) (*verdict.Report, error) {
	t.Helper()
	recorded, err := conformance.RecordTrace(t.Context(), s, p, seed, judgedOps)
	if recorded == nil {
		t.Fatalf("scenario %s, seed %d: %v", s.Name, seed, err)
	}
	return linearize.Check(context.Background(), recorded, linearize.Options{Timeout: time.Minute}), err
}

// judgeHosts records two hosts apart, and judges their traces together.
func judgeHosts(t *testing.T, s conformance.Scenario, seed uint64) [2]*verdict.Report {
	t.Helper()
	var files [2]bytes.Buffer
	if err := conformance.RecordHosts(t.Context(), s, conformance.Refimpl(), seed, judgedOps, &files[0], &files[1]); files[0].Len() == 0 {
		t.Fatalf("scenario %s, seed %d: %v", s.Name, seed, err)
	}
	var hosts [2]*linearize.Host
	for i := range files {
		name := []string{"connects", "accepts"}[i]
		in, err := trace.NewReader(name, &files[i])
		if err != nil {
			t.Fatal(err)
		}
		hosts[i] = &linearize.Host{In: in, Name: name, Options: linearize.Options{Timeout: time.Minute}}
	}
	linearize.CheckJoined(context.Background(), hosts)
	if err := errors.Join(hosts[0].Err, hosts[1].Err); err != nil {
		t.Fatalf("scenario %s, seed %d: %v", s.Name, seed, err)
	}
	return [2]*verdict.Report{hosts[0].Report, hosts[1].Report}
}

func describe(s conformance.Scenario, seed uint64, r *verdict.Report) string {
	text := fmt.Sprintf("scenario %s, seed %d: %s", s.Name, seed, r.Verdict)
	for _, f := range r.Findings {
		text += fmt.Sprintf("\n  seq %d: %s %v: %s\n    before: %v", f.Seq, f.Rule, f.Also, f.Message, f.Before)
	}
	return text
}
