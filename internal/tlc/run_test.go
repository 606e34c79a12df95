package tlc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var build = filepath.Join("..", "..", "build", "tlc")

// runner needs Java, and Maven's client unless the jar is there already. Without them the tests fail: there is nothing
// else that the contract is checked with.
func runner(t *testing.T) Runner {
	t.Helper()
	if err := CheckJava(); err != nil {
		t.Fatal(err)
	}
	jar, err := FindJar(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	return Runner{Jar: jar, Dir: tla, Build: t.TempDir(), Timeout: 5 * time.Minute}
}

func configuration(t *testing.T, name string) Configuration {
	t.Helper()
	for _, c := range readManifest(t) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("the manifest has no %s", name)
	return Configuration{}
}

// ARM-07 and others, kept: a small configuration of the contract, checked by TLC itself.
func TestRunHolds(t *testing.T) {
	c := configuration(t, "CQ-ndkpi-readings-one-must")
	r, err := runner(t).Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if complaints := c.Complaints(r); r.Verdict != Pass || len(complaints) > 0 {
		t.Errorf("%s: %s, %q", c.Name, r.Verdict, complaints)
	}
}

// ARM-07, broken: the last of two arm requests wins.
func TestRunBreaks(t *testing.T) {
	c := configuration(t, "wrong/last-arm-wins")
	r, err := runner(t).Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if complaints := c.Complaints(r); r.Property != "ArmIsTheJoin" || len(r.Trace) == 0 || len(complaints) > 0 {
		t.Errorf("%s: %s of %q, %d steps, %q", c.Name, r.Verdict, r.Property, len(r.Trace), complaints)
	}
}

// A configuration that TLC cannot use is an error, not a verdict.
func TestRunError(t *testing.T) {
	c := configuration(t, "QP-ndkpi")
	c.Module = "MCCompletionQueue"
	r, err := runner(t).Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if complaints := c.Complaints(r); r.Verdict != Error || len(complaints) == 0 {
		t.Errorf("got %s, %q", r.Verdict, complaints)
	}
}

func TestRunStops(t *testing.T) {
	c := configuration(t, "QP-ndkpi-deep")
	impatient := runner(t)
	impatient.Timeout = time.Millisecond
	if _, err := impatient.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "no answer within 1ms") {
		t.Errorf("after its time limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runner(t).Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("after being stopped: %v", err)
	}
}

func TestFindJar(t *testing.T) {
	other := filepath.Join(t.TempDir(), "tla2tools.jar")
	if err := os.WriteFile(other, []byte("no jar"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(jarFromEnv, other)
	if jar, err := FindJar(t.Context(), build); err != nil || jar.Path != other || !strings.Contains(jar.Source, other) || jar.Pinned {
		t.Errorf("%s: got %+v, %v", jarFromEnv, jar, err)
	} else {
		copied, err := jar.Copy(t.TempDir())
		if content, _ := os.ReadFile(copied.Path); err != nil || string(content) != "no jar" || copied.Path == other {
			t.Errorf("the copy %s has %q (%v)", copied.Path, content, err)
		}
		if err := os.WriteFile(other, []byte("another"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := jar.Copy(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has changed") {
			t.Errorf("a jar that was changed since it was looked at: %v", err)
		}
	}
	t.Setenv(jarFromEnv, other+"x")
	if _, err := FindJar(t.Context(), build); err == nil || !strings.Contains(err.Error(), jarFromEnv) {
		t.Errorf("a missing jar in %s: %v", jarFromEnv, err)
	}
	t.Setenv(jarFromEnv, "")

	tampered := t.TempDir()
	if err := os.WriteFile(filepath.Join(tampered, jarName), []byte("no jar"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindJar(t.Context(), tampered); err == nil || !strings.Contains(err.Error(), "not the jar that is pinned") {
		t.Errorf("a jar with another SHA-256: %v", err)
	}
}

// Where a program is missing, the message says which, and what would help.
func TestProgramsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(jarFromEnv, "")
	if err := CheckJava(); err == nil || !strings.Contains(err.Error(), "apt-get install openjdk") {
		t.Errorf("without java: %v", err)
	}
	if _, err := FindJar(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "apt-get install maven") {
		t.Errorf("without mvn: %v", err)
	}
}
