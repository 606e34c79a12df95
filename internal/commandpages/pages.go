// Package commandpages writes a page for each command of tracecheck and ndkrecord, docs/commands/PROGRAM-COMMAND.md, and an index of the programs. The
// programs write the pages from the definitions of their commands (man --markdown), so it builds them.
package commandpages

//go:generate go run generate.go

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is where the pages are, from the root of the repository.
const Folder = "docs/commands"

// Index is the page that lists the others.
const Index = "README.md"

// programs are those with a page for each command.
var programs = []string{"tracecheck", "ndkrecord"}

const written = "\nWritten by \"go generate ./internal/commandpages\" from the definitions of the commands.\n"

// Build builds the programs that have pages into a folder.
func Build(repository, folder string) error {
	for _, program := range programs {
		if _, err := output(repository, "go", "build", "-o", filepath.Join(folder, program), "./cmd/"+program); err != nil {
			return err
		}
	}
	return nil
}

// Pages returns the pages by the names of their files, from programs that Build has built into a folder.
func Pages(repository, built string) (map[string]string, error) {
	folder, err := os.MkdirTemp("", "commandpages")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for _, program := range programs {
		if _, err := output(repository, filepath.Join(built, program), "man", "--markdown", folder); err != nil {
			return nil, err
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		pages[file.Name()] = string(text) + written
	}
	listing, err := output(repository, "go", "list", "-f", "{{.ImportPath}}\t{{.Doc}}", "./cmd/...")
	if err != nil {
		return nil, err
	}
	pages[Index] = index(pages, listing)
	return pages, nil
}

// output runs a command in the repository.
func output(repository, program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Dir = repository
	out, err := command.Output()
	if exit, failed := err.(*exec.ExitError); failed {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

// index lists the commands that have pages, and the programs that have none. The listing has a line for each program, of its package and what that does.
func index(pages map[string]string, listing string) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nEach command of `tracecheck` and `ndkrecord` has a page with its flags and exit codes. The programs print the same, as `tracecheck help check` does.\n")
	for _, program := range programs {
		fmt.Fprintf(&b, "\n## %s\n\n| command | what it does |\n|---|---|\n", program)
		for _, name := range slices.SortedFunc(maps.Keys(pages), byCommand) {
			if of := strings.TrimSuffix(name, ".md"); of == program || strings.HasPrefix(of, program+"-") {
				title, rest, _ := strings.Cut(strings.TrimPrefix(pages[name], "# "), "\n\n")
				what, _, _ := strings.Cut(rest, "\n")
				fmt.Fprintf(&b, "| [%s](%s) | %s |\n", title, name, what)
			}
		}
	}
	b.WriteString("\n## Programs for work on the repository\n\nThey have flags and no commands. `-h` prints the flags, as in `go run ./cmd/tlcrun -h`.\n\n" +
		"| program | what it does |\n|---|---|\n")
	for _, program := range others(listing) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", program[0], strings.TrimPrefix(program[1], "Command "+program[0]+" "))
	}
	return b.String() + written
}

// byCommand orders the page of a program before those of its commands.
func byCommand(a, b string) int {
	return strings.Compare(strings.TrimSuffix(a, ".md"), strings.TrimSuffix(b, ".md"))
}

// others returns the programs of a listing that have no pages, each with what it does.
func others(listing string) (all [][2]string) {
	for line := range strings.Lines(listing) {
		of, what, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name := path.Base(of); !slices.Contains(programs, name) {
			all = append(all, [2]string{name, what})
		}
	}
	return all
}
