package tlc

import (
	"bytes"
	"context"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// command returns a command, for start and run, that gets a process group of its own. The whole group is killed when ctx ends. On Linux the kernel kills
// the command when this process ends, by SIGKILL too.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
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

// start starts a command.
func start(c *exec.Cmd) error {
	started := make(chan error)
	starts() <- func() { started <- c.Start() }
	return <-started
}

// run runs a command, and returns what it said.
func run(c *exec.Cmd) (said []byte, err error) {
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	if err := start(c); err != nil {
		return nil, err
	}
	err = c.Wait()
	return text.Bytes(), err
}
