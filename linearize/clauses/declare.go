package clauses

import "ndkoracle/linearize/declared"

// The rules that clauses decide. DISC-10, FLUSH-06 and RES-11 are declared in package monitor, which also decides them. FLAG-04 is judged as POLL-05.
// FLUSH-05 is checked under another reading only.
var _ = declared.Add(
	declared.Rule{ID: Rules[foundEmpty].ID, On: []declared.Occasion{declared.PollTakes}, Rests: declared.Arrival},
	declared.Rule{ID: Rules[tookMessage].ID, On: []declared.Occasion{declared.Told}, Rests: declared.Arrival},
	declared.Rule{ID: Rules[inOrder].ID, On: []declared.Occasion{declared.Completes}},
	declared.Rule{ID: Rules[causedBy].ID, On: []declared.Occasion{declared.Cancelled}},
	declared.Rule{ID: Rules[refusedPost].ID, On: []declared.Occasion{declared.ToldOfRequest}},
	declared.Rule{ID: Rules[owedAtRest].ID, On: []declared.Occasion{declared.Completes}, Eventual: true, Rests: declared.Arrival},
	declared.Rule{ID: Rules[connected].ID, On: []declared.Occasion{declared.RefusedAsIdle}},
	declared.Rule{ID: Rules[silentAtRest].ID, On: []declared.Occasion{declared.Silent}, Eventual: true, Rests: declared.Arrival},
	declared.Rule{ID: Rules[flushSpares].ID, On: []declared.Occasion{declared.Flushed}, Rests: declared.Arrival},
	declared.Rule{ID: Rules[flushCancels].ID, On: []declared.Occasion{declared.Flushed}, Eventual: true, Rests: declared.Arrival},
)
