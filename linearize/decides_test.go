package linearize_test

import (
	"regexp"
	"testing"
	"time"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// decides matches what would have decided an inconclusive finding: a function, a point, a field, or an option of tracecheck.
var decides = regexp.MustCompile(`\b(Ndk[A-Z]\w+|ibv_\w+|quiesce|CqePlaced)\b|--[a-z-]+|end record|\bfield \w+|\b(sq_sig_all|qp_type|dropped|opcode)\b|did you mean "\w+"|the \w+ "\w+" is not known`)

// undecidedBy checks that each inconclusive finding of a report says what would have decided it. It returns how many there are.
func undecidedBy(t *testing.T, name string, r *verdict.Report) int {
	t.Helper()
	n := 0
	for _, f := range r.Findings {
		if f.Verdict != verdict.Inconclusive {
			continue
		}
		if n++; !decides.MatchString(f.Message) {
			t.Errorf("%s: %s: nothing says what would have decided it: %s", name, r.Engine, f.Message)
		}
	}
	return n
}

// An inconclusive answer says which field, function, point or option would have decided, whatever the engine and the trace.
func TestInconclusiveSaysWhatWouldHaveDecided(t *testing.T) {
	n := 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		traced, o := row.Read(t), row.Options()
		engines := []linearize.Engine{linearize.Streaming}
		if row.Verdict == string(verdict.Inconclusive) {
			engines = []linearize.Engine{linearize.Streaming, linearize.Porcupine, ""}
		}
		for _, o.Engine = range engines {
			n += undecidedBy(t, row.Name(), linearize.Check(t.Context(), traced, o))
		}
	}
	if n < 3*47 {
		t.Errorf("%d inconclusive findings, and the corpus has 47 inconclusive rows", n)
	}
	for _, test := range notTold {
		undecidedBy(t, test.name, judging.Stream(notation.Overlapped(t, test.text), linearize.Options{}))
	}
	for _, test := range alike {
		undecidedBy(t, test.name, judging.Stream(notation.Overlapped(t, test.text), linearize.Options{}))
	}
}

// … so does one that a bound of an engine ended.
func TestBoundSaysWhatWouldHaveDecided(t *testing.T) {
	traced := func(with func(*trace.Trace)) *trace.Trace {
		x := notation.Overlapped(t, "verbs;post qp1 w1; post qp1 w2; get cq1 w1 w2; rest; get cq1")
		with(x)
		return x
	}
	whole := traced(func(*trace.Trace) {})
	for name, bound := range map[string]struct {
		trace *trace.Trace
		with  linearize.Options
	}{
		"memory":     {whole, linearize.Options{Engine: linearize.Porcupine, MaxMemory: 1}},
		"operations": {whole, linearize.Options{Engine: linearize.Porcupine, MaxOperations: 1}},
		"time":       {whole, linearize.Options{Engine: linearize.Porcupine, Timeout: time.Nanosecond}},
		"the stream": {whole, linearize.Options{Engine: linearize.Streaming, Timeout: time.Nanosecond}},
		"dropped":    {traced(func(x *trace.Trace) { x.End = &trace.End{Dropped: 2} }), linearize.Options{}},
		"long":       {traced(func(x *trace.Trace) { x.More = 1 << 40 }), linearize.Options{Engine: linearize.Porcupine}},
	} {
		if undecidedBy(t, name, linearize.Check(t.Context(), bound.trace, bound.with)) == 0 {
			t.Errorf("%s: nothing is inconclusive", name)
		}
	}
}
