package hwbinding

import (
	"fmt"
	"syscall"
)

// lockLimit says how much memory this process may lock.
func lockLimit() string {
	const rlimitMemlock = 8
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(rlimitMemlock, &limit); err != nil {
		return fmt.Sprintf("RLIMIT_MEMLOCK is unknown: %v", err)
	}
	return fmt.Sprintf("RLIMIT_MEMLOCK is %d bytes", limit.Cur)
}
