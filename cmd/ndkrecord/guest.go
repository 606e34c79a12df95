package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"ndkoracle/scripts"
)

// guestOptions are the command line of ndkrecord guest.
type guestOptions struct {
	accel, mem, results string
	timeout             time.Duration
	program             []string
}

const guestUsage = `usage: ndkrecord guest [--accel kvm|tcg] [--mem SIZE] [--timeout DURATION] [--results FOLDER] -- PROGRAM [ARGUMENT...]

Runs PROGRAM in a virtual machine that has a Soft-RoCE device, rxe0, and sees the files of this one. It begins in the current folder.
What it writes into FOLDER is kept, all else it writes is lost. To record it: ndkrecord guest -- ndkrecord run -o FILE -- PROGRAM.
The first use downloads a kernel, with apt.

`

const guestExits = "Exit: PROGRAM's; 124 the time was up, 125 the virtual machine failed or could not be started, 2 usage, 130 interrupted."

const (
	exitTimeout = 124
	exitMachine = 125
)

var memorySize = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)

func parseGuest(args []string, stderr io.Writer) (guestOptions, error) {
	o := guestOptions{}
	set := flag.NewFlagSet("ndkrecord guest", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.accel, "accel", "", "kvm, or tcg: emulation; where it is not given, kvm where it works")
	set.StringVar(&o.mem, "mem", "2G", "`SIZE` of the machine's memory, in MiB, or with K, M, G or T")
	set.StringVar(&o.results, "results", ".", "`FOLDER` that PROGRAM can write")
	set.DurationVar(&o.timeout, "timeout", 10*time.Minute, "`DURATION` until the machine is stopped, with the time that it takes to boot; in whole seconds")
	if err := parseFlags(set, args, guestUsage, guestExits, stderr); err != nil {
		return o, err
	}
	o.program = set.Args()
	switch {
	case o.accel != "" && o.accel != "kvm" && o.accel != "tcg":
		return o, fmt.Errorf("--accel %s: kvm or tcg", o.accel)
	case !memorySize.MatchString(o.mem):
		return o, fmt.Errorf("--mem %s: a number of MiB, or one with K, M, G or T, such as 2G", o.mem)
	case o.timeout < time.Second || o.timeout%time.Second != 0:
		return o, fmt.Errorf("--timeout %s: whole seconds, 1s at least", o.timeout)
	case len(o.program) == 0:
		return o, errors.New("PROGRAM is missing: what to run in the virtual machine, behind --")
	}
	info, err := os.Stat(o.results)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return o, fmt.Errorf("--results %s: what PROGRAM writes can't be kept there: %w", o.results, err)
	}
	return o, nil
}

// runGuest is the command guest: it runs a program in a virtual machine with Soft-RoCE.
func runGuest(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseGuest(args, stderr)
	if err != nil {
		return exitOfParsing(err, stderr)
	}
	command, err := o.command()
	if err != nil {
		fmt.Fprintf(stderr, "ndkrecord: %s\n", explain(err))
		return exitMachine
	}
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, stderr
	err = runProgram(ctx, command)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() >= 0 {
		return ended.ExitCode()
	}
	if errors.Is(err, errInterrupted) || err == nil {
		return exitOf(err, stderr)
	}
	fmt.Fprintf(stderr, "ndkrecord: %s\n", explain(err))
	return exitMachine
}

// command returns what starts the virtual machine.
func (o *guestOptions) command() (*exec.Cmd, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("guest starts its virtual machine on Linux only")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, fmt.Errorf("the virtual machine is started by a script: %w", err)
	}
	folder, err := guestScripts()
	if err != nil {
		return nil, fmt.Errorf("the scripts that start the virtual machine: %w", err)
	}
	args := []string{filepath.Join(folder, "guest.sh"), "--mem", o.mem, "--timeout", strconv.Itoa(int(o.timeout / time.Second)), "--results", o.results}
	if o.accel != "" {
		args = append(args, "--accel", o.accel)
	}
	return exec.Command(bash, append(append(args, "--"), o.program...)...), nil
}

// guestScripts returns the folder of the scripts: that of the repository where this program is in its bin, or else one in the user's cache, where they are
// written. The kernel that the guest boots is kept beside that folder.
func guestScripts() (string, error) {
	program, err := beside()
	if err != nil {
		return "", err
	}
	repository := filepath.Join(filepath.Dir(program), "scripts")
	if _, err := os.Stat(filepath.Join(repository, "guest.sh")); err == nil && filepath.Base(program) == "bin" {
		return repository, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "ndkoracle", "scripts")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	files, err := fs.Glob(scripts.Guest, "*")
	if err != nil {
		return "", err
	}
	for _, name := range files {
		if err := keepScript(folder, name); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// keepScript has a script be in a folder as this program has it. Another ndkrecord may read it meanwhile, so it is replaced as a whole.
func keepScript(folder, name string) error {
	want, err := scripts.Guest.ReadFile(name)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, name)
	if is, err := os.ReadFile(file); err == nil && bytes.Equal(is, want) {
		return nil
	}
	written, err := os.CreateTemp(folder, name+".*")
	if err != nil {
		return err
	}
	defer os.Remove(written.Name())
	_, err = written.Write(want)
	if err = errors.Join(err, written.Chmod(0o755), written.Close()); err != nil {
		return err
	}
	return os.Rename(written.Name(), file)
}
