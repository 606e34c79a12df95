package tlcjudge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/doubts"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// MaxEvents is the longest trace that is put to TLC, unless a check asks for another limit.
const MaxEvents = 3000

// A Case is a trace, and how to read it.
type Case struct {
	Trace   *trace.Trace
	Options linearize.Options
}

// A Judge has TLC decide traces. Its runner's Build is where the modules are written; each run has a folder of its own there.
type Judge struct{ Runner tlc.Runner }

// Check decides one trace. Options.MaxOperations is the longest trace to take, in events, and MaxMemory means nothing.
func (j Judge) Check(ctx context.Context, t *trace.Trace, o linearize.Options) (*verdict.Report, error) {
	reports, err := j.CheckAll(ctx, []Case{{t, o}})
	if err != nil {
		return nil, err
	}
	return reports[0], nil
}

// CheckAll decides several traces in one run of TLC, which has the longest of their time limits. An error says that TLC could
// not run, or broke down; a limit that was reached is an inconclusive report.
func (j Judge) CheckAll(ctx context.Context, cases []Case) ([]*verdict.Report, error) {
	reports := make([]*verdict.Report, len(cases))
	var questions []*question
	of := map[*question]int{}
	cases = slices.Clone(cases)
	for i, c := range cases {
		reports[i] = &verdict.Report{File: c.Trace.Name, Events: len(c.Trace.Events) + int(c.Trace.More)}
		reports[i].Dialect = cmp.Or(c.Options.Dialect, c.Trace.Header.Dialect)
		j.Runner.Timeout = max(j.Runner.Timeout, c.Options.Timeout)
		if reason := unfit(c); reason != "" {
			undecided(reports[i], reason)
			continue
		}
		if !j.Runner.Jar.Pinned {
			text := "TLC is not the jar that is pinned, but " + j.Runner.Jar.Source
			reports[i].Warnings = append(reports[i].Warnings, trace.Warning{Text: text})
		}
		cases[i] = c.inOrder()
		calls.MarkNoEffect(cases[i].Trace.Events)
		cases[i].Trace = resets.Of(cases[i].Trace)
		found := boundaryOf(cases[i])
		parts := questionsOf(cases[i], found, len(questions)+1)
		found.report(reports[i], parts)
		reports[i].Components = len(parts)
		for _, q := range parts {
			of[q] = i
			reports[i].Operations += len(q.events)
		}
		questions = append(questions, parts...)
	}
	said := map[int]*answer{}
	if len(questions) > 0 {
		var err error
		if said, err = j.ask(ctx, questions); err != nil {
			return nil, err
		}
	}
	for _, q := range questions {
		q.judge(reports[of[q]], cases[of[q]].Trace, said[q.number])
	}
	for i, r := range reports {
		if end := cases[i].Trace.End; unfit(cases[i]) == "" && (end == nil || !end.Quiescent) {
			undecided(r, "the trace does not end with the provider at rest: "+
				"what must happen eventually is undecided after the last moment of rest")
		}
	}
	if err := j.foundBefore(ctx, cases, reports); err != nil {
		return nil, err
	}
	for i, r := range reports {
		doubts.Judge(cases[i].Trace, r)
		conclude(r)
	}
	return reports, nil
}

// inOrder puts the events of a trace whose order is partial, and told all the same, into that order.
func (c Case) inOrder() Case {
	if c.Trace.Header.Order == "partial" {
		events, _, _ := c.Trace.ByTime() // unfit says when there is no such order
		total := *c.Trace
		total.Header.Order, total.Events = "total", events
		c.Trace = &total
	}
	return c
}

