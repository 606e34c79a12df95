------------------------------ MODULE ProofNdk -------------------------------
(***************************************************************************)
(* What, with the invariants of Ndk, is inductive of one connection: two   *)
(* QPs, their CQs, and tokens, whatever the depth of the CQs and the number*)
(* of requests.                                                            *)
(***************************************************************************)
EXTENDS MCNdk, Integers

\* The form of every value.
CompletionShape ==
  [qp : STRING, queue : STRING, req : Int, status : STRING, type : STRING, solicited : BOOLEAN, token : STRING]
CqShape ==
  [entries : Seq(CompletionShape), fresh : Int, uncounted : BOOLEAN, taken : SUBSET AllNotifyTypes, arm : STRING, waiting : Int,
   due : Int, errorDue : BOOLEAN, running : BOOLEAN, health : STRING, reported : BOOLEAN, depth : Int, resize : STRING, asked : Int,
   open : STRING]
RequestShape ==
  [req : Int, op : STRING, silent : BOOLEAN, solicit : BOOLEAN, fence : BOOLEAN, token : STRING, phase : STRING]

Shape ==
  /\ cq \in [CQ -> CqShape]
  /\ qp \in [QP -> [state : STRING, initiator : Seq(RequestShape), receive : Seq(RequestShape)]]
  /\ token \in [Token -> STRING]
  /\ posts \in [a : [DOMAIN Budget["a"] -> Int], b : [DOMAIN Budget["b"] -> Int]]
  /\ arms \in Int
  /\ delivered \in [QP -> [Queues -> Seq(Int)]]
  /\ fetched \in [{"NdkGetCqResults", "NdkGetCqResultsEx"} -> SUBSET Token]

\* What is supposed of the constants.
Bounds == 1 <= Depth /\ Depth <= Room /\ 1 <= QueueDepth

\* No sequence is longer in a configuration of TLC: see Places and Room.
Longest == 4

\* For Budget: any number of requests of each kind.  (QueueDepth is of HasPlace alone, which lets all pass.)
AnyBudget == [p \in QP |-> [op \in Ops \ {"Bind"} |-> QueueDepth]]

\* For HasPlace: the consumer may post more than a queue has places for.
AnyPlace(p, queue) == TRUE

\* For CQ, InitiatorCq and ReceiveCq: each queue of a QP has a CQ of its own.
QueueCqs == {"ai", "ar", "bi", "br"}
QueueInitiatorCq == [p \in QP |-> IF p = "a" THEN "ai" ELSE "bi"]
QueueReceiveCq == [p \in QP |-> IF p = "a" THEN "ar" ELSE "br"]

\* For Places, and for Rooms.
AnyNumber == Nat
AnyRoom == 1..Room

-----------------------------------------------------------------------------
QpTypeOK == Qp!QpTypeOK
CqTypeOK == Cq!CqTypeOK
TokenTypeOK == Tk!TokenTypeOK

\* No more is posted than the budget has.
PostsAreCounted == \A p \in QP : \A op \in DOMAIN posts[p] : posts[p][op] \in 0..Budget[p][op]

\* The numbers of a queue's requests rise.
NumbersRise ==
  \A p \in QP, queue \in Queues :
    /\ \A i \in DOMAIN qp[p][queue] : qp[p][queue][i].req \in 1..Used(p, queue)
    /\ \A i, j \in DOMAIN qp[p][queue] : i < j => qp[p][queue][i].req < qp[p][queue][j].req

\* Only tokens are named, and what is to make one valid or invalid names one.
TokensAreKnown ==
  /\ \A p \in QP, queue \in Queues : \A i \in DOMAIN qp[p][queue] : LET r == qp[p][queue][i] IN
       /\ r.token \in Token \union {NoToken}
       /\ r.op \in {"SendAndInvalidate", "FastRegister", "Invalidate"} => r.token \in Token
  /\ \A q \in CQ : \A i \in DOMAIN cq[q].entries : cq[q].entries[i].token \in Token \union {NoToken}

\* What a CQ holds is of the QPs that use it.
EntriesAreOfUsers == \A q \in CQ : \A i \in DOMAIN cq[q].entries : cq[q].entries[i].qp \in Users(q)

-----------------------------------------------------------------------------
(***************************************************************************)
(* A token that is registered once at most: POLL-07.                       *)
(***************************************************************************)

\* For Budget: any number of requests, but one registration.
OnceBudget ==
  [p \in QP |-> [op \in Ops \ {"Bind"} |-> IF op # "FastRegister" THEN QueueDepth ELSE IF p = "b" THEN 1 ELSE 0]]

Registrations(p, op) == IF op \in DOMAIN posts[p] THEN posts[p][op] ELSE 0
Registered(p) == Registrations(p, "FastRegister") + Registrations(p, "Bind")
Registering(p) == {i \in DOMAIN qp[p].initiator : Tk!Validates(qp[p].initiator[i]) /\ Qp!Pending(qp[p].initiator[i])}

\* A message has brought the token: to a receive, to a completion, or to the consumer.
CarriedSomewhere(t) ==
  \/ \E p \in QP : \E i \in DOMAIN qp[p].receive : qp[p].receive[i].phase = "SUCCESS" /\ qp[p].receive[i].token = t
  \/ \E q \in CQ : \E i \in DOMAIN cq[q].entries : cq[q].entries[i].token = t
  \/ \E f \in DOMAIN fetched : t \in fetched[f]

\* What a message has brought is invalid from then on.
CarriedIsInvalid == \A t \in Token : CarriedSomewhere(t) => token[t] = "INVALID"

\* One registration is posted at most, and until it succeeds every token is invalid, and none has come with a message.
RegisteredOnce ==
  /\ Registered("a") + Registered("b") <= 1
  /\ \A p \in QP :
       /\ Registering(p) # {} => Registered(p) > 0
       /\ \A i, j \in Registering(p) : i = j
       /\ Registering(p) # {} \/ Registered("a") + Registered("b") = 0 =>
            \A t \in Token : token[t] = "INVALID" /\ ~CarriedSomewhere(t)
=============================================================================
