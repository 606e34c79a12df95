//go:build !unix

package process

import "os/exec"

// contain does nothing where there are no process groups: the command ends with its context alone.
func contain(*exec.Cmd) {}
