-------------------------- MODULE MCCompletionQueue --------------------------
(***************************************************************************)
(* One CQ, all by itself, for TLC.  Completions come as they please.       *)
(* Runs have no end: only the callbacks owed at a time are bounded.        *)
(***************************************************************************)
EXTENDS CompletionQueue

CONSTANTS
  MaxDue,    \* callbacks owed at a time
  Depths,    \* that the consumer may ask for when it resizes
  Errors,    \* may the CQ itself fail?
  Closing,   \* may the consumer close it?
  History    \* are the ghost variables kept?  Liveness does without them

VARIABLES
  joined,    \* joined[q]: types of the arm requests since the arm was last clear
  unspent,   \* unspent[q]: arm requests made less callbacks entered; counting stops at MaxDue + 1, the most ever owed
  inside     \* inside[q]: callbacks entered less callbacks returned

ghosts == <<joined, unspent, inside>>
vars == <<cq, ghosts>>

\* To an arm, a completion that was cancelled is like one that failed: three kinds are all there are.
Completion(status, solicited) ==
  [qp |-> "a", queue |-> "receive", req |-> 0, status |-> status, type |-> "Receive", solicited |-> solicited,
   token |-> NoToken]
Kinds == {Completion("SUCCESS", FALSE), Completion("SUCCESS", TRUE), Completion("FAILED", FALSE)}

MCInit ==
  /\ CqInit
  /\ joined = [q \in CQ |-> {}]
  /\ unspent = [q \in CQ |-> 0]
  /\ inside = [q \in CQ |-> 0]

\* After any step: if the arm is clear, what was asked before is history.
Joined(q, types) ==
  joined' = IF History THEN [joined EXCEPT ![q] = IF cq'[q].arm = "NONE" THEN {} ELSE @ \union types] ELSE joined

\* The callback that reports an error needs no arm under NO ARM (A1).
NeedsArm(status) == status = "STATUS_SUCCESS" \/ Reading.A1 # "NO ARM"

Armed(q) == unspent' = IF History THEN [unspent EXCEPT ![q] = Min(@ + 1, MaxDue + 1)] ELSE unspent
Entered(q, status) ==
  /\ unspent' = IF History /\ NeedsArm(status) THEN [unspent EXCEPT ![q] = @ - 1] ELSE unspent
  /\ inside' = IF History /\ Serialised THEN [inside EXCEPT ![q] = @ + 1] ELSE inside
Exited(q) == inside' = IF History THEN [inside EXCEPT ![q] = @ - 1] ELSE inside

\* A step that is neither of these.
Other(q) == Joined(q, {}) /\ UNCHANGED <<unspent, inside>>

(***************************************************************************)
(* Every choice in a step is an argument of its action: a graph of the     *)
(* states, with actions and arguments at its edges, tells all there is.    *)
(***************************************************************************)

\* A consumer that arms so often that too many callbacks are owed waits for one of them.
MayArm(r) == r.due + (IF SecondArm = "TOGETHER" THEN r.waiting ELSE 0) < MaxDue

MCNdkArmCq(q, type) == MayArm(cq[q]) /\ NdkArmCq(q, type) /\ Joined(q, {type}) /\ Armed(q) /\ UNCHANGED inside
MCNdkCqNotificationCallbackEnter(q, status) ==
  NdkCqNotificationCallbackEnter(q, status) /\ Joined(q, {}) /\ Entered(q, status)
MCNdkCqNotificationCallbackExit(q) ==
  NdkCqNotificationCallbackExit(q) /\ Joined(q, {}) /\ Exited(q) /\ UNCHANGED unspent
MCPlace(q, c) == Place(q, c) /\ Other(q)
MCExtraEventComes(q) == ExtraEventComes(q) /\ Other(q)
MCOverflow(q) == Errors /\ Overflow(q) /\ Other(q)
MCInternalError(q) == Errors /\ InternalError(q) /\ Other(q)
\* A poll that may take a part is one with room for all: with less room it takes a part, too (A7).
Rooms == IF Reading.A7 = "MAY" THEN {Room} ELSE 1..Room
MCNdkGetCqResults(q, nresults, n) ==
  \E results \in Batches(cq[q], nresults) : Len(results) = n /\ NdkGetCqResults(q, nresults, results) /\ Other(q)
