--------------------------- MODULE CompletionQueue ---------------------------
(***************************************************************************)
(* Completion queues: arming, notification callbacks, polling, errors.     *)
(*                                                                         *)
(* The heart of it is one promise of NDKPI.  A consumer that has emptied   *)
(* the CQ and armed it may go to sleep: a completion that it has asked for *)
(* will wake it.  Since a completion can arrive between the last poll and  *)
(* the arm, arming looks at what is in the CQ already (ARM-04, ARM-05).    *)
(* libibverbs does not: there the consumer has to poll once more after the *)
(* arm.                                                                    *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  CQ,    \* the completion queues
  Depth, \* for how many completions the consumer asked room at first: so many fit
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
Capacity(r) == IF Reading.A35 = "EXACT" THEN r.depth ELSE Room

VARIABLE cq

(***************************************************************************)
(* A completion says which request completed, how, of what type it was,    *)
(* and whether the sender asked to wake the receiver (solicited; no poll   *)
(* tells that).  token: what a remote NdkSendAndInvalidate invalidated, or *)
(* NoToken (RES-03).                                                       *)
(***************************************************************************)
IsCompletion(c) ==
  /\ DOMAIN c = {"qp", "queue", "req", "status", "type", "solicited", "token"}
  /\ c.queue \in Queues
  /\ c.status \in Outcomes
  /\ c.type \in ResultTypes
  /\ c.solicited \in BOOLEAN

CqErrors == {"STATUS_BUFFER_OVERFLOW", "STATUS_INTERNAL_ERROR"}
CqStatuses == {"STATUS_SUCCESS"} \union CqErrors        \* what a callback can be told (ARM-15)

CqTypeOK ==
  \A q \in CQ :
    LET r == cq[q] IN
    /\ Len(r.entries) <= Room                            \* oldest first
    /\ \A i \in DOMAIN r.entries : IsCompletion(r.entries[i])
    /\ r.fresh \in 0..Len(r.entries)                     \* so many of the newest came since the last callback
    /\ r.uncounted \in BOOLEAN                           \* no callback has come yet, and nothing counts as fresh (A26)
    /\ r.taken \subseteq NotifyTypes                     \* arms that completions match which are polled, but fresh (A25)
    /\ r.arm \in NotifyTypes \union {"NONE"}
    /\ r.waiting \in Nat                                 \* arm requests that wait to be satisfied
    /\ (r.waiting = 0) <=> (r.arm = "NONE")
    /\ SecondArm = "MERGE" => r.waiting <= 1
    /\ r.due \in Nat                                     \* callbacks owed: an arm is satisfied, none has begun for it
    /\ r.errorDue \in BOOLEAN                            \* the one callback that reports an error of the CQ is owed
    /\ r.running \in BOOLEAN                             \* a callback has begun and not returned
    /\ Serialised \/ ~r.running                          \* (an event that is read does not run)
    /\ r.health \in {"OK"} \union CqErrors                \* all that a callback can have to tell (ARM-15)
    /\ r.reported \in BOOLEAN                            \* the error callback has begun
    /\ r.depth \in 1..Room                               \* for how many completions the consumer asked room
    /\ r.resize \in {"NONE", "ASKED", "DONE", "REFUSED", "TOLD"}
    /\ r.asked \in 0..Room                               \* by a resize that is not done or refused yet
    /\ (r.asked # 0) <=> (r.resize = "ASKED")
    /\ r.open \in {"OPEN", "CLOSING", "CLOSED"}

\* A CQ when it was just created.
NewCq ==
  [entries |-> <<>>, fresh |-> 0, uncounted |-> Reading.A26 = "OLD", taken |-> {},
   arm |-> "NONE", waiting |-> 0, due |-> 0, errorDue |-> FALSE, running |-> FALSE,
   health |-> "OK", reported |-> FALSE, depth |-> Depth, resize |-> "NONE", asked |-> 0, open |-> "OPEN"]

CqInit == cq = [q \in CQ |-> NewCq]

\* Every action below names the states that one CQ may go to.
Become(q, states) == \E r \in states : cq' = [cq EXCEPT ![q] = r]

-----------------------------------------------------------------------------
(***************************************************************************)
(* What an arm waits for.                                                  *)
(***************************************************************************)

\* The numbers of NDKPI's C header (ERRORS 0, ANY 1, SOLICITED 2) are not the order of strength.
Strength(arm) == CASE arm = "NONE" -> 0 [] arm = "ERRORS" -> 1 [] arm = "SOLICITED" -> 2 [] arm = "ANY" -> 3

\* A second arm never weakens the first: the result is the stronger of the two (ARM-07).
Merge(first, second) == IF Strength(second) > Strength(first) THEN second ELSE first

Succeeded(c) == c.status = "SUCCESS"

(***************************************************************************)
(* Must completion c satisfy an arm?                                       *)
(* Rejected (ARM-09): that ANY waits for successful completions only, as   *)
(* the page of NdkArmCq says literally.  ANY would then not be stronger    *)
(* than SOLICITED, which a failure satisfies, against the table of Merge.  *)
(* Whether a failed completion satisfies an ERRORS arm is a choice: the    *)
(* page speaks of errors of the CQ only, so it need not, and may (A4).     *)
(* Rejected, but for MAY: that a success which is not solicited may        *)
(* satisfy a SOLICITED arm, since no text forbids in words to notify more  *)
(* than was asked for (A5).                                                *)
(***************************************************************************)
Match(arm, c) ==
  CASE arm = "ANY"       -> "MUST"                                                          \* ARM-09
    [] arm = "SOLICITED" -> IF c.solicited \/ ~Succeeded(c) THEN "MUST" ELSE Reading.A5     \* ARM-10, ARM-11, ARM-12
    [] arm = "ERRORS"    -> IF Succeeded(c) THEN "MUST NOT" ELSE Reading.A4                 \* ARM-08
    [] arm = "NONE"      -> "MUST NOT"                                                      \* ARM-01

(***************************************************************************)
(* How many callbacks are owed when requests (of number w) are satisfied   *)
(* while d are owed already (A2).  The documentation does not say whether  *)
(* an arm is spent when it is satisfied or when its callback begins: in    *)
(* the first reading a second callback is owed, in the second it is the    *)
(* same one.  EITHER accepts both.                                         *)
(* A24 may bound the number.  At the bound a request merges with what is   *)
(* owed; under TWO, where it may not, the step that would satisfy it waits *)
(* for a callback to begin.  Where each request has a callback of its own  *)
(* (TOGETHER), there is no bound.                                          *)
(***************************************************************************)
Bound == CASE Reading.A24 = "1" -> 1 [] Reading.A24 = "2" -> 2
Bounded(d) == Reading.A24 # "NONE" => d <= Bound

Owe(d, w) ==
  IF SecondArm = "TOGETHER" THEN {d + w}
  ELSE IF d = 0 THEN {1}
  ELSE {n \in CASE Reading.A2 = "ONE"    -> {d}
               [] Reading.A2 = "TWO"    -> {d + 1}
               [] Reading.A2 = "EITHER" -> {d, d + 1} : Bounded(n)}

Disarmed(r) == [r EXCEPT !.arm = "NONE", !.waiting = 0]

\* The arm is cleared and buys its callback (ARM-02).
Satisfied(r, w) == {[Disarmed(r) EXCEPT !.due = d] : d \in Owe(r.due, w)}

\* An error of the CQ is told in a callback that is owed for completions, or in one of its own (A2): of d callbacks that are
\* owed for completions d - 1 are left then, or d.
Beside(d) ==
  IF d = 0 THEN {0}
  ELSE CASE Reading.A2 = "EITHER" \/ SecondArm = "TOGETHER" -> {d - 1, d}
         [] Reading.A2 = "ONE"                              -> {d - 1}
         [] Reading.A2 = "TWO"                              -> {d}

\* Under ONE, the callback that is owed for completions has to be the one that tells of the error.
TellsErrorFirst(r) == Reading.A2 = "ONE" /\ SecondArm = "MERGE" /\ r.errorDue

-----------------------------------------------------------------------------
(***************************************************************************)
(* Completions arrive.                                                     *)
(***************************************************************************)

\* After an error of the CQ no completion comes any more (ARM-17).
CanPlace(r) == r.open # "CLOSED" /\ r.health = "OK" /\ Len(r.entries) < Capacity(r)

AfterPlace(r, c) == [r EXCEPT !.entries = Append(@, c), !.fresh = IF r.uncounted THEN @ ELSE @ + 1]

\* Hidden.  The adapter places a completion (ARM-03, ARM-09 to ARM-12).
Place(q, c) ==
  LET r == AfterPlace(cq[q], c) IN
  /\ CanPlace(cq[q])
  /\ Become(q, Oblige(Match(r.arm, c), Satisfied(r, r.waiting), {r}))

\* Hidden.  An event with nothing to poll.  ARM-21 forbids it; in libibverbs a consumer has to bear it: the manual page of
\* ibv_get_cq_event warns of it, and gives no bound (a completion polled before its event is read is one reason, A6).
ExtraEventComes(q) ==
  /\ ExtraEvent
  /\ cq[q].arm # "NONE"
  /\ cq[q].entries = <<>>
  /\ Become(q, Satisfied(cq[q], cq[q].waiting))

(***************************************************************************)
(* An error of the CQ is owed a callback if an arm, of any type, is        *)
(* outstanding (ARM-08, ARM-07).  An arm that was satisfied, but whose     *)
(* callback was not entered, may count as outstanding still: then that     *)
(* callback tells of the error (A2).  Without one it is kept for the next  *)
(* arm (A1).                                                               *)
(* Rejected, but for NO ARM: that the error callback needs no arm.  ARM-01 *)
(* says "only after the consumer has armed" and makes no exception.        *)
(* Without an ERRORS arm (verbs) the error goes another way, as an         *)
(* asynchronous event of the device.                                       *)
(* Several requests that wait TOGETHER all end with the error.  Only one   *)
(* callback tells of it, since an error is reported once (A1): the others  *)
(* would say nothing that the consumer does not know.                      *)
(***************************************************************************)
Told(r) ==
  IF ~ErrorsArm THEN {r}
  ELSE IF r.arm # "NONE" \/ Reading.A1 = "NO ARM" THEN {[Disarmed(r) EXCEPT !.errorDue = TRUE]}
  ELSE {[r EXCEPT !.due = d, !.errorDue = d < r.due] : d \in Beside(r.due)}

CqError(q, health) ==
  LET r == [cq[q] EXCEPT !.health = health] IN
  /\ cq[q].open # "CLOSED"
  /\ cq[q].health = "OK"
  /\ Become(q, Told(r))

\* Hidden.  A completion comes that has no room; it is lost.  As many as were asked for did fit (ARM-16).
CanOverflow(r) == Len(r.entries) >= r.depth
Overflow(q) == CanOverflow(cq[q]) /\ CqError(q, "STATUS_BUFFER_OVERFLOW")

\* Hidden.
InternalError(q) == CqError(q, "STATUS_INTERNAL_ERROR")

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer arms.                                                      *)
(***************************************************************************)

(***************************************************************************)
(* Completions placed since the last callback was called.  Before the      *)
(* first callback all are fresh (A26).                                     *)
(* Rejected, but for RETURN: that "was called" means "returned" (A3).  A   *)
(* completion that came while a callback ran would be old then, though the *)
(* callback may have polled before it came.                                *)
(***************************************************************************)
Fresh(r) == {r.entries[i] : i \in (Len(r.entries) - r.fresh + 1)..Len(r.entries)}

(***************************************************************************)
(* Must an arm of type a be satisfied by what is in the CQ already?        *)
(* Rejected, but for ANY FRESH (A3): that a fresh completion of another    *)
(* kind obliges the provider; like an old one it only may satisfy the arm. *)
(* If the CQ is empty there is nothing to report: it must not (ARM-21).    *)
(* Rejected, but for YES: that a fresh completion counts though it has     *)
(* been polled (A25).  The text speaks of completions in the CQ.           *)
(* libibverbs treats fresh and old completions alike, and looks at none,   *)
(* but that a device may (FreshAtArm = OldAtArm): there a completion that  *)
(* may count as a match is as any other.                                   *)
(***************************************************************************)
AtArm(r, a) ==
  LET matches == {Match(a, c) : c \in Fresh(r)}
      literal == Reading.A3 = "ANY FRESH" /\ matches # {}
  IN
  IF "MUST" \in matches \/ a \in r.taken \/ literal THEN FreshAtArm   \* ARM-04
  ELSE IF "MAY" \in matches /\ FreshAtArm # OldAtArm THEN "MAY"   \* it may count as a match, or as none (A4, A5)
  ELSE IF r.entries # <<>> THEN OldAtArm                    \* ARM-05
  ELSE "MUST NOT"

\* An error of the CQ that no arm has met yet (A1).  The next arm is spent on it at once.
ErrorWaits(r) == Reading.A1 = "KEPT" /\ ErrorsArm /\ r.health # "OK" /\ ~r.reported /\ ~r.errorDue

\* An arm that is made within a callback buys another one, which follows when this one has returned (ARM-06).
\* Rejected, but for AT RETURN: that it looks at what is in the CQ only then (A28).  "At once" says ARM-04.
LooksLater(r) == r.running /\ Reading.A28 = "AT RETURN"

\* The consumer may arm and poll in any order, within the callback too (POLL-10, A27).

AfterArm(r, type) ==
  [r EXCEPT !.arm = Merge(@, type), !.waiting = IF SecondArm = "TOGETHER" THEN @ + 1 ELSE 1]

NdkArmCq(q, type) ==
  LET r == cq[q]
      armed == AfterArm(r, type)
  IN
  /\ r.open = "OPEN"
  /\ type \in NotifyTypes
  /\ Become(q, IF ErrorWaits(r) THEN {[r EXCEPT !.errorDue = TRUE]}
               ELSE IF LooksLater(r) THEN {armed}
               ELSE Oblige(AtArm(r, armed.arm), Satisfied(r, armed.waiting), {armed}))

-----------------------------------------------------------------------------
(***************************************************************************)
(* The provider calls back.                                                *)
(***************************************************************************)

\* One callback of a CQ at a time; what becomes due meanwhile comes afterwards (ARM-06).
CanCallBack(r) == r.open # "CLOSED" /\ ~r.running

\* Another poll may have drained the CQ since the callback fell due.
\* Rejected, but for NEVER: that there is no callback then (A6).  It is owed all the same (ARM-02).
HasCause(r) == Reading.A6 = "NEVER" => r.entries # <<>>

\* This callback has reported all that there is: from here on it is old.
Aged(r) == [r EXCEPT !.fresh = 0, !.uncounted = FALSE, !.taken = {}]

AfterEnter(r) == LET s == [r EXCEPT !.running = Serialised] IN IF Serialised /\ Reading.A3 = "RETURN" THEN s ELSE Aged(s)

(***************************************************************************)
(* CqStatus is STATUS_SUCCESS, or the error of the CQ (ARM-15).  An error  *)
(* is reported once; the callback may be the one that was owed for         *)
(* completions as well (A2).                                               *)
(***************************************************************************)
NdkCqNotificationCallbackEnter(q, status) ==
  LET r == AfterEnter(cq[q]) IN
  /\ CanCallBack(cq[q])
  /\ \/ /\ status = "STATUS_SUCCESS"
        /\ HasCause(r)
        /\ ~TellsErrorFirst(r)
        /\ r.due > 0
        /\ Become(q, {[r EXCEPT !.due = @ - 1]})
     \/ /\ status = r.health
        /\ r.errorDue
        /\ Become(q, {[r EXCEPT !.errorDue = FALSE, !.reported = TRUE, !.due = d] : d \in Beside(r.due)})

AfterExit(r) == LET s == [r EXCEPT !.running = FALSE] IN IF Reading.A3 = "RETURN" THEN Aged(s) ELSE s

\* Under AT RETURN an arm that is outstanding looks at what is in the CQ, as if it were made now (A28).
AtExit(r) ==
  LET s == AfterExit(r) IN
  IF LooksLater(r) /\ r.arm # "NONE" THEN Oblige(AtArm(s, s.arm), Satisfied(s, s.waiting), {s}) ELSE {s}

\* The consumer's callback returns.  It may have armed and polled inside.
NdkCqNotificationCallbackExit(q) == cq[q].running /\ Become(q, AtExit(cq[q]))

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer polls.  It takes the oldest entries, nresults at most; it  *)
(* gets none only if there are none (POLL-02, POLL-03), or it has room for *)
(* none, or the CQ failed: then any part of the entries may still be had,  *)
(* or all under ALL (A33).                                                 *)
(* Rejected, but for MUST NOT: that fewer than asked for means that the CQ *)
(* is empty (A7).  The user-mode interface says so, NDKPI does not.        *)
(***************************************************************************)
BatchSizes(r, nresults) ==
  LET most == Min(nresults, Len(r.entries)) IN
  IF r.health # "OK" /\ Reading.A33 = "ANY PART" THEN 0..most
  ELSE IF most = 0 THEN {0}
  ELSE IF Reading.A7 = "MAY" THEN 1..most
  ELSE {most}

