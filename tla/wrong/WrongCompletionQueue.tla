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

\* For AfterArm, Satisfied and AfterPoll, with EntriesAtArmIgnored for AtArm: an arm takes effect at the next poll.
ArmSleeps(r, type) == [r EXCEPT !.arm = Merge(@, type)]
SleeperIsNotSatisfied(r, w) == IF w = 0 THEN {r} ELSE {[Disarmed(r) EXCEPT !.due = d] : d \in Owe(r.due, w)}
PollWakesArm(r, results) ==
  LET rest == Remaining(r.entries, results) IN
  [r EXCEPT !.entries = rest, !.fresh = Min(@, Len(rest)), !.waiting = IF r.arm = "NONE" THEN 0 ELSE 1]

\* For AfterArm: the third arm request in a row breaks the arm.
ThirdArmBreaks(r, type) ==
  IF r.waiting = 2 THEN Disarmed(r) ELSE [r EXCEPT !.arm = Merge(@, type), !.waiting = @ + 1]

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

\* For AtArm: a fresh completion of another kind obliges nobody, though it is read that any does.
FreshOfAnotherKindIgnored(r, a) ==
  IF \E c \in Fresh(r) : Match(a, c) = "MUST" THEN FreshAtArm ELSE IF r.entries # <<>> THEN OldAtArm ELSE "MUST NOT"

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
OverflowContinues(r) == r.open # "CLOSED" /\ Len(r.entries) < Capacity(r)

\* For CanOverflow: the CQ has less room than was asked for.
OverflowWithRoom(r) == Len(r.entries) >= r.depth - 1

\* For CanCallBack: the callback that is owed waits for a completion to report.
CallbackNeedsEntries(r) == r.open # "CLOSED" /\ (Serialised => ~r.running) /\ r.entries # <<>>

\* For CanFinishClose: close waits for the arm to be satisfied.
CloseWaitsForArm(r) == r.open = "CLOSING" /\ ~r.running /\ r.arm = "NONE"

\* For Told: an error needs an arm, whatever the reading (A1).
ErrorNeedsArm(r) == IF r.arm # "NONE" THEN {[Disarmed(r) EXCEPT !.errorDue = TRUE]} ELSE {r}

\* For Aged: what a callback has reported stays fresh.
ReportedStaysFresh(r) == r

\* For AfterExit: what came while the callback ran stays fresh (A3).
ReturnReportsNothing(r) == [r EXCEPT !.running = FALSE]

\* For AfterPlace: what comes before the first callback is fresh (A26).
FreshFromTheFirst(r, c) == [r EXCEPT !.entries = Append(@, c), !.fresh = @ + 1]

\* For HasCause: a callback that is owed begins on an empty CQ too (A6).
CallbackOnEmpty(r) == TRUE

\* For Bounded: callbacks are owed without a bound (A24).
DebtGrows(d) == TRUE

\* For AtArm: what was polled is forgotten (A25).
PolledForgotten(r, a) == IF \E c \in Fresh(r) : Match(a, c) = "MUST" THEN FreshAtArm ELSE OldAtArm

\* For AtExit: an arm made in the callback is never looked at (A28).
ReturnDoesNotLook(r) == {AfterExit(r)}

\* For BatchSizes: a poll returns what there is, whether or not it has room.
PollOverfills(r, nresults) == {Len(r.entries)}

\* For BatchSizes: a poll may leave everything behind.
PollEmptyHanded(r, nresults) == 0..Min(nresults, Len(r.entries))

\* For BatchSizes: a poll may leave something behind (A7).
PollStopsShort(r, nresults) == IF r.entries = <<>> THEN {0} ELSE 1..Min(nresults, Len(r.entries))

\* For BatchSizes: a failed CQ keeps what it has (A33).
FailedCqKeeps(r, nresults) == IF r.health # "OK" THEN {0} ELSE {Min(nresults, Len(r.entries))}

\* For AfterResize: what does not fit into the new depth is lost.
ResizeLoses(r) ==
  LET kept == SubSeq(r.entries, 1, Min(r.asked, Len(r.entries))) IN
  [r EXCEPT !.resize = "DONE", !.depth = r.asked, !.asked = 0, !.entries = kept, !.fresh = Min(@, Len(kept))]

\* For AfterRefusedResize: the CQ has the new depth all the same.
RefusedResizeChanges(r) == [r EXCEPT !.resize = "REFUSED", !.depth = r.asked, !.asked = 0]

\* For CanResize: a resize below what the CQ holds succeeds (A16).
ShrinkSucceeds(r) == TRUE

\* For NdkRequestCompletionEnter: nobody tells how the resize ended.
ResizeUnanswered(q, outcome) == FALSE

\* For CanFinishClose: close does not wait for a resize.
CloseDuringResize(r) == r.open = "CLOSING" /\ ~r.running

\* For AfterClose: the close fails, and the CQ is open again.
CloseFails(r) == [r EXCEPT !.open = "OPEN"]

\* For CanPlace: a completion comes after close.
PlacesAfterClose(r) == r.health = "OK" /\ Len(r.entries) < Capacity(r)

\* For AtArm: every completion counts, where old ones must not.
OldSatisfiesArm(r, a) == IF r.entries # <<>> THEN "MUST" ELSE "MUST NOT"

\* For Owe: an arm that is satisfied while a callback is owed adds none, though it is read that it does (A2).
ArmIsSwallowed(d, w) == {IF d = 0 THEN 1 ELSE d}

\* For Beside: an error takes the callback that is owed for completions, though it is read that it has one of its own (A2).
ErrorTakesCallback(d) == {IF d = 0 THEN 0 ELSE d - 1}

\* For ErrorWaits: an error is told to every arm.
ErrorToldAgain(r) == Reading.A1 = "KEPT" /\ ErrorsArm /\ r.health # "OK" /\ ~r.errorDue

\* For ErrorWaits: an error that finds no arm is forgotten.
ErrorForgotten(r) == FALSE
=============================================================================
