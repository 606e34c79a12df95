package processor

import (
	"syscall"
	"time"
)

func used() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(process, &created, &exited, &kernel, &user)
	}
	if err != nil {
		panic(err) // which it does for bad arguments only
	}
	return duration(kernel) + duration(user)
}

// duration is a length of time, of which a Filetime counts 100 ns.
func duration(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
