package statediagrams

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/model"
)

var repository = os.DirFS("../..")

// The page is what go generate writes, and between them the diagrams have each state of a connection (DISC-07, LIFE-06, ARM-18) and each phase of a request.
func TestPage(t *testing.T) {
	page, err := Page(repository)
	if err != nil {
		t.Fatal(err)
	}
	written, err := fs.ReadFile(repository, File)
	if err != nil || string(written) != page {
		t.Errorf("%s is not what \"go generate ./internal/statediagrams\" writes, %v", File, err)
	}
	for c := model.Idle; c <= model.QpClosed; c++ {
		if !strings.Contains(page, `state "`+c.String()+`" as `) {
			t.Errorf("no diagram has the state %s", c)
		}
	}
	for _, phase := range []string{"DEFERRED", "INDICATED", "UNACKNOWLEDGED", "SUCCESS", "FAILED", "CANCELLED"} {
		if !strings.Contains(page, `state "`+phase+`" as `) {
			t.Errorf("no diagram has the phase %s", phase)
		}
	}
	for line := range strings.Lines(page) {
		if arrow.MatchString(line) != strings.Contains(line, "-->") {
			t.Errorf("this is no arrow of Mermaid: %s", line)
		}
	}
}

var arrow = regexp.MustCompile(`^    (\[\*\]|\w+) --> (\[\*\]|\w+): [\w, ]+\n$`)

// A step that the model does not take is not drawn, and one that it takes is: a post connects nothing (POST-08), and a flush of a connection leaves it FLUSHED (A15).
func TestEdges(t *testing.T) {
	tla, err := fs.Sub(repository, "tla")
	if err != nil {
		t.Fatal(err)
	}
	d := diagram{variable: "qp", states: each(`(\w+) \|-> \[state \|-> "([A-Z ]+)"`), walked: []configuration{{"MCQueuePair", "QP-live-disconnected"}}}
	edges, err := d.edges(tla)
	if err != nil {
		t.Fatal(err)
	}
	if got := edges[edge{"IDLE", "CONNECTED"}]; !slices.Equal(got, []string{"NdkConnect"}) {
		t.Errorf("from IDLE to CONNECTED lead %v", got)
	}
	if got := edges[edge{"CONNECTED", "IDLE"}]; got != nil {
		t.Errorf("from CONNECTED to IDLE lead %v", got)
	}
	d.variable = "no such variable"
	if _, err := d.edges(tla); err == nil {
		t.Error("a variable that the module lacks is no error")
	}
}

// The group of states is drawn only of those from which the same steps lead to the same state (LIFE-06).
func TestGroup(t *testing.T) {
	d := diagram{within: "open", into: "SHUT"}
	got := d.mermaid(map[edge][]string{{"A", "SHUT"}: {"Close"}, {"B", "SHUT"}: {"Close"}, {"C", "SHUT"}: {"Break"}, {"A", "B"}: {"Go"}, {"", "A"}: {"Post"}})
	for _, want := range []string{
		"state \"open\" as group {\n        state \"A\" as A\n        state \"B\" as B\n    }\n", "group --> SHUT: Close\n", "    C --> SHUT: Break\n", "    A --> B: Go\n", "    [*] --> A: Post\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "A --> SHUT") {
		t.Errorf("what the group has is drawn twice:\n%s", got)
	}
}
