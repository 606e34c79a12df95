package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An Edit is a mutant of the specification: another text in one definition.
type Edit struct {
	Module     string
	Definition string
	Old, New   string // Old is there exactly once
	What       string // what is wrong then, in words
	// The configuration in which it is found.
	Configuration string
	// By which property, or by ByGraph; Same if nothing finds it, and why.
	Found, Why string
}

// What finds an edit if no property does.
const (
	ByGraph = "GRAPH" // the comparison with the model's graph
	Same    = "SAME"  // nothing: what is reached is the same
)

// IsFound reports whether something is to find it.
func (e Edit) IsFound() bool { return e.Found != Same }

// EditsName is the name of the list of edits in tla/.
const EditsName = "mutants.tsv"

const editsHeader = "module\tdefinition\tin place of\tthere is\tso that\tconfiguration\tfound by"

// ReadEdits reads the list of edits in a folder. Its errors name file and line.
func ReadEdits(dir string) ([]Edit, error) {
	file := filepath.Join(dir, EditsName)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != editsHeader {
		return nil, fmt.Errorf("%s:1: the header is not %q", file, editsHeader)
	}
	var edits []Edit
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		e, err := parseEdit(line)
		if err == nil && seen[e.String()] {
			err = fmt.Errorf("%s is here twice", e)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
		seen[e.String()] = true
		edits = append(edits, e)
	}
	return edits, nil
}

func parseEdit(line string) (Edit, error) {
	f := strings.Split(line, "\t")
	if n := strings.Count(editsHeader, "\t") + 1; len(f) != n {
		return Edit{}, fmt.Errorf("%d columns, not %d", len(f), n)
	}
	e := Edit{Module: f[0], Definition: f[1], Old: f[2], New: f[3], What: f[4], Configuration: f[5]}
	e.Found, e.Why, _ = strings.Cut(f[6], ": ")
	switch {
	case e.Old == "" || e.Old == e.New:
		return e, fmt.Errorf("%s changes nothing", e)
	case e.What == "" || e.Configuration == "" || e.Found == "":
		return e, fmt.Errorf("%s has an empty column", e)
	case e.IsFound() != (e.Why == ""):
		return e, fmt.Errorf("a reason is given exactly where nothing finds it")
	}
	return e, nil
}

// String names the edit.
func (e Edit) String() string { return e.Module + " " + e.Definition + ": " + e.What }

// Apply returns the text of the edit's module, changed.
func (e Edit) Apply(text string) (string, error) {
	var of []Definition
	for _, d := range Definitions(e.Module, text) {
		if d.Name == e.Definition {
			of = append(of, d)
		}
	}
	if len(of) != 1 {
		return "", fmt.Errorf("%s is defined %d times in %s", e.Definition, len(of), e.Module)
	}
	d := of[0]
	if n := strings.Count(d.Text, e.Old); n != 1 {
		return "", fmt.Errorf("%s is %d times in %s!%s, not once", e.Old, n, e.Module, e.Definition)
	}
	end := d.At + len(d.Text)
	return text[:d.At] + strings.Replace(d.Text, e.Old, e.New, 1) + text[end:], nil
}

// WriteEdits writes the list of edits in a folder.
func WriteEdits(dir string, edits []Edit) error {
	var b strings.Builder
	b.WriteString(editsHeader + "\n")
	for _, e := range edits {
		found := e.Found
		if e.Why != "" {
			found += ": " + e.Why
		}
		b.WriteString(strings.Join([]string{e.Module, e.Definition, e.Old, e.New, e.What, e.Configuration, found}, "\t") + "\n")
	}
	return os.WriteFile(filepath.Join(dir, EditsName), []byte(b.String()), 0o644)
}
