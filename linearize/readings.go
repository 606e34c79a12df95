package linearize

import "slices"

// The readings that tla/ and the model can choose, and this judge cannot: beside the model's steps it relies on the default, on
// the order of completions in a queue (A9) and on what a request owes whose chain is over (A10, A29, A30, A31,
// A34), on when a place is free (A12), on a shared receive queue as no step here has it (A18, A19), on what a closed QP leaves behind (A21), on a close that may wait (A36), and on what a disconnect
// and a failure leave (A38, A40).
var onlyDefault = []string{"A9", "A10", "A12", "A18", "A19", "A21", "A29", "A30", "A31", "A34", "A36", "A38", "A40"}

// Takes reports whether the judge takes another choice of a reading than the default.
func Takes(id string) bool { return !slices.Contains(onlyDefault, id) }
