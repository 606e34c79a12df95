------------------------------ MODULE RankOwed -------------------------------
(***************************************************************************)
(* Why a callback that is owed for completions is entered in the end       *)
(* (OwedCallbackEntered): their number does not stay the same, whatever it *)
(* is.  A callback that runs returns; then one is entered.  Only the one   *)
(* callback that reports an error of the CQ may come between.              *)
(***************************************************************************)
EXTENDS ProofCompletionQueue

CONSTANT Due   \* any number of callbacks

\* How far the error of the CQ is from its report.
ToReport(r) == IF r.errorDue THEN 1 ELSE IF r.reported THEN 0 ELSE 2
Rank(r) == 2 * ToReport(r) + (IF r.running THEN 1 ELSE 0)

Outstanding == \A q \in CQ : cq[q].due = Due /\ Due > 0

Helpers == {"Return", "Error", "Success"}
Helper(r) == IF r.running THEN "Return" ELSE IF TellsErrorFirst(r) THEN "Error" ELSE "Success"
HelpsReturn == \A q \in CQ : Helper(cq[q]) = "Return"
HelpsError == \A q \in CQ : Helper(cq[q]) = "Error"
HelpsSuccess == \A q \in CQ : Helper(cq[q]) = "Success"
ReturnDoes == \E q \in CQ : NdkCqNotificationCallbackExit(q)
ErrorDoes == \E q \in CQ, status \in CqErrors : NdkCqNotificationCallbackEnter(q, status)
SuccessDoes == \E q \in CQ : NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS")

\* What OwedCallbackEntered waits for.
Changed == \A q \in CQ : cq'[q].due # Due

NotRaised ==
  \/ Changed
  \/ \A q \in CQ : Rank(cq'[q]) <= Rank(cq[q]) /\ (Helper(cq'[q]) # Helper(cq[q]) => Rank(cq'[q]) < Rank(cq[q]))
Lowered == Changed \/ \A q \in CQ : 0 <= Rank(cq'[q]) /\ Rank(cq'[q]) < Rank(cq[q])
=============================================================================
