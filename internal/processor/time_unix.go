//go:build unix

package processor

import (
	"syscall"
	"time"
)

func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // which it does for bad arguments only
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
