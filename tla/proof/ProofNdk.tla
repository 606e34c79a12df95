------------------------------ MODULE ProofNdk -------------------------------
(***************************************************************************)
(* One connection: two QPs with a CQ each, and a token, of any depth and   *)
(* any number of requests, with all steps of Ndk but those in which a      *)
(* message meets a receive (Deliver, Abort), a chain, and a close.         *)
(***************************************************************************)
EXTENDS Ndk, Integers

TwoQps == {"a", "b"}
AllRC == Qp!AllRC
EachOther == [p \in QP |-> IF p = "a" THEN "b" ELSE "a"]
\* A CQ for each QP.
OwnCq == [p \in QP |-> IF p = "a" THEN "qa" ELSE "qb"]
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
\* What is supposed of the constants.
Bounds == 1 <= Depth /\ Depth <= Room
MCInit == Init

\* Any request but a message, and but a receive that would need one to succeed.
AnyRequest(op) ==
  {[req |-> n, op |-> op, silent |-> s, solicit |-> FALSE, fence |-> f, phase |-> "INDICATED", token |-> t] :
     n \in Nat, s \in IF op = "Receive" THEN {FALSE} ELSE BOOLEAN, f \in IF op = "Receive" THEN {FALSE} ELSE BOOLEAN,
     t \in IF op = "Receive" THEN {NoToken} ELSE Token}

MCNext ==
  \/ \E p \in QP :
       \/ NdkConnect(p)
       \/ ConnectionLost(p)
       \/ \E op \in {"FastRegister", "Invalidate", "Read", "Write", "Receive"} : \E r \in AnyRequest(op) : Post(p, r, FALSE)
       \/ \E queue \in Queues, i \in Nat, outcome \in Outcomes : Execute(p, queue, i, outcome)
       \/ \E queue \in Queues, i \in Nat : Complete(p, queue, i)
       \/ \E queue \in Queues, i \in Nat : CompletionLost(p, queue, i)
       \/ NdkFlush(p)
       \/ NdkDisconnect(p)
  \/ \E q \in CQ :
       \/ \E type \in AllNotifyTypes : NdkArmCq(q, type)
       \/ \E status \in {"STATUS_SUCCESS", "STATUS_BUFFER_OVERFLOW", "STATUS_INTERNAL_ERROR"} : NdkCqNotificationCallbackEnter(q, status)
       \/ NdkCqNotificationCallbackExit(q)
       \/ Overflow(q)
       \/ InternalError(q)
  \/ \E t \in Token : TokenDies(t)

-----------------------------------------------------------------------------
QpTypeOK == Qp!QpTypeOK
CqTypeOK == Cq!CqTypeOK
TokenTypeOK == Tk!TokenTypeOK

\* The initiator queue alone stops on an unreliable QP alone.
SendErrorIsApart == \A p \in QP : qp[p].state = "SEND ERROR" => Qp!Promise(p).sendsApart /\ Qp!Ends
=============================================================================
