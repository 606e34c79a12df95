------------------------------ MODULE Dialects ------------------------------
(***************************************************************************)
(* One contract for three interfaces.  Each is a record: what the fields   *)
(* mean stands in module Dialect.                                          *)
(*                                                                         *)
(* ndkpi is the kernel interface (Windows), ndspi is Network Direct of     *)
(* user mode (Windows), and verbs is libibverbs (Linux), where a           *)
(* "callback" is an event read from a channel.  Some devices notify of     *)
(* what a CQ holds when it is armed, though libibverbs promises no such    *)
(* thing: that is VerbsDevice.  kverbs is what kernel code uses on Linux:  *)
(* libibverbs's arms and queue pairs, and a handler that is called back,   *)
(* one call of it at a time.                                               *)
(***************************************************************************)

Ndkpi ==
  [ FreshAtArm  |-> "MUST",
    OldAtArm    |-> "MAY",
    SecondArm   |-> "MERGE",
    ErrorsArm   |-> TRUE,
    Serialised  |-> TRUE,
    ExtraEvent  |-> FALSE,
    ErrorState  |-> FALSE,
    FailureEnds |-> FALSE,
    LowAtArm    |-> "MUST" ]

Ndspi == [Ndkpi EXCEPT !.OldAtArm = "MUST NOT", !.SecondArm = "TOGETHER", !.Serialised = FALSE, !.FailureEnds = TRUE, !.LowAtArm = "MAY"]

Verbs ==
  [ FreshAtArm  |-> "MUST NOT",
    OldAtArm    |-> "MUST NOT",
    SecondArm   |-> "MERGE",
    ErrorsArm   |-> FALSE,
    Serialised  |-> FALSE,
    ExtraEvent  |-> TRUE,
    ErrorState  |-> TRUE,
    FailureEnds |-> TRUE,
    LowAtArm    |-> "MAY" ]

VerbsDevice == [Verbs EXCEPT !.FreshAtArm = "MAY", !.OldAtArm = "MAY"]

Kverbs == [Verbs EXCEPT !.Serialised = TRUE]

KverbsDevice == [VerbsDevice EXCEPT !.Serialised = TRUE]
=============================================================================
