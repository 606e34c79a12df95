package documents

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var navigated = regexp.MustCompile(`(?m)^ +- (?:[^:\n]+: )?(\S+\.md)$`)

// unreachable returns the pages that the site's navigation lacks or has twice, and those that it has and that are not there. Pages of docs/rules/ and
// docs/commands/ are reached from their index.
func unreachable(site string, pages map[string]string) []string {
	var found []string
	count := map[string]int{}
	for _, m := range navigated.FindAllStringSubmatch(site, -1) {
		count["docs/"+m[1]]++
	}
	for name := range pages {
		if strings.HasPrefix(name, "docs/") && (path.Dir(name) == "docs" || path.Base(name) == "README.md") && count[name] != 1 {
			found = append(found, fmt.Sprintf("%s is in the navigation %d times", name, count[name]))
		}
		delete(count, name)
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		found = append(found, "there is no "+name)
	}
	slices.Sort(found)
	return found
}

// The site of `make docs` has each document in its navigation.
func TestSiteHasEachDocument(t *testing.T) {
	text, err := fs.ReadFile(repository, "mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range unreachable(string(text), readPages(t)) {
		t.Errorf("mkdocs.yml: %s", complaint)
	}
	made := map[string]string{"docs/a.md": "", "docs/b.md": "", "docs/rules/README.md": "", "docs/rules/ARM-01.md": "", "README.md": ""}
	want := []string{"docs/b.md is in the navigation 0 times", "there is no docs/c.md"}
	if found := unreachable("nav:\n  - a.md\n  - Rules: rules/README.md\n  - c.md\n", made); !slices.Equal(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
}

// `make docs` installs nothing but the pinned versions, each by its hash.
func TestSiteIsPinned(t *testing.T) {
	text, err := fs.ReadFile(repository, "scripts/docs-requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for _, requirement := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		if requirement = strings.TrimSpace(requirement); requirement == "" || strings.HasPrefix(requirement, "#") {
			continue
		}
		packages++
		if !strings.Contains(requirement, "==") || !strings.Contains(requirement, "--hash=sha256:") {
			t.Errorf("not pinned by a hash: %s", requirement)
		}
	}
	if packages < 10 {
		t.Errorf("%d packages", packages)
	}
}
