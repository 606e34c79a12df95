------------------------------ MODULE TraceRules ------------------------------
(***************************************************************************)
(* Rules that a trace shows to be broken without a search: calls that must *)
(* not overlap, answers that must come, fields of completions.  They are   *)
(* no matter of the states of module Ndk, which knows neither threads nor  *)
(* the answers of calls.                                                   *)
(*                                                                         *)
(* A breach names the event at which it is seen, the rule, and who broke   *)
(* it.  What comes after one may follow from it: module TraceCheck explains*)
(* the events before.                                                      *)
(***************************************************************************)
EXTENDS Naturals, Sequences, TLC

Breach(at, rule, by) == [at |-> at, rule |-> rule, by |-> by]

Returned(c) == c.end > 0
\* A call without an end lasts as long as the trace.
EndOf(T, c) == IF Returned(c) THEN c.end ELSE Len(T.events) + 1

Of(T, Test(_)) == SelectSeq(T.calls, Test)

\* Call d was made from a callback that ran, on the same thread, within call c (A27).
NestsIn(T, d, c) == d.thread = c.thread /\ d.within > c.place /\ EndOf(T, d) <= EndOf(T, c)

\* Of calls in the order of their beginnings: those that begin while one before is under way, and do not nest in it.
Overlapping(T, calls) ==
  {calls[i].begin : i \in {j \in DOMAIN calls :
     \E k \in 1..j - 1 : EndOf(T, calls[k]) > calls[j].begin /\ ~NestsIn(T, calls[j], calls[k])}}

