package tlcjudge

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Behind a run on other objects TLC is asked the same of a breach, and the boundary events show the same: its rule does not depend on the length
// of the trace (all rules).
func TestSameQuestionsBehindARun(t *testing.T) {
	rows, cases := corpus(t, false)
	asked := 0
	for i, row := range rows {
		if !strings.HasPrefix(row.File, "reject/") || cases[i].Trace.Header.Order == "partial" {
			continue
		}
		asked++
		short, long := cases[i], cases[i]
		long.Trace = behindDomains(short.Trace, 400)
		from := len(long.Trace.Events) - len(short.Trace.Events)
		if got, want := questionsText(long, from), questionsText(short, 0); got != want {
			t.Errorf("%s: the questions differ behind a run:\n%s\nwant\n%s", row.Name(), got, want)
		}
	}
	if asked < 100 {
		t.Errorf("only %d traces break a rule", asked)
	}
}

// questionsText returns what TLC is asked of a trace, and which breaches its boundary events show, as if its first events were not there.
func questionsText(c Case, from int) string {
	found := boundaryOf(c)
	var questions []*question
	for _, q := range questionsOf(c, found, 1) {
		if len(q.cqs)+len(q.qps) > 0 {
			q.number = len(questions) + 1
			questions = append(questions, q)
		}
	}
	module, _ := write(questions)
	text := places.ReplaceAllStringFunc(string(module), func(field string) string {
		name, number, _ := strings.Cut(field, " |-> ")
		if place, _ := strconv.Atoi(number); place > 0 {
			return fmt.Sprint(name, " |-> ", place-from)
		}
		return field
	})
	for _, f := range found {
		if f.Verdict != verdict.Inconclusive {
			text += fmt.Sprintf("%s of %s at event %d\n", f.Verdict, f.Rule, f.Index-from)
		}
	}
	return text
}

// places are the fields of a call that count the events of the whole trace.
var places = regexp.MustCompile(`\b(place|within) \|-> \d+`)

// behindDomains returns a trace behind events of its first thread that create protection domains and close them. Nothing of the trace can depend on
// one, as it could on the untold token of a registration.
func behindDomains(t *trace.Trace, events int) *trace.Trace {
	create, closes := "NdkCreatePd", "NdkClosePd"
	if t.Header.Dialect == "verbs" {
		create, closes = "ibv_alloc_pd", "ibv_dealloc_pd"
	}
	var run []trace.Event
	for len(run) < events {
		pd := fmt.Sprint("run-pd-", len(run))
		for _, fn := range []string{create, closes} {
			e := trace.Event{Thr: t.Events[0].Thr, Op: fmt.Sprint("run-", len(run)), Fn: fn, Ph: trace.Call, Pd: pd}
			answer := trace.Event{Thr: e.Thr, Op: e.Op, Fn: fn, Ph: trace.Ret}
			if t.Header.Dialect != "verbs" {
				answer.Status = "STATUS_SUCCESS"
			}
			run = append(run, e, answer)
		}
	}
	long := *t
	long.Events = slices.Concat(run, t.Events)
	for i := range long.Events {
		e := &long.Events[i]
		e.Line, e.Seq, e.T = i+2, uint64(i+1), 0
	}
	return &long
}
