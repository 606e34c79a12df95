------------------------------ MODULE Readings ------------------------------
(***************************************************************************)
(* Where the documentation can be read in more than one way.  A1, A2, ...  *)
(* are the open questions of docs/rules.md.  These operators ask for the   *)
(* choices:                                                                *)
(*   CompletionQueue  A1 Told, ErrorWaits                                  *)
(*                    A2 Owe, Beside, TellsErrorFirst                      *)
(*                    A3 AfterEnter, AfterExit, AtArm                      *)
(*                    A4, A5 Match            A6 HasCause                  *)
(*                    A7, A33 BatchSizes      A16 CanResize                *)
(*                    A24 Bounded             A25 AfterPoll                *)
(*                    A26 NewCq               A28 LooksLater, AtExit       *)
(*                    A35 Capacity                                         *)
(*   QueuePair        A9 CanComplete          A10, A30 EndedBy             *)
(*                    A15 FreeAfterFlush      A29 LeavesCompletion         *)
(*                    A31 FlushedPhases       A34 AfterRefusal             *)
(*                    A36 CloseMayWait        A40 Ends                     *)
(*   SharedReceiveQueue  A18 Count           A19 NewSrqs                   *)
(*   Tokens           A8 CanPost, CanRefuse                                *)
(*   Ndk              A21 CompletionLost, NdkCloseCompletionEnter          *)
(*   MCCompletionQueue  A1 NeedsArm           A7 Rooms                     *)
(*   MCQueuePair      A11 MCPost              A31 Owed                     *)
(*                    A38 MayPost                                          *)
(*   MCNdk            A7 Rooms                A12 Held                     *)
(*   MCSharedReceiveQueue  A19 MayBeArmedAtFirst                           *)
(*                                                                         *)
(* Four questions are about what is modelled, and have no choice: a close  *)
(* never fails (A22, Cq!NdkCloseCompletion); a connection may cancel what  *)
(* is pending, or not, when it is aborted (A23, Qp!ConnectionLost); the    *)
(* consumer may arm and poll within the callback (A27, Cq!NdkArmCq); no    *)
(* time is set to a callback (A32, Cq!CqFairness).  The rest, A13, A14,    *)
(* A17 and A20, are of flags, addresses in memory, moderation (one         *)
(* callback for many completions) and calls that                           *)
(* return while their callback runs, which are not modelled.               *)
(***************************************************************************)

\* What each may be.
Choices ==
  [ A1  |-> {"KEPT", "LOST", "NO ARM"},          \* an error of the CQ finds no arm: kept for the next, lost, or none is needed
    A2  |-> {"EITHER", "ONE", "TWO"},            \* callbacks for two arms, or for an arm and an error of the CQ
    A3  |-> {"ENTRY", "RETURN", "ANY FRESH"},    \* what the CQ holds is old from a callback's entry, or its return; or any that is fresh obliges
    A4  |-> {"MAY", "MUST", "MUST NOT"},         \* does a failed completion satisfy an ERRORS arm?
    A5  |-> {"MUST NOT", "MAY"},                 \* does a success that is not solicited satisfy a SOLICITED arm?
    A6  |-> {"IF DRAINED", "NEVER"},             \* a callback on an empty CQ: after it was drained, or never
    A7  |-> {"MAY", "MUST NOT"},                 \* does a poll leave entries behind for which it has room?
    A8  |-> {"EITHER", "INLINE", "COMPLETION"},  \* how NdkInvalidate of an invalid token fails
    A9  |-> {"ORDERED", "UNORDERED"},            \* do the completions of one queue come in posting order?
    A10 |-> {"QP", "ALL"},                       \* whose deferred requests a refused post indicates: those of its QP, or all
    A11 |-> {"ANY END", "POST"},                 \* what ends a chain: a flush or a close too, or only a post
    A12 |-> {"POLLED", "PLACED"},                \* when a place in a queue is free again
    A15 |-> {"FREE", "CANCELLED"},               \* what becomes of requests posted after a flush
    A16 |-> {"EITHER", "REFUSED"},               \* a resize below what the CQ holds: it may succeed, or is always refused
    A18 |-> {"COMPLETED", "TAKEN"},              \* when a receive leaves an SRQ: when it completes, or when a message takes it
    A19 |-> {"EITHER", "ARMED", "UNARMED"},      \* is an SRQ armed at its creation?
    A21 |-> {"EITHER", "KEPT", "DROPPED"},       \* the completions of a QP that is closed
    A24 |-> {"NONE", "1", "2"},                  \* a bound on the callbacks that are owed
    A25 |-> {"NO", "YES"},                       \* does a fresh completion satisfy an arm, though it was polled before?
    A26 |-> {"FRESH", "OLD"},                    \* what the completions are that come before the first callback
    A28 |-> {"AT ONCE", "AT RETURN"},            \* an arm in a callback looks at what is in the CQ at once, or at the return
    A29 |-> {"SILENT", "TOLD"},                  \* does a silent success leave a completion after all?
    A30 |-> {"INITIATOR", "ANY"},                \* which refused posts indicate deferred requests
    A31 |-> {"CANCELLED", "STRANDED"},           \* what a flush does to requests deferred in an open chain
    A33 |-> {"ANY PART", "ALL"},                 \* of the entries of a failed CQ so much can be polled
    A34 |-> {"EXECUTED", "DROPPED"},             \* what becomes of requests deferred before a refused one
    A35 |-> {"AT LEAST", "EXACT"},               \* how many completions a CQ holds, compared with its depth
    A36 |-> {"YES", "NO"},                       \* does a QP go on whose close waits for its connector?
    A38 |-> {"REFUSED", "REUSE"},                \* is a post on a disconnected QP refused, or the consumer's fault?
    A40 |-> {"MAY", "ENDS"} ]                    \* does a request that fails end the connection?

