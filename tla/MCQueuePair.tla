----------------------------- MODULE MCQueuePair -----------------------------
(***************************************************************************)
(* One QP, all by itself, for TLC.  What it sends needs no receive, and    *)
(* receives are filled from nowhere: so it is of every type of QP.         *)
(***************************************************************************)
EXTENDS QueuePair

CONSTANTS
  MaxPosts,  \* posts in a run, refused ones included
  PostOps,   \* what is posted: sends, which stand for all initiator requests but reads, and receives
  Flags,     \* flags that a post may have: of "SILENT_SUCCESS", "READ_FENCE", "DEFER"
  Optional   \* actions that happen only if they are named here; "FAILED" is an execution that fails, "INVALID" a post that
             \* is refused with STATUS_CONNECTION_INVALID

VARIABLES
  posts,     \* posts so far; the next request is told apart by the next number
  refused,   \* posts that were refused: number and queue
  open,      \* has the consumer left a chain open?  It matters, and is remembered, only if nothing but a post ends it (A11)
  flushed,   \* numbers of the requests that NdkFlush had to cancel or let finish
  left       \* requests that left their queue, in this order; told: a completion was placed

ghosts == <<posts, refused, open, flushed, left>>
vars == <<qp, ghosts>>

TwoQps == {"a", "b"}

MCInit ==
  /\ QpInit
  /\ posts = [p \in QP |-> 0]
  /\ refused = [p \in QP |-> {}]
  /\ open = [p \in QP |-> FALSE]
  /\ flushed = [p \in QP |-> {}]
  /\ left = [p \in QP |-> <<>>]

\* NdkReceive has no flags.  (The consumer tries to defer it nevertheless, for the contract to refuse.)
MayHave(flag, op) == IF flag \in Flags /\ (op # "Receive" \/ flag = "DEFER") THEN BOOLEAN ELSE {FALSE}

Request(p, op, silent, fence) ==
  [req |-> posts[p] + 1, op |-> op, phase |-> "INDICATED", token |-> NoToken, silent |-> silent, solicit |-> FALSE,
   fence |-> fence]

\* DEF-06: the consumer keeps one post in reserve to end its chain.
CanAfford(p, op, defer) == posts[p] < IF defer \/ op = "Receive" THEN MaxPosts - 1 ELSE MaxPosts

\* A38: where a post is a use of a disconnected QP, the consumer makes none (DISC-09).
MayPost(p) == Reading.A38 = "REUSE" => qp[p].state # "DISCONNECTED"

MCPost(p, op, silent, fence, defer) ==
  /\ CanAfford(p, op, defer) /\ MayPost(p)
  /\ Post(p, Request(p, op, silent, fence), defer)
  /\ posts' = [posts EXCEPT ![p] = @ + 1]
  /\ open' = [open EXCEPT ![p] = IF op = "Receive" THEN @ ELSE defer /\ Reading.A11 = "POST"]
  /\ UNCHANGED <<refused, flushed, left>>

MCPostRefused(p, op, invalid) ==
  /\ CanAfford(p, op, FALSE) /\ MayPost(p)
  /\ invalid => "INVALID" \in Optional /\ op # "Receive"
  /\ PostRefused(p, Request(p, op, FALSE, FALSE), invalid)
  /\ posts' = [posts EXCEPT ![p] = @ + 1]
  /\ refused' = [refused EXCEPT ![p] = @ \union {[req |-> posts[p] + 1, queue |-> QueueOf(op)]}]
  /\ open' = [open EXCEPT ![p] = op = "Receive" /\ @]
  /\ UNCHANGED <<flushed, left>>

MCComplete(p, queue, i) ==
  LET r == qp[p][queue][i] IN
  /\ Complete(p, queue, i)
  /\ left' = [left EXCEPT ![p] = Append(@, [req |-> r.req, queue |-> queue, silent |-> r.silent, status |-> r.phase,
                                            told |-> LeavesCompletion(r)])]
  /\ UNCHANGED <<posts, refused, open, flushed>>

\* A31: a flush owes nothing to a chain that is left open, if that is the consumer's fault.
Owed(p) ==
  UNION {{qp[p][queue][i].req : i \in {j \in DOMAIN qp[p][queue] :
            Reading.A31 = "CANCELLED" \/ ~Deferred(qp[p][queue][j])}} : queue \in Queues}

\* A11: if only a post ends a chain, the consumer ends it before it flushes or closes.
MayCancel(p) == ~open[p]