Batches(r, nresults) == {SubSeq(r.entries, 1, k) : k \in BatchSizes(r, nresults)}

\* What was delivered is gone (POLL-04).
Remaining(entries, results) == SubSeq(entries, Len(results) + 1, Len(entries))

\* Arms that a fresh completion among the first k matches (A25).
MatchedBy(r, k) ==
  {a \in NotifyTypes : \E i \in (Len(r.entries) - r.fresh + 1)..k : Match(a, r.entries[i]) = "MUST"}

AfterPoll(r, results) ==
  LET rest == Remaining(r.entries, results) IN
  [r EXCEPT !.entries = rest, !.fresh = Min(@, Len(rest)),
            !.taken = IF Reading.A25 = "YES" THEN @ \union MatchedBy(r, Len(results)) ELSE @]

NdkGetCqResults(q, nresults, results) ==
  /\ cq[q].open = "OPEN"
  /\ results \in Batches(cq[q], nresults)
  /\ Become(q, {AfterPoll(cq[q], results)})

\* The same; it also tells the type of the operation and the token (POLL-06, POLL-07).
NdkGetCqResultsEx(q, nresults, results) == NdkGetCqResults(q, nresults, results)

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer resizes.  NdkResizeCq may return before it is done; then   *)
(* NdkRequestCompletion says how it ended (ASY-01).  Meanwhile the         *)
(* consumer may arm and poll (RSZ-05, A16).  One resize at a time: what a  *)
(* second one would mean while the first is pending, nothing says.         *)
(***************************************************************************)
NdkResizeCq(q, depth) ==
  /\ cq[q].open = "OPEN"
  /\ cq[q].resize = "NONE"
  /\ Become(q, {[cq[q] EXCEPT !.resize = "ASKED", !.asked = depth]})

