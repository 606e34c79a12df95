---------------------------- MODULE RankErrorOwed ----------------------------
(***************************************************************************)
(* Why the callback that reports an error of a CQ is entered in the end    *)
(* once it is owed (OwedCallbackEntered), though callbacks for completions *)
(* may come before it again and again.  Whenever none runs it can be       *)
(* entered, and one that runs returns: so strong fairness has it entered.  *)
(***************************************************************************)
EXTENDS ProofCompletionQueue

Outstanding == \A q \in CQ : cq[q].errorDue

Helpers == {"Return", "Error"}
HelpsReturn == \A q \in CQ : cq[q].running
HelpsError == \A q \in CQ : ~cq[q].running
ReturnDoes == \E q \in CQ : NdkCqNotificationCallbackExit(q)
ErrorDoes == \E q \in CQ, status \in CqErrors : NdkCqNotificationCallbackEnter(q, status)

\* What OwedCallbackEntered waits for.
HasBegun == \A q \in CQ : ~cq'[q].errorDue

\* The rank is 1 while a callback runs, or else 0: no step raises it where it is 1.  A step may raise it where it is 0, since what has
\* strong fairness needs to be enabled again and again, and not all the time.
NotRaised == HasBegun \/ Outstanding'
Lowered == HasBegun \/ (Outstanding' /\ \A q \in CQ : cq[q].running /\ ~cq'[q].running)
=============================================================================
