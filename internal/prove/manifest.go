package prove

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kind says what a claim is about.
type Kind string

// The kinds of claims.
const (
	Safety  Kind = "safety"  // invariants and properties of steps
	Ranking Kind = "ranking" // why something happens in the end
	Apart   Kind = "apart"   // each step and each invariant is of one member of a set alone
)

// Verdict is what is expected of a claim.
type Verdict string

// The verdicts.
const (
	Proved Verdict = "proved" // each condition is refuted
	Fails  Verdict = "fails"  // a condition of the named property is not: a solver has a state and a step
)

// Claim is a line of the manifest.
type Claim struct {
	Name          string
	Kind          Kind
	Modules       []string // that are read
	Configuration string   // path below tla/ of TLC's configuration, without suffix
	Over          string   // the same of the one whose constants override it, and whose invariants come first
	Constants     string   // more constants, as in a configuration
	Verdict       Verdict
	Property      string // of the verdict Fails
	Paths         int    // 0: not pinned
	Conditions    int
	Dead          int  // paths that no state with the invariants can take; -1: not pinned
	More          bool // not part of the usual run
}

// ManifestName is the name of the manifest in tla/proof.
const ManifestName = "manifest.tsv"

const (
	manifestHeader = "claim\tkind\tmodules\tconfiguration\tover\tconstants\tverdict\tproperty\tpaths\tconditions\tdead\trun"
	nothing        = "-"
)

// ReadManifest reads the manifest of a folder. Its errors name file and line.
func ReadManifest(folder string) ([]Claim, error) {
	file := filepath.Join(folder, ManifestName)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != manifestHeader {
		return nil, fmt.Errorf("%s:1: the header is not %q", file, manifestHeader)
	}
	var claims []Claim
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		c, err := parseClaim(line)
		if err == nil && seen[c.Name] {
			err = fmt.Errorf("%s is here twice", c.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
		seen[c.Name] = true
		claims = append(claims, c)
	}
	return claims, nil
}

func parseClaim(line string) (Claim, error) {
	f := strings.Split(line, "\t")
	if want := strings.Count(manifestHeader, "\t") + 1; len(f) != want {
		return Claim{}, fmt.Errorf("%d columns, not %d", len(f), want)
	}
	c := Claim{Name: f[0], Kind: Kind(f[1]), Modules: strings.Fields(f[2]), Configuration: f[3], Over: f[4], Verdict: Verdict(f[6]), Dead: -1}
	if f[5] != nothing {
		c.Constants = f[5]
	}
	if f[7] != nothing {
		c.Property = f[7]
	}
	switch {
	case c.Kind != Safety && c.Kind != Ranking && c.Kind != Apart:
		return c, fmt.Errorf("%q is not a kind: safety, ranking or apart", f[1])
	case c.Verdict != Proved && c.Verdict != Fails:
		return c, fmt.Errorf("%q is not a verdict: proved or fails", f[6])
	case (c.Verdict == Fails) != (c.Property != ""):
		return c, fmt.Errorf("a property is named exactly where the verdict is fails")
	}
	if c.More = f[11] == "more"; !c.More && f[11] != "fast" {
		return c, fmt.Errorf("%q is neither fast nor more", f[11])
	}
	for _, pin := range []struct {
		text  string
		into  *int
		least int
	}{{f[8], &c.Paths, 1}, {f[9], &c.Conditions, 1}, {f[10], &c.Dead, 0}} {
		if pin.text == nothing {
			continue
		}
		n, err := strconv.Atoi(pin.text)
		if err != nil || n < pin.least {
			return c, fmt.Errorf("%q is not a number of paths or conditions", pin.text)
		}
		*pin.into = n
	}
	return c, nil
}

// WriteManifest writes the manifest of a folder.
func WriteManifest(folder string, claims []Claim) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, manifestHeader)
	text := func(s string) string {
		if s == "" {
			return nothing
		}
		return s
	}
	count := func(n, least int) string {
		if n < least {
			return nothing
		}
		return strconv.Itoa(n)
	}
	for _, c := range claims {
		run := "fast"
		if c.More {
			run = "more"
		}
		fields := []string{c.Name, string(c.Kind), strings.Join(c.Modules, " "), c.Configuration, c.Over, text(c.Constants),
			string(c.Verdict), text(c.Property), count(c.Paths, 1), count(c.Conditions, 1), count(c.Dead, 0), run}
		fmt.Fprintln(&b, strings.Join(fields, "\t"))
	}
	return os.WriteFile(filepath.Join(folder, ManifestName), b.Bytes(), 0o644)
}
