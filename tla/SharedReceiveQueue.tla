-------------------------- MODULE SharedReceiveQueue --------------------------
(***************************************************************************)
(* Shared receive queues (SRQ): posting, taking, arming, notification,     *)
(* errors, closing.                                                        *)
(*                                                                         *)
(* Several QPs take their receives from one queue: a message that comes to *)
(* any of them takes the oldest, which completes on the receive CQ of that *)
(* QP (SRQ-10).  So the consumer counts the receives of all its QPs        *)
(* together, and asks to be called back when few are left: fewer than a    *)
(* threshold.  One such request buys one callback.                         *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  SRQ,           \* the shared receive queues
  User,          \* the QPs that take their receives from them
  SrqDepth,      \* SrqDepth of NdkCreateSrq: for so many receives the consumer asked room
  SrqThreshold,  \* NotifyThreshold of NdkCreateSrq, or 0
  HasCallback    \* SrqNotification of NdkCreateSrq is not NULL

VARIABLE srq

SrqHealths == {"OK", "STATUS_INTERNAL_ERROR"}
SrqStatuses == {"STATUS_SUCCESS", "STATUS_INTERNAL_ERROR"}   \* what a callback can be told (SRQ-08)

SrqTypeOK ==
  \A s \in SRQ :
    LET r == srq[s] IN
    /\ r.queued \in Nat                          \* receives that were posted, and that no message has taken
    /\ \A i \in DOMAIN r.taken : r.taken[i] \in User   \* of each that was taken, and has not completed: the QP that took it
    /\ r.depth \in Nat \ {0}
    /\ r.threshold \in Nat
    /\ r.waiting \in Nat                         \* arms that wait for the SRQ to run low
    /\ SecondArm = "MERGE" => r.waiting <= 1
    /\ r.due \in Nat                             \* callbacks owed: an arm is satisfied, none has begun for it
    /\ r.errorDue \in BOOLEAN                    \* the one callback that reports an error of the SRQ is owed
    /\ r.running \in Nat                         \* callbacks that have begun and not returned
    /\ Serialised \/ r.running = 0               \* (an event that is read does not run)
    /\ r.health \in SrqHealths
    /\ r.reported \in BOOLEAN                    \* the error callback has begun
    /\ r.modify \in {"NONE", "ASKED", "DONE"}    \* how far a call of NdkModifySrq has come
    /\ {r.asked.depth, r.asked.threshold} \subseteq Nat      \* what it asks for; 0 leaves what there is
    /\ {r.ended, r.lastDue} \subseteq SUBSET User   \* QPs in their error state; those whose last receive is done, and nobody told
    /\ r.open \in {"OPEN", "CLOSING", "CLOSED"}

NothingAsked == [depth |-> 0, threshold |-> 0]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Running low.                                                            *)
(***************************************************************************)

(***************************************************************************)
(* How many receives are queued.  One that a message has taken counts      *)
(* until it completes.                                                     *)
(* Rejected, but for TAKEN: that it does not (A18).  NDKPI does not say    *)
(* when a receive leaves the queue.                                        *)
(***************************************************************************)
Count(r) == r.queued + (IF Reading.A18 = "COMPLETED" THEN Len(r.taken) ELSE 0)

Low(r) == Count(r) < r.threshold

\* How many callbacks are owed then.  An arm may be spent when it is satisfied, or when its callback begins: nothing says so of an
\* SRQ, and of a CQ A2 accepts both, too.
OweLow(r) ==
  IF SecondArm = "TOGETHER" THEN {r.due + r.waiting} ELSE IF r.due = 0 THEN {1} ELSE {r.due, r.due + 1}

\* The arm is cleared and buys its callback (SRQ-04).
Notified(r) == {[r EXCEPT !.waiting = 0, !.due = d] : d \in OweLow(r)}

\* An arm that finds the SRQ low: NDKPI has it satisfied at once (SRQ-03); elsewhere it may be, and may wait.
AtModify(r) == Oblige(IF Low(r) THEN LowAtArm ELSE "MUST NOT", Notified(r), {r})

