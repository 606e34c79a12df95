-------------------------- MODULE RankErrorReported --------------------------
(***************************************************************************)
(* Why a consumer that keeps arming its CQ learns of an error of the CQ in *)
(* the end (ErrorReported), however many callbacks are owed before.  An    *)
(* error that waits for an arm meets the next one; where too many          *)
(* callbacks are owed for the consumer to arm, they are entered first.  An *)
(* error that is owed its callback has it as RankErrorOwed says.           *)
(***************************************************************************)
EXTENDS ProofCompletionQueue

Running(r) == IF r.running THEN 1 ELSE 0
Rank(r) == IF r.errorDue THEN Running(r) ELSE 2 + 2 * r.due + Running(r)

Outstanding == \A q \in CQ : cq[q].health # "OK" /\ ~cq[q].reported /\ cq[q].open = "OPEN"

Helpers == {"Return", "Error", "Arm", "Success"}
Helper(r) ==
  CASE r.errorDue /\ ~r.running -> "Error"
    [] ~r.errorDue /\ MayArm(r) -> "Arm"
    [] r.running                -> "Return"
    [] OTHER                    -> "Success"
HelpsReturn == \A q \in CQ : Helper(cq[q]) = "Return"
HelpsError == \A q \in CQ : Helper(cq[q]) = "Error"
HelpsArm == \A q \in CQ : Helper(cq[q]) = "Arm"
HelpsSuccess == \A q \in CQ : Helper(cq[q]) = "Success"
ReturnDoes == \E q \in CQ : NdkCqNotificationCallbackExit(q)
ErrorDoes == \E q \in CQ, status \in CqErrors : NdkCqNotificationCallbackEnter(q, status)
ArmDoes == \E q \in CQ : \E type \in NotifyTypes : MayArm(cq[q]) /\ NdkArmCq(q, type)
SuccessDoes == \E q \in CQ : NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS")

\* What ErrorReported waits for.
IsReported == \A q \in CQ : cq'[q].reported \/ cq'[q].open # "OPEN"

\* Where the error callback can be entered, which has strong fairness, a step may raise the rank up to that of a callback that runs.
NotRaised ==
  \/ IsReported
  \/ /\ Outstanding'
     /\ \A q \in CQ : \/ Rank(cq'[q]) < Rank(cq[q])
                      \/ Rank(cq'[q]) = Rank(cq[q]) /\ Helper(cq'[q]) = Helper(cq[q])
                      \/ Helper(cq[q]) = "Error" /\ cq'[q].errorDue
Lowered == IsReported \/ (Outstanding' /\ \A q \in CQ : 0 <= Rank(cq'[q]) /\ Rank(cq'[q]) < Rank(cq[q]))
=============================================================================
