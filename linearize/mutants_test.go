package linearize_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// mutations change a trace, each at event i. What none of them makes a trace any more is not judged.
var mutations = []struct {
	what string
	do   func(d histories.Quick, t *trace.Trace, i int)
}{
	{"an operation is missing", func(_ histories.Quick, t *trace.Trace, i int) {
		op := t.Events[i].Op
		t.Events = slices.DeleteFunc(t.Events, func(e trace.Event) bool { return e.Op == op && (op != "" || e.Line == t.Events[i].Line) })
	}},
	{"a return is missing", func(_ histories.Quick, t *trace.Trace, i int) { t.Events = slices.Delete(t.Events, i, i+1) }},
	{"two events change places", func(d histories.Quick, t *trace.Trace, i int) {
		k := max(0, i-1-d.Roll(4, "before"))
		t.Events[i], t.Events[k] = t.Events[k], t.Events[i]
	}},
	{"an event comes earlier", func(d histories.Quick, t *trace.Trace, i int) {
		e := t.Events[i]
		t.Events = slices.Insert(slices.Delete(t.Events, i, i+1), max(0, i-1-d.Roll(6, "earlier")), e)
	}},
	{"an operation comes twice", func(_ histories.Quick, t *trace.Trace, i int) {
		op, last := t.Events[i].Op, i
		var again []trace.Event
		for k, e := range t.Events {
			if e.Op == op && (op != "" || k == i) {
				if last = k; op != "" {
					e.Op += " again"
				}
				again = append(again, e)
			}
		}
		t.Events = slices.Insert(t.Events, last+1, again...)
	}},
	{"an event is altered", alter},
	{"an event is altered", alter}, // twice as often
}

// alter gives one field of an event what another event has there, or takes a part of the event away.
func alter(d histories.Quick, t *trace.Trace, i int) {
	e, o := &t.Events[i], &t.Events[d.Roll(len(t.Events), "other")]
	e.Results, e.Wrs = slices.Clone(e.Results), slices.Clone(e.Wrs)
	fields := []func(){
		func() { e.Status = o.Status }, func() { e.Cq = o.Cq }, func() { e.Qp = o.Qp }, func() { e.Wr = o.Wr }, func() { e.Flags = o.Flags },
		func() { e.Token = o.Token }, func() { e.Type = o.Type }, func() { e.N = o.N }, func() { e.State = o.State }, func() { e.SolicitedOnly = o.SolicitedOnly },
		func() { e.Depth = o.Depth }, func() { e.Conn = o.Conn }, func() { e.Srq = o.Srq }, func() { e.Mr, e.Mw = o.Mr, o.Mw }, func() { e.Errno = o.Errno },
	}
	if n := len(e.Results); n > 0 {
		at := d.Roll(n, "result")
		result := func() *trace.Result { return &e.Results[at] }
		other := *result()
		if len(o.Results) > 0 {
			other = o.Results[d.Roll(len(o.Results), "other result")]
		}
		fields = append(fields[:0], func() { e.Results = slices.Delete(e.Results, at, at+1) }, func() { e.Results = append(e.Results, other) },
			func() { *result() = other }, func() { result().Status = other.Status }, func() { result().Wr = other.Wr },
			func() {
				result().Status = []string{"STATUS_CANCELLED", "STATUS_SUCCESS", "IBV_WC_WR_FLUSH_ERR", "IBV_WC_SUCCESS", "IBV_WC_REM_OP_ERR"}[d.Roll(5, "status")]
			},
			func() { result().Token = other.Token }, func() { result().Bytes = other.Bytes }, func() { result().Opcode = other.Opcode }, func() { result().Type = other.Type })
	}
	if n := len(e.Wrs); n > 0 {
		at := d.Roll(n, "request")
		fields = append(fields[:0], func() { e.Wrs = slices.Delete(e.Wrs, at, at+1) }, func() { slices.Reverse(e.Wrs) },
			func() { e.Wrs[at].Flags = nil }, func() { e.Wrs[at].Opcode = e.Wrs[d.Roll(n, "opcode")].Opcode })
	}
	fields[d.Roll(len(fields), "field")]()
}