\* A receive has left r, and n is what it left behind.  An arm is satisfied when the SRQ runs low by that (SRQ-02); where the SRQ was
\* low before, it is as when the arm was made.
Left(r, n) ==
  IF r.waiting = 0 \/ ~Low(n) THEN {n} ELSE Oblige(IF Low(r) THEN LowAtArm ELSE "MUST", Notified(n), {n})

-----------------------------------------------------------------------------
(***************************************************************************)
(* An SRQ when it was just created.  It holds no receives, and so is low   *)
(* if there is a threshold.  Whether it is armed nobody can say (SRQ-06).  *)
(* Rejected, but for ARMED and UNARMED: that it always is, or never (A19). *)
(* Without SrqNotification there is nobody to call back (SRQ-07).          *)
(***************************************************************************)
Unarmed ==
  [queued |-> 0, taken |-> <<>>, depth |-> SrqDepth, threshold |-> SrqThreshold, waiting |-> 0, due |-> 0, errorDue |-> FALSE,
   running |-> 0, health |-> "OK", reported |-> FALSE, modify |-> "NONE", asked |-> NothingAsked, ended |-> {}, lastDue |-> {},
   open |-> "OPEN"]

ArmedFromCreation == IF HasCallback /\ SrqThreshold > 0 THEN AtModify([Unarmed EXCEPT !.waiting = 1]) ELSE {Unarmed}

NewSrqs ==
  CASE Reading.A19 = "EITHER"  -> {Unarmed} \union ArmedFromCreation
    [] Reading.A19 = "ARMED"   -> ArmedFromCreation
    [] Reading.A19 = "UNARMED" -> {Unarmed}

SrqInit == srq \in [SRQ -> NewSrqs]

\* Every action below names the states that one SRQ may go to.
Become(s, states) == \E r \in states : srq' = [srq EXCEPT ![s] = r]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Receives are posted, taken and completed.                               *)
(***************************************************************************)

\* The post returns success.  An SRQ that is closed, or has told of an error, is not used any more (LIFE-06, SRQ-09).
NdkSrqReceive(s) ==
  /\ srq[s].open = "OPEN"
  /\ ~srq[s].reported
  /\ Become(s, {[srq[s] EXCEPT !.queued = @ + 1]})

\* Whether messages still take receives, and receives complete: not once an error was told (SRQ-09).
Works(r) == r.open # "CLOSED" /\ ~r.reported

AfterTake(r, u) == [r EXCEPT !.queued = @ - 1, !.taken = Append(@, u)]

\* Hidden.  A message to QP u takes a receive.  A QP in its error state gets no message (FLUSH-06).
Take(s, u) ==
  LET r == srq[s] IN
  /\ Works(r)
  /\ r.queued > 0
  /\ u \notin r.ended
  /\ Become(s, Left(r, AfterTake(r, u)))

Holds(r, u) == \E i \in DOMAIN r.taken : r.taken[i] = u

\* The sequence without the first u.
WithoutFirst(taken, u) ==
  LET i == CHOOSE i \in DOMAIN taken : taken[i] = u /\ \A j \in 1..(i - 1) : taken[j] # u
  IN SubSeq(taken, 1, i - 1) \o SubSeq(taken, i + 1, Len(taken))

\* A QP in its error state that holds no receive any more is owed IBV_EVENT_QP_LAST_WQE_REACHED.
LastIsDone(r, u) == IF u \in r.ended /\ ~Holds(r, u) THEN [r EXCEPT !.lastDue = @ \union {u}] ELSE r

AfterComplete(r, u) == LastIsDone([r EXCEPT !.taken = WithoutFirst(@, u)], u)

\* Hidden.  A receive that QP u has taken completes, with whatever outcome: also as cancelled, after a flush of the QP.
\* Receives of an SRQ complete in no order (A9).
CompleteReceive(s, u) ==
  LET r == srq[s] IN
  /\ Works(r)
  /\ Holds(r, u)
  /\ Become(s, Left(r, AfterComplete(r, u)))

