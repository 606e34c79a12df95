--------------------------------- MODULE Ndk ---------------------------------
(***************************************************************************)
(* The whole contract: completion queues, queue pairs and tokens.          *)
(* Every action below is the conjunction of what it does to each of them.  *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  CQ, Depth, Room, QP, Token,
  InitiatorCq,   \* InitiatorCq[p]: where the requests that p initiates complete
  ReceiveCq,     \* ReceiveCq[p]: where what p receives completes
  Peer           \* Peer[p]: the QP at the other end of the connection

VARIABLES cq, qp, token

vars == <<cq, qp, token>>

Cq == INSTANCE CompletionQueue
Qp == INSTANCE QueuePair
Tk == INSTANCE Tokens

ASSUME PeersArePaired == \A p \in QP : Peer[p] # p /\ Peer[Peer[p]] = p

CqOf(p, queue) == IF queue = "initiator" THEN InitiatorCq[p] ELSE ReceiveCq[p]

TypeOK == Cq!CqTypeOK /\ Qp!QpTypeOK /\ Tk!TokenTypeOK

Init == Cq!CqInit /\ Qp!QpInit /\ Tk!TokenInit

-----------------------------------------------------------------------------
\* Of completion queues alone.
NdkArmCq(q, type) == Cq!NdkArmCq(q, type) /\ UNCHANGED <<qp, token>>
NdkCqNotificationCallbackEnter(q, status) == Cq!NdkCqNotificationCallbackEnter(q, status) /\ UNCHANGED <<qp, token>>
NdkCqNotificationCallbackExit(q) == Cq!NdkCqNotificationCallbackExit(q) /\ UNCHANGED <<qp, token>>
NdkGetCqResults(q, n, results) == Cq!NdkGetCqResults(q, n, results) /\ UNCHANGED <<qp, token>>
NdkGetCqResultsEx(q, n, results) == Cq!NdkGetCqResultsEx(q, n, results) /\ UNCHANGED <<qp, token>>
NdkResizeCq(q, depth) == Cq!NdkResizeCq(q, depth) /\ UNCHANGED <<qp, token>>
Resize(q) == Cq!Resize(q) /\ UNCHANGED <<qp, token>>
NdkRequestCompletionEnter(q, outcome) == Cq!NdkRequestCompletionEnter(q, outcome) /\ UNCHANGED <<qp, token>>
NdkRequestCompletionExit(q) == Cq!NdkRequestCompletionExit(q) /\ UNCHANGED <<qp, token>>
NdkCloseCq(q) == Cq!NdkCloseCq(q) /\ UNCHANGED <<qp, token>>
NdkCloseCompletion(q) == Cq!NdkCloseCompletion(q) /\ UNCHANGED <<qp, token>>
ExtraEventComes(q) == Cq!ExtraEventComes(q) /\ UNCHANGED <<qp, token>>

\* Of queue pairs alone.
NdkConnect(p) == Qp!NdkConnect(p) /\ UNCHANGED <<cq, token>>
ConnectionLost(p) == Qp!ConnectionLost(p) /\ UNCHANGED <<cq, token>>
Post(p, r, defer) == Qp!Post(p, r, defer) /\ UNCHANGED <<cq, token>>
PostRefused(p, r) == Qp!PostRefused(p, r) /\ UNCHANGED <<cq, token>>
HwIndicate(p) == Qp!HwIndicate(p) /\ UNCHANGED <<cq, token>>
NdkFlush(p) == Qp!NdkFlush(p) /\ UNCHANGED <<cq, token>>
NdkDisconnect(p) == Qp!NdkDisconnect(p) /\ UNCHANGED <<cq, token>>
NdkCloseQp(p) == Qp!NdkCloseQp(p) /\ UNCHANGED <<cq, token>>

-----------------------------------------------------------------------------
(***************************************************************************)
(* The adapter works.  A message succeeds only by reaching a receive, and  *)
(* a receive only by a message; both at once.                              *)
(***************************************************************************)
Deliver(p) == Qp!Deliver(p, Peer[p]) /\ Tk!Deliver(Qp!Message(p)) /\ UNCHANGED cq

Abort(p, sent, received) == Qp!Abort(p, Peer[p], sent, received) /\ Tk!Abort(Qp!Message(p)) /\ UNCHANGED cq

ByItself(r) == ~Qp!IsMessage(r) /\ r.op # "Receive"

Execute(p, queue, outcome) ==
  /\ Qp!Execute(p, queue, outcome)
  /\ LET r == qp[p][queue][Qp!NextToExecute(qp[p][queue])] IN
       /\ outcome = "SUCCESS" => ByItself(r)
       /\ Tk!Execute(r, outcome)
  /\ UNCHANGED cq

\* A request is finished when its completion is placed in the CQ of its queue, unless it leaves none.
Complete(p, queue) ==
  /\ Qp!Complete(p, queue)
  /\ LET r == Qp!Completes(p, queue) IN
       IF Qp!LeavesCompletion(r) THEN Cq!Place(CqOf(p, queue), Qp!CompletionOf(p, queue, r)) ELSE UNCHANGED cq
  /\ UNCHANGED token

-----------------------------------------------------------------------------
(***************************************************************************)
(* A CQ fails, and its QPs with it (ARM-18).  It overflows only for a      *)
(* completion that has no room (ARM-16), which then is never placed.       *)
(***************************************************************************)
Users(q) == {p \in QP : q \in {InitiatorCq[p], ReceiveCq[p]}}

Overflow(q) ==
  /\ \E p \in Users(q), queue \in Queues :
       CqOf(p, queue) = q /\ Qp!CanComplete(p, queue) /\ Qp!LeavesCompletion(Qp!Completes(p, queue))
  /\ Cq!Overflow(q)
  /\ Qp!Break(Users(q))
  /\ UNCHANGED token

InternalError(q) == Cq!InternalError(q) /\ Qp!Break(Users(q)) /\ UNCHANGED token

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must always hold: the properties of the parts, and these of the    *)
(* whole.                                                                  *)
(***************************************************************************)
ArmNotMissed == Cq!ArmNotMissed                   \* ARM-04, ARM-09, ARM-10, ARM-11
ArrivalWakes == Cq!ArrivalWakes                   \* ARM-03, ARM-09, ARM-10, ARM-11
OtherArrivalsDoNotWake == Cq!OtherArrivalsDoNotWake   \* ARM-08, ARM-12
CallbackHasCause == Cq!CallbackHasCause           \* ARM-21
ArmIsKept == Cq!ArmIsKept                         \* ARM-02
NothingAfterCqError == Cq!NothingAfterCqError     \* ARM-17
OverflowOnlyWhenFull == Cq!OverflowOnlyWhenFull   \* ARM-16
CancelledHasCause == Qp!CancelledHasCause         \* RES-08
FlushCancelsAll == Qp!FlushCancelsAll             \* FLUSH-01

