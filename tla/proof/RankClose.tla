------------------------------ MODULE RankClose ------------------------------
(***************************************************************************)
(* Why every close of a CQ completes in the end (CloseCompletes), however  *)
(* many callbacks are owed.  While the CQ is being closed no arm is made:  *)
(* the callbacks that may still come are those of the arms that wait,      *)
(* those that are owed, and one for an error.  Each is entered and returns *)
(* once.                                                                   *)
(***************************************************************************)
EXTENDS ProofCompletionQueue

One(condition) == IF condition THEN 1 ELSE 0

\* The callbacks that may still begin.
ToCome(r) == r.waiting + r.due + One(r.errorDue) + One(r.health = "OK")

\* The steps until a resize is answered.
ToAnswer(r) ==
  CASE r.resize = "NONE" -> 0 [] r.resize = "TOLD" -> 1 [] r.resize \in {"DONE", "REFUSED"} -> 2 [] r.resize = "ASKED" -> 3

Rank(r) == 2 * ToCome(r) + One(r.running) + ToAnswer(r)

Outstanding == \A q \in CQ : cq[q].open = "CLOSING"

\* A callback that runs returns, then a resize is answered, then the close completes.
Helpers == {"Return", "Resize", "Answer", "Answered", "Close"}
Helper(r) ==
  CASE r.running                         -> "Return"
    [] r.resize = "ASKED"                -> "Resize"
    [] r.resize \in {"DONE", "REFUSED"}  -> "Answer"
    [] r.resize = "TOLD"                 -> "Answered"
    [] OTHER                             -> "Close"
HelpsReturn == \A q \in CQ : Helper(cq[q]) = "Return"
HelpsResize == \A q \in CQ : Helper(cq[q]) = "Resize"
HelpsAnswer == \A q \in CQ : Helper(cq[q]) = "Answer"
HelpsAnswered == \A q \in CQ : Helper(cq[q]) = "Answered"
HelpsClose == \A q \in CQ : Helper(cq[q]) = "Close"
ReturnDoes == \E q \in CQ : NdkCqNotificationCallbackExit(q)
ResizeDoes == \E q \in CQ : Resize(q)
AnswerDoes == \E q \in CQ, outcome \in {"SUCCESS", "FAILED"} : NdkRequestCompletionEnter(q, outcome)
AnsweredDoes == \E q \in CQ : NdkRequestCompletionExit(q)
CloseDoes == \E q \in CQ : NdkCloseCompletion(q)

\* What CloseCompletes waits for.
Closed == \A q \in CQ : cq'[q].open = "CLOSED"

NotRaised ==
  \/ Closed
  \/ /\ Outstanding'
     /\ \A q \in CQ : Rank(cq'[q]) <= Rank(cq[q]) /\ (Helper(cq'[q]) # Helper(cq[q]) => Rank(cq'[q]) < Rank(cq[q]))
Lowered == Closed \/ (Outstanding' /\ \A q \in CQ : 0 <= Rank(cq'[q]) /\ Rank(cq'[q]) < Rank(cq[q]))
=============================================================================
