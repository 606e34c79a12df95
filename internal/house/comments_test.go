package house

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unplain are the patterns that a line of a comment does not have, and what it has instead.
var unplain = []struct {
	words   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(no|any|some|every)body\b`), `"no thread", "no caller", "is not known", "hidden step"`},
	{regexp.MustCompile(`\btoo([.:;,)]|$)`), `"also", "as well", "included"`},
	{regexp.MustCompile(`^\w+(\.\w+)? takes (that|the knowledge|back|down|away|the (entry|return|call|completion|close|end))\b`), `"handles", "records", "removes"`},
	{regexp.MustCompile(`^… `), "what the field is, without the comment above"},
	{regexp.MustCompile(`\bso many\b`), `"that many", "the number of", "how many"`},
	{regexp.MustCompile(`(?i)\b(what|that|which|it|this|one) is no (violation|trace|event|message|witness|record|object|array)\b`), `"is not a"`},
	{regexp.MustCompile(`\bthe trace does not tell\b`), `"the trace does not record"`},
	{regexp.MustCompile(`\bnothing tells\b`), `"nothing shows"`},
	{regexp.MustCompile(`\bas is known since\b`), `"learned later"`},
}

// unplainComments returns the lines of a file's comments that have such a pattern. Preformatted lines quote what is written elsewhere, so they may.
func unplainComments(name string, text any) (found []string, err error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			first := set.Position(comment.Pos()).Line
			for i, line := range strings.Split(comment.Text, "\n") {
				line, preformatted := strings.CutPrefix(line, "//\t")
				if preformatted {
					continue
				}
				line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "/*"))
				for _, u := range unplain {
					if words := u.words.FindString(line); words != "" {
						found = append(found, fmt.Sprintf("%s:%d: %q: write %s", name, first+i, words, u.instead))
					}
				}
			}
		}
	}
	return found, nil
}

// No rule, but the house: comments say who, and what is done, in plain words.
func TestCommentsUsePlainWords(t *testing.T) {
	files := 0
	eachGoFile(t, filepath.Join("..", ".."), func(file, _ string) error {
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files++
		found, err := unplainComments(file, nil)
		for _, complaint := range found {
			t.Error(complaint)
		}
		return err
	})
	if files < 500 {
		t.Fatalf("only %d files were looked at", files)
	}
}

// Shows that each pattern is found, with its line, and that plain words pass.
func TestUnplainCommentsAreFound(t *testing.T) {
	for _, bad := range []string{
		"Nobody knows when.", "a thread, if anybody waits", "It is closed, too.", "as is the other, too", "left takes that a request left.",
		"Exited takes the return of a callback.", "… of its last", "a list of so many bytes", "What is no trace is refused.", "that is no violation",
		"what the trace does not tell", "where nothing tells the outcome", "the deadline, as is known since",
	} {
		text := "package p\n\n// A is first.\n//\n// " + bad + "\nvar A int\n\nvar B int // " + bad + "\n\n/*\n" + bad + "\n*/\n"
		found, err := unplainComments("p.go", text)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range []string{"p.go:5: ", "p.go:8: ", "p.go:11: "} {
			if len(found) != 3 || !strings.HasPrefix(found[i], at) {
				t.Errorf("%q: %q, want one at each of lines 5, 8 and 11", bad, found)
				break
			}
		}
	}
	plain := "package p\n\n// It is too late for a CQ that is closed as well; there is no trace.\n//\n//\tX ≤ rest, if it waits for nobody\nvar a = \"nobody, too.\"\n"
	if found, err := unplainComments("p.go", plain); err != nil || found != nil {
		t.Errorf("%q, error %v", found, err)
	}
}
