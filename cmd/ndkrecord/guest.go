package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/internal/commandline"
	"ndkoracle/scripts"
)

// guestOptions are the flags and the arguments of ndkrecord guest.
type guestOptions struct {
	accel, mem, results string
	timeout             time.Duration
	program             []string
}

// ofGuest are the details of guest.
var ofGuest = commandline.Details{See: []commandline.Document{aboutPrograms}, Exits: []commandline.Exit{
	{Code: "PROGRAM's", Meaning: "where it ran"}, {Code: "2", Meaning: "usage"}, {Code: "124", Meaning: "the timeout expired"},
	{Code: "125", Meaning: "the virtual machine failed or could not be started"}, {Code: "130", Meaning: "interrupted"},
}}

const (
	exitTimeout = 124
	exitMachine = 125
)

var memorySize = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)

// guestCommand runs a program in a virtual machine with Soft-RoCE.
func (l *commandLine) guestCommand() *cobra.Command {
	o := guestOptions{}
	c := l.command("guest [--accel kvm|tcg] [--mem SIZE] [--timeout DURATION] [--results FOLDER] -- PROGRAM [ARGUMENT...]",
		"run a program in a virtual machine with Soft-RoCE",
		"guest runs PROGRAM in a virtual machine that has a Soft-RoCE device, rxe0, and sees the files of this machine. PROGRAM starts in the current folder. "+
			"Only files that it writes below FOLDER are kept. The first use downloads a kernel, with apt.",
		"  ndkrecord guest -- ndkrecord run -o FILE -- PROGRAM\n  ndkrecord guest --results build --timeout 2m -- rping -s -a 127.0.0.1",
		func(ctx context.Context, args []string) (int, error) {
			o.program = args
			if err := o.check(); err != nil {
				return exitUsage, commandline.UsageError("%w", err)
			}
			return runGuest(ctx, o, l.streams)
		})
	flags := c.Flags()
	flags.StringVar(&o.accel, "accel", "", "`ACCELERATOR` of the machine: kvm, or tcg, which is emulation; by default kvm if it works")
	flags.StringVar(&o.mem, "mem", "2G", "`SIZE` of the machine's memory, in MiB, or with K, M, G or T")
	flags.StringVar(&o.results, "results", ".", "`FOLDER` that PROGRAM can write")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "`DURATION` after which the machine is stopped, including the boot; in whole seconds")
	commandline.Complete(c, "accel", "kvm", "tcg")
	return l.Describe(c, ofGuest)
}

// check refuses what makes no sense, and a folder that is not there.
func (o *guestOptions) check() error {
	switch {
	case o.accel != "" && o.accel != "kvm" && o.accel != "tcg":
		return fmt.Errorf("--accel %s: kvm or tcg", o.accel)
	case !memorySize.MatchString(o.mem):
		return fmt.Errorf("--mem %s: a number of MiB, or one with K, M, G or T, such as 2G", o.mem)
	case o.timeout < time.Second || o.timeout%time.Second != 0:
		return fmt.Errorf("--timeout %s: whole seconds, 1s at least", o.timeout)
	case len(o.program) == 0:
		return errors.New("PROGRAM is missing: what to run in the virtual machine, after --")
	}
	info, err := os.Stat(o.results)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return fmt.Errorf("--results %s: what PROGRAM writes can't be kept there: %w", o.results, err)
	}
	return nil
}

// runGuest runs a program in the virtual machine. The exit code is the program's where it ran.
func runGuest(ctx context.Context, o guestOptions, s streams) (int, error) {
	command, err := o.command()
	if err != nil {
		return exitMachine, err
	}
	command.Stdin, command.Stdout, command.Stderr = s.stdin, s.stdout, s.stderr
	err = runProgram(ctx, command)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	case err == nil || errors.Is(err, errInterrupted):
		return ended(err)
	}
	return exitMachine, err
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