-----------------------------------------------------------------------------
(***************************************************************************)
(* The consumer's rules.  libibverbs serialises by itself.                 *)
(***************************************************************************)
Serialises(T) ==
  UNION {LET Uses(c) == c.ndk /\ c.kind \in {"arm", "poll"} /\ c.cq = q IN
         {Breach(at, "POLL-01", "consumer") : at \in Overlapping(T, Of(T, Uses))} : q \in T.cqs}

ArmsKnownTypes(T) ==
  {Breach(T.calls[c].begin, "ARM-13", "consumer") :
     c \in {d \in DOMAIN T.calls : T.calls[d].kind = "arm" /\ T.calls[d].type \notin {"ERRORS", "SOLICITED", "ANY"}}}

OnePoster(T) ==
  UNION {LET Initiates(c) == c.ndk /\ c.kind = "post" /\ c.qp = p /\ c.fn # "NdkReceive"
             Receives(c) == c.ndk /\ c.kind = "post" /\ c.qp = p /\ c.fn = "NdkReceive" IN
         {Breach(at, "POST-01", "consumer") : at \in Overlapping(T, Of(T, Initiates))}
           \union {Breach(at, "POST-02", "consumer") : at \in Overlapping(T, Of(T, Receives))} : p \in T.qps}

DefersWhatCanBe(T) ==
  {Breach(T.calls[T.requests[n].post].begin, "DEF-01", "consumer") :
     n \in {m \in DOMAIN T.requests : T.requests[m].op = "Receive" /\ T.requests[m].defer}}

Completions(T, c) == {d \in DOMAIN T.calls : T.calls[d].completes = c}

\* The events by which a creation had succeeded: its return, or the entry of its first completion callback, which may come before.
CreatedBy(T, c) ==
  LET k == T.calls[c]
      first == {d \in Completions(T, c) : \A e \in Completions(T, c) : d <= e}
      Answers(d) == T.calls[d].reports /\ (k.answer = "PENDING" \/ T.calls[d].begin < EndOf(T, k))
  IN (IF k.answer = "SUCCESS" THEN {k.end} ELSE {}) \union {T.calls[d].begin : d \in {e \in first : Answers(e)}}

\* Of objects whose creation is called in the trace, be it after the use.
UsesBeforeCreation(T) ==
  UNION {LET creations == {c \in DOMAIN T.calls : T.calls[c].creates = object}
             created == UNION {CreatedBy(T, c) : c \in creations}
             uses == {d \in DOMAIN T.calls :
                        /\ object \in T.calls[d].uses
                        /\ ~\E at \in created : at < T.calls[d].begin}
         IN {Breach(T.calls[d].begin, "LIFE-01", "consumer") : d \in {e \in uses : \A f \in uses : e <= f}} :
         object \in {T.calls[c].creates : c \in DOMAIN T.calls} \ {""}}

ClosesWhatRuns(T) ==
  {Breach(T.calls[c].begin, "LIFE-02", "consumer") :
     c \in {d \in DOMAIN T.calls :
             /\ T.calls[d].closes # ""
             /\ \E f \in 1..d - 1 : /\ T.calls[f].functionOf = T.calls[d].closes
                                   /\ EndOf(T, T.calls[f]) > T.calls[d].begin
                                   /\ ~NestsIn(T, T.calls[d], T.calls[f])}}

\* A use that begins after the call of a close which was not refused: one that never returned may yet be.  A connector outlives its QP.
UsesAfterClose(T) ==
  UNION {LET uses == {d \in DOMAIN T.calls :
                        /\ object \in T.calls[d].uses /\ T.calls[d].fn # "NdkDisconnect"
                        /\ \E c \in 1..d - 1 : T.calls[c].closes = object /\ T.calls[c].answer \notin {"FAILURE", "NEVER"}}
         IN {Breach(T.calls[d].begin, "LIFE-06", "consumer") : d \in {e \in uses : \A f \in uses : e <= f}} :
         object \in {T.calls[c].closes : c \in DOMAIN T.calls} \ {""}}

\* A QP that was disconnected is connected again.
ConnectsAgain(T) ==
  {Breach(T.calls[c].begin, "DISC-09", "consumer") :
     c \in {d \in DOMAIN T.calls :
             /\ T.calls[d].kind = "connect" /\ T.calls[d].ndk
             /\ \E e \in 1..d - 1 : /\ T.calls[e].fn = "NdkDisconnect" /\ T.calls[e].kind = "flush"
                                   /\ T.calls[e].answer = "SUCCESS" /\ T.calls[e].qp = T.calls[d].qp
                                   /\ EndOf(T, T.calls[e]) < T.calls[d].begin}}

-----------------------------------------------------------------------------
(***************************************************************************)
(* What a callback, an answer or a completion says of itself.              *)
(***************************************************************************)
CqStatuses == {"STATUS_SUCCESS", "STATUS_BUFFER_OVERFLOW", "STATUS_INTERNAL_ERROR"}

CallbackStatus(T) ==
  {Breach(T.calls[c].begin, "ARM-15", "provider") :
     c \in {d \in DOMAIN T.calls : T.calls[d].kind = "callback" /\ T.calls[d].status \notin CqStatuses}}

PostsAnswer(T) ==
  {Breach(T.calls[c].end, "POST-10", "provider") :
     c \in {d \in DOMAIN T.calls : T.calls[d].kind = "post" /\ T.calls[d].answer = "PENDING"}}

\* A receive's type depends on the message.
TypeOf(op) == IF op = "SendAndInvalidate" THEN "Send" ELSE op

\* Rules that the i-th completion of a poll breaks, and the event at which it is seen.
ResultBreaks(T, c, i) ==
  LET x == c.completions[i]  r == T.requests[x.req] IN
  IF x.req = 0 THEN {}
  ELSE UNION {
    IF ~r.refused THEN {}
      ELSE {Breach(IF T.calls[r.post].end > c.end THEN T.calls[r.post].end ELSE c.end, "DEF-03", "provider")},
    IF x.otherQp \/ x.otherStatus THEN {Breach(c.end, "POLL-05", "provider")} ELSE {},
    IF x.error /\ x.status = "SUCCESS" /\ c.ndk THEN {Breach(c.end, "RES-05", "provider")} ELSE {},
    IF x.type = "" THEN {}
      ELSE IF r.op # "Receive" THEN IF x.type = TypeOf(r.op) THEN {} ELSE {Breach(c.end, "RES-01", "provider")}
      ELSE IF x.type \in {"Receive", "ReceiveAndInvalidate"} THEN {} ELSE {Breach(c.end, "RES-02", "provider")} }

Results(T) ==
  UNION {UNION {ResultBreaks(T, T.calls[c], i) : i \in DOMAIN T.calls[c].completions} :
         c \in {d \in DOMAIN T.calls : T.calls[d].kind = "poll" /\ Returned(T.calls[d])}}

Max(a, b) == IF a > b THEN a ELSE b

\* A point is of a request that was posted, and says where that completes.  It is the only one of it, and comes before a
\* poll that delivers it.
PointBreaks(T, c) ==
  LET k == T.calls[c]  r == T.requests[k.request]  Same(d) == T.calls[d].kind = "placed" /\ T.calls[d].request = k.request IN
  IF k.astray THEN {Breach(k.begin, "POLL-05", "provider")}
  ELSE IF r.refused THEN {Breach(Max(k.begin, T.calls[r.post].end), "DEF-03", "provider")}
  ELSE IF r.polled \in 1..k.begin - 1 \/ \E d \in 1..c - 1 : Same(d) THEN {Breach(k.begin, "POLL-04", "provider")}
  ELSE {}

Points(T) == UNION {PointBreaks(T, c) : c \in {d \in DOMAIN T.calls : T.calls[d].kind = "placed"}}

-----------------------------------------------------------------------------
(***************************************************************************)
(* Calls that may be pending: they return STATUS_PENDING, and a completion *)
(* callback tells how they ended.  Some wait for the provider alone.  The  *)
(* others may wait for a peer, for the consumer to close what depends on   *)
(* their object, or for the requests that are of it (MEM-12).              *)
(***************************************************************************)
OfProvider ==
  {"NdkCreatePd", "NdkCreateCq", "NdkCreateQp", "NdkCreateSrq", "NdkCreateMr", "NdkCreateMw", "NdkCreateConnector",
   "NdkCreateListener", "NdkCreateSharedEndpoint", "NdkResizeCq", "NdkModifySrq", "NdkInitializeFastRegisterMr", "NdkRegisterMr",
   "NdkBuildLAM", "NdkListen"}
Asynchronous ==
  OfProvider \union
  {"NdkConnect", "NdkConnectWithSharedEndpoint", "NdkCompleteConnect", "NdkCompleteConnectEx", "NdkAccept", "NdkAcceptEx",
   "NdkDisconnect", "NdkDeregisterMr", "NdkClosePd", "NdkCloseCq", "NdkCloseQp", "NdkCloseSrq", "NdkCloseMr", "NdkCloseMw", "NdkCloseConnector",
   "NdkCloseListener", "NdkCloseSharedEndpoint"}

\* The event by which a QP is closed: the return of its close, or of the callback that completes it; 0 if none is.
ClosedBy(T, p) ==
  LET closes == {c \in DOMAIN T.calls : T.calls[c].kind = "close QP" /\ T.calls[c].qp = p}
      done == {T.calls[c].end : c \in {d \in closes : T.calls[d].answer # "PENDING"}}
                \union {T.calls[d].end : d \in UNION {Completions(T, c) : c \in closes}}
  IN IF done \ {0} = {} THEN 0 ELSE CHOOSE at \in done \ {0} : \A other \in done \ {0} : at <= other

\* From which event on a pending call waits for nobody but the provider; 0 if from none.
FreeFrom(T, c) ==
  LET k == T.calls[c]
      users == {p \in T.qps : T.users[k.cq][p]}
      ends == {k.end} \union {ClosedBy(T, p) : p \in users}
  IN CASE k.fn \in OfProvider -> k.end
       [] k.kind = "close CQ" /\ T.allCreated -> IF 0 \in ends THEN 0 ELSE CHOOSE at \in ends : \A other \in ends : at >= other
       [] k.kind = "close QP" /\ T.connected[k.qp] \notin 1..c -> k.end
       [] OTHER -> 0

Running(T, at) == \E d \in DOMAIN T.calls : T.calls[d].isCallback /\ T.calls[d].begin < at /\ EndOf(T, T.calls[d]) > at
Quiet(T) == {at \in T.rests : ~Running(T, at)}

CompletesOnce(T, c) ==
  {Breach(T.calls[d].begin, "ASY-01", "provider") : d \in {e \in Completions(T, c) : \E f \in Completions(T, c) : f < e}}

CompletesByRest(T, c) ==
  LET due == {at \in Quiet(T) : FreeFrom(T, c) > 0 /\ at > FreeFrom(T, c)}
      late == {at \in due : ~\E d \in Completions(T, c) : T.calls[d].begin < at}
      closes == T.calls[c].kind \in {"close CQ", "close QP"}
  IN {Breach(at, IF closes THEN "LIFE-11" ELSE "ASY-01", "provider") : at \in {a \in late : \A b \in late : a <= b}}

Asynchrony(T) ==
  UNION {LET k == T.calls[c] IN
         IF ~Returned(k) \/ k.isCallback THEN {}
         ELSE IF k.answer = "PENDING" /\ k.fn \in Asynchronous THEN CompletesOnce(T, c) \union CompletesByRest(T, c)
         ELSE {Breach(Max(k.end, T.calls[d].begin), "ASY-02", "provider") :
                 d \in {e \in Completions(T, c) : \A f \in Completions(T, c) : e <= f}} :
         c \in DOMAIN T.calls}

-----------------------------------------------------------------------------
(***************************************************************************)
(* Calls that never return.  Of those on one thread the last is to blame:  *)
(* the others wait for it.  Nobody but the consumer can say why one of its *)
(* callbacks does not return, and nothing then why others wait.            *)
(***************************************************************************)
Hanging(T) ==
  {c \in DOMAIN T.calls : ~Returned(T.calls[c]) /\ ~\E d \in c + 1..Len(T.calls) :
     ~Returned(T.calls[d]) /\ T.calls[d].thread = T.calls[c].thread}

InCallback(T, c) ==
  \E d \in 1..(c - 1) : /\ T.calls[d].kind = "callback" /\ ~Returned(T.calls[d])
                        /\ T.calls[d].thread = T.calls[c].thread /\ T.calls[d].cq = T.calls[c].cq

MayWaitForConsumer == {"ibv_get_cq_event", "ibv_get_async_event", "NdkCloseAdapter"}

HungBreaks(T, c) ==
  LET k == T.calls[c]  last == Len(T.events) IN
  CASE k.isCallback -> {Breach(k.begin, "", "nobody")}
    [] k.fn \in MayWaitForConsumer \/ (~k.ndk /\ k.kind \in {"close CQ", "close QP"}) -> {}
    [] k.ndk /\ k.kind = "post" -> {Breach(last, "POST-10", "provider")}
    [] k.ndk /\ k.kind \in {"arm", "poll"} /\ InCallback(T, c) -> {Breach(last, "ARM-06", "provider")}
    [] k.kind = "close CQ" /\ InCallback(T, c) -> {Breach(last, "ARM-20", "provider")}
    [] OTHER -> {Breach(k.begin, "", "nobody")}

Hangs(T) ==
  IF ~T.atRest THEN {}
  ELSE LET held == {c \in Hanging(T) : T.calls[c].isCallback} IN
       UNION {HungBreaks(T, c) : c \in IF held # {} THEN held ELSE Hanging(T)}

-----------------------------------------------------------------------------
Breaches(T) ==
  UNION {Serialises(T), ArmsKnownTypes(T), OnePoster(T), DefersWhatCanBe(T), UsesBeforeCreation(T),
         ClosesWhatRuns(T), UsesAfterClose(T), ConnectsAgain(T), CallbackStatus(T), PostsAnswer(T), Results(T), Points(T), Asynchrony(T),
         Hangs(T)}

\* So many events are explained: those before the first breach, here or by the boundary events of the trace (T.stop).
LastOf(T, breaches) ==
  LET stops == {b.at : b \in {c \in breaches : c.by # "nobody"}} \union {T.stop}
  IN (CHOOSE at \in stops : \A other \in stops : at <= other) - 1

\* So many completions of a CQ are delivered by polls that returned by then.
TurnsOf(T, last) ==
  LET Turn(n) == IF T.requests[n].polled \in 1..last THEN T.requests[n].turn ELSE 0
  IN [q \in T.cqs |->
        LET turns == {0} \union {Turn(n) : n \in {m \in DOMAIN T.requests : T.requests[m].cq = q}}
        IN CHOOSE t \in turns : \A other \in turns : t >= other]

Say(number, breaches, last) ==
  /\ PrintT(<<"explain", number, last>>)
  /\ \A b \in breaches : PrintT(<<"breach", number, b.at, b.rule, b.by>>)
=============================================================================
