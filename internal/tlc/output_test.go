package tlc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The samples in testdata are what TLC 2.18 printed, without its paths and dates.
func parseSample(t *testing.T, name string) (Result, error) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Parse(f)
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		sample, property string
		verdict          Verdict
		states, depth    int
		steps            int
	}{
		{"pass.txt", "", Pass, 1359, 10, 0},
		{"invariant.txt", "ArmIsTheJoin", Fail, 15, 3, 3},
		{"action-property.txt", "CallbackHasCause", Fail, 2, 2, 2},
		{"temporal-stuttering.txt", "", Fail, 5581, 12, 7},
		{"temporal-loop.txt", "", Fail, 2, 2, 3},
	} {
		r, err := parseSample(t, c.sample)
		if err != nil {
			t.Errorf("%s: %v", c.sample, err)
			continue
		}
		if r.Verdict != c.verdict || r.Property != c.property || r.States != c.states || r.Depth != c.depth {
			t.Errorf("%s: got %s of %q, %d states, depth %d", c.sample, r.Verdict, r.Property, r.States, r.Depth)
		}
		if len(r.Trace) != c.steps {
			t.Errorf("%s: a counter-example of %d steps, want %d", c.sample, len(r.Trace), c.steps)
		}
		if r.Version != "TLC2 Version 2.18 of 20 March 2023" {
			t.Errorf("%s: version %q", c.sample, r.Version)
		}
	}
}

// What TLC could not check is neither kept nor broken.
func TestParseError(t *testing.T) {
	r, err := parseSample(t, "error.txt")
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Error || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "constant parameter CQ is not assigned") {
		t.Errorf("got %s, %q", r.Verdict, r.Errors)
	}
}

// An output that breaks off anywhere is never taken for an answer.
func TestParseBrokenOff(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "pass.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	lines = lines[:len(lines)-1]
	for n := range lines {
		if r, err := Parse(strings.NewReader(strings.Join(lines[:n], ""))); err == nil {
			t.Errorf("the first %d lines are read as %q", n, r.Verdict)
		}
	}
}

func TestParseNonsense(t *testing.T) {
	for _, text := range []string{
		"",
		"\x00\xff\xfe",
		"@!@!@STARTMSG x @!@!@\n",
		"@!@!@STARTMSG 2199:0 @!@!@\nno number\n@!@!@ENDMSG 2199 @!@!@\n",
		"@!@!@STARTMSG 2217:4 @!@!@\nno state\n@!@!@ENDMSG 2217 @!@!@\n",
		"@!@!@STARTMSG 2217:4 @!@!@\n@!@!@ENDMSG 2217 @!@!@\n",
		"@!@!@STARTMSG 2110:1 @!@!@\nsomething is wrong\n@!@!@ENDMSG 2110 @!@!@\n",
	} {
		if r, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read as %q", text, r.Verdict)
		}
	}
}

func TestExplain(t *testing.T) {
	r, err := parseSample(t, "invariant.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(Explain(r.Trace), "  2  NdkArmCq\n")
	const want = `       unspent.q = 1
       cq.q.arm = "SOLICITED"
       cq.q.waiting = 1
       asked.q = {"SOLICITED"}
  3  NdkArmCq
       unspent.q = 2
       cq.q.arm = "ERRORS"
       asked.q = {"ERRORS", "SOLICITED"}
`
	if !found || after != want {
		t.Errorf("got\n%s\nwant, after step 2,\n%s", Explain(r.Trace), want)
	}

	for sample, end := range map[string]string{
		"temporal-stuttering.txt": "  7  nothing more happens\n",
		"temporal-loop.txt":       "  2  Tick\n       x = 1\n  3  back to 1, for ever\n",
	} {
		r, err := parseSample(t, sample)
		if err != nil {
			t.Fatal(err)
		}
		if got := Explain(r.Trace); !strings.HasSuffix(got, end) {
			t.Errorf("%s: got\n%s\nwant at the end\n%s", sample, got, end)
		}
	}
}

func TestChanges(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`[a |-> 1, b |-> <<1, 2>>]`, `[a |-> 1, b |-> <<1>>]`, `x.b = <<1>>`},
		{`[a |-> [b |-> "], ["]]`, `[a |-> [b |-> "y"]]`, `x.a.b = "y"`},
		{`[a |-> <<[b |-> 1], [b |-> 2]>>]`, `[a |-> <<[b |-> 1], [b |-> 3]>>]`, `x.a = <<[b |-> 1], [b |-> 3]>>`},
		{`[a |-> {1, 2}, b |-> "\"]"]`, `[a |-> {1,  2}, b |-> "\"]"]`, ``},
		{`[a |-> 1]`, `[b |-> 1]`, `x = [b |-> 1]`},
		{`<<>>`, `[a |-> 1]`, `x = [a |-> 1]`},
		{`[a`, `[a |->`, `x = [a |->`},
	} {
		got := strings.Join(changes("x", parseValue(c.before), parseValue(c.after)), "; ")
		if got != c.want {
			t.Errorf("from %s to %s: got %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
