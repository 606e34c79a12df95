----------------------------- MODULE RankResize ------------------------------
(***************************************************************************)
(* Why every resize of a CQ is answered in the end (ResizeIsAnswered), also*)
(* while the CQ is being closed.  The rank is how many steps its answer is *)
(* away.  No other step touches a resize.                                  *)
(***************************************************************************)
EXTENDS ProofCompletionQueue

Rank(r) == CASE r.resize = "NONE" -> 0 [] r.resize = "TOLD" -> 1 [] r.resize \in {"DONE", "REFUSED"} -> 2 [] r.resize = "ASKED" -> 3

Outstanding == \A q \in CQ : cq[q].resize # "NONE"

Helpers == {"Resize", "Answer", "Return"}
HelpsResize == \A q \in CQ : cq[q].resize = "ASKED"
HelpsAnswer == \A q \in CQ : cq[q].resize \in {"DONE", "REFUSED"}
HelpsReturn == \A q \in CQ : cq[q].resize = "TOLD"
ResizeDoes == \E q \in CQ : Resize(q)
AnswerDoes == \E q \in CQ, outcome \in {"SUCCESS", "FAILED"} : NdkRequestCompletionEnter(q, outcome)
ReturnDoes == \E q \in CQ : NdkRequestCompletionExit(q)

\* The rank says which helper helps.
NotRaised == \A q \in CQ : Rank(cq'[q]) <= Rank(cq[q])
Lowered == \A q \in CQ : 0 <= Rank(cq'[q]) /\ Rank(cq'[q]) < Rank(cq[q])
=============================================================================
