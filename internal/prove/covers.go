package prove

import (
	"fmt"
	"slices"

	"ndkoracle/internal/prove/smt"
)

// Covers says whether a claim is about all that a configuration of TLC has, and about a property.
func (c *Checker) Covers(claim Claim, name, property string) (bool, error) {
	own, err := c.configuration(claim.Configuration + ".cfg")
	if err != nil || !slices.Contains(own.invariants, property) && !slices.Contains(own.properties, property) {
		return false, err
	}
	return c.General(claim, name)
}

// configuration reads a configuration.
func (c *Checker) configuration(name string) (found configuration, err error) {
	text, err := ReadText(c.Folder, name)
	if err == nil {
		err = found.read(text)
	}
	if err != nil {
		return found, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}

// General says whether a claim is about all that a configuration of TLC has. So it is where the configuration is the claim's own. Otherwise
// each constant of the configuration has the same value in that of the claim, or the file over it sets it: a set then has all members that
// the configuration names; any other value is there taken to be more general.
func (c *Checker) General(claim Claim, name string) (bool, error) {
	if claim.Configuration == name {
		return true, nil
	}
	own, err := c.configuration(claim.Configuration + ".cfg")
	if err != nil {
		return false, err
	}
	theirs, err := c.configuration(name + ".cfg")
	if err != nil {
		return false, err
	}
	over, err := c.configuration(claim.Over + overSuffix)
	if err != nil {
		return false, err
	}
	for k, by := range theirs.replace {
		if !over.sets(k) && own.replace[k] != by {
			return false, nil
		}
	}
	for k, v := range theirs.constants {
		general, isSet := over.constants[k].value.(set)
		switch {
		case isSet:
			if _, also := v.value.(set); !also || !within(v.value, general) {
				return false, nil
			}
		case over.sets(k):
		default:
			if x, ok := own.constants[k]; !ok || !sameConstant(x, v) {
				return false, nil
			}
		}
	}
	return true, nil
}

// sets says whether a configuration gives a constant a value.
func (c configuration) sets(name string) bool {
	_, is := c.constants[name]
	return is || c.replace[name] != ""
}

func sameConstant(a, b constant) bool {
	if a.unknown || b.unknown {
		return a.unknown == b.unknown
	}
	x, isSet := a.value.(set)
	y, also := b.value.(set)
	if isSet || also {
		return isSet && also && within(x, y) && within(y, x)
	}
	p, ok := a.value.(scalar)
	q, alike := b.value.(scalar)
	return ok && alike && smt.Same(p.Term, q.Term)
}

// within says whether a set of known values is a subset of another.
func within(a value, b set) bool {
	has := members(b)
	return !slices.ContainsFunc(members(a.(set)), func(v value) bool {
		return !slices.ContainsFunc(has, func(x value) bool { return sameConstant(constant{value: v}, constant{value: x}) })
	})
}
