------------------------------ MODULE TraceBlame ------------------------------
(***************************************************************************)
(* Where no explanation of a trace goes on: which rule is in its way?      *)
(*                                                                         *)
(* TLC tells how far it came.  In every state that has come that far, the  *)
(* clause that refuses the next event names its rule; when the event waits *)
(* for a hidden step that can't be taken, the clause that refuses that one.*)
(***************************************************************************)
EXTENDS TraceCheck

(***************************************************************************)
(* Why an event can't happen in this state: the rules of the clauses that  *)
(* are in its way, none if hidden steps could still make it possible.      *)
(***************************************************************************)

\* A poll delivers the completion of request n, or a point tells that it was placed.
IsTold(n) == Counts(n) \/ Requests[n].point

\* Silent requests before the i-th of a queue that failed, or were cancelled, and that no completion tells of.
LostFailure(queue, i) ==
  \E j \in 1..(i - 1) : queue[j].silent /\ Requests[queue[j].req].turn = 0 /\ queue[j].phase \in {"FAILED", "CANCELLED"}

\* Nothing that p has to send can arrive, now or when requests before it have succeeded.
NothingArrives(p) ==
  LET queue == qp[p].initiator IN
  \/ \A i \in DOMAIN queue : queue[i].phase # "INDICATED"
  \/ Qp!Messages(p) = {} /\ \A i \in Ready(p, "initiator") : ~CanBe(queue[i], "SUCCESS")

\* NdkGetCqResults does not tell that it was invalidated, and it was all the same.
TokenRule(t) == IF \E q \in CQ : t \in story[q].quiet THEN {"POLL-07"} ELSE {"POLL-08"}

\* Call c has begun, and taken effect.
WasMade(c) == Calls[c].begin <= at /\ HasEffect(c)
IsInVain(k) == k.failed > 0 /\ k.vain
NeverConnected(p) == ~\E c \in DOMAIN Calls : Calls[c].kind = "connect" /\ Calls[c].qp = p /\ WasMade(c) /\ ~IsInVain(Calls[c])

\* A post on p was refused with STATUS_CONNECTION_INVALID after it was connected.
WasInvalid(p) ==
  /\ qp[p].state = "ENDED"
  /\ \E c \in DOMAIN Calls : Calls[c].kind = "post" /\ Calls[c].qp = p /\ WasMade(c)
       /\ \E i \in DOMAIN Calls[c].requests : Requests[Calls[c].requests[i]].invalid

\* Request n was posted when the other end of its connection had disconnected.
IsBehindDisconnect(p, n) == Peer[p] \in QP /\ IsDisconnected(Peer[p], Calls[Requests[n].post].begin)

\* A silent request before r has no completion and may not have succeeded: none between the two succeeded.
FailedSilently(p, r) ==
  LET IsBefore(n) == n < r.req /\ Requests[n].qp = p /\ Requests[n].queue = "initiator" /\ Requests[n].accepted IN
  \E n \in DOMAIN Requests :
    /\ IsBefore(n) /\ Requests[n].silent /\ ~IsTold(n)
    /\ ~\E m \in DOMAIN Requests : n < m /\ IsBefore(m) /\ Certain([req |-> m], "SUCCESS")

\* Nothing succeeds on this queue any more: the connection has ended (FLUSH-06, A40).
Over(p, queue) == qp[p].state = "ENDED" \/ (Qp!SendsStopped(qp[p].state) /\ queue = "initiator")

\* A request that has not ended, or has failed though nothing tells of it, can make a token valid.
CanBeMadeValid(t) ==
  \E p \in QP : \E i \in DOMAIN qp[p].initiator :
    LET r == qp[p].initiator[i] IN Tk!Validates(r) /\ r.token = t /\ r.phase # "SUCCESS" /\ CanBe(r, "SUCCESS")

\* Message m names a bad token, and comes to a receive.  Where the completion of that names another token, that is what is wrong.
WhyBadToken(n, m) ==
  IF Requests[n].names \notin {"", Requests[m].token} THEN {"RES-03"}
  ELSE IF CanBeMadeValid(Requests[m].token) THEN {}
  ELSE {"INV-05"}

\* A message was posted behind a disconnect of its own end.
SendsDisconnected(p) ==
  \E m \in DOMAIN Requests :
    Requests[m].qp = p /\ Qp!IsMessage(Requests[m]) /\ WasMade(Requests[m].post) /\ IsDisconnected(p, Calls[Requests[m].post].begin)

WhyNoMessage(p, n) ==
  IF NothingArrives(p) THEN IF SendsDisconnected(p) THEN {"DISC-10"} ELSE {"POLL-05"}
  ELSE UNION {WhyBadToken(n, qp[p].initiator[i].req) : i \in {k \in Qp!Messages(p) : ~Tk!CanDeliver(qp[p].initiator[k])}}

\* Why request r, which polls say succeeded, can't have: it is pending, or was cancelled before it could.
WhyNoSuccess(p, queue, r) ==
  IF qp[p].state = "ABORTED" THEN {"INV-05"}
  ELSE IF WasInvalid(p) THEN {"POST-08"}
  ELSE IF Over(p, queue) THEN IF ErrorState \/ (Qp!Ends /\ MayHaveFailed(p)) THEN {"FLUSH-06"}
    ELSE IF queue = "initiator" /\ FailedSilently(p, r) THEN {"FLAG-02"} ELSE {"RES-10"}
  ELSE IF NeverConnected(p) THEN {"POST-08"}
  ELSE IF r.op = "Invalidate" /\ ~Tk!CanInvalidate(r.token) THEN TokenRule(r.token)
  ELSE IF Alone(p) THEN {}
  ELSE IF queue = "initiator" /\ IsBehindDisconnect(p, r.req) THEN {"DISC-10"}
  ELSE IF queue = "initiator" /\ ~IsAnswered(p, r) THEN {"RES-14"}
  ELSE IF queue = "initiator" /\ IsLostThere(p) THEN
    {IF WasInvalid(Peer[p]) THEN "POST-08" ELSE IF Qp!Ends /\ MayHaveFailed(Peer[p]) THEN "FLUSH-06" ELSE "RES-10"}
  ELSE IF queue = "receive" THEN WhyNoMessage(Peer[p], r.req)
  ELSE IF ~Qp!IsMessage(r) \/ Qp!Unacknowledged(r) THEN {}
  ELSE IF Ready(Peer[p], "receive") = {} THEN {"POLL-05"}
  ELSE IF ~Tk!CanDeliver(r) THEN IF CanMeet(p) THEN WhyBadToken(MetReceive(p).req, r.req) ELSE IF CanBeMadeValid(r.token) THEN {} ELSE {"INV-05"}
  ELSE {}

\* The i-th request of a queue is not executed, and polls tell that it was.  (That a request is cancelled only for a cause
\* is RES-10.)
WhyNotExecuted(p, queue, i) ==
  LET r == qp[p][queue][i] IN
  IF qp[p].state = "FLUSHED" /\ ~Qp!FreeAfterFlush("FLUSHED") /\ ~CanBe(r, "CANCELLED") THEN {"FLUSH-05"}
  ELSE IF CanBe(r, "SUCCESS") THEN IF qp[p].state = "DISCONNECTED" THEN {"DISC-10"} ELSE WhyNoSuccess(p, queue, r)
  ELSE IF Certain(r, "CANCELLED") /\ Qp!InGoodOrder(qp[p].state, queue) /\ ~CanBeLost(p) THEN
    IF ErrorState /\ queue = "initiator" /\ ~NeverConnected(p) THEN {"RES-11"} ELSE {"RES-10"}
  ELSE {}

\* Request r was cancelled, and polls tell otherwise.  That is to blame only where nothing else had been in its way.
WhyCancelled(p, queue, r) ==
  LET why == IF CanBe(r, "SUCCESS") THEN WhyNoSuccess(p, queue, r) ELSE {}
  IN IF why = {} THEN {"FLUSH-01"} ELSE why

\* The event that nothing explains is a moment of rest.
IsAtRest == at < Last /\ Calls[Upcoming.of].kind = "rest"

\* Request n can't be placed, and a poll has its completion, or a point tells that it was placed: perhaps in another order
\* than polls deliver.
WhyNotPlaced(n) ==
  LET p == Requests[n].qp  queue == Requests[n].queue  requests == qp[p][queue]
      q == CqOf(p, queue)  entries == cq[q].entries
      At(i) == requests[i].req = n
      first == CHOOSE i \in DOMAIN requests : At(i)
      Before(m) == Requests[m].qp = p /\ Requests[m].queue = queue /\ Counts(m) /\ Requests[m].turn < Requests[n].turn
      Overtakes(m) == ~Requests[m].silent /\ ~Requests[m].point /\ (Counts(m) => Requests[m].turn > Requests[n].turn)
  IN
  IF \E i \in DOMAIN entries : entries[i].req = n THEN {"POLL-09"}
  ELSE IF ~\E i \in DOMAIN requests : At(i) THEN
    IF ~Requests[n].accepted THEN {"DEF-03"}
    ELSE IF Counts(n) /\ Placed(q, Requests[n].turn) THEN {"POLL-04"}
    ELSE IF Requests[n].silent /\ Requests[n].told = {"SUCCESS"} THEN {"FLAG-01"}
    ELSE IF qp[p].state \in {"COMPLETING", "CLOSED"} THEN {"LIFE-07"}
    ELSE {"POLL-05"}
  ELSE IF cq[q].health # "OK" THEN {"ARM-17"}
  ELSE IF Counts(n) /\ \E i \in 1..first - 1 : Overtakes(requests[i].req) THEN {"POLL-09"}
  ELSE IF LostFailure(requests, first) THEN {"FLAG-02"}
  ELSE IF Qp!Executed(requests[first]) /\ ~CanBe(requests[first], requests[first].phase) THEN
    WhyCancelled(p, queue, requests[first])
  ELSE IF first > 1 /\ Qp!Executed(requests[first - 1]) THEN {"POLL-09"}
  ELSE IF ~Qp!Executed(requests[first]) THEN
    LET why == WhyNotExecuted(p, queue, first) IN IF why = {} /\ IsStill(p) /\ ~IsAtRest THEN {"DEF-04"} ELSE why
  ELSE IF ~Cq!CanPlace(cq[q]) THEN {"ARM-16"}
  ELSE IF Requests[n].point /\ ~InTurn(n) THEN
    IF Counts(n) /\ \E i \in DOMAIN requests : Before(requests[i].req) THEN {"POLL-09"} ELSE {"POLL-05"}
  ELSE {}

(***************************************************************************)
(* What has to be finished at a moment of rest, or when the close of its   *)
(* QP completes, and is told of by a later poll or point.  Where that      *)
(* tells what can't be, no explanation has it finished in time: so what is *)
(* in the way of the oldest request of a queue is asked here already, as   *)
(* it is when it is told.  It may have to wait for its turn; then it is    *)
(* asked of the request whose turn it is, unless that need not be finished.*)
(* A request is late where nothing is in its way but that it is told later,*)
(* or where what is may go away until then.                                *)
(***************************************************************************)
\* The oldest request of a queue is pending, and may stay so for want of a message, or of a receive.
MayWait(p, queue) == Qp!Pending(Head(qp[p][queue])) /\ \E i \in Ready(p, queue) : WaitsForPeer(p, queue, i)

\* The request whose turn it is in a CQ, or none.
NextTurn(q) ==
  {n \in DOMAIN Requests :
     /\ Requests[n].cq = q /\ Counts(n) /\ Requests[n].turn = story[q].placed + 1 /\ CanBeThere(n)
     /\ IF IsQueued(n) THEN ~MayWait(Requests[n].qp, Requests[n].queue)
        ELSE WasMade(Requests[n].post) /\ Requests[n].post \notin DOMAIN underway}

\* What is in the way of request n by a rule may be gone when n is told: until then comes what cancels requests, or may fail, or
\* makes the token valid.
MayGoAway(rule, n) ==
  LET until == IF Counts(n) THEN Requests[n].polled ELSE Last
      ComesLater(c) == Calls[c].begin \in at + 1..until
      p == Requests[n].qp
      Cancels(c) == Calls[c].kind \in {"flush", "close QP"} /\ Calls[c].qp \in {p, Peer[p]}
      Aborts == \E end \in {p, Peer[p]} \intersect QP : AbortedFrom[end] \in at + 1..until
      MayFail(m) == Requests[m].qp \in {p, Peer[p]} /\ CanBe([req |-> m], "FAILED")
      Validates(m) == Tk!Validates(Requests[m]) /\ Requests[m].token = Requests[n].token
      IsPosted(Test(_)) == \E m \in DOMAIN Requests : ComesLater(Requests[m].post) /\ Test(m)
  IN
  CASE rule = "RES-10"               -> (\E c \in DOMAIN Calls : ComesLater(c) /\ Cancels(c)) \/ Aborts \/ IsPosted(MayFail)
    [] rule \in {"POLL-07", "POLL-08"} -> IsQueued(n) /\ IsPosted(Validates)
    [] OTHER                         -> FALSE

WhyLate(n, late) == {IF MayGoAway(rule, n) THEN late ELSE rule : rule \in WhyNotPlaced(n)}

\* Whatever ended the connection of p was not one of its own requests: a flush, or a disconnect.
Settled(p) == \E c \in DOMAIN Calls : Calls[c].kind = "flush" /\ Calls[c].qp = p /\ WasMade(c)

\* It failed by itself, and could have waited instead: that it is not told is no matter.
NeedNotFail(p, queue, r) == r.phase = "FAILED" /\ (r.op = "Receive" \/ Qp!IsMessage(r)) /\ (Qp!MayWait(p, queue) \/ ~Settled(p))

WhyUnfinished(p, queue, late) ==
  LET r == Head(qp[p][queue])
      q == CqOf(p, queue)
      point == Requests[r.req].point
      IsThrough == Qp!Executed(r) /\ CanBe(r, r.phase) /\ cq[q].health = "OK"
  IN
  IF ~IsTold(r.req) /\ (~Qp!Executed(r) \/ NeedNotFail(p, queue, r)) THEN {}
  ELSE IF ~IsThrough \/ (InTurn(r.req) /\ ~point) THEN WhyLate(r.req, late)
  ELSE IF point \/ ~CanBeThere(r.req) \/ NextTurn(q) = {} THEN {late}
  ELSE UNION {WhyLate(n, late) : n \in NextTurn(q)}

\* No completion is there that a callback could be for: something is in the way of the next one, or it is too early.
WhyNoCause(q) ==
  LET why == UNION {WhyLate(n, "ARM-21") : n \in NextTurn(q)} IN IF why = {} THEN {"ARM-21"} ELSE why

WhyNoCallback(q, status) ==
  LET r == cq[q] IN
  IF r.open = "CLOSED" THEN {"ARM-20"}
  ELSE IF Serialised /\ r.running THEN {"ARM-06"}
  ELSE IF status # "STATUS_SUCCESS" THEN
    IF r.errorDue /\ r.health = status THEN {}
    ELSE IF r.reported THEN {"ARM-17"}
    ELSE IF r.health = "OK" THEN {"ARM-16"}
    ELSE {"ARM-01"}
  ELSE IF r.due > 0 THEN IF Cq!TellsErrorFirst(r) THEN {"ARM-08"} ELSE IF Cq!HasCause(r) THEN {} ELSE WhyNoCause(q)
  ELSE IF r.arm = "NONE" THEN IF story[q].armed THEN {"ARM-02"} ELSE {"ARM-01"}
  ELSE IF r.arm = "ERRORS" THEN {"ARM-08"}
  ELSE IF r.arm = "SOLICITED" /\ r.entries # <<>> THEN {"ARM-12"}
  ELSE WhyNoCause(q)

WhySaysOther(c) ==
  LET Fails(Says(_, _)) == \E i \in DOMAIN Batch(c) : IsReceive(Batch(c)[i]) /\ ~Says(Calls[c].completions[i], Batch(c)[i]) IN
  IF Fails(SaysType) THEN {"RES-02"}
  ELSE IF Fails(SaysToken) THEN {"RES-03"}
  ELSE {w[2] : w \in {w \in story[Calls[c].cq].wrong : \E i \in DOMAIN Batch(c) : Batch(c)[i].req = w[1]}}

WhyNotFound(c) ==
  LET entries == cq[Calls[c].cq].entries  results == Calls[c].results
      Differs(i) == i > Len(entries) \/ entries[i].req # results[i]
      first == CHOOSE i \in DOMAIN results : Differs(i) /\ \A j \in 1..(i - 1) : ~Differs(j)
      n == results[first]
  IN
  IF \E i \in DOMAIN results : Differs(i) THEN
    IF n = 0 THEN {"POLL-05"}
    ELSE IF \E j \in 1..(first - 1) : results[j] = n THEN {"POLL-04"}
    ELSE WhyNotPlaced(n)
  ELSE IF ~SaysWhatIs(c) THEN WhySaysOther(c)
  ELSE IF Len(results) > Calls[c].room THEN {"POLL-02"}
  ELSE IF Len(results) \notin Cq!BatchSizes(cq[Calls[c].cq], Calls[c].room) THEN {"POLL-03"}    \* A7 and A33, too
  ELSE {}

WhyNotClosed(q) ==
  LET open == {p \in Users(q) : qp[p].state # "CLOSED"}
  IN IF cq[q].running THEN {"ARM-20"}
     ELSE {IF qp[p].state = "COMPLETING" THEN "LIFE-05" ELSE "LIFE-04" : p \in open}
            \union IF cq[q].resize = "NONE" THEN {} ELSE {"LIFE-07"}

\* A resize succeeds, and has to be refused (A16).
WhyNotResized(q) == IF cq[q].resize = "ASKED" /\ ~Cq!CanResize(cq[q]) THEN {"RSZ-03"} ELSE {}

\* The close of p can't complete: there are requests of which is told later that they complete.
WhyQpNotClosed(p) ==
  LET IsLeft(queue) == qp[p][queue] # <<>> /\ IsTold(Head(qp[p][queue]).req) IN
  IF qp[p].state = "CLOSING" THEN UNION {WhyUnfinished(p, queue, "LIFE-07") : queue \in {k \in Queues : IsLeft(k)}} ELSE {}

\* The next request of call c is not as it was answered: it succeeded on a QP that takes none, or it is an NdkInvalidate that
\* has to be refused, or must not be (A8).
WhyNotAnswered(c) ==
  LET r == Requests[Calls[c].requests[underway[c] + 1]]  queue == qp[r.qp].initiator IN
  IF r.accepted /\ ~Qp!CanPost(qp[r.qp].state, r.queue) THEN {"POST-08"}
  ELSE IF r.invalid /\ ~Qp!NotConnected(qp[r.qp].state) THEN IF CanBeLost(r.qp) THEN {} ELSE {"POST-08"}
  ELSE IF ~(IF r.accepted THEN Tk!CanPost(New(r), queue) ELSE Tk!CanRefuse(New(r), queue)) THEN TokenRule(r.token)
  ELSE {}

WhyNotDone(c) ==
  LET k == Calls[c] IN
  CASE k.kind = "post" -> WhyNotAnswered(c)
    [] k.kind = "poll" -> WhyNotFound(c)
    [] k.kind = "event" -> WhyNoCallback(k.cq, "STATUS_SUCCESS")
    [] k.kind = "close CQ" -> IF underway[c] = 1 THEN WhyNotClosed(k.cq) ELSE {}
    [] k.kind = "close QP" -> IF underway[c] = 1 THEN WhyQpNotClosed(k.qp) ELSE {}
    [] k.kind = "resize" -> WhyNotResized(k.cq)
    [] OTHER -> {}

\* What flushes was called after the post of request n had returned, and has flushed.
IsFlushed(n) ==
  \E c \in DOMAIN Calls :
    /\ Calls[c].kind = "flush" /\ Calls[c].qp = Requests[n].qp /\ WasMade(c)
    /\ Calls[Requests[n].post].end \in 1..Calls[c].begin

\* Request n had to be complete by now, its CQ is resized, which nobody refuses, and the first poll behind that finds nothing.
LostByResize(n) ==
  LET q == Requests[n].cq
      Finds(c) == Calls[c].kind = "poll" /\ Calls[c].cq = q /\ Calls[c].begin > at /\ Calls[c].room > 0
      empty == {c \in DOMAIN Calls : Finds(c) /\ Calls[c].end > 0 /\ Calls[c].results = <<>>}
      Before(c) == \A e \in empty : Calls[c].begin < Calls[e].begin
      Resizes(c) == Calls[c].kind = "resize" /\ Calls[c].cq = q /\ Calls[c].begin > at /\ ~Calls[c].refused
  IN Requests[n].after > 0 /\ empty # {} /\ \E c \in DOMAIN Calls : Resizes(c) /\ Before(c)

\* What says that a request which was accepted, and has an outcome, completes.
WhyComplete(r) ==
  IF LostByResize(r.req) THEN "RSZ-02"
  ELSE IF r.silent /\ r.phase # "SUCCESS" THEN "FLAG-02"
  ELSE IF r.phase = "CANCELLED" /\ IsFlushed(r.req) THEN "FLUSH-02"
  ELSE IF Requests[r.req].refusedAfter THEN "DEF-05"
  ELSE "DEF-04"

WhyOwes(p, queue) ==
  IF qp[p][queue] = <<>> \/ ~QueueOwes(p, queue) THEN {} ELSE WhyUnfinished(p, queue, WhyComplete(Head(qp[p][queue])))

WhyNoRest ==
  UNION {IF ~CallbackOwed(q) THEN {}
         ELSE IF cq[q].errorDue THEN {"ARM-08"}
         ELSE IF story[q].why = <<>> THEN {"ARM-03"}
         ELSE {story[q].why[Len(story[q].why)]} : q \in CQ}
    \union UNION {WhyOwes(p, queue) : p \in QP, queue \in Queues}

Why ==
  LET c == Upcoming.of  k == Calls[c] IN
  IF at = Last THEN {}
  ELSE CASE k.kind = "callback" /\ ~Upcoming.ends -> IF c \in DOMAIN underway THEN {} ELSE WhyNoCallback(k.cq, k.status)
         [] k.kind = "rest" -> WhyNoRest
         [] k.kind = "CQ closed" /\ ~Upcoming.ends -> WhyNotClosed(k.cq)
         [] k.kind = "QP closed" /\ ~Upcoming.ends -> WhyQpNotClosed(k.qp)
         [] k.kind = "CQ resized" /\ ~Upcoming.ends -> WhyNotResized(k.cq)
         [] k.kind = "placed" -> WhyNotPlaced(k.request)
         [] IsCall(c) /\ Upcoming.ends /\ ~IsDone(c) -> WhyNotDone(c)
         [] OTHER -> {}

(***************************************************************************)
(* Several explanations may have come as far, with a different rule in the *)
(* way of each.  The first of these is named.  What a completion says, or  *)
(* should have said, comes before the order of completions; that before    *)
(* a silent request that is not reported, which may have succeeded; that   *)
(* before callbacks that are missing; these before one that has no cause,  *)
(* since that one may be told of what the other way has done already; last *)
(* what only says that more was expected.                                  *)
(***************************************************************************)
Precedence ==
  <<"ARM-20", "ARM-06", "POLL-04", "POLL-02", "DEF-03", "FLAG-01", "INV-05", "POLL-07", "POLL-08", "RSZ-02", "DEF-05",
    "FLUSH-02", "FLUSH-01", "FLUSH-05", "DISC-10", "FLUSH-06", "RES-01", "RES-02", "RES-03", "RES-13", "RES-12", "RES-14", "RSZ-03", "ARM-01", "ARM-16", "ARM-17", "ARM-08", "RES-11", "RES-10", "DEF-04",
    "LIFE-04", "LIFE-05", "LIFE-07", "POST-08", "POLL-09", "FLAG-02", "ARM-07", "ARM-11", "ARM-10", "ARM-09", "ARM-04", "ARM-12",
    "ARM-02", "ARM-21", "ARM-03", "POLL-03", "POLL-05">>

\* A request that no poll delivers has failed by itself in this explanation.  What that forbids is named only where nothing stands in the way of
\* explanations without such a guess.
Guesses == \E p \in QP, queue \in Queues : \E i \in DOMAIN qp[p][queue] :
  LET r == qp[p][queue][i] IN r.phase = "FAILED" /\ ~IsTold(r.req)

Rank(rule) == (CHOOSE i \in DOMAIN Precedence : Precedence[i] = rule) + IF Guesses THEN Len(Precedence) ELSE 0

-----------------------------------------------------------------------------
(***************************************************************************)
(* What TLC says on its way: how far it came, and what stood in the way    *)
(* there.  When the end is reached no more is looked at.                   *)
(***************************************************************************)
Refused(rule) ==
  /\ PrintT(<<"refused", Number, at, Rank(rule), rule>>)
  /\ TLCSet(Number, [at |-> at, why |-> TLCGet(Number).why \union {<<Guesses, rule>>}])

Report ==
  /\ TLCGet(Number).at < Last
  /\ at > TLCGet(Number).at => PrintT(<<"reached", Number, at>>) /\ TLCSet(Number, [at |-> at, why |-> {}])
  /\ at = TLCGet(Number).at => \A rule \in Why : <<Guesses, rule>> \notin TLCGet(Number).why => Refused(rule)
=============================================================================
