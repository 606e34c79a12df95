package conformance_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// without is the reference provider, which says that it lacks remote invalidation.
type without struct{ conformance.Adapter }

func (a without) NdkQueryAdapterInfo() ndk.AdapterInfo {
	info := a.Adapter.NdkQueryAdapterInfo()
	info.RemoteInvalidate = false
	return info
}

// A scenario that an adapter can't run makes no violation: the adapter is not closed in the trace while its objects are open (LIFE-04).
func TestUnsupportedScenarioAccusesNobody(t *testing.T) {
	open := func(seed uint64, refuse func() bool) (conformance.Adapter, error) {
		bare, err := conformance.Refimpl().Open(seed, refuse)
		return without{bare}, err
	}
	ran := 0
	for _, scenario := range conformance.Scenarios() {
		if scenario.Name != "send-and-invalidate" {
			continue
		}
		ran++
		var written bytes.Buffer
		err := conformance.Record(t.Context(), scenario, conformance.Provider{Name: "own", Open: open, CanRefuse: true}, 1, 100, &written)
		if !errors.Is(err, conformance.ErrUnsupported) {
			t.Errorf("%v, want ErrUnsupported", err)
		}
		recorded, err := trace.Read(scenario.Name, strings.NewReader(written.String()), 0)
		if err != nil {
			t.Fatal(err)
		}
		if r := linearize.Check(t.Context(), recorded, linearize.Options{}); r.Violated() {
			t.Errorf("%s: %+v", r.Verdict, r.Findings)
		}
	}
	if ran != 1 {
		t.Errorf("%d scenarios were run", ran)
	}
}
