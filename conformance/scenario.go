package conformance

// Scenario is a family of runs: a sequence of rounds with choices drawn from a seed.
type Scenario struct {
	Name  string   // in kebab-case
	Doc   string   // one line
	Rules []string // ids of the rules that it exercises
	Run   func(*Run) error
}

// Scenarios returns all scenarios, in the order in which they are listed.
func Scenarios() []Scenario {
	return []Scenario{
		{
			Name: "arm-merge", Run: armMerge,
			Doc:   "no arm or up to three, of all types in all orders, before a completion of each kind",
			Rules: []string{"ARM-01", "ARM-02", "ARM-03", "ARM-07", "ARM-08", "ARM-09", "ARM-10", "ARM-11", "ARM-12"},
		},
		{
			Name: "arm-present", Run: armPresent,
			Doc:   "completions certainly present when the CQ is armed: fresh, old, or both",
			Rules: []string{"ARM-04", "ARM-05", "ARM-09", "ARM-10", "ARM-12"},
		},
		{
			Name: "drain", Run: drainPatterns,
			Doc:   "completions polled one by one, with exact room, until empty, or left behind; then armed again",
			Rules: []string{"ARM-02", "ARM-05", "ARM-21", "POLL-02", "POLL-03", "POLL-04", "POLL-06", "POLL-09"},
		},
		{
			Name: "callback-rearm", Run: callbackRearm,
			Doc:   "callbacks that poll and arm, and completions and arms that come while a callback runs",
			Rules: []string{"ARM-02", "ARM-03", "ARM-04", "ARM-06", "POLL-10"},
		},
		{
			Name: "chain-inline-failure", Run: chainInlineFailure,
			Doc:   "deferred chains of one to five requests with an inline failure at each position and nothing after it",
			Rules: []string{"DEF-02", "DEF-03", "DEF-04", "DEF-05", "DEF-07", "DEF-09", "POLL-09"},
		},
		{
			Name: "silent-success", Run: silentSuccess,
			Doc:   "silent requests that succeed, fail, or are flushed",
			Rules: []string{"FLAG-01", "FLAG-02", "DEF-07", "RES-10"},
		},
		{
			Name: "failed-requests", Run: failedRequests,
			Doc:   "requests that fail in their completion: a bad local token, a receive that is too small",
			Rules: []string{"ARM-09", "ARM-11", "DEF-04", "POLL-09", "RES-06", "RES-10"},
		},
		{
			Name: "flush", Run: flush,
			Doc:   "NdkFlush with both queues occupied, deferred requests pending, and arms outstanding",
			Rules: []string{"FLUSH-01", "FLUSH-02", "FLUSH-05", "ARM-11", "DEF-04", "POLL-09", "RES-10"},
		},
		{
			Name: "solicited-errors", Run: solicitedErrors,
			Doc:   "a CQ armed SOLICITED before a request is flushed or fails, before an unsolicited success, a solicited receive",
			Rules: []string{"ARM-10", "ARM-11", "ARM-12"},
		},
		{
			Name: "send-and-invalidate", Run: sendAndInvalidate,
			Doc:   "tokens invalidated by the peer, fetched by either poll, invalidated again; at last an unknown token",
			Rules: []string{"POLL-06", "POLL-07", "POLL-08", "RES-01", "RES-02", "RES-03", "RES-09", "INV-05", "INV-06"},
		},
		{
			Name: "close", Run: closing,
			Doc:   "a CQ closed while armed, while a callback runs or is owed, inside its callback, before its QPs",
			Rules: []string{"ARM-20", "LIFE-04", "LIFE-08", "LIFE-09", "LIFE-11", "LIFE-12"},
		},
		{
			Name: "overflow", Run: overflow,
			Doc:   "one completion more than the CQ holds, with and without an arm",
			Rules: []string{"ARM-15", "ARM-16", "ARM-17", "ARM-18"},
		},
		{
			Name: "threads", Run: threads,
			Doc:   "several threads post, poll and arm on two pairs of QPs whose CQs are apart or shared",
			Rules: []string{"ARM-03", "ARM-06", "POLL-04", "POLL-09", "POST-03"},
		},
		{
			Name: "mixed", Run: mixed,
			Doc:   "everything above at random",
			Rules: []string{"ARM-03", "ARM-04", "ARM-07", "DEF-04", "DEF-05", "FLAG-02", "FLUSH-02", "POLL-04", "POLL-08"},
		},
	}
}

// Find returns the scenario of that name.
func Find(name string) (Scenario, bool) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}
