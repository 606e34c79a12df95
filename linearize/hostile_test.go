package linearize_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/internal/processor"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// FuzzCheck reads any text as a trace, and judges what is one by both engines: no input makes that panic or hang, or leaves a
// goroutine behind, the same input gets the same answer, and where porcupine accepts, the witness holds.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("../traces/*/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("no traces to start from: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 16<<10 && !strings.Contains(filepath.ToSlash(name), "/known-divergences/") { // porcupine may accept what no witness explains
			f.Add(text)
		}
	}
	for _, h := range hostile {
		f.Add(notation.Text(h.dialect, h.events()))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		traced := readWhatIsOne(text)
		if traced == nil {
			return
		}
		defer judging.NothingIsLeft(t, runtime.NumGoroutine())
		for _, o := range []linearize.Options{
			{Engine: linearize.Streaming, MaxMemory: 8 << 20},
			{Engine: linearize.Porcupine, MaxMemory: 8 << 20, MaxOperations: 300, Witness: true},
		} {
			r := checkInTime(t, traced, o)
			if len(r.Rules) != len(rules.All()) {
				t.Errorf("%s: %d rules in the report", o.Engine, len(r.Rules))
			}
			again := checkInTime(t, traced, o)
			r.Elapsed, again.Elapsed = 0, 0
			if !reflect.DeepEqual(r, again) {
				t.Errorf("%s: two answers: %+v and %+v", o.Engine, r, again)
			}
			if r.Witness == nil || r.Verdict != verdict.Conformant {
				continue // what explains a trace that goes on is no witness
			}
			file := judging.WriteWitness(t, traced, o, r)
			if _, err := witness.Verify(bytes.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		}
	})
}

// readWhatIsOne reads a text as a trace, without the lines that the reader refuses, which are most of those that a fuzzer has
// altered. It is nil where too little is left.
func readWhatIsOne(text []byte) *trace.Trace {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for range 10 {
		traced, err := trace.Read("fuzz", bytes.NewReader(bytes.Join(lines, nil)), 2000)
		var refused *trace.Error
		switch {
		case err == nil:
			if traced.End == nil {
				traced.End = &trace.End{Quiescent: true}
			}
			return traced
		case !errors.As(err, &refused) || refused.Line < 2 || refused.Line > len(lines):
			return nil
		}
		lines = slices.Delete(lines, refused.Line-1, refused.Line)
	}
	return nil
}

// checkInTime checks a trace, and fails when the check takes much more than its limit: of processor time, as the machine may
// be busy with other work.
func checkInTime(t *testing.T, traced *trace.Trace, o linearize.Options) *verdict.Report {
	t.Helper()
	done := make(chan *verdict.Report, 1)
	start := processor.Time()
	go func() { done <- linearize.Check(context.Background(), traced, o) }()
	select {
	case r := <-done:
		if took := processor.Time() - start; took > o.Timeout+5*time.Second {
			t.Fatalf("the check took %v of processor time, with a limit of %v", took, o.Timeout)
		}
		return r
	case <-time.After(o.Timeout + 2*time.Minute):
		stacks := make([]byte, 1<<16)
		t.Fatalf("the check hangs\n%s", stacks[:runtime.Stack(stacks, true)])
		return nil
	}
}

func many(n int, one func(i int) string) []string {
	var all []string
	for i := range n {
		all = append(all, one(i))
	}
	return all
}

func fixed(s string) func(int) string { return func(int) string { return s } }

