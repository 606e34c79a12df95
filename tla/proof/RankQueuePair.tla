---------------------------- MODULE RankQueuePair ----------------------------
(***************************************************************************)
(* Why every request of an initiator queue that is not deferred completes  *)
(* in the end, however many are before it: its place falls.  The adapter   *)
(* executes the oldest request, or completes it, and each lowers the rank  *)
(* of all behind it; no step raises it.  So weak fairness of the two       *)
(* (QpFairness) leads to the completion.  RankChain says why a deferred    *)
(* request does not stay so, RankReceive the same of a receive that no     *)
(* message can fill any more.  With the claims below,                      *)
(* EveryRequestCompletes, FlushCompletesAll, EndedCompletesAll and         *)
(* NothingStranded follow.                                                 *)
(***************************************************************************)
EXTENDS ProofQueuePair

CONSTANTS Number, Place   \* any number of a request, and any place in the queue

InQueue(p, i) == i \in DOMAIN qp[p].initiator /\ qp[p].initiator[i].req = Number
GoesOn(p, i) == InQueue(p, i) /\ ~Deferred(qp[p].initiator[i])

\* Two steps for each request before it and for itself; the first one needs both as long as it has no outcome.
RankAt(p, i) == 2 * i + (IF Pending(qp[p].initiator[1]) THEN 1 ELSE 0)

\* The request is there, and nothing defers it.
Outstanding == \A p \in QP : GoesOn(p, Place)

Helpers == {"Execution", "Completion"}
HelpsExecution == \A p \in QP : Pending(qp[p].initiator[1])
HelpsCompletion == \A p \in QP : ~Pending(qp[p].initiator[1])
ExecutionDoes ==
  \E p \in QP : \E i \in Oldest(WithoutOutcome(qp[p].initiator)), outcome \in Outcomes : Execute(p, "initiator", i, outcome)
CompletionDoes == \E p \in QP : \E i \in Oldest(WithOutcome(qp[p].initiator)) : MCComplete(p, "initiator", i)

\* It is done in this step (Done).
IsDone ==
  \A p \in QP : LET n == Len(left'[p])  last == left'[p][n] IN
    n > Len(left[p]) /\ last.req = Number /\ (last.told \/ Silenced(last))

\* A step leaves it where it is, or one place nearer.
NotRaised ==
  IsDone \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ RankAt(p, i)' <= RankAt(p, Place)
Lowered ==
  IsDone \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ 0 <= RankAt(p, i)' /\ RankAt(p, i)' < RankAt(p, Place)

-----------------------------------------------------------------------------
(***************************************************************************)
(* Where a request is whose completion is awaited.  It was posted: so by   *)
(* induction, on paper, it is in its queue, or has left it, or was refused.*)
(* What has left its queue is done (FailureIsTold).                        *)
(***************************************************************************)

\* What is posted comes into its queue, or is refused.
PostIsKept ==
  [][\A p \in QP : posts'[p] # posts[p] =>
       /\ posts'[p] = posts[p] + 1
       /\ \/ \E m \in refused'[p] : m.req = posts'[p]
          \/ \E queue \in Queues : LET new == qp'[p][queue] IN Len(new) > 0 /\ new[Len(new)].req = posts'[p]]_vars

\* What is in a queue stays there, at its place or one place nearer, or leaves it.
RequestIsKept ==
  [][\A p \in QP, queue \in Queues :
       Place \in DOMAIN qp[p][queue] /\ qp[p][queue][Place].req = Number =>
         \/ \E i \in {Place - 1, Place} : i \in DOMAIN qp'[p][queue] /\ qp'[p][queue][i].req = Number
         \/ Len(left'[p]) > 0 /\ left'[p][Len(left'[p])].req = Number]_vars

\* What has left its queue, or was refused, is remembered.
OutcomeIsKept ==
  [][\A p \in QP : /\ Place \in DOMAIN left[p] => Place \in DOMAIN left'[p] /\ left'[p][Place] = left[p][Place]
                   /\ \A m \in refused[p] : m \in refused'[p]]_vars

\* What a flush had to cancel was not refused.
FlushedWasAccepted == \A p \in QP : Number \in flushed[p] => \A m \in refused[p] : m.req # Number

\* DEF-05: what is deferred was posted after all that was refused.
RefusalLeavesNoneDeferred ==
  \A p \in QP : \A i \in DOMAIN qp[p].initiator : Deferred(qp[p].initiator[i]) =>
    \A m \in refused[p] : m.queue = "initiator" => m.req < qp[p].initiator[i].req
=============================================================================
