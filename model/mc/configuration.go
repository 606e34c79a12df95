package mc

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"ndkoracle/model"
)

// A configuration is a .cfg of TLC, with the values of its constants as they are written. A constant that is missing, or
// has a value that is not known here, is remembered in err, the first of them; then the values mean nothing.
type configuration struct {
	tla       fs.FS
	constants map[string]string
	checked   []string // the names after INVARIANTS and PROPERTIES
	err       error
}

var (
	assignment = regexp.MustCompile(`(\w+) (?:=|<-) ("[^"]*"|\{[^}]*\}|\w+)`)
	quoted     = regexp.MustCompile(`"([^"]*)"`)
)

// readConfiguration reads name.cfg in the folder tla.
func readConfiguration(tla fs.FS, name string) (*configuration, error) {
	text, err := fs.ReadFile(tla, name+".cfg")
	if err != nil {
		return nil, err
	}
	c := &configuration{tla: tla, constants: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		keyword, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch keyword {
		case "CONSTANTS":
			for _, m := range assignment.FindAllStringSubmatch(rest, -1) {
				c.constants[m[1]] = m[2]
			}
		case "INVARIANTS", "PROPERTIES":
			c.checked = append(c.checked, strings.Fields(rest)...)
		}
	}
	return c, nil
}

func (c *configuration) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *configuration) text(name string) string {
	value, ok := c.constants[name]
	if !ok {
		c.fail("there is no constant %s", name)
	}
	return strings.Trim(value, `"`)
}

func (c *configuration) number(name string) int {
	n, err := strconv.Atoi(c.text(name))
	if err != nil {
		c.fail("%s is no number: %w", name, err)
	}
	return n
}

// numbers returns the elements of a set of numbers.
func (c *configuration) numbers(name string) []int {
	var all []int
	for _, text := range strings.Fields(strings.NewReplacer("{", "", "}", "", ",", "").Replace(c.text(name))) {
		n, err := strconv.Atoi(text)
		if err != nil {
			c.fail("%s = %s is no set of numbers", name, c.text(name))
		}
		all = append(all, n)
	}
	return all
}

func (c *configuration) truth(name string) bool { return oneOf(c, name, c.text(name), truths) }

// strings returns the elements of a set of strings, or of the definition in MCNdk that is one.
func (c *configuration) strings(name string) []string {
	value := c.text(name)
	if !strings.HasPrefix(value, "{") {
		value = c.definition("MCNdk", value)
	}
	var all []string
	for _, m := range quoted.FindAllStringSubmatch(value, -1) {
		all = append(all, m[1])
	}
	return all
}

// oneOf returns what the value of a constant, or of a field, stands for.
func oneOf[T any](c *configuration, name, value string, known map[string]T) T {
	stands, ok := known[value]
	if !ok {
		c.fail("%s = %s is not known", name, value)
	}
	return stands
}

var (
	// ofTraces are the names that traces have for the records of module Dialects.
	ofTraces    = map[string]string{"Ndkpi": "ndkpi", "Ndspi": "ndspi", "Verbs": "verbs", "VerbsDevice": "verbs", "Kverbs": "kverbs", "KverbsDevice": "kverbs"}
	truths      = map[string]bool{"TRUE": true, "FALSE": false}
	obligations = map[string]model.Modality{"MUST": model.Must, "MAY": model.May, "MUST NOT": model.MustNot}
	qpTypes     = map[string]model.QpType{"AllRC": model.RC, "AllUC": model.UC, "AllUD": model.UD}
	secondArms  = map[string]model.SecondArm{"MERGE": model.Merge, "TOGETHER": model.Together}
)