(***************************************************************************)
(* QP u goes into the error state of libibverbs.  What it has taken        *)
(* completes; what is queued belongs to no QP and stays (FLUSH-04, A15).   *)
(* In NDKPI a flush ends nothing: see QueuePair.                           *)
(***************************************************************************)
QpEnds(s, u) ==
  LET r == srq[s] IN
  /\ ErrorState
  /\ Works(r)
  /\ u \notin r.ended
  /\ Become(s, {LastIsDone([r EXCEPT !.ended = @ \union {u}], u)})

\* The event IBV_EVENT_QP_LAST_WQE_REACHED is read.
LastWqeReached(s, u) == u \in srq[s].lastDue /\ Become(s, {[srq[s] EXCEPT !.lastDue = @ \ {u}]})

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer modifies: NdkModifySrq, or in libibverbs ibv_modify_srq.   *)
(* Of depth and threshold 0 leaves what there is; a threshold above 0 arms *)
(* (SRQ-02), if there is somebody to call back.  The call may return       *)
(* before it is done (ASY-01).  One call at a time: what a second one      *)
(* would mean while the first is pending, nothing says.                    *)
(***************************************************************************)
NdkModifySrq(s, depth, threshold) ==
  /\ srq[s].open = "OPEN"
  /\ srq[s].modify = "NONE"
  /\ Become(s, {[srq[s] EXCEPT !.modify = "ASKED", !.asked = [depth |-> depth, threshold |-> threshold]]})

AskedOr(asked, present) == IF asked = 0 THEN present ELSE asked

Answered(r) == [r EXCEPT !.modify = "DONE", !.asked = NothingAsked]

\* An arm meets an outstanding one: they merge, and the later threshold holds; or both wait, as requests of ndspi do.
Arms(r) == IF SecondArm = "TOGETHER" THEN r.waiting + 1 ELSE 1

AsksToArm(r) == r.asked.threshold > 0 /\ HasCallback

\* A threshold of 0 leaves threshold and arm as they are (SRQ-05).
AfterModify(r) ==
  LET n == [Answered(r) EXCEPT !.depth = AskedOr(r.asked.depth, @), !.threshold = AskedOr(r.asked.threshold, @)]
  IN IF AsksToArm(r) THEN AtModify([n EXCEPT !.waiting = Arms(r)]) ELSE {n}

\* Hidden.  The call takes effect, or is refused and changes nothing: for want of memory, or for what it asks (SRQ-01).
SrqModified(s) ==
  /\ srq[s].modify = "ASKED"
  /\ Become(s, AfterModify(srq[s]) \union {Answered(srq[s])})

\* The call returns; or its NdkRequestCompletion does, where the call returned STATUS_PENDING.
SrqModifyTold(s) == srq[s].modify = "DONE" /\ Become(s, {[srq[s] EXCEPT !.modify = "NONE"]})

-----------------------------------------------------------------------------
(***************************************************************************)
(* The provider calls back.  Nothing says that callbacks of one SRQ do not *)
(* overlap; that they should not is advice (SRQ-11).                       *)
(***************************************************************************)
CanCallBack(r) == r.open # "CLOSED"

AfterBegin(r) == [r EXCEPT !.running = IF Serialised THEN @ + 1 ELSE @]

NdkSrqNotificationCallbackEnter(s, status) ==
  LET r == srq[s] IN
  /\ CanCallBack(r)
  /\ \/ /\ status = "STATUS_SUCCESS"
        /\ r.due > 0
        /\ Become(s, {[AfterBegin(r) EXCEPT !.due = @ - 1]})
     \/ /\ status = r.health
        /\ r.errorDue
        /\ Become(s, {[AfterBegin(r) EXCEPT !.errorDue = FALSE, !.reported = TRUE]})

