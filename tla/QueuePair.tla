------------------------------ MODULE QueuePair ------------------------------
(***************************************************************************)
(* Queue pairs: posting, deferring, executing, completing, flushing.       *)
(*                                                                         *)
(* The promise here: a post that returns success is answered by exactly    *)
(* one completion (or, if the consumer asked for silence, by none when it  *)
(* succeeds), and a post that returns failure by none.  A consumer frees   *)
(* its buffers by this.  A receive may wait for its message for ever, until*)
(* it is flushed; what a CQ still owes when it fails is lost, and what a   *)
(* QP still owes when it is closed may be (A21).                           *)
(*                                                                         *)
(* A chain is a run of requests of one QP that go to the hardware together:*)
(* all but the last are posted with NDK_OP_FLAG_DEFER.  So a deferred      *)
(* request may wait for the others before it is indicated, that is, before *)
(* the adapter is told that it is there to be executed.  The consumer ends *)
(* the chain with a request without the flag, unless a post fails on the   *)
(* way (DEF-06); then the provider must not forget those before it         *)
(* (DEF-05).                                                               *)
(***************************************************************************)
EXTENDS Dialect

CONSTANT QP

VARIABLE qp

IsMessage(r) == r.op \in {"Send", "SendAndInvalidate"}

(***************************************************************************)
(* A request: req tells requests apart; silent, solicit and fence are      *)
(* NDK_OP_FLAG_SILENT_SUCCESS, NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT and      *)
(* NDK_OP_FLAG_READ_FENCE.  token is what a memory operation makes valid   *)
(* or invalid, or what the peer's memory is named by; NdkRead names one    *)
(* if it has NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, NdkSend none.  Of a   *)
(* receive, solicit and token tell what the message brought with which it  *)
(* succeeded.                                                              *)
(* phase: DEFERRED, then INDICATED to the hardware, then the outcome.  A   *)
(* message that was received, and writes that arrived before it, are       *)
(* UNACKNOWLEDGED before they have one.                                    *)
(***************************************************************************)
IsRequest(r) ==
  /\ DOMAIN r = {"req", "op", "silent", "solicit", "fence", "token", "phase"}
  /\ r.op \in Ops
  /\ {r.silent, r.solicit, r.fence} \subseteq BOOLEAN
  /\ r.op = "Receive" => ~r.silent /\ ~r.fence             \* NdkReceive has no flags (POST-11)
  /\ r.solicit => IsMessage(r) \/ r.op = "Receive"         \* FLAG-08
  /\ r.op = "Receive" /\ r.phase # "SUCCESS" => ~r.solicit /\ r.token = NoToken
  /\ r.op = "Send" => r.token = NoToken
  /\ r.phase = "UNACKNOWLEDGED" => IsMessage(r) \/ r.op = "Write"
  /\ r.phase \in {"DEFERRED", "INDICATED", "UNACKNOWLEDGED"} \union Outcomes

Executed(r) == r.phase \in Outcomes
Deferred(r) == r.phase = "DEFERRED"
Pending(r) == ~Executed(r)
Unacknowledged(r) == r.phase = "UNACKNOWLEDGED"

(***************************************************************************)
(* States of a QP.  IDLE: never connected.  BROKEN: the connection failed, *)
(* or the consumer ended it; pending requests may be cancelled.  BROKEN    *)
(* IDLE: a flush, a receive that failed or the failure of a CQ came before *)
(* any connection; nothing succeeds, as on an IDLE QP, and pending receives*)
(* may be cancelled.  FLUSHED: nothing posted now succeeds (in one reading *)
(* of A15).  ABORTED: ended because of a bad token, one that is not valid  *)
(* where a message is to take it back; nothing succeeds any more (INV-05). *)
(* CLOSING: NdkCloseQp was called; COMPLETING: its NdkCloseCompletion      *)
(* runs; CLOSED: it returned.                                              *)
(***************************************************************************)
QpStates == {"IDLE", "CONNECTED", "BROKEN", "BROKEN IDLE", "FLUSHED", "ABORTED", "CLOSING", "COMPLETING", "CLOSED"}

\* The consumer has called NdkCloseQp.
Closing(state) == state \in {"CLOSING", "COMPLETING", "CLOSED"}

QpInit == qp = [p \in QP |-> [state |-> "IDLE", initiator |-> <<>>, receive |-> <<>>]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Of queues.                                                              *)
(***************************************************************************)

\* Every deferred request becomes known to the hardware.
Indicated(queue) ==
  [i \in DOMAIN queue |-> IF queue[i].phase = "DEFERRED" THEN [queue[i] EXCEPT !.phase = "INDICATED"] ELSE queue[i]]

\* Every request of these phases is cancelled, and its completion will say so (RES-08).
Cancelled(queue, phases) ==
  [i \in DOMAIN queue |-> IF queue[i].phase \in phases THEN [queue[i] EXCEPT !.phase = "CANCELLED"] ELSE queue[i]]
PendingPhases == {"DEFERRED", "INDICATED", "UNACKNOWLEDGED"}

(***************************************************************************)
(* Requests are executed in posting order, but for one thing: while a read *)
(* waits for its data, those behind it may be executed.  A request with    *)
(* NDK_OP_FLAG_READ_FENCE waits for all reads before it, silent or not,    *)
(* until they have their data (FLAG-04).                                   *)
(* Rejected: that it waits until a completion has told of the data.        *)
(* Rejected: that nothing passes a read.  The flag would be good for       *)
(* nothing.                                                                *)
(***************************************************************************)
MayPass(r, earlier) == earlier.op = "Read" /\ ~r.fence

CanExecute(queue, i) ==
  /\ Pending(queue[i]) /\ ~Deferred(queue[i])
  /\ \A j \in 1..(i - 1) : Pending(queue[j]) => MayPass(queue[i], queue[j])

\* The requests that can be executed now: the oldest pending one and, as long as only reads are pending before them, those
\* behind it.
Ready(queue) == {i \in DOMAIN queue : CanExecute(queue, i)}

-----------------------------------------------------------------------------
(***************************************************************************)
(* The connection.                                                         *)
(***************************************************************************)

\* A QP that is worse off stays so.
Broken(state) == CASE state = "IDLE" -> "BROKEN IDLE" [] state = "CONNECTED" -> "BROKEN" [] OTHER -> state

\* What NdkFlush leaves behind: what is posted next is free to succeed or to be cancelled (FLUSH-05, A15).
AfterFlush(state) == IF Reading.A15 = "CANCELLED" /\ state \in {"CONNECTED", "BROKEN"} THEN "FLUSHED" ELSE Broken(state)

\* A QP that broke before need not be connected.  If it is, what is posted is not specified, as after a flush
\* (FLUSH-05), whichever of a flush, a failed receive or a failed CQ broke it.
AfterConnect(state) == IF state = "IDLE" THEN "CONNECTED" ELSE AfterFlush("CONNECTED")

\* NdkConnect, or NdkAccept on the other side.
NdkConnect(p) == qp[p].state \in {"IDLE", "BROKEN IDLE"} /\ qp' = [qp EXCEPT ![p].state = AfterConnect(@)]

\* Hidden.  The peer or the network ends the connection.  The step cancels nothing; from now on the adapter may (A23).  A
\* disconnect that the peer asked for flushes nothing here (DISC-07).  The two are not told apart, so this allows more.
ConnectionLost(p) == qp[p].state = "CONNECTED" /\ qp' = [qp EXCEPT ![p].state = "BROKEN"]

\* An error of a CQ makes the QPs that use it unusable (ARM-18).
Break(P) == qp' = [p \in QP |-> IF p \in P THEN [qp[p] EXCEPT !.state = Broken(@)] ELSE qp[p]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer posts: NdkSend, NdkReceive, NdkFastRegister, ...           *)
(***************************************************************************)

\* A QP that was never connected takes receives only (POST-08, POST-09).  One that is being closed takes nothing (LIFE-06).
\* After the connection has ended posts may still be accepted; in verbs also on a QP that broke before it was connected.
CanPost(state, queue) ==
  /\ ~Closing(state)
  /\ state = "IDLE" => queue = "receive"
  /\ state = "BROKEN IDLE" => queue = "receive" \/ PostsInError

(***************************************************************************)
(* The post returns success.  NDK_OP_FLAG_DEFER is for initiator requests  *)
(* alone; a request without it indicates itself and all before it.         *)
(* A post and a flush that overlap are two steps, in either order: the     *)
(* request is flushed, or comes after the flush (POST-04).                 *)
(***************************************************************************)
AfterPost(queue, r, defer) ==
  IF defer THEN Append(queue, [r EXCEPT !.phase = "DEFERRED"])
  ELSE Append(Indicated(queue), [r EXCEPT !.phase = "INDICATED"])

Post(p, r, defer) ==
  LET queue == QueueOf(r.op) IN
  /\ CanPost(qp[p].state, queue)
  /\ defer => queue = "initiator"    \* DEF-01, POST-11
  /\ qp' = [qp EXCEPT ![p][queue] = AfterPost(@, r, defer)]

(***************************************************************************)
(* The post returns failure.  Before it returns all requests deferred      *)
(* earlier are indicated (DEF-05): those of the same QP, when an initiator *)
(* request is refused.                                                     *)
(* Rejected (A10): that they may be indicated some time later.  No trace   *)
(* tells the difference, since a request may rest between any two steps.   *)
(* Rejected, but for ALL and ANY (A10, A30): that those of other QPs are   *)
(* meant as well, or that a refused receive, which ends no chain, has to   *)
(* indicate anything.                                                      *)
(* Rejected, but for DROPPED (A34): that the chain is over, so that those  *)
(* before may be dropped.                                                  *)
(* They returned success, and are owed completions (DEF-04).  In libibverbs*)
(* a chain is a list that one call posts; there, too, the requests before  *)
(* the one that is refused are executed (A34).                             *)
(***************************************************************************)
AfterRefusal(queue) ==
  LET Stays(s) == ~Deferred(s) IN IF Reading.A34 = "EXECUTED" THEN Indicated(queue) ELSE SelectSeq(queue, Stays)

\* The QPs whose chains the refusal of r on p ends.
EndedBy(p, r) ==
  IF QueueOf(r.op) = "receive" /\ Reading.A30 = "INITIATOR" THEN {} ELSE IF Reading.A10 = "QP" THEN {p} ELSE QP

\* Of the request that is refused nothing is left (DEF-03).
PostRefused(p, r) ==
  /\ ~Closing(qp[p].state)
  /\ qp' = [x \in QP |-> IF x \in EndedBy(p, r) THEN [qp[x] EXCEPT !.initiator = AfterRefusal(@)] ELSE qp[x]]

\* Hidden.  The flag is a hint: a deferred request may be indicated at any time (DEF-02), in order (DEF-09).
HwIndicate(p) ==
  LET queue == qp[p].initiator IN
  \E i \in DOMAIN queue :
    /\ Deferred(queue[i]) /\ \A j \in 1..(i - 1) : ~Deferred(queue[j])
    /\ qp' = [qp EXCEPT ![p].initiator[i].phase = "INDICATED"]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The adapter executes, and completes.  Between the two the outcome is    *)
(* fixed, but no completion tells it yet.                                  *)
(***************************************************************************)

\* Nothing succeeds before the connection, or after an abort.  On a broken one requests under way may still succeed, as no text
\* says that they are cancelled, and so may later ones (FLUSH-05).  Rejected, but for CANCELLED: that a flushed QP only cancels (A15).
\* A request can be cancelled only for a cause: inferred from RES-08.
CanEnd(state, outcome) ==
  CASE outcome = "SUCCESS"   -> state \in {"CONNECTED", "BROKEN"}
    [] outcome = "FAILED"    -> state # "FLUSHED"
    [] outcome = "CANCELLED" -> state \notin {"IDLE", "CONNECTED"}

\* Hidden.  The i-th request of a queue gets its outcome.  A failure breaks the connection.
Execute(p, queue, i, outcome) ==
  /\ i \in DOMAIN qp[p][queue] /\ CanExecute(qp[p][queue], i)
  /\ CanEnd(qp[p].state, outcome)
  /\ qp' = [qp EXCEPT ![p][queue][i].phase = outcome,
                      ![p].state = IF outcome = "FAILED" THEN Broken(@) ELSE @]

