package witness_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// pointed returns a trace with a point wherever a witness places a completion, unless a point of the trace tells already. It is in the
// order that the witness claims.
func pointed(traced *trace.Trace, file []string) *trace.Trace {
	ended, cqs, silent := map[string]witness.Step{}, map[string]string{}, map[string]bool{}
	for _, e := range resets.Of(traced).Events {
		if e.InitiatorCq != "" {
			cqs[e.Qp+" initiator"], cqs[e.Qp+" receive"] = e.InitiatorCq, e.ReceiveCq
		}
		if e.Ph == trace.Point {
			silent[e.Wr] = true
		}
	}
	var header struct{ Order []uint64 }
	json.Unmarshal([]byte(file[0]), &header)
	t, passed := *traced, slices.Clone(traced.Events)
	if header.Order != nil {
		t.Header.Order = "total"
		slices.SortFunc(passed, func(a, b trace.Event) int {
			return cmp.Compare(slices.Index(header.Order, a.Seq), slices.Index(header.Order, b.Seq))
		})
	}
	t.Events = nil
	for _, line := range file {
		var step struct {
			Rec string
			witness.Step
		}
		json.Unmarshal([]byte(line), &step)
		switch {
		case step.Rec == "":
			t.Events = append(t.Events, passed[0])
			passed = passed[1:]
		case step.Action == "Execute":
			ended[step.Wr] = step.Step
		case step.Action == "Post":
			silent[step.Wr] = silent[step.Wr] || step.Silent
		case step.Action == "Complete" && ended[step.Wr].Outcome != "" && !silent[step.Wr]:
			point := trace.Event{Ph: trace.Point, Thr: "device", Fn: "CqePlaced", Cq: cqs[step.Qp+" "+step.Queue], Wr: step.Wr,
				Status: judging.StatusOf(traced.Header.Dialect, ended[step.Wr].Outcome)}
			if step.Queue == "receive" {
				solicited := ended[step.Wr].Solicited
				point.Solicited = &solicited
			}
			t.Events = append(t.Events, point)
		}
	}
	return &t
}

// mayBeLeftOut reports whether a step is that of a connect which failed: it may have connected the queue pair, or not (POST-08). Or it executes a request of which
// nothing is told, where a CQ has failed: what such a CQ has not told is owed no more (ARM-17).
func mayBeLeftOut(traced *trace.Trace, line string) bool {
	var step struct{ Action, Op, Wr string }
	if json.Unmarshal([]byte(line), &step) != nil {
		return false
	}
	if step.Action == string(model.Execute) {
		failed := func(e trace.Event) bool {
			health, known := calls.HealthOf(e.Status)
			return e.Fn == "NdkCqNotificationCallback" && e.Ph == trace.Enter && known && health != model.OK
		}
		tells := func(e trace.Event) bool {
			return e.Ph == trace.Point && e.Wr == step.Wr || slices.ContainsFunc(e.Results, func(r trace.Result) bool { return r.Wr == step.Wr })
		}
		return slices.ContainsFunc(traced.Events, failed) && !slices.ContainsFunc(traced.Events, tells)
	}
	if step.Action != string(model.NdkConnect) {
		return false
	}
	return slices.ContainsFunc(traced.Events, func(e trace.Event) bool {
		refused := e.Op == step.Op && e.Ph == trace.Ret && calls.IsRefusal(traced.Header.Dialect == "verbs", &e)
		return refused || e.For == step.Op && e.Ph == trace.Enter && !calls.ReportsSuccess(&e)
	})
}

