package tlc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TLC finds the same with kept classes as without, also where the file is none that Java can use; and it is made once. (ARM-07,
// broken: the last of two arm requests wins.)
func TestKeepClasses(t *testing.T) {
	r := runner(t)
	c := configuration(t, "wrong/last-arm-wins")
	archive := filepath.Join(r.Build, "classes.jsa")
	for range 2 {
		if err := r.KeepClasses(t.Context()); err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		result, err := r.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if complaints := c.Complaints(result); len(complaints) > 0 {
			t.Errorf("with %d bytes of kept classes: %q", len(kept), complaints)
		}
		if log, err := os.ReadFile(r.Log(c)); err != nil || !bytes.HasPrefix(log, []byte("@!@!@")) {
			t.Errorf("Java says more than TLC does: %.200s (%v)", log, err)
		}
		if err := os.Remove(archive); err != nil { // it can only be read
			t.Fatal(err)
		}
		if err := os.WriteFile(archive, []byte("no classes"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
