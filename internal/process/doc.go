// Package process runs other programs: each in a process group of its own, which ends with its context, and on Linux with this process, whatever ends
// that.
package process
