----------------------------- MODULE RankCloseQp -----------------------------
(***************************************************************************)
(* Why every close of a QP completes in the end (CloseQpCompletes), however*)
(* many requests it has: the close cancels what is pending, what is left   *)
(* completes, and nothing is posted any more.                              *)
(***************************************************************************)
EXTENDS ProofQueuePair

PendingIn(p) == \E queue \in Queues : \E i \in DOMAIN qp[p][queue] : Pending(qp[p][queue][i])
Rank(p) ==
  CASE qp[p].state = "CLOSED"      -> 0
    [] qp[p].state = "COMPLETING"  -> 1
    [] qp[p].state = "CLOSING"     -> 2 + Len(qp[p].initiator) + Len(qp[p].receive) + (IF PendingIn(p) THEN 1 ELSE 0)
    [] OTHER                       -> 4 + Len(qp[p].initiator) + Len(qp[p].receive)

Outstanding == \A p \in QP : Closing(qp[p].state) /\ qp[p].state # "CLOSED"

Begins(p) == qp[p].state = "CLOSE WAITS" \/ (qp[p].state = "CLOSING" /\ PendingIn(p))
Drains(p) == qp[p].state = "CLOSING" /\ ~PendingIn(p)
Helpers == {"Close", "Initiator", "Receive", "Enter", "Exit"}
HelpsClose == \A p \in QP : Begins(p)
HelpsInitiator == \A p \in QP : Drains(p) /\ qp[p].initiator # <<>>
HelpsReceive == \A p \in QP : Drains(p) /\ qp[p].initiator = <<>> /\ qp[p].receive # <<>>
HelpsEnter == \A p \in QP : CanFinishClose(qp[p])
HelpsExit == \A p \in QP : qp[p].state = "COMPLETING"
CloseDoes == \E p \in QP : CloseBegins(p)
InitiatorDoes == \E p \in QP : \E i \in Oldest(WithOutcome(qp[p].initiator)) : Complete(p, "initiator", i)
ReceiveDoes == \E p \in QP : \E i \in Oldest(WithOutcome(qp[p].receive)) : Complete(p, "receive", i)
EnterDoes == \E p \in QP : NdkCloseCompletionEnter(p)
ExitDoes == \E p \in QP : NdkCloseCompletionExit(p)

\* What CloseQpCompletes waits for.
IsClosed == \A p \in QP : qp'[p].state = "CLOSED"

\* Where the rank stays, so does the helper.
NotRaised ==
  IsClosed \/ (Outstanding' /\ \A p \in QP : \/ Rank(p)' < Rank(p)
                                             \/ /\ Rank(p)' = Rank(p)
                                                /\ Begins(p)' = Begins(p)
                                                /\ (qp'[p].initiator = <<>>) = (qp[p].initiator = <<>>)
                                                /\ qp'[p].state = qp[p].state)
Lowered == IsClosed \/ (Outstanding' /\ \A p \in QP : 0 <= Rank(p)' /\ Rank(p)' < Rank(p))
=============================================================================
