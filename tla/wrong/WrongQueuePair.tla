---------------------------- MODULE WrongQueuePair ----------------------------
(***************************************************************************)
(* Wrong rules for queue pairs: see WrongCompletionQueue.                  *)
(***************************************************************************)
EXTENDS MCQueuePair

\* For AfterRefusal: a refused post leaves the earlier requests of its chain deferred.
RefusalForgetsChain(queue, r) == queue

\* For AfterRefusal: a refused post is queued all the same.
RefusedIsQueued(queue, r) == Append(Indicated(queue), r)

\* For AfterPost: a post is lost although it returned success.
PostSwallowed(queue, r, defer) == Indicated(queue)

\* For AfterPost: a request that is not deferred overtakes those that are.
DeferredOvertaken(queue, r, defer) == IF defer THEN Append(queue, [r EXCEPT !.phase = "DEFERRED"]) ELSE <<r>> \o queue

\* For LeavesCompletion: a silent request is silent when it fails, too.
SilentAlways(r) == ~r.silent

\* For LeavesCompletion: the silent flag is ignored.
SilentNever(r) == TRUE

\* For Cancelled: a flush misses the request that was posted last.
FlushMissesLast(queue) ==
  [i \in DOMAIN queue |->
    IF Executed(queue[i]) \/ i = Len(queue) THEN queue[i] ELSE [queue[i] EXCEPT !.phase = "CANCELLED"]]

\* For CanEnd: a request is cancelled on a connection in good order.
CancelledForNothing(state, outcome) == outcome = "SUCCESS" => state \notin {"IDLE", "ABORTED"}

\* For AfterComplete: the completion is placed, and the request stays.
CompletesAgain(queue) == queue

\* For CanComplete, Completes and AfterComplete: the second of two requests completes first.
Second(queue) == IF Len(queue) > 1 THEN 2 ELSE 1
SecondExecuted(p, queue) == qp[p][queue] # <<>> /\ Executed(qp[p][queue][Second(qp[p][queue])])
CompletesSecond(p, queue) == qp[p][queue][Second(qp[p][queue])]
WithoutSecond(queue) == [i \in 1..(Len(queue) - 1) |-> queue[IF i < Second(queue) THEN i ELSE i + 1]]
=============================================================================
