//go:build race

package raced

// Detector says whether the race detector is built in.
const Detector = true
