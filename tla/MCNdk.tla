-------------------------------- MODULE MCNdk --------------------------------
(***************************************************************************)
(* Two connected QPs, a and b, for TLC.  Posts, arm requests and mishaps   *)
(* are what a configuration allows.                                        *)
(***************************************************************************)
EXTENDS Ndk

CONSTANTS
  Budget,       \* Budget[p][op]: how many requests of a kind are posted
  MaxArms,      \* arm requests in a run
  Flags,        \* flags that a post may have: of "SILENT_SUCCESS", "SEND_AND_SOLICIT_EVENT", "DEFER"
  Optional      \* actions that happen only if they are named here; "FAILED" is an execution that fails for no reason

VARIABLES
  posts,        \* posts[p][op]: posts so far
  arms,         \* arm requests so far
  delivered,    \* delivered[p][queue]: numbers of the requests whose completions were polled
  fetched       \* fetched[f]: tokens in completions that function f returned

ghosts == <<posts, arms, delivered, fetched>>
mcvars == <<vars, ghosts>>

TwoQps == {"a", "b"}
TwoCqs == {"qa", "qb"}
OwnCq == [p \in QP |-> IF p = "a" THEN "qa" ELSE "qb"]
OneCq == [p \in QP |-> "q"]
EachOther == [p \in QP |-> IF p = "a" THEN "b" ELSE "a"]

\* The token's life: made valid once, taken back by the peer (twice: the second time it is a bad one) and by its owner.
TokenBudget == [a |-> [SendAndInvalidate |-> 2], b |-> [Receive |-> 2, FastRegister |-> 1, Invalidate |-> 1]]

\* The example of the documentation: two fast registrations and a send, as one chain.
ChainBudget == [a |-> [FastRegister |-> 2, Send |-> 1], b |-> [Receive |-> 1]]

\* Messages one way.
MessageBudget == [a |-> [Send |-> 2], b |-> [Receive |-> 2]]

MCInit ==
  /\ Cq!CqInit /\ Tk!TokenInit
  /\ qp = [p \in QP |-> [state |-> "CONNECTED", initiator |-> <<>>, receive |-> <<>>]]
  /\ posts = [p \in QP |-> [op \in DOMAIN Budget[p] |-> 0]]
  /\ arms = 0
  /\ delivered = [p \in QP |-> [queue \in Queues |-> <<>>]]
  /\ fetched = [f \in {"NdkGetCqResults", "NdkGetCqResultsEx"} |-> {}]

Used(p, queue) ==
  LET RECURSIVE Sum(_)
      Sum(ops) == IF ops = {} THEN 0 ELSE LET op == CHOOSE o \in ops : TRUE IN posts[p][op] + Sum(ops \ {op})
  IN Sum({op \in DOMAIN Budget[p] : QueueOf(op) = queue})

Tokens(op) == IF op \in {"SendAndInvalidate", "FastRegister", "Bind", "Invalidate"} THEN Token ELSE {NoToken}

\* NdkReceive has no flags; only a message can be solicited.
Silences(op) == IF "SILENT_SUCCESS" \in Flags /\ op # "Receive" THEN BOOLEAN ELSE {FALSE}
Solicits(op) == IF "SEND_AND_SOLICIT_EVENT" \in Flags /\ op \in {"Send", "SendAndInvalidate"} THEN BOOLEAN ELSE {FALSE}
Defers == IF "DEFER" \in Flags THEN BOOLEAN ELSE {FALSE}

Request(p, op, t, silent, solicit) ==
  [req |-> Used(p, QueueOf(op)) + 1, op |-> op, phase |-> "INDICATED", token |-> t, silent |-> silent, solicit |-> solicit]

Spend(p, op) == posts[p][op] < Budget[p][op] /\ posts' = [posts EXCEPT ![p][op] = @ + 1]

(***************************************************************************)
(* Every choice in a step is an argument of its action: a graph of the     *)
(* states, with actions and arguments at its edges, tells all there is.    *)
(***************************************************************************)

MCPost(p, op, t, silent, solicit, defer) ==
  /\ Spend(p, op)
  /\ Post(p, Request(p, op, t, silent, solicit), defer)
  /\ UNCHANGED <<arms, delivered, fetched>>

MCPostRefused(p, op, t, silent, solicit) ==
  /\ "PostRefused" \in Optional
  /\ Spend(p, op)
  /\ PostRefused(p, Request(p, op, t, silent, solicit))
  /\ UNCHANGED <<arms, delivered, fetched>>

MCNdkArmCq(q, type) ==
  arms < MaxArms /\ NdkArmCq(q, type) /\ arms' = arms + 1 /\ UNCHANGED <<posts, delivered, fetched>>

Numbers(results, p, queue) ==
  LET Mine(c) == c.qp = p /\ c.queue = queue
      mine == SelectSeq(results, Mine)
  IN [i \in DOMAIN mine |-> mine[i].req]

