package tlc

import (
	"fmt"
	"slices"
	"strings"
)

// section returns the keyword of a configuration that a line begins, or "" where it begins none.
func section(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "INVARIANT", "INVARIANTS":
		return "INVARIANT"
	case "PROPERTY", "PROPERTIES":
		return "PROPERTY"
	case "SPECIFICATION", "CONSTANT", "CONSTANTS", "CHECK_DEADLOCK":
		return words[0]
	}
	return ""
}

// checks splits a configuration: what it checks, by keyword, and the text without.
func checks(cfg string) (checked map[string][]string, rest string) {
	checked = map[string][]string{}
	var b strings.Builder
	at := ""
	for line := range strings.Lines(cfg) {
		words := strings.Fields(line)
		if s := section(line); s != "" {
			at, words = s, words[1:]
		}
		if at == "INVARIANT" || at == "PROPERTY" {
			checked[at] = append(checked[at], words...)
		} else {
			b.WriteString(line)
		}
	}
	return checked, b.String()
}

// Checked returns the names of the invariants and properties that the text of a configuration checks.
func Checked(cfg string) []string {
	checked, _ := checks(cfg)
	return slices.Concat(checked["INVARIANT"], checked["PROPERTY"])
}

// CheckOnly returns the text of a configuration that checks one of its invariants and properties, and no other.
func CheckOnly(cfg, name string) (string, error) {
	checked, rest := checks(cfg)
	for keyword, names := range checked {
		if slices.Contains(names, name) {
			return rest + keyword + " " + name + "\n", nil
		}
	}
	return "", fmt.Errorf("%s is not among what is checked: %q", name, checked)
}
