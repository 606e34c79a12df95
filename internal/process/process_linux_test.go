package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asParent is set in the environment of a test binary that is to start a command and wait.
const asParent = "NDK_PROCESS_PARENT"

func init() {
	if os.Getenv(asParent) != "" {
		runtime.LockOSThread() // the first thread, which never ends, is for main alone
	}
}

// TestMain lets the tests end a process that has started another.
func TestMain(m *testing.M) {
	if os.Getenv(asParent) == "" {
		os.Exit(m.Run())
	}
	c, started := Command(context.Background(), "sleep", "1000"), make(chan error)
	go func() {
		runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
		started <- Start(c)
	}()
	if err := <-started; err != nil {
		panic(err)
	}
	fmt.Println(c.Process.Pid)
	_ = c.Wait()
}

// isOver waits until a process has ended. A zombie has ended as well.
func isOver(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(status), ") Z ") {
			return
		}
	}
	t.Errorf("process %d goes on", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// A command ends with the process that started it, killed or not, and not with the thread that asked for it.
func TestCommandEndsWithItsParent(t *testing.T) {
	parent := exec.CommandContext(t.Context(), os.Args[0])
	parent.Env = append(os.Environ(), asParent+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // the thread that asked for the command has ended by now
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the command has ended before its parent: %v", err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // killed
	isOver(t, pid)
}

// What a command has started ends with its context, too.
func TestGroupEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Command(ctx, "sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Start(c); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(pid); err != nil || group != c.Process.Pid || group == syscall.Getpgrp() {
		t.Errorf("process %d is of group %d (%v), its parent is %d", pid, group, err, c.Process.Pid)
	}
	cancel()
	if err := c.Wait(); err == nil {
		t.Error("the command succeeded")
	}
	isOver(t, pid)
}
