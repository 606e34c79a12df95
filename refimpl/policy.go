package refimpl

import "math/rand/v2"

// A May is a choice that the contract leaves to the provider. Each is made at one place in this package, and named by
// the rule or the reading that allows both sides.
type May string

// The choices: what happens when the coin says yes.
const (
	SatisfyOnOldEntries    May = "ARM-05: an arm is satisfied by entries that the last callback already reported"
	ErrorsOnFailure        May = "ARM-08: an ERRORS arm is satisfied by a failed completion (A4)"
	OweSecondCallback      May = "A2: an arm satisfied while a callback is owed makes it two"
	ErrorCallbackFirst     May = "A1: the error callback comes before the others that are owed"
	ErrorCallbackMerges    May = "A2: the error callback is also one of the others that are owed"
	ShortBatch             May = "A7: a poll takes fewer entries than there are and than were asked for"
	IndicateDeferred       May = "DEF-02: a deferred request is indicated at once"
	CompleteBeforeReturn   May = "DEF-04: requests execute and complete before the post that queued the last one returns"
	RefuseWhenBroken       May = "POST-08: an initiator post on a broken QP is refused"
	InvalidateFailsInline  May = "POLL-08: NdkInvalidate of a dead token fails inline (A8)"
	InitiatorQueueFirst    May = "POLL-09: of two queues the initiator's completion is placed first"
	ReceiveBeforeSend      May = "POLL-09: the receive completes before the send that it answers"
	ExecuteAhead           May = "DEF-04: the next request executes before the last one's completion is placed"
	AbortedSendFails       May = "INV-05: the send that named a bad token fails itself"
	CloseDropsCompletions  May = "LIFE-10: what a closed QP had not completed leaves no completion (A21)"
	CloseWaitsForTheDevice May = "LIFE-12: NdkCloseQp leaves completing to the device and is pending"
)

// policy makes the choices of one object: those of another do not disturb them.
type policy struct {
	choose func(May) bool
}

func (a *adapter) newPolicy() policy {
	a.created++
	if a.options.Choose != nil {
		return policy{a.options.Choose}
	}
	coin := rand.New(rand.NewPCG(a.options.Seed, a.created))
	return policy{func(May) bool { return coin.Uint64()&1 == 1 }}
}

func (p policy) may(choice May) bool { return p.choose(choice) }
