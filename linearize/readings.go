package linearize

import "slices"

// The readings that tla/ and the model can choose, and this judge cannot: beside the model's steps, its own code relies on their defaults. They concern
//
//   - the order of completions in a queue (A9);
//   - what is owed for a request whose chain is over (A10, A29, A30, A31, A34);
//   - when a place is free (A12);
//   - shared receive queues, of which the judge has no steps (A18, A19);
//   - the completions of a closed QP (A21), and a close that may wait (A36);
//   - the state after a disconnect and a failure (A38, A40).
var onlyDefault = []string{"A9", "A10", "A12", "A18", "A19", "A21", "A29", "A30", "A31", "A34", "A36", "A38", "A40"}

// Takes reports whether the judge takes another choice of a reading than the default.
func Takes(id string) bool { return !slices.Contains(onlyDefault, id) }
