---------------------------- MODULE RankConsumer -----------------------------
(***************************************************************************)
(* Why every completion that is awaited is polled in the end, whatever the *)
(* depth (EveryCompletionPolled): a rank, of 0 to 20.  While the consumer  *)
(* waits, no step raises it; one thread of the consumer, the one that      *)
(* helps, can go on, and lowers it; and which one helps changes only when  *)
(* the rank falls.  So weak fairness of the threads (UseFairness) leads to *)
(* a poll.                                                                 *)
(***************************************************************************)
EXTENDS ProofConsumer

Instruction(code, i) == IF i \in DOMAIN code THEN code[i] ELSE "end"

\* How far the main loop is from a poll.
MainRank(q) ==
  LET i == consumer[q].main IN
  IF Instruction(Main(q), i) # "arm" THEN 0 ELSE IF Instruction(Main(q), i + 1) \in {"drain", "poll batch"} THEN 1 ELSE 20

\* How far the callback is from a poll, or from waking the main loop.
CallbackRank(q) ==
  LET i == consumer[q].callback IN
  IF i = 0 THEN 8
  ELSE CASE Instruction(Callback(q), i) = "end" -> 9
         [] Instruction(Callback(q), i) = "arm" -> IF Instruction(Callback(q), i + 1) = "drain" THEN 4 ELSE 10
         [] OTHER -> 3

MainHelps(q) == ~At(q, "main", "sleep") \/ consumer[q].woken
Rank(q) == IF ~At(q, "main", "sleep") THEN MainRank(q) ELSE IF consumer[q].woken THEN 2 ELSE CallbackRank(q)

\* A completion that is awaited is there, and the CQ works.
Outstanding == \A q \in CQ : AwaitedIn(q) /\ cq[q].health = "OK"

Helpers == {"Main", "Callback"}
HelpsMain == \A q \in CQ : MainHelps(q)
HelpsCallback == \A q \in CQ : ~MainHelps(q)
MainDoes == \E q \in CQ : Step(q, "main")
CallbackDoes == \E q \in CQ : Step(q, "callback")

\* What EveryCompletionPolled waits for: a poll has taken a completion, or the CQ has failed.
Polled == \A q \in CQ : Len(cq'[q].entries) < Len(cq[q].entries) \/ cq'[q].health # "OK"

NotRaised ==
  \/ Polled
  \/ /\ Outstanding'
     /\ \A q \in CQ : Rank(q)' < Rank(q) \/ (Rank(q)' = Rank(q) /\ (MainHelps(q)' <=> MainHelps(q)))
Lowered == Polled \/ (Outstanding' /\ \A q \in CQ : 0 <= Rank(q)' /\ Rank(q)' < Rank(q))
=============================================================================
