package clauses

import "ndkoracle/linearize/declared"

// The rules that clauses decide. Of those that a monitor decides too, DISC-10, FLUSH-06 and RES-11, that has the declaration. FLAG-04 is judged as
// POLL-05, and FLUSH-05 is a rule to check under another reading only.
var _ = declared.Add(
	declared.Rule{ID: "POLL-03", On: []declared.Occasion{declared.PollTakes}, Rests: declared.Arrival},
	declared.Rule{ID: "POLL-05", On: []declared.Occasion{declared.Told}, Rests: declared.Arrival},
	declared.Rule{ID: "POLL-09", On: []declared.Occasion{declared.Completes}},
	declared.Rule{ID: "RES-10", On: []declared.Occasion{declared.Cancelled}},
	declared.Rule{ID: "DEF-03", On: []declared.Occasion{declared.ToldOfRequest}},
	declared.Rule{ID: "DEF-04", On: []declared.Occasion{declared.Completes}, Eventual: true, Rests: declared.Arrival},
	declared.Rule{ID: "POST-08", On: []declared.Occasion{declared.RefusedAsIdle}},
	declared.Rule{ID: "FLAG-02", On: []declared.Occasion{declared.Silent}, Eventual: true, Rests: declared.Arrival},
	declared.Rule{ID: "FLUSH-01", On: []declared.Occasion{declared.Flushed}, Rests: declared.Arrival},
	declared.Rule{ID: "FLUSH-02", On: []declared.Occasion{declared.Flushed}, Eventual: true, Rests: declared.Arrival},
)
