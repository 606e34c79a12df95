//go:build !linux

package hwbinding

// lockLimit says that no such limit is known: an adapter is opened on Linux alone.
func lockLimit() string { return "RLIMIT_MEMLOCK is of Linux" }
