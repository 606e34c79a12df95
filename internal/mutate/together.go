package mutate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Chooser is a Go file for the package of the mutants. Its variable says which of them the package is: at first the one that
// the environment names by its number; 0 is none.
const Chooser = `package model

import (
	"os"
	"strconv"
)

var Mutant, _ = strconv.Atoi(os.Getenv("MUTANT"))
`

// Together returns a Go file with all those mutants in it that are of this file: a program with it is built once. Each
// changed function stands there again, under a name of its own; the function itself begins with the choice between them.
func Together(file string, source []byte, mutants map[int]Mutant) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	var b, copies bytes.Buffer
	at := 0
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		start, name, body, end := offset(function.Pos()), offset(function.Name.End()), offset(function.Body.Lbrace)+1, offset(function.End())
		var choices strings.Builder
		for _, number := range slices.Sorted(maps.Keys(mutants)) {
			m := mutants[number]
			if m.File != file || m.from < start || m.from >= end {
				continue
			}
			call, err := call(function, "Mutant"+strconv.Itoa(number))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			fmt.Fprintf(&choices, "\n\tcase %d:\n\t\t%s", number, call)
			fmt.Fprintf(&copies, "\n//line %s:1\n", m) // a complaint of the compiler names the mutant
			copies.Write(source[start:name])
			fmt.Fprintf(&copies, "Mutant%d", number)
			copies.Write(source[name:m.from])
			copies.WriteString(m.text)
			copies.Write(source[m.to:end])
			copies.WriteString("\n")
		}
		b.Write(source[at:body])
		if choices.Len() > 0 {
			fmt.Fprintf(&b, "\n\tswitch Mutant {%s\n\t}\n", choices.String())
		}
		at = body
	}
	b.Write(source[at:])
	b.Write(copies.Bytes())
	return b.Bytes(), nil
}

// call writes the call of a mutant of a function, with the function's own arguments.
func call(function *ast.FuncDecl, suffix string) (string, error) {
	var b strings.Builder
	if function.Type.Results != nil {
		b.WriteString("return ")
	}
	if function.Recv != nil {
		names := function.Recv.List[0].Names
		if len(names) == 0 {
			return "", fmt.Errorf("the receiver of %s has no name", function.Name)
		}
		b.WriteString(names[0].Name + ".")
	}
	b.WriteString(function.Name.Name + suffix + "(")
	for i, field := range function.Type.Params.List {
		if len(field.Names) == 0 {
			return "", fmt.Errorf("a parameter of %s has no name", function.Name)
		}
		for k, name := range field.Names {
			if name.Name == "_" {
				return "", fmt.Errorf("a parameter of %s has no name", function.Name)
			}
			if i+k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name.Name)
		}
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			b.WriteString("...")
		}
	}
	b.WriteString(")")
	if function.Type.Results == nil {
		b.WriteString("\n\t\treturn")
	}
	return b.String(), nil
}
