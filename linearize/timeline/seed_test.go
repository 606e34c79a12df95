package timeline

import (
	"flag"
	"os"
	"testing"
)

// TestMain gives the property tests a seed of their own, so that a run can be repeated; -rapid.seed chooses another.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
