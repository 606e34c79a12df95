-------------------------------- MODULE MCNdk --------------------------------
(***************************************************************************)
(* Two QPs, a and b, at the ends of a connection, for TLC.  Posts, arm     *)
(* requests and mishaps are what a configuration allows.                   *)
(***************************************************************************)
EXTENDS Ndk, FiniteSets

CONSTANTS
  Budget,       \* Budget[p][op]: how many requests of a kind are posted
  MaxArms,      \* arm requests in a run
  QueueDepth,   \* places in each queue of a QP
  Flags,        \* flags that a post may have: of "SILENT_SUCCESS", "SEND_AND_SOLICIT_EVENT", "READ_FENCE", "DEFER"
  Optional      \* actions that happen only if they are named here; "FAILED" is an execution that fails for no reason

VARIABLES
  posts,        \* posts[p][op]: posts so far
  arms,         \* arm requests so far
  delivered,    \* delivered[p][queue]: numbers of the requests whose completions were polled
  fetched       \* fetched[f]: tokens in completions that function f returned

ghosts == <<posts, arms, delivered, fetched>>
mcvars == <<vars, ghosts>>

TwoQps == {"a", "b"}
AllRC == Qp!AllRC
AllUC == Qp!AllUC
EachOther == [p \in QP |-> IF p = "a" THEN "b" ELSE "a"]

\* Which CQs there are: one for all; one for each QP; one for all initiator queues and one for all receive queues.
OneCq == [p \in QP |-> "q"]
TwoCqs == {"qa", "qb"}
OwnCq == [p \in QP |-> IF p = "a" THEN "qa" ELSE "qb"]
FirstCq == [p \in QP |-> "qa"]
ApartCqs == {"qi", "qr"}
CqOfInitiators == [p \in QP |-> "qi"]
CqOfReceives == [p \in QP |-> "qr"]

\* The token's life: made valid once, taken back by the peer (twice: the second time it is a bad one) and by its owner.
TokenBudget == [a |-> [SendAndInvalidate |-> 2], b |-> [Receive |-> 2, FastRegister |-> 1, Invalidate |-> 1]]

\* A token whose region is closed, before or after the peer takes it back.
DeadBudget == [a |-> [SendAndInvalidate |-> 1], b |-> [Receive |-> 1, FastRegister |-> 1]]

\* The example of the documentation: two fast registrations and a send, as one chain.
ChainBudget == [a |-> [FastRegister |-> 2, Send |-> 1], b |-> [Receive |-> 1]]

\* Messages one way.
MessageBudget == [a |-> [Send |-> 2], b |-> [Receive |-> 2]]
OneMessage == [a |-> [Send |-> 1], b |-> [Receive |-> 1]]
\* Both ways.
MessageEach == [a |-> [Send |-> 1, Receive |-> 1], b |-> [Send |-> 1, Receive |-> 1]]

\* A token that is invalidated before it is registered, or twice.
InvalidateBudget == [a |-> [Send |-> 0], b |-> [FastRegister |-> 1, Invalidate |-> 2]]
BindBudget == [a |-> [Send |-> 0], b |-> [Bind |-> 1, Invalidate |-> 2]]

\* A token that a read of its owner takes back, and that lets the peer write.
ReadBudget == [a |-> [FastRegister |-> 1, Read |-> 1], b |-> [Write |-> 1]]

\* Reads, and a peer that only answers them, or fails.
AnswerBudget == [a |-> [Read |-> 1], b |-> [Receive |-> 1, Send |-> 1]]

\* A write that the peer's token lets through, a message behind it, and the peer that takes the token back.
WriteBudget == [a |-> [Write |-> 1, Send |-> 1], b |-> [FastRegister |-> 1, Invalidate |-> 1, Receive |-> 1]]

\* A write through a token that the message behind it takes back.
TakenBackBudget == [a |-> [Write |-> 1, SendAndInvalidate |-> 1], b |-> [FastRegister |-> 1, Receive |-> 1]]

\* Two writes before a message, through two tokens.
TwoWritesBudget == [a |-> [Write |-> 2, Send |-> 1], b |-> [FastRegister |-> 1, Receive |-> 1]]

\* A message whose token is bad, behind a read that takes another one back.
AbortBudget == [a |-> [FastRegister |-> 1, Read |-> 1, SendAndInvalidate |-> 1], b |-> [Receive |-> 1]]

