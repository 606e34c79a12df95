package histories

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/model"
)

// Every random run that porcupine accepts has a witness that the model alone replays: legal and spoilt ones, of all dialects,
// taken down by the provider and by the consumer, with and without points.
func TestRandomRunsHaveWitnesses(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r, o, report := acceptedRun(t, d)
				file := judging.WriteWitness(t, r.Trace, o, report)
				if _, err := witness.Verify(bytes.NewReader(file), r.Trace); err != nil {
					t.Fatalf("%v\n%s\n%s", err, file, r)
				}
			})
		})
	}
}

// acceptedRun returns a random run that porcupine accepts: the first of some.
func acceptedRun(t *rapid.T, d model.Dialect) (*Run, linearize.Options, *verdict.Report) {
	o := linearize.Options{MaxMemory: 64 << 20, Witness: true, DeviceLevel: d.FailsAsFlushed}
	for range 50 {
		r := NewRun(Shrinking{T: t}, d)
		r.Walk(rapid.IntRange(0, 25).Draw(t, "steps"))
		r.conclude(Shrinking{T: t})
		if report := linearize.Check(context.Background(), r.Trace, o); report.Verdict == verdict.Conformant && report.Witness != nil { // porcupine may leave open what stream decides
			return r, o, report
		}
	}
	t.Fatal("none of 50 random runs is conformant")
	return nil, o, nil
}