MCNdkResizeCq(q, depth) == NdkResizeCq(q, depth) /\ Other(q)
MCResize(q) == Resize(q) /\ Other(q)
MCNdkRequestCompletionEnter(q, outcome) == NdkRequestCompletionEnter(q, outcome) /\ Other(q)
MCNdkRequestCompletionExit(q) == NdkRequestCompletionExit(q) /\ Other(q)
MCNdkCloseCq(q) == Closing /\ NdkCloseCq(q) /\ Other(q)
MCNdkCloseCompletion(q) == NdkCloseCompletion(q) /\ Other(q)

MCNext ==
  \E q \in CQ :
    \/ \E type \in AllNotifyTypes : MCNdkArmCq(q, type)
    \/ \E status \in CqStatuses : MCNdkCqNotificationCallbackEnter(q, status)
    \/ MCNdkCqNotificationCallbackExit(q)
    \/ \E c \in Kinds : MCPlace(q, c)
    \/ MCExtraEventComes(q)
    \/ MCOverflow(q)
    \/ MCInternalError(q)
    \/ \E nresults \in Rooms, n \in 0..Room : MCNdkGetCqResults(q, nresults, n)
    \/ \E depth \in Depths : MCNdkResizeCq(q, depth)
    \/ MCResize(q)
    \/ \E outcome \in {"SUCCESS", "FAILED"} : MCNdkRequestCompletionEnter(q, outcome)
    \/ MCNdkRequestCompletionExit(q)
    \/ MCNdkCloseCq(q)
    \/ MCNdkCloseCompletion(q)

Safety == MCInit /\ [][MCNext]_vars

-----------------------------------------------------------------------------
\* ARM-01, ARM-02: whatever is owed, or may become owed, was bought by an arm request of its own.
OneCallbackAnArm ==
  \A q \in CQ :
    cq[q].waiting + cq[q].due + (IF cq[q].errorDue /\ NeedsArm(cq[q].health) THEN 1 ELSE 0) <= unspent[q]

\* ARM-06: no two callbacks of a CQ overlap.
CallbacksSerialised == Serialised => \A q \in CQ : inside[q] <= 1

\* ARM-20, LIFE-08, LIFE-09: no callback runs when close completes, or begins afterwards.
NoCallbackAfterClose == \A q \in CQ : cq[q].open = "CLOSED" => inside[q] = 0

\* The table of the documentation: first arm, second arm, result.
JoinTable ==
  { <<"ANY",       "ANY", "ANY">>, <<"ANY",       "ERRORS", "ANY">>,       <<"ANY",       "SOLICITED", "ANY">>,
    <<"ERRORS",    "ANY", "ANY">>, <<"ERRORS",    "ERRORS", "ERRORS">>,    <<"ERRORS",    "SOLICITED", "SOLICITED">>,
    <<"SOLICITED", "ANY", "ANY">>, <<"SOLICITED", "ERRORS", "SOLICITED">>, <<"SOLICITED", "SOLICITED", "SOLICITED">> }

\* ARM-07: the arm is one of the types asked for, and none of the others would change it.
ArmIsTheJoin ==
  \A q \in CQ :
    IF joined[q] = {} THEN cq[q].arm = "NONE"
    ELSE cq[q].arm \in joined[q] /\ \A t \in joined[q] : <<cq[q].arm, t, cq[q].arm>> \in JoinTable

-----------------------------------------------------------------------------
\* Liveness supposes a consumer that arms again and again.
ConsumerKeepsArming == \A q \in CQ : WF_cq(\E type \in NotifyTypes : MayArm(cq[q]) /\ NdkArmCq(q, type))

Liveness == Safety /\ CqFairness /\ ConsumerKeepsArming

\* ARM-03, ARM-06: an owed callback is entered, at the latest after the running one has returned.
\* (However many are owed, their number does not stay the same.)
OwedCallbackEntered ==
  \A q \in CQ :
    /\ \A n \in 1..MaxDue : (cq[q].due = n) ~> (cq[q].due # n)
    /\ cq[q].errorDue ~> ~cq[q].errorDue
=============================================================================