// questionsOf returns the questions of a trace, one for each of its components, with numbers from the first on.
func questionsOf(c Case, found boundary, first int) []*question {
	d, _ := c.Options.ResolveDialect(c.Trace.Header.Dialect) // tracecheck has reported an error of it
	h := read(c.Trace, c.Options.DeviceLevel, d.EventsAreRead)
	var questions []*question
	names := callbackRules{
		missing: func(cq string, line int) monitor.Named { return monitor.NameMissing(c.Trace, d, cq, line) },
		unowed:  func(cq string, line int) monitor.Named { return monitor.NameUnowed(c.Trace, d, cq, line) },
	}
	for i, part := range h.components {
		questions = append(questions, &question{names: names, component: part, number: first + i, reading: readingOf(c.Options.Assume),
			dialect:  recordOf(d.Name, d.FailsAsFlushed),
			seenLate: c.Trace.Header.Side == "consumer",
			end:      c.Trace.End != nil && c.Trace.End.Quiescent,
			unplaced: h.unplaced,
			stranger: h.firstStranger(),
			stop:     found.stop(part),
			excused:  found.excused(part),
			created:  !slices.ContainsFunc(h.qpList, func(p *qp) bool { return p.created == nil })})
	}
	return questions
}

// unfit says why a trace can't be put to TLC at all.
func unfit(c Case) string {
	t := c.Trace
	limit := cmp.Or(c.Options.MaxOperations, MaxEvents)
	switch events := len(t.Events) + int(t.More); {
	case events > limit:
		return fmt.Sprintf("the trace has %d events, and the engine tlc takes %d at most (--max-operations)", events, limit)
	case t.End != nil && t.End.Dropped > 0:
		return verdict.Dropped(t.End.Dropped)
	case t.Header.Order == "partial":
		switch _, ties, err := t.ByTime(); {
		case err != nil:
			return err.Error()
		case len(ties) > 0:
			return fmt.Sprintf("lines %d and %d have one time (field t), and the engine tlc tries one order", ties[0].First, ties[0].Last)
		}
	}
	return ""
}

// records are the dialects of module Dialects, by the names that traces have for them.
var records = map[string]string{"ndkpi": "Ndkpi", "ndspi": "Ndspi", "verbs": "Verbs", "kverbs": "Kverbs"}

// recordOf returns the name of a dialect in module Dialects. What a device reports has one of its own.
func recordOf(name string, deviceLevel bool) string {
	if deviceLevel {
		return records[name] + "Device"
	}
	return records[name]
}

// readingOf returns the expression of module Readings for other readings than the default.
func readingOf(assume map[string]string) string {
	var others []string
	for _, id := range slices.Sorted(maps.Keys(assume)) {
		if reading, _ := rules.GetReading(id); !reading.IsOfCalls() {
			others = append(others, fmt.Sprintf("!.%s = %q", id, assume[id]))
		}
	}
	if len(others) == 0 {
		return "Default"
	}
	return "[Default EXCEPT " + strings.Join(others, ", ") + "]"
}

// An answer is what TLC said of a question.
type answer struct {
	last     int // how many events were to be explained
	reached  int // how many were explained
	refused  []refusal
	breaches []ruleBroken
	limit    string // that TLC reached before it had finished, or ""
}

type refusal struct {
	rank int
	rule string
}

type ruleBroken struct {
	at       int
	rule, by string
}

