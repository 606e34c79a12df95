-------------------------------- MODULE Tokens --------------------------------
(***************************************************************************)
(* Memory tokens, and what requests do to them.                            *)
(*                                                                         *)
(* The token of a QP's own memory lets its peer reach into it.  A peer     *)
(* that is done with it says so with NdkSendAndInvalidate: the message     *)
(* that tells that the work is finished also takes the token back, before  *)
(* the receiver can see the message's completion (RES-09, INV-06).  From   *)
(* then on the receiver may use the memory for something else.             *)
(*                                                                         *)
(* The token that a request carries is its own QP's, but for two: that of  *)
(* NdkSendAndInvalidate and that of NdkWrite are the peer's.  A read       *)
(* carries the token of the memory that it reads into, and only where it   *)
(* is to invalidate that one; of the peer's token that it reads through    *)
(* nothing is modelled.                                                    *)
(*                                                                         *)
(* The token is invalid whichever function fetches the completion;         *)
(* NdkGetCqResults only does not tell (POLL-07).                           *)
(* Rejected: that fetching it with NdkGetCqResultsEx is what invalidates.  *)
(*                                                                         *)
(* A token can be read, and told to the peer, as soon as the call that     *)
(* registers it has returned, before it is valid (MEM-05, MEM-17): so a    *)
(* chain can register memory and send its token.  Whether the token that a *)
(* request names is valid is asked when it is executed.  When it is posted *)
(* that is asked of NdkInvalidate alone, in some readings (A8).            *)
(***************************************************************************)
EXTENDS Dialect

CONSTANTS
  Token,
  ReadInvalidates  \* the adapter has NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE; where it has not, it ignores the flag (INV-03)

ASSUME ReadInvalidatesOrNot == ReadInvalidates \in BOOLEAN

VARIABLE token

\* UNDEFINED: a read that was to invalidate it has failed (INV-02).  Then it may serve as valid, or as invalid.
TokenTypeOK == token \in [Token -> {"VALID", "INVALID", "UNDEFINED"}]

\* A token is good for nothing until memory is registered or bound under it.
TokenInit == token = [t \in Token |-> "INVALID"]

Become(t, validity) == token' = [token EXCEPT ![t] = validity]

\* INV-02.  What was invalid stays so: a read that fails makes nothing valid.
Spoilt(validity) == IF validity = "INVALID" THEN "INVALID" ELSE "UNDEFINED"

\* The requests that make a token valid, when they are executed with success.
Validates(r) == r.op \in {"FastRegister", "Bind"}

\* A read with NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, where the adapter has it (INV-01, INV-03).
ReadThatInvalidates(r) == r.op = "Read" /\ r.token # NoToken /\ ReadInvalidates

\* POLL-08: NdkInvalidate of an invalid token can't succeed.
CanInvalidate(t) == token[t] # "INVALID"

\* INV-08: what is written through an invalid token does not arrive.  A peer's read through a token is as its write, and
\* has no token here: what a Read names is the token of the memory that it reads into.
CanAccess(t) == IF t = NoToken THEN TRUE ELSE token[t] # "INVALID"

\* A write that has only to be acknowledged needs no access any more.
HasArrived(r) == r.phase = "UNACKNOWLEDGED"

(***************************************************************************)
(* A request r of the token's owner is executed with an outcome, or (Write)*)
(* one of a peer that the token lets reach into the memory: through an     *)
(* invalid one it can't.  A read that invalidates its token does so with   *)
(* success (INV-01), and spoils it otherwise (INV-02).                     *)
(***************************************************************************)
Execute(r, outcome) ==
  CASE outcome = "SUCCESS" /\ Validates(r)           -> Become(r.token, "VALID")
    [] outcome = "SUCCESS" /\ r.op = "Invalidate"    -> CanInvalidate(r.token) /\ Become(r.token, "INVALID")
    [] outcome = "SUCCESS" /\ r.op = "Write"         -> (HasArrived(r) \/ CanAccess(r.token)) /\ UNCHANGED token
    [] outcome = "SUCCESS" /\ ReadThatInvalidates(r) -> Become(r.token, "INVALID")
    [] outcome # "SUCCESS" /\ ReadThatInvalidates(r) -> Become(r.token, Spoilt(token[r.token]))
    [] OTHER                                         -> UNCHANGED token

\* NdkCloseMr, NdkDeregisterMr, NdkCloseMw: a token dies with its region or window (INV-05).  A peer's message that names it later
\* names a bad token.
Dies(t) == token[t] # "INVALID" /\ Become(t, "INVALID")

\* Requests were cancelled; what the reads among them were to invalidate is undefined (INV-02).
Cancel(requests) ==
  LET Names(t) == \E r \in requests : ReadThatInvalidates(r) /\ r.token = t IN
  token' = [t \in Token |-> IF Names(t) THEN Spoilt(token[t]) ELSE token[t]]

\* NdkInvalidate of a token that is invalid, and that nothing posted before it will make valid.
NamesDeadToken(r, queue) ==
  /\ r.op = "Invalidate"
  /\ token[r.token] = "INVALID"
  /\ ~\E i \in DOMAIN queue : Validates(queue[i]) /\ queue[i].token = r.token /\ queue[i].phase \notin Outcomes

\* Does the post of r return success, does it return failure?  Other requests may do both: a post can fail for any reason.
CanPost(r, queue) == Reading.A8 = "INLINE" => ~NamesDeadToken(r, queue)
CanRefuse(r, queue) == Reading.A8 = "COMPLETION" => ~NamesDeadToken(r, queue)

\* Message m reaches its receiver.  A bad token is never accepted (INV-05).
CanDeliver(m) == m.op = "SendAndInvalidate" => token[m.token] # "INVALID"

\* What it names is invalid at once, before the receive that it met is complete (RES-09, INV-06).
AfterDeliver(m) == IF m.op = "SendAndInvalidate" THEN [token EXCEPT ![m.token] = "INVALID"] ELSE token

Deliver(m) == CanDeliver(m) /\ token' = AfterDeliver(m)

\* The receiver's provider aborts the connection, for a bad token only (INV-05).
CanAbort(m) == m.op = "SendAndInvalidate" /\ token[m.token] # "VALID"
=============================================================================
