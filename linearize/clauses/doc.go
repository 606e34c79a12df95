// Package clauses states the contract of queue pairs as clauses over hidden times, which package timeline solves. Each rule is
// declared once, in the table Rules: its id, its clause, how a reason says it, and its headline. Facts come from package facts,
// and what functions mean from package calls.
//
// A request has the times X (executed) and C (completed), a message A (arrived), a silent request S (failed, if it did). A flush has F. V is when a request
// made its token valid, or never if it did not succeed. E is the time from which on nothing succeeds on a queue pair. L is when its connection was lost,
// which the trace need not record. U is when the first request of a queue whose outcome is not known may have failed. O is when a CQ overflowed. E, L, U
// and O may be never.
//
// # Rules
//
// The clauses, as the table has them:
//
//	DEF-03    a refused request has no completion
//	POLL-05   a result is of a request that is outstanding, in its CQ, with the outcome of its point
//	POST-08   an initiator request is accepted on a queue pair that is connected
//	FLAG-02   X(silent invalidation) ≥ min(V) behind the end of its token
//	POLL-07   X(invalidation) ≥ min(V) behind an end that NdkGetCqResults told of
//	POLL-07   A8: the same behind an end that NdkGetCqResults told of
//	POLL-08   X(invalidation) ≥ min(V) behind the end of its token
//	POLL-08   A8: return of a post answered as for a valid token > min(V) behind the end of its token
//	INV-05    X(receive that invalidates) ≥ min(V) behind the end of its token
//	INV-05    V ≥ X(registration), never if that did not succeed
//	FLAG-02   E, L > X(silent) at rest, without a completion
//	POST-08   L ≤ return of a post that tells of it
//	FLUSH-06  ndspi: L ≤ X(failed); verbs: E ≤ X(failed), E ≤ X(cancelled)
//	INV-05    E, L ≤ X(message)+1 that succeeded and whose receive did not; X ≤ X(message)+1 of both ends, posted before it
//	FLUSH-06  verbs: E ≤ F
//	FLUSH-05  what is posted behind a flush is cancelled, under A15=CANCELLED
//	DISC-10   E ≤ F of a disconnect; L ≤ the callback of one that failed
//	POLL-05   X(fenced) ≥ X(read before it)
//	POLL-05   A(message) ≥ X(request before it that changes a token)
//	FLUSH-01  X < F, not cancelled and posted before the flush
//	FLAG-02   RES-10, RES-11 behind a silent request that may have failed
//	FLAG-02   X(silent) < F, and before the end of its connection, as a later one of its queue was delivered
//	INV-05    RES-10 of a connection on which a message named a token
//	RES-10    E, L > A of a message that was received
//	RES-10    E, L > X(success); E, L > call of a success at the other end
//	RES-10    X(cancelled) ≥ min(F, L, O), unconnected min(F, X(failed)+1); verbs, RC: min(F, X(failed)+1), of the peer also
//	RES-11    verbs: the same of an initiator request; UC, UD: X(flushed) ≥ min(F, X(failed)+1)
//	FLUSH-02  X ≤ F, posted before the flush
//	FLAG-02   C > rest ⇒ S ≥ rest
//	POST-08   X(success) ≥ call of a connect that was not refused
//	DEF-04    C ≤ rest, delivered with nothing called since but polls and arms
//	DEF-04    X(message) ≥ rest ⇒ E, L ≥ rest, of both ends; X(receive) ≥ rest ⇒ E ≥ rest
//	DEF-04    ¬(X(send) > rest and X(receive) > rest); C > rest ⇒ A ≥ rest
//	DEF-04    C > rest ⇒ X ≥ rest; X ≤ rest, if it waits for nobody
//	DEF-05    X ≤ rest, where a post that was refused ended the chain
//	FLAG-02   X(silent) ≤ delivery of a later one of its queue
//	POLL-03   C > call of a poll that found nothing
//	POLL-03   C > C of what was delivered before it
//	POLL-09   X(later) ≥ X(earlier), but for what may pass a read
//	POLL-09   C(later) > C(earlier)
//	POLL-05   C(delivered later) > C(delivered earlier)
//	POLL-05   X(k'th receive that succeeds) ≥ A(k'th send)
//	POLL-05   X(k'th send that succeeds) ≥ X(k'th receive that may)
//	FLAG-02   X(k'th silent send that succeeds) ≥ X(k'th receive that may)
//	POLL-05   X(last message posted) ≥ X(receive that succeeds)
//	POLL-05   C at the point that shows it
//	ARM-17    C ≤ enter of a callback that reports an error of its CQ
//	POLL-05   C ≤ return of the poll that delivers it
//	POLL-05   A < X < C
//	POLL-05   X > call of its post
//	FLUSH-01  F ≥ its call; F ≤ its return
//	RES-10    U ≥ X of the first that waits on a queue; O > C of what its CQ took
//
// # What is undecided
//
// These make the queue pairs concerned, and their peers, undecided:
//
//   - a shared receive queue;
//   - polls that overlap in NDKPI;
//   - more than 64 outstanding requests while another is posted on their queue;
//   - a queue pair of two connections;
//   - a state of ibv_modify_qp in which requests wait or are dropped;
//   - an opcode that the trace does not record, and missing events;
//   - readings that change the order of a queue or what a chain owes (A9, A29, A31, A34), which the judge does not accept.
//
// A token that more than one queue uses is followed as far as the order of its uses is known. A request whose signaling is not recorded is treated as
// silent, which forbids less. This package does not handle traces of two hosts. Events of one time are in the order of their lines. An engine never reports
// a violation for what is undecided.
//
// If more requests may complete than a CQ has room for, it may have overflowed. Moments of rest count up to the least O, which each delivery of the CQ
// raises. An internal error may have happened at any time before it is reported. So a conflict of clauses about the queue pairs of that CQ is undecided, and
// only what one fact shows is a violation.
package clauses
