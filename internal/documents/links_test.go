package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)`)
	place   = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	spoken  = regexp.MustCompile(`^[a-z]+:`)
	code    = regexp.MustCompile("`[^`\n]*`")
	file    = regexp.MustCompile("`((?:\\w+/)+[\\w.-]+\\.(?:go|tsv|sh|tla|h|c|py|json|yml))`")
	unslug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	inTitle = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// slug returns the anchor that a heading has.
func slug(heading string) string {
	heading = inTitle.ReplaceAllString(heading, "$1")
	return strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, heading := range Headings(page) {
		all[slug(heading)] = true
	}
	for _, named := range place.FindAllStringSubmatch(page, -1) {
		all[named[1]] = true
	}
	return all
}

// dangling returns the links of the pages that lead nowhere, and the files that they name and that are not there.
func dangling(repository fs.FS, pages map[string]string) []string {
	var found []string
	complain := func(name, format string, args ...any) {
		found = append(found, name+": "+fmt.Sprintf(format, args...))
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		text := fence.ReplaceAllString(pages[name], "")
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, "``"), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if spoken.MatchString(target) {
				continue // of another site
			}
			to := name
			if target != "" {
				to = path.Join(path.Dir(name), target)
			}
			if _, err := fs.Stat(repository, strings.TrimSuffix(to, "/")); err != nil {
				complain(name, "%s: there is no %s", m[1], to)
				continue
			}
			if page, known := pages[to]; anchor != "" && known && !anchors(page)[anchor] {
				complain(name, "%s has no %q", to, anchor)
			}
		}
		for _, m := range file.FindAllStringSubmatch(text, -1) {
			if _, err := fs.Stat(repository, m[1]); errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(m[1], "build/") && !strings.Contains(m[1], "NAME") {
				complain(name, "there is no %s", m[1])
			}
		}
	}
	return found
}

// Each link of the documents to another one, or to a file of the repository, leads there, anchors included.
func TestLinksLeadSomewhere(t *testing.T) {
	pages := readPages(t)
	for _, complaint := range dangling(repository, pages) {
		t.Error(complaint)
	}
	links := 0
	for _, page := range pages {
		links += len(link.FindAllString(page, -1))
	}
	if links < 200 {
		t.Errorf("only %d links were found", links)
	}
}

// Links that lead nowhere are found.
func TestDanglingLinksAreFound(t *testing.T) {
	made := map[string]string{
		"README.md": "[a](docs/a.md#one-two) [b](docs/a.md#named) [c](docs/) [d](https://example.org/x) `[e](no.md)`",
		"docs/a.md": "# A\n## One `two`\n<a id=\"named\"></a>\n```sh\n# No heading [f](no.md)\n```\n",
	}
	files := fstest.MapFS{}
	for name, text := range made {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	if found := dangling(files, made); found != nil {
		t.Errorf("%q", found)
	}
	for text, want := range map[string]string{
		"[x](b.md)":         "docs/a.md: b.md: there is no docs/b.md",
		"[x](../README)":    "docs/a.md: ../README: there is no README",
		"[x](#two)":         `docs/a.md: docs/a.md has no "two"`,
		"[x](#no-heading)":  `docs/a.md: docs/a.md has no "no-heading"`,
		"see `docs/b/b.go`": "docs/a.md: there is no docs/b/b.go",
	} {
		changed := maps.Clone(made)
		changed["docs/a.md"] += text
		if found := dangling(files, changed); !slices.Equal(found, []string{want}) {
			t.Errorf("%s: %q, want %q", text, found, want)
		}
	}
}