// ask runs TLC on the questions.
func (j Judge) ask(ctx context.Context, questions []*question) (map[int]*answer, error) {
	if err := os.MkdirAll(j.Runner.Build, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(j.Runner.Build, "traces")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := writeModules(ctx, folder, questions); err != nil {
		return nil, err
	}
	if j.Runner.Jar, err = j.Runner.Jar.Copy(folder); err != nil {
		return nil, err
	}
	lines, limit, err := j.Runner.Print(ctx, folder, Root)
	if err != nil {
		return nil, err
	}
	answers := map[int]*answer{}
	for _, q := range questions {
		answers[q.number] = &answer{last: -1, limit: limit}
	}
	for _, line := range lines {
		if err := hear(answers, line); err != nil {
			return nil, fmt.Errorf("TLC said %q: %w", line, err)
		}
	}
	for _, q := range questions {
		if limit == "" && answers[q.number].last < 0 {
			return nil, errors.New("TLC finished, and did not speak of every part of the traces")
		}
	}
	return answers, nil
}

// hear handles one line that TLC printed: a tuple of a word, the number of a question, and what there is to say.
func hear(answers map[int]*answer, line string) error {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "<<"), ">>")
	var word string
	var number, at int
	fields := strings.SplitN(line, ", ", 3)
	if len(fields) < 3 {
		return errors.New("it has fewer than three fields")
	}
	word = strings.Trim(fields[0], `"`)
	if _, err := fmt.Sscan(fields[1], &number); err != nil {
		return err
	}
	a := answers[number]
	if a == nil {
		return errors.New("there is no such question")
	}
	rest := strings.Split(fields[2], ", ")
	if _, err := fmt.Sscan(rest[0], &at); err != nil {
		return err
	}
	for i := range rest {
		rest[i] = strings.Trim(rest[i], `"`)
	}
	switch {
	case word == "explain" && len(rest) == 1:
		a.last = at
	case word == "reached" && len(rest) == 1:
		a.reached, a.refused = at, nil
	case word == "refused" && len(rest) == 3:
		r := refusal{rule: rest[2]}
		if _, err := fmt.Sscan(rest[1], &r.rank); err != nil {
			return err
		}
		a.refused = append(a.refused, r)
	case word == "breach" && len(rest) == 3:
		a.breaches = append(a.breaches, ruleBroken{at, rest[1], rest[2]})
	default:
		return errors.New("nobody knows what that means")
	}
	return nil
}

// judge adds the findings about one component to the report.
func (q *question) judge(r *verdict.Report, t *trace.Trace, a *answer) {
	excused := q.excused
	for _, b := range a.breaches {
		if b.by == "consumer" {
			excused = min(excused, b.at)
		}
	}
	for _, b := range a.breaches {
		f := verdict.Finding{Rule: b.rule}
		f.Line, f.Seq = q.place(t, b.at)
		if b.at > q.stop || isReported(r, f) {
			continue
		}
		switch b.by {
		case "consumer":
			f.Verdict, f.Message = verdict.ConsumerViolation, "the consumer breaks this rule: no search is needed to see it"
		case "provider":
			f.Verdict, f.Message = verdict.ProviderViolation, "the provider breaks this rule: no search is needed to see it"
			if excused < b.at {
				continue
			}
		default:
			f.Verdict = verdict.Inconclusive
			f.Message = q.events[b.at-1].call.name() + " never returned: what became of it, and of what waits for it, can't be judged"
		}
		r.Findings = append(r.Findings, f)
	}
	switch {
	case q.reason != "":
		undecided(r, q.reason)
	case len(q.cqs) == 0 || a.reached >= a.last && a.limit == "":
	case a.reached >= a.last && a.last >= 0:
	case a.limit != "":
		undecided(r, fmt.Sprintf("%s, and TLC had explained %d of the %d events of %s",
			a.limit, a.reached, len(q.events), q.cqs[0].name))
	default:
		if f := q.refused(t, a); !isReported(r, f) {
			r.Findings = append(r.Findings, f)
		}
	}
}

// isReported reports whether the same breach is known from the boundary events.
func isReported(r *verdict.Report, f verdict.Finding) bool {
	return slices.ContainsFunc(r.Findings, func(have verdict.Finding) bool {
		return have.Alone && have.Rule == f.Rule && have.Line == f.Line
	})
}

