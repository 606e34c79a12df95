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

CONSTANTS
  QP,
  QpType   \* QpType[p]: a type of Promises

VARIABLE qp

ASSUME QpTypesAreKnown == \A p \in QP : QpType[p] \in DOMAIN Promises

Promise(p) == Promises[QpType[p]]

AllRC == [p \in QP |-> "RC"]
AllUC == [p \in QP |-> "UC"]
AllUD == [p \in QP |-> "UD"]

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
(* States of a QP.  IDLE: never connected.  CONNECTED: in good order.      *)
(* DOUBTFUL: a request failed, and the connection may have ended (A40).    *)
(* BROKEN: a CQ failed; requests under way may still succeed, or be        *)
(* cancelled.  ENDED: the connection has ended, and nothing succeeds any   *)
(* more: the error state of libibverbs.  SEND ERROR: a failed initiator    *)
(* request of an unreliable QP stopped its initiator queue.  SEND BROKEN:  *)
(* then a CQ failed, too; receives are as on a BROKEN QP.  FLUSHED:        *)
(* NdkFlush was called; what is posted now is free, or cancelled (A15).    *)
(* DISCONNECTED: NdkDisconnect was called.  BROKEN IDLE: a flush, a        *)
(* receive that failed or the failure of a CQ came before any connection;  *)
(* nothing succeeds, as on an IDLE QP, and pending receives may be         *)
(* cancelled.  ABORTED: ended because of a bad token, one that is not      *)
(* valid where a message is to take it back; nothing succeeds any more     *)
(* (INV-05).  CLOSE WAITS: NdkCloseQp was called, and waits for the        *)
(* connector (A36); CLOSING: it has cancelled what was pending, or will,   *)
(* where a failure came while it waited; COMPLETING: its                   *)
(* NdkCloseCompletion runs; CLOSED: it returned.                           *)
(***************************************************************************)
QpStates ==
  {"IDLE", "CONNECTED", "DOUBTFUL", "BROKEN", "ENDED", "SEND ERROR", "SEND BROKEN", "FLUSHED", "DISCONNECTED", "BROKEN IDLE",
   "ABORTED", "CLOSE WAITS", "CLOSING", "COMPLETING", "CLOSED"}

\* The consumer has called NdkCloseQp.
Closing(state) == state \in {"CLOSE WAITS", "CLOSING", "COMPLETING", "CLOSED"}

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
Broken(state) ==
  CASE state = "IDLE" -> "BROKEN IDLE"
    [] state \in {"CONNECTED", "DOUBTFUL"} -> "BROKEN"
    [] state = "SEND ERROR" -> "SEND BROKEN"
    [] OTHER -> state

\* A failure has stopped the initiator queue alone.
SendsStopped(state) == state \in {"SEND ERROR", "SEND BROKEN"}

\* A QP that is not connected, or not any more.
NotConnected(state) == state \in {"IDLE", "BROKEN IDLE", "ENDED", "DISCONNECTED", "ABORTED"}

\* A flush leaves the requests that come after it free to succeed or to fail.  Rejected, but for CANCELLED: that it does not (A15).
FreeAfterFlush(state) == state = "FLUSHED" /\ Reading.A15 = "FREE"

\* A request that fails ends the connection, and so does whatever cancels one (FLUSH-06, A40).
Ends == FailureEnds \/ Reading.A40 = "ENDS"

\* What NdkFlush leaves behind: what is posted next is free to succeed or to be cancelled (FLUSH-05, A15).  In libibverbs the
\* QP is in its error state then, and nothing succeeds (FLUSH-06).  For CANCELLED no receive waits behind a flush, on a connection
\* that had ended before it as little as on any other: the QP is as after a disconnect.
AfterFlush(state) ==
  IF (state \in {"CONNECTED", "DOUBTFUL", "BROKEN"} \/ SendsStopped(state)) /\ ErrorState THEN "ENDED"
  ELSE IF state \in {"CONNECTED", "DOUBTFUL"} \/ (state = "BROKEN" /\ Reading.A15 = "CANCELLED") THEN "FLUSHED"
  ELSE IF state = "ENDED" /\ Reading.A15 = "CANCELLED" THEN "DISCONNECTED"
  ELSE Broken(state)

