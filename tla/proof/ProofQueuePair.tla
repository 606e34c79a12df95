--------------------------- MODULE ProofQueuePair ----------------------------
(***************************************************************************)
(* What, with the invariants of QueuePair, is inductive: true at first,    *)
(* and kept by every step, whatever the number of requests and the length  *)
(* of chains and queues.                                                   *)
(***************************************************************************)
EXTENDS MCQueuePair, Integers

\* The form of every value.
RequestShape ==
  [req : Int, op : STRING, silent : BOOLEAN, solicit : BOOLEAN, fence : BOOLEAN, token : STRING, phase : STRING]
LeftShape == [req : Int, queue : STRING, silent : BOOLEAN, status : STRING, told : BOOLEAN]

Shape ==
  /\ qp \in [QP -> [state : STRING, initiator : Seq(RequestShape), receive : Seq(RequestShape)]]
  /\ posts \in [QP -> Int]
  /\ refused \in [QP -> SUBSET [req : Int, queue : Queues]]
  /\ open \in [QP -> BOOLEAN]
  /\ flushed \in [QP -> SUBSET Int]
  /\ left \in [QP -> Seq(LeftShape)]

\* What is supposed of the constants.
Bounds == 1 <= MaxPosts

-----------------------------------------------------------------------------
\* The numbers that the ghost variables remember are of requests that were posted.
LeftTypeOK ==
  \A p \in QP :
    /\ posts[p] \in Nat
    /\ \A i \in DOMAIN left[p] : left[p][i].queue \in Queues /\ left[p][i].req \in 1..posts[p]
    /\ \A m \in refused[p] : m.req \in 1..posts[p]

\* The numbers of a queue's requests rise.
NumbersRise ==
  \A p \in QP, queue \in Queues :
    /\ \A i \in DOMAIN qp[p][queue] : qp[p][queue][i].req \in 1..posts[p]
    /\ \A i, j \in DOMAIN qp[p][queue] : i < j => qp[p][queue][i].req < qp[p][queue][j].req

\* No number is used twice, and what has left a queue was before what is in it (A9).
NumbersDiffer ==
  \A p \in QP :
    /\ \A i \in DOMAIN qp[p].initiator, j \in DOMAIN qp[p].receive : qp[p].initiator[i].req # qp[p].receive[j].req
    /\ \A queue \in Queues : \A i \in DOMAIN qp[p][queue] :
         /\ \A j \in DOMAIN left[p] : /\ left[p][j].req # qp[p][queue][i].req
                                      /\ Reading.A9 = "ORDERED" /\ left[p][j].queue = queue => left[p][j].req < qp[p][queue][i].req
         /\ \A m \in refused[p] : m.req # qp[p][queue][i].req
    /\ \A m \in refused[p] : \A j \in DOMAIN left[p] : m.req # left[p][j].req

\* The initiator queue alone stops on an unreliable QP alone.
SendErrorIsApart == \A p \in QP : SendsStopped(qp[p].state) => Promise(p).sendsApart /\ Ends

\* Nothing is free after a flush where that ends the connection (FLUSH-06), no connection is in doubt where a failure ends it (A40),
\* and no close waits but where it is so read (A36).
StateIsOfDialect ==
  \A p \in QP : /\ ErrorState => qp[p].state # "FLUSHED"
                /\ Ends => qp[p].state # "DOUBTFUL"
                /\ qp[p].state = "CLOSE WAITS" => Reading.A36 = "YES" /\ ~ErrorState

\* No receive is deferred (DEF-01).
NoReceiveIsDeferred == \A p \in QP : \A i \in DOMAIN qp[p].receive : ~Deferred(qp[p].receive[i])

\* What a flush had to cancel was posted, and has its outcome (A31).
FlushedHasOutcome ==
  \A p \in QP :
    /\ \A n \in flushed[p] : n \in 1..posts[p]
    /\ Reading.A31 = "CANCELLED" => \A queue \in Queues : \A i \in DOMAIN qp[p][queue] :
         qp[p][queue][i].req \in flushed[p] => Executed(qp[p][queue][i])

\* The consumer can end a chain that it has left open: it has a post in reserve (DEF-06).
ReserveIsKept == \A p \in QP : (\E i \in DOMAIN qp[p].initiator : Deferred(qp[p].initiator[i])) => posts[p] < MaxPosts
=============================================================================
