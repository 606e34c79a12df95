package clauses_test

import (
	"fmt"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// The cost of an event for the clauses over hidden times, beside that of the streaming engine, which follows callbacks, too.
func BenchmarkTimeline(b *testing.B) {
	text := strings.Builder{}
	for i := range 1000 {
		fmt.Fprintf(&text, "post 1%d; write 2%d Q; post 3%d D; write 4%d; get 1%d; rest; get 3%d 4%d; get;", i, i, i, i, i, i, i)
	}
	traced := notation.Script(b, strings.ReplaceAll(text.String(), "post", "write"))
	run := func(name string, judge func() bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !judge() {
					b.Fatal("it is not conformant")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(traced.Events)), "ns/event")
		})
	}
	run("timeline", func() bool {
		e := clauses.Judge(model.Ndkpi(), traced)
		return len(e.Findings)+len(e.Undecided) == 0
	})
	run("stream", func() bool { return judging.Stream(traced, linearize.Options{}).Verdict == verdict.Conformant })
}

// What is over is dropped: of a long trace no more variables live at once than of a short one.
func TestTimelineForgetsWhatIsOver(t *testing.T) {
	most := map[int]int{}
	for _, rounds := range []int{500, 5000} {
		text := strings.Builder{}
		for i := range rounds {
			fmt.Fprintf(&text, "write 1%d; write 2%d Q; recv 3%d; flush; get 1%d 3%dc; rest; get;", i, i, i, i, i)
		}
		e := clauses.Judge(model.Ndkpi(), notation.Script(t, text.String()))
		if len(e.Findings)+len(e.Undecided) > 0 {
			t.Fatal(judging.SayingOf(e))
		}
		most[rounds] = e.Solver.Most
	}
	if most[5000] > 2*most[500] {
		t.Errorf("most variables alive at once, by rounds: %v", most)
	}
}
