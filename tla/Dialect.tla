------------------------------- MODULE Dialect -------------------------------
(***************************************************************************)
(* NDKPI, the Network Direct Kernel Provider Interface, is how Windows     *)
(* kernel code (the consumer) drives an RDMA adapter (through its          *)
(* provider).  The consumer posts requests to queue pairs; the adapter     *)
(* executes them and places a completion of each in a completion queue     *)
(* (CQ); the consumer polls completions (NdkGetCqResults, or               *)
(* NdkGetCqResultsEx, which tells more of each), and arms the CQ           *)
(* (NdkArmCq) to be called back when there is something to poll.           *)
(*                                                                         *)
(* Read the modules in this order:                                         *)
(*   Dialect          the words, and what differs between three interfaces *)
(*   CompletionQueue  arming, notification callbacks, polling              *)
(*   QueuePair        posting, deferring, executing, completing, flushing  *)
(*   Tokens           what makes a memory token valid or invalid           *)
(*   Ndk              the three together                                   *)
(*   SharedReceiveQueue  receives that several queue pairs share           *)
(*   Consumer         in which order to arm, poll and sleep                *)
(*   Dialects         a table to look up: what each interface says         *)
(*   Readings         a table to look up: what is chosen where the         *)
(*                    documentation can be read in two ways                *)
(*   MC...            bounds and ghost variables for TLC                   *)
(*   Trace...         TraceRules, TraceCheck, TraceBlame: a recorded trace *)
(*                    as runs of module Ndk, and who broke a rule          *)
(*   wrong/Wrong...   wrong rules, to see that the properties can fail     *)
(*                                                                         *)
(* ARM-04 and the like are rules, A1, A2, ... open questions: both are     *)
(* those of the rulebook, docs/rules.md.  Where the documentation can be   *)
(* read in two ways, the reading taken is said, and the rejected one too,  *)
(* or both are choices of module Readings.                                 *)
(*                                                                         *)
(* Who takes a step can be told by its name.  NdkArmCq and the like are    *)
(* calls of the consumer; Ndk...Enter and Ndk...Exit are the ends of a     *)
(* callback, which the provider makes, and so is NdkCloseCompletion of a   *)
(* CQ, whose two ends are one step.  Post and PostRefused are NdkSend,     *)
(* NdkReceive and all other calls that post a request: the one returned    *)
(* success, the other failure.  What is marked Hidden is the adapter's:    *)
(* neither the consumer nor a recorder of its calls sees when it happens.  *)
(*                                                                         *)
(* A queue pair (QP) is one end of a connection; the QP at the other end   *)
(* is its peer.  It has two queues.  To the initiator queue go the         *)
(* requests that act: a message to the peer (NdkSend), a read or write of  *)
(* the peer's memory, and work on tokens.  To the receive queue go         *)
(* buffers, each for one message of the peer.  The sender of a message can *)
(* ask that the receiver be woken by it: the receive is then solicited.    *)
(* A token is the name by which memory can be reached.  NdkFastRegister    *)
(* gives one to a region of memory, NdkBind to a window into a region, and *)
(* NdkInvalidate takes it back.  NdkSendAndInvalidate is a message that    *)
(* takes back a token of its receiver's, who would else have to.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, Dialects, Readings

(***************************************************************************)
(* What is open in NDKPI the documentation of ndspi may answer: a poll     *)
(* stops short only of an empty CQ (A7), and a CQ can't shrink below what  *)
(* it holds (A16).  So it is checked here; a recorded trace is judged by   *)
(* Default, unless another reading is asked for.                           *)
(***************************************************************************)
CONSTANTS
  Dialect,  \* the interface: a record of module Dialects
  Reading   \* how the documentation is read: Default, or another record of module Readings

\* Of what a CQ holds, that is fresh which came since its last callback, and old what was there before.
FreshAtArm  == Dialect.FreshAtArm   \* must arming a CQ call back at once that holds a fresh completion of the kind asked for?
                                    \* (ARM-04)
OldAtArm    == Dialect.OldAtArm     \* the same, when no fresh completion matches: all are old, or fresh but of another kind
                                    \* (ARM-05)
SecondArm   == Dialect.SecondArm    \* two arm requests outstanding: one callback ("MERGE", ARM-07), or one each, all satisfied
                                    \* together by what the strongest waits for ("TOGETHER")
ErrorsArm   == Dialect.ErrorsArm    \* an arm can wait for errors of the CQ itself (ARM-08)
Serialised  == Dialect.Serialised   \* callbacks of one CQ never overlap (ARM-06)
ExtraEvent  == Dialect.ExtraEvent   \* a callback with nothing to poll is allowed (ARM-21)
ErrorState  == Dialect.ErrorState   \* a flush moves a QP to an error state, in which it takes posts of either queue and flushes
                                    \* them (FLUSH-06, POST-08)
FailureEnds == Dialect.FailureEnds  \* a request that fails ends the connection: nothing succeeds behind it (FLUSH-06); else A40
                                    \* says so
LowAtArm    == Dialect.LowAtArm     \* must arming an SRQ call back at once that holds fewer receives than the threshold? (SRQ-03)

Obligations == {"MUST", "MAY", "MUST NOT"}

ASSUME DialectIsKnown ==
  /\ Dialect \in [ FreshAtArm  : Obligations,
                   OldAtArm    : Obligations,
                   SecondArm   : {"MERGE", "TOGETHER"},
                   ErrorsArm   : BOOLEAN,
                   Serialised  : BOOLEAN,
                   ExtraEvent  : BOOLEAN,
                   ErrorState  : BOOLEAN,
                   FailureEnds : BOOLEAN,
                   LowAtArm    : Obligations ]
  /\ IsReading(Reading)

\* What a step may lead to: the states in yes if it must do a thing, those in no if it must not, all if it may.
Oblige(obligation, yes, no) ==
  CASE obligation = "MUST"     -> yes
    [] obligation = "MAY"      -> yes \union no
    [] obligation = "MUST NOT" -> no

(***************************************************************************)
(* What a QP promises depends on its type, too.  ndkpi and ndspi have RC,  *)
(* the reliable connection, alone; libibverbs has unreliable ones as well: *)
(* UC, and UD for datagrams, which has no peer.  XRC promises what RC does.*)
(***************************************************************************)
Promises ==
  [ RC |-> [ delivers     |-> TRUE,     \* a message that succeeds was taken by a receive; else it may be lost without a word
             endsWithPeer |-> TRUE,     \* the peer or the network may end the connection, and requests are cancelled for it
             sendsApart   |-> FALSE ],  \* a failed initiator request stops the initiator queue alone
    UC |-> [ delivers |-> FALSE, endsWithPeer |-> FALSE, sendsApart |-> TRUE ],
    UD |-> [ delivers |-> FALSE, endsWithPeer |-> FALSE, sendsApart |-> TRUE ] ]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Words that several modules use.                                         *)
(***************************************************************************)

\* What a consumer can ask to be notified of, and what the dialect knows of it.
AllNotifyTypes == {"ERRORS", "SOLICITED", "ANY"}
NotifyTypes == IF ErrorsArm THEN AllNotifyTypes ELSE AllNotifyTypes \ {"ERRORS"}

\* Outcomes of a request.  CANCELLED is STATUS_CANCELLED (RES-08); FAILED is any other failure.
Outcomes == {"SUCCESS", "FAILED", "CANCELLED"}

\* The operations of NDK_OPERATION_TYPE, and NdkSendAndInvalidate, which is none there, and completes as a Send (RES-01).
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
