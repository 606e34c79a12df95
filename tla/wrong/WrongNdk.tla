------------------------------- MODULE WrongNdk -------------------------------
(***************************************************************************)
(* Wrong rules for tokens and the whole: see WrongCompletionQueue.  The    *)
(* configuration says of which module the operator is.                     *)
(***************************************************************************)
EXTENDS MCNdk

\* For Dies of Tokens: a token may outlive its region.
TokenOutlives(t) == token[t] = "VALID" /\ token' = [token EXCEPT ![t] = "UNDEFINED"]

\* For CanDeliver of Tokens: a message with a bad token is accepted.
BadTokenAccepted(m) == TRUE

\* For AfterDeliver of Tokens: the message does not invalidate the token.
TokenStaysValid(m) == token

\* For NdkGetCqResultsEx of Ndk: the token is invalidated when the consumer is told of it.
PollInvalidates(q, n, results) ==
  /\ Cq!NdkGetCqResultsEx(q, n, results)
  /\ token' = [t \in Token |-> IF \E i \in DOMAIN results : results[i].token = t THEN "INVALID" ELSE token[t]]
  /\ UNCHANGED qp

\* For CanInvalidate of Tokens: NdkInvalidate succeeds whatever the token.
InvalidateAlwaysSucceeds(t) == TRUE

\* For CanEnd of QueuePair: an aborted connection goes on.
AbortedGoesOn(state, queue, outcome) == state # "IDLE"

\* For Received of QueuePair: the receiver does not hear which token it was.
TokenNotTold(r, m) == [r EXCEPT !.phase = "SUCCESS", !.solicit = m.solicit]

\* For Received of QueuePair: the receiver hears of another token than the one that was invalidated.
OtherTokenTold(r, m) ==
  [r EXCEPT !.phase = "SUCCESS", !.solicit = m.solicit,
            !.token = IF m.op = "SendAndInvalidate" THEN CHOOSE t \in Token : t # m.token ELSE NoToken]

\* For Received of QueuePair: the sender's flag is lost on the way.
SolicitNotTold(r, m) ==
  [r EXCEPT !.phase = "SUCCESS", !.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken]

\* For Break of QueuePair: the QPs do not notice that their CQ failed.
QpsSurviveCqError(P) == UNCHANGED qp

\* For LeavesCompletion of QueuePair: a silent success leaves a completion all the same.
SilenceIsBroken(r) == TRUE

\* For Remaining of CompletionQueue: what was delivered stays in the CQ.
DeliveredStays(entries, results) == entries

\* For Batches of CompletionQueue: the newest comes first.
NewestFirst(r, nresults) ==
  LET k == Min(nresults, Len(r.entries)) IN {[i \in 1..k |-> r.entries[k + 1 - i]]}

\* For CanAbort of Tokens: a good token ends the connection.
GoodTokenAborts(m) == m.op = "SendAndInvalidate"

\* For Validates of Tokens: a registration does not make its token valid.
NothingValidates(r) == FALSE

\* For Execute of Tokens: a registration that failed does, too.  (Else the budget has NdkInvalidate only.)
FailureValidates(r, outcome) ==
  CASE r.op = "FastRegister" /\ outcome # "CANCELLED"     -> Tk!Become(r.token, "VALID")
    [] r.op = "Invalidate" /\ outcome = "SUCCESS"         -> Tk!CanInvalidate(r.token) /\ Tk!Become(r.token, "INVALID")
    [] OTHER                                              -> UNCHANGED token

\* For ReadThatInvalidates of Tokens: an adapter that has to ignore the flag does not.
ReadsInvalidateAnyway(r) == r.op = "Read" /\ r.token # NoToken

\* For ReadThatInvalidates of Tokens: an adapter that has the flag ignores it.
ReadsInvalidateNothing(r) == FALSE

\* For Cancel of Tokens: a token is as good after a read that failed as before.
CancelledReadsLeaveTokens(requests) == UNCHANGED token

\* For CanAccess of Tokens: memory can be reached through an invalid token.
AccessAnyway(t) == TRUE

\* For CanPost and CanRefuse of Tokens: NdkInvalidate of a dead token may be accepted, or refused, in any reading.
DeadTokenAnyway(r, queue) == TRUE

\* For TypeOf of QueuePair: NdkSendAndInvalidate completes as what it is.
TypeIsOperation(r) ==
  IF r.op = "Receive" /\ r.phase = "SUCCESS" /\ r.token # NoToken THEN "ReceiveAndInvalidate"
  ELSE IF r.op = "SendAndInvalidate" THEN "Invalidate" ELSE r.op

\* For TypeOf of QueuePair: a receive does not say that it invalidated a token.
TypeIsReceive(r) == IF r.op = "SendAndInvalidate" THEN "Send" ELSE r.op

\* For NextReceive of QueuePair: a message takes the newest receive.
TakesNewestReceive(b) == Len(qp[b].receive)

\* For ByItself of Ndk: a message succeeds without a receive.
SucceedsUnreceived(r) == r.op # "Receive"

\* For ByItself of Ndk: a receive succeeds without a message.
ReceivesNothing(r) == r.op \notin {"Send", "SendAndInvalidate"}

\* For IsAnswered of Ndk: a read succeeds whatever became of the other end.
AnsweredAnyway(p, r) == TRUE

\* For CqOf of Ndk: what a QP receives completes where its sends do, and the other way round.
CqsSwapped(p, queue) == IF queue = "receive" THEN InitiatorCq[p] ELSE ReceiveCq[p]

\* For Complete of Ndk: a request leaves its queue, and nothing tells.
CompletesUnseen(p, queue, i) == Qp!Complete(p, queue, i) /\ UNCHANGED <<cq, token>>

\* For CanComplete of QueuePair: a request completes only when another pushes it on.
LastStaysBehind(p, queue, i) == i = 1 /\ Len(qp[p][queue]) > 1 /\ qp[p][queue][1].phase \in Outcomes

\* For WaitsForRoom of Ndk: a full CQ overflows though nothing comes.
OverflowsForNothing(p, queue) == TRUE

\* For NdkFlush of QueuePair: it reaches the other QPs.
FlushReachesOthers(p) ==
  /\ ~Qp!Closing(qp[p].state)
  /\ qp' = [other \in QP |-> IF Qp!Closing(qp[other].state) THEN qp[other] ELSE Qp!Flushed(qp[other])]

\* For CompletionLost of Ndk: a completion that has no place because its CQ failed stays on its way for ever.
NothingIsLost(p, queue, i) == FALSE

\* For QpsAreClosed of Ndk: the close of a CQ waits for no QP; not for the callback that tells of its close; for ever.
CqClosesFirst(q) == TRUE
CqClosesInCallback(q) == \A p \in QP : qp[p].state \in {"COMPLETING", "CLOSED"}
CqNeverCloses(q) == FALSE

\* For Drop of CompletionQueue: completions of a closed QP stay, though it is read that they vanish.
DropsNothing(p) == UNCHANGED cq

\* For NdkCloseCompletionEnter of Ndk: they vanish, though it is read that they stay.
DropsAnyway(p, dropped) == Qp!NdkCloseCompletionEnter(p) /\ Cq!Drop(p) /\ UNCHANGED token

\* For HasPlace of MCNdk: the consumer does not ask for a place.
PostsWithoutPlace(p, queue) == TRUE
=============================================================================
