------------------------ MODULE ProofCompletionQueue ------------------------
(***************************************************************************)
(* What, with the invariants of CompletionQueue, is inductive: true at     *)
(* first, and kept by every step, whatever the depth of the CQ, its room   *)
(* and the number of callbacks that are owed.                              *)
(***************************************************************************)
EXTENDS MCCompletionQueue, Integers

\* The form of every value.
CompletionShape ==
  [qp : STRING, queue : STRING, req : Int, status : STRING, type : STRING, solicited : BOOLEAN, token : STRING]

CqShape ==
  [entries : Seq(CompletionShape), fresh : Int, uncounted : BOOLEAN, taken : SUBSET AllNotifyTypes, arm : STRING, waiting : Int,
   due : Int, errorDue : BOOLEAN, running : BOOLEAN, health : STRING, reported : BOOLEAN, depth : Int, resize : STRING, asked : Int,
   open : STRING]

Shape ==
  /\ cq \in [CQ -> CqShape]
  /\ joined \in [CQ -> SUBSET AllNotifyTypes]
  /\ unspent \in [CQ -> Int]
  /\ inside \in [CQ -> Int]

\* What is supposed of the constants.
Bounds == 1 <= Depth /\ Depth <= Room /\ 1 <= MaxDue

\* For Rooms and Depths: a poll may have room for any number up to Room, and a resize may ask for any.
AnyRoom == 1..Room

\* For Kinds: any completion, of any request.
AnyCompletion ==
  [qp : {"a"}, queue : Queues, req : Nat, status : Outcomes, type : ResultTypes, solicited : BOOLEAN, token : STRING]

-----------------------------------------------------------------------------
\* The ghost variable says what the state says.
InsideIsRunning == \A q \in CQ : inside[q] = IF cq[q].running THEN 1 ELSE 0

\* Only a CQ that failed has an error to report.
ErrorHasCause == \A q \in CQ : cq[q].errorDue \/ cq[q].reported => cq[q].health # "OK"

\* Only under YES is anything remembered of what was polled (A25).
NothingTaken == Reading.A25 = "NO" => \A q \in CQ : cq[q].taken = {}

\* An error that waits for an arm has met none.
WaitingErrorUnarmed == \A q \in CQ : ErrorWaits(cq[q]) => cq[q].arm = "NONE"

\* Before the first callback nothing counts as fresh, or all does (A26).
UncountedIsOld == \A q \in CQ : cq[q].uncounted => cq[q].fresh = 0

\* Where callbacks that are owed merge, one is owed at most (A2).
OneIsOwed == Reading.A2 = "ONE" /\ SecondArm = "MERGE" => \A q \in CQ : cq[q].due <= 1
=============================================================================
