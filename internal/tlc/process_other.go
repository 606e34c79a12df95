//go:build !unix

package tlc

import "os/exec"

// contain does nothing where there are no process groups: the command ends with its context alone.
func contain(*exec.Cmd) {}
