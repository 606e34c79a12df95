package clauses

import "ndkoracle/linearize/timeline"

// The clauses, by the names that reasons give them. Where several took part in a violation, the first names it.
const (
	_ timeline.Rule = iota
	refusedPost
	ofRequest
	acceptedUnconnected
	silentDead
	toldDead
	tokenDead
	toldAnswered
	deadAnswered
	badToken
	endedAtRest
	silentlyEnded
	passedOver
	endedByFailure
	errorState
	endedByToken
	refusedAsEnded
	postedBehindFlush
	disconnected
	fenced
	held
	flushSpares
	silentFailed
	abortedBefore
	endedLater
	receivedLater
	meetAtRest
	causedBy
	failedItself
	silentAtRest
	flushCancels
	connected
	stillAtRest
	refusedAtRest
	owedAtRest
	overSilently
	foundEmpty
	leftBehind
	inOrder
	completedInOrder
	deliveredInOrder
	tookMessage
	tookReceive
	tookReceiveSilently
	receivedFirst
	placedAt
	takesNoMore
	delivered
	executedFirst
	posted
	flushReturned
	registersToken
	mayCause
	numRules
)

// A Rule declares one clause of the contract. X is when a request was executed, C when it completed, A when its message arrived, and S when a silent
// request failed, if it did. F is when a flush took effect. E is the time from which on nothing succeeds on a queue pair, L when its connection was lost,
// and O when a CQ overflowed.
type Rule struct {
	ID       string // of the rulebook
	Clause   string
	Because  string // how the clause is said in a chain of reasons; %s, if it is there, is what the bound is of
	Headline string // how a violation begins in which this clause says most; %s is the request
	Instead  string // what the contract would have allowed, or ""
}

