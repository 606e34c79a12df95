----------------------------- MODULE MCQueuePair -----------------------------
(***************************************************************************)
(* One QP, all by itself, for TLC.  What it sends always arrives; receives *)
(* are filled from nowhere.                                                *)
(***************************************************************************)
EXTENDS QueuePair

CONSTANTS
  MaxPosts,    \* posts in a run, refused ones included
  PostOps,     \* what is posted: sends, which stand for all initiator requests, and receives
  SilentFlags  \* with and without NDK_OP_FLAG_SILENT_SUCCESS

VARIABLES
  posts,     \* posts so far; the next request is told apart by the next number
  refused,   \* posts that were refused: number and queue
  flushed,   \* numbers of the requests that were in a queue when NdkFlush was called
  left       \* requests that left their queue, in this order; told: a completion was placed

ghosts == <<posts, refused, flushed, left>>
vars == <<qp, ghosts>>

MCInit ==
  /\ QpInit
  /\ posts = [p \in QP |-> 0]
  /\ refused = [p \in QP |-> {}]
  /\ flushed = [p \in QP |-> {}]
  /\ left = [p \in QP |-> <<>>]

Request(p, op, silent) ==
  [req |-> posts[p] + 1, op |-> op, silent |-> silent, solicit |-> FALSE, token |-> NoToken, phase |-> "INDICATED"]

\* DEF-06: the consumer keeps one post in reserve to end its chain.
CanAfford(p, op, defer) == posts[p] < IF defer \/ op = "Receive" THEN MaxPosts - 1 ELSE MaxPosts

MCPost(p, op, silent, defer) ==
  /\ CanAfford(p, op, defer)
  /\ op = "Receive" => ~silent    \* NdkReceive has no flags
  /\ Post(p, Request(p, op, silent), defer)
  /\ posts' = [posts EXCEPT ![p] = @ + 1]
  /\ UNCHANGED <<refused, flushed, left>>

MCPostRefused(p, op) ==
  /\ CanAfford(p, op, FALSE)
  /\ PostRefused(p, Request(p, op, FALSE))
  /\ posts' = [posts EXCEPT ![p] = @ + 1]
  /\ refused' = [refused EXCEPT ![p] = @ \union {[req |-> posts[p] + 1, queue |-> QueueOf(op)]}]
  /\ UNCHANGED <<flushed, left>>

MCComplete(p, queue) ==
  LET r == Completes(p, queue) IN
  /\ Complete(p, queue)
  /\ left' = [left EXCEPT ![p] = Append(@, [req |-> r.req, queue |-> queue, silent |-> r.silent, status |-> r.phase,
                                            told |-> LeavesCompletion(r)])]
  /\ UNCHANGED <<posts, refused, flushed>>

Queued(p) == UNION {{qp[p][queue][i].req : i \in DOMAIN qp[p][queue]} : queue \in Queues}

Flushing(p) == flushed' = [flushed EXCEPT ![p] = @ \union Queued(p)] /\ UNCHANGED <<posts, refused, left>>

MCNdkFlush(p) == NdkFlush(p) /\ Flushing(p)
MCNdkDisconnect(p) == NdkDisconnect(p) /\ Flushing(p)

MCNdkConnect(p) == NdkConnect(p) /\ UNCHANGED ghosts
MCConnectionLost(p) == ConnectionLost(p) /\ UNCHANGED ghosts
MCHwIndicate(p) == HwIndicate(p) /\ UNCHANGED ghosts
MCExecute(p, queue, outcome) == Execute(p, queue, outcome) /\ UNCHANGED ghosts
MCNdkCloseQp(p) == NdkCloseQp(p) /\ UNCHANGED ghosts

