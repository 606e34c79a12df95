package model

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var deep = flag.Bool("deep", false, "visit the large configurations of tla/ too (minutes)")

const specification = "../tla/"

func readSpecification(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(specification + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A pin is a line of the manifest: what TLC found with a configuration.
type pin struct {
	configuration, module string
	states, depth         int
}

// pins returns what the manifest says of the configurations that pass, of the large ones only with -deep.
func pins(t *testing.T) []pin {
	t.Helper()
	var all []pin
	for line := range strings.Lines(readSpecification(t, "manifest.tsv")) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 7 || f[2] != "pass" || f[6] != "fast" && !*deep {
			continue
		}
		states, err := strconv.Atoi(f[4])
		if err != nil {
			t.Fatalf("manifest.tsv: %v", err)
		}
		depth, err := strconv.Atoi(f[5])
		if err != nil {
			t.Fatalf("manifest.tsv: %v", err)
		}
		all = append(all, pin{f[0], f[1], states, depth})
	}
	if len(all) == 0 {
		t.Fatal("manifest.tsv pins nothing")
	}
	return all
}

// A configuration is a .cfg of TLC, with the values of its constants as they are written.
type configuration struct {
	t         *testing.T
	constants map[string]string
	names     []string // of INVARIANTS and PROPERTIES
}

var (
	assignment = regexp.MustCompile(`(\w+) (?:=|<-) ("[^"]*"|\{[^}]*\}|\w+)`)
	quoted     = regexp.MustCompile(`"([^"]*)"`)
)

func readConfiguration(t *testing.T, name string) configuration {
	t.Helper()
	c := configuration{t: t, constants: map[string]string{}}
	for line := range strings.Lines(readSpecification(t, name+".cfg")) {
		keyword, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch keyword {
		case "CONSTANTS":
			for _, m := range assignment.FindAllStringSubmatch(rest, -1) {
				c.constants[m[1]] = m[2]
			}
		case "INVARIANTS", "PROPERTIES":
			c.names = append(c.names, strings.Fields(rest)...)
		}
	}
	return c
}

func (c configuration) text(name string) string {
	c.t.Helper()
	value, ok := c.constants[name]
	if !ok {
		c.t.Fatalf("the configuration has no constant %s", name)
	}
	return strings.Trim(value, `"`)
}

func (c configuration) number(name string) int {
	c.t.Helper()
	n, err := strconv.Atoi(c.text(name))
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	return n
}

func (c configuration) truth(name string) bool { return c.text(name) == "TRUE" }

// strings returns the elements of a set.
func (c configuration) strings(name string) []string {
	var all []string
	for _, m := range quoted.FindAllStringSubmatch(c.text(name), -1) {
		all = append(all, m[1])
	}
	return all
}

var obligations = map[string]Modality{"MUST": Must, "MAY": May, "MUST NOT": MustNot}

func (c configuration) dialect() Dialect {
	c.t.Helper()
	d := Dialect{
		FreshAtArm: obligations[c.text("FreshAtArm")],
		OldAtArm:   obligations[c.text("OldAtArm")],
		SecondArm:  map[string]SecondArm{"MERGE": Merge, "TOGETHER": Together}[c.text("SecondArm")],
		ErrorsArm:  c.truth("ErrorsArm"), Serialised: c.truth("Serialised"), ExtraEvent: c.truth("ExtraEvent"),
	}
	var err error
	for _, reading := range []string{"A2", "A4"} {
		if d, err = d.Assume(reading, c.text(reading)); err != nil {
			c.t.Fatal(err)
		}
	}
	return d
}

var (
	budgetOfQp = regexp.MustCompile(`([ab]) \|-> \[([^\]]*)\]`)
	budgetOfOp = regexp.MustCompile(`(\w+) \|-> (\d+)`)
)

// budget reads a budget from MCNdk: how many requests of each operation QP a (0) and QP b (1) post.
func (c configuration) budget() (budget [2][Write + 1]int) {
	c.t.Helper()
	definition := c.text("Budget") + " == "
	for line := range strings.Lines(readSpecification(c.t, "MCNdk.tla")) {
		if !strings.HasPrefix(line, definition) {
			continue
		}
		for _, qp := range budgetOfQp.FindAllStringSubmatch(line, -1) {
			for _, m := range budgetOfOp.FindAllStringSubmatch(qp[2], -1) {
				n, err := strconv.Atoi(m[2])
				if err != nil {
					c.t.Fatal(err)
				}
				budget[qp[1][0]-'a'][opOf(c.t, m[1])] = n
			}
		}
		return budget
	}
	c.t.Fatalf("MCNdk defines no %s", definition)
	return budget
}

func opOf(t *testing.T, name string) Op {
	t.Helper()
	for op := range Write + 1 {
		if op.String() == name {
			return op
		}
	}
	t.Fatal(fmt.Errorf("no operation %s", name))
	return 0
}
