//go:build !race

// Package raced tells tests whether they run under the race detector, which makes a search ten times slower: what takes minutes without it is sampled then,
// and scripts/test.sh runs it once more, whole, without it.
package raced

// Detector says whether the race detector is built in.
const Detector = false
