package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A type of more fields does more than one job, and so does a longer file.
const (
	mostFields = 20
	mostLines  = 400
)

// mirrors are types with as many fields as what they mirror, each with what that is.
var mirrors = map[string]string{
	"model.Reading": "the readings of Readings.tla",
	"trace.Event":   "the fields of an event, docs/trace-format.md",
}

// fieldsOf counts the fields of a struct. An embedded one counts as one, and padding (_) as none.
func fieldsOf(s *ast.StructType) int {
	n := 0
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			n++
		}
		for _, name := range f.Names {
			if name.Name != "_" {
				n++
			}
		}
	}
	return n
}

// sizesOf returns the fields of each type with a name in a file, and the lines of the file where it is one of linearize: all by what the list above calls
// them.
func sizesOf(pkg, file string, text []byte) (fields, lines map[string]int, err error) {
	fields, lines = map[string]int{}, map[string]int{}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if named, ok := n.(*ast.TypeSpec); ok {
			if s, ok := named.Type.(*ast.StructType); ok {
				fields[pkg+"."+named.Name.Name] = fieldsOf(s)
			}
		}
		return true
	})
	if pkg == "linearize" || strings.HasPrefix(pkg, "linearize/") {
		lines[path.Join(pkg, file)] = bytes.Count(text, []byte("\n"))
	}
	return fields, lines, nil
}

// tooLarge returns what is too large, one sentence each, and what the list excuses though it need not.
func tooLarge(fields, lines map[string]int) []string {
	var found []string
	check := func(sizes map[string]int, most int, unit string) {
		for _, name := range slices.Sorted(maps.Keys(sizes)) {
			size := sizes[name]
			switch _, mirror := mirrors[name]; {
			case mirror && size <= most:
				found = append(found, fmt.Sprintf("%s has %d %s: take it off the list of mirrors", name, size, unit))
			case !mirror && size > most:
				found = append(found, fmt.Sprintf("%s has %d %s, and no more than %d are allowed", name, size, unit, most))
			}
		}
	}
	check(fields, mostFields, "fields")
	check(lines, mostLines, "lines")
	for _, name := range slices.Sorted(maps.Keys(mirrors)) {
		if fields[name] == 0 {
			found = append(found, name+" is in the list of mirrors, and is not there")
		}
	}
	return found
}

// No rule, but the house: no type has more than 20 fields, and no file of the judge more than 400 lines.
func TestTypesAndFilesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	fields, lines := map[string]int{}, map[string]int{}
	eachGoFile(t, root, func(file, pkg string) error {
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		of, long, err := sizesOf(pkg, filepath.Base(file), text)
		for name, n := range of { // one of several files for build tags has the most
			fields[name] = max(fields[name], n)
		}
		maps.Copy(lines, long)
		return err
	})
	for _, complaint := range tooLarge(fields, lines) {
		t.Error(complaint)
	}
}

// Shows that what is too large is found, and what the list excuses wrongly.
func TestLargeTypesAreFound(t *testing.T) {
	sound := func() (fields, lines map[string]int) {
		fields, lines = map[string]int{"linearize/stream.cq": mostFields}, map[string]int{"linearize/check.go": mostLines}
		for name := range mirrors {
			fields[name] = mostFields + 1
		}
		return fields, lines
	}
	if got := tooLarge(sound()); got != nil {
		t.Errorf("complaints about what is small: %q", got)
	}
	for _, mistake := range []struct {
		name string
		size int
		want string
	}{
		{"linearize/stream.cq", 21, "linearize/stream.cq has 21 fields, and no more than 20 are allowed"},
		{"linearize/check.go", 401, "linearize/check.go has 401 lines, and no more than 400 are allowed"},
		{"trace.Event", 20, "trace.Event has 20 fields: take it off the list of mirrors"},
		{"trace.Event", 0, "trace.Event is in the list of mirrors, and is not there"},
	} {
		fields, lines := sound()
		of := fields
		if strings.HasSuffix(mistake.name, ".go") {
			of = lines
		}
		if of[mistake.name] = mistake.size; mistake.size == 0 {
			delete(of, mistake.name)
		}
		if got := tooLarge(fields, lines); len(got) != 1 || got[0] != mistake.want {
			t.Errorf("%s of size %d: got %q, want %q", mistake.name, mistake.size, got, mistake.want)
		}
	}
	text := []byte("package p\n\ntype t struct {\n\ta, b int\n\tm\n\t_ int\n}\n")
	fields, lines, err := sizesOf("linearize/p", "f.go", text)
	if err != nil || fields["linearize/p.t"] != 3 || lines["linearize/p/f.go"] != 7 {
		t.Errorf("got %v fields, %v lines, error %v; want 3 fields, 7 lines", fields, lines, err)
	}
}