\* A resize below what the CQ holds may succeed, as long as nothing is lost.
\* Rejected, but for REFUSED: that it never does (A16).  So it is in the user-mode interface; NDKPI does not say.
CanResize(r) == Reading.A16 = "REFUSED" => Len(r.entries) <= r.asked

\* No entry is lost or doubled (RSZ-02).
AfterResize(r) == [r EXCEPT !.resize = "DONE", !.depth = r.asked, !.asked = 0]

\* It leaves the CQ as it was (RSZ-03).
AfterRefusedResize(r) == [r EXCEPT !.resize = "REFUSED", !.asked = 0]

\* Hidden.  The resize takes effect, or is refused: for want of memory, or because of what the CQ holds.
Resize(q) ==
  /\ cq[q].resize = "ASKED"
  /\ Become(q, (IF CanResize(cq[q]) THEN {AfterResize(cq[q])} ELSE {}) \union {AfterRefusedResize(cq[q])})

NdkRequestCompletionEnter(q, outcome) ==
  /\ cq[q].resize = (CASE outcome = "SUCCESS" -> "DONE" [] outcome = "FAILED" -> "REFUSED")
  /\ Become(q, {[cq[q] EXCEPT !.resize = "TOLD"]})

NdkRequestCompletionExit(q) == cq[q].resize = "TOLD" /\ Become(q, {[cq[q] EXCEPT !.resize = "NONE"]})

