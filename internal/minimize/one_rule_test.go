package minimize

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/raced"
	"ndkoracle/internal/synthetic"
	"ndkoracle/internal/tlc"
	"ndkoracle/internal/tlcjudge"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// engines are those that are asked for the rule of one breach, each trace by itself. TLC is asked for many traces at once (tlcQuestions).
var engines = map[string]linearize.Engine{"auto": linearize.Auto, "stream": linearize.Streaming, "porcupine": linearize.Porcupine}

// breaches returns the traces by hand that break a rule, each as it is read.
func breaches(t *testing.T) (rows []traces.Row) {
	t.Helper()
	all, err := traces.Rows(os.DirFS("../../traces"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if strings.HasPrefix(row.File, "reject/") && row.Rule != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) < 100 {
		t.Fatalf("only %d traces break a rule", len(rows))
	}
	return sample(rows)
}

// sample takes each eighth row under the race detector.
func sample[T any](rows []T) (some []T) {
	for i := range rows {
		if !raced.Detector || i%8 == 0 {
			some = append(some, rows[i])
		}
	}
	return some
}

// names reports an engine that names another rule than the manifest, which has the engines that are known to.
func names(t *testing.T, row traces.Row, how, engine, rule string) {
	t.Helper()
	if want := row.Answer(engine).Rule; rule != want {
		t.Errorf("%s, %s: %s names %q, want %s", row.File, how, engine, rule, want)
	}
}

func optionsOf(row traces.Row, e linearize.Engine) linearize.Options {
	return linearize.Options{Engine: e, Dialect: row.Dialect, Assume: row.Assume, DeviceLevel: row.DeviceLevel}
}

// ruleOf returns the rule of the first finding that is a violation, or "".
func ruleOf(r *verdict.Report) string {
	if !r.Violated() {
		return ""
	}
	return r.Findings[0].Rule
}

// One breach has one rule, whatever the engine (all rules). Package tlcjudge asks TLC for each trace as it is (TestCorpus).
func TestOneRuleForAllEngines(t *testing.T) {
	t.Parallel()
	for _, row := range breaches(t) {
		checkNames(t, row, "as it is", readRow(t, row))
	}
}

// checkNames asks all engines but TLC.
func checkNames(t *testing.T, row traces.Row, how string, traced *trace.Trace) {
	t.Helper()
	for name, e := range engines {
		names(t, row, how, name, ruleOf(linearize.Check(context.Background(), traced, optionsOf(row, e))))
	}
}

// tlcQuestions collects traces for TLC, which judges them together: to start it takes a second.
type tlcQuestions struct {
	rows  []traces.Row
	cases []tlcjudge.Case
}

func (q *tlcQuestions) add(row traces.Row, traced *trace.Trace) {
	if traced.Header.Order == "partial" {
		return // TLC tries one order
	}
	q.rows = append(q.rows, row)
	q.cases = append(q.cases, tlcjudge.Case{Trace: traced, Options: optionsOf(row, "")})
}

func (q *tlcQuestions) ask(t *testing.T, how string) {
	t.Helper()
	if err := tlc.CheckJava(); err != nil {
		t.Fatal(err)
	}
	jar, err := tlc.FindJar(t.Context(), filepath.Join("..", "..", "build", "tlc"))
	if err != nil {
		t.Fatal(err)
	}
	judge := tlcjudge.Judge{Runner: tlc.Runner{Jar: jar, Build: t.TempDir(), Timeout: 25 * time.Minute}}
	var reports []*verdict.Report
	for some := range slices.Chunk(q.cases, 50) {
		told, err := judge.CheckAll(t.Context(), some)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, told...)
	}
	for i, r := range reports {
		names(t, q.rows[i], how, "tlc", ruleOf(r))
	}
}

// restOnAllObjects lists traces whose breach needs that nothing else is open, or that every connection is known: behind a run of other objects
// there is none.
var restOnAllObjects = []string{
	"reject/region-closed-before-its-window.ndktrace.jsonl",
	"reject/close-of-an-empty-domain-never-completes.ndktrace.jsonl",
	"reject/adapter-close-hangs-though-nothing-is-open.ndktrace.jsonl",
	"reject/disconnect-event-comes-twice.ndktrace.jsonl",
}

