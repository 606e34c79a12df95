// Package stdio knows whether a program was started with its standard output closed.
//
// Go's runtime opens /dev/null in place of a standard stream that is closed, before any code of the program runs. What is written then is lost
// without an error, and /dev/null that the caller chose looks the same. So Linux starts the program at a function of this package that looks first,
// where it was linked with -ldflags=-E=ndkoracle/internal/stdio.entry, as make build does it for amd64 and arm64.
package stdio

import "syscall"

// stdout is the result of fcntl on the standard output: an error below 0. It is 0 where fcntl was not called.
var stdout int

// Closed reports whether standard output is known to have been closed when the program was started.
func Closed() bool { return stdout == -int(syscall.EBADF) }
