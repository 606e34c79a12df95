------------------------------ MODULE QueuePair ------------------------------
(***************************************************************************)
(* Queue pairs: posting, deferring, executing, completing, flushing.       *)
(*                                                                         *)
(* The promise here: a post that returns success is answered by exactly    *)
(* one completion (or, if the consumer asked for silence, by none when it  *)
(* succeeds), and a post that returns failure by none.  A consumer frees   *)
(* its buffers by this.                                                    *)
(*                                                                         *)
(* A request posted with NDK_OP_FLAG_DEFER may wait for the others of its  *)
(* chain before it is indicated to the hardware.  The consumer ends the    *)
(* chain with a request without the flag, unless a post fails on the way   *)
(* (DEF-06); then the provider must not forget those before it (DEF-05).   *)
(***************************************************************************)
EXTENDS Dialect

CONSTANT QP

VARIABLE qp

(***************************************************************************)
(* A request: req tells requests apart; silent is                          *)
(* NDK_OP_FLAG_SILENT_SUCCESS, solicit NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT; *)
(* token is what a memory operation or NdkSendAndInvalidate names.  Of a   *)
(* receive, solicit and token tell what the message brought.               *)
(* phase: DEFERRED, then INDICATED to the hardware, then the outcome.      *)
(***************************************************************************)
IsRequest(r) ==
  /\ DOMAIN r = {"req", "op", "silent", "solicit", "token", "phase"}
  /\ r.op \in Ops
  /\ {r.silent, r.solicit} \subseteq BOOLEAN
  /\ r.phase \in {"DEFERRED", "INDICATED"} \union Outcomes

Executed(r) == r.phase \in Outcomes

(***************************************************************************)
(* States of a QP.  BROKEN: the connection failed, or the consumer ended   *)
(* it; pending requests may be cancelled.  ABORTED: ended because of a bad *)
(* token; nothing succeeds any more (INV-05).                              *)
(***************************************************************************)
QpStates == {"IDLE", "CONNECTED", "BROKEN", "ABORTED", "CLOSED"}

\* Requests leave a queue at its head, in posting order, and are executed in posting order (POLL-09, DEF-09; A9).
InOrder(queue) ==
  /\ \A i, j \in DOMAIN queue : i < j /\ Executed(queue[j]) => Executed(queue[i])
  /\ \A i, j \in DOMAIN queue : i < j /\ queue[i].phase = "DEFERRED" => queue[j].phase = "DEFERRED"

QpTypeOK ==
  \A p \in QP :
    /\ DOMAIN qp[p] = {"state"} \union Queues
    /\ qp[p].state \in QpStates
    /\ \A queue \in Queues :
         /\ \A i \in DOMAIN qp[p][queue] : IsRequest(qp[p][queue][i]) /\ QueueOf(qp[p][queue][i].op) = queue
         /\ InOrder(qp[p][queue])

QpInit == qp = [p \in QP |-> [state |-> "IDLE", initiator |-> <<>>, receive |-> <<>>]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Of queues.                                                              *)
(***************************************************************************)

\* Every deferred request becomes known to the hardware.
Indicated(queue) ==
  [i \in DOMAIN queue |-> IF queue[i].phase = "DEFERRED" THEN [queue[i] EXCEPT !.phase = "INDICATED"] ELSE queue[i]]

\* Every request without an outcome is cancelled, deferred ones too.
Cancelled(queue) ==
  [i \in DOMAIN queue |-> IF Executed(queue[i]) THEN queue[i] ELSE [queue[i] EXCEPT !.phase = "CANCELLED"]]

First(queue, P(_)) == CHOOSE i \in DOMAIN queue : P(queue[i]) /\ \A j \in 1..(i - 1) : ~P(queue[j])

\* The oldest request without an outcome, if the hardware knows it.
Pending(r) == ~Executed(r)
NextToExecute(queue) == First(queue, Pending)
HasNextToExecute(queue) ==
  \E i \in DOMAIN queue : Pending(queue[i]) /\ queue[NextToExecute(queue)].phase = "INDICATED"

-----------------------------------------------------------------------------
(***************************************************************************)
(* The connection.                                                         *)
(***************************************************************************)

\* A QP that is worse off stays so.
Broken(state) == IF state \in {"ABORTED", "CLOSED"} THEN state ELSE "BROKEN"

\* NdkConnect, or NdkAccept on the other side.
NdkConnect(p) == qp[p].state = "IDLE" /\ qp' = [qp EXCEPT ![p].state = "CONNECTED"]