// refused is the finding where no explanation went on.
func (q *question) refused(t *trace.Trace, a *answer) verdict.Finding {
	f := verdict.Finding{Verdict: verdict.ProviderViolation}
	f.Line, f.Seq = q.place(t, a.reached+1)
	slices.SortFunc(a.refused, func(a, b refusal) int { return a.rank - b.rank })
	if len(a.refused) == 0 {
		f.Verdict = verdict.Inconclusive
		f.Message = "nothing explains the events up to here, and the specification does not say by which rule"
		return f
	}
	f.Rule = a.refused[0].rule
	for _, other := range a.refused[1:] {
		if other.rule != f.Rule && !slices.Contains(f.Also, other.rule) { // it may rest on a guess as well
			f.Also = append(f.Also, other.rule)
		}
	}
	f.Message = "no behaviour of the specification explains the events up to this one"
	f.See = q.seen(a.reached + 1)
	q.nameCallback(&f, a)
	if f.Rule == "RSZ-02" {
		q.showLoss(t, &f, a.reached+1)
	}
	if c := q.events[a.reached].call; c.kind == "event" && q.unplaced[c.first.Op] && f.Rule != "ARM-20" {
		f.Verdict, f.Rule, f.Also = verdict.Inconclusive, "", nil
		f.Message += "; and " + verdict.NotOnChannel
	}
	if p := q.untyped(); p != nil && f.Rule == "POLL-05" {
		f.Verdict = verdict.Inconclusive
		f.Message += "; but the trace does not record the qp_type of " + p.name + ", and a QP of type UC sends what nobody receives"
	}
	if p := q.unsignaled(); p != nil {
		f.Verdict = verdict.Inconclusive
		f.Message += "; but the trace does not record the sq_sig_all of " + p.name + ", which may signal all its requests"
	}
	if s := q.stranger; s != nil && s.place <= q.events[a.reached].at {
		f.Verdict = verdict.Inconclusive
		f.Message += "; but " + s.qp.unbound(t.Header.Dialect)
	}
	return f
}

// place returns line and seq of an event of the component. The end of a trace has a place as well.
func (c *component) place(t *trace.Trace, at int) (line int, seq uint64) {
	if i := c.events[at-1].at; i < len(t.Events) {
		return t.Events[i].Line, t.Events[i].Seq
	}
	if len(t.Events) == 0 {
		return 0, 0
	}
	last := t.Events[len(t.Events)-1]
	return last.Line + 1, last.Seq + 1
}

// seen returns the line that names the objects of an event: of the call that returns there, or of the latest post before a moment of rest.
func (c *component) seen(at int) []int {
	e := c.events[at-1]
	if e.ends {
		lines := []int{e.call.first.Line}
		for _, r := range e.call.results {
			if r != nil && r.post != nil && !slices.Contains(lines, r.post.first.Line) {
				lines = append(lines, r.post.first.Line)
			}
		}
		slices.Sort(lines)
		return lines
	}
	for _, earlier := range slices.Backward(c.events[:at-1]) {
		if e.call.kind == "rest" && earlier.call.kind == "post" {
			return []int{earlier.call.first.Line}
		}
	}
	return nil
}

// name says which call or callback it was, and of which object.
func (c *call) name() string {
	name := c.fn
	if c.kind == "callback" {
		name = "the callback"
	}
	if object := cmp.Or(c.first.Wr, c.first.Cq, c.first.Qp); object != "" {
		name += " of " + object
	}
	return name
}

func undecided(r *verdict.Report, reason string) {
	r.Findings = append(r.Findings, verdict.Finding{Verdict: verdict.Inconclusive, Message: reason})
}

// conclude derives the verdict from the findings. TLC does not count how often a rule had something to say: of the rules that
// are kept it only says that all of the trace is allowed.
func conclude(r *verdict.Report) {
	severity := []verdict.Verdict{verdict.ProviderViolation, verdict.ConsumerViolation, verdict.Inconclusive}
	slices.SortStableFunc(r.Findings, func(a, b verdict.Finding) int {
		return cmp.Or(slices.Index(severity, a.Verdict)-slices.Index(severity, b.Verdict), a.Line-b.Line, cmp.Compare(a.Rule, b.Rule))
	})
	r.Verdict = verdict.Conformant
	if len(r.Findings) > 0 {
		r.Verdict = r.Findings[0].Verdict
	}
	r.Rules = map[string]verdict.RuleCoverage{}
	for _, rule := range rules.All() {
		r.Rules[rule.ID] = verdict.RuleCoverage{Coverage: verdict.NotCheckable,
			Why: "the engine tlc does not count what a trace exercises"}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if rule, ok := rules.Get(f.Rule); ok {
			f.Assumes = rule.Readings
			r.Rules[f.Rule] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: r.Rules[f.Rule].Count + 1}
		}
	}
}