// mutant changes a trace once or twice, and says how. It is nil where that is a trace no more.
func mutant(d histories.Quick, whole *trace.Trace) (t *trace.Trace, what string) {
	copied := *whole
	t = &copied
	t.Events = slices.Clone(whole.Events)
	for range 1 + d.Roll(2, "mutations") {
		if len(t.Events) == 0 {
			return nil, what
		}
		m, i := mutations[d.Roll(len(mutations), "mutation")], d.Roll(len(t.Events), "event")
		what += fmt.Sprintf("%s, line %d; ", m.what, t.Events[i].Line)
		m.do(d, t, i)
	}
	var text bytes.Buffer
	w, err := trace.NewWriter(&text, t.Header)
	if err != nil {
		return nil, what
	}
	for i := range t.Events {
		t.Events[i].Seq = uint64(i + 1)
		if w.Write(&t.Events[i]) != nil {
			return nil, what
		}
	}
	if whole.End != nil && w.Close(trace.End{Events: uint64(len(t.Events)), Dropped: whole.End.Dropped, Quiescent: whole.End.Quiescent}) != nil {
		return nil, what
	}
	t, err = trace.Read(whole.Name, &text, 0)
	if err != nil {
		return nil, what
	}
	return t, what
}

// Auto never loses a violation that the streaming engine has found, whatever porcupine leaves open, and blames the side that the stream blames:
// over the reject corpus as it is, and over mutants of it. It may blame the provider for what came before the consumer's breach, or was not excused
// by it, where porcupine alone found that. Where the engines differ it says so. NDK_MUTANTS says how many mutants, NDK_SEED and NDK_FROM which.
func TestAutoLosesNoViolation(t *testing.T) {
	from, n, seed := judging.Environment(t, "NDK_FROM", 0), judging.Environment(t, "NDK_MUTANTS", 600), judging.Environment(t, "NDK_SEED", 1)
	counts := map[string]int{}
	judge := func(row judging.Row, traced *trace.Trace, what string) {
		o := row.Options()
		o.MaxMemory = memoryOfMutant
		o.Engine = linearize.Streaming
		streamed := linearize.Check(t.Context(), traced, o)
		o.Engine = linearize.Auto
		r := linearize.Check(t.Context(), traced, o)
		differ := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return strings.HasPrefix(f.Message, "the engines differ") })
		switch {
		case differ:
			counts["the engines differ"]++
		case !streamed.Violated():
			counts["the stream finds no violation"]++
		case !r.Violated():
			t.Errorf("%s: %s: by stream %s, by auto %s", row.File, what, streamed.Describe(), r.Describe())
		case r.Verdict == streamed.Verdict:
			counts["both blame the same side"]++
		case r.Verdict == verdict.ProviderViolation && (r.Findings[0].Line < streamed.Findings[0].Line || declared.IsAlone(streamed.Findings[0].Rule)):
			counts["porcupine knows what the consumer does not excuse"]++
		default:
			t.Errorf("%s: %s: stream blames by %s, auto by %s", row.File, what, streamed.Describe(), r.Describe())
		}
	}
	var rejected []judging.Row
	for _, row := range judging.Corpus(t) {
		if strings.HasPrefix(row.File, "reject/") {
			rejected = append(rejected, row)
			judge(row, row.Read(t), "as it is")
		}
	}
	for number := from; number < from+n; number++ {
		row := rejected[number%len(rejected)]
		m, what := mutant(histories.Quick{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(number)))}, row.Read(t))
		if m == nil {
			counts["no trace any more"]++
			continue
		}
		judge(row, m, fmt.Sprintf("mutant %d of seed %d: %s", number, seed, what))
	}
	t.Logf("%d traces, and %d mutants from %d of seed %d: %v", len(rejected), n, from, seed, counts)
	if same := counts["both blame the same side"]; same < (len(rejected)+n)/3 || counts["the engines differ"] > 1+(len(rejected)+n)/200 {
		t.Errorf("the mutants show too little: %v", counts)
	}
}

// memoryOfMutant bounds a search, in bytes: so much that few of the mutants are left open.
const memoryOfMutant = 32 << 20
