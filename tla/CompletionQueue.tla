--------------------------- MODULE CompletionQueue ---------------------------
(***************************************************************************)
(* Completion queues: arming, notification callbacks, polling, errors.     *)
(*                                                                         *)
(* The heart of it is one promise.  A consumer that has emptied the CQ and *)
(* armed it may go to sleep: a completion that it has asked for will wake  *)
(* it.  Since a completion can arrive between the last poll and the arm,   *)
(* arming looks at what is in the CQ already (ARM-04, ARM-05).             *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  CQ,    \* the completion queues
  Depth, \* how many completions the consumer asked room for: so many fit
  Room   \* how many fit at most; nobody but the provider knows

ASSUME RoomForDepth == Room >= Depth

(***************************************************************************)
(* The depth is a lower bound: a provider may make more room than it was   *)
(* asked for, and then it keeps what fits (A35).  So a completion above    *)
(* the depth may overflow, and need not (ARM-16).                          *)
(* Rejected, but for EXACT: that the first one above the depth is lost.    *)
(* Nothing in the documentation has a provider throw away what it could    *)
(* keep, and to ibv_create_cq the number is a minimum.                     *)
(***************************************************************************)
Capacity == IF Reading.A35 = "EXACT" THEN Depth ELSE Room

VARIABLE cq

(***************************************************************************)
(* A completion says which request completed, how, and whether the sender  *)
(* asked to wake the receiver (solicited).  token: what a remote           *)
(* NdkSendAndInvalidate invalidated, or NoToken (RES-03).                  *)
(***************************************************************************)
IsCompletion(c) ==
  /\ DOMAIN c = {"qp", "queue", "req", "status", "solicited", "token"}
  /\ c.queue \in Queues
  /\ c.status \in Outcomes
  /\ c.solicited \in BOOLEAN

CqErrors == {"STATUS_BUFFER_OVERFLOW", "STATUS_INTERNAL_ERROR"}
CqStatuses == {"STATUS_SUCCESS"} \union CqErrors        \* what a callback can be told (ARM-15)

CqTypeOK ==
  \A q \in CQ :
    LET r == cq[q] IN
    /\ Len(r.entries) <= Capacity                        \* oldest first
    /\ \A i \in DOMAIN r.entries : IsCompletion(r.entries[i])
    /\ r.fresh \in 0..Len(r.entries)                     \* so many of the newest came after the last callback began
    /\ r.arm \in NotifyTypes \union {"NONE"}
    /\ r.waiting \in Nat                                 \* arm requests that wait to be satisfied
    /\ (r.waiting = 0) <=> (r.arm = "NONE")
    /\ SecondArm = "MERGE" => r.waiting <= 1
    /\ r.due \in Nat                                     \* callbacks owed: an arm is satisfied, none has begun for it
    /\ r.errorDue \in BOOLEAN                            \* the one callback that reports an error of the CQ is owed
    /\ r.running \in BOOLEAN                             \* a callback has begun and not returned
    /\ Serialised \/ ~r.running                          \* (an event that is read does not run)
    /\ r.health \in {"OK"} \union CqErrors
    /\ r.reported \in BOOLEAN                            \* the error callback has begun
    /\ r.open \in {"OPEN", "CLOSING", "CLOSED"}

CqInit ==
  cq = [q \in CQ |-> [entries |-> <<>>, fresh |-> 0, arm |-> "NONE", waiting |-> 0, due |-> 0, errorDue |-> FALSE,
                      running |-> FALSE, health |-> "OK", reported |-> FALSE, open |-> "OPEN"]]

\* Every action below names the states that one CQ may go to.
Become(q, states) == \E r \in states : cq' = [cq EXCEPT ![q] = r]

-----------------------------------------------------------------------------
(***************************************************************************)
(* What an arm waits for.                                                  *)
(***************************************************************************)

\* The numbers of the header (ERRORS 0, ANY 1, SOLICITED 2) are not the order of strength.
Strength(arm) == CASE arm = "NONE" -> 0 [] arm = "ERRORS" -> 1 [] arm = "SOLICITED" -> 2 [] arm = "ANY" -> 3

\* A second arm never weakens the first: the result is the stronger of the two (ARM-07).
Merge(first, second) == IF Strength(second) > Strength(first) THEN second ELSE first

Succeeded(c) == c.status = "SUCCESS"

(***************************************************************************)
(* Must completion c satisfy an arm?                                       *)
(* Rejected (A4): that ANY waits for successful completions only, as the   *)
(* page of NdkArmCq says literally.  ANY would then be weaker than         *)
(* SOLICITED, against the table of ARM-07.                                 *)
(***************************************************************************)
Match(arm, c) ==
  CASE arm = "ANY"       -> "MUST"                                                          \* ARM-09
    [] arm = "SOLICITED" -> IF c.solicited \/ ~Succeeded(c) THEN "MUST" ELSE "MUST NOT"     \* ARM-10, ARM-11, ARM-12
    [] arm = "ERRORS"    -> IF Succeeded(c) THEN "MUST NOT" ELSE Reading.A4                 \* ARM-08
    [] arm = "NONE"      -> "MUST NOT"                                                      \* ARM-01

(***************************************************************************)
(* How many callbacks are owed when requests (of number w) are satisfied   *)
(* while d are owed already (A2).  The documentation does not say whether  *)
(* an arm is spent when it is satisfied or when its callback begins: in    *)
(* the first reading a second callback is owed, in the second it is the    *)
(* same one.  EITHER accepts both.                                         *)
(***************************************************************************)
Owe(d, w) ==
  IF SecondArm = "TOGETHER" THEN {d + w}
  ELSE IF d = 0 THEN {1}
  ELSE CASE Reading.A2 = "ONE" -> {d} [] Reading.A2 = "TWO" -> {d + 1} [] Reading.A2 = "EITHER" -> {d, d + 1}

Disarmed(r) == [r EXCEPT !.arm = "NONE", !.waiting = 0]

\* The arm is cleared and buys its callback (ARM-02).
Satisfied(r, w) == {[Disarmed(r) EXCEPT !.due = d] : d \in Owe(r.due, w)}

-----------------------------------------------------------------------------
(***************************************************************************)
(* Completions arrive.                                                     *)
(***************************************************************************)

\* After an error of the CQ no completion comes any more (ARM-17).
CanPlace(r) == r.open # "CLOSED" /\ r.health = "OK" /\ Len(r.entries) < Capacity

\* Hidden.  The adapter places a completion (ARM-03, ARM-09 to ARM-12).
Place(q, c) ==
  LET r == [cq[q] EXCEPT !.entries = Append(@, c), !.fresh = @ + 1] IN
  /\ CanPlace(cq[q])
  /\ Become(q, Oblige(Match(r.arm, c), Satisfied(r, r.waiting), {r}))

\* Hidden.  An event with nothing to poll; verbs only.
ExtraEventComes(q) ==
  /\ ExtraEvent
  /\ cq[q].arm # "NONE"
  /\ cq[q].entries = <<>>
  /\ Become(q, Satisfied(cq[q], cq[q].waiting))

(***************************************************************************)
(* An error of the CQ is owed a callback if an arm, of any type, is        *)
(* outstanding.  An arm that was satisfied, but whose callback was not     *)
(* entered, may count as outstanding still: then that callback tells of    *)
(* the error (A2).  Without one it is kept for the next arm (A1).          *)
(* Rejected: that the error callback needs no arm.  ARM-01 says "only      *)
(* after the consumer has armed" and makes no exception.                   *)
(* Without an ERRORS arm (verbs) the error goes another way, as an         *)
(* asynchronous event of the device.                                       *)
(***************************************************************************)
Told(r) ==
  IF ~ErrorsArm THEN {r}
  ELSE IF r.arm # "NONE" THEN {[Disarmed(r) EXCEPT !.errorDue = TRUE]}
  ELSE IF r.due > 0 THEN {r, [r EXCEPT !.due = @ - 1, !.errorDue = TRUE]}
  ELSE {r}

CqError(q, health) ==
  LET r == [cq[q] EXCEPT !.health = health] IN
  /\ cq[q].open # "CLOSED"
  /\ cq[q].health = "OK"
  /\ Become(q, Told(r))

\* Hidden.  A completion comes that has no room; it is lost.  As many as were asked for did fit (ARM-16).
CanOverflow(r) == Len(r.entries) >= Depth
Overflow(q) == CanOverflow(cq[q]) /\ CqError(q, "STATUS_BUFFER_OVERFLOW")

\* Hidden.
InternalError(q) == CqError(q, "STATUS_INTERNAL_ERROR")

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer arms.                                                      *)
(***************************************************************************)

\* Completions placed since the last callback was called.  Before the first callback all are fresh (A3).
\* Rejected (A3): that "was called" means "returned".  A completion that came while a callback ran would be old then,
\* though the callback may have polled before it came.
Fresh(r) == {r.entries[i] : i \in (Len(r.entries) - r.fresh + 1)..Len(r.entries)}

(***************************************************************************)
(* Must an arm of type a be satisfied by what is in the CQ already?        *)
(* Rejected: that a fresh completion satisfies any arm, whether or not it  *)
(* is of the kind waited for; a SOLICITED arm would then be woken by every *)
(* completion that came a moment too early.                                *)
(* If the CQ is empty there is nothing to report: it must not (ARM-21).    *)
(***************************************************************************)
AtArm(r, a) ==
  LET matches == {Match(a, c) : c \in Fresh(r)} IN
  IF "MUST" \in matches THEN FreshAtArm        \* ARM-04
  ELSE IF "MAY" \in matches THEN "MAY"         \* it may count as a match, or as none (A4)
  ELSE IF r.entries # <<>> THEN OldAtArm       \* ARM-05
  ELSE "MUST NOT"

\* An error of the CQ that no arm has met yet.
ErrorWaits(r) == ErrorsArm /\ r.health # "OK" /\ ~r.reported /\ ~r.errorDue

NdkArmCq(q, type) ==
  LET r == cq[q]
      w == IF SecondArm = "TOGETHER" THEN r.waiting + 1 ELSE 1
      armed == [r EXCEPT !.arm = Merge(@, type), !.waiting = w]
  IN
  /\ r.open = "OPEN"
  /\ type \in NotifyTypes
  /\ Become(q, IF ErrorWaits(r) THEN {[Disarmed(r) EXCEPT !.errorDue = TRUE]}
               ELSE Oblige(AtArm(r, armed.arm), Satisfied(r, w), {armed}))

-----------------------------------------------------------------------------
(***************************************************************************)
(* The provider calls back.                                                *)
(***************************************************************************)

\* One callback of a CQ at a time; what becomes due meanwhile comes afterwards (ARM-06).
CanCallBack(r) == r.open # "CLOSED" /\ (Serialised => ~r.running)

(***************************************************************************)
(* From here on the entries are old: this callback reports them.           *)
(* CqStatus is STATUS_SUCCESS, or the error of the CQ (ARM-15).  An error  *)
(* is reported once; the callback may be the one that was owed for         *)
(* completions as well (A2).                                               *)
(***************************************************************************)
NdkCqNotificationCallbackEnter(q, status) ==
  LET r == [cq[q] EXCEPT !.fresh = 0, !.running = Serialised] IN
  /\ CanCallBack(cq[q])
  /\ \/ /\ status = "STATUS_SUCCESS"
        /\ r.due > 0
        /\ Become(q, {[r EXCEPT !.due = @ - 1]})
     \/ /\ status = r.health
        /\ r.errorDue
        /\ Become(q, {[r EXCEPT !.errorDue = FALSE, !.reported = TRUE, !.due = d] :
                        d \in {r.due} \union (IF r.due > 0 THEN {r.due - 1} ELSE {})})

AfterExit(r) == [r EXCEPT !.running = FALSE]

\* The consumer's callback returns.  It may have armed and polled inside.
NdkCqNotificationCallbackExit(q) == cq[q].running /\ Become(q, {AfterExit(cq[q])})

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer polls.  It takes the oldest entries, nresults at most; it  *)
(* gets none only if there are none (POLL-02, POLL-03), or the CQ failed:  *)
(* then any part of the entries may still be had (A33).                    *)
(* Rejected (A7): that fewer than asked for means that the CQ is empty.    *)
(***************************************************************************)
Batches(r, nresults) ==
  {SubSeq(r.entries, 1, k) : k \in 1..Min(nresults, Len(r.entries))}
    \union (IF r.entries = <<>> \/ r.health # "OK" THEN {<<>>} ELSE {})

\* What was delivered is gone (POLL-04).
Remaining(entries, results) == SubSeq(entries, Len(results) + 1, Len(entries))

NdkGetCqResults(q, nresults, results) ==
  LET rest == Remaining(cq[q].entries, results) IN
  /\ cq[q].open = "OPEN"
  /\ nresults >= 1
  /\ results \in Batches(cq[q], nresults)
  /\ Become(q, {[cq[q] EXCEPT !.entries = rest, !.fresh = Min(@, Len(rest))]})

\* The same; it also tells the type of the operation and the token (POLL-06, POLL-07).
NdkGetCqResultsEx(q, nresults, results) == NdkGetCqResults(q, nresults, results)

-----------------------------------------------------------------------------
(***************************************************************************)
(* Closing.  NdkCloseCq may return before the CQ is closed; then           *)
(* NdkCloseCompletion says when it is.                                     *)
(***************************************************************************)

NdkCloseCq(q) == cq[q].open = "OPEN" /\ Become(q, {[cq[q] EXCEPT !.open = "CLOSING"]})

\* Not while a callback runs (ARM-20, LIFE-08).
CanFinishClose(r) == r.open = "CLOSING" /\ ~r.running

\* Nothing is owed any more (ARM-20, LIFE-09).
AfterClose(r) ==
  [Disarmed(r) EXCEPT !.open = "CLOSED", !.entries = <<>>, !.fresh = 0, !.due = 0, !.errorDue = FALSE]

NdkCloseCompletion(q) == CanFinishClose(cq[q]) /\ Become(q, {AfterClose(cq[q])})

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must always hold.  These say in words of their own what the        *)
(* actions above are meant to achieve, so that a wrong action is found.    *)
(***************************************************************************)

\* ARM-09, ARM-10, ARM-11: the completions that nobody may sleep through.
MustWake(arm, c) ==
  \/ arm = "ANY"
  \/ arm = "SOLICITED" /\ (c.solicited \/ c.status # "SUCCESS")
  \/ arm = "ERRORS" /\ c.status # "SUCCESS" /\ Reading.A4 = "MUST"

\* ARM-04, ARM-09, ARM-10, ARM-11: no consumer is left armed, and asleep, with a fresh completion of the kind it awaits.
ArmNotMissed ==
  FreshAtArm = "MUST" => \A q \in CQ : \A c \in Fresh(cq[q]) : ~MustWake(cq[q].arm, c)

\* ARM-03, ARM-09, ARM-10, ARM-11: a completion that arrives satisfies the arm it matches, in every dialect.
ArrivalWakes ==
  [][\A q \in CQ : LET new == cq'[q].entries IN
       Len(new) > Len(cq[q].entries) /\ MustWake(cq[q].arm, new[Len(new)]) => cq'[q].arm = "NONE"]_cq

\* A failed completion may satisfy an ERRORS arm (A4).
MayWake(arm, c) == MustWake(arm, c) \/ (arm = "ERRORS" /\ c.status # "SUCCESS" /\ Reading.A4 = "MAY")

\* ARM-08, ARM-12: a completion that does not match leaves the arm as it is.
OtherArrivalsDoNotWake ==
  [][\A q \in CQ : LET new == cq'[q].entries IN
       Len(new) > Len(cq[q].entries) /\ ~MayWake(cq[q].arm, new[Len(new)]) => cq'[q].arm = cq[q].arm]_cq

\* ARM-21: a callback becomes owed only if the CQ holds something to poll.  In verbs extra events are allowed.
CallbackHasCause ==
  [][\A q \in CQ : cq'[q].due > cq[q].due /\ ~ExtraEvent => cq'[q].entries # <<>>]_cq

\* ARM-02: an arm goes away only by being satisfied (then a callback is owed), or with its CQ.
ArmIsKept ==
  [][\A q \in CQ : cq[q].arm # "NONE" /\ cq'[q].arm = "NONE" =>
       cq'[q].due > 0 \/ cq'[q].errorDue \/ cq'[q].open = "CLOSED"]_cq

\* ARM-16: a CQ overflows only when it holds as many completions as the consumer asked room for.
OverflowOnlyWhenFull ==
  [][\A q \in CQ : cq[q].health = "OK" /\ cq'[q].health = "STATUS_BUFFER_OVERFLOW" => Len(cq[q].entries) >= Depth]_cq

\* ARM-17: after an error nothing is added; what remains are the newest of the entries before.
NothingAfterCqError ==
  [][\A q \in CQ : LET old == cq[q].entries IN
       cq[q].health # "OK" => \E k \in 0..Len(old) : cq'[q].entries = SubSeq(old, k + 1, Len(old))]_cq

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must happen in the end.  Owed callbacks are made, callbacks        *)
(* return, and a close that can finish does.  The callback that reports an *)
(* error is not put off for ever by callbacks for completions (the strong  *)
(* fairness: it can be made only while none is running).                   *)
(***************************************************************************)
CqFairness ==
  \A q \in CQ :
    /\ WF_cq(NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS"))
    /\ SF_cq(\E status \in CqErrors : NdkCqNotificationCallbackEnter(q, status))
    /\ WF_cq(NdkCqNotificationCallbackExit(q))
    /\ WF_cq(NdkCloseCompletion(q))

\* LIFE-11: a close that was begun completes.
CloseCompletes == \A q \in CQ : (cq[q].open = "CLOSING") ~> (cq[q].open = "CLOSED")

\* ARM-08, ARM-17 (A1): a consumer that keeps arming its CQ learns of the error.
ErrorReported ==
  ErrorsArm => \A q \in CQ : (cq[q].health # "OK") ~> (cq[q].reported \/ cq[q].open # "OPEN")
=============================================================================
