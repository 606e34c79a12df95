// Package provider shows how a provider in Go, in a module of its own, is driven and judged by the packages of ndkoracle.
package provider

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// adapter stands for a provider of your own: it is the reference provider, which loses each third notification where it forgets.
type adapter struct {
	conformance.Adapter
	forgets bool
}

func (a adapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	if a.forgets && notification != nil {
		notification = &forgetful{CqNotification: notification}
	}
	return a.Adapter.NdkCreateCq(depth, notification)
}

type forgetful struct {
	ndk.CqNotification
	calls int
}

func (f *forgetful) Enter(cq ndk.Cq, status ndk.Status) (callback func()) {
	if f.calls++; f.calls%3 == 0 {
		return func() {}
	}
	return f.CqNotification.Enter(cq, status)
}

func open(seed uint64, refuse func() bool) (conformance.Adapter, error) {
	bare, err := conformance.Refimpl().Open(seed, refuse)
	return adapter{bare, os.Getenv("LOSE_NOTIFICATIONS") != ""}, err
}

// lacks are the scenarios that need what the adapter does not have: none of the reference provider's.
var lacks = map[string]bool{}

// The provider keeps the contract in each scenario. The trace of one in which it does not is kept for tracecheck.
func TestProvider(t *testing.T) {
	own := conformance.Provider{Name: "own", Open: open, CanRefuse: true}
	for _, scenario := range conformance.Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a provider that hangs fails, and its trace is judged up to there
			defer cancel()
			var written bytes.Buffer
			err := conformance.Record(ctx, scenario, own, 1, 100, &written)
			if lacking := lacks[scenario.Name]; lacking != errors.Is(err, conformance.ErrUnsupported) || err != nil && !lacking {
				t.Errorf("%v; it is named in lacks: %v", err, lacking)
			}
			recorded, err := trace.Read(scenario.Name, bytes.NewReader(written.Bytes()), 0)
			if err != nil {
				t.Fatal(err)
			}
			report := linearize.Check(t.Context(), recorded, linearize.Options{})
			if report.Verdict == verdict.Conformant || lacks[scenario.Name] && !report.Violated() {
				return
			}
			for _, f := range report.Findings {
				if f.Rule == "" { // undecided, and no line is to blame
					t.Errorf("%s: %s", f.Verdict, f.Message)
					continue
				}
				t.Errorf("line %d: %s: %s", f.Line, f.Rule, f.Message)
			}
			if err := os.WriteFile(scenario.Name+".ndktrace.jsonl", written.Bytes(), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
}
