package sources

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"ndkoracle/internal/altered"
)

var repository = os.DirFS("../..")

func read(t *testing.T, repository fs.FS) Book {
	t.Helper()
	book, err := Read(repository)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// Every sentence of the five texts is accounted for. Each statement has a rule, an operator, a function of the model, a trace
// that keeps it and one that breaks it; or a reason, and no reason too many.
func TestEverySentenceStandsOrSaysWhyNot(t *testing.T) {
	book := read(t, repository)
	if len(book.Texts) != 5 || len(book.Statements) < 127 {
		t.Errorf("%d texts with %d statements", len(book.Texts), len(book.Statements))
	}
	for _, complaint := range book.Complaints() {
		t.Error(complaint)
	}
}

// What a text or a statement loses is missed, and so is a reason that is given for nothing: the test above can fail.
func TestWhatIsLostIsMissed(t *testing.T) {
	const statements, reasons, traces = folder + "statements.tsv", folder + "reasons.tsv", folder + "traces.tsv"
	for name, test := range map[string]struct {
		altered.Repository
		want string
	}{
		"a sentence in the middle":          {altered.Without(t, statements, "(?m)^C5\\.2\t.*\n", ""), "C5.3a does not come next after C5.1"},
		"the last sentence of a place":      {altered.Without(t, statements, "(?m)^C3\\.3\t.*\n", ""), "ja has 33 sentences, and statements are about 32 of them"},
		"a place":                           {altered.Without(t, statements, "(?m)^D3\\..*\n", ""), "D4.1 does not come next after D2.8"},
		"the last page":                     {altered.Without(t, statements, "(?m)^S.*\n", ""), "ru has 61 sentences, and statements are about 0 of them"},
		"a part of a sentence":              {altered.Without(t, statements, "(?m)^C2\\.6a\t.*\n", ""), "C2.6b does not come next after C2.5"},
		"a text that has it":                {altered.Without(t, statements, "(?m)^(C6\\.2\ten it) ja", "$1"), `C6.2 is not in all of ["en" "it" "ja"], and nothing is said of it`},
		"a text that has one part of it":    {altered.Without(t, statements, "(?m)^(C4\\.2a\ten it) ja", "$1"), "C4.2a and C4.2b are of one sentence, and not in the same texts"},
		"its page":                          {altered.Without(t, statements, "(?m)^(D3\\.1a\t)es", "${1}ru"), `D3.1a is in "ru", and its page has only ["es"]`},
		"its rules":                         {altered.Without(t, statements, "(?m)^(C2\\.2\t.*\t)POLL-01$", "$1"), "C2.2 has no rule, and no reason why"},
		"its operators":                     {altered.Without(t, "tla/*.tla", "DEF-05", "the rule"), "D5.2 has no operator, and no reason why"},
		"its model":                         {altered.Without(t, "model/*.go", "DEF-02", "the rule"), "D3.1b has no model, and no reason why"},
		"its trace that keeps it":           {altered.Without(t, "traces/manifest.json", `"keeps": \["INV-05", `, `"keeps": [`), "S2.22: the corpus has no accept/bad-token-aborts that keeps a rule of the statement"},
		"its trace that breaks it":          {altered.Without(t, "traces/manifest.json", `"rule": "POLL-01"`, `"rule": "POLL-04"`), "C2.3: the corpus has no reject/consumer-polls-overlap that breaks a rule of the statement"},
		"the trace of its rule":             {altered.Without(t, "traces/manifest.json", `"rule": "POLL-01"`, `"rule": "POLL-04"`), "C2.3: the corpus has no"},
		"the only choice of a trace":        {altered.Without(t, traces, "(?m)^(S4\\.9b\t)accept/[^\t]*", "$1-"), "S4.9b has no kept, and no reason why"},
		"its reason":                        {altered.Without(t, reasons, "(?m)^(.*)\\bS5\\.7\\b", "${1}S5.4"), "two reasons why S5.4 has no operator"},
		"the reason of a whole row":         {altered.Without(t, reasons, "(?m)^S5\\.7\t.*\n", ""), "S5.7 has no kept, and no reason why"},
		"the need of a reason":              {altered.Without(t, reasons, "(?m)^S5\\.7\t", "S5.7 C6.2\t"), `C6.2 has a cell "broken", and a reason why it has none: `},
		"the need of a reason of its own":   {altered.Without(t, reasons, "(?m)^S5\\.7\t", "S5.7 S2.14\t"), "S2.14 has a reason of its own why it has no kept, and its rules have one: "},
		"the need of one, as it permits":    {altered.Without(t, reasons, "(?m)^S4\\.11\t", "S4.11 D3.1b\t"), "D3.1b has a reason of its own why it has no broken, and its rules have one: " + ofPermission},
		"its number, in the traces":         {altered.Without(t, traces, "(?m)^C4\\.3b\t", "C4.4\t"), "traces.tsv: there is no statement C4.4"},
		"its number, in the reasons":        {altered.Without(t, reasons, "(?m)^S5\\.7\t", "S5.8\t"), "reasons.tsv: there is no statement S5.8"},
		"its rule, for one that is unknown": {altered.Without(t, statements, "(?m)^(C4\\.3b\t.*\t)ARM-03", "${1}ARM-99"), "C4.3b: there is no rule ARM-99"},
	} {
		book, err := Read(test.Repository)
		complaints := strings.Join(book.Complaints(), "\n")
		if err != nil {
			complaints = err.Error()
		}
		if !strings.Contains(complaints, test.want) {
			t.Errorf("a statement lost %s, and the complaints are %q, not %q", name, complaints, test.want)
		}
	}
}

// What cannot be read is an error that says where and why.
func TestErrors(t *testing.T) {
	const statement = "id\tin\tplace\tstatement\tdifferences\trules\n"
	for want, c := range map[string]altered.Repository{
		"statements.tsv:1: the header is not":            {folder + "statements.tsv": "id\n"},
		"statements.tsv:2: 2 cells, not 6":               {folder + "statements.tsv": statement + "C0.1\ten\n"},
		`statements.tsv:2: "C1" is not an id`:            {folder + "statements.tsv": statement + "C1\ten\tp\ts\t\t\n"},
		"statements.tsv:3: two statements are C0.1":      {folder + "statements.tsv": statement + strings.Repeat("C0.1\ten\tp\ts\t\t\n", 2)},
		"statements.tsv:2: C0.1 has no place or does":    {folder + "statements.tsv": statement + "C0.1\ten\tp\t\t\t\n"},
		"texts.tsv:2: strconv.Atoi":                      altered.Without(t, folder+"texts.tsv", "\t35\n", "\tmany\n"),
		"traces.tsv:2: C2.2 has no trace to choose":      {folder + "traces.tsv": "statement\tkept\tbroken\nC2.2\t\t\n"},
		`reasons.tsv:2: "proof" is none of the cells`:    {folder + "reasons.tsv": "statement\twithout\tbecause\nC0.1\tproof\twhy\n"},
		"reasons.tsv:2: not statements, the cells that ": {folder + "reasons.tsv": "statement\twithout\tbecause\nC0.1\trule\t\n"},
		"traces/manifest.json: ":                         {"traces/manifest.json": "[{]"},
	} {
		if book, err := Read(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d statements and %v, not an error with %q", len(book.Statements), err, want)
		}
	}
}

// The traces of the document are there. The names of operators and functions are taken from the sources, so they exist.
func TestTracesOfTheDocumentExist(t *testing.T) {
	shown := 0
	for _, s := range read(t, repository).Statements {
		for _, file := range []string{s.Kept.File, s.Broken.File} {
			if file == "" {
				continue
			}
			shown++
			if _, err := fs.Stat(repository, "traces/"+file); err != nil {
				t.Errorf("%s: %v", s.ID, err)
			}
		}
	}
	if shown < 150 {
		t.Errorf("only %d traces are in the document", shown)
	}
}

// Each docs/sources*.md is what "go generate ./internal/sources" writes.
func TestDocumentIsFresh(t *testing.T) {
	documents := read(t, repository).Documents()
	for name, text := range documents {
		if got, err := fs.ReadFile(repository, "docs/"+name); err != nil || string(got) != text {
			t.Errorf("docs/%s is stale (%v): run \"go generate ./internal/sources\"", name, err)
		}
	}
	if written, err := fs.Glob(repository, "docs/sources*.md"); err != nil || len(written) != len(documents) {
		t.Errorf("%q are there, and %d are written (%v)", written, len(documents), err)
	}
}