\* ARM-18: whoever uses a failed CQ is not connected any more.
CqErrorBreaksQps == \A q \in CQ : cq[q].health # "OK" => \A p \in Users(q) : qp[p].state \notin {"IDLE", "CONNECTED"}

\* The requests of one queue that got an outcome in this step.
JustExecuted(p, queue) ==
  LET old == qp[p][queue]  new == qp'[p][queue] IN
  {new[i] : i \in {j \in DOMAIN new : Len(new) = Len(old) /\ Qp!Executed(new[j]) /\ ~Qp!Executed(old[j])}}

\* ARM-10, RES-02, RES-03: a message that succeeds is received, with its solicit flag and its token.
MessageIsReceived ==
  [][\A p \in QP : \A m \in JustExecuted(p, "initiator") :
       Qp!IsMessage(m) /\ m.phase = "SUCCESS" /\ qp'[p].state # "ABORTED" =>
         \E r \in JustExecuted(Peer[p], "receive") :
           /\ r.phase = "SUCCESS" /\ r.solicit = m.solicit
           /\ r.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken]_vars

\* INV-06, RES-09: when a receive succeeds that carries a token, the token has just been taken from valid to invalid;
\* its completion comes later.
InvalidatedBeforePlaced ==
  [][\A p \in QP : \A r \in JustExecuted(p, "receive") :
       r.phase = "SUCCESS" /\ r.token # NoToken => token[r.token] = "VALID" /\ token'[r.token] = "INVALID"]_vars

\* POLL-08: NdkInvalidate never succeeds for a token that is invalid already.
LaterInvalidateFails ==
  [][\A p \in QP : \A r \in JustExecuted(p, "initiator") :
       r.phase = "SUCCESS" /\ r.op = "Invalidate" => token[r.token] = "VALID" /\ token'[r.token] = "INVALID"]_vars

\* INV-05: a bad token ends the connection on both sides, and no receive ever carries it.
BadTokenAborts ==
  [][\A p \in QP : \A r \in JustExecuted(p, "initiator") :
       r.phase = "SUCCESS" /\ r.op = "SendAndInvalidate" /\ token[r.token] = "INVALID" =>
         /\ {qp'[p].state, qp'[Peer[p]].state} = {"ABORTED"}
         /\ \A received \in JustExecuted(Peer[p], "receive") : received.phase # "SUCCESS"]_vars

\* INV-05: nothing succeeds on an aborted connection.
NothingSucceedsAborted ==
  [][\A p \in QP, queue \in Queues : qp[p].state = "ABORTED" =>
       \A r \in JustExecuted(p, queue) : r.phase # "SUCCESS"]_vars
=============================================================================