// A witness that is altered in any line is refused: an event in any way, a step that is dropped, doubled or changed. What is
// accepted is a witness again: two lines whose order does not matter, an outcome that nothing tells, a choice that the contract
// leaves. Porcupine says so, which is told by points where the altered witness places its completions, and how they ended.
// NDK_WITNESSES=all does it with every accepted trace by hand, not only with about each third.
func TestSpoiltWitnessesAreRefused(t *testing.T) {
	refused, accepted := map[string]int{}, map[string]int{}
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Conformant) || !strings.HasPrefix(row.File, "accept/") {
			continue
		}
		if !isOfThird(row.File) && os.Getenv("NDK_WITNESSES") != "all" {
			continue
		}
		traced := row.Read(t)
		if judging.HasNoWitness(traced) {
			continue
		}
		lines := witnessLines(t, traced, row)
		for _, spoilt := range judging.SpoilWitness(lines) {
			if _, err := witness.Verify(strings.NewReader(strings.Join(spoilt.File, "")), traced); err != nil {
				refused[spoilt.How]++
				continue
			}
			accepted[spoilt.How]++
			place := fmt.Sprintf("%s: line %d %s: %s", row.File, spoilt.Line+1, spoilt.How, lines[spoilt.Line])
			isEvent := strings.HasPrefix(lines[spoilt.Line], `{"seq":`)
			if (spoilt.How == "dropped" || spoilt.How == "doubled" || isEvent && spoilt.How != "swapped") && !mayBeLeftOut(traced, lines[spoilt.Line]) {
				t.Errorf("%saccepted", place)
			}
			told := pointed(traced, spoilt.File)
			r := linearize.Check(context.Background(), told, row.Options())
			// The model loses a connection whenever it likes. Porcupine asks for a cause, where the trace holds both ends.
			lost := len(r.Findings) > 0 && r.Findings[0].Rule == "RES-10" && strings.Contains(strings.Join(spoilt.File, ""), "ConnectionLost")
			if r.Verdict != verdict.Conformant && !lost {
				t.Errorf("%sbecame %saccepted, and porcupine has %+v", place, spoilt.File[spoilt.Line], r.Findings)
			}
		}
	}
	t.Logf("refused %v, accepted %v", refused, accepted)
	if refused["changed"] < 100*accepted["changed"] || refused["swapped"] < 5*accepted["swapped"] || refused["dropped"] == 0 {
		t.Errorf("too many were accepted")
	}
}

// Where a point tells how a request completed, a witness in which it ended otherwise, or took a message that was solicited otherwise,
// is refused, even where no poll tells of it (POLL-05, ARM-10).
func TestWitnessesAreHeldAgainstPoints(t *testing.T) {
	changed := map[string]int{}
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Conformant) || strings.HasPrefix(row.File, "known-divergences/") { // which may have none
			continue
		}
		traced := row.Read(t)
		if len(traced.Events) > 100 { // longer traces do nothing that short ones don't
			continue
		}
		// Each completion of which nothing tells but a poll has a point, too.
		traced = pointed(traced, witnessLines(t, traced, row))
		if linearize.Check(context.Background(), traced, row.Options()).Verdict != verdict.Conformant {
			continue // its connection is lost, for which porcupine asks for a cause
		}
		points := map[string]trace.Event{}
		for _, e := range traced.Events {
			if e.Fn == "CqePlaced" && strings.HasSuffix(e.Status, "_SUCCESS") {
				points[e.Wr] = e
			}
		}
		lines := witnessLines(t, traced, row)
		for i, line := range lines {
			var step witness.Step
			if json.Unmarshal([]byte(line), &step) != nil || step.Action != "Execute" || points[step.Wr].Fn == "" {
				continue
			}
			otherwise := map[string]string{"outcome": strings.Replace(line, `"outcome":"SUCCESS"`, `"outcome":"FAILED"`, 1)}
			if told := points[step.Wr].Solicited; told != nil && step.Queue == "receive" {
				otherwise["solicited"] = strings.Replace(line, `"outcome":"SUCCESS"`, `"outcome":"SUCCESS","solicited":true`, 1)
				if *told {
					otherwise["solicited"] = strings.Replace(line, `,"solicited":true`, "", 1)
				}
			}
			for how, altered := range otherwise {
				changed[how]++
				file := strings.Join(slices.Concat(lines[:i], []string{altered}, lines[i+1:]), "")
				if _, err := witness.Verify(strings.NewReader(file), traced); err == nil || altered == line {
					t.Errorf("%s: line %d, its %s changed: %saccepted: %v", row.File, i+1, how, altered, err)
				}
			}
		}
	}
	t.Logf("changed and refused: %v", changed)
	if changed["outcome"] == 0 || changed["solicited"] == 0 {
		t.Errorf("changed %v", changed)
	}
}

