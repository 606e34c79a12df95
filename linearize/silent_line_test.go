package linearize_test

import (
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
)

// A silent request that can't have succeeded had to complete by a moment of rest, if it waited for the provider alone. Both engines name that
// moment, not the poll that delivers what is behind it (FLAG-02).
func TestASilentRequestIsMissedAtRest(t *testing.T) {
	for _, test := range []struct {
		name string
		line int
		text string
	}{
		{"a flush ended it, and a send behind the flush is told later", 20,
			"NdkSend qp1 s1 SILENT_SUCCESS; NdkFlush qp1; NdkSend qp1 s2; rest; get cq1 s2"},
		{"a flush ended it, and nothing is told", 20, "NdkSend qp1 s1 SILENT_SUCCESS; NdkFlush qp1; NdkSend qp1 s2; rest; get cq1"},
		{"the loss that cancelled one before it ended it", 20,
			"NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; get cq1 w1c; rest; NdkWrite qp1 w3; get cq1 w3"},
		{"there is no moment of rest", 23, "NdkWrite qp1 w1; NdkWrite qp1 w2 SILENT_SUCCESS; get cq1 w1c; NdkWrite qp1 w3; get cq1 w3"},
	} {
		for _, e := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), notation.Overlapped(t, test.text), linearize.Options{Engine: e})
			if !r.Violated() || r.Findings[0].Rule != "FLAG-02" || r.Findings[0].Line != test.line {
				t.Errorf("%s, %s: %+v, want FLAG-02 at line %d", test.name, e, r.Findings, test.line)
			}
		}
	}
}