\* What arrives with the i-th request: the writes before it, if they have not, and itself.
Arriving(queue, i) == {j \in 1..i : queue[j].phase = "INDICATED" /\ (j = i \/ queue[j].op = "Write")}

Arrived(queue, places) ==
  [i \in DOMAIN queue |-> IF i \in places THEN [queue[i] EXCEPT !.phase = "UNACKNOWLEDGED"] ELSE queue[i]]

(***************************************************************************)
(* Hidden, of two QPs that are connected, or were and are not aborted: a   *)
(* message of a takes the oldest receive of b, which succeeds.  Messages   *)
(* are received in posting order, a later one while an earlier one is      *)
(* unacknowledged.  Writes before it have arrived with it: the receiver    *)
(* may look at what they wrote.  They and the send succeed when they are   *)
(* acknowledged.  Until then they are pending: they may fail, if all       *)
(* acknowledgements are lost, and a flush may cancel them.                 *)
(* Rejected: that the send succeeds when the receive does, so that a flush *)
(* comes too late for both.  The sender's adapter can't know.              *)
(* Rejected: that a message may arrive before a write that was posted      *)
(* before it.  NDKPI says neither; a consumer that writes and then sends   *)
(* relies on it, and so all transports have it.                            *)
(***************************************************************************)
CanReceive(queue, i) ==
  /\ IsMessage(queue[i]) /\ queue[i].phase = "INDICATED"
  /\ \A j \in Arriving(queue, i) : \A k \in 1..(j - 1) :
       Pending(queue[k]) => MayPass(queue[j], queue[k]) \/ Unacknowledged(queue[k]) \/ k \in Arriving(queue, i)