\* A disconnected QP stays so (DISC-10).  One that never was connected is as after a flush.
AfterDisconnect(state) ==
  IF state \in {"CONNECTED", "DOUBTFUL", "BROKEN", "ENDED", "FLUSHED"} \/ SendsStopped(state) THEN "DISCONNECTED"
  ELSE Broken(state)

\* A QP that broke before need not be connected.  If it is, what is posted is not specified, as after a flush
\* (FLUSH-05), whichever of a flush, a failed receive or a failed CQ broke it.
AfterConnect(state) == IF state = "BROKEN IDLE" THEN AfterFlush("CONNECTED") ELSE "CONNECTED"

\* NdkConnect, NdkCompleteConnect (A37), or NdkAccept on the other side.  In libibverbs ibv_modify_qp also brings an unreliable
\* QP back whose initiator queue was stopped, and is empty.
NdkConnect(p) ==
  /\ qp[p].state \in {"IDLE", "BROKEN IDLE"} \/ (qp[p].state = "SEND ERROR" /\ qp[p].initiator = <<>>)
  /\ qp' = [qp EXCEPT ![p].state = AfterConnect(@)]

(***************************************************************************)
(* Hidden.  The peer or the network ends the connection, and the trace     *)
(* need not have a cause.  The step cancels nothing; from now on the       *)
(* adapter may (A23), and nothing succeeds any more: what was under way    *)
(* and succeeds has done so before.  A disconnect that the peer asked for  *)
(* flushes nothing here (DISC-07).  The two are not told apart, so this    *)
(* allows more.  An unreliable QP knows nothing of its peer.               *)
(***************************************************************************)
ConnectionLost(p) ==
  /\ Promise(p).endsWithPeer
  /\ qp[p].state \in {"CONNECTED", "DOUBTFUL", "BROKEN"} \/ FreeAfterFlush(qp[p].state)
  /\ qp' = [qp EXCEPT ![p].state = "ENDED"]

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
  /\ state = "BROKEN IDLE" => queue = "receive" \/ ErrorState

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

\* Of the request that is refused nothing is left (DEF-03).  invalid: the status is STATUS_CONNECTION_INVALID, so the
\* connection has ended by then (POST-08).
PostRefused(p, r, invalid) ==
  /\ ~Closing(qp[p].state)
  /\ invalid => NotConnected(qp[p].state)
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

\* Requests of the queue cannot be cancelled: nothing has ended what they wait for.
InGoodOrder(state, queue) ==
  state \in {"IDLE", "CONNECTED", "CLOSE WAITS"} \/ (state = "SEND ERROR" /\ queue = "receive")

\* Nothing succeeds before the connection, when it has ended, or after an abort.  Where that is not sure requests under way may
\* still succeed, as no text says that they are cancelled, and so may later ones (FLUSH-05).
\* A request can be cancelled only for a cause: RES-10.
CanEnd(state, queue, outcome) ==
  CASE outcome = "SUCCESS"   -> \/ state \in {"CONNECTED", "DOUBTFUL", "BROKEN", "CLOSE WAITS"}
                                \/ FreeAfterFlush(state)
                                \/ SendsStopped(state) /\ queue = "receive"
    [] outcome = "FAILED"    -> state = "FLUSHED" => FreeAfterFlush(state)
    [] outcome = "CANCELLED" -> ~InGoodOrder(state, queue)

(***************************************************************************)
(* What a request of p leaves behind that did not succeed.  Where a failure*)
(* ends the connection nothing succeeds behind it, on either queue, nor    *)
(* behind one that was cancelled; of an unreliable QP a failure of the     *)
(* initiator queue concerns that alone (FLUSH-06).                         *)
(* Rejected, but for ENDS, in ndkpi: that a failure always ends it (A40).  *)
(* It may: then the first request that is cancelled shows that it has, and *)
(* behind that nothing succeeds, as behind any other end.                  *)
(* Rejected: that requests under way may still succeed behind that one.    *)
(* They would show that nothing had ended, so that it has no cause.        *)
(***************************************************************************)
AfterOutcome(p, queue, outcome) ==
  LET state == qp[p].state
      apart == state = "CONNECTED" /\ queue = "initiator" /\ Promise(p).sendsApart
  IN
  IF outcome = "SUCCESS" THEN state
  ELSE IF state = "IDLE" THEN "BROKEN IDLE"
  ELSE IF ~CanEnd(state, queue, "SUCCESS") THEN state
  ELSE IF Ends THEN IF apart THEN "SEND ERROR" ELSE IF state = "CLOSE WAITS" THEN "CLOSING" ELSE "ENDED"
  ELSE IF state = "CONNECTED" THEN "DOUBTFUL"
  ELSE IF state = "DOUBTFUL" /\ outcome = "CANCELLED" THEN "ENDED"
  ELSE state