MCNext ==
  \E p \in QP :
    \/ MCNdkConnect(p)
    \/ MCConnectionLost(p)
    \/ \E op \in PostOps, silent \in SilentFlags, defer \in BOOLEAN : MCPost(p, op, silent, defer)
    \/ \E op \in PostOps : MCPostRefused(p, op)
    \/ MCHwIndicate(p)
    \/ \E queue \in Queues, outcome \in Outcomes : MCExecute(p, queue, outcome)
    \/ \E queue \in Queues : MCComplete(p, queue)
    \/ MCNdkFlush(p)
    \/ MCNdkDisconnect(p)
    \/ MCNdkCloseQp(p)

Safety == MCInit /\ [][MCNext]_vars

-----------------------------------------------------------------------------
\* DEF-03: a post that returned failure never completes.
RefusedNeverCompletes ==
  \A p \in QP : \A i \in DOMAIN left[p] : [req |-> left[p][i].req, queue |-> left[p][i].queue] \notin refused[p]

\* POLL-04, DEF-04: no request completes twice.
CompletedOnce == \A p \in QP : \A i, j \in DOMAIN left[p] : left[p][i].req = left[p][j].req => i = j

\* POLL-09, DEF-09: requests of one queue complete in the order in which they were posted (A9), deferred ones too.
QueueOrder ==
  \A p \in QP : \A i, j \in DOMAIN left[p] :
    i < j /\ left[p][i].queue = left[p][j].queue => left[p][i].req <= left[p][j].req

Silenced(l) == l.silent /\ l.status = "SUCCESS"

\* FLAG-01: a silent request that succeeded leaves no completion.
SilentSuccessIsSilent == \A p \in QP : \A i \in DOMAIN left[p] : Silenced(left[p][i]) => ~left[p][i].told

\* FLAG-02, DEF-07: every other request does.
FailureIsTold == \A p \in QP : \A i \in DOMAIN left[p] : ~Silenced(left[p][i]) => left[p][i].told

\* DEF-05: when an initiator request is refused, nothing of that queue stays deferred.
RefusedIndicatesEarlier ==
  [][\A p \in QP : MCPostRefused(p, "Send") =>
       \A i \in DOMAIN qp'[p].initiator : qp'[p].initiator[i].phase # "DEFERRED"]_vars

-----------------------------------------------------------------------------
Done(p, n) == \E i \in DOMAIN left[p] : left[p][i].req = n /\ (left[p][i].told \/ Silenced(left[p][i]))
Refused(p) == {m.req : m \in refused[p]}
Receives(p) == {qp[p].receive[i].req : i \in DOMAIN qp[p].receive}

\* DEF-06: a chain that no flush ended is ended by a request without NDK_OP_FLAG_DEFER, or by one that is refused.
EndChain(p) ==
  /\ \E i \in DOMAIN qp[p].initiator : qp[p].initiator[i].phase = "DEFERRED" /\ qp[p].initiator[i].req \notin flushed[p]
  /\ MCPost(p, "Send", FALSE, FALSE) \/ MCPostRefused(p, "Send")

\* A consumer that may leave its chains open.
Liveness == Safety /\ QpFairness

\* A consumer that keeps DEF-06.
LivenessWithChainsEnded == Liveness /\ \A p \in QP : WF_vars(EndChain(p))

\* DEF-04, FLAG-02: what was accepted completes, if the consumer ends its chains (DEF-06).  Receives wait for messages.
EveryRequestCompletes ==
  \A p \in QP, n \in 1..MaxPosts : (posts[p] >= n /\ n \notin Refused(p) \union Receives(p)) ~> Done(p, n)

\* FLUSH-02: what was queued when NdkFlush was called completes, receives and open chains included.
FlushCompletesAll == \A p \in QP, n \in 1..MaxPosts : (n \in flushed[p]) ~> Done(p, n)

\* DEF-05: what was deferred before a refused post completes, even if nothing is ever posted again.
NothingStranded ==
  \A p \in QP, n \in 1..MaxPosts :
    (/\ \E i \in DOMAIN qp[p].initiator : qp[p].initiator[i].req = n
     /\ \E m \in refused[p] : m.queue = "initiator" /\ m.req > n) ~> Done(p, n)
=============================================================================