\* Hidden.  The peer or the network ends the connection.  By itself this cancels nothing (DISC-07).
ConnectionLost(p) == qp[p].state = "CONNECTED" /\ qp' = [qp EXCEPT ![p].state = "BROKEN"]

\* An error of a CQ makes the QPs that use it unusable (ARM-18).
Break(P) == qp' = [p \in QP |-> IF p \in P THEN [qp[p] EXCEPT !.state = Broken(@)] ELSE qp[p]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer posts: NdkSend, NdkReceive, NdkFastRegister, ...           *)
(***************************************************************************)

\* A QP that was never connected takes receives only (POST-08, POST-09).
\* After the connection has ended posts may still be accepted; they will be cancelled.
CanPost(state, queue) == state \in {"CONNECTED", "BROKEN", "ABORTED"} \/ (state = "IDLE" /\ queue = "receive")

(***************************************************************************)
(* The post returns success.  NDK_OP_FLAG_DEFER is for initiator requests  *)
(* (DEF-01); a request without it indicates itself and all before it.      *)
(***************************************************************************)
AfterPost(queue, r, defer) ==
  IF defer THEN Append(queue, [r EXCEPT !.phase = "DEFERRED"])
  ELSE Append(Indicated(queue), [r EXCEPT !.phase = "INDICATED"])

Post(p, r, defer) ==
  LET queue == QueueOf(r.op) IN
  /\ CanPost(qp[p].state, queue)
  /\ defer => queue = "initiator"
  /\ qp' = [qp EXCEPT ![p][queue] = AfterPost(@, r, defer)]

(***************************************************************************)
(* The post returns failure.  It queues nothing (DEF-03), and before it    *)
(* returns all requests deferred earlier are indicated (DEF-05).           *)
(* Reading (A10): the requests of the same QP.                             *)
(* Rejected: that the chain is over, so that those before may be dropped.  *)
(* They returned success, and are owed completions (DEF-04).               *)
(***************************************************************************)
AfterRefusal(queue, r) == Indicated(queue)

PostRefused(p, r) ==
  /\ qp[p].state # "CLOSED"
  /\ IF QueueOf(r.op) = "initiator" THEN qp' = [qp EXCEPT ![p].initiator = AfterRefusal(@, r)] ELSE UNCHANGED qp

\* Hidden.  The flag is a hint: a deferred request may be indicated at any time (DEF-02), in order (DEF-09).
HwIndicate(p) ==
  LET Deferred(r) == r.phase = "DEFERRED" IN
  /\ \E i \in DOMAIN qp[p].initiator : Deferred(qp[p].initiator[i])
  /\ qp' = [qp EXCEPT ![p].initiator[First(qp[p].initiator, Deferred)].phase = "INDICATED"]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The adapter executes, and completes.  Between the two the outcome is    *)
(* fixed, but no completion tells it yet.                                  *)
(***************************************************************************)

\* A request can be cancelled only for a cause (RES-08).
\* What is posted after a flush is not specified (A15): it may even succeed.
CanEnd(state, outcome) ==
  CASE outcome = "SUCCESS"   -> state \notin {"IDLE", "ABORTED"}
    [] outcome = "FAILED"    -> TRUE
    [] outcome = "CANCELLED" -> state \in {"BROKEN", "ABORTED", "CLOSED"}

\* Hidden.  The oldest request of a queue gets its outcome.  A failure breaks the connection.
Execute(p, queue, outcome) ==
  /\ HasNextToExecute(qp[p][queue])
  /\ CanEnd(qp[p].state, outcome)
  /\ qp' = [qp EXCEPT ![p][queue][NextToExecute(qp[p][queue])].phase = outcome,
                      ![p].state = IF outcome = "FAILED" THEN Broken(@) ELSE @]

(***************************************************************************)
(* Hidden, of two connected QPs: a message of a takes the oldest receive   *)
(* of b.  Both succeed, though their completions may come far apart.  The  *)
(* message brings the solicit flag and, if it is of NdkSendAndInvalidate,  *)
(* the token that it invalidated (FLAG-09, RES-02, RES-03).                *)
(***************************************************************************)
IsMessage(r) == r.op \in {"Send", "SendAndInvalidate"}
Message(a) == qp[a].initiator[NextToExecute(qp[a].initiator)]

Meet(a, b) ==
  /\ a # b
  /\ HasNextToExecute(qp[a].initiator)
  /\ IsMessage(Message(a))
  /\ HasNextToExecute(qp[b].receive)
  /\ CanEnd(qp[a].state, "SUCCESS") /\ CanEnd(qp[b].state, "SUCCESS")

