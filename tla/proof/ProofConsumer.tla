---------------------------- MODULE ProofConsumer ----------------------------
(***************************************************************************)
(* Why a consumer that follows a right pattern never sleeps beside a       *)
(* completion, whatever the depth of its CQ: an inductive invariant.  It   *)
(* is the same one for all patterns and dialects.                          *)
(***************************************************************************)
EXTENDS MCConsumer, Integers

\* The form of every value.
CompletionShape ==
  [qp : STRING, queue : STRING, req : Int, status : STRING, type : STRING, solicited : BOOLEAN, token : STRING]

CqShape ==
  [entries : Seq(CompletionShape), fresh : Int, uncounted : BOOLEAN, taken : SUBSET AllNotifyTypes, arm : STRING, waiting : Int,
   due : Int, errorDue : BOOLEAN, running : BOOLEAN, health : STRING, reported : BOOLEAN, depth : Int, resize : STRING, asked : Int,
   open : STRING]

ConsumerShape == [pattern : Patterns, awaits : STRING, main : Int, callback : Int, woken : BOOLEAN]

Shape == cq \in [CQ -> CqShape] /\ consumer \in [CQ -> ConsumerShape]

\* What is supposed of the constants.
Bounds == 1 <= Depth /\ Depth <= Room

\* For Kinds: any completion, of any request.
AnyCompletion ==
  [qp : {"a"}, queue : Queues, req : Nat, status : Outcomes, type : ResultTypes, solicited : BOOLEAN, token : STRING]

-----------------------------------------------------------------------------
\* The last of these instructions in a program, or 0.
Last(code, instructions) ==
  CHOOSE i \in 0..Len(code) : /\ i = 0 \/ code[i] \in instructions
                              /\ \A j \in DOMAIN code : code[j] \in instructions => j <= i

Main(q) == Code(q, "main")
Callback(q) == Code(q, "callback")

\* Something is under way after which the consumer arms, or wakes.
Pending(q) ==
  \/ consumer[q].woken
  \/ cq[q].due > 0 \/ cq[q].errorDue
  \/ consumer[q].callback \in 1..Last(Callback(q), {"arm", "wake"})

Strength(arm) == CASE arm = "NONE" -> 0 [] arm = "ERRORS" -> 1 [] arm = "SOLICITED" -> 2 [] arm = "ANY" -> 3

\* Once the main loop has armed, and nothing is under way, the arm is outstanding; and where all has been drained, nothing that is
\* awaited came since.
ArmedOrPending ==
  \A q \in CQ :
    consumer[q].main > Last(Main(q), {"arm"}) /\ ~Pending(q) =>
      IF cq[q].health = "OK" THEN
        /\ Strength(cq[q].arm) >= Strength(consumer[q].awaits)
        /\ At(q, "main", "sleep") /\ consumer[q].callback \notin DOMAIN Callback(q) => ~AwaitedIn(q)
      ELSE ErrorsArm => cq[q].reported

\* What came since a drain that ended just before an arm is fresh, unless a callback has begun since.
After(q, thread) ==
  consumer[q][thread] \in {i \in DOMAIN Code(q, thread) : i > 1 /\ Code(q, thread)[i] = "arm" /\ Code(q, thread)[i - 1] = "drain"}
AllFresh(q) == cq[q].health = "OK" => cq[q].fresh = Len(cq[q].entries)
FreshBeforeArm ==
  \A q \in CQ : /\ After(q, "main") /\ ~Pending(q) => AllFresh(q)
                /\ After(q, "callback") => AllFresh(q)

\* The consumer of a pattern neither closes its CQ nor resizes it.
StaysOpen == \A q \in CQ : cq[q].open = "OPEN"

\* Under the readings of the table all is fresh at first (A26), and nothing is remembered of what was polled (A25).
AllIsCounted == \A q \in CQ : ~cq[q].uncounted /\ cq[q].taken = {}

\* The callback's program runs while the callback does.
RunsWhileRunning == Serialised => \A q \in CQ : cq[q].running <=> consumer[q].callback # 0

\* Only a CQ that failed has an error to report.
ErrorHasCause == \A q \in CQ : cq[q].errorDue \/ cq[q].reported => cq[q].health # "OK"
=============================================================================
