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
  [qp |-> "a", queue |-> "receive", req |-> 0, status |-> status, type |-> "Receive", solicited |-> solicited,
   token |-> NoToken]
Kinds == {Completion("SUCCESS", FALSE), Completion("SUCCESS", TRUE), Completion("FAILED", FALSE)}

MCOverflow(q) == Errors /\ Overflow(q)
MCInternalError(q) == Errors /\ InternalError(q)

MCInit == Init

\* Every choice in a step is an argument of its action, as in the other modules for TLC.
MCNext ==
  \E q \in CQ :
    \/ \E thread \in Threads, type \in NotifyTypes : NdkArmCq(q, thread, type)
    \/ \E thread \in Threads, nresults \in {1, Room}, n \in 0..Room : NdkGetCqResults(q, thread, nresults, n)
    \/ Wake(q)
    \/ WakeUp(q)
    \/ \E status \in Cq!CqStatuses : NdkCqNotificationCallbackEnter(q, status)
    \/ NdkCqNotificationCallbackExit(q)
    \/ \E c \in Kinds : Place(q, c)
    \/ ExtraEventComes(q)
    \/ MCOverflow(q)
    \/ MCInternalError(q)

Safety == MCInit /\ [][MCNext]_vars

Liveness == Safety /\ UseFairness
=============================================================================
