package rulepages

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"ndkoracle/rules"
)

var repository = os.DirFS("../..")

// stale returns the pages that are missing, are not what the repository says, or are of no rule.
func stale(pages map[string]string, written fs.FS) ([]string, error) {
	var found []string
	files, err := fs.ReadDir(written, ".")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if _, known := pages[file.Name()]; !known {
			found = append(found, file.Name()+" is of no rule")
		}
	}
	for name, page := range pages {
		if text, err := fs.ReadFile(written, name); err != nil || string(text) != page {
			found = append(found, name+" is stale")
		}
	}
	return found, nil
}

// docs/rules/ has a page for each rule, and each says what the rulebook, the corpus and the judge say today.
func TestPagesAreCurrent(t *testing.T) {
	pages, err := Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	written := os.DirFS("../../" + Folder)
	found, err := stale(pages, written)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found {
		t.Errorf("%s: run \"go generate ./internal/rulepages\"", complaint)
	}
	if want := len(rules.All()) + len(rules.Groups()) + 2; len(pages) != want { // and an index, and the readings
		t.Errorf("%d pages, want %d", len(pages), want)
	}
	pages["ARM-01.md"] += "changed"
	delete(pages, "ARM-02.md")
	pages["ARM-99.md"] = "new"
	if spoilt, _ := stale(pages, written); len(spoilt) != len(found)+3 {
		t.Errorf("of three more pages that are not current %q", spoilt)
	}
}

// undrawn returns the pages that list a trace which breaks the rule and draw none with a mark, or that list one which keeps it and draw none.
func undrawn(pages map[string]string) (found []string) {
	for name, page := range pages {
		for title, mark := range map[string]string{"\n## Traces that break it\n": " here", "\n## Traces that keep it\n": "sequenceDiagram"} {
			_, section, listed := strings.Cut(page, title)
			section, _, _ = strings.Cut(section, "\n## ")
			_, drawn, _ := strings.Cut(section, "```mermaid\n")
			drawn, _, _ = strings.Cut(drawn, "```")
			if listed && !(strings.Contains(drawn, mark) && strings.Contains(drawn, "sequenceDiagram")) {
				found = append(found, name+": "+strings.Trim(title, "\n# "))
			}
		}
	}
	return found
}

// Each rule that the corpus breaks has a drawing of that, with a mark at the event (ARM-04, and all others).
func TestTracesAreDrawn(t *testing.T) {
	pages, err := Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range undrawn(pages) {
		t.Errorf("%s, and none is drawn", complaint)
	}
	pages["ARM-04.md"] = strings.ReplaceAll(pages["ARM-04.md"], "ARM-04 broken here", "")
	pages["ARM-11.md"] = strings.ReplaceAll(pages["ARM-11.md"], "```mermaid", "```")
	if n := len(undrawn(pages)); n != 3 {
		t.Errorf("%d of three traces that are not drawn are found", n)
	}
}

// A page has the text, the source, who keeps the rule, its operators, its occasions, and a trace that breaks it and one that keeps it.
func TestPageHasAllParts(t *testing.T) {
	pages, err := Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	page := pages["ARM-11.md"]
	rule, _ := rules.Get("ARM-11")
	for _, part := range []string{"> " + rule.Text, rule.Source, "| who must keep it | provider |", "`CompletionQueue!", "\n- a ", "## Traces that break it\n\nThe shortest is [reject/",
		"```mermaid\n", "ARM-11 broken here", "\n- [reject/", "## Traces that keep it\n\nThe shortest is [accept/", "\n- [accept/", "| property | value |", "| part | names |", "| functions of the judge | `breach."} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of ARM-11 lacks %q:\n%s", part, page)
		}
	}
	for id, part := range map[string]string{
		"POLL-06": "Nothing under this id: judged as POLL-04, POLL-05, POLL-09.",
		"CONN-03": "## Traces that break it",
		"ARM-20":  "`ARM-20/CALLBACK`",
		"ARM-03":  "[moment of rest](../glossary.md#moment-of-rest)",
	} {
		if !strings.Contains(pages[id+".md"], part) {
			t.Errorf("the page of %s lacks %q:\n%s", id, part, pages[id+".md"])
		}
	}
}
