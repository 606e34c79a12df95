------------------------ MODULE WrongSharedReceiveQueue ------------------------
(***************************************************************************)
(* Wrong rules for shared receive queues.  A configuration puts one (of    *)
(* the name it has) in the place of an operator of SharedReceiveQueue, and *)
(* TLC must find the property broken that the configuration names.         *)
(***************************************************************************)
EXTENDS MCSharedReceiveQueue

\* For AtModify: an arm does not look at what is queued.
LowIgnoredAtArm(r) == {r}

\* For Left: a receive that leaves goes unnoticed.
LeavingUnnoticed(r, n) == {n}

\* For Low: the callback comes when as many receives are left as the threshold says.
LowAtThreshold(r) == Count(r) <= r.threshold

\* For AfterBegin: a callback clears the arm, and with it one that was made since it fell due.
BeginDisarms(r) == [r EXCEPT !.running = IF Serialised THEN @ + 1 ELSE @, !.waiting = 0]

\* For AskedOr: 0 is taken for what is asked.
ZeroIsAsked(asked, present) == asked

\* For Answered: a modification empties the queue.
ModifyEmpties(r) == [r EXCEPT !.modify = "DONE", !.asked = NothingAsked, !.queued = 0]

\* For Answered: it opens an SRQ again that is being closed.
ModifyReopens(r) == [r EXCEPT !.modify = "DONE", !.asked = NothingAsked, !.open = "OPEN"]

\* For Answered: it is never done.
ModifyNeverDone(r) == [r EXCEPT !.asked = NothingAsked]

\* For AsksToArm: nobody looks whether there is somebody to call back.
ArmsWithoutCallback(r) == r.asked.threshold > 0

\* For AfterModify: an error is owed again to whoever modifies the SRQ.
SrqErrorToldAgain(r) == {[Answered(r) EXCEPT !.errorDue = r.health # "OK"]}

\* For Works: an SRQ goes on after it has told of an error.
FailedSrqWorks(r) == r.open # "CLOSED"

\* For Works: and one that is closed still has QPs.
ClosedSrqWorks(r) == ~r.reported

\* For LastIsDone: what ends a QP empties the SRQ.
FlushReachesSrq(r, u) == [r EXCEPT !.queued = 0]

\* For LastIsDone: the event comes when the QP ends, whatever it has taken.
LastWqeAtOnce(r, u) == IF u \in r.ended THEN [r EXCEPT !.lastDue = @ \union {u}] ELSE r

\* For AfterTake: a message takes the receive for another QP than it came to.
AnotherQpTakes(r, u) == [r EXCEPT !.queued = @ - 1, !.taken = Append(@, CHOOSE v \in User : v # u)]

\* For AfterComplete: what a QP has taken is lost when it ends.
EndedCompletesNothing(r, u) == IF u \in r.ended THEN r ELSE LastIsDone([r EXCEPT !.taken = WithoutFirst(@, u)], u)

\* For Notified: the arm is not cleared.
SrqArmStays(r) == {[r EXCEPT !.due = d] : d \in OweLow(r)}

\* For CanFinishClose: a close does not wait for a running callback.
CloseDuringSrqCallback(r) == r.open = "CLOSING" /\ r.modify = "NONE" /\ r.taken = <<>>

\* For CanFinishClose: nor for a pending modification.
CloseDuringModify(r) == r.open = "CLOSING" /\ r.running = 0 /\ r.taken = <<>>

\* For CanFinishClose: it waits until every receive has been taken.
CloseWaitsForReceives(r) == r.open = "CLOSING" /\ r.running = 0 /\ r.modify = "NONE" /\ r.queued + Len(r.taken) = 0

\* For CanCallBack: the callback that is owed waits for a receive.
CallbackNeedsReceives(r) == r.open # "CLOSED" /\ r.queued > 0

\* For CanCallBack: the callback that tells of an error waits for an arm.
ErrorNeedsSrqArm(r) == r.open # "CLOSED" /\ (r.due > 0 \/ r.waiting > 0)
=============================================================================
