------------------------------ MODULE Readings ------------------------------
(***************************************************************************)
(* Where the documentation can be read in more than one way.  A1, A2, ...  *)
(* are the rulebook's ambiguities.                                         *)
(***************************************************************************)

\* What each may be.
Choices ==
  [ A2  |-> {"EITHER", "ONE", "TWO"},     \* an arm is satisfied while a callback is owed: so many are owed then
    A4  |-> {"MAY", "MUST", "MUST NOT"},  \* does a failed completion satisfy an ERRORS arm?
    A35 |-> {"AT LEAST", "EXACT"} ]       \* how many completions a CQ holds, compared with its depth

\* What is taken, unless a configuration chooses one of the others below.
Default == [A2 |-> "EITHER", A4 |-> "MAY", A35 |-> "AT LEAST"]

IsReading(reading) == DOMAIN reading = DOMAIN Choices /\ \A id \in DOMAIN Choices : reading[id] \in Choices[id]

A2_ONE_A4_MUST == [Default EXCEPT !.A2 = "ONE", !.A4 = "MUST"]
A2_TWO_A4_MUST_NOT == [Default EXCEPT !.A2 = "TWO", !.A4 = "MUST NOT"]
A35_EXACT == [Default EXCEPT !.A35 = "EXACT"]
=============================================================================
