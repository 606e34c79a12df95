------------------------------ MODULE RankChain ------------------------------
(***************************************************************************)
(* Why no request stays deferred, however long its chain, if the consumer  *)
(* ends its chains (DEF-06, LivenessWithChainsEnded): it has a post in     *)
(* reserve for that, and a QP that is closing cancels what is deferred.    *)
(* RankQueuePair says what becomes of the request then.                    *)
(***************************************************************************)
EXTENDS ProofQueuePair

CONSTANTS Number, Place   \* any number of a request, and any place in the queue

DeferredAt(p, i) == i \in DOMAIN qp[p].initiator /\ qp[p].initiator[i].req = Number /\ Deferred(qp[p].initiator[i])

Outstanding == \A p \in QP : DeferredAt(p, Place)

\* The rank is 1 before the close begins, and 0 afterwards.
Helpers == {"Consumer", "Close"}
HelpsConsumer == \A p \in QP : ~Closing(qp[p].state)
HelpsClose == \A p \in QP : Closing(qp[p].state)
ConsumerDoes == \E p \in QP : EndChain(p)
CloseDoes == \E p \in QP : CloseBegins(p)

\* It is not deferred any more, wherever it is.
GoesOn == \A p \in QP : \A i \in DOMAIN qp[p].initiator : qp[p].initiator[i].req = Number => ~Deferred(qp[p].initiator[i])

\* A step leaves it where it is, or one place nearer, and no close is taken back.
NotRaised ==
  GoesOn' \/ \A p \in QP : /\ \E i \in {Place, Place - 1} : DeferredAt(p, i)'
                            /\ Closing(qp[p].state) => Closing(qp'[p].state)
Lowered == GoesOn'
=============================================================================
