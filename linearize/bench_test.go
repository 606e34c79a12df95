package linearize_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// The cost of a check grows with the trace: a line for each length, and the time for an event beside it.
func BenchmarkCheck(b *testing.B) {
	for _, rounds := range []int{20, 200, 1000} {
		text := strings.Builder{}
		for i := range rounds {
			fmt.Fprintf(&text, "arm ANY; post 1%d; post 2%d Q; post 3%d D; post 4%d; cb<; get 1%d; cb>; rest; get 3%d 4%d; get; arm SOLICITED;",
				i, i, i, i, i, i, i)
		}
		traced := notation.Script(b, text.String())
		b.Run(fmt.Sprintf("events=%d", len(traced.Events)), func(b *testing.B) {
			for b.Loop() {
				if r := linearize.Check(context.Background(), traced, linearize.Options{}); r.Verdict != verdict.Conformant {
					b.Fatalf("%s: %+v", r.Verdict, r.Findings)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(traced.Events)), "ns/event")
		})
	}
}
