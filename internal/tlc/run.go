package tlc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ndkoracle/internal/process"
)

// Runner runs TLC.
type Runner struct {
	Jar     Jar
	Dir     string        // the modules and configurations: tla/
	Build   string        // where outputs and TLC's own files go; each configuration has a folder of its own there
	Timeout time.Duration // of one configuration
	Workers int           // threads of TLC, and what makes long runs fast; 0 is one thread, and what makes short runs fast
	Heap    int           // MiB that Java may take for objects; 0 is 1,024

	archive string // of the classes that a short run loads, or ""
}

// CheckJava says so, and what would help, if there is no Java to run TLC with.
func CheckJava() error {
	if _, err := exec.LookPath("java"); err != nil {
		return errors.New("java is missing: TLC, the model checker of TLA+, runs on it. " +
			"On Debian: apt-get install openjdk-17-jre-headless")
	}
	return nil
}

var errTimeLimit = errors.New("no answer")

// javaFlags are those for short runs: the quick compiler of Java gets further in them than the thorough one.
func javaFlags() []string { return []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"} }

// Log returns the path of what TLC printed for a configuration.
func (r Runner) Log(c Configuration) string { return filepath.Join(r.folder(c), "output.txt") }

func (r Runner) folder(c Configuration) string {
	return filepath.Join(r.Build, strings.ReplaceAll(c.Name, "/", "-"))
}

// Run runs one configuration, with one worker: then distinct states and depth are the same each time, failing
// configurations included. When ctx ends, so does TLC.
func (r Runner) Run(ctx context.Context, c Configuration) (Result, error) {
	return r.run(ctx, c, r.Dir, c.Module, c.Cfg(), nil, "-lncheck", "final")
}

// run runs TLC in a folder on a module and a configuration there. What TLC writes to its third file goes to dump.
func (r Runner) run(ctx context.Context, c Configuration, dir, module, cfg string, dump *os.File, options ...string) (Result, error) {
	folder, err := filepath.Abs(r.folder(c))
	if err != nil {
		return Result{}, err
	}
	library, err := filepath.Abs(r.Dir)
	if err != nil {
		return Result{}, err
	}
	jar, err := filepath.Abs(r.Jar.Path)
	if err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Result{}, err
	}
	scratch := filepath.Join(folder, "scratch") // TLC unpacks the standard modules into Java's directory for such things
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return Result{}, err
	}
	log, err := os.Create(r.Log(c))
	if err != nil {
		return Result{}, err
	}
	defer log.Close()

	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	args, workers := javaFlags(), "1"
	if r.Workers > 0 || c.Full {
		args, workers = []string{"-XX:+UseParallelGC"}, strconv.Itoa(max(1, r.Workers))
	}
	if r.archive != "" && r.Workers == 0 && !c.Full {
		args = append(args, archiveFlags(r.archive)...)
	}
	args = append(args, fmt.Sprintf("-Xmx%dm", cmp.Or(r.Heap, 1024)), "-Djava.io.tmpdir="+scratch,
		"-DTLA-Library="+library+string(filepath.ListSeparator)+filepath.Join(library, "wrong"),
		"-cp", jar, "tlc2.TLC", "-tool", "-workers", workers, "-fp", "0",
		"-metadir", filepath.Join(scratch, "states"), "-config", cfg)
	java := process.Command(limited, "java", append(append(args, options...), module)...)
	java.Dir, java.Stdout, java.Stderr = dir, log, log
	if dump != nil {
		java.ExtraFiles = []*os.File{dump}
	}
	begun := time.Now()
	err = process.Start(java)
	if dump != nil {
		dump.Close() // the reader's end is reached when TLC ends
	}
	if err == nil {
		err = java.Wait()
	}
	elapsed := time.Since(begun)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if limited.Err() != nil {
		return Result{}, fmt.Errorf("%w within %v", errTimeLimit, r.Timeout)
	}
	// TLC exits with a number that is not 0 when a property breaks; what broke is in its output.
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return Result{}, err
	}
	if _, err := log.Seek(0, 0); err != nil {
		return Result{}, err
	}
	result, err := Parse(log)
	result.Elapsed = elapsed
	if err != nil {
		return result, fmt.Errorf("%s: %w", r.Log(c), err)
	}
	return result, nil
}
