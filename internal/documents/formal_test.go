package documents

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"ndkoracle/internal/sequence"
	"ndkoracle/trace"
)

const formalPage = "docs/formal-methods.md"

// fenced returns the blocks of a language in a page.
func fenced(page, language string) (all []string) {
	for _, part := range strings.Split("\n"+page, "\n```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		all = append(all, block)
	}
	return all
}

// The page for readers of formal methods quotes the specification as it is.
func TestFormalPageQuotesTheSpecification(t *testing.T) {
	var modules strings.Builder
	files, err := fs.Glob(repository, "tla/*.tla")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(repository, file)
		if err != nil {
			t.Fatal(err)
		}
		modules.Write(text)
	}
	quoted := fenced(readPages(t)[formalPage], "tla")
	for _, block := range quoted {
		if !strings.Contains(modules.String(), block+"\n") {
			t.Errorf("no module has\n%s", block)
		}
	}
	if len(quoted) == 0 {
		t.Error("nothing is quoted")
	}
}

// The page draws the counter-example of the corpus (ARM-25). make tlc-more lets TLC find it again.
func TestFormalPageDrawsTheCounterExample(t *testing.T) {
	const example = "traces/use/drain-arm-sleep-verbs.ndktrace.jsonl"
	file, err := repository.Open(example)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := trace.Read(path.Base(example), file, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSuffix(sequence.Draw(read, sequence.Mark{Line: len(read.Events) + 2, Text: "ARM-25"}), "\n")
	if drawn := fenced(readPages(t)[formalPage], "mermaid"); len(drawn) != 1 || drawn[0] != want {
		t.Errorf("the picture is\n%q\nit should be\n%s", drawn, want)
	}
}
