package statediagrams

import (
	"fmt"
	"regexp"
)

const about = `

[The contract](contract.md) describes in words what these diagrams show. States have their names from ` + "`tla/`" + `. An arrow names the steps that lead from one state to another; steps that
change no state are not drawn. Calls and callbacks begin with ` + "`Ndk`" + `; others, such as ` + "`Execute`" + `, are mostly [hidden steps](glossary.md#hidden-step). Each diagram shows the model
in the configurations named below it, under the default [readings](rules/readings.md). A wide diagram scrolls sideways.
`

var diagrams = []diagram{
	{
		title: "A completion queue: its arm",
		intro: "`NdkArmCq` makes the arm stronger, and never weaker (ARM-07). A completion that matches it, or an error of the CQ, clears the arm, and a callback is owed. " +
			"`NdkArmCq` itself clears it if a completion in the CQ satisfies it at once: a fresh one must (ARM-04), an older one may (ARM-05).",
		variable: "cq", states: one(`arm \|-> "([A-Z]+)"`),
		walked: []configuration{{"MCCompletionQueue", "CQ-ndkpi-live"}},
	},
	{
		title:    "A completion queue: its callbacks",
		intro:    "An owed callback is entered when none runs (ARM-06). While one runs, another may become owed. The diagram does not distinguish one owed callback from two.",
		variable: "cq", states: callbacks,
		walked: []configuration{{"MCCompletionQueue", "CQ-ndkpi-live"}},
	},
	{
		title: "A queue pair of NDKPI",
		intro: "`DOUBTFUL`: a request failed, and it is not known yet whether the connection has ended (A40). `BROKEN`: a CQ of the queue pair failed (ARM-18). `BROKEN IDLE`: the same, or a flush or failure, before the queue pair was connected. " +
			"`FLUSHED`: `NdkFlush` was called, and a later request may succeed, fail or be cancelled (A15). `ABORTED`: a message named a bad token (INV-05). " +
			"`CLOSE WAITS`: `NdkCloseQp` waits while the connection continues (A36). `COMPLETING`: NdkCloseCompletion runs.",
		variable: "qp", states: each(`(\w+) \|-> \[state \|-> "([A-Z ]+)"`), within: "not closing", into: "CLOSING",
		walked: []configuration{
			{"MCQueuePair", "QP-ended"}, {"MCNdk", "Ndk-abort-close"}, {"MCNdk", "Ndk-writes-taken-back"}, {"MCNdk", "Ndk-mishaps"}, {"MCNdk", "Ndk-live-close"}, {"MCNdk", "Ndk-resize"},
		},
	},
	{
		title: "A queue pair of libibverbs",
		intro: "`ENDED` is the error state, `IBV_QPS_ERR`. A failed request of an unreliable queue pair (UC, UD) stops only its initiator queue: `SEND ERROR`, `IBV_QPS_SQE`. " +
			"Steps have the names of NDKPI: `NdkConnect` is `ibv_modify_qp` to RTR, or from SQE to RTS; `NdkFlush` is `ibv_modify_qp` to ERR; `NdkCloseQp` is `ibv_destroy_qp`.",
		variable: "qp", states: each(`(\w+) \|-> \[state \|-> "([A-Z ]+)"`), within: "not closing", into: "CLOSING",
		walked: []configuration{{"MCQueuePair", "QP-verbs"}, {"MCQueuePair", "QP-verbs-ud"}, {"MCNdk", "Ndk-verbs-uc-broken"}},
	},
	{
		title: "A request",
		intro: "A request is posted deferred or indicated. It is executed with an outcome, and leaves its queue when its completion is placed. A silent request that succeeds leaves without a completion (FLAG-01). " +
			"A message that has arrived waits for its acknowledgement: `UNACKNOWLEDGED`.",
		variable: "qp", states: requests,
		walked: []configuration{{"MCNdk", "Ndk-chains"}, {"MCNdk", "Ndk-writes-taken-back"}, {"MCQueuePair", "QP-ended"}},
	},
}

// one returns the states of a single object.
func one(pattern string) func(string) map[string]string {
	p := regexp.MustCompile(pattern)
	return func(value string) map[string]string { return map[string]string{"": p.FindStringSubmatch(value)[1]} }
}

// each returns the states of objects that have names.
func each(pattern string) func(string) map[string]string {
	p := regexp.MustCompile(pattern)
	return func(value string) map[string]string {
		states := map[string]string{}
		for _, m := range p.FindAllStringSubmatch(value, -1) {
			states[m[1]] = m[2]
		}
		return states
	}
}

var callbackFields = regexp.MustCompile(`due \|-> (\d+), errorDue \|-> (\w+), running \|-> (\w+),`)

// callbacks describes what is owed, and whether a callback runs.
func callbacks(value string) map[string]string {
	m := callbackFields.FindStringSubmatch(value)
	state := "none owed"
	if m[1] != "0" || m[2] == "TRUE" {
		state = "owed"
	}
	if m[3] == "TRUE" {
		state += ", one runs"
	} else {
		state += ", none runs"
	}
	return map[string]string{"": state}
}

var (
	queues  = regexp.MustCompile(`(\w+) \|-> \[state \|-> "[A-Z ]+", initiator \|-> <<(.*?)>>, receive \|-> <<(.*?)>>\]`)
	request = regexp.MustCompile(`req \|-> (\d+),.*?phase \|-> "([A-Z]+)"`)
)

// requests returns the phases of all requests, by queue pair, queue and number.
func requests(value string) map[string]string {
	states := map[string]string{}
	for _, qp := range queues.FindAllStringSubmatch(value, -1) {
		for queue, list := range qp[2:] {
			for _, r := range request.FindAllStringSubmatch(list, -1) {
				states[fmt.Sprint(qp[1], queue, " ", r[1])] = r[2]
			}
		}
	}
	return states
}
