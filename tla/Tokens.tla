-------------------------------- MODULE Tokens --------------------------------
(***************************************************************************)
(* Memory tokens, and what requests do to them.                            *)
(*                                                                         *)
(* A token lets a peer reach into one's memory.  A peer that is done with  *)
(* it says so with NdkSendAndInvalidate: the message that tells that the   *)
(* work is finished also takes the token back, before the receiver can     *)
(* see the message's completion (RES-09, INV-06).  From then on the        *)
(* receiver may use the memory for something else.                         *)
(*                                                                         *)
(* The token is invalid whichever function fetches the completion;         *)
(* NdkGetCqResults only does not tell (POLL-07).                           *)
(* Rejected: that fetching it with NdkGetCqResultsEx is what invalidates.  *)
(***************************************************************************)
EXTENDS Dialect

CONSTANT Token

VARIABLE token

TokenTypeOK == token \in [Token -> {"VALID", "INVALID"}]

\* A token is good for nothing until memory is registered or bound under it.
TokenInit == token = [t \in Token |-> "INVALID"]

Become(t, validity) == token' = [token EXCEPT ![t] = validity]

(***************************************************************************)
(* A request r of the token's owner is executed with an outcome.           *)
(* NdkInvalidate of an invalid token fails (POLL-08).                      *)
(* Reading (A8): with a failed completion, or inline (PostRefused).        *)
(***************************************************************************)
CanInvalidate(t) == token[t] = "VALID"

Execute(r, outcome) ==
  CASE outcome = "SUCCESS" /\ r.op \in {"FastRegister", "Bind"} -> Become(r.token, "VALID")
    [] outcome = "SUCCESS" /\ r.op = "Invalidate"               -> CanInvalidate(r.token) /\ Become(r.token, "INVALID")
    [] OTHER                                                    -> UNCHANGED token

\* Message m reaches its receiver.  A bad token is never accepted (INV-05).
CanDeliver(m) == m.op = "SendAndInvalidate" => token[m.token] = "VALID"

AfterDeliver(m) == IF m.op = "SendAndInvalidate" THEN [token EXCEPT ![m.token] = "INVALID"] ELSE token

Deliver(m) == CanDeliver(m) /\ token' = AfterDeliver(m)

\* The receiver's provider aborts the connection, for a bad token only (INV-05).
Abort(m) == m.op = "SendAndInvalidate" /\ token[m.token] = "INVALID" /\ UNCHANGED token
=============================================================================