\* A message whose token is bad meets a peer that reads into its own memory.
AbortReadsBudget == [a |-> [SendAndInvalidate |-> 1], b |-> [FastRegister |-> 1, Read |-> 1, Receive |-> 1]]

\* A message whose token is bad meets a peer that sends, too.
AbortSendsBudget == [a |-> [SendAndInvalidate |-> 1, Receive |-> 1], b |-> [Send |-> 1, Receive |-> 1]]

\* A token that a read may leave undefined, and that its owner takes back; or the peer, by AbortReadsBudget.
UndefinedBudget == [a |-> [Send |-> 0], b |-> [FastRegister |-> 1, Read |-> 1, Invalidate |-> 1]]

\* A message behind a read and a write; behind two reads; behind a write.
ArrivalBudget == [a |-> [Read |-> 1, Write |-> 1, Send |-> 1], b |-> [Receive |-> 1]]
TwoReadsBudget == [a |-> [Read |-> 2, Send |-> 1], b |-> [Receive |-> 1]]
ArrivalOfWriteBudget == [a |-> [Write |-> 1, Send |-> 1], b |-> [Receive |-> 1]]

\* A message behind a read.
FenceBudget == [a |-> [Read |-> 1, Send |-> 1], b |-> [Receive |-> 1]]

\* More than there are places for.
PlacesBudget == [a |-> [Write |-> 3], b |-> [Write |-> 2]]

\* They are connected already, unless a configuration names NdkConnect.
Connected == [p \in QP |-> [state |-> "CONNECTED", initiator |-> <<>>, receive |-> <<>>]]

MCInit ==
  /\ Cq!CqInit /\ Tk!TokenInit
  /\ IF "NdkConnect" \in Optional THEN Qp!QpInit ELSE qp = Connected
  /\ posts = [p \in QP |-> [op \in DOMAIN Budget[p] |-> 0]]
  /\ arms = 0
  /\ delivered = [p \in QP |-> [queue \in Queues |-> <<>>]]
  /\ fetched = [f \in {"NdkGetCqResults", "NdkGetCqResultsEx"} |-> {}]

\* How many requests of a queue there are, counted by operation: of posts so far, or of the budget.
Total(count, queue) ==
  LET RECURSIVE Sum(_)
      Sum(ops) == IF ops = {} THEN 0 ELSE LET op == CHOOSE o \in ops : TRUE IN count[op] + Sum(ops \ {op})
  IN Sum({op \in DOMAIN count : QueueOf(op) = queue})
Used(p, queue) == Total(posts[p], queue)

\* Where in a queue a request can be.
Places == 1..3
ASSUME EnoughPlaces == \A p \in QP, queue \in Queues : Total(Budget[p], queue) \in {0} \union Places

