package mc

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// Every property that tla/ checks has a function of its name here, and every function a property.
func TestPropertiesHaveTheNamesOfTla(t *testing.T) {
	checked := map[string]bool{}
	for _, folder := range []string{".", "use"} {
		files, err := fs.ReadDir(tla, folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name, ok := strings.CutSuffix(f.Name(), ".cfg"); ok {
				c, err := readConfiguration(tla, path.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				for _, property := range c.checked {
					checked[property] = true
				}
			}
		}
	}
	known := map[string]bool{}
	for name := range invariants {
		known[name] = true
	}
	for name := range properties {
		known[name] = true
	}
	for name := range liveness {
		known[name] = true
	}
	for name := range checked {
		if !known[name] {
			t.Errorf("tla/ checks %s, and nothing here does", name)
		}
	}
	for name := range known {
		if !checked[name] {
			t.Errorf("%s is checked here, and in no configuration of tla/", name)
		}
	}
}