// … nor does it matter how long the trace is: here a long run on other objects comes first (all rules). Package tlcjudge shows that TLC is asked
// the same there (TestSameQuestionsBehindARun).
func TestOneRuleBehindALongRun(t *testing.T) {
	t.Parallel()
	run := longRun(t, 3_000)
	for _, row := range breaches(t) {
		if traced := readRow(t, row); !slices.Contains(restOnAllObjects, row.File) {
			if long := lengthened(run, traced); long != nil {
				checkNames(t, row, "behind a run", long)
			}
		}
	}
}

// … and a finding has the same place there, and shows the same lines (all rules): those of the short trace, further down by the run.
func TestSameLinesBehindALongRun(t *testing.T) {
	t.Parallel()
	for e, events := range map[linearize.Engine]uint64{linearize.Streaming: 20_000, linearize.Auto: 3_000} {
		run := longRun(t, events)
		for _, row := range breaches(t) {
			traced := readRow(t, row)
			long := lengthened(run, traced)
			if long == nil || slices.Contains(restOnAllObjects, row.File) {
				continue
			}
			shift := len(long.Events) - len(traced.Events)
			short, further := linearize.Check(context.Background(), traced, optionsOf(row, e)), linearize.Check(context.Background(), long, optionsOf(row, e))
			if ruleOf(short) == "" || ruleOf(further) == "" {
				if ruleOf(short) != ruleOf(further) {
					t.Errorf("%s, %s: %q, and %q behind a run", row.File, e, ruleOf(short), ruleOf(further))
				}
				continue
			}
			want, got := lines(short.Findings[0], shift), lines(further.Findings[0], 0)
			if !slices.Equal(want, got) {
				t.Errorf("%s, %s: a finding and what to see at lines %d behind a run, want %d", row.File, e, got, want)
			}
		}
	}
}

// lines returns the line of a finding and those to see, each moved by a shift.
func lines(f verdict.Finding, shift int) []int {
	all := append([]int{f.Line}, f.See...)
	for i := range all {
		all[i] += shift
	}
	return all
}

// lengthened returns a trace with a run before it, or nil where the clock of a partial order stands in the way. In libibverbs an unnamed waiter
// decides nothing where there are other CQs, so that there regions are registered and deregistered as often.
func lengthened(run []trace.Event, traced *trace.Trace) *trace.Trace {
	switch {
	case traced.Header.Order == "partial":
		return nil
	case traced.Header.Dialect == "verbs":
		return behind(registrations(len(run)), traced)
	}
	return behind(run, traced)
}

// registrations returns about so many events of libibverbs, which register regions and deregister them.
func registrations(events int) []trace.Event {
	var run []trace.Event
	call := func(fn, mr string) {
		op := fmt.Sprint("run-", len(run))
		e := trace.Event{Thr: "run", Op: op, Fn: fn, Pd: "run-pd", Mr: mr, Ph: trace.Call}
		if fn == "ibv_dereg_mr" {
			e.Pd = ""
		}
		run = append(run, e, trace.Event{Thr: "run", Op: op, Fn: fn, Ph: trace.Ret})
	}
	for call("ibv_alloc_pd", ""); len(run) < events; {
		mr := fmt.Sprint("run-mr-", len(run))
		call("ibv_reg_mr", mr)
		call("ibv_dereg_mr", mr)
	}
	call("ibv_dealloc_pd", "")
	return run
}

// A lost callback at the end of a trace that auto leaves to the stream has the rule, and shows the arm, as a short one has, be the arm at the
// end of the trace or as far from it as the trace is long (ARM-04, ARM-09).
func TestOneRuleOfAVeryLongTrace(t *testing.T) {
	run := slices.DeleteFunc(longRun(t, linearize.MaxEvents), func(e trace.Event) bool { return e.Fn == "quiesce" }) // there it would be missed
	for file, arm := range map[string]int{"received-before-the-arm-and-lost": 20, "received-behind-the-arm-and-lost": 16} {
		short, err := trace.ReadFile("../../traces/reject/"+file+".ndktrace.jsonl", 0)
		if err != nil {
			t.Fatal(err)
		}
		want := linearize.Check(context.Background(), short, linearize.Options{}).Findings[0]
		if !slices.Contains(want.See, arm) {
			t.Fatalf("%s: %+v does not show the arm", file, want)
		}
		for from, long := range map[int]*trace.Trace{arm + len(run): behind(run, short), arm: around(run, short, len(short.Events))} {
			got := checkStream(t, file, long)
			if got.Rule != want.Rule || got.Line != want.Line+len(run) || !slices.Contains(got.See, from) {
				t.Errorf("%s, armed at line %d: %+v, want %+v with %d more lines", file, from, got, want, len(run))
			}
		}
	}
}

