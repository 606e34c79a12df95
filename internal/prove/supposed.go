package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Supposed sees that each invariant that a claim of kind ranking supposes is proved by a claim of kind safety, about the same modules and
// the same constants. The module of the ranking may extend those, and declare constants of its own.
func (c *Checker) Supposed(claims []Claim) error {
	read := make([]configuration, len(claims))
	for i, claim := range claims {
		texts, err := c.texts(claim)
		if err == nil {
			read[i], err = readAll(texts)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", claim.Name, err)
		}
	}
	for i, claim := range claims {
		if claim.Kind != Ranking || claim.Verdict != Proved {
			continue
		}
		proved := map[string]bool{}
		modules, err := c.extended(claim.Modules)
		if err != nil {
			return fmt.Errorf("%s: %w", claim.Name, err)
		}
		for j, other := range claims {
			within := !slices.ContainsFunc(other.Modules, func(m string) bool { return !slices.Contains(modules, m) })
			if other.Kind == Safety && other.Verdict == Proved && within && read[i].has(read[j]) {
				for _, n := range read[j].invariants {
					proved[n] = true
				}
			}
		}
		for _, n := range read[i].invariants {
			if !proved[n] {
				return fmt.Errorf("%s supposes the invariant %s, which no claim about the same modules and constants proves", claim.Name, n)
			}
		}
	}
	return nil
}

// has says whether a configuration has the constants and the replacements of another one, and besides these constants only.
func (c configuration) has(other configuration) bool {
	if len(c.replace) != len(other.replace) {
		return false
	}
	for k, by := range other.replace {
		if c.replace[k] != by {
			return false
		}
	}
	for k, v := range other.constants {
		if own, ok := c.constants[k]; !ok || !sameConstant(own, v) {
			return false
		}
	}
	return true
}

var extends = regexp.MustCompile(`(?m)^EXTENDS ([\w, ]+)`)

// extended returns modules, and those of the folders of proofs that they extend.
func (c *Checker) extended(modules []string) (all []string, err error) {
	all = slices.Clone(modules)
	for i := 0; i < len(all); i++ {
		for _, folder := range c.Reader.Folders {
			text, err := os.ReadFile(filepath.Join(folder, all[i]+".tla"))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if found := extends.FindSubmatch(text); found != nil {
				for _, m := range strings.FieldsFunc(string(found[1]), func(r rune) bool { return r == ',' || r == ' ' }) {
					if !slices.Contains(all, m) {
						all = append(all, m)
					}
				}
			}
			break
		}
	}
	return all, nil
}
