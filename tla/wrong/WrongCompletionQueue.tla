------------------------- MODULE WrongCompletionQueue -------------------------
(***************************************************************************)
(* Wrong rules for completion queues, each the idea of a bug that was made *)
(* somewhere.  A configuration puts one (of the name it has) in the place  *)
(* of an operator of CompletionQueue, and TLC must find the property       *)
(* broken that the configuration names.                                    *)
(***************************************************************************)
EXTENDS MCCompletionQueue

\* For Merge: the arm is a variable that each arm request overwrites.
LastArmWins(first, second) == second

\* For Merge: an arm request is ignored while one is outstanding.
FirstArmWins(first, second) == IF first = "NONE" THEN second ELSE first

\* For Match: the kind of a completion is compared with the arm for equality.
MatchByEquality(arm, c) == IF arm = (IF c.solicited THEN "SOLICITED" ELSE "ANY") THEN "MUST" ELSE "MUST NOT"

\* For Match: an error does not match a SOLICITED arm.
ErrorIsNotSolicited(arm, c) == IF arm = "ANY" \/ (arm = "SOLICITED" /\ c.solicited) THEN "MUST" ELSE "MUST NOT"

\* For Match: the sender's flag is not looked at.
SolicitBitIgnored(arm, c) == IF arm = "ANY" \/ (arm = "SOLICITED" /\ c.status # "SUCCESS") THEN "MUST" ELSE "MUST NOT"

\* For Match: SOLICITED is treated as ANY.
AnyCompletionIsSolicited(arm, c) == IF arm \in {"ANY", "SOLICITED"} THEN "MUST" ELSE "MUST NOT"

\* For Match: a completion calls back whether or not the CQ is armed.
NoArmNeeded(arm, c) == "MUST"

\* For AtArm: only completions that come later count.
EntriesAtArmIgnored(r, a) == "MUST NOT"

\* For AtArm: every arm request is satisfied at once.
EveryArmIsSatisfied(r, a) == "MUST"

\* For Disarmed: the arm is not cleared.
ArmStays(r) == r

\* For CanCallBack: a callback may begin while another runs.
CallbacksOverlap(r) == r.open # "CLOSED"

\* For CanCallBack: a callback may begin after close.
CallbackAfterClose(r) == Serialised => ~r.running

\* For AfterClose: close forgets that a callback is owed.
CloseForgetsCallbacks(r) == [Disarmed(r) EXCEPT !.open = "CLOSED", !.entries = <<>>, !.fresh = 0]

\* For CanFinishClose: close does not wait for a running callback.
CloseDuringCallback(r) == r.open = "CLOSING"

\* For AfterExit: the arm is cleared when the callback returns, and with it one that was made inside.
DisarmAfterCallback(r) == [Disarmed(r) EXCEPT !.running = FALSE]

\* For CanPlace: an overflow drops one completion, and the CQ goes on.
OverflowContinues(r) == r.open # "CLOSED" /\ Len(r.entries) < Capacity

\* For CanOverflow: the CQ has less room than was asked for.
OverflowWithRoom(r) == Len(r.entries) >= Depth - 1

\* For CanCallBack: the callback that is owed waits for a completion to report.
CallbackNeedsEntries(r) == r.open # "CLOSED" /\ (Serialised => ~r.running) /\ r.entries # <<>>

\* For CanFinishClose: close waits for the arm to be satisfied.
CloseWaitsForArm(r) == r.open = "CLOSING" /\ ~r.running /\ r.arm = "NONE"

\* For ErrorWaits: an error that finds no arm is forgotten.
ErrorForgotten(r) == FALSE
=============================================================================
