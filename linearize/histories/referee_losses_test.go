package histories

import (
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// In libibverbs a queue pair whose receive fails, or that is moved to its error state, does not end the connection for its peer, and a request that
// failed does (RES-10, RES-11): a silent one that had succeeded at a moment of rest did not.
func TestWhatEndsTheOtherEnd(t *testing.T) {
	for text, allowed := range map[string]bool{
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0c; post qp2 s2; get cq2 s2x; get cq1 r1x": false,
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0x; post qp2 s2; get cq2 s2c; get cq1 r1x": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3x": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3c": false,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3":  false,
		"verbs; post qp2 s0; recv qp1 r1; a< err qp1; get cq2 s0c; a>; get cq1 r1c":           false,
		"verbs; post qp2 s0; recv qp1 r1; a< err qp1; get cq2 s0x; a>; get cq1 r1c":           true,
		"verbs; recv qp2 r0; a< err qp1; a>; get cq2 r0c":                                     false,
		"verbs; recv qp1 r1; post qp2 w2; get cq1 r1c; get cq2 w2x":                           true,
		"verbs; err qp2; recv qp1 r1; get cq1 r1c; post qp2 w2; get cq2 w2x":                  false,
	} {
		traced := notation.Overlapped(t, text)
		if way, known, at := plainly(model.Verbs(), traced, true, configsOfAccusation); !known || (way != nil) != allowed {
			t.Errorf("%s: known %v, allowed %v at %d", text, known, way != nil, at)
		}
	}
	for name, allowed := range map[string]bool{
		"reject/verbs-receive-flushed-as-only-the-peer-was-moved":                   false,
		"accept/verbs-receive-flushed-as-a-silent-read-of-the-peer-may-have-failed": true,
	} {
		traced, err := trace.ReadFile("../../traces/"+name+".ndktrace.jsonl", 0)
		if err != nil {
			t.Fatal(err)
		}
		if way, known, at := plainly(model.Verbs(), traced, true, configsOfAccusation); !known || (way != nil) != allowed {
			t.Errorf("%s: known %v, allowed %v at %d", name, known, way != nil, at)
		}
	}
}

// A queue pair whose connection was lost may be connected again (RES-10).
func TestRefereeConnectsAgain(t *testing.T) {
	runs := notation.ConnectedAgain()
	for _, name := range []string{"completing fails later", "it has another end", "it has another end, a rest"} {
		delete(runs, name) // the plain search knows no callback of NdkCompleteConnect, nor ends of two connections
	}
	for name, events := range runs {
		if way, known, at := plainly(model.Ndkpi(), notation.Read(t, "ndkpi", events), true, configsOfAccusation); !known || way == nil {
			t.Errorf("%s: known %v, forbidden from event %d", name, known, at)
		}
	}
}
