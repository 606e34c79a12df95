package trace

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) that each line of a trace follows.
func Schema() []byte { return slices.Clone(schema) }