-----------------------------------------------------------------------------
(***************************************************************************)
(* Closing.  NdkCloseCq may return before the CQ is closed; then           *)
(* NdkCloseCompletion says when it is.  Here it never fails (LIFE-12); one *)
(* that is recorded as failed did nothing, and no rule is held against it  *)
(* (A22).  Nothing of the CQ can be called from then on, a second close    *)
(* neither (LIFE-06).  Its QPs come first: see Ndk.                        *)
(***************************************************************************)
NdkCloseCq(q) == cq[q].open = "OPEN" /\ Become(q, {[cq[q] EXCEPT !.open = "CLOSING"]})

\* Not while a callback runs (ARM-20, LIFE-08), nor while a resize is pending or its callback runs (LIFE-07).
CanFinishClose(r) == r.open = "CLOSING" /\ ~r.running /\ r.resize = "NONE"

\* Nothing is owed any more (ARM-20, LIFE-09).
AfterClose(r) ==
  [Aged(Disarmed(r)) EXCEPT !.open = "CLOSED", !.entries = <<>>, !.due = 0, !.errorDue = FALSE]

NdkCloseCompletion(q) == CanFinishClose(cq[q]) /\ Become(q, {AfterClose(cq[q])})

\* The completions of a QP that was closed vanish (A21).
Without(r, p) ==
  LET Stays(c) == c.qp # p IN
  [r EXCEPT !.entries = SelectSeq(@, Stays),
            !.fresh = Len(SelectSeq(SubSeq(r.entries, Len(r.entries) - r.fresh + 1, Len(r.entries)), Stays))]