NdkSrqNotificationCallbackExit(s) == srq[s].running > 0 /\ Become(s, {[srq[s] EXCEPT !.running = @ - 1]})

\* Hidden.  The SRQ fails.  Its callback needs no arm: the page of it asks for none.
SrqInternalError(s) ==
  /\ srq[s].open # "CLOSED"
  /\ srq[s].health = "OK"
  /\ Become(s, {[srq[s] EXCEPT !.health = "STATUS_INTERNAL_ERROR", !.errorDue = HasCallback]})

-----------------------------------------------------------------------------
(***************************************************************************)
(* Closing.  The QPs come first (LIFE-04): none of them holds a receive    *)
(* then, but for those that are lost with an SRQ that has failed.  What is *)
(* queued still is gone with the SRQ.                                      *)
(***************************************************************************)
NdkCloseSrq(s) == srq[s].open = "OPEN" /\ Become(s, {[srq[s] EXCEPT !.open = "CLOSING"]})

\* Not while a callback runs (LIFE-08), nor while a call of NdkModifySrq is pending (LIFE-07).
CanFinishClose(r) ==
  /\ r.open = "CLOSING"
  /\ r.running = 0
  /\ r.modify = "NONE"
  /\ r.taken = <<>> \/ r.reported

\* Nothing is owed any more (LIFE-09).
AfterClose(r) ==
  [r EXCEPT !.open = "CLOSED", !.queued = 0, !.taken = <<>>, !.waiting = 0, !.due = 0, !.errorDue = FALSE, !.lastDue = {}]

\* NdkCloseSrq returns STATUS_SUCCESS, or its NdkCloseCompletion does what it has to: both ends of that are one step.
SrqClosed(s) == CanFinishClose(srq[s]) /\ Become(s, {AfterClose(srq[s])})

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must always hold.                                                  *)
(***************************************************************************)

\* SRQ-02, SRQ-03: where an arm has to look at what is queued, none waits beside too few receives.
SrqArmNotMissed ==
  LowAtArm = "MUST" => \A s \in SRQ : srq[s].waiting > 0 => Count(srq[s]) >= srq[s].threshold

\* SRQ-02: an SRQ that runs low satisfies its arm, in every dialect.
RunningLowWakes ==
  [][\A s \in SRQ : LET old == srq[s]  new == srq'[s] IN
       /\ old.waiting > 0 /\ new.open # "CLOSED" /\ new.threshold = old.threshold
       /\ Count(old) >= old.threshold /\ Count(new) < old.threshold
       => new.waiting = 0 /\ new.due > 0]_srq

\* SRQ-02: a callback becomes owed only where fewer receives are queued than the threshold.
SrqCallbackHasCause ==
  [][\A s \in SRQ : srq'[s].due > srq[s].due => Count(srq'[s]) < srq'[s].threshold]_srq

