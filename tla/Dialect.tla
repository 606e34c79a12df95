------------------------------- MODULE Dialect -------------------------------
(***************************************************************************)
(* NDKPI, the Network Direct Kernel Provider Interface, is how Windows     *)
(* kernel code (the consumer) drives an RDMA adapter (through its          *)
(* provider).  The consumer posts requests to queue pairs; the adapter     *)
(* executes them and places a completion of each in a completion queue     *)
(* (CQ); the consumer polls completions, and arms the CQ to be called back *)
(* when there is something to poll.                                        *)
(*                                                                         *)
(* Read the modules in this order:                                         *)
(*   Readings         where the documentation can be read in two ways      *)
(*   Dialect          the words, and what differs between three interfaces *)
(*   CompletionQueue  arming, notification callbacks, polling              *)
(*   QueuePair        posting, deferring, executing, completing, flushing  *)
(*   Tokens           what makes a memory token valid or invalid           *)
(*   Ndk              the three together                                   *)
(*   Consumer         in which order to arm, poll and sleep                *)
(*   MC...            bounds and ghost variables for TLC                   *)
(*   wrong/Wrong...   wrong rules, to see that the properties can fail     *)
(*                                                                         *)
(* ARM-04 and the like are numbers of the rulebook.  A1, A2, ... are its   *)
(* ambiguities: where the documentation can be read in two ways, the       *)
(* reading taken is said, and the rejected one too, or both are choices of *)
(* module Readings.                                                        *)
(*                                                                         *)
(* Hidden steps are those of the adapter: neither the consumer nor a       *)
(* recorder of its calls sees when they happen.                            *)
(***************************************************************************)
EXTENDS Naturals, Sequences, Readings

(***************************************************************************)
(* One contract for three interfaces.                                      *)
(*                                                                         *)
(*                  ndkpi     ndspi       verbs                            *)
(*   FreshAtArm     MUST      MUST        MUST NOT (some devices: MAY)     *)
(*   OldAtArm       MAY       MUST NOT    MUST NOT (some devices: MAY)     *)
(*   SecondArm      MERGE     TOGETHER    MERGE                            *)
(*   ErrorsArm      TRUE      TRUE        FALSE                            *)
(*   Serialised     TRUE      FALSE       FALSE                            *)
(*   ExtraEvent     FALSE     FALSE       TRUE                             *)
(*                                                                         *)
(* ndspi is Network Direct of user mode (Windows); verbs is libibverbs     *)
(* (Linux), where a "callback" is an event read from a channel.            *)
(***************************************************************************)
CONSTANTS
  FreshAtArm,  \* must arming a CQ that holds a new completion call back at once? (ARM-04)
  OldAtArm,    \* the same, when all it holds was there at the last callback (ARM-05)
  SecondArm,   \* two arm requests outstanding: one callback ("MERGE", ARM-07) or one each ("TOGETHER")
  ErrorsArm,   \* an arm can wait for errors of the CQ itself (ARM-08)
  Serialised,  \* callbacks of one CQ never overlap (ARM-06)
  ExtraEvent,  \* a callback with nothing to poll is allowed (ARM-21)
  Reading      \* how the documentation is read: Default, or another of module Readings

Obligations == {"MUST", "MAY", "MUST NOT"}

ASSUME DialectIsKnown ==
  /\ FreshAtArm \in Obligations
  /\ OldAtArm \in Obligations
  /\ SecondArm \in {"MERGE", "TOGETHER"}
  /\ {ErrorsArm, Serialised, ExtraEvent} \subseteq BOOLEAN
  /\ IsReading(Reading)

\* What a step may lead to: the states in yes if it must do a thing, those in no if it must not, all if it may.
Oblige(obligation, yes, no) ==
  CASE obligation = "MUST"     -> yes
    [] obligation = "MAY"      -> yes \union no
    [] obligation = "MUST NOT" -> no

-----------------------------------------------------------------------------
(***************************************************************************)
(* Words that several modules use.                                         *)
(***************************************************************************)

NotifyTypes == IF ErrorsArm THEN {"ERRORS", "SOLICITED", "ANY"} ELSE {"SOLICITED", "ANY"}

\* Outcomes of a request.  CANCELLED is STATUS_CANCELLED (RES-08); FAILED is any other failure.
Outcomes == {"SUCCESS", "FAILED", "CANCELLED"}

\* The operations of NDK_OPERATION_TYPE, apart from NdkSendAndInvalidate, which completes as a Send (RES-01).
InitiatorOps == {"Send", "SendAndInvalidate", "FastRegister", "Bind", "Invalidate", "Read", "Write"}
Ops == InitiatorOps \union {"Receive"}

\* A QP has two queues, each with a CQ of its own (or a common one).
QueueOf(op) == IF op = "Receive" THEN "receive" ELSE "initiator"
Queues == {"initiator", "receive"}

\* What NdkGetCqResultsEx calls the operation of a completion (RES-01, RES-02).
ResultTypes == {"Receive", "ReceiveAndInvalidate", "Send", "FastRegister", "Bind", "Invalidate", "Read", "Write"}

\* In place of a token where there is none.
NoToken == "no token"

Min(m, n) == IF m < n THEN m ELSE n
=============================================================================