\* One, or none: no message passes one that has not arrived.
Messages(a) == {i \in DOMAIN qp[a].initiator : CanReceive(qp[a].initiator, i)}
NextMessage(a) == CHOOSE i \in Messages(a) : TRUE
Message(a) == qp[a].initiator[NextMessage(a)]
WritesBefore(a) == {qp[a].initiator[i] : i \in Arriving(qp[a].initiator, NextMessage(a)) \ {NextMessage(a)}}
NextReceive(b) == CHOOSE i \in Ready(qp[b].receive) : TRUE

Meet(a, b) ==
  /\ Messages(a) # {} /\ Ready(qp[b].receive) # {}
  /\ CanEnd(qp[a].state, "SUCCESS") /\ CanEnd(qp[b].state, "SUCCESS")

\* The message brings its solicit flag and the token that it invalidated; whichever they are, the receive succeeds (FLAG-09,
\* RES-02, RES-03).
Received(r, m) ==
  [r EXCEPT !.phase = "SUCCESS", !.solicit = m.solicit,
            !.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken]

Deliver(a, b) ==
  /\ Meet(a, b)
  /\ qp' = [qp EXCEPT ![a].initiator = Arrived(@, Arriving(@, NextMessage(a))),
                      ![b].receive[NextReceive(b)] = Received(@, Message(a))]