\* SRQ-04: an arm goes away only by being satisfied, or with its SRQ.
SrqArmIsKept ==
  [][\A s \in SRQ : srq[s].waiting > 0 /\ srq'[s].waiting = 0 => srq'[s].due > 0 \/ srq'[s].open = "CLOSED"]_srq

\* SRQ-01, SRQ-05: NdkModifySrq changes what it was asked to, and where that is 0 nothing: threshold and arm stay.
ModifiedAsAsked ==
  [][\A s \in SRQ : LET old == srq[s]  new == srq'[s] IN
       old.modify = "ASKED" =>
         /\ new.depth \in {old.depth} \union ({old.asked.depth} \ {0})
         /\ new.threshold \in {old.threshold} \union ({old.asked.threshold} \ {0})
         /\ new.modify # "ASKED" /\ old.asked.threshold = 0 => new.waiting = old.waiting /\ new.due = old.due]_srq

\* DEF-04: it neither loses a receive nor adds one.
ModifyKeepsReceives ==
  [][\A s \in SRQ : LET old == srq[s]  new == srq'[s] IN
       old.modify = "ASKED" /\ new.modify # "ASKED" => new.queued = old.queued /\ new.taken = old.taken]_srq

\* SRQ-07: without SrqNotification no callback comes.
NoCallbackWithoutOne ==
  ~HasCallback => \A s \in SRQ : LET r == srq[s] IN r.waiting = 0 /\ r.due = 0 /\ ~r.errorDue /\ r.running = 0

\* SRQ-09: an error is reported once.
SrqErrorReportedOnce == \A s \in SRQ : srq[s].reported => ~srq[s].errorDue

\* SRQ-09: and nothing is posted, taken or completed afterwards.
FailedSrqIsUnusable ==
  [][\A s \in SRQ : LET old == srq[s]  new == srq'[s] IN
       old.reported /\ new.open # "CLOSED" => new.queued = old.queued /\ new.taken = old.taken]_srq

\* FLUSH-04: what is queued belongs to no QP: it stays where one of them ends.
SrqIsNotFlushed ==
  [][\A s \in SRQ : srq'[s].ended # srq[s].ended => srq'[s].queued = srq[s].queued]_srq

\* FLUSH-06: a QP in its error state takes nothing.
EndedTakesNothing ==
  [][\A s \in SRQ : \A u \in srq[s].ended : LET Own(x) == x = u IN
       Len(SelectSeq(srq'[s].taken, Own)) <= Len(SelectSeq(srq[s].taken, Own))]_srq

\* FLUSH-06: IBV_EVENT_QP_LAST_WQE_REACHED is owed for a QP in its error state only, and when it holds no receive.
LastWqeIsLast == \A s \in SRQ : \A u \in srq[s].lastDue : u \in srq[s].ended /\ ~Holds(srq[s], u)

\* LIFE-07, LIFE-09: when its close has completed, nothing of an SRQ is pending, and nothing is owed.
ClosedSrqIsAtRest ==
  \A s \in SRQ : LET r == srq[s] IN
    r.open = "CLOSED" =>
      r.modify = "NONE" /\ r.waiting = 0 /\ r.due = 0 /\ ~r.errorDue /\ r.running = 0 /\ r.taken = <<>> /\ r.lastDue = {}

\* LIFE-09: and nothing happens to it any more.
ClosedSrqStays == [][\A s \in SRQ : srq[s].open = "CLOSED" => srq'[s] = srq[s]]_srq

\* LIFE-12: a close that was begun is not taken back.
SrqCloseStays == [][\A s \in SRQ : srq[s].open # "OPEN" => srq'[s].open # "OPEN"]_srq

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must happen in the end.                                            *)
(***************************************************************************)
SrqFairness ==
  \A s \in SRQ :
    /\ \A status \in SrqStatuses : WF_srq(NdkSrqNotificationCallbackEnter(s, status))
    /\ WF_srq(NdkSrqNotificationCallbackExit(s))
    /\ WF_srq(SrqModified(s))
    /\ WF_srq(SrqModifyTold(s))
    /\ WF_srq(SrqClosed(s))
    /\ \A u \in User : WF_srq(CompleteReceive(s, u)) /\ WF_srq(LastWqeReached(s, u))

\* ASY-01, LIFE-07: a call of NdkModifySrq is answered.
ModifyIsAnswered == \A s \in SRQ : (srq[s].modify # "NONE") ~> (srq[s].modify = "NONE")

\* SRQ-08, SRQ-09: an error of the SRQ is told.
SrqErrorReported == \A s \in SRQ : srq[s].errorDue ~> ~srq[s].errorDue

\* FLUSH-06: of a QP in its error state it is told that it holds no receive any more, unless the SRQ has failed.
LastWqeIsTold ==
  \A s \in SRQ, u \in User :
    (u \in srq[s].ended) ~> (~Holds(srq[s], u) /\ u \notin srq[s].lastDue) \/ srq[s].reported

\* LIFE-11: a close that was begun completes.
SrqCloseCompletes == \A s \in SRQ : (srq[s].open = "CLOSING") ~> (srq[s].open = "CLOSED")
=============================================================================
