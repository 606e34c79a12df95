// Package documents reads the documents of the project, which its tests hold to their promises: one meaning for a term, no word that the
// style forbids, no link that leads nowhere, no page that is too long.
package documents

import (
	"io/fs"
	"path"
	"strings"
)

// Pages returns the documents of a repository, by their paths in it: those of its root that persons write, and every Markdown file below docs/.
func Pages(repository fs.FS) (map[string]string, error) {
	pages := map[string]string{}
	read := func(name string) error {
		text, err := fs.ReadFile(repository, name)
		pages[name] = string(text)
		return err
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		if err := read(name); err != nil {
			return nil, err
		}
	}
	err := fs.WalkDir(repository, "docs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		return read(name)
	})
	return pages, err
}

// Headings returns the headings of a page in their order, without their marks. Lines of code blocks are not headings.
func Headings(page string) []string {
	var headings []string
	code := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if marks := strings.TrimLeft(line, "#"); !code && marks != line && strings.HasPrefix(marks, " ") {
			headings = append(headings, strings.TrimSpace(marks))
		}
	}
	return headings
}