\* A QP in a new state, with all requests of these phases cancelled.
Ended(q, state, phases) ==
  [state |-> state, initiator |-> Cancelled(q.initiator, phases), receive |-> Cancelled(q.receive, phases)]
Aborted(q) == Ended(q, "ABORTED", PendingPhases)

(***************************************************************************)
(* Hidden.  The message names a bad token: the provider of b aborts the    *)
(* connection (INV-05).  To a, the send may have succeeded or failed; its  *)
(* completion is of NdkOperationTypeSend all the same.  The receive that it*)
(* met fails, or is cancelled like those behind it.  What answers the      *)
(* message acknowledges those before it.                                   *)
(***************************************************************************)
Abort(a, b, sent, received) ==
  LET met == [qp EXCEPT ![a].initiator[NextMessage(a)].phase = sent,
                        ![b].receive[NextReceive(b)].phase = received] IN
  /\ Meet(a, b)
  /\ CanExecute(qp[a].initiator, NextMessage(a))
  /\ sent \in {"SUCCESS", "FAILED"}
  /\ received \in {"FAILED", "CANCELLED"}
  /\ qp' = [met EXCEPT ![a] = Aborted(@), ![b] = Aborted(@)]

\* A silent request that succeeded leaves no completion (FLAG-01); one that failed, or was cancelled, does (FLAG-02),
\* deferred or not (DEF-07).  Rejected, but for TOLD: that a post which returned success always leaves one, as DEF-04 alone
\* says (A29).
LeavesCompletion(r) == ~(r.silent /\ r.phase = "SUCCESS" /\ Reading.A29 = "SILENT")