Received(r, m) ==
  [r EXCEPT !.phase = "SUCCESS", !.solicit = m.solicit,
            !.token = IF m.op = "SendAndInvalidate" THEN m.token ELSE NoToken]

Deliver(a, b) ==
  /\ Meet(a, b)
  /\ qp' = [qp EXCEPT ![a].initiator[NextToExecute(qp[a].initiator)].phase = "SUCCESS",
                      ![b].receive[NextToExecute(qp[b].receive)] = Received(@, Message(a))]

(***************************************************************************)
(* Hidden.  The message names a bad token: the provider of b aborts the    *)
(* connection (INV-05).  To a, the send may have succeeded or failed; its  *)
(* completion is of NdkOperationTypeSend all the same (RES-01).  The       *)
(* receive that it met fails, or is cancelled like those behind it.        *)
(***************************************************************************)
Aborted(q) == [state |-> "ABORTED", initiator |-> Cancelled(q.initiator), receive |-> Cancelled(q.receive)]

Abort(a, b, sent, received) ==
  LET met == [qp EXCEPT ![a].initiator[NextToExecute(qp[a].initiator)].phase = sent,
                        ![b].receive[NextToExecute(qp[b].receive)].phase = received] IN
  /\ Meet(a, b)
  /\ sent \in {"SUCCESS", "FAILED"}
  /\ received \in {"FAILED", "CANCELLED"}
  /\ qp' = [met EXCEPT ![a] = Aborted(@), ![b] = Aborted(@)]

\* A silent request that succeeded leaves no completion (FLAG-01); one that failed, or was cancelled, does (FLAG-02),
\* deferred or not (DEF-07).
LeavesCompletion(r) == ~(r.silent /\ r.phase = "SUCCESS")

\* What the completion will say.
CompletionOf(p, queue, r) ==
  LET received == queue = "receive" /\ r.phase = "SUCCESS" IN
  [qp |-> p, queue |-> queue, req |-> r.req, status |-> r.phase,
   solicited |-> received /\ r.solicit, token |-> IF received THEN r.token ELSE NoToken]

\* Completions of one queue come out in posting order (POLL-09).  NDKPI does not say so itself; the user-mode interface
\* does, and consumers rely on it (A9).  Between queues there is no order.
CanComplete(p, queue) == qp[p][queue] # <<>> /\ Executed(Head(qp[p][queue]))
Completes(p, queue) == Head(qp[p][queue])
AfterComplete(queue) == Tail(queue)

\* Hidden.  An executed request leaves its queue.
Complete(p, queue) == CanComplete(p, queue) /\ qp' = [qp EXCEPT ![p][queue] = AfterComplete(@)]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer cancels.                                                   *)
(***************************************************************************)
Flushed(q) == [state |-> Broken(q.state), initiator |-> Cancelled(q.initiator), receive |-> Cancelled(q.receive)]

\* Every pending request of both queues (FLUSH-01), of this QP alone (FLUSH-04, A15).
NdkFlush(p) == qp[p].state # "CLOSED" /\ qp' = [qp EXCEPT ![p] = Flushed(@)]

\* A disconnected QP is flushed implicitly (DISC-08).
NdkDisconnect(p) == NdkFlush(p)

\* The completions of a closed QP may still be polled (A21).
NdkCloseQp(p) == qp[p].state # "CLOSED" /\ qp' = [qp EXCEPT ![p] = [Flushed(@) EXCEPT !.state = "CLOSED"]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must always hold, and what must happen in the end.  Properties of  *)
(* what was posted and what was completed are in MCQueuePair, which        *)
(* remembers it.                                                           *)
(***************************************************************************)

\* RES-08: no request is cancelled on a connection in good order.
CancelledHasCause ==
  \A p \in QP, queue \in Queues : \A i \in DOMAIN qp[p][queue] :
    qp[p][queue][i].phase = "CANCELLED" => qp[p].state \in {"BROKEN", "ABORTED", "CLOSED"}

\* FLUSH-01: after a flush nothing is pending.
FlushCancelsAll ==
  [][\A p \in QP : NdkFlush(p) =>
       \A queue \in Queues : \A i \in DOMAIN qp'[p][queue] : Executed(qp'[p][queue][i])]_qp

\* What the adapter knows it executes, and what is executed it completes.  A receive waits for a message: no promise.
\* There is no fairness of HwIndicate: that a deferred request is indicated early is a hint, and nobody may rely on it.
QpFairness ==
  \A p \in QP :
    /\ WF_qp(\E outcome \in Outcomes : Execute(p, "initiator", outcome))
    /\ \A queue \in Queues : WF_qp(Complete(p, queue))
=============================================================================