Tokens(op) ==
  IF op \in {"SendAndInvalidate", "FastRegister", "Bind", "Invalidate"} \/ (op \in {"Read", "Write"} /\ Token # {})
  THEN Token ELSE {NoToken}

\* NdkReceive has no flags; only a message can be solicited (FLAG-08); that it is the last of its group no state tells.  (The
\* consumer tries to defer a receive nevertheless, for the contract to refuse.)
MayHave(flag, op) ==
  IF flag \in Flags /\ (op # "Receive" \/ flag = "DEFER") /\ (flag = "SEND_AND_SOLICIT_EVENT" => op \in {"Send", "SendAndInvalidate"})
  THEN BOOLEAN ELSE {FALSE}

Request(p, op, t, silent, solicit, fence) ==
  [req |-> Used(p, QueueOf(op)) + 1, op |-> op, phase |-> "INDICATED", token |-> t, silent |-> silent,
   solicit |-> solicit, fence |-> fence]

Spend(p, op) == posts[p][op] < Budget[p][op] /\ posts' = [posts EXCEPT ![p][op] = @ + 1]

(***************************************************************************)
(* What the consumer knows of a request: that it is complete, if it polled *)
(* a completion of it, or of a later one of the same queue (FLAG-03).  Then*)
(* the request's place in the queue is free (POST-06).                     *)
(* Rejected, but for PLACED: that it is free as soon as the completion is  *)
(* placed (A12).  The consumer could not tell when, and its CQ could       *)
(* overflow (POST-14).                                                     *)
(***************************************************************************)
Known(p, queue, n) == \E i \in DOMAIN delivered[p][queue] : delivered[p][queue][i] >= n

Held(p, queue) ==
  CASE Reading.A12 = "POLLED" -> Cardinality({n \in 1..Used(p, queue) : ~Known(p, queue, n)})
    [] Reading.A12 = "PLACED" -> Len(qp[p][queue])

\* POST-06.
HasPlace(p, queue) == Held(p, queue) < QueueDepth

(***************************************************************************)
(* Every choice in a step is an argument of its action: a graph of the     *)
(* states, with actions and arguments at its edges, tells all there is.    *)
(***************************************************************************)

MCPost(p, op, t, silent, solicit, fence, defer) ==
  /\ HasPlace(p, QueueOf(op))
  /\ Spend(p, op)
  /\ Post(p, Request(p, op, t, silent, solicit, fence), defer)
  /\ UNCHANGED <<arms, delivered, fetched>>

MCPostRefused(p, op, t, silent, solicit, fence, invalid) ==
  /\ "PostRefused" \in Optional
  /\ invalid => "INVALID" \in Optional /\ op # "Receive"
  /\ Spend(p, op)
  /\ PostRefused(p, Request(p, op, t, silent, solicit, fence), invalid)
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

\* A poll that may take a part is one with room for all: with less room it takes a part, too (A7).
Rooms == IF Reading.A7 = "MAY" THEN {Room} ELSE 1..Room
MCNdkGetCqResults(q, nresults, n) ==
  \E results \in Cq!Batches(cq[q], nresults) :
    Len(results) = n /\ NdkGetCqResults(q, nresults, results) /\ Polled("NdkGetCqResults", results)
MCNdkGetCqResultsEx(q, nresults, n) ==
  /\ "NdkGetCqResultsEx" \in Optional
  /\ \E results \in Cq!Batches(cq[q], nresults) :
       Len(results) = n /\ NdkGetCqResultsEx(q, nresults, results) /\ Polled("NdkGetCqResultsEx", results)

\* NdkInvalidate, and a write through a token, may have to fail.
MayFail(r) == "FAILED" \in Optional \/ r.op = "Invalidate" \/ (r.op = "Write" /\ r.token # NoToken)

MCExecute(p, queue, i, outcome) ==
  /\ Execute(p, queue, i, outcome)
  /\ outcome = "FAILED" => MayFail(qp[p][queue][i])
  /\ UNCHANGED ghosts

MCNdkCqNotificationCallbackEnter(q, status) == NdkCqNotificationCallbackEnter(q, status) /\ UNCHANGED ghosts
MCNdkCqNotificationCallbackExit(q) == NdkCqNotificationCallbackExit(q) /\ UNCHANGED ghosts
MCNdkResizeCq(q, depth) == "NdkResizeCq" \in Optional /\ NdkResizeCq(q, depth) /\ UNCHANGED ghosts
MCResize(q) == Resize(q) /\ UNCHANGED ghosts
MCNdkRequestCompletionEnter(q, outcome) == NdkRequestCompletionEnter(q, outcome) /\ UNCHANGED ghosts
MCNdkRequestCompletionExit(q) == NdkRequestCompletionExit(q) /\ UNCHANGED ghosts
MCNdkCloseCq(q) == "NdkCloseCq" \in Optional /\ NdkCloseCq(q) /\ UNCHANGED ghosts
MCNdkCloseCompletion(q) == NdkCloseCompletion(q) /\ UNCHANGED ghosts
MCExtraEventComes(q) == ExtraEventComes(q) /\ UNCHANGED ghosts
MCOverflow(q) == "Overflow" \in Optional /\ Overflow(q) /\ UNCHANGED ghosts
MCInternalError(q) == "InternalError" \in Optional /\ InternalError(q) /\ UNCHANGED ghosts
MCNdkConnect(p) == "NdkConnect" \in Optional /\ NdkConnect(p) /\ UNCHANGED ghosts
MCConnectionLost(p) == "ConnectionLost" \in Optional /\ ConnectionLost(p) /\ UNCHANGED ghosts
MCHwIndicate(p) == HwIndicate(p) /\ UNCHANGED ghosts
MCDeliver(p) == Deliver(p) /\ UNCHANGED ghosts
MCAbort(p, sent, received) == Abort(p, sent, received) /\ UNCHANGED ghosts
MCComplete(p, queue, i) == Complete(p, queue, i) /\ UNCHANGED ghosts
MCCompletionLost(p, queue, i) == CompletionLost(p, queue, i) /\ UNCHANGED ghosts
MCNdkFlush(p) == "NdkFlush" \in Optional /\ NdkFlush(p) /\ UNCHANGED ghosts
MCNdkDisconnect(p) == "NdkDisconnect" \in Optional /\ NdkDisconnect(p) /\ UNCHANGED ghosts
MCNdkCloseQp(p, waits) == "NdkCloseQp" \in Optional /\ NdkCloseQp(p, waits) /\ UNCHANGED ghosts
MCCloseBegins(p) == CloseBegins(p) /\ UNCHANGED ghosts
MCTokenDies(t) == "TokenDies" \in Optional /\ TokenDies(t) /\ UNCHANGED ghosts
MCNdkCloseCompletionEnter(p, dropped) == NdkCloseCompletionEnter(p, dropped) /\ UNCHANGED ghosts
MCNdkCloseCompletionExit(p) == NdkCloseCompletionExit(p) /\ UNCHANGED ghosts

MCNext ==
  \/ \E q \in CQ :
       \/ \E type \in AllNotifyTypes : MCNdkArmCq(q, type)
       \/ \E status \in Cq!CqStatuses : MCNdkCqNotificationCallbackEnter(q, status)
       \/ MCNdkCqNotificationCallbackExit(q)
       \/ \E nresults \in Rooms, n \in 0..Room :
            MCNdkGetCqResults(q, nresults, n) \/ MCNdkGetCqResultsEx(q, nresults, n)
       \/ \E depth \in 1..Room : MCNdkResizeCq(q, depth)
       \/ MCResize(q)
       \/ \E outcome \in {"SUCCESS", "FAILED"} : MCNdkRequestCompletionEnter(q, outcome)
       \/ MCNdkRequestCompletionExit(q)
       \/ MCNdkCloseCq(q)
       \/ MCNdkCloseCompletion(q)
       \/ MCExtraEventComes(q)
       \/ MCOverflow(q)
       \/ MCInternalError(q)
  \/ \E p \in QP :
       \/ \E op \in DOMAIN Budget[p] : \E t \in Tokens(op), silent \in MayHave("SILENT_SUCCESS", op),
              solicit \in MayHave("SEND_AND_SOLICIT_EVENT", op), fence \in MayHave("READ_FENCE", op) :
            \/ \E defer \in MayHave("DEFER", op) : MCPost(p, op, t, silent, solicit, fence, defer)
            \/ \E invalid \in BOOLEAN : MCPostRefused(p, op, t, silent, solicit, fence, invalid)
       \/ MCHwIndicate(p)
       \/ MCDeliver(p)
       \/ \E sent, received \in Outcomes : MCAbort(p, sent, received)
       \/ \E queue \in Queues, i \in Places, outcome \in Outcomes : MCExecute(p, queue, i, outcome)
       \/ \E queue \in Queues, i \in Places : MCComplete(p, queue, i)
       \/ \E queue \in Queues, i \in Places : MCCompletionLost(p, queue, i)
       \/ MCNdkConnect(p)
       \/ MCConnectionLost(p)
       \/ MCNdkFlush(p)
       \/ MCNdkDisconnect(p)
       \/ \E waits \in BOOLEAN : MCNdkCloseQp(p, waits)
       \/ MCCloseBegins(p)
       \/ \E dropped \in BOOLEAN : MCNdkCloseCompletionEnter(p, dropped)
       \/ MCNdkCloseCompletionExit(p)
  \/ \E t \in Token : MCTokenDies(t)

Safety == MCInit /\ [][MCNext]_mcvars

-----------------------------------------------------------------------------
\* POLL-04: no completion is delivered twice.
DeliveredOnce ==
  \A p \in QP, queue \in Queues : \A i, j \in DOMAIN delivered[p][queue] :
    delivered[p][queue][i] = delivered[p][queue][j] => i = j

\* POLL-06, POLL-09: the completions of one queue are delivered in posting order, by whichever function (A9).
DeliveredInOrder ==
  Reading.A9 = "ORDERED" => \A p \in QP, queue \in Queues : \A i, j \in DOMAIN delivered[p][queue] :
    i < j => delivered[p][queue][i] <= delivered[p][queue][j]

\* POLL-07: a token that a completion carried is invalid, whichever function fetched it.  (It is not registered again.)
InvalidForEitherPoll == \A f \in DOMAIN fetched : \A t \in fetched[f] : token[t] = "INVALID"

\* FLAG-03, POST-13: what the consumer takes to be complete has been executed, so its buffers are free.
KnownIsExecuted ==
  \A p \in QP, queue \in Queues : \A i \in DOMAIN qp[p][queue] :
    Known(p, queue, qp[p][queue][i].req) => Qp!Executed(qp[p][queue][i])

\* POST-06: a queue never has to hold more requests than it has places.
QueueHasRoom == \A p \in QP, queue \in Queues : Len(qp[p][queue]) <= QueueDepth

Bound(q) == {<<p, queue>> \in QP \X Queues : CqOf(p, queue) = q}

\* POST-14: a CQ as deep as all queues bound to it together does not overflow.
DeepCqHasRoom ==
  \A q \in CQ : Depth >= QueueDepth * Cardinality(Bound(q)) => cq[q].health # "STATUS_BUFFER_OVERFLOW"

\* POLL-08 (A8): NdkInvalidate of a token that is dead, with nothing before it that would revive it, fails as it is read.
InvalidateFailsAsRead ==
  [][\A p \in QP : "Invalidate" \in DOMAIN posts[p] /\ posts'[p]["Invalidate"] > posts[p]["Invalidate"] =>
       LET queue == qp[p].initiator
           dead == /\ \A t \in Token : token[t] = "INVALID"
                   /\ \A i \in DOMAIN queue : queue[i].op \in {"FastRegister", "Bind"} => Qp!Executed(queue[i])
           accepted == Len(qp'[p].initiator) > Len(queue) IN
       dead => /\ Reading.A8 = "INLINE" => ~accepted
               /\ Reading.A8 = "COMPLETION" => accepted]_mcvars

-----------------------------------------------------------------------------
(***************************************************************************)
(* The adapter does not stop working, callbacks return, and the consumer   *)
(* polls for ever.                                                         *)
(***************************************************************************)
AdapterNext ==
  \/ \E p \in QP :
       \/ MCDeliver(p)
       \/ MCCloseBegins(p)
       \/ \E sent, received \in Outcomes : MCAbort(p, sent, received)
       \/ \E i \in Places, outcome \in Outcomes : MCExecute(p, "initiator", i, outcome)
       \/ \E queue \in Queues, i \in Places : MCComplete(p, queue, i) \/ MCCompletionLost(p, queue, i)
       \/ \E dropped \in BOOLEAN : MCNdkCloseCompletionEnter(p, dropped)
       \/ MCNdkCloseCompletionExit(p)
  \/ \E q \in CQ :
       \/ MCOverflow(q)
       \/ \E status \in Cq!CqStatuses : MCNdkCqNotificationCallbackEnter(q, status)
       \/ MCNdkCqNotificationCallbackExit(q)
       \/ MCResize(q)
       \/ \E outcome \in {"SUCCESS", "FAILED"} : MCNdkRequestCompletionEnter(q, outcome)
       \/ MCNdkRequestCompletionExit(q)
       \/ MCNdkCloseCompletion(q)

\* Posts are few, so no step of the adapter can put off another for ever.
Fairness ==
  WF_mcvars(AdapterNext) /\ \A q \in CQ : WF_mcvars(\E nresults \in Rooms, n \in 1..Room : MCNdkGetCqResults(q, nresults, n))

Liveness == Safety /\ Fairness

\* The CQ works, nobody closes it or the QP; and a completion is on its way from the one to the consumer.
IsOwed(p, queue) ==
  LET r == cq[CqOf(p, queue)] IN
  /\ r.health = "OK" /\ r.open = "OPEN" /\ ~Qp!Closing(qp[p].state)
  /\ \/ \E i \in DOMAIN qp[p][queue] : Qp!Executed(qp[p][queue][i])
     \/ \E i \in DOMAIN r.entries : r.entries[i].qp = p /\ r.entries[i].queue = queue

\* DEF-04, FLAG-02, FLUSH-02: what is executed is polled in the end.  (NoCompletionLost says that it does not get lost on
\* the way; so time and again nothing is on the way.)
EveryCompletionDelivered == []<>(\A p \in QP, queue \in Queues : ~IsOwed(p, queue))

\* LIFE-10, LIFE-11: a QP's close completes.
CloseQpCompletes == \A p \in QP : Qp!Closing(qp[p].state) ~> qp[p].state = "CLOSED"

\* LIFE-04, LIFE-11: and so does the close of a CQ when all its QPs are being closed, whichever close came first.
CloseCqCompletes ==
  \A q \in CQ :
    (cq[q].open = "CLOSING" /\ \A p \in Users(q) : Qp!Closing(qp[p].state)) ~> (cq[q].open = "CLOSED")
=============================================================================
