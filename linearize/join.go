package linearize

import (
	"context"
	"time"

	"ndkoracle/linearize/search"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Host is one of two whose traces are judged together: what goes in, and what comes out.
type Host struct {
	In      *trace.Reader
	Name    string  // of the trace
	Options Options // whose time limit is that of both, where it is the first host's; the engine is Streaming

	Report *verdict.Report
	Trace  *trace.Trace // without its events but for some that findings speak of
	Err    error        // of the reader
	Lone   []string     // connections that have no end in the other trace
}

// CheckJoined decides the traces of two hosts, each with a clock of its own, as those of one system: connections of one name
// have an end on each. It reads both at once. docs/two-hosts.md says what one host's trace tells of the other's.
func CheckJoined(ctx context.Context, hosts [2]*Host) {
	start := time.Now()
	if limit := hosts[0].Options.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, search.ErrTime)
		defer cancel()
	}
	var judged [2]*stream.Host
	var dialects [2]model.Dialect
	wrong := ""
	for i, h := range hosts {
		h.Trace = &trace.Trace{Name: h.Name, Header: h.In.Header()}
		h.Report = &verdict.Report{File: h.Name, With: hosts[1-i].Name, Rules: map[string]verdict.RuleCoverage{}}
		d, err := h.Options.ResolveDialect(h.Trace.Header.Dialect)
		if err != nil {
			wrong = h.Name + ": " + err.Error()
		}
		h.Report.Dialect, dialects[i] = d.Name, d
		judged[i] = &stream.Host{In: h.In, Stream: stream.New(h.Trace.Header, d, h.Options.MaxMemory), Trace: h.Trace, Report: h.Report}
	}
	if wrong == "" {
		stream.Join(ctx, judged)
	}
	for i, h := range hosts {
		h.Lone = judged[i].Lone
		if h.Err = judged[i].Err; wrong != "" {
			h.Report.Undecided("", wrong)
		}
		if other := judged[1-i]; other.Err != nil {
			h.Report.Undecided("", "the trace of the other host, "+hosts[1-i].Name+", can't be read")
		}
		h.Report.Conclude(dialects[i])
		h.Report.Elapsed = time.Since(start)
	}
}
