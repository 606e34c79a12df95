------------------------------ MODULE Readings ------------------------------
(***************************************************************************)
(* Where the documentation can be read in more than one way.  A1, A2, ...  *)
(* are the rulebook's ambiguities.                                         *)
(***************************************************************************)

\* What each may be.
Choices ==
  [ A1  |-> {"KEPT", "LOST", "NO ARM"},   \* an error of the CQ finds no arm: it is kept for the next, or lost; or it needs none
    A2  |-> {"EITHER", "ONE", "TWO"},     \* an arm is satisfied while a callback is owed: so many are owed then
    A3  |-> {"ENTRY", "RETURN"},          \* what the CQ holds is old from when on: a callback's entry, or its return?
    A4  |-> {"MAY", "MUST", "MUST NOT"},  \* does a failed completion satisfy an ERRORS arm?
    A5  |-> {"MUST NOT", "MAY"},          \* does a success that is not solicited satisfy a SOLICITED arm?
    A6  |-> {"IF DRAINED", "NEVER"},      \* a callback on an empty CQ: after it was drained, or never
    A7  |-> {"MAY", "MUST NOT"},          \* does a poll leave entries behind for which it has room?
    A16 |-> {"EITHER", "REFUSED"},        \* a resize below what the CQ holds: it may succeed, or is always refused
    A24 |-> {"NONE", "1", "2"},           \* a bound on the callbacks that are owed
    A25 |-> {"NO", "YES"},                \* does a fresh completion satisfy an arm, though it was polled before?
    A26 |-> {"FRESH", "OLD"},             \* what the completions are that come before the first callback
    A28 |-> {"AT ONCE", "AT RETURN"},     \* an arm within a callback looks at what is in the CQ at once, or at the return
    A33 |-> {"ANY PART", "ALL"},          \* of the entries of a failed CQ so much can be polled
    A35 |-> {"AT LEAST", "EXACT"} ]       \* how many completions a CQ holds, compared with its depth

\* What is taken, unless a configuration chooses one of the others below.
Default ==
  [A1 |-> "KEPT", A2 |-> "EITHER", A3 |-> "ENTRY", A4 |-> "MAY", A5 |-> "MUST NOT", A6 |-> "IF DRAINED", A7 |-> "MAY",
   A16 |-> "EITHER", A24 |-> "NONE", A25 |-> "NO", A26 |-> "FRESH", A28 |-> "AT ONCE", A33 |-> "ANY PART",
   A35 |-> "AT LEAST"]

IsReading(reading) == DOMAIN reading = DOMAIN Choices /\ \A id \in DOMAIN Choices : reading[id] \in Choices[id]

A1_LOST == [Default EXCEPT !.A1 = "LOST"]
A1_NO_ARM == [Default EXCEPT !.A1 = "NO ARM"]
A2_ONE_A4_MUST == [Default EXCEPT !.A2 = "ONE", !.A4 = "MUST"]
A2_TWO_A4_MUST_NOT == [Default EXCEPT !.A2 = "TWO", !.A4 = "MUST NOT"]
A3_RETURN == [Default EXCEPT !.A3 = "RETURN"]
A5_MAY == [Default EXCEPT !.A5 = "MAY"]
A6_NEVER == [Default EXCEPT !.A6 = "NEVER"]
A7_MUST_NOT == [Default EXCEPT !.A7 = "MUST NOT"]
A16_REFUSED == [Default EXCEPT !.A16 = "REFUSED"]
A24_1 == [Default EXCEPT !.A24 = "1"]
A24_2 == [Default EXCEPT !.A24 = "2"]
A25_YES == [Default EXCEPT !.A25 = "YES"]
A26_OLD == [Default EXCEPT !.A26 = "OLD"]
A28_AT_RETURN == [Default EXCEPT !.A28 = "AT RETURN"]
A33_ALL == [Default EXCEPT !.A33 = "ALL"]
A35_EXACT == [Default EXCEPT !.A35 = "EXACT"]
=============================================================================