Polled(f, results) ==
  /\ delivered' = [p \in QP |-> [queue \in Queues |-> delivered[p][queue] \o Numbers(results, p, queue)]]
  /\ fetched' = [fetched EXCEPT ![f] = @ \union ({results[i].token : i \in DOMAIN results} \ {NoToken})]
  /\ UNCHANGED <<posts, arms>>

MCNdkGetCqResults(q, n) ==
  \E results \in Cq!Batches(cq[q], Room) :
    Len(results) = n /\ NdkGetCqResults(q, Room, results) /\ Polled("NdkGetCqResults", results)
MCNdkGetCqResultsEx(q, n) ==
  /\ "NdkGetCqResultsEx" \in Optional
  /\ \E results \in Cq!Batches(cq[q], Room) :
       Len(results) = n /\ NdkGetCqResultsEx(q, Room, results) /\ Polled("NdkGetCqResultsEx", results)

MCExecute(p, queue, outcome) ==
  /\ Execute(p, queue, outcome)
  /\ outcome = "FAILED" => "FAILED" \in Optional \/ qp[p][queue][Qp!NextToExecute(qp[p][queue])].op = "Invalidate"
  /\ UNCHANGED ghosts

MCNdkCqNotificationCallbackEnter(q, status) == NdkCqNotificationCallbackEnter(q, status) /\ UNCHANGED ghosts
MCNdkCqNotificationCallbackExit(q) == NdkCqNotificationCallbackExit(q) /\ UNCHANGED ghosts
MCNdkCloseCq(q) == "NdkCloseCq" \in Optional /\ NdkCloseCq(q) /\ UNCHANGED ghosts
MCNdkCloseCompletion(q) == NdkCloseCompletion(q) /\ UNCHANGED ghosts
MCExtraEventComes(q) == ExtraEventComes(q) /\ UNCHANGED ghosts
MCOverflow(q) == "Overflow" \in Optional /\ Overflow(q) /\ UNCHANGED ghosts
MCInternalError(q) == "InternalError" \in Optional /\ InternalError(q) /\ UNCHANGED ghosts
MCConnectionLost(p) == "ConnectionLost" \in Optional /\ ConnectionLost(p) /\ UNCHANGED ghosts
MCHwIndicate(p) == HwIndicate(p) /\ UNCHANGED ghosts
MCDeliver(p) == Deliver(p) /\ UNCHANGED ghosts
MCAbort(p, sent, received) == Abort(p, sent, received) /\ UNCHANGED ghosts
MCComplete(p, queue) == Complete(p, queue) /\ UNCHANGED ghosts
MCNdkFlush(p) == "NdkFlush" \in Optional /\ NdkFlush(p) /\ UNCHANGED ghosts
MCNdkCloseQp(p) == "NdkCloseQp" \in Optional /\ NdkCloseQp(p) /\ UNCHANGED ghosts

MCNext ==
  \/ \E q \in CQ :
       \/ \E type \in NotifyTypes : MCNdkArmCq(q, type)
       \/ \E status \in Cq!CqStatuses : MCNdkCqNotificationCallbackEnter(q, status)
       \/ MCNdkCqNotificationCallbackExit(q)
       \/ \E n \in 0..Room : MCNdkGetCqResults(q, n)
       \/ \E n \in 0..Room : MCNdkGetCqResultsEx(q, n)
       \/ MCNdkCloseCq(q)
       \/ MCNdkCloseCompletion(q)
       \/ MCExtraEventComes(q)
       \/ MCOverflow(q)
       \/ MCInternalError(q)
  \/ \E p \in QP :
       \/ \E op \in DOMAIN Budget[p] : \E t \in Tokens(op), silent \in Silences(op), solicit \in Solicits(op) :
            \/ \E defer \in Defers : MCPost(p, op, t, silent, solicit, defer)
            \/ MCPostRefused(p, op, t, silent, solicit)
       \/ MCHwIndicate(p)
       \/ MCDeliver(p)
       \/ \E sent, received \in Outcomes : MCAbort(p, sent, received)
       \/ \E queue \in Queues, outcome \in Outcomes : MCExecute(p, queue, outcome)
       \/ \E queue \in Queues : MCComplete(p, queue)
       \/ MCConnectionLost(p)
       \/ MCNdkFlush(p)
       \/ MCNdkCloseQp(p)

Safety == MCInit /\ [][MCNext]_mcvars

-----------------------------------------------------------------------------
\* POLL-04: no completion is delivered twice.
DeliveredOnce ==
  \A p \in QP, queue \in Queues : \A i, j \in DOMAIN delivered[p][queue] :
    delivered[p][queue][i] = delivered[p][queue][j] => i = j

\* POLL-06, POLL-09: the completions of one queue are delivered in posting order, by whichever function (A9).
DeliveredInOrder ==
  \A p \in QP, queue \in Queues : \A i, j \in DOMAIN delivered[p][queue] :
    i < j => delivered[p][queue][i] <= delivered[p][queue][j]

\* POLL-07: a token that a completion carried is invalid, whichever function fetched it.  (It is not registered again.)
InvalidForEitherPoll == \A f \in DOMAIN fetched : \A t \in fetched[f] : token[t] = "INVALID"
=============================================================================
