package judging

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// attributed is where a message says how a request ended: "w1 succeeded", "w1, posted before it, failed", "w1 was cancelled". What a request may have done is
// not said so.
var attributed = regexp.MustCompile(`\b([\w.]+)(?:, (?:posted|pending|a silent|deferred)[^,;:]*,)? (?:has |had |was |completed with |completed into \w+ with )?(succeeded|success|failed or was cancelled|failed|cancelled)\b`)

var outcomes = map[string][]model.Outcome{"succeeded": {model.SUCCESS}, "success": {model.SUCCESS}, "failed": {model.FAILED}, "cancelled": {model.CANCELLED},
	"failed or was cancelled": {model.FAILED, model.CANCELLED}}

// An Ending is how the requests of a trace ended, as its polls and points record it.
type Ending map[string][]model.Outcome

// EndingOf returns how the requests of a trace ended. One that has no completion in the trace is not among them.
func EndingOf(traced *trace.Trace) Ending {
	ended := Ending{}
	for i := range traced.Events {
		e := &traced.Events[i]
		for _, r := range e.Results {
			ended[r.Wr] = append(ended[r.Wr], calls.OutcomeOf(r.Status))
		}
		if e.Ph == trace.Point && e.Wr != "" && e.Status != "" {
			ended[e.Wr] = append(ended[e.Wr], calls.OutcomeOf(e.Status))
		}
	}
	return ended
}

// Misattributed returns what a message says of how a request ended, where the trace says otherwise, and of how many requests it says how they ended.
func (e Ending) Misattributed(message string) (wrong []string, said int) {
	for _, found := range attributed.FindAllStringSubmatch(message, -1) {
		ended := e[found[1]]
		if len(ended) == 0 {
			continue
		}
		if said++; !slices.ContainsFunc(ended, func(o model.Outcome) bool { return slices.Contains(outcomes[found[2]], o) }) {
			wrong = append(wrong, fmt.Sprintf("it says %q, and the trace %v", strings.TrimSpace(found[0]), ended))
		}
	}
	return wrong, said
}