Drop(p) == cq' = [q \in CQ |-> Without(cq[q], p)]

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
\* (Within a callback it does not sleep: A28.)
ArmNotMissed ==
  FreshAtArm = "MUST" =>
    \A q \in CQ : \A c \in Fresh(cq[q]) : MustWake(cq[q].arm, c) => cq[q].running /\ Reading.A28 = "AT RETURN"

\* ARM-04 (A25): under YES, nor with one that it has polled already.
PolledNotMissed ==
  FreshAtArm = "MUST" => \A q \in CQ : cq[q].arm \in cq[q].taken => cq[q].running /\ Reading.A28 = "AT RETURN"

\* ARM-03, ARM-09, ARM-10, ARM-11: a completion that arrives satisfies the arm it matches, in every dialect.
ArrivalWakes ==
  [][\A q \in CQ : LET new == cq'[q].entries IN
       Len(new) > Len(cq[q].entries) /\ MustWake(cq[q].arm, new[Len(new)]) => cq'[q].arm = "NONE"]_cq

\* A failed completion may satisfy an ERRORS arm (A4); and one that is not solicited a SOLICITED arm, under MAY (A5).
MayWake(arm, c) ==
  \/ MustWake(arm, c)
  \/ arm = "ERRORS" /\ c.status # "SUCCESS" /\ Reading.A4 = "MAY"
  \/ arm = "SOLICITED" /\ Reading.A5 = "MAY"

\* ARM-08, ARM-12: a completion that does not match leaves the arm as it is.
OtherArrivalsDoNotWake ==
  [][\A q \in CQ : LET new == cq'[q].entries IN
       Len(new) > Len(cq[q].entries) /\ ~MayWake(cq[q].arm, new[Len(new)]) => cq'[q].arm = cq[q].arm]_cq

\* ARM-21: a callback becomes owed only if the CQ holds something to poll.  In verbs extra events are allowed, and under
\* YES what has been polled counts (A25).
CallbackHasCause ==
  [][\A q \in CQ :
       cq'[q].due > cq[q].due => cq'[q].entries # <<>> \/ ExtraEvent \/ Reading.A25 = "YES"]_cq

\* ARM-21 (A6): under NEVER, and it begins only if there still is something.
CallbackFindsEntries ==
  [][\A q \in CQ :
       Reading.A6 = "NEVER" /\ NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS") => cq[q].entries # <<>>]_cq

\* ARM-03 (A24): no more callbacks are owed than the bound allows.
DebtIsBounded ==
  SecondArm = "MERGE" =>
    \A q \in CQ : (Reading.A24 = "1" => cq[q].due <= 1) /\ (Reading.A24 = "2" => cq[q].due <= 2)

\* ARM-02, ARM-07 (A2): an arm that is satisfied while callbacks are owed is one with them, or adds one; the first is owed.
SatisfiedArmIsOwed ==
  [][\A q \in CQ : LET old == cq[q]  new == cq'[q]  toldOfError == new.errorDue /\ ~old.errorDue IN
       /\ SecondArm = "MERGE"
       /\ old.arm # "NONE" /\ new.arm = "NONE" /\ new.open # "CLOSED" /\ ~toldOfError
       =>
       /\ new.due \in {old.due, old.due + 1} \ {0}
       /\ Reading.A2 = "ONE" => new.due = 1 \/ new.due = old.due
       /\ Reading.A2 = "TWO" => new.due = old.due + 1]_cq

\* ARM-02, ARM-08 (A2): under TWO an error takes no callback that is owed for completions.  Under ONE they have one callback together:
\* none is made before it, and none is left after it.
ErrorMergesAsArmsDo ==
  [][\A q \in CQ : LET old == cq[q]  new == cq'[q] IN
       SecondArm = "MERGE" /\ new.open # "CLOSED" =>
         /\ Reading.A2 = "TWO" /\ new.due < old.due => NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS")
         /\ Reading.A2 = "ONE" /\ old.errorDue /\ new.due < old.due => new.reported
         /\ Reading.A2 = "ONE" /\ ~old.reported /\ new.reported => new.due = 0]_cq

\* ARM-04, ARM-05: where old completions must not satisfy an arm, a fresh one does that may; where that must not either,
\* none does.  (A25: under YES what was polled may do it.)
SatisfiedAtArmHasCause ==
  [][\A q \in CQ, t \in NotifyTypes : NdkArmCq(q, t) /\ cq'[q].due > cq[q].due =>
       \/ Reading.A25 = "YES"
       \/ OldAtArm # "MUST NOT"
       \/ Reading.A3 = "ANY FRESH" /\ Fresh(cq[q]) # {}
       \/ FreshAtArm # "MUST NOT" /\ \E c \in Fresh(cq[q]) : MayWake(Merge(cq[q].arm, t), c)]_cq

\* ARM-04 (A3): under ANY FRESH, an arm that finds a fresh completion of any kind is satisfied at once.
AnyFreshObliges ==
  [][\A q \in CQ, t \in NotifyTypes :
       NdkArmCq(q, t) /\ Reading.A3 = "ANY FRESH" /\ FreshAtArm = "MUST" /\ Fresh(cq[q]) # {} /\ ~ErrorWaits(cq[q]) =>
         cq'[q].arm = "NONE"]_cq

\* The step in which a callback makes the entries old (A3).
Reports(q) ==
  IF Serialised /\ Reading.A3 = "RETURN" THEN NdkCqNotificationCallbackExit(q)
  ELSE \E status \in CqStatuses : NdkCqNotificationCallbackEnter(q, status)

\* ARM-04, ARM-05 (A3, A26): a completion is fresh from its arrival to the next callback.
FreshSinceCallback ==
  [][\A q \in CQ : LET old == cq[q]  new == cq'[q] IN
       IF Reports(q) THEN new.fresh = 0
       ELSE IF Len(new.entries) > Len(old.entries) THEN new.fresh = IF old.uncounted THEN 0 ELSE old.fresh + 1
       ELSE new.fresh = Min(old.fresh, Len(new.entries))]_cq

\* ARM-02: an arm goes away only by being satisfied (then a callback is owed), or with its CQ.
ArmIsKept ==
  [][\A q \in CQ : cq[q].arm # "NONE" /\ cq'[q].arm = "NONE" =>
       cq'[q].due > 0 \/ cq'[q].errorDue \/ cq'[q].open = "CLOSED"]_cq

\* ARM-16: a CQ overflows only when it holds as many completions as the consumer asked room for.
OverflowOnlyWhenFull ==
  [][\A q \in CQ : cq[q].health = "OK" /\ cq'[q].health = "STATUS_BUFFER_OVERFLOW" => Len(cq[q].entries) >= cq[q].depth]_cq

\* ARM-17: after an error nothing is added; what remains was there before.
NothingAfterCqError ==
  [][\A q \in CQ : LET old == cq[q].entries  new == cq'[q].entries IN
       cq[q].health # "OK" =>
         Len(new) <= Len(old) /\ \A i \in DOMAIN new : \E j \in DOMAIN old : new[i] = old[j]]_cq

\* ARM-08 (A1): under NO ARM an error is owed its callback at once.
ErrorIsOwed ==
  ErrorsArm /\ Reading.A1 = "NO ARM" =>
    \A q \in CQ : cq[q].health = "OK" \/ cq[q].errorDue \/ cq[q].reported \/ cq[q].open = "CLOSED"

\* ARM-17 (A1): an error is reported at most once: when it has been, no callback is owed for it any more.
ErrorReportedOnce == \A q \in CQ : cq[q].reported => ~cq[q].errorDue

\* POLL-02: a poll returns no more than it has room for.
NoMoreThanAsked == \A q \in CQ, n \in 1..Room : \A results \in Batches(cq[q], n) : Len(results) <= n

\* A failed CQ that may keep what it has (A33).
MayKeep(r) == r.health # "OK" /\ Reading.A33 = "ANY PART"

\* POLL-03: it returns none only if there is none.
EmptyHandedOnlyIfEmpty ==
  \A q \in CQ, n \in 1..Room : <<>> \in Batches(cq[q], n) => cq[q].entries = <<>> \/ MayKeep(cq[q])

\* POLL-03 (A7): under MUST NOT, and fewer than it has room for only if there are no more.
ShortBatchMeansEmpty ==
  Reading.A7 = "MUST NOT" =>
    \A q \in CQ, n \in 1..Room : \A results \in Batches(cq[q], n) :
      Len(results) < n => Remaining(cq[q].entries, results) = <<>> \/ MayKeep(cq[q])

\* RSZ-02, RSZ-05: a resize, done or refused, neither loses nor doubles a completion, and leaves arms and callbacks alone.
ResizeKeepsEntries ==
  [][\A q \in CQ : LET new == cq'[q] IN
       new.resize # cq[q].resize =>
         new = [cq[q] EXCEPT !.resize = new.resize, !.asked = new.asked, !.depth = new.depth]]_cq

\* RSZ-03: one that is refused leaves the depth as it was.
DepthIsWhatWasAsked ==
  [][\A q \in CQ : cq'[q].depth # cq[q].depth => cq'[q].resize = "DONE" /\ cq'[q].depth = cq[q].asked]_cq

\* RSZ-03 (A16): under REFUSED one below what the CQ holds is.
ShrinkIsRefused ==
  [][\A q \in CQ :
       cq'[q].depth # cq[q].depth /\ Reading.A16 = "REFUSED" => Len(cq[q].entries) <= cq'[q].depth]_cq

\* LIFE-07, LIFE-08, LIFE-09: when its close has completed, nothing of a CQ is pending, and nothing is owed.
ClosedIsAtRest ==
  \A q \in CQ : LET r == cq[q] IN
    r.open = "CLOSED" => r.resize = "NONE" /\ r.arm = "NONE" /\ r.due = 0 /\ ~r.errorDue /\ ~r.running

\* ARM-20, LIFE-09: and nothing happens to it any more.
ClosedStays == [][\A q \in CQ : cq[q].open = "CLOSED" => cq'[q] = cq[q]]_cq

\* LIFE-12: a close that was begun is not taken back.
CloseStays == [][\A q \in CQ : cq[q].open # "OPEN" => cq'[q].open # "OPEN"]_cq

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must happen in the end.  Owed callbacks are made, callbacks        *)
(* return, a resize ends, and a close that can finish does (LIFE-11).  The *)
(* callback that reports an error is not put off for ever by callbacks for *)
(* completions (the strong fairness: it can be made only while none is     *)
(* running).  No time is set for any of it: interrupt moderation may delay *)
(* a callback (A32).                                                       *)
(***************************************************************************)
CqFairness ==
  \A q \in CQ :
    /\ WF_cq(NdkCqNotificationCallbackEnter(q, "STATUS_SUCCESS"))
    /\ SF_cq(\E status \in CqErrors : NdkCqNotificationCallbackEnter(q, status))
    /\ WF_cq(NdkCqNotificationCallbackExit(q))
    /\ WF_cq(Resize(q))
    /\ WF_cq(\E outcome \in {"SUCCESS", "FAILED"} : NdkRequestCompletionEnter(q, outcome))
    /\ WF_cq(NdkRequestCompletionExit(q))
    /\ WF_cq(NdkCloseCompletion(q))

\* ASY-01, LIFE-07: a resize that was asked for is answered, also while the CQ is being closed.
ResizeIsAnswered == \A q \in CQ : (cq[q].resize # "NONE") ~> (cq[q].resize = "NONE")

\* LIFE-11: a close that was begun completes.
CloseCompletes == \A q \in CQ : (cq[q].open = "CLOSING") ~> (cq[q].open = "CLOSED")

\* ARM-08 (A1): a consumer that keeps arming its CQ learns of the error.
ErrorReported ==
  ErrorsArm => \A q \in CQ : (cq[q].health # "OK") ~> (cq[q].reported \/ cq[q].open # "OPEN")
=============================================================================
