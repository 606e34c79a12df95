package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ndkoracle/internal/picture"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/trace"
)

// Bounds of the search for hidden steps that a page shows. It is a search of its own, so that the page changes no verdict.
const (
	eventsExplained  = 5_000
	timeOfExplaining = 10 * time.Second
)

// explained returns the hidden steps of one explanation: of the whole trace, or where it breaks a rule of what comes before that. There are none where the search
// finds none in time, or breaks down: the page is drawn without them.
func explained(ctx context.Context, r *result, t *trace.Trace, s *settings) (steps []picture.Step) {
	if t.More > 0 || len(t.Events) > eventsExplained || t.Header.Order == "partial" || r.report.With != "" {
		return nil
	}
	end := len(t.Events)
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if f.Verdict == verdict.Inconclusive || f.Line == 0 {
			continue
		}
		for end > 0 && t.Events[end-1].Line >= f.Line {
			end--
		}
	}
	before, places := upTo(t, end)
	o := s.optionsFor(t)
	o.Engine, o.Witness, o.Timeout, o.MaxDelay, o.MaxMemory = linearize.Porcupine, true, min(o.Timeout, timeOfExplaining), 0, memoryOfTrial
	defer func() {
		if recover() != nil {
			steps = nil
		}
	}()
	all := linearize.Check(ctx, before, o).Witness
	beforePoints(all, before.Events)
	for _, placed := range all {
		if placed.Op != "" && placed.Owes == "" {
			continue
		}
		step := stepOf(&placed.Step)
		step.Behind = -1
		if placed.Behind >= 0 {
			step.Behind = places[placed.Behind]
		}
		steps = append(steps, step)
	}
	return steps
}

// beforePoints moves the steps that place a completion before the point that records it. The witness has them after the point.
func beforePoints(steps []witness.Placed, events []trace.Event) {
	for from := 0; from < len(steps); {
		to := from + 1
		for to < len(steps) && steps[to].Behind == steps[from].Behind {
			to++
		}
		if at := steps[from].Behind; at >= 0 && events[at].Fn == "CqePlaced" {
			placed := -1
			for n := from; n < to; n++ {
				if steps[n].Action == "Complete" && steps[n].Wr == events[at].Wr {
					placed = n
				}
			}
			for n := from; n <= placed; n++ {
				steps[n].Behind--
			}
		}
		from = to
	}
}

// upTo returns the first events of a trace as one by themselves: without the calls that have not returned by then, and with the ends of the callbacks that
// are running. places has the index in the trace of each event.
func upTo(t *trace.Trace, end int) (before *trace.Trace, places []int) {
	ended := map[string]bool{}
	for i := range t.Events[:end] {
		if e := &t.Events[i]; e.Ph == trace.Ret || e.Ph == trace.Exit {
			ended[e.Op] = true
		}
	}
	before = &trace.Trace{Name: t.Name, Header: t.Header, End: t.End}
	if end < len(t.Events) {
		before.End = &trace.End{}
	}
	running := []trace.Event(nil)
	for i := range t.Events[:end] {
		e := t.Events[i]
		if e.Ph == trace.Call && !ended[e.Op] && end < len(t.Events) {
			continue
		}
		if e.Ph == trace.Enter && !ended[e.Op] && end < len(t.Events) {
			running = append(running, trace.Event{Line: e.Line, T: e.T, Ph: trace.Exit, Op: e.Op, Fn: e.Fn, Thr: e.Thr})
		}
		before.Events, places = append(before.Events, e), append(places, i)
	}
	for n := len(running) - 1; n >= 0; n-- {
		running[n].Seq = before.Events[len(before.Events)-1].Seq + 1
		before.Events, places = append(before.Events, running[n]), append(places, end-1)
	}
	return before, places
}

// stepOf words a step: a hidden one, or the effect of a call.
func stepOf(s *witness.Step) picture.Step {
	object := cmp.Or(s.Cq, s.Qp)
	text := strings.Join(strings.Fields(fmt.Sprint(s.Action, " ", cmp.Or(s.Wr, object), " ", s.Outcome)), " ")
	if s.Op != "" {
		text = "the call takes effect:"
	}
	return picture.Step{Text: text, Object: object, Owes: s.Owes}
}