\* The type of the operation, as NdkGetCqResultsEx tells it (RES-01, RES-02).
TypeOf(r) ==
  CASE r.op = "Receive" /\ r.phase = "SUCCESS" /\ r.token # NoToken -> "ReceiveAndInvalidate"
    [] r.op = "SendAndInvalidate"                                   -> "Send"
    [] OTHER                                                        -> r.op

\* What the completion will say, and of which request (POLL-05).
CompletionOf(p, queue, r) ==
  LET received == queue = "receive" /\ r.phase = "SUCCESS" IN
  [qp |-> p, queue |-> queue, req |-> r.req, status |-> r.phase, type |-> TypeOf(r),
   solicited |-> received /\ r.solicit, token |-> IF received THEN r.token ELSE NoToken]

(***************************************************************************)
(* Completions of one queue come out in posting order (POLL-09), so that   *)
(* one tells of all silent requests before it (FLAG-03).  NDKPI does not   *)
(* say so itself; the user-mode interface does, and consumers rely on it.  *)
(* Rejected, but for UNORDERED (A9): that a request may overtake the       *)
(* executed ones before it.  Between queues there is no order.             *)
(***************************************************************************)
CanComplete(p, queue, i) == i \in DOMAIN qp[p][queue] /\ Executed(qp[p][queue][i]) /\ (Reading.A9 = "ORDERED" => i = 1)
AfterComplete(queue, i) == SubSeq(queue, 1, i - 1) \o SubSeq(queue, i + 1, Len(queue))

\* Hidden.  The i-th request of a queue, which has its outcome, leaves it: no completion tells of it again (POLL-05).
Complete(p, queue, i) == CanComplete(p, queue, i) /\ qp' = [qp EXCEPT ![p][queue] = AfterComplete(@, i)]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer cancels, and closes.                                       *)
(***************************************************************************)
Flushed(q) == Ended(q, AfterFlush(q.state), IF Reading.A31 = "CANCELLED" THEN PendingPhases ELSE PendingPhases \ {"DEFERRED"})

(***************************************************************************)
(* Every pending request of both queues is cancelled (FLUSH-01), deferred  *)
(* ones too (FLUSH-02), of this QP alone (FLUSH-04), and completes with    *)
(* STATUS_CANCELLED (RES-08).                                              *)
(* Rejected, but for STRANDED (A31): that a chain which only a flush ended *)
(* is the consumer's fault, so that requests deferred in it may never      *)
(* complete.                                                               *)
(***************************************************************************)
NdkFlush(p) == ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p] = Flushed(@)]

\* A disconnected QP is flushed implicitly (DISC-08).  What is posted afterwards may still succeed, as after a flush (A15): that
\* the connection is closed in both directions then (DISC-10) is said of the connector, and of no request.  One that is pending
\* flushes at some moment before it completes: that moment is this step; and NdkConnect is the moment from which on requests may
\* succeed.
NdkDisconnect(p) == NdkFlush(p)

\* A close cancels what it would have to wait for (LIFE-10), and never fails (LIFE-12).
NdkCloseQp(p) == ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p] = Ended(@, "CLOSING", PendingPhases)]

