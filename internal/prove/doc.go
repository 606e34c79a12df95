// Package prove shows by induction that invariants and properties of steps hold for every depth, every number of requests and every
// length of a chain, from the TLA+ text that TLC checks. docs/proofs.md is for readers; this says what is trusted.
//
// # Values
//
// A value is known in its form, and may be unknown in its parts. A truth value, a number or a string is a term of package smt. A
// record, and a function on strings that are known, has a value for each field. A sequence, and a function on 1..n, has a length and a
// value for each place. A set is a list of branches: the members that a function gives for the values of some unknowns, where a guard
// holds. Other forms have no rule (Specifying Systems, section 16.1, defines all of them as sets, functions and numbers).
//
// # Rules of evaluation
//
// The operators are those of Specifying Systems, chapter 16: section 16.1 for the constant operators, section 16.2.3 for prime,
// UNCHANGED and [A]_v; the standard modules those of chapter 18. In builtin.go and function.go each operator has one rule. Deviations:
//
//   - /\, \/, => and CASE are evaluated from left to right, as TLC does (section 14.2.2). A part that comes after a false conjunct is
//     not evaluated, so that it may be without meaning.
//   - CASE takes the first arm whose condition holds. Where several hold, TLA+ leaves open which is taken; TLC takes the first.
//   - CASE of actions has a path for each arm, where its condition holds and none before it does.
//   - EXCEPT at a field that is not known may change each field of a record: each is what is written, or as it was.
//   - SelectSeq has a new length and new places, with axioms: each place holds an item of the sequence that passes, in the order of the
//     sequence, each item that passes has a place, and there are no more items than the sequence has. There is one such sequence.
//   - CHOOSE x \in S : P(x) is the first member where each P(x) is known, as in TLC. Otherwise it is a new symbol, with the axioms of
//     section 16.1.2: it is a member with P if there is one, and the same CHOOSE is the same value (chosen.go). Any choice is allowed that
//     TLA+ allows, so that what is proved also holds of TLC's. One with a prime has no rule.
//   - Cardinality counts members that are listed; in a state graph, also those of the numbers that come there.
//   - A function applied outside of its domain has any value, and so has a CASE of which no arm holds: a new symbol, of the bound variables
//     around it, the same for the same function or arms (outside.go). TLC stops with an error there. Exceptions: a sequence of unknown
//     length has behind its end what it was made from; a CASE of sets is the last arm; a CASE of actions is not enabled.
//   - An operator of a configuration ("a <- b") replaces the one of that name, and that of a module ("a <-[M] b") the one that M defines,
//     in each instance.
//   - INSTANCE substitutes each name by itself. Another substitution has no rule.
//   - A parameter, or @, whose value is that of the state before has no rule under a prime.
//   - [] has no rule but in a property: [][A]_v, a conjunction of such formulas, or one for all members of a constant set (property.go).
//
// # Paths
//
// steps.go finds the next states as TLC does (section 14.2.6): from left to right; the first x' = e, or x' \in S, assigns x; a second
// one is a condition; \E and \/ branch. A path has a guard, a value for each variable, and the unknowns that \E chose.
//
// # Induction
//
// A state is unknown but for the form that Shape gives its variables, so Shape is an invariant like the others. Let I be the
// conjunction of Shape and all invariants, B what Bounds says of the constants.
//
//	B /\ guard(p) => J(next(p))                 for each path p of MCInit and each part J of I
//	B /\ I /\ guard(p) => J(next(p))            for each path p of MCNext and each part J of I
//	B /\ I /\ guard(p) => P(state, next(p))     for each property [][P]_v
//
// A property that speaks of an action of another CQ than the one that has taken the step has to be proved of two; of what is apart,
// I of any number of CQs is the conjunction of I of each, and so inductive when it is for one (apart.go).
//
// So each reachable state has I, for all values of the constants that are unknown. A condition that folds to true is not asked; the
// others are counted, and the counts are pinned.
package prove
