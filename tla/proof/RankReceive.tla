----------------------------- MODULE RankReceive -----------------------------
(***************************************************************************)
(* Why every receive completes in the end that has its outcome, or that no *)
(* message can fill any more: the QP was disconnected, is closing, or is in*)
(* the error state of libibverbs.  As for requests of the initiator queue  *)
(* (RankQueuePair), its place falls.                                       *)
(***************************************************************************)
EXTENDS ProofQueuePair

CONSTANTS Number, Place   \* any number of a request, and any place in the queue

\* No message comes any more, and no flush is needed.
NoneComes(p) == qp[p].state \in {"DISCONNECTED", "CLOSING"} \/ (ErrorState /\ qp[p].state = "ENDED")

InQueue(p, i) == i \in DOMAIN qp[p].receive /\ qp[p].receive[i].req = Number
GoesOn(p, i) == InQueue(p, i) /\ (Executed(qp[p].receive[i]) \/ NoneComes(p))
RankAt(p, i) == 2 * i + (IF Pending(qp[p].receive[1]) THEN 1 ELSE 0)

Outstanding == \A p \in QP : GoesOn(p, Place)

Helpers == {"Execution", "Completion"}
HelpsExecution == \A p \in QP : Pending(qp[p].receive[1])
HelpsCompletion == \A p \in QP : ~Pending(qp[p].receive[1])
ExecutionDoes ==
  \E p \in QP : ~MayWait(p, "receive") /\ \E i \in Oldest(WithoutOutcome(qp[p].receive)) : Execute(p, "receive", i, "CANCELLED")
CompletionDoes == \E p \in QP : \E i \in Oldest(WithOutcome(qp[p].receive)) : MCComplete(p, "receive", i)

\* It is done in this step (Done).
IsDone ==
  \A p \in QP : LET n == Len(left'[p])  last == left'[p][n] IN
    n > Len(left[p]) /\ last.req = Number /\ (last.told \/ Silenced(last))

NotRaised ==
  IsDone \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ RankAt(p, i)' <= RankAt(p, Place)
Lowered ==
  IsDone \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ 0 <= RankAt(p, i)' /\ RankAt(p, i)' < RankAt(p, Place)
=============================================================================