\* The close completes when no request of the QP is left (LIFE-07).
CanFinishClose(q) == q.state = "CLOSING" /\ q.initiator = <<>> /\ q.receive = <<>>

\* A close that returns STATUS_SUCCESS is one whose callback, of no length, comes at once.
NdkCloseCompletionEnter(p) == CanFinishClose(qp[p]) /\ qp' = [qp EXCEPT ![p].state = "COMPLETING"]
NdkCloseCompletionExit(p) == qp[p].state = "COMPLETING" /\ qp' = [qp EXCEPT ![p].state = "CLOSED"]

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must always hold, and what must happen in the end.  Properties of  *)
(* what was posted and what was completed are in MCQueuePair, which        *)
(* remembers it.                                                           *)
(***************************************************************************)
\* POST-11, FLAG-08: among them, that a request has no flag that its kind cannot have (IsRequest).
QpTypeOK ==
  \A p \in QP :
    /\ DOMAIN qp[p] = {"state"} \union Queues
    /\ qp[p].state \in QpStates
    /\ \A queue \in Queues : \A i \in DOMAIN qp[p][queue] :
         IsRequest(qp[p][queue][i]) /\ QueueOf(qp[p][queue][i].op) = queue

\* DEF-09: requests are indicated in posting order.
IndicatedInOrder ==
  \A p \in QP : LET queue == qp[p].initiator IN
    \A i, j \in DOMAIN queue : i < j /\ Deferred(queue[i]) => Deferred(queue[j])

\* Nothing has become of the request yet: it has no outcome, and has not arrived at the peer.
Waits(r) == r.phase \in {"DEFERRED", "INDICATED"}

\* DEF-09, POLL-09: they are executed, and arrive, in posting order; only reads are overtaken.
ExecutedInOrder ==
  \A p \in QP, q \in Queues : LET queue == qp[p][q] IN
    \A i, j \in DOMAIN queue : i < j /\ queue[i].op # "Read" =>
      /\ Executed(queue[j]) => Executed(queue[i])
      /\ Unacknowledged(queue[j]) => ~Waits(queue[i])

\* Inferred from RES-08: no request is cancelled on a connection in good order.
CancelledHasCause ==
  \A p \in QP, queue \in Queues : \A i \in DOMAIN qp[p][queue] :
    qp[p][queue][i].phase = "CANCELLED" => qp[p].state \notin {"IDLE", "CONNECTED"}

\* FLAG-04: what waits for reads is not executed before them, nor does it arrive.
FenceWaits ==
  \A p \in QP : LET queue == qp[p].initiator IN
    \A i, j \in DOMAIN queue :
      i < j /\ queue[i].op = "Read" /\ Pending(queue[i]) /\ queue[j].fence => Waits(queue[j])

\* QPs that never were connected.
Unconnected == {p \in QP : qp[p].state \in {"IDLE", "BROKEN IDLE"}}

\* POST-08, POST-09: before the connection, only receives are pending.
UnconnectedSendsNothing ==
  \A p \in Unconnected : qp[p].initiator = <<>> \/ (PostsInError /\ qp[p].state = "BROKEN IDLE")

\* POST-08: nor does anything succeed, a receive neither: it would need a message.
NothingSucceedsUnconnected ==
  \A p \in Unconnected, queue \in Queues : \A i \in DOMAIN qp[p][queue] : qp[p][queue][i].phase # "SUCCESS"

\* LIFE-07: a QP whose close has completed has no requests left.
ClosedIsEmpty ==
  \A p \in QP : qp[p].state \in {"COMPLETING", "CLOSED"} => qp[p].initiator = <<>> /\ qp[p].receive = <<>>

\* FLUSH-01, FLUSH-02: a flush cancels all that is pending, deferred or not (A31: but for what it may strand).
FlushCancelsAll ==
  [][\A p \in QP : NdkFlush(p) =>
       \A queue \in Queues : LET old == qp[p][queue]  new == qp'[p][queue] IN
         /\ Len(new) = Len(old)
         /\ \A i \in DOMAIN old : Pending(old[i]) =>
              new[i].phase = "CANCELLED" \/ (Reading.A31 = "STRANDED" /\ Deferred(new[i]))]_qp