\* Hidden.  The i-th request of a queue gets its outcome.
Execute(p, queue, i, outcome) ==
  /\ i \in DOMAIN qp[p][queue] /\ CanExecute(qp[p][queue], i)
  /\ CanEnd(qp[p].state, queue, outcome)
  /\ qp' = [qp EXCEPT ![p][queue][i].phase = outcome, ![p].state = AfterOutcome(p, queue, outcome)]

\* Requests that may have to wait for what the peer does, for ever perhaps: messages, for a receive, and receives, for a message.
\* On a connection that has ended no message waits, and in the error state of libibverbs, behind a disconnect, or where a flush
\* leaves nothing free, no receive does (DEF-04).
MayWait(p, queue) ==
  LET state == qp[p].state IN
  IF queue = "initiator" THEN Promise(p).delivers /\ (state \in {"CONNECTED", "DOUBTFUL"} \/ FreeAfterFlush(state))
  ELSE \/ state \in {"IDLE", "CONNECTED", "DOUBTFUL", "BROKEN"} \/ SendsStopped(state) \/ FreeAfterFlush(state)
       \/ ~ErrorState /\ state \in {"BROKEN IDLE", "ENDED", "ABORTED"}

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
  /\ Promise(a).delivers
  /\ Messages(a) # {} /\ Ready(qp[b].receive) # {}
  /\ CanEnd(qp[a].state, "initiator", "SUCCESS") /\ CanEnd(qp[b].state, "receive", "SUCCESS")

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
Aborted(q) == Ended(q, IF Closing(q.state) THEN "CLOSING" ELSE "ABORTED", PendingPhases)

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
FlushedPhases == IF Reading.A31 = "CANCELLED" THEN PendingPhases ELSE PendingPhases \ {"DEFERRED"}
Flushed(q) == Ended(q, AfterFlush(q.state), FlushedPhases)
Disconnected(q) == Ended(q, AfterDisconnect(q.state), FlushedPhases)

(***************************************************************************)
(* Every pending request of both queues is cancelled (FLUSH-01), deferred  *)
(* ones too (FLUSH-02), of this QP alone (FLUSH-04), and completes with    *)
(* STATUS_CANCELLED (RES-08).                                              *)
(* Rejected, but for STRANDED (A31): that a chain which only a flush ended *)
(* is the consumer's fault, so that requests deferred in it may never      *)
(* complete.                                                               *)
(***************************************************************************)
NdkFlush(p) == ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p] = Flushed(@)]

\* A disconnected QP is flushed implicitly (DISC-08).  Nothing that is posted afterwards succeeds: the connection is closed in
\* both directions (DISC-10).  One that is pending flushes at some moment before it completes: that moment is this step; and
\* NdkConnect is the moment from which on requests may succeed.
\* Rejected, but for REUSE: that it is the consumer's fault to post there (A38).
NdkDisconnect(p) == ~Closing(qp[p].state) /\ qp' = [qp EXCEPT ![p] = Disconnected(@)]

(***************************************************************************)
(* A close cancels what it would have to wait for (LIFE-10), and never     *)
(* fails (LIFE-12).  A QP is the antecedent of its connector: while that is*)
(* open the close may do nothing but wait, and then cancels.               *)
(* Rejected, but for NO: that it cancels at once (A36).                    *)
(***************************************************************************)
CloseMayWait(state) == Reading.A36 = "YES" /\ ~ErrorState /\ CanEnd(state, "receive", "SUCCESS")