// Rules is the table of all clauses.
var Rules = [numRules]Rule{
	refusedPost:         {"DEF-03", "a refused request has no completion", "its post was refused", "%s was refused, and has a completion", "no completion of %s"},
	ofRequest:           {"POLL-05", "a result is of a request that is outstanding, in its CQ, with the outcome of its point", "no such request is outstanding", "%s is not outstanding on this CQ with this outcome", "no such completion of %s"},
	acceptedUnconnected: {"POST-08", "an initiator request is accepted on a queue pair that is connected", "it was accepted", "%s was accepted on a queue pair that was never connected", "the post of %s is refused"},
	silentDead:          {"FLAG-02", "X(silent invalidation) ≥ min(V) behind the end of its token", "its token was not valid, so it has failed", "%s is silent and has no completion, though its token was not valid", "first a completion of %s"},
	toldDead:            {"POLL-07", "X(invalidation) ≥ min(V) behind an end that NdkGetCqResults told of", "its token was not valid", "%s succeeded, and the peer had made its token invalid", "%s ends with FAILED"},
	tokenDead:           {"POLL-08", "X(invalidation) ≥ min(V) behind the end of its token", "its token was not valid", "%s succeeded, and its token was not valid", "%s ends with FAILED"},
	deadAnswered:        {"POLL-08", "A8: return of a post answered as for a valid token > min(V) behind the end of its token", "its token was not valid", "the post of %s was answered as if its token were valid", "the post of %s returns another status"},
	toldAnswered:        {"POLL-07", "A8: the same behind an end that NdkGetCqResults told of", "its token was not valid", "the post of %s was answered as if its token were valid", "the post of %s returns another status"},
	badToken:            {"INV-05", "X(receive that invalidates) ≥ min(V) behind the end of its token", "its token was not valid", "%s received a message that made a token invalid, and the token was not valid", "%s ends with FAILED"},
	silentlyEnded:       {"FLAG-02", "E, L > X(silent) at rest, without a completion", "it was silent and has no completion, so it succeeded", "%s is silent and has no completion, though its connection had ended", "first a completion of %s"},
	refusedAsEnded:      {"POST-08", "L ≤ return of a post that tells of it", "a post returned STATUS_CONNECTION_INVALID", "%s ended as on a connection, behind STATUS_CONNECTION_INVALID", "%s ends with CANCELLED or FAILED"},
	endedByFailure:      {"FLUSH-06", "ndspi: L ≤ X(failed); verbs: E ≤ X(failed), E ≤ X(cancelled)", "nothing succeeds behind it", "%s succeeded behind a request that had ended the connection", "%s ends with CANCELLED"},
	endedByToken:        {"INV-05", "E, L ≤ X(message)+1 that succeeded and whose receive did not; X ≤ X(message)+1 of both ends, posted before it", "a message with a bad token ended the connection", "%s succeeded behind a message that had ended the connection, or was not over by then", "%s ends with CANCELLED or FAILED"},
	errorState:          {"FLUSH-06", "verbs: E ≤ F", "the flush moved the queue pair to its error state", "%s succeeded in the error state of its queue pair", "%s ends with CANCELLED"},
	postedBehindFlush:   {"FLUSH-05", "what is posted behind a flush is cancelled, under A15=CANCELLED", "it was posted behind a flush", "%s succeeded, and a flush cancels what is posted behind it", "%s ends with CANCELLED"},
	disconnected:        {"DISC-10", "E ≤ F of a disconnect; L ≤ the callback of one that failed", "the disconnect closed the connection", "%s got through on a connection that was disconnected", "%s ends with CANCELLED"},
	endedLater:          {"RES-10", "E, L > X(success); E, L > call of a success at the other end", "the connection went on", "%s succeeded, though the connection had ended by then", "%s ends with CANCELLED or FAILED"},
	receivedLater:       {"RES-10", "E, L > A of a message that was received", "the connection went on", "%s was received, though the connection had ended by then", "no receive succeeds with %s"},
	abortedBefore:       {"INV-05", "RES-10 of a connection on which a message named a token", "the connection went on", "%s succeeded, though the connection had ended by then", "%s ends with CANCELLED or FAILED"},
	causedBy:            {"RES-10", "X(cancelled) ≥ min(F, L, O), unconnected min(F, X(failed)+1); verbs, RC: min(F, X(failed)+1), of the peer also", "something ended what %s waits for", "nothing that can have cancelled %s came early enough", "%s ends with SUCCESS or FAILED"},
	failedItself:        {"RES-11", "verbs: the same of an initiator request; UC, UD: X(flushed) ≥ min(F, X(failed)+1)", "something else broke the queue pair, or %s would have failed itself", "%s was flushed, and nothing else had broken its queue pair", "%s ends with SUCCESS or FAILED"},
	flushCancels:        {"FLUSH-02", "X ≤ F, posted before the flush", "the flush ends what is pending", "a flush did not end %s", "first the completion of %s"},
	flushSpares:         {"FLUSH-01", "X < F, not cancelled and posted before the flush", "the flush would have cancelled it", "a flush should have cancelled %s", "%s ends with CANCELLED"},
	silentAtRest:        {"FLAG-02", "C > rest ⇒ S ≥ rest", "a silent request that has failed has completed by rest", "%s failed or was cancelled, or succeeded late, though it is silent", "first a completion of %s"},
	overSilently:        {"FLAG-02", "X(silent) ≤ delivery of a later one of its queue", "it was silent and has no completion, so it succeeded", "%s was silent and is over without a completion, so it succeeded; the events before contradict that", "first a completion of %s"},
	passedOver:          {"FLAG-02", "X(silent) < F, and before the end of its connection, as a later one of its queue was delivered", "it was silent and has no completion, so it succeeded", "%s is silent and has no completion, though it can't have succeeded", "first a completion of %s"},
	connected:           {"POST-08", "X(success) ≥ call of a connect that was not refused", "nothing succeeds before the connection", "%s succeeded without a connection", "%s waits for a connection"},
	stillAtRest:         {"DEF-04", "C ≤ rest, delivered with nothing called since but polls and arms", "nothing was called since the moment of rest", "%s completed behind a moment of rest, and nothing was called since", "first the completion of %s"},
	endedAtRest:         {"DEF-04", "X(message) ≥ rest ⇒ E, L ≥ rest, of both ends; X(receive) ≥ rest ⇒ E ≥ rest", "nothing waits at rest behind the end of its connection", "%s waited at a moment of rest, though its connection had ended", "first the completion of %s"},
	meetAtRest:          {"DEF-04", "¬(X(send) > rest and X(receive) > rest); C > rest ⇒ A ≥ rest", "a message and a receive do not wait for each other at rest", "%s waited at a moment of rest for what was there", "first the completion of %s"},
	owedAtRest:          {"DEF-04", "C > rest ⇒ X ≥ rest; X ≤ rest, if it waits for nobody", "what has been executed has completed by rest", "%s had to be over at a moment of rest, and was not", "first the completion of %s"},
	refusedAtRest:       {"DEF-05", "X ≤ rest, where a post that was refused ended the chain", "a post that was refused had ended its chain", "%s, deferred before a post that was refused, had to be over at a moment of rest, and was not", "first the completion of %s"},
	foundEmpty:          {"POLL-03", "C > call of a poll that found nothing", "a poll found nothing", "a poll found nothing, though %s had completed", "first the completion of %s"},
	leftBehind:          {"POLL-03", "C > C of what was delivered before it", "a poll delivered others, and not it", "a poll passed over %s", "first the completion of %s"},
	fenced:              {"POLL-05", "X(fenced) ≥ X(read before it)", "a fence waits for reads", "%s did not wait for the reads before it", "%s waits for the reads before it"},
	inOrder:             {"POLL-09", "X(later) ≥ X(earlier), but for what may pass a read", "a queue is executed in order", "%s is out of order, and a queue is executed in order", "first the completion of what is before %s"},
	completedInOrder:    {"POLL-09", "C(later) > C(earlier)", "a queue completes in order", "%s is out of order, and a queue completes in order", "first the completion of what is before %s"},
	deliveredInOrder:    {"POLL-05", "C(delivered later) > C(delivered earlier)", "a CQ delivers in order", "%s is out of order, and a CQ delivers first what was placed first", "first the completion of what is before %s"},
	tookMessage:         {"POLL-05", "X(k'th receive that succeeds) ≥ A(k'th send)", "%s took a message that was sent no earlier", "%s received a message, and the peer had sent none that it can have taken", "%s waits for a message"},
	tookReceive:         {"POLL-05", "X(k'th send that succeeds) ≥ X(k'th receive that may)", "%s needed a receive", "%s succeeded, and there was no receive that it can have taken", "%s waits for a receive"},
	tookReceiveSilently: {"FLAG-02", "X(k'th silent send that succeeds) ≥ X(k'th receive that may)", "%s needed a receive", "%s, a silent send, had no receive, so it has failed, and has no completion", "first a completion of %s"},
	receivedFirst:       {"POLL-05", "X(last message posted) ≥ X(receive that succeeds)", "a message is over once it was received", "%s received a message, and all messages were over", "%s waits for a message"},
	placedAt:            {"POLL-05", "C at the point that shows it", "the trace shows where it was placed", "%s was placed before it can have completed", "no completion of %s yet"},
	takesNoMore:         {"ARM-17", "C ≤ enter of a callback that reports an error of its CQ", "its CQ had reported an error", "%s was placed in a CQ that had reported an error", "no completion of %s"},
	delivered:           {"POLL-05", "C ≤ return of the poll that delivers it", "a poll delivered %s", "%s was delivered before it can have completed", "no completion of %s yet"},
	executedFirst:       {"POLL-05", "A < X < C", "it is executed before it completes", "%s completed before it was executed", "no completion of %s yet"},
	posted:              {"POLL-05", "X > call of its post", "%s is posted", "%s was over before it was posted", "no completion of %s yet"},
	flushReturned:       {"FLUSH-01", "F ≥ its call; F ≤ its return", "the flush takes effect between its call and its return", "the flush of %s came too late", "a return of the flush of %s later"},
	silentFailed:        {"FLAG-02", "RES-10, RES-11 behind a silent request that may have failed", "something ended what %s waits for", "nothing that can have cancelled %s came early enough, but the failure of a silent request that has no completion", "%s ends with SUCCESS or FAILED"},
	held:                {"POLL-05", "A(message) ≥ X(request before it that changes a token)", "a message waits for what changes a token before it", "%s was received before what it waits for was executed", "no receive succeeds with the message behind %s"},
	registersToken:      {"INV-05", "V ≥ X(registration), never if that did not succeed", "%s makes its token valid when it succeeds", "%s made its token valid too late", "%s ends with FAILED"},
	mayCause:            {"RES-10", "U ≥ X of the first that waits on a queue; O > C of what its CQ took", "a cause can have come no earlier", "the cause of %s came too late", ""},
}

// The letters by which labels say what a variable is the time of.
const (
	executedAt   = 'X'
	completedAt  = 'C'
	arrivedAt    = 'A'
	failedAt     = 'S' // of a silent request
	flushedAt    = 'F'
	endedAt      = 'E'
	lostAt       = 'L'
	overflowedAt = 'O' // of a CQ, if it did
	validFrom    = 'V' // when a request made its token valid
	answeredAt   = 'P' // when the answer of a post was decided
	firstFailure = 'U' // of the requests of a queue whose outcome is not known
)

// IsOfOwed reports whether an id is that of a rule by which a request had to be over at a moment of rest.
func IsOfOwed(id string) bool { return id == Rules[owedAtRest].ID || id == Rules[refusedAtRest].ID }