func (c *configuration) dialect() model.Dialect {
	name := c.text("Dialect")
	of := c.record("Dialects", name)
	d := model.Dialect{
		Name:        oneOf(c, "Dialect", name, ofTraces),
		FreshAtArm:  oneOf(c, "FreshAtArm", of["FreshAtArm"], obligations),
		OldAtArm:    oneOf(c, "OldAtArm", of["OldAtArm"], obligations),
		SecondArm:   oneOf(c, "SecondArm", of["SecondArm"], secondArms),
		ErrorsArm:   oneOf(c, "ErrorsArm", of["ErrorsArm"], truths),
		Serialised:  oneOf(c, "Serialised", of["Serialised"], truths),
		ExtraEvent:  oneOf(c, "ExtraEvent", of["ExtraEvent"], truths),
		ErrorState:  oneOf(c, "ErrorState", of["ErrorState"], truths),
		FailureEnds: oneOf(c, "FailureEnds", of["FailureEnds"], truths),
		LowAtArm:    oneOf(c, "LowAtArm", of["LowAtArm"], obligations),
	}
	for id, choice := range c.record("Readings", c.text("Reading")) {
		var err error
		if d, err = d.Assume(id, choice); err != nil {
			c.fail("%w", err)
		}
	}
	return d
}

// A budget says how many requests of an operation a QP posts; operations that are not in it have -1.
type budget [model.Write + 1]int

func (b budget) has(op model.Op) bool { return b[op] >= 0 }

// write writes numbers for the operations of the budget.
func (b budget) write(numbers [model.Write + 1]int) string {
	var fields []string
	for op := range model.Write + 1 {
		if b.has(op) {
			fields = append(fields, op.String(), strconv.Itoa(numbers[op]))
		}
	}
	return record(fields...)
}

var (
	ofDefinition = regexp.MustCompile(`(?m)^(\w+) ==\s+\[(?:(\w+) EXCEPT )?([^\]]*)\]`)
	ofField      = regexp.MustCompile(`(\w+) +(?:\|->|=) ("[^"]*"|\w+)`)
)

// record returns the fields of a record that a module defines, by itself or as another one EXCEPT for some fields.
func (c *configuration) record(module, name string) map[string]string {
	text, err := fs.ReadFile(c.tla, module+".tla")
	if err != nil {
		c.fail("%w", err)
		return nil
	}
	for _, m := range ofDefinition.FindAllStringSubmatch(string(text), -1) {
		if m[1] != name {
			continue
		}
		fields := map[string]string{}
		if m[2] != "" {
			fields = c.record(module, m[2])
		}
		for _, f := range ofField.FindAllStringSubmatch(m[3], -1) {
			fields[f[1]] = strings.Trim(f[2], `"`)
		}
		return fields
	}
	c.fail("the module %s defines no %s", module, name)
	return map[string]string{}
}

var (
	budgetOfQp = regexp.MustCompile(`([ab]) \|-> \[([^\]]*)\]`)
	budgetOfOp = regexp.MustCompile(`(\w+) \|-> (\d+)`)
)

// budget reads Budget of MCNdk, for QP a (0) and QP b (1).
func (c *configuration) budget() (budgets [2]budget) {
	for i := range budgets {
		for op := range budgets[i] {
			budgets[i][op] = -1
		}
	}
	for _, qp := range budgetOfQp.FindAllStringSubmatch(c.definition("MCNdk", c.text("Budget")), -1) {
		for _, m := range budgetOfOp.FindAllStringSubmatch(qp[2], -1) {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				c.fail("MCNdk: %s: %w", m[0], err)
			}
			budgets[qp[1][0]-'a'][c.op(m[1])] = n
		}
	}
	return budgets
}

// definition returns the text of a definition of one line in a module.
func (c *configuration) definition(module, name string) string {
	text, err := fs.ReadFile(c.tla, module+".tla")
	if err != nil {
		c.fail("%w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" == "); ok {
			return strings.TrimSpace(value)
		}
	}
	c.fail("%s defines no %s", module, name)
	return ""
}

func (c *configuration) arm(name string) model.Arm {
	for arm := range model.ANY + 1 {
		if arm.String() == name {
			return arm
		}
	}
	c.fail("there is no arm %s", name)
	return model.NONE
}

func (c *configuration) op(name string) model.Op {
	for op := range model.Write + 1 {
		if op.String() == name {
			return op
		}
	}
	c.fail("there is no operation %s", name)
	return 0
}