Flushing(p) == flushed' = [flushed EXCEPT ![p] = @ \union Owed(p)] /\ UNCHANGED <<posts, refused, open, left>>

MCNdkFlush(p) == "NdkFlush" \in Optional /\ MayCancel(p) /\ NdkFlush(p) /\ Flushing(p)
MCNdkDisconnect(p) == "NdkDisconnect" \in Optional /\ MayCancel(p) /\ NdkDisconnect(p) /\ Flushing(p)

MCNdkCloseQp(p, waits) == "NdkCloseQp" \in Optional /\ MayCancel(p) /\ NdkCloseQp(p, waits) /\ UNCHANGED ghosts
MCCloseBegins(p) == CloseBegins(p) /\ UNCHANGED ghosts
MCNdkConnect(p) == NdkConnect(p) /\ UNCHANGED ghosts
MCConnectionLost(p) == "ConnectionLost" \in Optional /\ ConnectionLost(p) /\ UNCHANGED ghosts
MCHwIndicate(p) == HwIndicate(p) /\ UNCHANGED ghosts
MCExecute(p, queue, i, outcome) ==
  (outcome = "FAILED" => "FAILED" \in Optional) /\ Execute(p, queue, i, outcome) /\ UNCHANGED ghosts
MCNdkCloseCompletionEnter(p) == NdkCloseCompletionEnter(p) /\ UNCHANGED ghosts
MCNdkCloseCompletionExit(p) == NdkCloseCompletionExit(p) /\ UNCHANGED ghosts

\* Where in a queue a request can be.
Places == 1..MaxPosts

MCNext ==
  \E p \in QP :
    \/ MCNdkConnect(p)
    \/ MCConnectionLost(p)
    \/ \E op \in PostOps : \E silent \in MayHave("SILENT_SUCCESS", op), fence \in MayHave("READ_FENCE", op),
           defer \in MayHave("DEFER", op) : MCPost(p, op, silent, fence, defer)
    \/ \E op \in PostOps, invalid \in BOOLEAN : MCPostRefused(p, op, invalid)
    \/ MCHwIndicate(p)
    \/ \E queue \in Queues, i \in Places, outcome \in Outcomes : MCExecute(p, queue, i, outcome)
    \/ \E queue \in Queues, i \in Places : MCComplete(p, queue, i)
    \/ MCNdkFlush(p)
    \/ MCNdkDisconnect(p)
    \/ \E waits \in BOOLEAN : MCNdkCloseQp(p, waits)
    \/ MCCloseBegins(p)
    \/ MCNdkCloseCompletionEnter(p)
    \/ MCNdkCloseCompletionExit(p)

Safety == MCInit /\ [][MCNext]_vars

-----------------------------------------------------------------------------
\* DEF-03: a post that returned failure never completes.
RefusedNeverCompletes ==
  \A p \in QP : \A i \in DOMAIN left[p] : [req |-> left[p][i].req, queue |-> left[p][i].queue] \notin refused[p]

\* POLL-04: no request completes twice.
CompletedOnce == \A p \in QP : \A i, j \in DOMAIN left[p] : left[p][i].req = left[p][j].req => i = j

\* POLL-09, DEF-09: requests of one queue complete in the order in which they were posted (A9), deferred ones too.
QueueOrder ==
  Reading.A9 = "ORDERED" => \A p \in QP : \A i, j \in DOMAIN left[p] :
    i < j /\ left[p][i].queue = left[p][j].queue => left[p][i].req <= left[p][j].req

Silenced(l) == l.silent /\ l.status = "SUCCESS"

\* POLL-05: what leaves a queue has an outcome to tell.
CompletedIsExecuted == \A p \in QP : \A i \in DOMAIN left[p] : left[p][i].status \in Outcomes

\* FLAG-01: a silent request that succeeded leaves no completion (A29).
SilentSuccessIsSilent ==
  Reading.A29 = "SILENT" => \A p \in QP : \A i \in DOMAIN left[p] : Silenced(left[p][i]) => ~left[p][i].told

\* FLAG-02, DEF-07: every other request does.
FailureIsTold ==
  \A p \in QP : \A i \in DOMAIN left[p] : ~Silenced(left[p][i]) \/ Reading.A29 = "TOLD" => left[p][i].told

\* DEF-05: when an initiator request is refused, nothing of that queue stays deferred (A10: of any QP's; A30: when a
\* receive is refused, too).
RefusedIndicatesEarlier ==
  [][\A p \in QP, op \in PostOps, invalid \in BOOLEAN : MCPostRefused(p, op, invalid) /\ (op # "Receive" \/ Reading.A30 = "ANY") =>
       \A other \in QP : other = p \/ Reading.A10 = "ALL" =>
         \A i \in DOMAIN qp'[other].initiator : ~Deferred(qp'[other].initiator[i])]_vars

