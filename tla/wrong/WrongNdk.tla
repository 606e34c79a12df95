------------------------------- MODULE WrongNdk -------------------------------
(***************************************************************************)
(* Wrong rules for tokens and the whole: see WrongCompletionQueue.  The    *)
(* configuration says of which module the operator is.                     *)
(***************************************************************************)
EXTENDS MCNdk

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
AbortedGoesOn(state, outcome) == state # "IDLE"

\* For Received of QueuePair: the receiver does not hear which token it was.
TokenNotTold(r, m) == [r EXCEPT !.phase = "SUCCESS", !.solicit = m.solicit]

\* For Received of QueuePair: the sender's flag is lost on the way.
SolicitNotTold(r, m) ==
  [r EXCEPT !.phase = "SUCCESS", !.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken]

\* For Break of QueuePair: the QPs do not notice that their CQ failed.
QpsSurviveCqError(P) == UNCHANGED qp

\* For Remaining of CompletionQueue: what was delivered stays in the CQ.
DeliveredStays(entries, results) == entries

\* For Batches of CompletionQueue: the newest comes first.
NewestFirst(r, nresults) ==
  LET k == Min(nresults, Len(r.entries)) IN {[i \in 1..k |-> r.entries[k + 1 - i]]}
=============================================================================
