package tlc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Configuration is a line of the manifest: what TLC is to run, and what it is expected to find.
type Configuration struct {
	Name     string // path of the .cfg below tla/, without its suffix
	Module   string // path of the module below tla/, without its suffix
	Verdict  Verdict
	Property string // that must break; "" when the verdict is Pass
	States   int    // distinct states; 0 when not pinned
	Depth    int
	More     bool // of another reading, of the consumer's use, or large: not part of the usual run
	Deep     bool // takes minutes, or longer: not part of the usual run
	Full     bool // takes tens of minutes: part of the full run only
}

// Cfg returns the path of the configuration file below tla/.
func (c Configuration) Cfg() string { return c.Name + ".cfg" }

// ManifestName is the name of the manifest in tla/.
const ManifestName = "manifest.tsv"

const (
	manifestHeader = "configuration\tmodule\tverdict\tproperty\tstates\tdepth\trun"
	nothing        = "-"
)

// ReadManifest reads the manifest of a directory. Its errors name file and line.
func ReadManifest(dir string) ([]Configuration, error) {
	file := filepath.Join(dir, ManifestName)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseManifest(file, string(text))
}

// ParseManifest reads the text of a manifest. Its errors name the file as it is told, and the line.
func ParseManifest(file, text string) ([]Configuration, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != manifestHeader {
		return nil, fmt.Errorf("%s:1: the header is not %q", file, manifestHeader)
	}
	var configurations []Configuration
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		c, err := parseConfiguration(line)
		if err == nil && seen[c.Name] {
			err = fmt.Errorf("%s is here twice", c.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
		seen[c.Name] = true
		configurations = append(configurations, c)
	}
	return configurations, nil
}

func parseConfiguration(line string) (Configuration, error) {
	f := strings.Split(line, "\t")
	if len(f) != strings.Count(manifestHeader, "\t")+1 {
		return Configuration{}, fmt.Errorf("%d columns, not %d", len(f), strings.Count(manifestHeader, "\t")+1)
	}
	c := Configuration{Name: f[0], Module: f[1], Verdict: Verdict(f[2])}
	if f[3] != nothing {
		c.Property = f[3]
	}
	switch {
	case c.Verdict != Pass && c.Verdict != Fail:
		return c, fmt.Errorf("%q is no verdict: pass or fail", f[2])
	case (c.Verdict == Fail) != (c.Property != ""):
		return c, fmt.Errorf("a property is named exactly where the verdict is fail")
	case f[6] != "fast" && f[6] != "more" && f[6] != "deep" && f[6] != "full":
		return c, fmt.Errorf("%q is neither fast, more, deep nor full", f[6])
	}
	c.Full = f[6] == "full"
	c.Deep = c.Full || f[6] == "deep"
	c.More = c.Deep || f[6] == "more"
	for _, pin := range []struct {
		text string
		into *int
	}{{f[4], &c.States}, {f[5], &c.Depth}} {
		if pin.text == nothing {
			continue
		}
		n, err := strconv.Atoi(pin.text)
		if err != nil || n <= 0 {
			return c, fmt.Errorf("%q is no number of states or depth", pin.text)
		}
		*pin.into = n
	}
	return c, nil
}

// WriteManifest writes the manifest of a directory.
func WriteManifest(dir string, configurations []Configuration) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, manifestHeader)
	for _, c := range configurations {
		run := "fast"
		switch {
		case c.Full:
			run = "full"
		case c.Deep:
			run = "deep"
		case c.More:
			run = "more"
		}
		fields := []string{c.Name, c.Module, string(c.Verdict), orNothing(c.Property), pinText(c.States), pinText(c.Depth), run}
		fmt.Fprintln(&b, strings.Join(fields, "\t"))
	}
	return os.WriteFile(filepath.Join(dir, ManifestName), b.Bytes(), 0o644)
}

func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return s
}

func pinText(n int) string {
	if n == 0 {
		return nothing
	}
	return strconv.Itoa(n)
}

// Complaints says in what a result is not what the manifest expects; nothing when it is.
func (c Configuration) Complaints(r Result) []string {
	if r.Verdict == Error {
		return r.Errors
	}
	property := r.Property
	if property == "" && r.Verdict == Fail {
		property = c.Property // a temporal property, which TLC does not name; the configuration has no other
	}
	var found []string
	switch {
	case c.Verdict == Pass && r.Verdict == Fail:
		return []string{fmt.Sprintf("%s is violated", orElse(r.Property, "a temporal property"))}
	case c.Verdict == Fail && r.Verdict == Pass:
		return []string{fmt.Sprintf("it must break %s, and breaks nothing", c.Property)}
	case property != c.Property:
		return []string{fmt.Sprintf("it must break %s, and breaks %s", c.Property, property)}
	}
	if c.States == 0 || c.Depth == 0 {
		return []string{"states and depth are not pinned"}
	}
	if r.States != c.States {
		found = append(found, fmt.Sprintf("%d distinct states, pinned are %d", r.States, c.States))
	}
	if r.Depth != c.Depth {
		found = append(found, fmt.Sprintf("depth %d, pinned is %d", r.Depth, c.Depth))
	}
	return found
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
