package thirdparty

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// THIRD-PARTY.md has the licence of each module that a program is built from, in its present version, and of the standard library.
func TestListIsCurrent(t *testing.T) {
	modules, err := Modules("../..")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join("../..", Document))
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != Markdown(modules) {
		t.Errorf("%s is stale: run \"go generate ./internal/thirdparty\"", Document)
	}
	required, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 3 {
		t.Fatalf("only %d modules", len(modules))
	}
	standard := modules[0]
	if standard.Path != StandardLibrary || !slices.Equal(standard.Licences, []string{"BSD-3-Clause"}) || !strings.Contains(standard.Text, "The Go Authors") ||
		!strings.Contains(string(required), "\ngo "+standard.Version+"\n") {
		t.Errorf("the standard library is %+v", standard)
	}
	for _, m := range modules[1:] {
		if !strings.Contains(string(required), "\t"+m.Path+" "+m.Version) {
			t.Errorf("go.mod does not require %s %s", m.Path, m.Version)
		}
		if allowed := []string{"Apache-2.0", "BSD-3-Clause", "MIT"}; slices.ContainsFunc(m.Licences, func(l string) bool { return !slices.Contains(allowed, l) }) {
			t.Errorf("%s: %q can't be part of a program under Apache-2.0 without more", m.Path, m.Licences)
		}
	}
}

// The licences of a text are told by their words.
func TestKindsOf(t *testing.T) {
	for text, want := range map[string][]string{
		"\n  Apache License\n  Version 2.0, January 2004":                {"Apache-2.0"},
		"The MIT License\nPermission is hereby granted, free of charge,": {"MIT"},
		"Neither the name of X\n----\nApache License\nVersion 2.0":       {"Apache-2.0", "BSD-3-Clause"},
		"Mozilla Public License Version 2.0":                             {"MPL-2.0"},
		"All rights reserved.":                                           nil,
	} {
		if got := kindsOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The project's own licence is Apache-2.0, whole.
func TestOwnLicence(t *testing.T) {
	text, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"1. Definitions.", "9. Accepting Warranty", "END OF TERMS AND CONDITIONS"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("LICENSE lacks %q", part)
		}
	}
	if kinds := kindsOf(string(text)); !slices.Equal(kinds, []string{"Apache-2.0"}) {
		t.Errorf("LICENSE is %q", kinds)
	}
}
