package graph

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/clause"
	"ndkoracle/internal/tlc"
)

// Explain looks for the clauses that make the difference, in a configuration of the specification in r.Dir and in the model.
// Where one side cannot take the action, it is the clause that is false there, or the condition under which the model refuses
// it, and on the other side all that the step has to fulfil, the likest to that first. Where both take it, it is what gives the
// variables their new values, and then the conditions and statements around that, the nearest first: which of them is at fault
// neither side can tell. Of tla/ that is what TLC evaluated; of the model it is read off the text, so what is named there can
// matter, and need not have been reached.
func (d *Difference) Explain(ctx context.Context, r tlc.Runner, c tlc.Configuration, model *clause.Model) error {
	evaluated, err := clause.Evaluate(ctx, r, c, d.Action, d.State)
	if err != nil {
		return err
	}
	action, _, _ := strings.Cut(strings.TrimPrefix(d.Action, "MC"), "(")
	decision, err := model.Decide(action)
	if err != nil {
		return err
	}
	switch {
	case d.Action != "" && len(d.InTla)+d.Both == 0:
		d.OfTla = []Reason{{"What is false there:", evaluated.False()}, {"Where its clauses are:", evaluated.Definitions()}}
		refusing := likest(decision.Refusing(""), evaluated.False())
		d.OfModel = []Reason{{"What could refuse it, the likest first:", refusing}, {"Where its statements are:", decision.Functions()}}
	case d.Action != "" && len(d.InModel)+d.Both == 0:
		refusing := decision.Refusing(d.Refusal)
		d.OfTla = []Reason{{"What is evaluated there, the likest first:", likest(evaluated.All(), refusing)}}
		d.OfModel = []Reason{{"What can refuse it so:", refusing}, {"Where its statements are:", decision.Functions()}}
	default:
		d.explainValues(evaluated, decision)
	}
	return nil
}

// explainValues finds what gives the variables their next values, and what decides between these.
func (d *Difference) explainValues(evaluated clause.Evaluated, decision *clause.Decision) {
	var inTla, inModel []clause.Clause
	for _, path := range d.Changed {
		variable, _, _ := strings.Cut(path, ".")
		field := path[strings.LastIndexByte(path, '.')+1:]
		ofModel := strings.ToUpper(field[:1]) + field[1:]
		if variable == "token" {
			field, ofModel = variable, "Tokens"
		}
		found := evaluated.Set(field)
		if found == nil {
			found = evaluated.Set(variable)
		}
		inTla = append(inTla, found...)
		inModel = append(inModel, decision.Set(ofModel)...)
	}
	names := strings.Join(d.Changed, ", ")
	d.OfTla = []Reason{{"What sets " + names + ":", distinct(inTla, nil)},
		{"What is evaluated besides, the nearest first:", beside(evaluated.All(), inTla)}}
	d.OfModel = []Reason{{"What can set " + names + ":", distinct(inModel, nil)},
		{"What may be done besides, the nearest first:", beside(decision.All(), inModel)}}
}

// beside returns all clauses that are not among some others, those first that have most to do with these.
func beside(all, others []clause.Clause) []clause.Clause {
	return distinct(append(nearest(all, others), all...), others)
}

// distinct returns the clauses that are not among others, each once.
func distinct(clauses, others []clause.Clause) []clause.Clause {
	var kept []clause.Clause
	for _, c := range clauses {
		if !slices.Contains(others, c) && !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// changed returns the paths of what the steps of one side change in another way than those of the other, each a list of changes;
// if they differ in no path by itself, all that any of them changes.
func changed(ofTla, ofModel [][]string) []string {
	values := func(steps [][]string) map[string]map[string]bool {
		all := map[string]map[string]bool{}
		for _, lines := range steps {
			for _, line := range lines {
				path, value, ok := strings.Cut(line, " = ")
				if !ok {
					continue // nothing changes
				}
				if all[path] == nil {
					all[path] = map[string]bool{}
				}
				all[path][value] = true
			}
		}
		for path := range all { // a step that leaves it as it is
			for _, lines := range steps {
				if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, path+" = ") }) {
					all[path][""] = true
				}
			}
		}
		return all
	}
	inTla, inModel := values(ofTla), values(ofModel)
	var paths, all []string
	for path := range inTla {
		all = append(all, path)
	}
	for path := range inModel {
		if inTla[path] == nil {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	for _, path := range all {
		if maps.Equal(inTla[path], inModel[path]) {
			continue
		}
		paths = append(paths, path)
		for _, field := range within(inTla[path], inModel[path]) {
			paths = append(paths, path+"."+field)
		}
	}
	if paths == nil {
		return all
	}
	return paths
}

var ofRecord = regexp.MustCompile(`(\w+) \|-> ("[^"]*"|[^,\]]*)`)

// within returns the fields in which records in two values differ, where there is one value on each side, of as many records.
func within(a, b map[string]bool) []string {
	var names []string
	for x := range a {
		for y := range b {
			first, second := ofRecord.FindAllStringSubmatch(x, -1), ofRecord.FindAllStringSubmatch(y, -1)
			if len(first) != len(second) {
				continue
			}
			for i := range first {
				if name := first[i][1]; name == second[i][1] && first[i][2] != second[i][2] && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