NdkCloseQp(p, waits) ==
  /\ ~Closing(qp[p].state)
  /\ waits => CloseMayWait(qp[p].state)
  /\ qp' = [qp EXCEPT ![p] = IF waits THEN [@ EXCEPT !.state = "CLOSE WAITS"] ELSE Ended(@, "CLOSING", PendingPhases)]

\* Hidden.  The close has waited long enough, or a failure has ended what it waited for: it cancels what is left, deferred
\* requests too, which nobody else would end.
CloseBegins(p) ==
  /\ \/ qp[p].state = "CLOSE WAITS"
     \/ qp[p].state = "CLOSING" /\ \E queue \in Queues : \E i \in DOMAIN qp[p][queue] : Pending(qp[p][queue][i])
  /\ qp' = [qp EXCEPT ![p] = Ended(@, "CLOSING", PendingPhases)]

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

\* RES-10: no request is cancelled on a connection in good order.  One whose initiator queue alone is stopped goes on receiving.
CancelledHasCause ==
  \A p \in QP, queue \in Queues : \A i \in DOMAIN qp[p][queue] :
    qp[p][queue][i].phase = "CANCELLED" =>
      qp[p].state \notin {"IDLE", "CONNECTED"} /\ (qp[p].state = "SEND ERROR" => queue = "initiator")

\* FLAG-04: what waits for reads is not executed before them, nor does it arrive.
FenceWaits ==
  \A p \in QP : LET queue == qp[p].initiator IN
    \A i, j \in DOMAIN queue :
      i < j /\ queue[i].op = "Read" /\ Pending(queue[i]) /\ queue[j].fence => Waits(queue[j])

\* QPs that never were connected.
Unconnected == {p \in QP : qp[p].state \in {"IDLE", "BROKEN IDLE"}}

\* POST-08, POST-09: before the connection, only receives are pending.
UnconnectedSendsNothing ==
  \A p \in Unconnected : qp[p].initiator = <<>> \/ (ErrorState /\ qp[p].state = "BROKEN IDLE")

\* POST-08: nor does anything succeed, a receive neither: it would need a message.
NothingSucceedsUnconnected ==
  \A p \in Unconnected, queue \in Queues : \A i \in DOMAIN qp[p][queue] : qp[p][queue][i].phase # "SUCCESS"

\* LIFE-07: a QP whose close has completed has no requests left.
ClosedIsEmpty ==
  \A p \in QP : qp[p].state \in {"COMPLETING", "CLOSED"} => qp[p].initiator = <<>> /\ qp[p].receive = <<>>

\* Those of a queue that have no outcome yet, or have one; the oldest of them.
WithoutOutcome(queue) == {i \in DOMAIN queue : Pending(queue[i])}
WithOutcome(queue) == {i \in DOMAIN queue : Executed(queue[i])}
Oldest(places) == {i \in places : \A j \in places : i <= j}

\* FLUSH-01, FLUSH-02: a flush cancels all that is pending, deferred or not (A31: but for what it may strand).
FlushCancelsAll ==
  [][\A p \in QP : NdkFlush(p) \/ NdkDisconnect(p) =>
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

\* RES-10: a request that fails breaks the connection, for which others may be cancelled; a success does not.  The first that is
\* cancelled for it ends the connection (A40).
FailureBreaks ==
  [][\A p \in QP : LET ended == JustExecuted(p, "initiator") \union JustExecuted(p, "receive")
                       Each(phase) == \A r \in ended : r.phase = phase IN
       /\ (\E r \in ended : r.phase = "FAILED") => qp'[p].state \notin {"IDLE", "CONNECTED"}
       /\ (\E r \in ended : r.phase = "FAILED") /\ Ends =>
            qp'[p].state \notin {"DOUBTFUL", "BROKEN", "CLOSE WAITS"} /\ (SendsStopped(qp'[p].state) => Promise(p).sendsApart)
       /\ (\E r \in ended : r.phase = "CANCELLED") /\ qp[p].state = "DOUBTFUL" => qp'[p].state \notin {"DOUBTFUL", "BROKEN"}
       /\ ended # {} /\ Each("SUCCESS") =>
            qp'[p].state \in {qp[p].state, IF Closing(qp[p].state) THEN "CLOSING" ELSE "ABORTED"}]_qp

