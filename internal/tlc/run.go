package tlc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Runner runs TLC.
type Runner struct {
	Jar     Jar
	Dir     string        // the modules and configurations: tla/
	Build   string        // where outputs and TLC's own files go; each configuration has a folder of its own there
	Timeout time.Duration // of one configuration
}

// CheckJava says so, and what would help, if there is no Java to run TLC with.
func CheckJava() error {
	if _, err := exec.LookPath("java"); err != nil {
		return errors.New("java is missing: TLC, the model checker of TLA+, runs on it. " +
			"On Debian: apt-get install openjdk-17-jre-headless")
	}
	return nil
}

// Log returns the path of what TLC printed for a configuration.
func (r Runner) Log(c Configuration) string { return filepath.Join(r.folder(c), "output.txt") }

func (r Runner) folder(c Configuration) string {
	return filepath.Join(r.Build, strings.ReplaceAll(c.Name, "/", "-"))
}

// Run runs one configuration, with one worker: then distinct states and depth are the same each time, failing
// configurations included. When ctx ends, so does TLC.
func (r Runner) Run(ctx context.Context, c Configuration) (Result, error) {
	folder, err := filepath.Abs(r.folder(c))
	if err != nil {
		return Result{}, err
	}
	dir, err := filepath.Abs(r.Dir)
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
	// The runs are short: the quick compiler of Java gets further in them than the thorough one.
	java := exec.CommandContext(limited, "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g",
		"-Djava.io.tmpdir="+scratch, "-DTLA-Library="+dir, "-cp", jar, "tlc2.TLC", "-tool", "-workers", "1", "-fp", "0",
		"-lncheck", "final", "-metadir", filepath.Join(scratch, "states"), "-config", c.Cfg(), c.Module)
	java.Dir, java.Stdout, java.Stderr = dir, log, log
	start := time.Now()
	runErr := java.Run()
	elapsed := time.Since(start)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if limited.Err() != nil {
		return Result{}, fmt.Errorf("no answer within %v", r.Timeout)
	}
	// TLC exits with a number that is not 0 when a property breaks; what broke is in its output.
	if exit := new(exec.ExitError); runErr != nil && !errors.As(runErr, &exit) {
		return Result{}, runErr
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
