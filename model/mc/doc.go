// Package mc is the MC modules of tla/ in Go: the bounds and ghost variables of MCCompletionQueue, MCQueuePair, MCSharedReceiveQueue and MCNdk
// around the contract of package model, the constants of their configurations, their invariants and properties, and the
// explorer that visits every state.
package mc
