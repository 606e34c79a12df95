// Package thirdparty lists the modules that the programs are built from, each with the text of its licence. THIRD-PARTY.md is its output.
package thirdparty

//go:generate go run generate.go

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Document is the file that Markdown fills, from the root of the repository.
const Document = "THIRD-PARTY.md"

// A Module is part of a program.
type Module struct {
	Path, Version string
	Licences      []string // SPDX identifiers of what its licence file has
	Text          string   // of that file
}

// systems are those that the programs are built for.
var systems = []string{"linux", "windows", "darwin"}

// Modules returns the modules of the programs of a repository, for all systems, by path. It asks the go command, which needs no network where the
// modules are in its cache.
func Modules(repository string) ([]Module, error) {
	folders := map[string][2]string{} // by path: version and folder
	for _, system := range systems {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/...")
		list.Dir, list.Env = repository, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
				folders[fields[0]] = [2]string{fields[1], fields[2]}
			}
		}
	}
	var modules []Module
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		text, err := licence(folders[path][1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		kinds := kindsOf(text)
		if len(kinds) == 0 {
			return nil, fmt.Errorf("%s: the licence is none that is known", path)
		}
		modules = append(modules, Module{path, folders[path][0], kinds, text})
	}
	return modules, nil
}

// licence returns the text of the licence of a module.
func licence(folder string) (string, error) {
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			return strings.ReplaceAll(string(text), "\r\n", "\n"), nil
		}
	}
	return "", fmt.Errorf("no licence in %s", filepath.Base(folder))
}

// kindsOf returns the licences whose words a text has.
func kindsOf(text string) []string {
	words := strings.Join(strings.Fields(text), " ")
	var kinds []string
	for _, kind := range []struct{ name, has string }{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"BSD-3-Clause", "Neither the name of"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
	} {
		if strings.Contains(words, kind.has) {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

// Markdown returns the document.
func Markdown(modules []Module) string {
	var b strings.Builder
	b.WriteString("# What the programs are built from\n\nWritten by \"go generate ./internal/thirdparty\" from what `cmd/` imports on Linux, Windows and macOS.\n\n" +
		"| module | version | licences in its licence file |\n|---|---|---|\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Path, m.Version, strings.Join(m.Licences, ", "))
	}
	for _, m := range modules {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", m.Path, strings.Trim(m.Text, "\n"))
	}
	return b.String()
}
