package main

import (
	"context"
	"fmt"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// checkJoin says why two traces can't be judged together as the command line has it.
func (s *settings) checkJoin(inputs []input) error {
	switch {
	case !s.join:
	case len(inputs) != 2:
		return commandline.UsageError("--join takes two traces, those of the two hosts of a connection, and here are %d", len(inputs))
	case inputs[0].name == inputs[1].name:
		return commandline.UsageError("--join takes the traces of two hosts, and both are %s", inputs[0].shown())
	case s.engine != "auto" && s.engine != "stream":
		return commandline.UsageError("--join is of the engine stream, not of %s", s.engine)
	case s.witness.path != "" || s.minimize.path != "":
		return commandline.UsageError("--join goes with neither --witness nor --minimize")
	}
	return nil
}

// judgeJoined judges two inputs as the traces of the two hosts of a connection. next returns the results in the order of the inputs, one a
// call, and nil for what was not judged when ctx ended.
func (p *program) judgeJoined(ctx context.Context, inputs []input, s *settings) (next func() *result) {
	var results []*result
	return func() *result {
		if results == nil {
			results = p.checkJoinedWithin(ctx, inputs, s)
		}
		r := results[0]
		results = results[1:]
		return r
	}
}

// checkJoinedWithin is checkJoined that does not outlive an interrupt, or its time.
func (p *program) checkJoinedWithin(ctx context.Context, inputs []input, s *settings) []*result {
	ctx, stop := p.guard.Watch(ctx)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	var so [2]reading
	results, inTime := within(ctx, p.grace, func() []*result { return p.checkJoined(ctx, inputs, s, &so) })
	if !inTime {
		for i, in := range inputs {
			results = append(results, overdue(ctx, in.shown(), s, &so[i]))
		}
	}
	return results
}

func (p *program) checkJoined(ctx context.Context, inputs []input, s *settings, so *[2]reading) (results []*result) {
	defer func() {
		if problem := recover(); problem != nil {
			results = []*result{broken(inputs[0], problem), broken(inputs[1], problem)}
		}
	}()
	var hosts [2]*linearize.Host
	var errs [2]error
	for i, in := range inputs {
		hosts[i] = &linearize.Host{Name: in.shown(), Trace: &trace.Trace{Name: in.shown()}}
		if errs[i] = in.err; in.err != nil {
			continue
		}
		source, stop := p.reader(ctx, in)
		defer stop()
		if hosts[i].In, errs[i] = trace.NewReader(in.shown(), source); errs[i] == nil {
			defer hosts[i].In.Close()
			so[i].of(hosts[i].In.Events)
			hosts[i].Options = s.optionsFor(&trace.Trace{Header: hosts[i].In.Header()})
		}
	}
	if errs[0] == nil && errs[1] == nil {
		linearize.CheckJoined(ctx, hosts)
		errs = [2]error{hosts[0].Err, hosts[1].Err}
	}
	for i, h := range hosts {
		switch {
		case errs[i] == nil && errs[1-i] == nil:
			r := judged(h.Trace, h.Report)
			r.lone = h.Lone
			results = append(results, r)
		case ctx.Err() != nil:
			results = append(results, unfinished(h.Name, h.Trace, s, context.Cause(ctx)))
		case errs[i] != nil:
			results = append(results, malformed(h.Name, errs[i]))
		default:
			results = append(results, &result{trace: h.Trace, partial: true, code: exitInconclusive, report: undecided(h.Name,
				fmt.Sprintf("the trace of the other host, %s, can't be read, and so neither is judged", hosts[1-i].Name))})
		}
	}
	for i, r := range results {
		r.path, r.hosts = inputs[i].name, results
	}
	return results
}

// undecided is the report of a trace that was not judged.
func undecided(name, reason string) *verdict.Report {
	return &verdict.Report{File: name, Verdict: verdict.Inconclusive, Findings: []verdict.Finding{{Verdict: verdict.Inconclusive, Message: reason}}}
}

// warnOfLone reports connections that have one end only in the two traces.
func (p *program) warnOfLone(r *result) {
	for _, conn := range r.lone {
		fmt.Fprintf(p.stderr, "%s: warning: connection %s has its other end in neither trace, or not from its creation on, or with a shared "+
			"receive queue: its end here is judged as if alone\n", printable(r.report.File), printable(conn))
	}
}
