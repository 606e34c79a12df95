//go:build site

package documents

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ndkoracle/internal/browser"
)

var diagram = regexp.MustCompile("(?s)```mermaid\n(.*?)```")

// In the site of `make docs` the page of a rule shows its two traces as pictures, and Mermaid can read the diagrams of all other documents.
func TestSiteDrawsTraces(t *testing.T) {
	var all []string
	for _, page := range readPages(t) {
		for _, m := range diagram.FindAllStringSubmatch(page, -1) {
			all = append(all, m[1])
		}
	}
	if len(all) < 150 {
		t.Fatalf("%d diagrams", len(all))
	}
	spoilt := "sequenceDiagram\n    a->>b: c #; d\n    end\n"
	seen := browser.Draw(t, os.DirFS("../../build/site"), "rules/ARM-04.html", 1400, append(all, spoilt))
	if len(seen.Errors)+len(seen.Requests) > 0 {
		t.Errorf("errors %q, requests of others %q", seen.Errors, seen.Requests)
	}
	if n := len(seen.Misread); n == 0 || !strings.HasPrefix(seen.Misread[n-1], spoilt) {
		t.Error("Mermaid reads what is not a diagram")
	} else if n > 1 {
		t.Errorf("Mermaid can't read %d diagrams, of which the first is\n%s", n-1, seen.Misread[0])
	}
	if len(seen.Diagrams) != 2 {
		t.Fatalf("%d diagrams of ARM-04", len(seen.Diagrams))
	}
	for n, says := range []string{"ARM-04 broken here", "NdkArmCq returns"} {
		if d := seen.Diagrams[n]; d.Kind != "sequence" || d.Width < 300 || d.Height < 200 || !strings.Contains(d.Text, says) || !strings.Contains(d.Text, "cq1") {
			t.Errorf("a picture of %+v lacks %q", d, says)
		}
	}
}
