---------------------------- MODULE RankQueuePair ----------------------------
(***************************************************************************)
(* Why every request of an initiator queue that is not deferred completes  *)
(* in the end, however many are before it: its place falls.  The adapter   *)
(* executes the oldest request, or completes it, and each lowers the rank  *)
(* of all behind it; no step raises it.  So weak fairness of the two       *)
(* (QpFairness) leads to the completion.                                   *)
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
CompletionDoes == \E p \in QP : \E i \in Oldest(WithOutcome(qp[p].initiator)) : Complete(p, "initiator", i)

\* It has completed: no place of the queue has it.
Gone == \A p \in QP : \A i \in DOMAIN qp[p].initiator : qp[p].initiator[i].req # Number

\* A step leaves it where it is, or one place nearer.
NotRaised ==
  Gone' \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ RankAt(p, i)' <= RankAt(p, Place)
Lowered ==
  Gone' \/ \A p \in QP : \E i \in {Place, Place - 1} : GoesOn(p, i)' /\ RankAt(p, i)' < RankAt(p, Place)
=============================================================================
