package process

import (
	"bytes"
	"context"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Command returns a command, for Start and Run, with a process group of its own. The whole group is killed when ctx ends. On Linux the kernel kills
// the command when this process ends, even by SIGKILL.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = time.Second // a child that left the group may keep its output open
	contain(c)
	return c
}

// starts carries out functions on a thread that lives as long as the process: Linux kills a child when the thread that started it ends.
var starts = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

// Start starts a command.
func Start(c *exec.Cmd) error {
	started := make(chan error)
	starts() <- func() { started <- c.Start() }
	return <-started
}

// Run runs a command, and returns what it said.
func Run(c *exec.Cmd) (said []byte, err error) {
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	if err := Start(c); err != nil {
		return nil, err
	}
	err = c.Wait()
	return text.Bytes(), err
}