// witnessLines are the lines of the witness of a trace, each with its end.
func witnessLines(t *testing.T, traced *trace.Trace, row judging.Row) []string {
	t.Helper()
	return slices.Collect(strings.Lines(string(judging.WitnessOf(t, traced, row.Options()))))
}

// isOfThird reports whether a name is of a third of all names, whichever others there are.
func isOfThird(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%3 == 0
}

// FuzzVerify reads any text as a witness of a trace by hand: it is refused with a line, or it holds, and nothing else happens.
func FuzzVerify(f *testing.F) {
	var all []*trace.Trace
	for _, row := range judging.Corpus(f) {
		if row.Verdict != string(verdict.Conformant) || !strings.HasPrefix(row.File, "accept/") {
			continue
		}
		traced, o := row.Read(f), row.Options()
		o.Witness = true
		r := linearize.Check(context.Background(), traced, o)
		f.Add(uint8(len(all)), judging.WriteWitness(f, traced, o, r))
		all = append(all, traced)
	}
	f.Fuzz(func(t *testing.T, which uint8, file []byte) {
		traced := all[int(which)%len(all)]
		replay, err := witness.Verify(bytes.NewReader(file), traced)
		var refused *witness.Refused
		switch {
		case err == nil && replay.Events != len(traced.Events):
			t.Errorf("it holds after %d of %d events", replay.Events, len(traced.Events))
		case err != nil && (!errors.As(err, &refused) || refused.Line < 1):
			t.Errorf("%T: %v", err, err)
		}
	})
}

