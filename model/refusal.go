package model

// Refusal says why a state does not allow an action: the id of the rule that is in the way, and the reason in words that
// follow "because".
type Refusal struct {
	Rule string
	Why  string
}

var (
	placedAfterClose = &Refusal{"LIFE-04", "the CQ is closed, and a QP that uses it is not"}
	placedAfterError = &Refusal{"ARM-17", "the CQ has reported, or has to report, an error, and nothing is placed in it afterwards"}
	placedBeyondRoom = &Refusal{"ARM-16", "the CQ holds as many completions as it has room for (A35)"}
	failedTwice      = &Refusal{"ARM-17", "the CQ has failed or is closed already"}
	overflowWithRoom = &Refusal{"ARM-16", "the CQ holds fewer completions than the consumer asked room for: nothing can have overflowed"}
	nothingOverflows = &Refusal{"ARM-16", "no completion waits to be placed: nothing can have overflowed"}
	usedAfterClose   = &Refusal{"LIFE-06", "the object's close was called before"}
	noSuchArm        = &Refusal{"ARM-13", "this dialect has no arm of that type"}

	srqIsClosed             = &Refusal{"LIFE-09", "the close of the SRQ has completed"}
	srqHasFailed            = &Refusal{"SRQ-09", "the SRQ has told of an error, and is unusable"}
	srqIsEmpty              = &Refusal{"POLL-05", "no receive of the SRQ is queued"}
	notTaken                = &Refusal{"POLL-05", "the QP has taken no receive of the SRQ that has not completed"}
	takenEnded              = &Refusal{"FLUSH-06", "the QP is in its error state: no message comes to it"}
	endsNot                 = &Refusal{"FLUSH-06", "the QP is in its error state already, or has none"}
	lastNotDone             = &Refusal{"FLUSH-06", "the QP is not in its error state, holds a receive, or was told of"}
	modifiedTwice           = &Refusal{"ASY-01", "a call that modifies the SRQ is pending, and is answered first"}
	noModify                = &Refusal{"ASY-02", "no call that modifies the SRQ is pending"}
	modifyNotDone           = &Refusal{"ASY-01", "no call that modifies the SRQ is done"}
	srqNotDue               = &Refusal{"SRQ-04", "no callback is owed: the SRQ is not armed, or enough receives are queued"}
	srqErrorNotDue          = &Refusal{"SRQ-08", "no error of the SRQ is owed a report"}
	srqExitWithoutEnter     = &Refusal{"SRQ-11", "no callback of the SRQ is running"}
	srqFailedTwice          = &Refusal{"SRQ-09", "the SRQ has failed or is closed already"}
	srqClosedWhileRunning   = &Refusal{"LIFE-08", "a callback of the SRQ has not returned"}
	srqClosedWhileModifying = &Refusal{"LIFE-07", "a call that modifies the SRQ is pending"}
	srqClosedBeforeQps      = &Refusal{"LIFE-04", "a QP holds a receive of the SRQ, and so is not closed"}

	callbackAfterClose = &Refusal{"ARM-20", "the close of the CQ has completed"}
	callbacksOverlap   = &Refusal{"ARM-06", "the callback entered before has not returned"}
	exitWithoutEnter   = &Refusal{"ARM-06", "no callback is running"}
	noExtraEvent       = &Refusal{"ARM-21", "an event more than needed is not allowed here"}

	callbackUnarmed     = &Refusal{"ARM-01", "no callback is owed: the CQ is not armed, and no arm was satisfied"}
	callbackNothingNew  = &Refusal{"ARM-21", "no callback is owed: the CQ is armed, and nothing that matches the arm was placed"}
	callbackUnsolicited = &Refusal{"ARM-12", "no callback is owed: the arm is SOLICITED, and only unsolicited completions with success were placed"}
	callbackNoError     = &Refusal{"ARM-08", "no callback is owed: the arm is ERRORS, and the CQ has no error"}
	errorToldTwice      = &Refusal{"ARM-17", "the CQ's error was reported before, and one callback reports it (A1)"}
	errorUnarmed        = &Refusal{"ARM-01", "no arm is outstanding, or can count as outstanding, for the error that it reports (A2)"}
	errorFirst          = &Refusal{"ARM-08", "the callback that is owed has to tell of the CQ's error (A2)"}
	callbackFalseError  = &Refusal{"ARM-16", "no error of the CQ is owed a report"}

	callbackOnEmpty = &Refusal{"ARM-21", "the CQ is empty: another poll has drained it (A6)"}
	debtAtItsBound  = &Refusal{"ARM-03", "as many callbacks are owed as may be (A24), and none has begun"}

	moreThanAsked = &Refusal{"POLL-02", "more completions were returned than there was room for"}
	notInCq       = &Refusal{"POLL-05", "the completion is not in the CQ"}
	emptyHanded   = &Refusal{"POLL-03", "the CQ holds a completion"}
	stoppedShort  = &Refusal{"POLL-03", "the CQ holds more completions, and there was room for them (A7)"}

	resizedTwice  = &Refusal{"ASY-01", "a resize of the CQ is pending, and is answered first"}
	noResize      = &Refusal{"ASY-02", "no resize is pending"}
	resizeNotSo   = &Refusal{"ASY-01", "the resize did not end so"}
	resizeNotTold = &Refusal{"ASY-01", "no callback tells of a resize"}

	closeNotPending     = &Refusal{"ASY-02", "no close is pending"}
	closedWhileRunning  = &Refusal{"ARM-20", "a callback of the CQ has not returned"}
	closedWhileResizing = &Refusal{"LIFE-07", "a resize of the CQ is pending, or the callback that tells of it has not returned"}

	closedWithRequests = &Refusal{"LIFE-07", "a request of the QP has not completed"}
	closeNotTold       = &Refusal{"ASY-01", "no callback tells of a close"}
	closedBeforeQps    = &Refusal{"LIFE-04", "a QP that uses the CQ is not closed"}
	notKeptSo          = &Refusal{"LIFE-10", "the completions of a closed QP are kept, or vanish, as it is read (A21)"}
	lostForNothing     = &Refusal{"DEF-04", "the CQ is in good order, and the QP is not being closed: no completion gets lost"}

	notConnected         = &Refusal{"POST-08", "the QP is not connected"}
	nothingToLose        = &Refusal{"DISC-07", "the QP has no connection that the peer or the network could end"}
	connectedTwice       = &Refusal{"DISC-09", "the QP was connected before"}
	nothingDeferred      = &Refusal{"DEF-02", "no deferred request is pending"}
	notPosted            = &Refusal{"POLL-05", "no request of the queue is pending"}
	notIndicated         = &Refusal{"DEF-02", "the request has not been indicated to the hardware"}
	waitsForEarlier      = &Refusal{"POLL-09", "a request that was posted before it, and that it may not pass, has not been executed"}
	outOfOrder           = &Refusal{"POLL-09", "a request that was posted before it has not completed (A9)"}
	postedAfterFlush     = &Refusal{"FLUSH-05", "it was posted after a flush, and is cancelled (A15)"}
	succeedsEnded        = &Refusal{"FLUSH-06", "the connection has ended, or the QP is in its error state: what is pending there is flushed"}
	succeedsDisconnected = &Refusal{"DISC-10", "NdkDisconnect has closed the connection in both directions"}
	refusedConnected     = &Refusal{"POST-08", "the QP is connected"}
	closeWaitsForNothing = &Refusal{"LIFE-10", "the close of the QP has nothing to wait for (A36)"}
	tokenIsDead          = &Refusal{"INV-05", "the token is invalid already"}

	deadTokenAccepted = &Refusal{"POLL-08", "the token was invalid already, and the post has to fail (A8)"}
	deadTokenRefused  = &Refusal{"POLL-08", "the token was invalid already, and the request has to fail, not its post (A8)"}
	deadAccess        = &Refusal{"INV-08", "the token is invalid"}
	notExecuted       = &Refusal{"DEF-04", "the request has not been executed"}
	cancelledNoCause  = &Refusal{"RES-10", "nothing cancelled it: no flush, close, disconnect or failed request of the QP came before"}
	succeedsAborted   = &Refusal{"INV-05", "the connection was aborted for a bad token"}
	badTokenDelivered = &Refusal{"INV-05", "the token that the peer named was not valid"}
	goodTokenAborted  = &Refusal{"INV-05", "the token that the peer named was valid"}
	notPeers          = &Refusal{"POLL-05", "no peer's send and receive are pending"}
	notAnswered       = &Refusal{"RES-14", "the queue pair at the other end is closed, or in its error state, and gives no data"}
	messageAlone      = &Refusal{"POLL-05", "a message succeeds only with the receive that it takes, and a receive only with a message"}
	deadToken         = &Refusal{"POLL-08", "the token was invalid already"}
)

// notDue says why no callback is owed.
func notDue(q Cq) *Refusal {
	switch {
	case q.Arm == NONE:
		return callbackUnarmed
	case q.Arm == SOLICITED && len(q.Entries) > 0:
		return callbackUnsolicited
	case q.Arm == ERRORS:
		return callbackNoError
	}
	return callbackNothingNew
}

// errorNotDue says why no callback that reports the error is owed.
func errorNotDue(q Cq, status Health) *Refusal {
	if q.Health == status && q.Reported {
		return errorToldTwice
	}
	if q.Health == status && q.Arm == NONE && !q.Reported {
		return errorUnarmed
	}
	return callbackFalseError
}
