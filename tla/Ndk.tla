--------------------------------- MODULE Ndk ---------------------------------
(***************************************************************************)
(* The whole contract: completion queues, queue pairs and tokens.          *)
(* Every action below is the conjunction of what it does to each of them.  *)
(*                                                                         *)
(* There is no Next here, and no Spec: the modules MC... have them, each   *)
(* with the bounds that it needs, and TraceCheck has one that a trace      *)
(* guides.  Fairness is stated where its actions are: CqFairness and       *)
(* QpFairness for the parts, Fairness of MCNdk for the whole.              *)
(*                                                                         *)
(* Outside of it are shared receive queues, memory regions and windows as  *)
(* objects (a token stands for either), the objects by which a QP is       *)
(* connected (connectors, and listeners, which wait for connections), and  *)
(* the creation of objects: CQs and QPs are there from the start.          *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  CQ, Depth, Room, QP, QpType, Token, ReadInvalidates,
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
Users(q) == {p \in QP : q \in {InitiatorCq[p], ReceiveCq[p]}}

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
ExtraEventComes(q) == Cq!ExtraEventComes(q) /\ UNCHANGED <<qp, token>>

\* Of queue pairs alone.
NdkConnect(p) == Qp!NdkConnect(p) /\ UNCHANGED <<cq, token>>
ConnectionLost(p) == Qp!ConnectionLost(p) /\ UNCHANGED <<cq, token>>
HwIndicate(p) == Qp!HwIndicate(p) /\ UNCHANGED <<cq, token>>
NdkCloseCompletionExit(p) == Qp!NdkCloseCompletionExit(p) /\ UNCHANGED <<cq, token>>

\* Of tokens alone: the region or the window that has the token is closed, or deregistered.
TokenDies(t) == Tk!Dies(t) /\ UNCHANGED <<cq, qp>>

\* Of queue pairs and tokens.
Post(p, r, defer) == Qp!Post(p, r, defer) /\ Tk!CanPost(r, qp[p].initiator) /\ UNCHANGED <<cq, token>>
PostRefused(p, r, invalid) == Qp!PostRefused(p, r, invalid) /\ Tk!CanRefuse(r, qp[p].initiator) /\ UNCHANGED <<cq, token>>
NdkFlush(p) == Qp!NdkFlush(p) /\ Tk!Cancel(Qp!JustCancelled(p)) /\ UNCHANGED cq
NdkDisconnect(p) == Qp!NdkDisconnect(p) /\ Tk!Cancel(Qp!JustCancelled(p)) /\ UNCHANGED cq
NdkCloseQp(p, waits) == Qp!NdkCloseQp(p, waits) /\ Tk!Cancel(Qp!JustCancelled(p)) /\ UNCHANGED cq
CloseBegins(p) == Qp!CloseBegins(p) /\ Tk!Cancel(Qp!JustCancelled(p)) /\ UNCHANGED cq

-----------------------------------------------------------------------------
(***************************************************************************)
(* The adapter works.  A receive succeeds only by a message, and a send    *)
(* only when its message has come to a receive, be it one that its bad     *)
(* token ends without success: it is acknowledged.  Of a QP that is not    *)
(* reliable the two ends are apart: a message may get lost.                *)
(***************************************************************************)
Deliver(p) ==
  /\ Qp!Deliver(p, Peer[p])
  /\ Tk!Deliver(Qp!Message(p))
  /\ \A r \in Qp!WritesBefore(p) : Tk!CanAccess(r.token)
  /\ UNCHANGED cq

Abort(p, sent, received) ==
  /\ Qp!Abort(p, Peer[p], sent, received)
  /\ Tk!CanAbort(Qp!Message(p))
  /\ Tk!Cancel(Qp!JustCancelled(p) \union Qp!JustCancelled(Peer[p]))
  /\ UNCHANGED cq

ByItself(r) == ~Qp!IsMessage(r) /\ r.op # "Receive"

\* A read has its data from the other end, if the trace has one: a QP that never was connected, or is closed, or in the error state
\* of libibverbs, gives none (RES-14).
\* Rejected: that a write needs an answer, too.  A transport may tell that a write succeeded as soon as it has taken over the data.
IsAnswered(p, r) ==
  r.op = "Read" /\ Peer[p] \in QP =>
    qp[Peer[p]].state \notin {"IDLE", "BROKEN IDLE", "CLOSED"} \union IF ErrorState THEN {"ENDED"} ELSE {}

Execute(p, queue, i, outcome) ==
  /\ Qp!Execute(p, queue, i, outcome)
  /\ outcome = "SUCCESS" => IsAnswered(p, qp[p][queue][i])
  /\ outcome = "SUCCESS" => ByItself(qp[p][queue][i]) \/ Qp!Unacknowledged(qp[p][queue][i]) \/ ~Qp!Promise(p).delivers
  /\ Tk!Execute(qp[p][queue][i], outcome)
  /\ UNCHANGED cq

\* A request is finished when its completion is placed in the CQ of its queue, unless it leaves none.
Complete(p, queue, i) ==
  /\ Qp!Complete(p, queue, i)
  /\ LET r == qp[p][queue][i] IN
       IF Qp!LeavesCompletion(r) THEN Cq!Place(CqOf(p, queue), Qp!CompletionOf(p, queue, r)) ELSE UNCHANGED cq
  /\ UNCHANGED token

-----------------------------------------------------------------------------
(***************************************************************************)
(* A CQ fails, and its QPs with it.  It overflows only for a completion    *)
(* that has no room (ARM-16), which then is never placed.                  *)
(***************************************************************************)
WaitsForRoom(p, queue) ==
  \E i \in DOMAIN qp[p][queue] : Qp!CanComplete(p, queue, i) /\ Qp!LeavesCompletion(qp[p][queue][i])

Overflow(q) ==
  /\ \E p \in Users(q), queue \in Queues : CqOf(p, queue) = q /\ WaitsForRoom(p, queue)
  /\ Cq!Overflow(q)
  /\ Qp!Break(Users(q))    \* ARM-18
  /\ UNCHANGED token

\* ARM-18, too.
InternalError(q) == Cq!InternalError(q) /\ Qp!Break(Users(q)) /\ UNCHANGED token

-----------------------------------------------------------------------------
(***************************************************************************)
(* Closing.  A QP is closed before its CQs: they are its antecedents, the  *)
(* objects that it needs as long as it is there (LIFE-15).  Either close   *)
(* may be called first; that of the CQ completes last (LIFE-04), after the *)
(* callback that tells of the QP's (LIFE-05).                              *)
(***************************************************************************)

\* Hidden.  A request completes into a CQ that has failed (ARM-17), or on a QP that is being closed (A21): nothing tells.
\* So of a QP that is being closed completions may come with others missing between them, in posting order all the
\* same.
CompletionLost(p, queue, i) ==
  /\ cq[CqOf(p, queue)].health = "OK" => qp[p].state = "CLOSING" /\ Reading.A21 # "KEPT"
  /\ Qp!Complete(p, queue, i)
  /\ Qp!LeavesCompletion(qp[p][queue][i])
  /\ UNCHANGED <<cq, token>>

\* The close of a QP completes.  Completions of it that wait in a CQ may be had until the CQ is closed, or vanish.
\* Rejected, but for KEPT and DROPPED: that one of the two is a duty (A21).  The documentation says neither.
NdkCloseCompletionEnter(p, dropped) ==
  /\ Qp!NdkCloseCompletionEnter(p)
  /\ Reading.A21 \in {"EITHER", IF dropped THEN "DROPPED" ELSE "KEPT"}
  /\ IF dropped THEN Cq!Drop(p) ELSE UNCHANGED cq
  /\ UNCHANGED token

\* LIFE-04, LIFE-05, LIFE-15.
QpsAreClosed(q) == \A p \in Users(q) : qp[p].state = "CLOSED"

NdkCloseCompletion(q) == QpsAreClosed(q) /\ Cq!NdkCloseCompletion(q) /\ UNCHANGED <<qp, token>>

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
CancelledHasCause == Qp!CancelledHasCause         \* RES-10
IndicatedInOrder == Qp!IndicatedInOrder           \* DEF-09
ExecutedInOrder == Qp!ExecutedInOrder             \* DEF-09, POLL-09
FenceWaits == Qp!FenceWaits                       \* FLAG-04
UnconnectedSendsNothing == Qp!UnconnectedSendsNothing         \* POST-08, POST-09
NothingSucceedsUnconnected == Qp!NothingSucceedsUnconnected   \* POST-08
ClosedIsEmpty == Qp!ClosedIsEmpty                 \* LIFE-07
FlushCancelsAll == Qp!FlushCancelsAll             \* FLUSH-01, FLUSH-02
FlushIsOwn == Qp!FlushIsOwn                       \* FLUSH-04
NothingSucceedsEnded == Qp!NothingSucceedsEnded   \* FLUSH-06, DISC-10
FlushLeavesErrorState == Qp!FlushLeavesErrorState \* FLUSH-06
FailureBreaks == Qp!FailureBreaks                 \* FLUSH-06, RES-10
CloseCancels == Qp!CloseCancels                   \* LIFE-10
OutcomeStays == Qp!OutcomeStays                   \* FLUSH-01
ClosingTakesNothing == Qp!ClosingTakesNothing     \* LIFE-06

\* ARM-18: whoever uses a failed CQ is not connected any more, nor can its initiator queue be brought back.
CqErrorBreaksQps ==
  \A p \in QP : {cq[InitiatorCq[p]].health, cq[ReceiveCq[p]].health} # {"OK"} =>
    qp[p].state \notin {"IDLE", "CONNECTED", "SEND ERROR"}

\* LIFE-04, LIFE-05, LIFE-15: a CQ is closed after every QP that uses it.
AntecedentClosesLast ==
  \A p \in QP : "CLOSED" \in {cq[InitiatorCq[p]].open, cq[ReceiveCq[p]].open} => qp[p].state = "CLOSED"

\* What a request leaves in the CQ of its queue, in words of its own (RES-01, RES-02, RES-03, FLAG-01).
Result(p, queue, r, c) ==
  /\ c.qp = p /\ c.queue = queue /\ c.req = r.req /\ c.status = r.phase
  /\ r.op # "Receive" => c.type = (IF r.op = "SendAndInvalidate" THEN "Send" ELSE r.op) /\ c.token = NoToken /\ ~c.solicited
  /\ r.op = "Receive" /\ r.phase = "SUCCESS" => c.token = r.token /\ c.solicited = r.solicit
  /\ r.op = "Receive" /\ r.phase # "SUCCESS" => c.token = NoToken /\ ~c.solicited
  /\ r.op = "Receive" => c.type = (IF c.token = NoToken THEN "Receive" ELSE "ReceiveAndInvalidate")

\* The requests that leave a queue in this step.
JustLeft(p, queue) ==
  LET old == qp[p][queue]  new == qp'[p][queue] IN
  IF Len(new) >= Len(old) THEN {}
  ELSE {old[i] : i \in {j \in DOMAIN old : \A k \in DOMAIN new : new[k].req # old[j].req}}

\* The completions that come into a CQ in this step.
JustPlaced(q) ==
  LET new == cq'[q].entries IN IF Len(new) > Len(cq[q].entries) THEN {new[Len(new)]} ELSE {}

\* POLL-05, RES-01, RES-02, RES-03: what comes into a CQ tells of one request, which leaves its queue for it.
CompletionIsTrue ==
  [][\A q \in CQ : \A c \in JustPlaced(q) :
       \E p \in QP, queue \in Queues :
         /\ q = (IF queue = "receive" THEN ReceiveCq[p] ELSE InitiatorCq[p])
         /\ \E r \in JustLeft(p, queue) : Result(p, queue, r, c)]_vars

\* DEF-04, FLAG-02: no completion is lost between QP and CQ.  A request that leaves its queue is told of at once, unless
\* it succeeded silently, the CQ has failed, or (A21) the QP is being closed.
NoCompletionLost ==
  [][\A p \in QP, queue \in Queues : \A r \in JustLeft(p, queue) :
       \/ JustPlaced(CqOf(p, queue)) # {}
       \/ r.silent /\ r.phase = "SUCCESS"
       \/ cq[CqOf(p, queue)].health # "OK"
       \/ qp[p].state = "CLOSING" /\ Reading.A21 # "KEPT"]_vars

\* FLAG-01 (A29): a silent request that succeeded leaves its queue, and nothing comes into a CQ.
SilentSuccessLeavesNothing ==
  [][\A p \in QP, queue \in Queues : \A r \in JustLeft(p, queue) :
       r.silent /\ r.phase = "SUCCESS" /\ Reading.A29 = "SILENT" => JustPlaced(CqOf(p, queue)) = {}]_vars

\* ARM-16: a CQ overflows only when one of its queues has a completion for it.
OverflowHasCause ==
  [][\A q \in CQ : cq[q].health = "OK" /\ cq'[q].health = "STATUS_BUFFER_OVERFLOW" =>
       \E p \in QP, queue \in Queues : CqOf(p, queue) = q /\ \E i \in DOMAIN qp[p][queue] :
         Qp!Executed(qp[p][queue][i]) /\ Qp!LeavesCompletion(qp[p][queue][i])]_vars

\* LIFE-10 (A21): what becomes of the completions of a QP when its close completes.
KeptOrDropped ==
  [][\A p \in QP : qp[p].state = "CLOSING" /\ qp'[p].state # "CLOSING" =>
       /\ Reading.A21 = "KEPT" => \A q \in CQ : cq'[q].entries = cq[q].entries
       /\ Reading.A21 = "DROPPED" => \A q \in CQ : \A i \in DOMAIN cq'[q].entries : cq'[q].entries[i].qp # p]_vars

\* A request of p that gets its outcome in this step had arrived before.
HadArrived(p, r) == \E i \in DOMAIN qp[p].initiator : qp[p].initiator[i] = [r EXCEPT !.phase = "UNACKNOWLEDGED"]

\* ARM-10, RES-02, RES-03: a message that is received takes its solicit flag and its token to a receive; one that succeeds
\* was received.  FLAG-09: with the flag or without, a receive succeeds all the same.
MessageIsReceived ==
  [][\A p \in QP :
       /\ \A m \in Qp!JustArrived(p) : Qp!IsMessage(m) => \E r \in Qp!JustExecuted(Peer[p], "receive") :
            /\ r.phase = "SUCCESS" /\ r.solicit = m.solicit
            /\ r.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken
       /\ \A m \in Qp!JustExecuted(p, "initiator") :
            Qp!IsMessage(m) /\ m.phase = "SUCCESS" /\ QpType[p] = "RC" => HadArrived(p, m) \/ qp'[p].state \in {"ABORTED", "CLOSING"}]_vars

\* POLL-05, RES-02: a receive that succeeds is that of a message.
ReceiveHasMessage ==
  [][\A p \in QP : \A r \in Qp!JustExecuted(p, "receive") : r.phase = "SUCCESS" /\ QpType[p] = "RC" =>
       \E m \in Qp!JustArrived(Peer[p]) : Qp!IsMessage(m)]_vars

\* INV-06, RES-09: when a receive succeeds that carries a token, the token has just been taken from valid to invalid;
\* its completion comes later.
InvalidatedBeforePlaced ==
  [][\A p \in QP : \A r \in Qp!JustExecuted(p, "receive") :
       r.phase = "SUCCESS" /\ r.token # NoToken => token[r.token] # "INVALID" /\ token'[r.token] = "INVALID"]_vars

\* POLL-08: NdkInvalidate never succeeds for a token that is invalid already.
LaterInvalidateFails ==
  [][\A p \in QP : \A r \in Qp!JustExecuted(p, "initiator") :
       r.phase = "SUCCESS" /\ r.op = "Invalidate" => token[r.token] # "INVALID" /\ token'[r.token] = "INVALID"]_vars

\* INV-08, POLL-08: what is invalid stays so until a registration or binding of the token succeeds, not until that is posted.
RegistrationValidates ==
  [][\A t \in Token :
       LET registered == \E p \in QP : \E r \in Qp!JustExecuted(p, "initiator") :
             r.op \in {"FastRegister", "Bind"} /\ r.token = t /\ r.phase = "SUCCESS" IN
       /\ registered => token'[t] = "VALID"
       /\ token[t] # "VALID" /\ token'[t] = "VALID" => registered]_vars

\* INV-05, INV-08: with the region or window that has it a token dies.
ClosedTokenIsInvalid == [][\A t \in Token : TokenDies(t) => token'[t] = "INVALID"]_vars

\* INV-01, INV-02, INV-03: what a read with NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE does to its token.
ReadInvalidatesToken ==
  [][\A p \in QP : \A r \in Qp!JustExecuted(p, "initiator") :
       r.op = "Read" /\ r.token # NoToken =>
         LET old == token[r.token]  new == token'[r.token] IN
         IF ~ReadInvalidates THEN new = old
         ELSE IF r.phase = "SUCCESS" \/ old = "INVALID" THEN new = "INVALID"
         ELSE new = "UNDEFINED"]_vars

\* RES-14: a read that succeeds was answered: the other end was connected once, and was there, and in libibverbs it was one at which
\* a receive can wait, or was being closed, or had been disconnected.
ReadIsAnswered ==
  [][\A p \in QP : \A r \in Qp!JustExecuted(p, "initiator") : r.op = "Read" /\ r.phase = "SUCCESS" =>
       /\ qp[Peer[p]].state \notin {"IDLE", "BROKEN IDLE", "CLOSED"}
       /\ ErrorState => \/ Qp!MayWait(Peer[p], "receive") \/ Qp!Closing(qp[Peer[p]].state)
                        \/ qp[Peer[p]].state \in {"DISCONNECTED", "ABORTED"}]_vars

\* INV-08: nobody reaches memory through an invalid token.
NoAccessWhenInvalid ==
  [][\A p \in QP : \A r \in Qp!JustArrived(p) \union Qp!JustExecuted(p, "initiator") :
       r.op = "Write" /\ r.phase \in {"UNACKNOWLEDGED", "SUCCESS"} /\ r.token # NoToken =>
         token[r.token] # "INVALID" \/ HadArrived(p, r)]_vars

\* INV-05: a bad token is never received; it ends the connection on both sides.  (Of a QP that is not reliable the message may get
\* lost.)
BadTokenAborts ==
  [][\A p \in QP :
       /\ \A m \in Qp!JustArrived(p) : m.op = "SendAndInvalidate" => token[m.token] # "INVALID"
       /\ QpType[p] = "RC" => \A m \in Qp!JustExecuted(p, "initiator") :
            m.phase = "SUCCESS" /\ m.op = "SendAndInvalidate" /\ token[m.token] = "INVALID" /\ ~HadArrived(p, m) =>
              {qp'[p].state, qp'[Peer[p]].state} \subseteq {"ABORTED", "CLOSING"}]_vars

\* INV-05: nothing else does.
AbortHasCause ==
  [][\A p \in QP : qp[p].state # "ABORTED" /\ qp'[p].state = "ABORTED" =>
       \E sender \in {p, Peer[p]} : \E m \in Qp!JustExecuted(sender, "initiator") :
         m.op = "SendAndInvalidate" /\ m.phase # "CANCELLED" /\ token[m.token] # "VALID"]_vars

\* INV-05: nothing succeeds on an aborted connection, and no receive as it is aborted.
NothingSucceedsAborted ==
  [][\A p \in QP, queue \in Queues : qp[p].state = "ABORTED" \/ (queue = "receive" /\ qp'[p].state = "ABORTED") =>
       \A r \in Qp!JustExecuted(p, queue) : r.phase # "SUCCESS"]_vars
=============================================================================
