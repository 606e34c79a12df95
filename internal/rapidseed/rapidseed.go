// Package rapidseed lets property tests be repeated.
package rapidseed

import (
	"flag"
	"testing"
)

// Run runs the tests of a package. The property tests have seed 1, unless -rapid.seed chooses another.
func Run(m *testing.M) int {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	return m.Run()
}