\* What is taken, unless a configuration chooses one of the others below.
Default ==
  [A1 |-> "KEPT", A2 |-> "EITHER", A3 |-> "ENTRY", A4 |-> "MAY", A5 |-> "MUST NOT", A6 |-> "IF DRAINED", A7 |-> "MAY",
   A8 |-> "EITHER", A9 |-> "ORDERED", A10 |-> "QP", A11 |-> "ANY END", A12 |-> "POLLED", A15 |-> "FREE", A16 |-> "EITHER",
   A18 |-> "COMPLETED", A19 |-> "EITHER", A21 |-> "EITHER", A24 |-> "NONE", A25 |-> "NO", A26 |-> "FRESH", A28 |-> "AT ONCE",
   A29 |-> "SILENT", A30 |-> "INITIATOR", A31 |-> "CANCELLED", A33 |-> "ANY PART", A34 |-> "EXECUTED", A35 |-> "AT LEAST",
   A36 |-> "YES", A38 |-> "REFUSED", A40 |-> "MAY"]

IsReading(reading) == DOMAIN reading = DOMAIN Choices /\ \A id \in DOMAIN Choices : reading[id] \in Choices[id]

A1_LOST == [Default EXCEPT !.A1 = "LOST"]
A1_NO_ARM == [Default EXCEPT !.A1 = "NO ARM"]
A2_ONE_A4_MUST == [Default EXCEPT !.A2 = "ONE", !.A4 = "MUST"]
A2_TWO_A4_MUST_NOT == [Default EXCEPT !.A2 = "TWO", !.A4 = "MUST NOT"]
A3_ANY_FRESH == [Default EXCEPT !.A3 = "ANY FRESH"]
A3_RETURN == [Default EXCEPT !.A3 = "RETURN"]
A3_RETURN_A28_AT_RETURN == [Default EXCEPT !.A3 = "RETURN", !.A28 = "AT RETURN"]
A5_MAY == [Default EXCEPT !.A5 = "MAY"]
A6_NEVER == [Default EXCEPT !.A6 = "NEVER"]
A7_MUST_NOT == [Default EXCEPT !.A7 = "MUST NOT"]
A7_MUST_NOT_A16_REFUSED == [Default EXCEPT !.A7 = "MUST NOT", !.A16 = "REFUSED"]   \* as ndspi is documented
A8_COMPLETION == [Default EXCEPT !.A8 = "COMPLETION"]
A8_INLINE == [Default EXCEPT !.A8 = "INLINE"]
A9_UNORDERED == [Default EXCEPT !.A9 = "UNORDERED"]
A10_ALL == [Default EXCEPT !.A10 = "ALL"]
A11_POST == [Default EXCEPT !.A11 = "POST"]
A12_PLACED == [Default EXCEPT !.A12 = "PLACED"]
A15_CANCELLED == [Default EXCEPT !.A15 = "CANCELLED"]
A16_REFUSED == [Default EXCEPT !.A16 = "REFUSED"]
A18_TAKEN == [Default EXCEPT !.A18 = "TAKEN"]
A19_ARMED == [Default EXCEPT !.A19 = "ARMED"]
A19_UNARMED == [Default EXCEPT !.A19 = "UNARMED"]
A21_DROPPED == [Default EXCEPT !.A21 = "DROPPED"]
A21_KEPT == [Default EXCEPT !.A21 = "KEPT"]
A24_1 == [Default EXCEPT !.A24 = "1"]
A2_TWO_A24_2 == [Default EXCEPT !.A2 = "TWO", !.A24 = "2"]
A25_YES == [Default EXCEPT !.A25 = "YES"]
A4_MUST_A25_YES == [Default EXCEPT !.A4 = "MUST", !.A25 = "YES"]
A26_OLD == [Default EXCEPT !.A26 = "OLD"]
A28_AT_RETURN == [Default EXCEPT !.A28 = "AT RETURN"]
A29_TOLD == [Default EXCEPT !.A29 = "TOLD"]
A30_ANY == [Default EXCEPT !.A30 = "ANY"]
A31_STRANDED == [Default EXCEPT !.A31 = "STRANDED"]
A33_ALL == [Default EXCEPT !.A33 = "ALL"]
A34_DROPPED == [Default EXCEPT !.A34 = "DROPPED"]
A35_EXACT == [Default EXCEPT !.A35 = "EXACT"]
A36_NO == [Default EXCEPT !.A36 = "NO"]
A38_REUSE == [Default EXCEPT !.A38 = "REUSE"]
A40_ENDS == [Default EXCEPT !.A40 = "ENDS"]
=============================================================================