// checkStream returns the finding about a trace that is too long for a search.
func checkStream(t *testing.T, name string, long *trace.Trace) verdict.Finding {
	t.Helper()
	var text bytes.Buffer
	writeTrace(t, &text, long)
	in, err := trace.NewReader(name, &text)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := linearize.CheckReader(context.Background(), in, name, linearize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Engine == string(linearize.Porcupine) || len(r.Findings) == 0 {
		t.Fatalf("%s: engine %s finds %+v", name, r.Engine, r.Findings)
	}
	return r.Findings[0]
}

// breaksAnother has the rejections of which what both engines leave breaks another rule, too, which TLC names: a row of known-divergences.
var breaksAnother = []string{
	"reject/type-of-plain-receive.ndktrace.jsonl", // plain-receive-of-a-bad-token: the registration is left out
}

// What --minimize leaves breaks the same rule for every engine (all rules). TLC is asked for one trace of each rule, and with NDK_TRACES=all for
// every one.
func TestOneRuleOfMinimizedTraces(t *testing.T) {
	t.Parallel()
	var q tlcQuestions
	asked := map[string]bool{} // rules
	for _, row := range breaches(t) {
		if row.Engines["stream"].Verdict != "" || row.Engines["porcupine"].Verdict != "" {
			continue // the engines differ, and what is left by both is nothing
		}
		traced := readRow(t, row)
		var judges []Judge
		for _, e := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			judges = append(judges, func(ctx context.Context, t *trace.Trace) *verdict.Report {
				return linearize.Check(ctx, t, optionsOf(row, e))
			})
		}
		small := Minimize(context.Background(), traced, linearize.Check(context.Background(), traced, optionsOf(row, linearize.Auto)).Findings[0], judges...)
		if small == nil {
			names(t, row, "minimized", "both", "")
			continue
		}
		checkNames(t, row, "minimized", small)
		if all := os.Getenv("NDK_TRACES") == "all"; (all || !asked[row.Rule]) && !slices.Contains(breaksAnother, row.File) {
			asked[row.Rule] = true
			q.add(row, small)
		}
	}
	q.ask(t, "minimized")
}

func readRow(t *testing.T, row traces.Row) *trace.Trace {
	t.Helper()
	traced, err := trace.ReadFile("../../traces/"+row.File, 0)
	if err != nil {
		t.Fatal(err)
	}
	return traced
}

// longRun returns the events of a conformant run on objects whose names no trace by hand has.
func longRun(t *testing.T, events uint64) []trace.Event {
	t.Helper()
	var text bytes.Buffer
	if err := synthetic.Write(&text, synthetic.Options{Seed: 1, Events: events, Cqs: 2, Pairs: 1, Depth: 2}); err != nil {
		t.Fatal(err)
	}
	run, err := trace.Read("run", &text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Events {
		rename(&run.Events[i])
	}
	return run.Events
}

// rename gives the objects, requests and calls of an event other names.
func rename(e *trace.Event) {
	for _, name := range []*string{&e.Op, &e.For, &e.Cq, &e.Qp, &e.Wr, &e.Conn, &e.InitiatorCq, &e.ReceiveCq, &e.Thr, &e.Mr, &e.Mw} {
		if *name != "" {
			*name = "run-" + *name
		}
	}
	e.Results = slices.Clone(e.Results)
	for i := range e.Results {
		e.Results[i].Wr = "run-" + e.Results[i].Wr
		if qp := &e.Results[i].Qp; *qp != "" {
			*qp = "run-" + *qp
		}
	}
}

// behind returns a trace with a run before it.
func behind(run []trace.Event, t *trace.Trace) *trace.Trace { return around(run, t, 0) }

// around returns a trace with a run behind so many of its events.
func around(run []trace.Event, t *trace.Trace, events int) *trace.Trace {
	long := *t
	long.Events = slices.Concat(t.Events[:events], run, t.Events[events:])
	for i := range long.Events {
		e := &long.Events[i]
		e.Line, e.Seq, e.T = i+2, uint64(i+1), 0
	}
	return &long
}

func writeTrace(t *testing.T, to *bytes.Buffer, long *trace.Trace) {
	t.Helper()
	out, err := trace.NewWriter(to, long.Header)
	for i := range long.Events {
		err = cmp.Or(err, out.Write(&long.Events[i]))
	}
	if err = cmp.Or(err, out.Close(trace.End{Quiescent: true})); err != nil {
		t.Fatal(err)
	}
}
