------------------------------ MODULE TraceCheck ------------------------------
(***************************************************************************)
(* Does the contract allow what was recorded?                              *)
(*                                                                         *)
(* A trace is a sequence of events: calls begin and end, callbacks are     *)
(* entered and left, and there are moments of rest.  A call takes effect   *)
(* somewhere between its ends, in as many parts as it has requests.  The   *)
(* steps of the adapter were not recorded.  TLC looks for an order of all  *)
(* these steps that is a behaviour of module Ndk and meets the events in   *)
(* their order.  The trace is allowed iff its end is reached.              *)
(*                                                                         *)
(* What was recorded later says how requests ended, and in which order     *)
(* their completions were placed.  A step that it contradicts can't be on  *)
(* a way to the end, and is not taken.                                     *)
(***************************************************************************)
EXTENDS Ndk, TLC   \* TLC's :> and @@ make functions

CONSTANTS
  Calls,      \* Calls[c]: a call, a callback, a mark of rest or a point; see below
  Events,     \* Events[k] = [of |-> c, ends |-> b]: call c begins, or ends
  Requests,   \* Requests[n]: what was posted, and what polls and points tell of it; see below
  Turns,      \* Turns[q]: so many completions of q are delivered by polls
  Depths,     \* Depths[q]: for how many completions the consumer asked room at first
  OldTokens,  \* those that may have been made valid before the trace began
  AbortedFrom, \* AbortedFrom[p]: once so many events are explained, an abort may have ended the connection of p; see below
  Lanes,      \* the QPs that stand for lanes of receives of shared receive queues: connected from the beginning
  Failing,    \* the CQs of which a callback reports an internal error, or an asynchronous event any error
  Tight,      \* Tight[q]: the requests that complete into q, if they are more than it has room for at its least depth
  SeenLate,   \* the consumer took the events down: callbacks had begun before it saw them
  Last,       \* so many events are to be explained
  Number      \* of this trace, in a run over many

VARIABLES
  at,         \* so many events are explained
  underway,   \* underway[c], for each call under way: how many of its parts have taken effect
  story       \* story[q]: what names the rule where no explanation goes on

(***************************************************************************)
(* Where a provider was at rest, it says so: a mark of rest.  A recorder   *)
(* inside of a provider also says when a completion was placed: a point.   *)
(*                                                                         *)
(* Of each call: kind (post, arm, poll, rest, ...), fn (the function that  *)
(* was called), ndk (it is NDKPI's, not libibverbs's), thread; begin and   *)
(* end, the numbers of its two events; answer, what it returned; cq or qp, *)
(* its object.  completes: the call that a completion callback answers, or *)
(* 0; isCallback; reports: it is the completion callback of a success.     *)
(* creates: the object that it is to create, or none; uses: those that     *)
(* have to exist for it; functionOf and closes: the one of which it is a   *)
(* function, or that it closes; place and within: where in the trace it    *)
(* began, and the callback that was running on its thread, or 0.  Of some  *)
(* kinds: requests (of a post), type (of an arm), room, results and        *)
(* completions (of a poll: the requests, 0 for one that nobody posted, and *)
(* what was said of each), awaited (of a rest: the CQs that can be heard   *)
(* of), status (of a callback), request (of a point), astray (it is of     *)
(* none that was posted, or in another CQ than its own), depth             *)
(* (that a resize gives its CQ), refused (the callback that completes the   *)
(* resize tells failure), tokens (of the region that it closes), failed    *)
(* and vain (of a connect: the event that tells that it failed, or 0; the  *)
(* status says that no connection was made).                               *)
(*                                                                         *)
(* Of each request: req (its number), qp, queue, cq; op, silent, solicit,  *)
(* fence, token, defer, as it was posted; post, the call; accepted or      *)
(* refused, what that returned, and invalid: STATUS_CONNECTION_INVALID;    *)
(* refusedAfter: a later post on the QP was.                               *)
(* told: the outcomes that it may have.  turn: its number among the        *)
(* completions of its CQ that polls deliver, in the order of their returns,*)
(* or 0.  first: the turn of the first that its poll delivered.  since: so *)
(* many had been delivered when its poll was called; all, of what none     *)
(* delivers.  polled: the event by which a poll had delivered it.  after: a*)
(* poll that found none, after which it must have been placed, or 0.       *)
(* point: a point tells when it was placed.  solicited: what its message   *)
(* may have asked for.  invalidated: the token that its message            *)
(* invalidated.  names: that which its completion names, or "".  bytes (of *)
(* a message), room (of a receive that a longer message fails) and got     *)
(* (that its completion tells): lengths, as ranks, 0 where there is none.  *)
(***************************************************************************)

\* arms: those outstanding, in their order; armed: it ever was; why: the rules by which callbacks are owed;
\* placed: so many of the completions that polls deliver are in place, one turn after the other; ahead: the turns beyond that
\* are, too (of polls of libibverbs that overlap, the one that returns later may have taken the earlier completion); quiet:
\* the tokens that peers invalidated, where NdkGetCqResults fetches the completion; wrong: receives, each with a rule that the
\* length of its message breaks; failed: QPs of which an initiator request has failed, in libibverbs.
TraceInit ==
  /\ cq = [q \in CQ |-> [Cq!NewCq EXCEPT !.depth = Depths[q]]]
  /\ qp = [p \in QP |-> [state |-> IF p \in Lanes THEN "CONNECTED" ELSE "IDLE", initiator |-> <<>>, receive |-> <<>>]]
  /\ token = [t \in Token |-> IF t \in OldTokens THEN "UNDEFINED" ELSE "INVALID"]
  /\ at = 0
  /\ underway = <<>>
  /\ story = [q \in CQ |-> [arms |-> <<>>, armed |-> FALSE, why |-> <<>>, placed |-> 0, ahead |-> {}, quiet |-> {}, wrong |-> {},
                        failed |-> {}]]

-----------------------------------------------------------------------------
(***************************************************************************)
(* What the trace tells of requests.                                       *)
(***************************************************************************)

\* The outcomes that a request may have.  A poll, or a point, tells the one.
Told(r) == Requests[r.req].told
CanBe(r, outcome) == outcome \in Told(r)
Certain(r, outcome) == Told(r) = {outcome}

\* The peer of p is not in the trace, or the type of the QP does not say that a message which succeeds was received: messages come
\* from nowhere, and whatever is sent may be received, or lost.
Alone(p) == Peer[p] \notin QP \/ ~Qp!Promise(p).delivers

(***************************************************************************)
(* Narrower than module Ndk, where the network may end a connection at any *)
(* time (A23): where both ends are in the trace, a loss is believed only   *)
(* with the other end; by an abort of which the trace tells, at some time  *)
(* after it; where a post was refused with STATUS_CONNECTION_INVALID; or   *)
(* while a request waits that is told as cancelled: then the connection    *)
(* does not go on (RES-10).  In libibverbs the request that meets the loss *)
(* fails, and the other end ends it only by one that has failed (RES-11).  *)
(***************************************************************************)
HasFailed(p) == p \in story[CqOf(p, "initiator")].failed
MayHaveFailed(p) == \E n \in DOMAIN Requests : Requests[n].qp = p /\ Requests[n].queue = "initiator" /\ "FAILED" \in Requests[n].told
IsToldInvalid(p) == \E n \in DOMAIN Requests : Requests[n].qp = p /\ Requests[n].invalid
IsOver(state) == state \notin {"IDLE", "CONNECTED"}
MayBeAborted(p) == AbortedFrom[p] <= at
LosesRequest(p) ==
  ~ErrorState /\ \E queue \in Queues : \E i \in DOMAIN qp[p][queue] : Qp!Pending(qp[p][queue][i]) /\ Certain(qp[p][queue][i], "CANCELLED")
CanBeLost(p) ==
  /\ Qp!Promise(p).endsWithPeer
  /\ qp[p].state \in {"CONNECTED", "DOUBTFUL", "BROKEN"} \/ Qp!FreeAfterFlush(qp[p].state)
  /\ IF Peer[p] \notin QP THEN TRUE
     ELSE \/ MayBeAborted(p) \/ MayBeAborted(Peer[p]) \/ IsToldInvalid(p) \/ IsToldInvalid(Peer[p])
          \/ IsOver(qp[Peer[p]].state) /\ (ErrorState => HasFailed(Peer[p]))
          \/ LosesRequest(p)

\* A disconnect of p had completed with success by an event.
IsDisconnected(p, event) ==
  \E c \in DOMAIN Calls :
    /\ Calls[c].fn = "NdkDisconnect" /\ Calls[c].kind = "flush" /\ Calls[c].qp = p
    /\ \/ Calls[c].answer = "SUCCESS" /\ Calls[c].end \in 1..event
       \/ \E d \in DOMAIN Calls : Calls[d].completes = c /\ Calls[d].reports /\ Calls[d].begin \in 1..event

\* The other end of the connection of p has disconnected: it is closed in both directions (DISC-10).  While the disconnect is
\* pending, memory may still be read and written there (DISC-01).
IsClosedThere(p) ==
  /\ Peer[p] \in QP
  /\ qp[Peer[p]].state \notin {"IDLE", "BROKEN IDLE"} /\ ~Qp!CanEnd(qp[Peer[p]].state, "receive", "SUCCESS")
  /\ IsDisconnected(Peer[p], at)

\* The connection of p is over at the other end: no memory is read or written there any more, and by rest no message waits.
IsLostThere(p) == ~ErrorState /\ Peer[p] \in QP /\ (qp[Peer[p]].state = "ENDED" \/ IsClosedThere(p))

\* A loss explains nothing but that a request is cancelled, or that a post is refused because of it.
RefusesInvalid(c, i) == Calls[c].kind = "post" /\ i < Len(Calls[c].requests) /\ Requests[Calls[c].requests[i + 1]].invalid
LossIsOfUse(p) ==
  \/ \E queue \in Queues : \E i \in Qp!Ready(qp[p][queue]) : "CANCELLED" \in Requests[qp[p][queue][i].req].told
  \/ \E c \in DOMAIN underway : Calls[c].kind = "post" /\ Calls[c].qp = p /\ RefusesInvalid(c, underway[c])

\* Call c has taken effect, or is none of those to be explained.
HasEffect(c) ==
  IF c = 0 THEN TRUE ELSE IF c \in DOMAIN underway THEN underway[c] > 0 ELSE Calls[c].end \notin at + 1..Last

\* The completion of a request can be placed: those that polls deliver in the order of the polls, the others after them
\* unless they may vanish with their QP (A21), and none before a poll that found nothing and would have had it, unless the
\* CQ fails before that poll.
Counts(n) == Requests[n].turn > 0 /\ Requests[n].polled <= Last

IsQueued(m) == LET r == Requests[m] IN \E i \in DOMAIN qp[r.qp][r.queue] : qp[r.qp][r.queue][i].req = m
CanStillFail(q, n) ==
  cq[q].health = "OK" /\ (q \in Failing \/ \E m \in Tight[q] \ {n} : ~HasEffect(Requests[m].post) \/ IsQueued(m))

CanBeThere(n) == HasEffect(Requests[n].after) \/ CanStillFail(Requests[n].cq, n)

IsClosed(p) == \E c \in DOMAIN Calls : Calls[c].kind = "close QP" /\ Calls[c].qp = p

Placed(q, turn) == turn <= story[q].placed \/ turn \in story[q].ahead

InTurn(n) ==
  LET r == Requests[n]  delivered == story[r.cq].placed >= Min(r.since, Turns[r.cq]) IN
  /\ IF Counts(n) THEN delivered /\ \A turn \in r.first..r.turn - 1 : Placed(r.cq, turn) ELSE delivered \/ IsClosed(r.qp)
  /\ CanBeThere(n)

CanBePlaced(r) == CanBe(r, r.phase) /\ InTurn(r.req)

-----------------------------------------------------------------------------
(***************************************************************************)
(* The story goes on, in each step.                                        *)
(***************************************************************************)

Matches(arm, c) == Cq!Match(arm, c) # "MUST NOT"

\* Why completion c satisfies the arm; ARM-07 where one of the arms that were merged would not have been.
WhyMatched(q, c) ==
  IF \E i \in DOMAIN story[q].arms : ~Matches(story[q].arms[i], c) THEN "ARM-07"
  ELSE CASE cq[q].arm = "ANY"                              -> "ARM-09"
         [] cq[q].arm = "SOLICITED" /\ ~Cq!Succeeded(c)    -> "ARM-11"
         [] cq[q].arm = "SOLICITED" /\ Cq!Succeeded(c)     -> "ARM-10"
         [] cq[q].arm = "ERRORS"                           -> "ARM-08"

\* Why a callback becomes owed: an arm of a type was made just now, or else ("NONE") a completion placed.
WhyOwed(q, type) ==
  IF type # "NONE" THEN IF Cq!AtArm(cq[q], Cq!Merge(cq[q].arm, type)) = "MUST" THEN "ARM-04" ELSE "ARM-03"
  ELSE IF Len(cq'[q].entries) > Len(cq[q].entries) THEN WhyMatched(q, cq'[q].entries[Len(cq'[q].entries)])
  ELSE "ARM-03"

\* The poll that delivers the completion does not tell which token its message invalidated.
FetchedQuietly(n) == Counts(n) /\ Calls[Events[Requests[n].polled].of].fn = "NdkGetCqResults"

\* The rules that the completion of receive n breaks if message m met it (RES-01 of libibverbs, RES-12, RES-13). The bytes of an RDMA write with
\* immediate data do not go into the buffers of the receive. More than these have needs no message to be wrong.
BrokenByMessage(n, m) ==
  LET sent == Requests[m].bytes  got == Requests[n].got
      room == IF Requests[m].opcode = "RECV_RDMA_WITH_IMM" THEN 0 ELSE Requests[n].room IN
  IF Requests[n].opcode \notin {"", Requests[m].opcode} THEN {"RES-01"}
  ELSE IF sent = 0 \/ (room > 0 /\ got > room) THEN {}
  ELSE IF room > 0 /\ sent > room THEN {"RES-13"}
  ELSE IF got > 0 /\ got # sent THEN {"RES-12"}
  ELSE {}

\* A message of p and a receive of its peer can meet.
CanMeet(p) == IF Alone(p) THEN FALSE ELSE Qp!Meet(p, Peer[p])
MetReceive(p) == qp[Peer[p]].receive[Qp!NextReceive(Peer[p])]

\* The message of p is received in this step.
IsReceived(p) ==
  /\ qp'[p] # qp[p] /\ CanMeet(p)
  /\ \E i \in DOMAIN qp'[Peer[p]].receive : qp'[Peer[p]].receive[i].req = MetReceive(p).req /\ qp'[Peer[p]].receive[i].phase = "SUCCESS"

WrongMessages(q) ==
  UNION {LET n == MetReceive(p).req IN {<<n, rule>> : rule \in BrokenByMessage(n, Qp!Message(p).req)} :
         p \in {p \in QP : IsReceived(p) /\ CqOf(Peer[p], "receive") = q}}

\* The QPs whose initiator requests complete into q, and of which one fails in this step.
JustFailed(q) ==
  IF ~ErrorState THEN {}
  ELSE {p \in QP : CqOf(p, "initiator") = q /\ \E r \in Qp!JustExecuted(p, "initiator") : r.phase = "FAILED"}

GoesOn(q, type) ==
  LET old == cq[q]  new == cq'[q]  s == story[q]
      came == Len(new.entries) > Len(old.entries)
      newest == new.entries[Len(new.entries)]
      last == newest.req
      turns == IF came /\ Counts(last) THEN s.ahead \union {Requests[last].turn} ELSE s.ahead
      Fills(k) == k + 1 \notin turns /\ \A i \in s.placed + 1..k : i \in turns
      placed == CHOOSE k \in s.placed..Turns[q] : Fills(k)
  IN [ arms   |-> IF new.arm = "NONE" THEN <<>> ELSE IF type = "NONE" THEN s.arms ELSE Append(s.arms, type),
       armed  |-> s.armed \/ type # "NONE",
       why    |-> IF new.due > old.due THEN Append(s.why, WhyOwed(q, type))
                  ELSE IF new.due < old.due /\ s.why # <<>> THEN Tail(s.why) ELSE s.why,
       placed |-> placed,
       ahead  |-> turns \ s.placed + 1..placed,
       quiet  |-> IF came /\ FetchedQuietly(last) THEN s.quiet \union ({newest.token} \ {NoToken}) ELSE s.quiet,
       wrong  |-> s.wrong \union WrongMessages(q),
       failed |-> s.failed \union JustFailed(q) ]

Armed(q, type) == story' = [story EXCEPT ![q] = GoesOn(q, type)]
AllGoOn == story' = [q \in CQ |-> GoesOn(q, "NONE")]

-----------------------------------------------------------------------------
(***************************************************************************)
(* The effects of calls.                                                   *)
(***************************************************************************)

Parts(c) ==
  CASE Calls[c].kind = "post"     -> Len(Calls[c].requests)
    [] Calls[c].kind = "close CQ" -> IF Calls[c].answer = "SUCCESS" THEN 2 ELSE 1
    [] Calls[c].kind = "close QP" -> IF Calls[c].answer = "SUCCESS" THEN 3 ELSE 1
    [] Calls[c].kind = "resize"   -> IF Calls[c].answer = "SUCCESS" THEN 4 ELSE 2
    [] Calls[c].kind \in {"connect", "recover", "arm", "poll", "flush", "event"} -> 1
    [] Calls[c].kind = "token dies" -> Len(Calls[c].tokens)
    [] OTHER -> 0

New(r) == [req |-> r.req, op |-> r.op, silent |-> r.silent, solicit |-> r.solicit, fence |-> r.fence, token |-> r.token,
           phase |-> "INDICATED"]

Posted(r) == IF r.accepted THEN Post(r.qp, New(r), r.defer) ELSE PostRefused(r.qp, New(r), r.invalid)

Batch(c) == LET entries == cq[Calls[c].cq].entries IN SubSeq(entries, 1, Min(Len(entries), Len(Calls[c].results)))
IsFound(c) ==
  /\ Len(Batch(c)) = Len(Calls[c].results)
  /\ \A i \in DOMAIN Batch(c) : Batch(c)[i].req = Calls[c].results[i]

\* What a completion says of a receive: whether it invalidated a token, and which (RES-02, RES-03), and how long its message was.
SaysType(x, e) == x.type = "" \/ (x.type = "ReceiveAndInvalidate") = (e.token # NoToken)
SaysToken(x, e) == e.token = NoToken \/ x.token \in {"", e.token}
IsReceive(e) == e.queue = "receive" /\ Cq!Succeeded(e)
SaysWhatIs(c) ==
  \A i \in DOMAIN Batch(c) : LET x == Calls[c].completions[i] e == Batch(c)[i] IN
    IsReceive(e) /\ ~Alone(e.qp) => SaysType(x, e) /\ SaysToken(x, e) /\ ~\E w \in story[Calls[c].cq].wrong : w[1] = e.req

\* The close of p completes.  What polls deliver later has not been dropped (A21).
Delivers(q, p) == \E i \in DOMAIN cq[q].entries : cq[q].entries[i].qp = p /\ Counts(cq[q].entries[i].req)
Closes(p) ==
  \E dropped \in BOOLEAN :
    /\ dropped => ~\E q \in CQ : Delivers(q, p)
    /\ NdkCloseCompletionEnter(p, dropped)

\* A resize that was asked for takes effect, or is refused, as the trace tells.  Of one that is never answered it need not do
\* either, and a refusal would change nothing that is seen (RSZ-03).
ResizeEnds(c) == Resize(Calls[c].cq) /\ cq'[Calls[c].cq].resize = (IF Calls[c].refused THEN "REFUSED" ELSE "DONE")

\* Parts of a resize that are best taken as soon as they can be.  When it takes effect does not matter to a CQ that has room for
\* all its requests at any depth; else it may be at any time until it is answered.  What a callback tells where the call was
\* pending, its return tells where it succeeded.
TakenAtOnce(c) ==
  /\ Calls[c].kind = "resize"
  /\ underway[c] < Parts(c)
  /\ underway[c] = 1 => Tight[Calls[c].cq] = {}

\* A disconnect that is pending flushes before it completes, or when the QP is closed.  Of one that failed the documentation
\* does not say whether it flushes (DISC-08), nor by when.  A resize that is pending takes effect before it completes.
LastsOn(c) ==
  \/ Calls[c].fn = "NdkDisconnect" /\ Calls[c].answer # "SUCCESS"
  \/ Calls[c].kind = "token dies" /\ Calls[c].answer = "PENDING"
  \/ Calls[c].kind = "connect" /\ Calls[c].answer # "SUCCESS"    \* what it carried tells whether there was a connection
  \/ Calls[c].kind = "resize" /\ Calls[c].answer = "PENDING" /\ underway[c] > 0

\* A request of p that was posted before an event is told to have succeeded, or was accepted and may
\* have: there was a connection, whatever was told of it then.  A receive had not, whose CQ was found empty since.
IsFoundEmpty(q, event) ==
  \E k \in DOMAIN Calls :
    Calls[k].kind = "poll" /\ Calls[k].cq = q /\ Calls[k].begin > event /\ Calls[k].end > 0 /\ Calls[k].results = <<>>
MayHaveSucceeded(n, event) ==
  \/ Requests[n].told = {"SUCCESS"}
  \/ /\ "SUCCESS" \in Requests[n].told
     /\ Requests[n].accepted
     /\ Requests[n].op = "Receive" => ~IsFoundEmpty(Requests[n].cq, event)
HasCarried(p, event) ==
  \E n \in DOMAIN Requests :
    Requests[n].qp = p /\ MayHaveSucceeded(n, event) /\ Calls[Requests[n].post].begin < event

\* Call k connects its QP.  One that was refused does not: nothing is received on a QP that never was connected (POST-08).
Connects(k) == k.kind = "connect" /\ (k.failed > 0 => ~k.vain /\ HasCarried(k.qp, k.failed))

\* No text says what becomes of requests on a QP whose connection was lost, and which is connected again: as on one that broke
\* before it was connected, what is posted is not specified.
ConnectedAgain(p) == qp' = [qp EXCEPT ![p].state = Qp!AfterConnect("BROKEN IDLE")] /\ UNCHANGED <<cq, token>>

Effect(c, i) ==
  LET k == Calls[c] IN
  CASE k.kind = "connect"  -> IF ~Connects(k) THEN UNCHANGED vars
                              ELSE IF qp[k.qp].state \in {"IDLE", "BROKEN IDLE"} THEN NdkConnect(k.qp)
                              ELSE IF qp[k.qp].state \in {"ENDED", "ABORTED"} /\ ~ErrorState THEN ConnectedAgain(k.qp)
                              ELSE UNCHANGED vars
    [] k.kind = "recover"  -> IF qp[k.qp].state = "SEND ERROR" THEN NdkConnect(k.qp) ELSE UNCHANGED vars
    [] k.kind = "token dies" -> IF token[k.tokens[i]] = "INVALID" THEN UNCHANGED vars ELSE TokenDies(k.tokens[i])
    [] k.kind = "post"     -> Posted(Requests[k.requests[i]])
    [] k.kind = "arm"      -> NdkArmCq(k.cq, k.type)
    [] k.kind = "poll"     -> IsFound(c) /\ SaysWhatIs(c) /\ NdkGetCqResults(k.cq, k.room, Batch(c))
    [] k.kind = "flush"    -> IF LastsOn(c) /\ Qp!Closing(qp[k.qp].state) THEN UNCHANGED vars
                              ELSE IF k.fn = "NdkDisconnect" /\ k.answer # "FAILURE" THEN NdkDisconnect(k.qp) ELSE NdkFlush(k.qp)
    [] k.kind = "close QP" -> IF i = 1 THEN \E waits \in BOOLEAN : NdkCloseQp(k.qp, waits)
                              ELSE IF i = 2 THEN Closes(k.qp) ELSE NdkCloseCompletionExit(k.qp)
    [] k.kind = "close CQ" -> IF i = 1 THEN NdkCloseCq(k.cq) ELSE NdkCloseCompletion(k.cq)
    [] k.kind = "resize"   -> IF i = 1 THEN NdkResizeCq(k.cq, k.depth)
                              ELSE IF i = 2 THEN ResizeEnds(c)
                              ELSE IF i = 3 THEN NdkRequestCompletionEnter(k.cq, "SUCCESS")
                              ELSE NdkRequestCompletionExit(k.cq)
    [] k.kind = "event"    -> NdkCqNotificationCallbackEnter(k.cq, "STATUS_SUCCESS")

TakesEffect(c) ==
  /\ underway[c] < Parts(c)
  /\ Effect(c, underway[c] + 1)
  /\ underway' = [underway EXCEPT ![c] = @ + 1]
  /\ UNCHANGED at
  /\ IF Calls[c].kind = "arm" THEN Armed(Calls[c].cq, Calls[c].type) ELSE AllGoOn

-----------------------------------------------------------------------------
(***************************************************************************)
(* Hidden steps.                                                           *)
(***************************************************************************)

Ready(p, queue) == Qp!Ready(qp[p][queue])

\* A message from nowhere, or one that goes there.
FromNowhere(p, i, solicited) ==
  LET t == Requests[qp[p].receive[i].req].invalidated
      m == [op |-> IF t = NoToken THEN "Send" ELSE "SendAndInvalidate", solicit |-> solicited, token |-> t]
  IN
  /\ Qp!CanEnd(qp[p].state, "receive", "SUCCESS")
  /\ qp' = [qp EXCEPT ![p].receive[i] = Qp!Received(@, m)]
  /\ token' = Tk!AfterDeliver(m)
  /\ UNCHANGED cq
ToNowhere(p, i) == Qp!Execute(p, "initiator", i, "SUCCESS") /\ UNCHANGED <<cq, token>>

Ends(p, queue, i, outcome) ==
  LET r == qp[p][queue][i] IN
  /\ CanBe(r, outcome)
  /\ outcome = "SUCCESS" /\ r.op \in {"Read", "Write"} => ~IsLostThere(p)
  /\ outcome = "CANCELLED" /\ CanBe(r, "FAILED") => ~Qp!CanEnd(qp[p].state, queue, "FAILED")    \* which nothing would tell apart
  /\ IF outcome = "SUCCESS" /\ queue = "receive"
     THEN Alone(p) /\ \E solicited \in Requests[r.req].solicited : FromNowhere(p, i, solicited)
     ELSE IF outcome = "SUCCESS" /\ Qp!IsMessage(r) /\ Alone(p) THEN ToNowhere(p, i)
     ELSE Execute(p, queue, i, outcome)

\* The send of a message that is received may still have any outcome.
Meets(p) ==
  /\ CanMeet(p)
  /\ \/ CanBe(MetReceive(p), "SUCCESS") /\ Deliver(p)
     \/ \E sent \in {"SUCCESS", "FAILED"}, received \in {"FAILED", "CANCELLED"} :
          CanBe(Qp!Message(p), sent) /\ CanBe(MetReceive(p), received) /\ Abort(p, sent, received)

IsPlaced(p, queue, i) ==
  /\ Qp!CanComplete(p, queue, i) /\ Qp!LeavesCompletion(qp[p][queue][i])
  /\ CanBePlaced(qp[p][queue][i]) /\ ~Requests[qp[p][queue][i].req].point
  /\ Complete(p, queue, i)

\* No poll delivers it, and no point tells that it was placed.
IsLost(p, queue, i) ==
  LET n == qp[p][queue][i].req IN
  Qp!CanComplete(p, queue, i) /\ ~Counts(n) /\ ~Requests[n].point /\ CompletionLost(p, queue, i)

\* A call that may give a provider at rest something to do on a connection.
Wakes(c) ==
  Calls[c].kind \notin {"poll", "arm", "event", "callback", "rest", "placed", "CQ closed", "QP closed", "CQ resized"}

\* After e events the provider is at rest yet: none has been called since it said so.
StaysAtRest ==
  [e \in 0..Last |->
     \E r \in 1..e :
       /\ Calls[Events[r].of].kind = "rest"
       /\ \A c \in DOMAIN Calls : Wakes(c) => Calls[c].end \in 1..r \/ Calls[c].begin > e]

\* At rest nothing happens of itself on the connection of p, if the trace records both its ends and no call lasts on.
IsStill(p) == StaysAtRest[at] /\ Peer[p] \in QP /\ \A c \in DOMAIN underway : ~LastsOn(c)

\* An event of q is still to be read, or a callback to be entered.  Extra ones that nobody hears of need not come.
WillHear(q) == \E c \in DOMAIN Calls : Calls[c].kind \in {"event", "callback"} /\ Calls[c].cq = q /\ ~HasEffect(c)

\* The QP of a lane is closed with its CQ: nothing of a shared receive queue keeps that open.
LaneCloses(p) ==
  /\ cq[ReceiveCq[p]].open = "CLOSING" /\ qp[p].state # "CLOSED"
  /\ qp' = [qp EXCEPT ![p] = [state |-> "CLOSED", initiator |-> <<>>, receive |-> <<>>]]
  /\ UNCHANGED <<cq, token>>

Hidden ==
  \/ \E p \in Lanes : LaneCloses(p)
  \/ \E p \in {p \in QP : ~IsStill(p)} :
       \/ HwIndicate(p)
       \/ Meets(p)
       \/ CanBeLost(p) /\ LossIsOfUse(p) /\ ConnectionLost(p)
       \/ qp[p].state = "IDLE" /\ MayBeAborted(p) /\ LossIsOfUse(p) /\ Qp!Break({p}) /\ UNCHANGED <<cq, token>>
       \/ CloseBegins(p)
       \/ \E queue \in Queues :
            \/ \E i \in Ready(p, queue), outcome \in Outcomes : Ends(p, queue, i, outcome)
            \/ \E i \in DOMAIN qp[p][queue] : IsPlaced(p, queue, i) \/ IsLost(p, queue, i)
  \/ \E q \in CQ :
       \/ Overflow(q)
       \/ q \in Failing /\ InternalError(q)
       \/ cq[q].due = 0 /\ WillHear(q) /\ ExtraEventComes(q)

(***************************************************************************)
(* Some hidden steps are best taken as soon as they can be: they only make *)
(* more possible.  Then nothing else needs to be tried in their place.     *)
(* These are the meeting of a message and a receive of which it is certain *)
(* that both succeed, the leaving of one that succeeded in silence; and the*)
(* end of a request of which it is certain and that touches no other QP    *)
(* and no token.  But what has ended has to be complete at a moment of     *)
(* rest, and what may wait for its peer has not: that may end later, if a  *)
(* rest comes before a poll tells of it.  And a receive that fails before  *)
(* the connection leaves its mark on that (A15).  A message that is        *)
(* cancelled may have been received before.                                *)
(***************************************************************************)
Plain(r) ==
  r.op \in {"Read", "Write"} \/ Qp!Unacknowledged(r) \/ (r.op \in {"Bind", "FastRegister", "Invalidate"} /\ ~CanBe(r, "SUCCESS"))

\* A message that comes to p would find a receive.
TakesMessages(p) == Ready(p, "receive") # {} /\ Qp!CanEnd(qp[p].state, "receive", "SUCCESS")

\* p was connected, and will receive no message any more.
EndIsOver(p) == qp[p].state # "IDLE" /\ ~Qp!CanEnd(qp[p].state, "receive", "SUCCESS")

\* What need not end by a moment of rest: the peer's part may be missing.  Where the peer's end of the connection is over it will
\* never come, and the message has to fail (DEF-04).
WaitsForPeer(p, queue, i) ==
  LET r == qp[p][queue][i] IN
  /\ Qp!MayWait(p, queue)
  /\ queue = "initiator" => ~IsLostThere(p)
  /\ \/ queue = "receive"
     \/ Qp!IsMessage(r) /\ IF Alone(p) THEN TRUE ELSE ~Qp!Unacknowledged(r) /\ ~TakesMessages(Peer[p]) /\ ~EndIsOver(Peer[p])

\* A poll tells of request n, or nothing does, before the next moment of rest.
IsToldBeforeRest(n) ==
  LET told == IF Requests[n].polled = 0 THEN Last ELSE Min(Requests[n].polled, Last) IN
  \A e \in at + 1..told : Calls[Events[e].of].kind # "rest"

EndsSurely(p, queue, i, outcome) ==
  LET r == qp[p][queue][i] IN
  /\ Certain(r, outcome)
  /\ Qp!CanEnd(qp[p].state, queue, outcome)
  /\ outcome = "SUCCESS" \/ Qp!AfterOutcome(p, queue, outcome) = qp[p].state    \* else it ends what might succeed before
  /\ WaitsForPeer(p, queue, i) => IsToldBeforeRest(r.req)
  /\ qp[p].state = "IDLE" => outcome # "FAILED"
  /\ outcome = "SUCCESS" /\ r.op = "Invalidate" => Tk!CanInvalidate(r.token)
  /\ \/ Plain(r)
     \/ /\ InTurn(r.req)
        /\ IF Alone(p)
           THEN \/ queue = "initiator" \/ outcome # "SUCCESS"
                \/ Requests[r.req].solicited # BOOLEAN /\ Requests[r.req].invalidated = NoToken
           ELSE outcome = "CANCELLED" /\ ~Qp!IsMessage(r)
SureEnds(p) ==
  {e \in UNION {Ready(p, queue) \X {queue} \X Outcomes : queue \in Queues} : EndsSurely(p, e[2], e[1], e[3])}

MeetSurely(p) ==
  /\ CanMeet(p)
  /\ Qp!Message(p).op = "Send" /\ Certain(Qp!Message(p), "SUCCESS") /\ Qp!WritesBefore(p) = {}
  /\ Certain(MetReceive(p), "SUCCESS")

QuietSurely(p, queue) ==
  qp[p][queue] # <<>> /\ Qp!CanComplete(p, queue, 1) /\ ~Qp!LeavesCompletion(Head(qp[p][queue]))

IsSure(p) == MeetSurely(p) \/ SureEnds(p) # {} \/ \E queue \in Queues : QuietSurely(p, queue)

Sure == {p \in QP : ~IsStill(p) /\ IsSure(p)}

SureStep ==
  LET p == CHOOSE p \in Sure : TRUE IN
  IF MeetSurely(p) THEN Deliver(p)
  ELSE IF SureEnds(p) # {} THEN LET e == CHOOSE e \in SureEnds(p) : TRUE IN Ends(p, e[2], e[1], e[3])
  ELSE LET queue == CHOOSE queue \in Queues : QuietSurely(p, queue) IN Complete(p, queue, 1)

-----------------------------------------------------------------------------
(***************************************************************************)
(* The provider is at rest: nothing is left that has to happen.  A send    *)
(* may wait for a receive of its peer, and whatever waits behind it; behind*)
(* a flush, too, which leaves it free (A15).  On a connection that has     *)
(* ended none does: what was indicated there is complete (DEF-04).         *)
(* An event of verbs waits until somebody reads it, and a callback for     *)
(* nobody.  After a close nothing is owed (A21), and what a failed CQ has  *)
(* no room for is lost.  Where no callback comes on an empty CQ, one that  *)
(* is owed may wait (A6).                                                  *)
(***************************************************************************)
Notifies(q) == q \in Calls[Events[at + 1].of].awaited

CallbackOwed(q) ==
  cq[q].open # "CLOSED" /\ ~cq[q].running /\ ((cq[q].due > 0 /\ Cq!HasCause(cq[q]) /\ Notifies(q)) \/ cq[q].errorDue)

QueueOwes(p, queue) ==
  /\ ~Qp!Closing(qp[p].state) /\ cq[CqOf(p, queue)].open # "CLOSED"
  /\ LET Owed(i) == Qp!CanComplete(p, queue, i) /\ (cq[CqOf(p, queue)].health = "OK" \/ Counts(qp[p][queue][i].req)) IN
     \/ \E i \in DOMAIN qp[p][queue] : Owed(i)
     \/ cq[CqOf(p, queue)].health = "OK" /\ \E i \in Ready(p, queue) : ~WaitsForPeer(p, queue, i)

AtRest ==
  /\ \A q \in CQ : ~CallbackOwed(q)
  /\ \A p \in QP, queue \in Queues : ~QueueOwes(p, queue)
  /\ \A p \in QP : ~CanMeet(p)

-----------------------------------------------------------------------------
(***************************************************************************)
(* Events.                                                                 *)
(***************************************************************************)
Upcoming == Events[at + 1]
IsCall(c) == Calls[c].kind \notin {"callback", "rest", "placed", "CQ closed", "QP closed", "CQ resized", "CQ fails"}

Happens(c, ends) ==
  LET k == Calls[c] IN
  CASE k.kind = "callback" -> IF ends THEN IF Serialised THEN NdkCqNotificationCallbackExit(k.cq) ELSE UNCHANGED vars
                              ELSE IF c \in DOMAIN underway THEN UNCHANGED vars
                              ELSE NdkCqNotificationCallbackEnter(k.cq, k.status)
    [] k.kind = "rest"     -> AtRest /\ UNCHANGED vars
    [] k.kind = "placed"   -> LET queue == Requests[k.request].queue IN
                              /\ qp[k.qp][queue] # <<>> /\ Head(qp[k.qp][queue]).req = k.request
                              /\ CanBePlaced(Head(qp[k.qp][queue]))
                              /\ Complete(k.qp, queue, 1)
    [] k.kind = "CQ fails" -> (ends => cq[k.cq].health # "OK" \/ cq[k.cq].open = "CLOSED") /\ UNCHANGED vars
    [] k.kind = "CQ closed" -> IF ~ends THEN NdkCloseCompletion(k.cq) ELSE UNCHANGED vars
    [] k.kind = "QP closed" -> IF ~ends THEN Closes(k.qp) ELSE NdkCloseCompletionExit(k.qp)
    [] k.kind = "CQ resized" -> IF ends THEN NdkRequestCompletionExit(k.cq)
                                ELSE NdkRequestCompletionEnter(k.cq, IF k.reports THEN "SUCCESS" ELSE "FAILED")

\* A callback that the consumer saw later: the provider had turned to it, and took what was there for reported (A3).
NextCallback(q) ==
  LET IsOf(c) == Calls[c].kind = "callback" /\ Calls[c].cq = q
      coming == {c \in DOMAIN Calls : Calls[c].begin \in at + 1..Last /\ IsOf(c)} \ DOMAIN underway
  IN IF coming = {} THEN 0 ELSE CHOOSE c \in coming : \A d \in coming : c <= d

EntersUnseen(q) ==
  /\ SeenLate /\ (cq[q].due > 0 \/ cq[q].errorDue)
  /\ NextCallback(q) # 0
  /\ NdkCqNotificationCallbackEnter(q, Calls[NextCallback(q)].status)
  /\ underway' = underway @@ (NextCallback(q) :> 1)
  /\ UNCHANGED at

Begin(c) ==
  /\ at' = at + 1
  /\ underway' = IF Parts(c) = 0 THEN underway ELSE underway @@ (c :> 0)
  /\ UNCHANGED <<vars, story>>

IsDone(c) == IF Parts(c) = 0 THEN TRUE ELSE underway[c] = Parts(c)
Without(c) == [d \in DOMAIN underway \ {c} |-> underway[d]]
End(c) ==
  /\ at' = at + 1
  /\ underway' = IF IsDone(c) THEN Without(c) ELSE underway
  /\ UNCHANGED <<vars, story>>

\* The callback that tells that a disconnect succeeded waits until it has flushed, and that of the close of a region until its
\* tokens are dead.
CanBegin(c) ==
  LET d == Calls[c].completes IN
  Calls[c].reports /\ d \in DOMAIN underway => underway[d] = Parts(d) \/ ~LastsOn(d)

\* Nothing happened between the two ends of call c, so nothing has to be tried there.
AtOnce(c) == Calls[c].end = Calls[c].begin + 1

TraceNext ==
  /\ at < Last
  /\ LET c == Upcoming.of IN
     IF IsCall(c) /\ ~Upcoming.ends /\ CanBegin(c) THEN Begin(c)
     ELSE IF IsCall(c) /\ Upcoming.ends /\ (IsDone(c) \/ LastsOn(c)) THEN End(c)
     ELSE IF Calls[c].kind = "post" /\ AtOnce(c) /\ underway[c] > 0 THEN TakesEffect(c)
     ELSE IF \E d \in DOMAIN underway : TakenAtOnce(d) THEN TakesEffect(CHOOSE d \in DOMAIN underway : TakenAtOnce(d))
     ELSE IF Sure # {} THEN SureStep /\ AllGoOn /\ UNCHANGED <<at, underway>>
     ELSE \/ Hidden /\ AllGoOn /\ UNCHANGED <<at, underway>>
          \/ \E d \in DOMAIN underway : TakesEffect(d)
          \/ \E q \in CQ : EntersUnseen(q) /\ AllGoOn
          \/ ~IsCall(c) /\ Happens(c, Upcoming.ends) /\ at' = at + 1 /\ AllGoOn /\ underway' = Without(c)
=============================================================================
