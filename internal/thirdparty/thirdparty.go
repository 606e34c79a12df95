// Package thirdparty lists the modules that the programs are built from, Go's standard library among them, each with the text of its licence. THIRD-PARTY.md is its output.
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

// StandardLibrary is the path of the module that each program of Go has in it: the standard library, and the runtime.
const StandardLibrary = "the standard library of Go"

// A Module is part of a program.
type Module struct {
	Path, Version string
	Licences      []string // SPDX identifiers of what its licence file has
	Text          string   // of that file
}

// systems are those that the programs are built for.
var systems = []string{"linux", "windows", "darwin"}

// Modules returns the modules of the programs of a repository, for all systems, by path, and the standard library before them. It asks the go command, which needs no network where the
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
	standard, err := standardLibrary(repository)
	if err != nil {
		return nil, err
	}
	modules := []Module{standard}
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		m, err := module(path, folders[path][0], folders[path][1])
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// module returns a module of which a folder has the licence.
func module(path, version, folder string) (Module, error) {
	text, err := licence(folder)
	if err != nil {
		return Module{}, fmt.Errorf("%s: %w", path, err)
	}
	kinds := kindsOf(text)
	if len(kinds) == 0 {
		return Module{}, fmt.Errorf("%s: the licence is none that is known", path)
	}
	return Module{path, version, kinds, text}, nil
}

// standardLibrary returns the standard library of the Go that builds a repository. Its version is the one that go.mod asks for: any later one may build a program.
func standardLibrary(repository string) (Module, error) {
	var answers []string
	for _, args := range [][]string{{"env", "GOROOT"}, {"list", "-m", "-f", "{{.GoVersion}}"}} {
		ask := exec.Command("go", args...)
		ask.Dir = repository
		out, err := ask.Output()
		if err != nil {
			return Module{}, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
		answers = append(answers, strings.TrimSpace(string(out)))
	}
	return module(StandardLibrary, answers[1], answers[0])
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
	b.WriteString("# What the programs are built from\n\nWritten by \"go generate ./internal/thirdparty\" from what `cmd/` imports on Linux, Windows and macOS. The version of the standard library is the lowest that builds the programs.\n\n" +
		"| module | version | licences in its licence file |\n|---|---|---|\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Path, m.Version, strings.Join(m.Licences, ", "))
	}
	for _, m := range modules {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", m.Path, strings.Trim(m.Text, "\n"))
	}
	return b.String()
}
