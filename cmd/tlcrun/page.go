package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/counterexample"
	"ndkoracle/internal/picture"
	"ndkoracle/trace"
)

// drawExample draws a counter-example with all its steps, those included that no trace holds.
func drawExample(w io.Writer, example counterexample.Example) error {
	told, err := counterexample.Tell(example)
	if err != nil {
		return err
	}
	host := picture.Host{Trace: &trace.Trace{Header: trace.Header{Dialect: example.Dialect}, Events: told.Events}}
	for i := range host.Trace.Events {
		host.Trace.Events[i].Line = i + 2 // as in the trace beside the page, whose first line is the header
	}
	for _, s := range told.Hidden {
		host.Steps = append(host.Steps, picture.Step{Behind: s.Behind, Text: strings.ReplaceAll(s.Action, `"`, ""), Object: objectOf(s.Action)})
	}
	finding := picture.Finding{Label: example.Property, After: lastState(example), Message: "is a property that these steps break. TLC found no shorter run that breaks it."}
	if last := len(told.Hidden); last > 0 && told.Hidden[last-1].Behind == len(told.Events)-1 {
		finding.Step = last
	} else {
		finding.Line = len(told.Events) + 1
	}
	facts := []string{fmt.Sprintf("%d steps of TLC", len(example.Steps)), "dialect " + example.Dialect}
	if len(example.Qps) == 0 {
		facts = append(facts, "the module has CQs alone: queue pairs and requests are made up")
	}
	return (&picture.Page{
		Title: example.Configuration, Verdict: "counter-example: breaks " + example.Property, Class: picture.Broken,
		Facts:    facts,
		Findings: []picture.Finding{finding},
		Hosts:    []picture.Host{host},
	}).Write(w)
}

var firstArgument = regexp.MustCompile(`^\w+\("(\w+)"`)

// objectOf returns the object that an action names first, or "".
func objectOf(action string) string {
	if found := firstArgument.FindStringSubmatch(action); found != nil {
		return found[1]
	}
	return ""
}

// lastState returns the variables of the last state.
func lastState(example counterexample.Example) []string {
	if len(example.Steps) == 0 {
		return nil
	}
	var all []string
	after := example.Steps[len(example.Steps)-1].After
	for _, name := range slices.Sorted(maps.Keys(after)) {
		all = append(all, name+" = "+after[name])
	}
	return all
}
