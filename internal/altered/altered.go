// Package altered has this repository with other texts in some of its files, by which a test of a check shows that the check finds mistakes.
package altered

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
)

// whole is the repository, as a test sees it whose package is two folders below its root.
var whole = os.DirFS("../..")

// A Repository has the altered texts, by the names of their files. A file that is opened, and not read at once, has its own text.
type Repository map[string]string

// Open implements fs.FS.
func (r Repository) Open(name string) (fs.File, error) { return whole.Open(name) }

// ReadFile implements fs.ReadFileFS.
func (r Repository) ReadFile(name string) ([]byte, error) {
	if text, ok := r[name]; ok {
		return []byte(text), nil
	}
	return fs.ReadFile(whole, name)
}

// Without alters each file of a pattern: what matches an expression becomes another text. It fails the test where nothing matches.
func Without(t *testing.T, pattern, expression, other string) Repository {
	t.Helper()
	files, err := fs.Glob(whole, pattern)
	if err != nil {
		t.Fatal(err)
	}
	r := Repository{}
	for _, file := range files {
		text, err := fs.ReadFile(whole, file)
		if err != nil {
			t.Fatal(err)
		}
		if less := regexp.MustCompile(expression).ReplaceAllString(string(text), other); less != string(text) {
			r[file] = less
		}
	}
	if len(r) == 0 {
		t.Fatalf("%s is not in %s", expression, pattern)
	}
	return r
}
