package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// The page of a trace lists its findings and draws its events (ARM-02: two callbacks of one arm). It shows advice that was not followed (ARM-25). It escapes
// all names of the trace.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(brokenTrace)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	hostile := filepath.Join(folder, "hostile.ndktrace.jsonl")
	text = bytes.ReplaceAll(text, []byte(`"cq":"cq1"`), []byte(`"cq":"<script>cq</script>"`))
	if err := os.WriteFile(hostile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	refuted := filepath.Join(folder, "refuted.ndktrace.jsonl") // a counter-example of TLC that the contract allows
	plain, err := os.ReadFile(plainTrace)
	if err != nil {
		t.Fatal(err)
	}
	plain = bytes.Replace(plain, []byte(`"producer":{"name":"by hand",`), []byte(`"run":{"property":"NothingSleeps"},"producer":{"name":"tlcrun",`), 1)
	if err := os.WriteFile(refuted, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	for trace, wants := range map[string][]string{
		refuted:     {`<span class="verdict broken">counter-example of TLC: breaks NothingSleeps</span>`, "the contract itself says of the trace: conformant"},
		plainTrace:  {`<span class="verdict kept">conformant</span>`, "<svg ", `class="call"`, `class="enter"`, `class="row hidden"`},
		brokenTrace: {`<span class="verdict broken">provider violation</span>`, `class="row event finding"`, "before it"},
		"../../traces/use/arm-once-ndkpi.ndktrace.jsonl": {`class="row event warns"`, "1 warning, which decides no verdict", "<strong>ARM-25</strong>",
			`href="https://docs.example/rules/ARM-25.html"`},
		hostile: {`class="row event finding"`, "&lt;script&gt;cq&lt;/script&gt;"},
	} {
		file := filepath.Join(folder, "page.html")
		_, out, errors := shipped(t, "--docs", "https://docs.example", "--html", file, trace)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v\n%s", err, errors)
		}
		if !strings.Contains(out, "drawn in "+file) {
			t.Errorf("the report of %s does not name the page:\n%s", trace, out)
		}
		for _, want := range wants {
			if !bytes.Contains(page, []byte(want)) {
				t.Errorf("the page of %s has no %q", trace, want)
			}
		}
		if bytes.Count(page, []byte("<script")) != 1 {
			t.Errorf("the page of %s has a script besides its own", trace)
		}
	}
}

var (
	pageIds      = regexp.MustCompile(` id="([^"]+)"`)
	pageLinks    = regexp.MustCompile(`href="#([^"]*)"`)
	saysOwed     = regexp.MustCompile(`(callback|event) of \S+ is owed and (was not entered|did not come)`)
	owedAndDrawn = map[string]string{"callback": "owed here, and never entered", "event": "owed here, and never read"} // by the word of the dialect
)

// On the page of each rejected trace each link leads to a row, and a callback that a finding misses is drawn where it was owed.
func TestPagesOfTheCorpus(t *testing.T) {
	folder := t.TempDir()
	_, _, errors := shipped(t, "--quiet", "--html", folder+"/", "../../traces/reject")
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(pages) < 400 {
		t.Fatalf("%d pages are drawn: %v\n%s", len(pages), err, errors)
	}
	owed := 0
	for _, file := range pages {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, id := range pageIds.FindAllSubmatch(page, -1) {
			ids[string(id[1])] = true
		}
		for _, to := range pageLinks.FindAllSubmatch(page, -1) {
			if !ids[string(to[1])] {
				t.Errorf("%s: nothing is at #%s", filepath.Base(file), to[1])
			}
		}
		if said := saysOwed.FindSubmatch(page); said != nil {
			owed++
			if !bytes.Contains(page, []byte(owedAndDrawn[string(said[1])])) {
				t.Errorf("%s: the %s that is missing is not drawn", filepath.Base(file), said[1])
			}
		}
	}
	if owed < 40 {
		t.Errorf("%d pages lack a callback", owed)
	}
}

// beforePoints moves the steps that place a completion before the point that records it (POLL-05), and no others.
func TestStepsBeforePoints(t *testing.T) {
	events := []trace.Event{{Fn: "NdkWrite"}, {Fn: "CqePlaced", Wr: "w1"}, {Fn: "quiesce"}}
	step := func(action model.Name, wr string, behind int) witness.Placed {
		return witness.Placed{Step: witness.Step{Action: action, Wr: wr}, Behind: behind}
	}
	steps := []witness.Placed{step("Execute", "w0", 0), step("Execute", "w1", 1), step("Complete", "w1", 1), step("Complete", "w2", 1), step("Complete", "w1", 2)}
	beforePoints(steps, events)
	var behind []int
	for _, s := range steps {
		behind = append(behind, s.Behind)
	}
	if want := []int{0, 0, 0, 1, 2}; !slices.Equal(behind, want) {
		t.Errorf("%v, want %v", behind, want)
	}
}
