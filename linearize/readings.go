package linearize

import "slices"

// The readings that tla/ and the model can choose, and this judge cannot: beside the model's steps it relies on the default, on
// the order of completions in a queue (A9) and on what ends a chain and what a request then owes (A10, A11, A29, A30, A31,
// A34), on when a place is free (A12) and on what a closed QP leaves behind (A21).
var onlyDefault = []string{"A9", "A10", "A11", "A12", "A21", "A29", "A30", "A31", "A34"}

// Takes reports whether the judge takes another choice of a reading than the default.
func Takes(id string) bool { return !slices.Contains(onlyDefault, id) }
