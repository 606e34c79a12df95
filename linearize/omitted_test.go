package linearize_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// The other optional fields of docs/trace-format.md, as omissions has them. Histories have no values for these.
var otherOmissions = []histories.Omission{
	{"adapter", func(e *trace.Event) { e.Adapter = "" }},
	{"pd", func(e *trace.Event) { e.Pd = "" }},
	{"connector", func(e *trace.Event) { e.Connector = "" }},
	{"listener", func(e *trace.Event) { e.Listener = "" }},
	{"endpoint", func(e *trace.Event) { e.Endpoint = "" }},
	{"conn of all", func(e *trace.Event) { e.Conn = "" }},
	{"inline", func(e *trace.Event) { e.Inline = nil }},
	{"length", func(e *trace.Event) { e.Length = nil }},
	{"limits that were granted", func(e *trace.Event) {
		if e.Ph == trace.Ret {
			e.ReceiveDepth, e.InitiatorDepth, e.Inline, e.Depth = nil, nil, nil, nil
		}
	}},
	{"bytes of requests", ofRequests(func(r *trace.WorkRequest) { r.Bytes = nil }, func(e *trace.Event) { e.Bytes = nil })},
	{"tokens of requests", ofRequests(func(r *trace.WorkRequest) { r.Token = nil }, func(e *trace.Event) { e.Token = nil })},
	{"mr of requests", ofRequests(func(r *trace.WorkRequest) { r.Mr = "" }, func(e *trace.Event) { e.Mr = "" })},
	{"bytes of results", histories.OfResults(func(r *trace.Result) { r.Bytes = nil })},
	{"opcode of results", histories.OfResults(func(r *trace.Result) { r.Opcode = "" })},
	{"bad_wr", func(e *trace.Event) { e.BadWr = "" }},
}

func ofRequests(leave func(*trace.WorkRequest), leaveOne func(*trace.Event)) func(*trace.Event) {
	return func(e *trace.Event) {
		leaveOne(e)
		e.Wrs = slices.Clone(e.Wrs)
		for i := range e.Wrs {
			leave(&e.Wrs[i])
		}
	}
}

// Whoever is innocent with an optional field is innocent without it, and so is who is not the guilty one: what is left out is unknown (all rules).
func TestLeftOutFieldsAccuseNobody(t *testing.T) {
	tried := map[string]int{}
	for _, row := range judging.Corpus(t) {
		if row.Verdict == string(verdict.Malformed) || strings.HasPrefix(row.File, "recorded/") || strings.HasPrefix(row.File, "joined/") {
			continue
		}
		whole := row.Read(t)
		text := histories.AsWritten(whole)
		for _, o := range slices.Concat(histories.Omissions, otherOmissions) {
			less := *whole
			less.Events = slices.Clone(whole.Events)
			for i := range less.Events {
				o.Leave(&less.Events[i])
			}
			if written := histories.AsWritten(&less); written == text || !strings.HasPrefix(written, "{") {
				continue // it has no such field, or needs it
			}
			tried[o.What]++
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				options := row.Options()
				options.Engine = engine
				r := linearize.Check(context.Background(), &less, options)
				if r.Violated() && string(r.Verdict) != row.Verdict && string(r.Verdict) != row.Answer(string(engine)).Verdict {
					t.Errorf("%s without %s, by %s: %s, want %s or inconclusive", row.Name(), o.What, engine, judging.Saying(r), row.Verdict)
				}
			}
		}
	}
	t.Log(tried)
	for _, o := range slices.Concat(histories.Omissions, otherOmissions) {
		if tried[o.What] == 0 {
			t.Errorf("no trace of the corpus can do without %s", o.What)
		}
	}
}
