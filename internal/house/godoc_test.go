package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// undescribed returns the exported names of a package's files that have no comment, and the package itself. String and Error say what they do by their names.
func undescribed(t *testing.T, path string, files []*ast.File, set *token.FileSet) (found []string) {
	t.Helper()
	about, err := doc.NewFromFiles(set, files, path)
	if err != nil {
		t.Fatal(err)
	}
	if about.Doc == "" {
		found = append(found, path)
	}
	functions := func(of string, all []*doc.Func) {
		for _, f := range all {
			if f.Doc == "" && f.Name != "String" && f.Name != "Error" {
				found = append(found, path+": "+of+f.Name)
			}
		}
	}
	functions("", about.Funcs)
	for _, kind := range about.Types {
		grouped := slices.ContainsFunc(kind.Decl.Specs, func(s ast.Spec) bool { // its own comment is beside it
			spec, ok := s.(*ast.TypeSpec)
			return ok && spec.Name.Name == kind.Name && (spec.Doc != nil || spec.Comment != nil)
		})
		if kind.Doc == "" && kind.Decl.Doc == nil && !grouped {
			found = append(found, path+": "+kind.Name)
		}
		functions("", kind.Funcs)
		functions(kind.Name+".", kind.Methods)
	}
	return found
}

// Each package, and each exported name of one, says what it is.
func TestExportedNamesAreDescribed(t *testing.T) {
	set, files := token.NewFileSet(), map[string][]*ast.File{}
	parse := func(name string, source any) {
		file, err := parser.ParseFile(set, name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(name)
		files[folder] = append(files[folder], file)
	}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "build" || strings.HasPrefix(entry.Name(), ".") && name != "."):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			parse(name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 60 {
		t.Fatalf("%d packages", len(files))
	}
	for folder, of := range files {
		if of[0].Name.Name == "main" {
			continue
		}
		for _, name := range undescribed(t, folder, of, set) {
			t.Errorf("no comment: %s", name)
		}
	}
	parse("made/made.go", "package made\nfunc A() {}\ntype B int\n// C is described.\ntype C int\nfunc (C) D() {}\nfunc (C) String() string { return \"\" }\n")
	if got, want := undescribed(t, "made", files["made"], set), []string{"made", "made: A", "made: B", "made: C.D"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