\* The requests of one queue that get an outcome in this step.
JustExecuted(p, queue) ==
  LET old == qp[p][queue]  new == qp'[p][queue] IN
  IF new = old \/ Len(new) # Len(old) THEN {}
  ELSE {new[i] : i \in {j \in DOMAIN new : Executed(new[j]) /\ Pending(old[j])}}

\* The messages and writes of p that arrive at its peer in this step.
JustArrived(p) ==
  LET old == qp[p].initiator  new == qp'[p].initiator IN
  {new[i] : i \in {j \in DOMAIN new \cap DOMAIN old : Unacknowledged(new[j]) /\ Waits(old[j]) /\ new[j].req = old[j].req}}

\* The requests of a QP that are cancelled in this step.
JustCancelled(p) == {r \in JustExecuted(p, "initiator") \union JustExecuted(p, "receive") : r.phase = "CANCELLED"}

\* Inferred from RES-08: a request that fails breaks the connection, for which others may be cancelled; a success does not.
FailureBreaks ==
  [][\A p \in QP : LET ended == JustExecuted(p, "initiator") \union JustExecuted(p, "receive")
                       Each(phase) == \A r \in ended : r.phase = phase IN
       /\ (\E r \in ended : r.phase = "FAILED") => qp'[p].state \notin {"IDLE", "CONNECTED"}
       /\ ended # {} /\ Each("SUCCESS") => qp'[p].state \in {qp[p].state, "ABORTED"}]_qp

\* FLUSH-04: requests of two QPs are cancelled in one step only where the connection between them is aborted.
FlushIsOwn ==
  [][LET reached == {p \in QP : JustCancelled(p) # {}} IN
     \A p, other \in reached : p # other => {qp'[p].state, qp'[other].state} = {"ABORTED"}]_qp

\* FLUSH-01: what has its outcome keeps it.
OutcomeStays ==
  [][\A p \in QP, queue \in Queues : LET old == qp[p][queue]  new == qp'[p][queue] IN
       new # old => \A i \in DOMAIN old, j \in DOMAIN new :
         Executed(old[i]) /\ new[j].req = old[i].req => new[j] = old[i]]_qp

\* LIFE-06: nothing is posted on a QP once its close has begun.
ClosingTakesNothing ==
  [][\A p \in QP : Closing(qp[p].state) =>
       Closing(qp'[p].state) /\ \A queue \in Queues : Len(qp'[p][queue]) <= Len(qp[p][queue])]_qp

\* Those of a queue that have no outcome yet, or have one; the oldest of them.
WithoutOutcome(queue) == {i \in DOMAIN queue : Pending(queue[i])}
WithOutcome(queue) == {i \in DOMAIN queue : Executed(queue[i])}
Oldest(places) == {i \in places : \A j \in places : i <= j}

\* What the adapter knows it executes, and what is executed it completes.  Of each the oldest is not put off for ever by those
\* behind it.  A receive waits for a message: no promise.
\* There is no fairness of HwIndicate: that a deferred request is indicated early is a hint, and nobody may rely on it.
\* A close that can finish does (LIFE-11).  That of a QP that was connected may wait for its connector as well, the object by
\* which NDKPI connects a QP; of it there is no state here: of recorded traces it is asked only where the QP was never connected.
QpFairness ==
  \A p \in QP :
    /\ WF_qp(\E i \in Oldest(WithoutOutcome(qp[p].initiator)), outcome \in Outcomes : Execute(p, "initiator", i, outcome))
    /\ \A queue \in Queues : WF_qp(\E i \in Oldest(WithOutcome(qp[p][queue])) : Complete(p, queue, i))
    /\ WF_qp(NdkCloseCompletionEnter(p))
    /\ WF_qp(NdkCloseCompletionExit(p))

\* LIFE-10, LIFE-11: a close that was begun completes.
CloseQpCompletes == \A p \in QP : Closing(qp[p].state) ~> qp[p].state = "CLOSED"
=============================================================================
