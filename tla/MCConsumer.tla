------------------------------ MODULE MCConsumer -----------------------------
(***************************************************************************)
(* One CQ and its consumer, for TLC.  Completions come as they please.     *)
(* Nothing has to be bounded: a consumer that follows a program arms only  *)
(* so often.                                                               *)
(***************************************************************************)
EXTENDS Consumer

CONSTANT Errors    \* may the CQ itself fail?

vars == <<cq, consumer>>

\* To an arm, a completion that was cancelled is like one that failed: three kinds are all there are.
Completion(status, solicited) ==
  [qp |-> "a", queue |-> "receive", req |-> 0, status |-> status, solicited |-> solicited, token |-> NoToken]
Kinds == {Completion("SUCCESS", FALSE), Completion("SUCCESS", TRUE), Completion("FAILED", FALSE)}

(***************************************************************************)
(* Every choice in a step is an argument of its action: a graph of the     *)
(* states, with actions and arguments at its edges, tells all there is.    *)
(***************************************************************************)

MCNdkArmCq(q, thread, type) == NdkArmCq(q, thread, type)
MCNdkGetCqResults(q, thread, nresults, n) == NdkGetCqResults(q, thread, nresults, n)
MCWake(q) == Wake(q)
MCWakeUp(q) == WakeUp(q)
MCNdkCqNotificationCallbackEnter(q, status) == NdkCqNotificationCallbackEnter(q, status)
MCNdkCqNotificationCallbackExit(q) == NdkCqNotificationCallbackExit(q)
MCPlace(q, c) == Place(q, c)
MCExtraEventComes(q) == ExtraEventComes(q)
MCOverflow(q) == Errors /\ Overflow(q)
MCInternalError(q) == Errors /\ InternalError(q)

MCInit == Init

MCNext ==
  \E q \in CQ :
    \/ \E thread \in Threads, type \in NotifyTypes : MCNdkArmCq(q, thread, type)
    \/ \E thread \in Threads, nresults \in {1, Room}, n \in 0..Room : MCNdkGetCqResults(q, thread, nresults, n)
    \/ MCWake(q)
    \/ MCWakeUp(q)
    \/ \E status \in Cq!CqStatuses : MCNdkCqNotificationCallbackEnter(q, status)
    \/ MCNdkCqNotificationCallbackExit(q)
    \/ \E c \in Kinds : MCPlace(q, c)
    \/ MCExtraEventComes(q)
    \/ MCOverflow(q)
    \/ MCInternalError(q)

Safety == MCInit /\ [][MCNext]_vars

Liveness == Safety /\ UseFairness
=============================================================================
