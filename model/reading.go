package model

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/rules"
)

// Reading is how ambiguous documentation is read: a choice for each open question, under the names of Readings.tla. The zero value has the defaults.
type Reading struct {
	A1  Choice // an error of the CQ finds no arm
	A2  Choice // how many callbacks are owed when an arm is satisfied while one is owed
	A3  Choice // when do the entries of the CQ become old?
	A4  Choice // does a failed completion satisfy an ERRORS arm?
	A5  Choice // does a success that is not solicited satisfy a SOLICITED arm?
	A6  Choice // a callback on an empty CQ
	A7  Choice // may a poll return fewer entries than there are and than it has room for?
	A8  Choice // how NdkInvalidate of an invalid token fails
	A9  Choice // are the completions of one queue in posting order?
	A10 Choice // whose deferred requests a refused post indicates
	A11 Choice // what ends a chain
	A12 Choice // when a place in a queue is free again
	A15 Choice // the outcome of requests posted after a flush
	A16 Choice // a resize below the number of completions in the CQ
	A18 Choice // when a receive leaves a shared receive queue
	A19 Choice // is a shared receive queue armed at its creation?
	A21 Choice // the completions of a QP that is closed
	A22 Choice // may a close fail? No step asks for it
	A24 Choice // a bound on the callbacks that are owed: the choice is the bound
	A25 Choice // does a fresh completion satisfy an arm, though it was polled before?
	A26 Choice // what completions before the first callback count as
	A28 Choice // when an arm within a callback looks at the contents of the CQ
	A29 Choice // may a silent success have a completion?
	A30 Choice // which refused posts indicate deferred requests
	A31 Choice // what a flush does to requests deferred in an open chain
	A33 Choice // how many of the completions in a failed CQ can be polled
	A34 Choice // the fate of requests deferred before a refused one
	A35 Choice // how many completions a CQ holds, compared with its depth
	A36 Choice // does a QP go on whose close waits for its connector?
	A38 Choice // is a post on a disconnected QP refused, or the consumer's fault?
	A40 Choice // does a request that fails end the connection?
}

// Choice is the place of an answer among the choices that the rulebook lists for a reading. The first is the default.
type Choice uint8

// The choices, in the order in which the rulebook lists them.
const (
	A1Kept, A1Lost, A1NoArm          Choice = 0, 1, 2 // kept for the next arm; not reported; reported without an arm
	A2Either, A2One, A2Two           Choice = 0, 1, 2
	A3Entry, A3Return, A3AnyFresh    Choice = 0, 1, 2 // of a callback; any fresh completion obliges an arm
	A4May, A4Must, A4MustNot         Choice = 0, 1, 2
	A5MustNot, A5May                 Choice = 0, 1
	A6IfDrained, A6Never             Choice = 0, 1
	A7May, A7MustNot                 Choice = 0, 1
	A8Either, A8Inline, A8Completion Choice = 0, 1, 2 // by its return status, or by a failed completion
	A9Ordered, A9Unordered           Choice = 0, 1
	A10Qp, A10All                    Choice = 0, 1 // those of its QP, or of every QP
	A11AnyEnd, A11Post               Choice = 0, 1 // a post, a flush or a close; only a post
	A12Polled, A12Placed             Choice = 0, 1 // once the completion is
	A15Free, A15Cancelled            Choice = 0, 1
	A16Either, A16Refused            Choice = 0, 1 // refused, or done without loss; always refused
	A18Completed, A18Taken           Choice = 0, 1
	A19Either, A19Armed, A19Unarmed  Choice = 0, 1, 2
	A21Either, A21Kept, A21Dropped   Choice = 0, 1, 2 // until the CQ is closed
	A22May, A22MustNot               Choice = 0, 1
	A24None                          Choice = 0 // of the others each is the bound
	A25No, A25Yes                    Choice = 0, 1
	A26Fresh, A26Old                 Choice = 0, 1
	A28AtOnce, A28AtReturn           Choice = 0, 1
	A29Silent, A29Told               Choice = 0, 1
	A30Initiator, A30Any             Choice = 0, 1 // only initiator requests; receives as well
	A31Cancelled, A31Stranded        Choice = 0, 1
	A33AnyPart, A33All               Choice = 0, 1
	A34Executed, A34Dropped          Choice = 0, 1
	A35AtLeast, A35Exact             Choice = 0, 1
	A36Yes, A36No                    Choice = 0, 1
	A38Refused, A38Reuse             Choice = 0, 1
	A40May, A40Ends                  Choice = 0, 1
)

// choice returns the field of a reading, or nil when there is none of that id.
func (r *Reading) choice(id string) *Choice {
	return map[string]*Choice{
		"A1": &r.A1, "A2": &r.A2, "A3": &r.A3, "A4": &r.A4, "A5": &r.A5, "A6": &r.A6, "A7": &r.A7, "A8": &r.A8, "A9": &r.A9,
		"A10": &r.A10, "A11": &r.A11, "A12": &r.A12, "A15": &r.A15, "A16": &r.A16, "A18": &r.A18, "A19": &r.A19, "A21": &r.A21, "A22": &r.A22, "A24": &r.A24,
		"A25": &r.A25, "A26": &r.A26, "A28": &r.A28, "A29": &r.A29, "A30": &r.A30, "A31": &r.A31, "A33": &r.A33, "A34": &r.A34, "A35": &r.A35,
		"A36": &r.A36, "A38": &r.A38, "A40": &r.A40,
	}[id]
}

// Assume returns d under another choice of a reading, by the names that the rulebook and Readings.tla have for them.
func (d Dialect) Assume(id, choice string) (Dialect, error) {
	field := d.Reading.choice(id)
	reading, _ := rules.GetReading(id)
	i := slices.Index(reading.Choices, choice)
	switch {
	case field == nil:
		return d, fmt.Errorf("no reading %s=%s: there is nothing to choose in %s", id, choice, id)
	case i < 0:
		return d, fmt.Errorf("no reading %s=%s: %s can be %s", id, choice, id, strings.Join(reading.Choices, ", "))
	}
	if id == "A15" && d.ErrorState {
		return d, nil // it is of NdkFlush, which libibverbs does not have
	}
	*field = Choice(i)
	return d, nil
}
