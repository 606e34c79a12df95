---------------------------- MODULE WrongQueuePair ----------------------------
(***************************************************************************)
(* Wrong rules for queue pairs: see WrongCompletionQueue.                  *)
(***************************************************************************)
EXTENDS MCQueuePair

\* For CanPost: a QP that was never connected takes sends, too.
PostsUnconnected(state, queue) == ~Closing(state)

\* For CanPost: a QP that is being closed takes posts.
PostsWhileClosing(state, queue) == state = "IDLE" => queue = "receive"

\* For AfterPost: a post is lost although it returned success.
PostSwallowed(queue, r, defer) == Indicated(queue)

\* For AfterPost: a request that is not deferred overtakes those that are.
DeferredOvertaken(queue, r, defer) == IF defer THEN Append(queue, [r EXCEPT !.phase = "DEFERRED"]) ELSE <<r>> \o queue

\* For AfterPost: a request that is not deferred leaves those before it deferred.
ChainNotIndicated(queue, r, defer) == Append(queue, [r EXCEPT !.phase = IF defer THEN "DEFERRED" ELSE "INDICATED"])

\* For AfterRefusal: a refused post leaves the earlier requests of its chain deferred.
RefusalForgetsChain(queue) == queue

\* For PostRefused: a refused post is queued all the same.
RefusedIsQueued(p, r, invalid) == ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p][QueueOf(r.op)] = AfterPost(@, r, FALSE)]

\* For AfterRefusal: a refused post takes the deferred requests before it with it.
RefusalDropsChain(queue) == LET Stays(s) == ~Deferred(s) IN SelectSeq(queue, Stays)

\* For EndedBy: in a reading that asks for more, the other QPs, or a refused receive, are left out.
EndsOwnChain(p, r) == IF QueueOf(r.op) = "receive" THEN {} ELSE {p}

\* For HwIndicate: the newest deferred request is indicated first.
IndicatesNewest(p) ==
  LET last == Len(qp[p].initiator) IN
  last > 0 /\ Deferred(qp[p].initiator[last]) /\ qp' = [qp EXCEPT ![p].initiator[last].phase = "INDICATED"]

\* For MayPass: a request with NDK_OP_FLAG_READ_FENCE does not wait for reads.
FenceIgnored(r, earlier) == earlier.op = "Read"

\* For MayPass: a request waits for none before it.
PassesAll(r, earlier) == TRUE

\* For CanEnd, with NothingBreaks for AfterOutcome: a request is cancelled on a connection in good order.
CancelledForNothing(state, queue, outcome) == outcome = "SUCCESS" => state \in {"CONNECTED", "BROKEN"}

\* For CanEnd: a receive succeeds before there is a connection.
SucceedsUnconnected(state, queue, outcome) == outcome = "CANCELLED" => state \notin {"IDLE", "CONNECTED"}

\* For CanEnd: in its error state a QP goes on; one that was disconnected does.
EndedGoesOn(state, queue, outcome) == IF outcome = "CANCELLED" THEN ~InGoodOrder(state, queue) ELSE state # "IDLE"
DisconnectedGoesOn(state, queue, outcome) ==
  IF outcome = "CANCELLED" THEN ~InGoodOrder(state, queue) ELSE state \in {"CONNECTED", "DISCONNECTED"}

\* For AfterFlush: libibverbs' QP is not in its error state after a flush.
FlushIsNoError(state) == IF state = "CONNECTED" THEN "FLUSHED" ELSE Broken(state)

\* For NotConnected: STATUS_CONNECTION_INVALID is told of a QP that is connected.
InvalidAnyway(state) == TRUE

\* For MayPost: the consumer posts on a disconnected QP, though that is read as a use of it.
PostsAnyway(p) == TRUE

\* For MayWait: a receive waits for a message on a QP in its error state.
ReceivesWait(p, queue) == TRUE

\* For CloseMayWait: a close waits for the connector, though it is read that it cancels at once.
CloseWaitsAnyway(state) == CanEnd(state, "receive", "SUCCESS")

\* For PendingPhases: a close does not cancel what is pending.
NothingIsPending == {}

\* For AfterOutcome: nothing breaks a connection; a failure leaves it in doubt, though it ends it.
NothingBreaks(p, queue, outcome) == qp[p].state
FailureLeavesDoubt(p, queue, outcome) == IF outcome = "FAILED" /\ qp[p].state = "CONNECTED" THEN "DOUBTFUL" ELSE qp[p].state

\* For CanComplete: a request completes before it is executed.
CompletesEarly(p, queue, i) == i = 1 /\ qp[p][queue] # <<>>

\* For AfterFlush: what is posted after a flush may succeed, though it is read that it must not.
SucceedsAfterFlush(state) == Broken(state)

\* For LeavesCompletion: a silent request is silent when it fails, too.
SilentAlways(r) == ~r.silent

\* For LeavesCompletion: the silent flag is ignored.
SilentNever(r) == TRUE

\* For Cancelled: a flush misses the request that was posted last.
FlushMissesLast(queue, phases) ==
  [i \in DOMAIN queue |->
    IF queue[i].phase \in phases /\ i < Len(queue) THEN [queue[i] EXCEPT !.phase = "CANCELLED"] ELSE queue[i]]

\* For Cancelled: a flush misses what is deferred.
FlushMissesDeferred(queue, phases) ==
  [i \in DOMAIN queue |-> IF queue[i].phase = "INDICATED" THEN [queue[i] EXCEPT !.phase = "CANCELLED"] ELSE queue[i]]

\* For Cancelled: a flush cancels what has finished, too.
FlushCancelsFinished(queue, phases) == [i \in DOMAIN queue |-> [queue[i] EXCEPT !.phase = "CANCELLED"]]

\* For NdkFlush: it reaches the other QPs.
FlushReachesOthers(p) == ~Closing(qp[p].state) /\ qp' = [other \in QP |-> Flushed(qp[other])]

\* For MayCancel: the consumer flushes in the middle of a chain, though only a post ends one.
CancelsInAChain(p) == TRUE

\* For AfterComplete: the completion is placed, and the request stays.
CompletesAgain(queue, i) == queue

\* For CanComplete: the second of two requests completes first.
SecondCompletes(p, queue, i) ==
  i \in DOMAIN qp[p][queue] /\ Executed(qp[p][queue][i]) /\ (Len(qp[p][queue]) > 1 => i = 2)

\* For CanFinishClose: the close does not wait for requests.
CloseWaitsForNothing(q) == q.state = "CLOSING"

\* For NdkCloseQp: the close waits for requests, and does nothing to end them.
CloseCancelsNothing(p, waits) == ~waits /\ ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p].state = "CLOSING"]

\* For CloseBegins: it does nothing later either.
CloseNeverBegins(p) == FALSE
=============================================================================
