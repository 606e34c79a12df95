package clause

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/internal/tlc"
)

// Evaluated is what TLC evaluates of tla/ for one action from one state, in the order in which it is written there.
type Evaluated []evaluated

type evaluated struct {
	mark
	before, after int // how often
}

// The module around an MC module that takes one step.
const stepModule = "OneStep"

// Evaluate has TLC take an action from a state, by the actions' name in the configuration's module with its arguments, and says
// which clauses of the specification it evaluates for that. The state has a value for each variable. Without an action the
// initial states are evaluated.
func Evaluate(ctx context.Context, r tlc.Runner, c tlc.Configuration, action string, state []tlc.Var) (Evaluated, error) {
	modules, err := readModules(r.Dir)
	if err != nil {
		return nil, err
	}
	root, _, _ := strings.Cut(action, "(")
	if action == "" {
		root = "MCInit"
	}
	n, ok := resolve(modules, c.Module, "", root)
	if !ok {
		return nil, fmt.Errorf("there is no definition of %s in %s", root, c.Module)
	}
	m := marker{modules: modules, initial: action == "", texts: map[name]string{}, roles: map[name]role{}}
	if err := m.markAll(n); err != nil {
		return nil, err
	}
	cfg, err := os.ReadFile(filepath.Join(r.Dir, c.Cfg()))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "clauses")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files := m.files()
	files[marksModule+".tla"] = marksText
	files[stepModule+".tla"] = oneStep(c.Module, action, state)
	files[stepModule+".cfg"] = tlc.OnlyConstants(string(cfg)) + "INIT StepInit\nNEXT StepNext\nCONSTRAINT StepBound\n"
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	lines, finished, err := r.Print(ctx, dir, stepModule)
	if err == nil && !finished {
		err = fmt.Errorf("no answer within %v", r.Timeout)
	}
	if err != nil {
		return nil, fmt.Errorf("the clauses of %s: %w", root, err)
	}
	return m.evaluated(lines)
}

// files returns the modules with what is marked in them, by their files.
func (m *marker) files() map[string]string {
	all := map[string]string{}
	for file, mod := range m.modules {
		var b strings.Builder
		at := 0
		var names []name
		for definition := range mod.definitions {
			if n := (name{file, definition}); m.texts[n] != "" {
				names = append(names, n)
			}
		}
		slices.SortFunc(names, func(x, y name) int { return m.in(x).from - m.in(y).from })
		for _, n := range names {
			d := m.in(n)
			b.WriteString(mod.text[at:d.from] + m.texts[n])
			at = d.body.to
		}
		b.WriteString(mod.text[at:])
		all[file+".tla"] = extending.ReplaceAllStringFunc(b.String(), func(line string) string { return line + ", " + marksModule })
	}
	return all
}

// oneStep returns a module that takes one action from one state.
func oneStep(module, action string, state []tlc.Var) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---- MODULE %s ----\nEXTENDS %s, TLC\nStepInit ==\n", stepModule, module)
	if action == "" {
		b.WriteString("  MCInit\n")
		action = "FALSE /\\ MCNext"
	}
	for _, v := range state {
		fmt.Fprintf(&b, "  /\\ %s = %s\n", v.Name, v.Value)
	}
	fmt.Fprintf(&b, "StepNext == %s\nStepBound == TLCGet(\"level\") < 2\n====\n", action)
	return b.String()
}

var printed = regexp.MustCompile(`^<<"(before|after)", (\d+)>>$`)

func (m *marker) evaluated(lines []string) (Evaluated, error) {
	counted := make(Evaluated, len(m.marked))
	for i := range counted {
		counted[i].mark = m.marked[i]
	}
	for _, line := range lines {
		found := printed.FindStringSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("TLC printed %q", line)
		}
		n, err := strconv.Atoi(found[2])
		if err != nil || n >= len(counted) {
			return nil, fmt.Errorf("TLC printed %q, and there are %d clauses", line, len(counted))
		}
		if found[1] == "before" {
			counted[n].before++
		} else {
			counted[n].after++
		}
	}
	return slices.DeleteFunc(counted, func(e evaluated) bool { return e.before == 0 }), nil
}

// False returns the clauses without which there is no step, and that are false whenever they are evaluated: those that are
// made of no others, if there are such ones.
func (all Evaluated) False() []Clause {
	pick := func(whole bool) []Clause {
		return all.clauses(func(e evaluated) bool { return e.role == guard && e.after == 0 && e.whole == whole })
	}
	if parts := pick(false); parts != nil {
		return parts
	}
	return pick(true)
}

// Set returns the clauses that give a variable or a field a new value.
func (all Evaluated) Set(field string) []Clause {
	sets := regexp.MustCompile(`!\S*\.` + field + `\b[^=,]* = |\b` + field + ` \|-> |\b` + field + `' = `)
	return slices.DeleteFunc(all.All(), func(c Clause) bool { return !sets.MatchString(c.Text) })
}

// All returns all clauses, but those that say what stays as it is.
func (all Evaluated) All() []Clause {
	found := all.clauses(func(evaluated) bool { return true })
	for _, e := range all {
		for _, c := range e.besides {
			if !slices.Contains(found, c.Clause) {
				found = append(found, c.Clause)
			}
		}
	}
	return slices.DeleteFunc(found, func(c Clause) bool { return strings.HasPrefix(c.Text, "UNCHANGED ") })
}

// Definitions returns the definitions of which any clause was evaluated, each as a clause that says only where it is.
func (all Evaluated) Definitions() []Clause {
	var found []Clause
	add := func(c Clause) {
		if !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	for _, e := range all {
		add(e.of)
		for _, c := range e.besides {
			add(c.of)
		}
	}
	return found
}

func (all Evaluated) clauses(is func(evaluated) bool) []Clause {
	var found []Clause
	for _, e := range all {
		if is(e) && !slices.Contains(found, e.Clause) {
			found = append(found, e.Clause)
		}
	}
	return found
}
