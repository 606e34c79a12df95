package prove

import (
	"fmt"
	"slices"
	"strings"
)

// Auxiliary is a list of invariants that claims have besides those of TLC's configurations.
type Auxiliary struct {
	Of         string // where they are named: a file over configurations, or a claim's column of constants
	Module     string // that defines them; "": that of the claims over the file
	Invariants []string
	Free       []string // constants of the module that may be any number
}

// Auxiliaries returns the invariants of a claim that no configuration of TLC has: those of the file over its configuration first, then those
// in its column of constants, if it has some.
func (c *Checker) Auxiliaries(claim Claim) ([]Auxiliary, error) {
	text, err := ReadText(c.Folder, claim.Over+overSuffix)
	if err != nil {
		return nil, err
	}
	var over, own configuration
	if err := over.read(text); err != nil {
		return nil, fmt.Errorf("%s: %w", claim.Over, err)
	}
	if err := own.read("CONSTANTS " + claim.Constants); err != nil {
		return nil, fmt.Errorf("%s: %w", claim.Name, err)
	}
	list := []Auxiliary{{Of: claim.Over, Invariants: over.invariants}}
	if len(own.invariants) > 0 {
		free := slices.DeleteFunc(sortedKeys(own.constants), func(k string) bool { return !own.constants[k].unknown })
		of := claim.Over + " with " + strings.Join(own.invariants, " ")
		list = append(list, Auxiliary{of, claim.Modules[0], own.invariants, free})
	}
	return list, nil
}