// A witness proves one trace by one claim: cut off, with another header or end, or held against another trace it is refused, with
// the line.
func TestWitnessIsOfItsTrace(t *testing.T) {
	row := judging.Row{Row: traces.Row{File: "accept/plain.ndktrace.jsonl"}}
	traced := row.Read(t)
	file := string(judging.WitnessOf(t, traced, linearize.Options{}))
	cut := file[:strings.LastIndex(strings.TrimSuffix(file, "\n"), "\n")+1]
	other := judging.Row{Row: traces.Row{File: "accept/drained-before-the-callback.ndktrace.jsonl"}}.Read(t)
	oneTime := judging.Row{Row: traces.Row{File: "accept/partial-order-one-time.ndktrace.jsonl"}}.Read(t)
	tied := string(judging.WitnessOf(t, oneTime, linearize.Options{}))
	consumer, partial, dropped, restless := *traced, *traced, *traced, *traced
	partial.Header.Order = "partial"
	dropped.End = &trace.End{Dropped: 1, Quiescent: true}
	restless.End = nil
	consumer.Events = slices.Delete(slices.Clone(traced.Events), 3, 4)
	for _, test := range []struct {
		name, file string
		traced     *trace.Trace
		says       string
	}{
		{"cut off", cut, traced, "without its end record"},
		{"cut in a line", cut[:len(cut)-4], traced, "line"},
		{"empty", "", traced, "line 1: "},
		{"no JSON", file[:20], traced, "line 1: not a witness"},
		{"a trace", `{"rec":"hdr","format":"ndk-trace","v":"1.0","dialect":"ndkpi"}` + "\n", traced, "line 1: not a witness"},
		{"another version", strings.Replace(file, `"v":"1.0"`, `"v":"2.0"`, 1), traced, "line 1: version"},
		{"another dialect", strings.Replace(file, `"ndkpi"`, `"ib"`, 1), traced, "line 1: no dialect"},
		{"another reading", strings.Replace(file, `"ndkpi"`, `"ndkpi","assume":{"A2":"THREE"}`, 1), traced, "line 1: no reading"},
		{"device level", strings.Replace(file, `"ndkpi"`, `"ndkpi","device_level":true`, 1), traced, "line 1: the device level"},
		{"a key twice", strings.Replace(file, `"dialect"`, `"dialect":"verbs","dialect"`, 1), traced, "line 1: the line is not written"},
		{"steps counted wrong", strings.Replace(file, `"steps":`, `"steps":1`, 1), traced, "the end record counts"},
		{"more behind the end", file + file, traced, "a line behind the end record"},
		{"another trace", file, other, "line"},
		{"the trace without an event", file, &consumer, "line 5: "},
		{"partial order", file, &partial, "line 1: the events of the trace are ordered only partially"},
		{"an order of a total one", strings.Replace(file, `"ndkpi"`, `"ndkpi","order":[1]`, 1), traced, "line 1: an order is claimed"},
		{"another order", strings.Replace(tied, `"order":[3,4,`, `"order":[4,3,`, 1), oneTime, "line 1: the event with seq 4 comes"},
		{"a claimed order that the events don't have", strings.Replace(tied, `,11,1,`, `,1,11,`, 1), oneTime, "line 14: neither a step nor"},
		{"dropped events", file, &dropped, "missing"},
		{"no end", file, &restless, "at rest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := witness.Verify(strings.NewReader(test.file), test.traced)
			var refused *witness.Refused
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
	replay, err := witness.Verify(strings.NewReader(file), traced)
	if err != nil || replay.Events != len(traced.Events) || replay.Hidden == 0 || replay.Dialect != "ndkpi" {
		t.Errorf("%+v, %v", replay, err)
	}
}

// Verify accepts any trace as input: for each trace of the corpus, and for each without one of its calls (a QP that is not created, or not connected:
// POST-08; a request that was not posted: RES-02), a witness that is the header alone is refused with a line.
func TestVerifyStandsEveryTrace(t *testing.T) {
	const most = 200           // events: longer traces do nothing that short ones don't
	refusals := map[bool]int{} // by whether an object is missing
	verify := func(traced *trace.Trace) {
		header := fmt.Sprintf(`{"rec":"hdr","format":"ndk-witness","v":"1.0","dialect":%q}`, traced.Header.Dialect)
		_, err := witness.Verify(strings.NewReader(header+"\n"), traced)
		var refused *witness.Refused
		if !errors.As(err, &refused) || refused.Line < 1 {
			t.Errorf("%T: %v", err, err)
			return
		}
		_, reason, _ := strings.Cut(err.Error(), ": op ")
		refusals[strings.Contains(reason, "does not hold the creation")]++
	}
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) {
			continue
		}
		traced := row.Read(t)
		if len(traced.Events) > most {
			continue
		}
		verify(traced)
		ops := map[string]bool{}
		for _, e := range traced.Events {
			if e.Op == "" || ops[e.Op] {
				continue
			}
			ops[e.Op] = true
			without := *traced
			without.Events = slices.DeleteFunc(slices.Clone(traced.Events), func(o trace.Event) bool { return o.Op == e.Op })
			verify(&without)
		}
	}
	t.Logf("%d refused for an object that the trace does not create, %d for what else is missing", refusals[true], refusals[false])
	if refusals[true] < 100 || refusals[false] < 1000 {
		t.Error("too few to tell")
	}
}

