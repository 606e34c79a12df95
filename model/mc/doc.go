// Package mc is the MC modules of tla/ in Go. It adds the bounds and ghost variables of MCCompletionQueue, MCQueuePair, MCSharedReceiveQueue and MCNdk to
// the contract of package model. It also has the constants of their configurations, their invariants and properties, and the explorer that visits every
// state.
package mc
