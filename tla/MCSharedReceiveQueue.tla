------------------------ MODULE MCSharedReceiveQueue ------------------------
(***************************************************************************)
(* One SRQ, all by itself, for TLC.  Messages come as they please.  Runs   *)
(* have no end: the receives are bounded by the depth, and the callbacks   *)
(* owed or running at a time.                                              *)
(***************************************************************************)
EXTENDS SharedReceiveQueue

CONSTANTS
  MaxDue,      \* arms that wait, callbacks owed and callbacks running, all together
  Depths,      \* that the consumer may ask for when it modifies the SRQ; 0 asks for none
  Thresholds,  \* the same
  Errors,      \* may the SRQ itself fail?
  Closing,     \* may the consumer close it?
  History      \* are the ghost variables kept?  Liveness does without them

VARIABLES
  unspent,   \* unspent[s]: arms made less callbacks entered for them; counting stops at MaxDue + 1
  inside     \* inside[s]: callbacks entered less callbacks returned

ghosts == <<unspent, inside>>
vars == <<srq, ghosts>>

\* The threshold of NdkCreateSrq may arm, too (A19).
MayBeArmedAtFirst == IF HasCallback /\ SrqThreshold > 0 /\ Reading.A19 # "UNARMED" THEN 1 ELSE 0

MCInit ==
  /\ SrqInit
  /\ unspent = [s \in SRQ |-> IF History THEN MayBeArmedAtFirst ELSE 0]
  /\ inside = [s \in SRQ |-> 0]

\* POST-06: the consumer posts no more receives than there are places for; one is free when its receive has completed (A12).
HasPlace(r) == r.queued + Len(r.taken) < r.depth

\* A consumer that arms so often that too much is owed waits for some of it.
MayModify(r, threshold) == threshold = 0 \/ r.waiting + r.due + r.running < MaxDue

\* An arm is made when the call takes effect.  (One that changes nothing is refused, or has merged: it buys nothing.)
Armed(s) ==
  LET arms == History /\ HasCallback /\ srq[s].asked.threshold > 0 /\ srq'[s] # Answered(srq[s])
  IN unspent' = IF arms THEN [unspent EXCEPT ![s] = Min(@ + 1, MaxDue + 1)] ELSE unspent
Entered(s, status) ==
  /\ unspent' = IF History /\ status = "STATUS_SUCCESS" THEN [unspent EXCEPT ![s] = @ - 1] ELSE unspent
  /\ inside' = IF History /\ Serialised THEN [inside EXCEPT ![s] = @ + 1] ELSE inside
Exited(s) == inside' = IF History THEN [inside EXCEPT ![s] = @ - 1] ELSE inside

MCNdkSrqReceive(s) == HasPlace(srq[s]) /\ NdkSrqReceive(s) /\ UNCHANGED ghosts
MCTake(s, u) == Take(s, u) /\ UNCHANGED ghosts
MCCompleteReceive(s, u) == CompleteReceive(s, u) /\ UNCHANGED ghosts
MCQpEnds(s, u) == QpEnds(s, u) /\ UNCHANGED ghosts
MCLastWqeReached(s, u) == LastWqeReached(s, u) /\ UNCHANGED ghosts
MCNdkModifySrq(s, depth, threshold) ==
  MayModify(srq[s], threshold) /\ NdkModifySrq(s, depth, threshold) /\ UNCHANGED ghosts
MCSrqModified(s) == SrqModified(s) /\ Armed(s) /\ UNCHANGED inside
MCSrqModifyTold(s) == SrqModifyTold(s) /\ UNCHANGED ghosts
MCNdkSrqNotificationCallbackEnter(s, status) == NdkSrqNotificationCallbackEnter(s, status) /\ Entered(s, status)
MCNdkSrqNotificationCallbackExit(s) == NdkSrqNotificationCallbackExit(s) /\ Exited(s) /\ UNCHANGED unspent
MCSrqInternalError(s) == Errors /\ SrqInternalError(s) /\ UNCHANGED ghosts
MCNdkCloseSrq(s) == Closing /\ NdkCloseSrq(s) /\ UNCHANGED ghosts
MCSrqClosed(s) == SrqClosed(s) /\ UNCHANGED ghosts

MCNext ==
  \E s \in SRQ :
    \/ MCNdkSrqReceive(s)
    \/ \E u \in User : MCTake(s, u)
    \/ \E u \in User : MCCompleteReceive(s, u)
    \/ \E u \in User : MCQpEnds(s, u)
    \/ \E u \in User : MCLastWqeReached(s, u)
    \/ \E depth \in Depths, threshold \in Thresholds : MCNdkModifySrq(s, depth, threshold)
    \/ MCSrqModified(s)
    \/ MCSrqModifyTold(s)
    \/ \E status \in SrqStatuses : MCNdkSrqNotificationCallbackEnter(s, status)
    \/ MCNdkSrqNotificationCallbackExit(s)
    \/ MCSrqInternalError(s)
    \/ MCNdkCloseSrq(s)
    \/ MCSrqClosed(s)

Safety == MCInit /\ [][MCNext]_vars

-----------------------------------------------------------------------------
\* SRQ-04: whatever is owed, or may become owed, was bought by an arm of its own.
OneSrqCallbackAnArm == \A s \in SRQ : srq[s].waiting + srq[s].due <= unspent[s]

\* LIFE-08, LIFE-09: no callback runs when close completes, or begins afterwards.
NoSrqCallbackAfterClose == \A s \in SRQ : srq[s].open = "CLOSED" => inside[s] = 0

-----------------------------------------------------------------------------
Liveness == Safety /\ SrqFairness

\* SRQ-02, SRQ-03: an owed callback is entered.  (However many are owed, their number does not stay the same.)
OwedSrqCallbackEntered == \A s \in SRQ, n \in 1..MaxDue : (srq[s].due = n) ~> (srq[s].due # n)
=============================================================================