// What must have come at a moment of rest is owed: with a quiesce mark before what makes it come, a witness is refused whose
// every step is one of the model. What has ended a request does not matter, nor whether the call has returned that did (FLUSH-02).
func TestWitnessOwesAtRest(t *testing.T) {
	const completesReceive = `"Complete","qp":"qp1","queue":"receive"`
	badToken := restless(judging.Row{Row: traces.Row{File: "accept/bad-token-aborts.ndktrace.jsonl"}}.Read(t))
	for i := range badToken.Events {
		e := &badToken.Events[i]
		if e.Fn == "NdkWrite" {
			e.Fn = "NdkSend"
		}
		for j := range e.Results {
			if e.Results[j].Wr == "s1" {
				e.Results[j].Status = "STATUS_SUCCESS" // so it met the receive, and no loss of the connection ended that before
			}
		}
	}
	for _, test := range []struct {
		name               string
		traced             *trace.Trace
		before, late, says string
	}{
		{"a callback", judging.Row{Row: traces.Row{File: "accept/plain.ndktrace.jsonl"}}.Read(t), `"ph":"enter"`, "", "a callback of cq1 is owed"},
		{"a completion", judging.Row{Row: traces.Row{File: "accept/plain.ndktrace.jsonl"}}.Read(t), `"ph":"enter"`, `"Execute"|"Complete"`,
			"the completion of w1 is owed"},
		{"what a flush cancelled", notation.Script(t, "recv 1; flush; get 1c"), `"fn":"NdkGetCqResults"`, `"Complete"`, "the completion of 1 is owed"},
		{"a receive that was cancelled as its connection was lost", disconnecting(notation.Script(t, "recv 1; post 2; flush; get 2c; get 1c")),
			`"op":"31","fn":`, completesReceive, "the completion of 1 is owed"},
		{"a receive that a pending disconnect has cancelled", disconnecting(notation.Script(t, "recv 1; post 2; flush; get; get 2c; get 1c")),
			`"op":"32","fn":`, completesReceive, "the completion of 1 is owed"},
		{"a receive that a bad token has cancelled", restless(judging.Row{Row: traces.Row{File: "accept/bad-token-aborts.ndktrace.jsonl"}}.Read(t)),
			`"fn":"NdkGetCqResults"`, completesReceive, "the completion of r1 is owed"},
		{"a send behind a bad token", badToken, `"op":"12","fn":`, `"qp":"qp1","queue":"initiator","wr":"w1","outcome"|"Complete","qp":"qp1","queue":"initiator"`,
			"the completion of w1 is owed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := test.traced
			var file, late []string
			for line := range strings.Lines(string(judging.WitnessOf(t, traced, linearize.Options{}))) {
				isLate := slices.ContainsFunc(strings.Split(test.late, "|"), func(s string) bool { return s != "" && strings.Contains(line, s) })
				if isLate {
					late = append(late, line)
					continue
				}
				if strings.Contains(line, test.before) && late != nil || strings.Contains(line, test.before) && test.late == "" {
					file = append(append(file, "MARK"), late...)
					test.before, late = "no more", nil
				}
				file = append(file, line)
			}
			if _, err := witness.Verify(strings.NewReader(strings.Replace(strings.Join(file, ""), "MARK", "", 1)), traced); err != nil {
				t.Fatalf("without the mark: %v", err)
			}
			events := 0
			for _, line := range file[:slices.Index(file, "MARK")] {
				if strings.HasPrefix(line, `{"seq"`) {
					events++
				}
			}
			mark := trace.Event{Ph: trace.Point, Fn: "quiesce", Thr: "t"}
			traced.Events = slices.Insert(traced.Events, events, mark)
			file[slices.Index(file, "MARK")] = string(trace.AppendEvent(nil, &mark)) + "\n"
			_, err := witness.Verify(strings.NewReader(strings.Join(judging.Recounted(file), "")), traced)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

// disconnecting returns a trace with NdkDisconnect in place of NdkFlush, which is pending to the end.
func disconnecting(traced *trace.Trace) *trace.Trace {
	for i := range traced.Events {
		if e := &traced.Events[i]; e.Fn == "NdkFlush" {
			if e.Fn = "NdkDisconnect"; e.Ph == trace.Ret {
				e.Status = "STATUS_PENDING"
			}
		}
	}
	return traced
}

// restless returns a trace without its moments of rest, but the end.
func restless(traced *trace.Trace) *trace.Trace {
	traced.Events = slices.DeleteFunc(traced.Events, func(e trace.Event) bool { return e.Fn == "quiesce" })
	return traced
}