\* DEF-04 (A34): what was deferred before a refused request is there to be executed.
RefusalDropsNothing ==
  [][\A p \in QP, op \in PostOps, invalid \in BOOLEAN : MCPostRefused(p, op, invalid) /\ Reading.A34 = "EXECUTED" =>
       \A other \in QP : Len(qp'[other].initiator) = Len(qp[other].initiator)]_vars

\* DEF-06 (A11): if only a post ends a chain, no flush meets a request that is deferred.
FlushMeetsNoChain ==
  [][\A p \in QP : MCNdkFlush(p) /\ Reading.A11 = "POST" =>
       \A i \in DOMAIN qp[p].initiator : ~Deferred(qp[p].initiator[i])]_vars

\* FLUSH-05 (A15): if that is how it is read, what is posted after the flush of a QP that was connected is cancelled.
CancelledAfterFlush ==
  [][\A p \in QP : Reading.A15 = "CANCELLED" =>
       /\ MCNdkFlush(p) => qp'[p].state \in {"FLUSHED", "ABORTED", "BROKEN IDLE", "DISCONNECTED"}
       /\ qp[p].state = "FLUSHED" => \A queue \in Queues : JustExecuted(p, queue) \subseteq JustCancelled(p)]_vars

\* POST-08: a post is refused with STATUS_CONNECTION_INVALID only where nothing succeeds without a connection anew.
InvalidMeansNotConnected ==
  [][\A p \in QP, op \in PostOps : MCPostRefused(p, op, TRUE) =>
       qp[p].state \notin {"CONNECTED", "DOUBTFUL", "BROKEN", "FLUSHED", "SEND ERROR", "SEND BROKEN"}]_vars

\* DISC-09 (A38): if that is how it is read, nothing is posted on a disconnected QP.
DisconnectedIsLeft ==
  [][\A p \in QP : Reading.A38 = "REUSE" /\ qp[p].state = "DISCONNECTED" => posts'[p] = posts[p]]_vars

-----------------------------------------------------------------------------
Done(p, n) == \E i \in DOMAIN left[p] : left[p][i].req = n /\ (left[p][i].told \/ Silenced(left[p][i]))
Refused(p) == {m.req : m \in refused[p]}
Receives(p) == {qp[p].receive[i].req : i \in DOMAIN qp[p].receive}

\* DEF-06: a chain that no flush ended is ended by a request without NDK_OP_FLAG_DEFER, or by one that is refused.
EndChain(p) ==
  /\ \E i \in DOMAIN qp[p].initiator : qp[p].initiator[i].phase = "DEFERRED" /\ qp[p].initiator[i].req \notin flushed[p]
  /\ MCPost(p, "Send", FALSE, FALSE, FALSE) \/ MCPostRefused(p, "Send", FALSE)

\* A consumer that may leave its chains open.
Liveness == Safety /\ QpFairness

\* A consumer that keeps DEF-06.
LivenessWithChainsEnded == Liveness /\ \A p \in QP : WF_vars(EndChain(p))

\* DEF-04, FLAG-02: what was accepted completes, if the consumer ends its chains (DEF-06).  Receives wait for messages.
EveryRequestCompletes ==
  \A p \in QP, n \in 1..MaxPosts : (posts[p] >= n /\ n \notin Refused(p) \union Receives(p)) ~> Done(p, n)

\* FLUSH-02: what was queued when NdkFlush was called completes, receives and open chains included.
FlushCompletesAll == \A p \in QP, n \in 1..MaxPosts : (n \in flushed[p]) ~> Done(p, n)

\* FLUSH-06, DEF-04: what is posted on a QP in its error state, or on one that was disconnected, completes, receives included.
EndedCompletesAll ==
  \A p \in QP, n \in 1..MaxPosts :
    ((qp[p].state = "ENDED" /\ ErrorState) \/ qp[p].state = "DISCONNECTED") /\ n \in Receives(p) ~> Done(p, n)

\* DEF-05: what was deferred before a refused post completes, even if nothing is ever posted again.
NothingStranded ==
  \A p \in QP, n \in 1..MaxPosts :
    (/\ \E i \in DOMAIN qp[p].initiator : qp[p].initiator[i].req = n
     /\ \E m \in refused[p] : m.queue = "initiator" /\ m.req > n) ~> Done(p, n)
=============================================================================
