package tlc

import (
	"slices"
	"testing"
)

// What a configuration checks can be told, and taken out but for one.
func TestCheckOnly(t *testing.T) {
	const cfg = "SPECIFICATION Safety\nCONSTANTS A = 1\n  B = 2\nINVARIANTS TypeOK\n  Other\nPROPERTIES Goes On\nCHECK_DEADLOCK FALSE\n"
	const rest = "SPECIFICATION Safety\nCONSTANTS A = 1\n  B = 2\nCHECK_DEADLOCK FALSE\n"
	if got := Checked(cfg); !slices.Equal(got, []string{"TypeOK", "Other", "Goes", "On"}) {
		t.Errorf("it checks %q", got)
	}
	for name, want := range map[string]string{"Other": rest + "INVARIANT Other\n", "On": rest + "PROPERTY On\n"} {
		if got, err := CheckOnly(cfg, name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := CheckOnly(cfg, "Nothing"); err == nil {
		t.Error("Nothing is checked, and nothing was said")
	}
}