\* FLUSH-04: requests of two QPs are cancelled in one step only where the connection between them is aborted.
FlushIsOwn ==
  [][LET reached == {p \in QP : JustCancelled(p) # {}} IN
     \A p, other \in reached : p # other => {qp'[p].state, qp'[other].state} \subseteq {"ABORTED", "CLOSING"}]_qp

\* FLUSH-06, DISC-10: nothing succeeds on a connection that has ended, that was disconnected, or on an initiator queue that a
\* failure has stopped.
NothingSucceedsEnded ==
  [][\A p \in QP, queue \in Queues :
       \/ qp[p].state \in {"ENDED", "DISCONNECTED"} \/ (SendsStopped(qp[p].state) /\ queue = "initiator") =>
            \A r \in JustExecuted(p, queue) : r.phase # "SUCCESS"]_qp

\* FLUSH-06: in libibverbs a flush leaves a QP that was connected in its error state, and only a creation anew ends that.
FlushLeavesErrorState ==
  [][\A p \in QP : ErrorState =>
       /\ NdkFlush(p) => qp'[p].state \in {"ENDED", "BROKEN IDLE", "ABORTED", "DISCONNECTED"}
       /\ qp[p].state = "ENDED" => qp'[p].state \in {"ENDED", "DISCONNECTED"} \/ Closing(qp'[p].state)]_qp

\* LIFE-10 (A36): the close of a QP cancels what is pending when it no longer waits, or after a failure that ended the wait; it
\* waits only if that is how it is read.
CloseCancels ==
  [][\A p \in QP :
       /\ CloseBegins(p) => \A queue \in Queues : WithoutOutcome(qp'[p][queue]) = {}
       /\ qp[p].state # "CLOSING" /\ qp'[p].state = "CLOSING" /\ ~(Ends /\ qp[p].state = "CLOSE WAITS") =>
            \A queue \in Queues : WithoutOutcome(qp'[p][queue]) = {}
       /\ qp'[p].state = "CLOSE WAITS" => Reading.A36 = "YES" /\ ~ErrorState]_qp

\* FLUSH-01: what has its outcome keeps it.
OutcomeStays ==
  [][\A p \in QP, queue \in Queues : LET old == qp[p][queue]  new == qp'[p][queue] IN
       new # old => \A i \in DOMAIN old, j \in DOMAIN new :
         Executed(old[i]) /\ new[j].req = old[i].req => new[j] = old[i]]_qp

\* LIFE-06: nothing is posted on a QP once its close has begun.
ClosingTakesNothing ==
  [][\A p \in QP : Closing(qp[p].state) =>
       Closing(qp'[p].state) /\ \A queue \in Queues : Len(qp'[p][queue]) <= Len(qp[p][queue])]_qp

\* What the adapter knows it executes, and what is executed it completes.  Of each the oldest is not put off for ever by those
\* behind it.  A receive waits for a message: no promise, but where it cannot come any more.
\* There is no fairness of HwIndicate: that a deferred request is indicated early is a hint, and nobody may rely on it.
\* A close that can finish does (LIFE-11).  That of a QP that was connected may wait for its connector as well, the object by
\* which NDKPI connects a QP; of it there is no state here: of recorded traces it is asked only where the QP was never connected.
QpFairness ==
  \A p \in QP :
    /\ WF_qp(\E i \in Oldest(WithoutOutcome(qp[p].initiator)), outcome \in Outcomes : Execute(p, "initiator", i, outcome))
    /\ WF_qp(~MayWait(p, "receive") /\ \E i \in Oldest(WithoutOutcome(qp[p].receive)) : Execute(p, "receive", i, "CANCELLED"))
    /\ \A queue \in Queues : WF_qp(\E i \in Oldest(WithOutcome(qp[p][queue])) : Complete(p, queue, i))
    /\ WF_qp(CloseBegins(p))
    /\ WF_qp(NdkCloseCompletionEnter(p))
    /\ WF_qp(NdkCloseCompletionExit(p))

\* LIFE-10, LIFE-11: a close that was begun completes.
CloseQpCompletes == \A p \in QP : Closing(qp[p].state) ~> qp[p].state = "CLOSED"
=============================================================================
