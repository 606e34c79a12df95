// Package timeline decides whether clauses over hidden times have a schedule.
//
// # Domain
//
// A trace shows calls, returns and completions. It does not show when a request was posted (P), was indicated to the hardware (I),
// when its message arrived (A), when it was executed (X) and when it completed (C), with P ≤ I ≤ A ≤ X ≤ C; nor when a flush
// took effect (F) and when a connection was lost (L). Each is a variable over one total order: the events of the trace, and 4,095
// steps between two of them. P lies between the call and the return of the post, and no clause speaks of I alone, so these two need
// no variable: X > call stands for them.
//
// # Clauses
//
// A clause says of each variable that it is no earlier than something. With r a moment of rest and constants d and t:
//
//	NotBefore   x ≥ t
//	NotAfter    x ≤ t
//	Edge        y ≥ x + d
//	Resting     x ≥ r and r > t  ⇒  y ≥ r        what had not happened at rest, waited for y
//	NotBoth     ¬(x ≥ r and y ≥ r), r > t        what waits for nothing but the other does not wait at rest
//	OneOf       y ≥ min(x1 + d1, …, xn + dn)     something of these came first
//
// # Why the least schedule decides
//
// Let two schedules keep a clause. Then their pointwise minimum keeps it: a clause has at most one literal that bounds a variable
// from below, its conclusion, and all its premises are literals "x ≥ t", which hold of the minimum only if they hold of both.
// Where a premise holds of the minimum, it holds of both schedules, so the conclusion holds of both, and of their minimum.
// NotAfter and NotBoth have no conclusion, so the same argument leaves them kept. Constraints that are closed under minimum in
// this way are solved by propagation (Jeavons and Cooper, Tractable constraints on ordered domains, 1995); they are Horn clauses
// over an order, to which Emmi and Enea reduce the linearizability of collections (POPL 2018). The set of schedules is therefore
// either empty or has a least one. Propagation raises each variable from its first lower bound only as far as a clause forces
// each schedule to go, so what it reaches is below every schedule. If it breaks no NotAfter and no NotBoth, it is a schedule. If it
// breaks one, every schedule does, and there is none. A fact that comes late adds a clause, and propagation goes on from where it
// was: nothing is guessed, and nothing is taken back.
//
// The least schedule has no upper bounds. That x is earlier than t in every schedule is asked by a probe (Excludes): with x ≥ t added, the clauses have a
// schedule or propagation ends in a conflict.
//
// # What is not Horn
//
// "x before y, or y before x" has two conclusions. Of this kind are: the order of two posts that overlap, which message a receive
// took behind a failed send, what a message with a bad token did, and when a completion queue overflowed. The caller leaves these
// out, so what it says of the objects concerned is "undecided".
//
// # Soundness and completeness
//
// A conflict is sound: each bound that leads to it holds in every schedule. Leaving out clauses, dropping moments of rest (collect.go) and
// the bound on propagation (solver.go) lose conflicts and add none. Of the clauses that it was given, propagation misses no conflict.
// Collection loses none: it drops a variable only where no later fact can raise it (mark and sweep from the variables of which more
// may be said), and writes what it forbids others into their deadlines.
//
// A conflict comes with the chain of bounds that led to it. Each has the rule and the line of its clause, so the chain is the
// explanation.
package timeline