// hostile are traces that keep the format and no sense. want is the verdict where only one is right.
var hostile = []struct {
	name    string
	dialect string
	want    verdict.Verdict
	events  func() []string
}{
	{"a CQ where a QP is meant", "ndkpi", "", notation.After(`NdkSend "qp":"c","wr":"1"`+notation.Succeeds, `NdkArmCq "cq":"q","type":"ANY"|`)},
	{"nothing was created", "ndkpi", "", func() []string {
		return notation.Lines(`NdkSend "qp":"q","wr":"1"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":1|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`, `NdkFlush "qp":"z"`+notation.Succeeds)
	}},
	{"a completion in another CQ", "ndkpi", verdict.ProviderViolation, notation.After(`NdkRead "qp":"q","wr":"1"`+notation.Succeeds, `NdkGetCqResults "cq":"d","n":1|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`)},
	{"connected twice", "ndkpi", "", notation.After(`NdkConnect "qp":"q","conn":"m"`+notation.Succeeds, `NdkRead "qp":"q","wr":"1"`+notation.Succeeds)},
	{"connected to itself", "ndkpi", "", notation.After(`NdkAccept "qp":"q","conn":"n"`+notation.Succeeds, `NdkSend "qp":"q","wr":"1"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"2"`+notation.Succeeds)},
	{"three QPs of one connection", "ndkpi", "", notation.After(`NdkCreateQp "qp":"r","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"r","conn":"n"`+notation.Succeeds,
		`NdkCreateQp "qp":"s","receive_cq":"d","initiator_cq":"c"`+notation.Succeeds, `NdkAccept "qp":"s","conn":"n"`+notation.Succeeds, `NdkSendAndInvalidate "qp":"s","wr":"1","token":7`+notation.Succeeds)},
	{"a QP that is created after a refusal", "ndkpi", verdict.Conformant, func() []string {
		refused := `NdkCreateQp "qp":"q","receive_cq":"d","initiator_cq":"d"|"status":"STATUS_INSUFFICIENT_RESOURCES"`
		return notation.Lines(`NdkCreateCq "cq":"c","depth":4`+notation.Succeeds, `NdkCreateCq "cq":"d","depth":4`+notation.Succeeds, refused,
			`NdkCreateQp "qp":"q","receive_cq":"c","initiator_cq":"c"`+notation.Succeeds, `NdkConnect "qp":"q","conn":"n"`+notation.Succeeds, `NdkRead "qp":"q","wr":"1"`+notation.Succeeds,
			`NdkGetCqResults "cq":"c","n":1|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`)
	}},
	{"receives into a closed CQ", "ndkpi", "", notation.After(`NdkCloseCq "cq":"c"`+notation.Succeeds, `NdkReceive "qp":"q","wr":"1"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":1|"results":[{"wr":"1","status":"STATUS_SUCCESS"}]`)},
	{"closed twice", "ndkpi", "", notation.After(`NdkCloseCq "cq":"c"`+notation.Succeeds, `NdkCloseCq "cq":"c"`+notation.Succeeds, `NdkCloseQp "qp":"q"`+notation.Succeeds, `NdkCloseQp "qp":"q"`+notation.Succeeds)},
	{"closed, and completed for twice", "ndkpi", "", notation.After(`NdkCloseCq "cq":"d"|"status":"STATUS_PENDING"`, `NdkCloseCompletion "for":"5"|`, `NdkCloseCompletion "for":"5"|`)},
	{"the completion of another op's close", "ndkpi", "", notation.After(`NdkCloseCompletion "for":"1"|`, `NdkCloseCompletion "for":"3"|`)},
	{"a callback before the creation", "ndkpi", verdict.ProviderViolation, func() []string {
		return notation.Lines(append([]string{`NdkCqNotificationCallback "cq":"c","status":"STATUS_SUCCESS"|`}, notation.Created...)...)
	}},
	{"a callback with a status that is none", "ndkpi", verdict.ProviderViolation, notation.After(`NdkArmCq "cq":"c","type":"ANY"|`, `NdkCqNotificationCallback "cq":"c","status":"0xDEADBEEF"|`)},
	{"room for 4294967295", "ndkpi", "", notation.After(`NdkGetCqResults "cq":"c","n":4294967295|"results":[]`)},
	{"no room", "ndkpi", "", notation.After(`NdkGetCqResults "cq":"c","n":0|"results":[]`)},
	{"a depth of 4294967295", "ndkpi", "", func() []string {
		return notation.Lines(`NdkCreateCq "cq":"c","depth":4294967295`+notation.Succeeds, `NdkArmCq "cq":"c","type":"ANY"|`)
	}},
	{"a depth of 0", "ndkpi", "", func() []string {
		return notation.Lines(`NdkCreateCq "cq":"c","depth":0`+notation.Succeeds, notation.Created[2], notation.Created[3], `NdkRead "qp":"q","wr":"1"`+notation.Succeeds, `NdkArmCq "cq":"c","type":"ANY"|`)
	}},
	{"thousands of arms and nothing else", "ndkpi", verdict.Conformant, notation.After(many(4000, fixed(`NdkArmCq "cq":"c","type":"ANY"|`))...)},
	{"thousands of arms, ndspi", "ndspi", "", notation.After(many(4000, fixed(`NdkArmCq "cq":"c","type":"ANY"|`))...)},
	{"hundreds of receives and no poll", "ndkpi", verdict.Conformant, notation.After(many(400, func(i int) string { return fmt.Sprintf(`NdkReceive "qp":"q","wr":"r%d"`, i) + notation.Succeeds })...)},
	{"thousands of requests, a callback and no poll", "ndkpi", "", notation.After(append([]string{`NdkArmCq "cq":"c","type":"ANY"|`},
		append(many(2000, func(i int) string { return fmt.Sprintf(`NdkRead "qp":"q","wr":"r%d"`, i) + notation.Succeeds }), `NdkCqNotificationCallback "cq":"c","status":"STATUS_SUCCESS"|`)...)...)},
	{"a chain of thousands", "ndkpi", "", notation.After(many(2000, func(i int) string {
		return fmt.Sprintf(`NdkRead "qp":"q","wr":"r%d","flags":["DEFER","SILENT_SUCCESS"]`, i) + notation.Succeeds
	})...)},
	{"tens of thousands of invented completions", "ndkpi", verdict.ProviderViolation, notation.After(`NdkGetCqResults "cq":"c","n":40000|"results":[` +
		strings.Join(many(40000, func(i int) string { return fmt.Sprintf(`{"wr":"x%d","status":"STATUS_SUCCESS"}`, i) }), ",") + `]`)},
	{"an open chain of tens of thousands", "ndkpi", verdict.ConsumerViolation, notation.After(many(24000, func(i int) string {
		return fmt.Sprintf(`NdkRead "qp":"q","wr":"r%d","flags":["DEFER"]`, i) + notation.Succeeds
	})...)},
	{"flushed with thousands of receives", "ndkpi", "", notation.After(append(many(1000, func(i int) string { return fmt.Sprintf(`NdkReceive "qp":"q","wr":"r%d"`, i) + notation.Succeeds }),
		`NdkFlush "qp":"q"`+notation.Succeeds)...)},
	{"callbacks nested in each other", "ndkpi", verdict.ProviderViolation, notation.After(many(500, fixed(`NdkCqNotificationCallback "cq":"c","status":"STATUS_SUCCESS"`))...)},
	{"calls that never return", "ndkpi", "", notation.After(many(500, func(i int) string { return fmt.Sprintf(`NdkRead "qp":"q","wr":"r%d"`, i) })...)},
	{"verbs: a list of nothing", "verbs", "", func() []string {
		return notation.Lines(`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_qp "qp":"q","send_cq":"c","recv_cq":"c"|`, `ibv_post_send "qp":"q","wrs":[]|"errno":"EINVAL"`,
			`ibv_get_cq_event |"cq":"unknown"`, `ibv_modify_qp "qp":"q","state":"ERR"|`, `ibv_destroy_cq "cq":"c"|`, `ibv_poll_cq "cq":"c","n":1|"results":[]`)
	}},
	{"points of what nobody posted", "ndkpi", "", func() []string {
		return append(notation.After()(), `"ph":"point","fn":"CqePlaced","cq":"zz","wr":"none","status":"STATUS_SUCCESS"`, `"ph":"point","fn":"HwIndicate","qp":"zz","wr":"none"`)
	}},
	{"a point of another CQ", "ndkpi", "", func() []string {
		return append(notation.After(`NdkRead "qp":"q","wr":"1"`+notation.Succeeds)(), `"ph":"point","fn":"CqePlaced","cq":"d","wr":"1","status":"STATUS_SUCCESS"`, `"ph":"point","fn":"CqePlaced","cq":"d","wr":"1","status":"STATUS_SUCCESS"`)
	}},
}

// Senseless traces are answered too, soon, and where only one answer is right with that one.
func TestHostileTraces(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			traced, err := trace.Read(h.name, bytes.NewReader(notation.Text(h.dialect, h.events())), linearize.MaxEvents)
			if err != nil {
				t.Fatalf("the trace does not keep the format: %v", err)
			}
			limit := time.Second
			if h.want != "" {
				limit = 20 * time.Second // on a busy machine, too
			}
			r := checkInTime(t, traced, linearize.Options{Timeout: limit})
			t.Logf("%s with %d findings in %v", r.Verdict, len(r.Findings), r.Elapsed)
			if h.want != "" && r.Verdict != h.want {
				t.Errorf("verdict %s, want %s: %+v", r.Verdict, h.want, r.Findings[:min(len(r.Findings), 3)])
			}
		})
	}
}
