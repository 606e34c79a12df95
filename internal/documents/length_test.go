package documents

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mostWords bounds what a reader has to read at a time, whoever writes it.
const mostWords = 2500

// shorter are documents with a bound of their own.
var shorter = map[string]int{"docs/how-it-works.md": 900}

// tooLong returns the documents with too many words.
func tooLong(pages map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		words, most := len(strings.Fields(pages[name])), mostWords
		if own := shorter[name]; own != 0 {
			most = own
		}
		switch {
		case words > most:
			found = append(found, fmt.Sprintf("%s has %d words, and %d are enough", name, words, most))
		}
	}
	return found
}

// No document is longer than a quarter of an hour.
func TestDocumentsAreShort(t *testing.T) {
	pages := readPages(t)
	for _, complaint := range tooLong(pages) {
		t.Error(complaint)
	}
	word := strings.Repeat("word ", 901)
	made := map[string]string{
		"docs/how-it-works.md": word, "docs/contract.md": strings.Repeat(word, 3), "docs/rules.md": "Written by \"go generate ./x\".\n" + word,
		"docs/tracecheck.md": word, "docs/witness.md": word,
	}
	want := []string{"docs/contract.md has 2703 words, and 2500 are enough", "docs/how-it-works.md has 901 words, and 900 are enough"}
	if found := tooLong(made); !slices.Equal(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
}
