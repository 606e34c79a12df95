------------------------------ MODULE Consumer -------------------------------
(***************************************************************************)
(* The consumer's side of a CQ: in which order to arm, poll and sleep.     *)
(*                                                                         *)
(* Whether a consumer may sleep, and trust that it will be called back,    *)
(* depends on the order of its own calls as much as on the provider; and   *)
(* an order that is safe in one interface loses wake-ups in another.  Each *)
(* pattern below is a small program.  Under every liberty of the provider  *)
(* it is proved safe here, or refuted by a counter-example; README.md has  *)
(* the table.                                                              *)
(*                                                                         *)
(* The consumer of a CQ has a main loop and a callback, which is called by *)
(* the provider.  Where a callback is an event that is read (Serialised is *)
(* FALSE), one thread reads the events and runs the callback's program for *)
(* one after another.                                                      *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  CQ, Depth, Room,
  Patterns,   \* names of the programs of which a consumer follows one
  Awaited     \* "ANY", "SOLICITED": what it waits for, as an arm type; it must not sleep beside such a completion

VARIABLES cq, consumer

Cq == INSTANCE CompletionQueue

(***************************************************************************)
(* Instructions.                                                           *)
(*   arm            calls NdkArmCq, for what is awaited                    *)
(*   arm SOLICITED  the same, whatever is awaited                          *)
(*   drain          polls until a poll finds nothing, each time with room  *)
(*                  for one completion or for all: which makes no          *)
(*                  difference to what is proved                           *)
(*   poll batch     polls with room for all, until a poll finds less than  *)
(*                  that                                                   *)
(*   poll one       polls once, with room for one completion               *)
(*   wake           lets the main loop pass its next sleep                 *)
(*   sleep          waits until wake has come since the last sleep         *)
(* At its end the main loop begins again, and the callback returns.        *)
(***************************************************************************)
Program ==
  [pattern \in Patterns |->
  CASE \* Right everywhere.
       pattern = "arm, drain, sleep" ->
         [main |-> <<"arm", "drain", "sleep">>, callback |-> <<"wake">>]
    [] pattern = "drain, arm, drain, sleep" ->
         [main |-> <<"drain", "arm", "drain", "sleep">>, callback |-> <<"wake">>]
    [] pattern = "callback: arm, drain" ->
         [main |-> <<"arm", "drain", "sleep">>, callback |-> <<"arm", "drain">>]
    [] pattern = "callback: drain, arm, drain" ->
         [main |-> <<"arm", "drain", "sleep">>, callback |-> <<"drain", "arm", "drain">>]
       \* Right where arming looks at what is in the CQ.
    [] pattern = "drain, arm, sleep" ->
         [main |-> <<"drain", "arm", "sleep">>, callback |-> <<"wake">>]
    [] pattern = "callback: drain, arm" ->
         [main |-> <<"arm", "drain", "sleep">>, callback |-> <<"drain", "arm">>]
       \* Wrong: completions stay behind, which are old at the next arm.  To poll one entry is against ARM-23; to poll a batch is
       \* not, and may leave some all the same (A7), but in ndspi, where each poll takes all that it has room for.
    [] pattern = "arm, poll one, sleep" ->
         [main |-> <<"arm", "poll one", "sleep">>, callback |-> <<"wake">>]
    [] pattern = "arm, poll batch, sleep" ->
         [main |-> <<"arm", "poll batch", "sleep">>, callback |-> <<"wake">>]
       \* Wrong: a success that is not solicited does not satisfy the arm.
    [] pattern = "arm SOLICITED, drain, sleep" ->
         [main |-> <<"arm SOLICITED", "drain", "sleep">>, callback |-> <<"wake">>]
       \* Wrong: an arm is for one callback.
    [] pattern = "callback: drain" ->
         [main |-> <<"arm", "drain", "sleep">>, callback |-> <<"drain">>]]

Threads == {"main", "callback"}
Code(q, thread) == Program[consumer[q].pattern][thread]

(***************************************************************************)
(* main: the number of the main loop's next instruction.  callback: the    *)
(* same of the callback's, one too many when it is about to return, 0      *)
(* while none runs.  woken: wake has come since the last sleep.            *)
(***************************************************************************)
ConsumerTypeOK ==
  \A q \in CQ :
    /\ DOMAIN consumer[q] = {"pattern", "awaits", "main", "callback", "woken"}
    /\ consumer[q].pattern \in Patterns
    /\ consumer[q].awaits \in Awaited
    /\ consumer[q].main \in DOMAIN Code(q, "main")
    /\ consumer[q].callback \in 0..(Len(Code(q, "callback")) + 1)
    /\ consumer[q].woken \in BOOLEAN

TypeOK == Cq!CqTypeOK /\ ConsumerTypeOK

Init ==
  /\ Cq!CqInit
  /\ consumer \in [CQ -> [pattern : Patterns, awaits : Awaited, main : {1}, callback : {0}, woken : {FALSE}]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer works.  Its threads never call at the same time: a call is *)
(* one step.                                                               *)
(***************************************************************************)
At(q, thread, instruction) ==
  LET i == consumer[q][thread] IN i \in DOMAIN Code(q, thread) /\ Code(q, thread)[i] = instruction

Following(q, thread) ==
  LET i == consumer[q][thread] IN IF thread = "main" /\ i = Len(Code(q, thread)) THEN 1 ELSE i + 1

Continue(q, thread) == consumer' = [consumer EXCEPT ![q][thread] = Following(q, thread)]
Repeat == UNCHANGED consumer

NdkArmCq(q, thread, type) ==
  /\ \/ At(q, thread, "arm") /\ type = consumer[q].awaits
     \/ At(q, thread, "arm SOLICITED") /\ type = "SOLICITED"
  /\ Cq!NdkArmCq(q, type)
  /\ Continue(q, thread)

\* A poll with room for so many completions, which finds n.
NdkGetCqResults(q, thread, nresults, n) ==
  /\ \/ At(q, thread, "drain") /\ IF n = 0 THEN Continue(q, thread) ELSE Repeat
     \/ At(q, thread, "poll batch") /\ nresults = Room /\ IF n < Room THEN Continue(q, thread) ELSE Repeat
     \/ At(q, thread, "poll one") /\ nresults = 1 /\ Continue(q, thread)
  /\ \E results \in Cq!Batches(cq[q], nresults) : Len(results) = n /\ Cq!NdkGetCqResults(q, nresults, results)

Wake(q) ==
  /\ At(q, "callback", "wake")
  /\ consumer' = [consumer EXCEPT ![q].woken = TRUE, ![q].callback = Following(q, "callback")]
  /\ UNCHANGED cq

WakeUp(q) ==
  /\ At(q, "main", "sleep")
  /\ consumer[q].woken
  /\ consumer' = [consumer EXCEPT ![q].woken = FALSE, ![q].main = Following(q, "main")]
  /\ UNCHANGED cq

NdkCqNotificationCallbackEnter(q, status) ==
  /\ consumer[q].callback = 0
  /\ Cq!NdkCqNotificationCallbackEnter(q, status)
  /\ consumer' = [consumer EXCEPT ![q].callback = 1]

NdkCqNotificationCallbackExit(q) ==
  /\ consumer[q].callback = Len(Code(q, "callback")) + 1
  /\ IF Serialised THEN Cq!NdkCqNotificationCallbackExit(q) ELSE UNCHANGED cq
  /\ consumer' = [consumer EXCEPT ![q].callback = 0]

\* The adapter works, and the consumer does not see it.
Place(q, c) == Cq!Place(q, c) /\ UNCHANGED consumer
ExtraEventComes(q) == Cq!ExtraEventComes(q) /\ UNCHANGED consumer
Overflow(q) == Cq!Overflow(q) /\ UNCHANGED consumer
InternalError(q) == Cq!InternalError(q) /\ UNCHANGED consumer

-----------------------------------------------------------------------------
(***************************************************************************)
(* What a consumer may hope for.                                           *)
(***************************************************************************)

\* Nothing that has happened will wake it.
Asleep(q) ==
  /\ At(q, "main", "sleep") /\ ~consumer[q].woken
  /\ consumer[q].callback = 0
  /\ cq[q].due = 0 /\ ~cq[q].errorDue

AwaitedIn(q) == \E i \in DOMAIN cq[q].entries : Cq!MustWake(consumer[q].awaits, cq[q].entries[i])

\* ARM-04, ARM-05, ARM-23: the consumer does not sleep beside a completion that it waits for.
NoCompletionSleptThrough == \A q \in CQ : Asleep(q) /\ cq[q].health = "OK" => ~AwaitedIn(q)

\* ARM-08 (A1): nor while the CQ has failed, unless it was told.  In verbs it is told otherwise.
NoCqErrorSleptThrough == ErrorsArm => \A q \in CQ : Asleep(q) /\ cq[q].health # "OK" => cq[q].reported

\* ARM-03: every completion that it waits for is polled in the end.  (Only a poll shortens the CQ, at its head.)
EveryCompletionPolled ==
  \A q \in CQ :
    \/ []<>~AwaitedIn(q)
    \/ []<><<Len(cq'[q].entries) < Len(cq[q].entries)>>_cq
    \/ <>(cq[q].health # "OK")

\* Each thread of the consumer goes on whenever it can, and a callback that is owed is made.
Step(q, thread) ==
  \/ \E type \in NotifyTypes : NdkArmCq(q, thread, type)
  \/ \E nresults \in {1, Room}, n \in 0..Room : NdkGetCqResults(q, thread, nresults, n)
  \/ thread = "main" /\ WakeUp(q)
  \/ thread = "callback" /\ \/ Wake(q)
                            \/ \E status \in Cq!CqStatuses : NdkCqNotificationCallbackEnter(q, status)
                            \/ NdkCqNotificationCallbackExit(q)

UseFairness == \A q \in CQ, thread \in Threads : WF_<<cq, consumer>>(Step(q, thread))
=============================================================================
