package documents

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var repository = os.DirFS("../..")

func readPages(t *testing.T) map[string]string {
	t.Helper()
	pages, err := Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []string{"README.md", "docs/contract.md", "docs/glossary.md"} {
		if pages[needed] == "" {
			t.Fatalf("%s was not read", needed)
		}
	}
	return pages
}

// terms are the words that the project uses with one meaning.
var terms = strings.Split("provider, consumer, completion, completion queue, work request, work queue, queue pair, arm, notification callback, poll, placed, "+
	"owed callback, moment of rest, chain, deferred, indicated, executed, flushed, silent, solicited, token, memory region, memory window, connection, "+
	"peer, boundary event, hidden step, explanation, verdict, reading, dialect, witness, component", ", ")

// misdefined returns what is wrong with a glossary: each term has one heading, with a definition below, and nothing else has one.
func misdefined(glossary string) []string {
	var found []string
	count := map[string]int{}
	for _, section := range strings.Split(glossary, "\n### ")[1:] {
		term, text, _ := strings.Cut(section, "\n")
		count[term]++
		text, _, _ = strings.Cut(text, "\n## ")
		if words := len(strings.Fields(text)); words < 5 || words > 50 {
			found = append(found, fmt.Sprintf("%s: a definition has 5 to 50 words, not %d", term, words))
		}
	}
	for _, term := range terms {
		if count[term] != 1 {
			found = append(found, fmt.Sprintf("%s is defined %d times", term, count[term]))
		}
		delete(count, term)
	}
	for _, other := range slices.Sorted(maps.Keys(count)) {
		found = append(found, other+" is not a term")
	}
	return found
}

// docs/glossary.md defines each term once.
func TestGlossaryDefinesEachTermOnce(t *testing.T) {
	glossary := readPages(t)["docs/glossary.md"]
	for _, complaint := range misdefined(glossary) {
		t.Error(complaint)
	}
	for _, test := range []struct{ text, other, want string }{
		{"### peer\n", "### other end\n", "peer is defined 0 times"},
		{"### peer\n", "### other end\n", "other end is not a term"},
		{"### peer\n", "### arm\n", "arm is defined 2 times"},
		{"The software that calls the provider.", "", "consumer: a definition has 5 to 50 words, not 0"},
	} {
		if got := misdefined(strings.ReplaceAll(glossary, test.text, test.other)); !slices.Contains(got, test.want) {
			t.Errorf("%q for %q: %q, want %q", test.other, test.text, got, test.want)
		}
	}
}

// forbidden are the words that documents do not use, and what they use instead. Names are forbidden as code only.
var forbidden = []struct {
	words   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bthis engine does not follow\b`), `"undecided: …"`},
	{regexp.MustCompile(`(?i)\bof which the trace does not tell\b`), `"that the trace does not record"`},
	{regexp.MustCompile(`(?i)\bnothing explains what\b`), `"which contradicts the events before it"`},
	{regexp.MustCompile(`(?i)\bso many \w+ at a time\b`), `"number of … in parallel"`},
	{regexp.MustCompile(`(?i)^\W*\w+\W+takes that\b`), "what it does: handles, records, returns"},
	{regexp.MustCompile(`(?i)\bas is known since\b`), `"learned later"`},
	{regexp.MustCompile(`(?i)\bso that costs each\b`), `"so the amortised cost of …"`},
	{regexp.MustCompile(`(?i)\bnobody (knows|sees)\b`), `"is not known", "is hidden"`},
	{regexp.MustCompile(`(?i)\bis no violation\b`), `"is not a violation"`},
	{regexp.MustCompile("`(\\w+\\.)*(mayHaveWaitedAfterAll|crowding|crowded|fed|brought|met|sight|posting|lane|moment)(\\(\\))?`"),
		"reopenSendsAfterReceiveFailure, overflowWindow, usesSharedReceiveQueue, receivesSucceeded, nextReceive, observation, request, workQueue, eventIndex"},
}

// unstylish returns the words of a page that documents do not use.
func unstylish(name, page string) []string {
	var found []string
	for i, line := range strings.Split(page, "\n") {
		for _, f := range forbidden {
			if words := f.words.FindString(line); words != "" {
				found = append(found, fmt.Sprintf("%s:%d: %q: write %s", name, i+1, words, f.instead))
			}
		}
	}
	return found
}

// No document uses a word that has a plainer one.
func TestDocumentsUsePlainWords(t *testing.T) {
	pages := readPages(t)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for _, complaint := range unstylish(name, pages[name]) {
			t.Error(complaint)
		}
	}
	for _, bad := range []string{
		"Whether w0 waited, this engine does not follow.", "changes a token of which the trace does not tell", "and nothing explains what was seen before",
		"judge so many traces at a time", "`cancelledBehind` takes that a poll found nothing", "the same, as is known since", "so that costs each close the same",
		"Whether it failed nobody knows", "it is no violation", "see `stream.lane`", "`cq.fed()` is true",
	} {
		if unstylish("a page", bad) == nil {
			t.Errorf("%q passes", bad)
		}
	}
	if found := unstylish("a page", "At a moment of rest nothing is on its way, which is not a violation."); found != nil {
		t.Error(found)
	}
}
