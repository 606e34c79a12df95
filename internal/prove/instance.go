package prove

import (
	"fmt"
	"strconv"
	"strings"

	"ndkoracle/internal/prove/smt"
)

// place gives each unknown of a state its place.
func (x *explorer) place(v value) {
	switch v := v.(type) {
	case scalar:
		if v.Op == smt.OpVar {
			x.layout.Place(v.Name)
		}
	case *record:
		for _, k := range v.keys {
			x.place(v.fields[k])
		}
	case *sequence:
		at := x.layout.Place(v.length.Name)
		places := make([][]int, x.longest)
		for _, t := range terms(v.at(smt.Number(1))) {
			first := x.layout.Table(t.Name, 1, x.longest)
			for i := range places {
				places[i] = append(places[i], first+i)
			}
		}
		x.items[at] = places
	case union:
		for _, b := range v.list {
			if guard := x.presence(b, 0); len(b.sorts) == 0 {
				x.layout.Place(guard.Name)
			} else {
				x.layout.Table(guard.Name, 0, x.longest+1)
			}
		}
	}
}

// presence is the truth value of a state that says whether a member is in a set of it.
func (x *explorer) presence(b branch, n int64) *smt.Term {
	var unknowns []*smt.Term
	for range b.sorts {
		unknowns = append(unknowns, smt.Number(n))
	}
	guard, _ := b.at(unknowns)
	return guard
}

// terms returns the scalars in a value.
func terms(v value) []*smt.Term {
	switch v := v.(type) {
	case scalar:
		return []*smt.Term{v.Term}
	case *record:
		var list []*smt.Term
		for _, k := range v.keys {
			list = append(list, terms(v.fields[k])...)
		}
		return list
	}
	panic(unsupported("%s in a sequence of a state graph", v.describe()))
}

func (x *explorer) compile(paths []path) (list []compiledPath, err error) {
	for _, w := range paths {
		var c compiledPath
		for _, u := range w.unknowns {
			c.unknowns = append(c.unknowns, x.layout.Place(u.Name))
			c.sorts = append(c.sorts, u.Sort)
		}
		if c.guard, err = x.layout.Compile(w.guard); err != nil {
			return nil, fmt.Errorf("%s: %w", w.label(), err)
		}
		var failed error
		err = x.proof.engine.try(func() {
			for _, v := range sortedKeys(x.proof.state) {
				if failed = x.assign(&c, x.proof.state[v], w.next[v]); failed != nil {
					return
				}
			}
		})
		if err == nil {
			err = failed
		}
		if err == nil {
			c.label, err = x.label(w)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.label(), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// assign adds the formulas for what a value of a state is next.
func (x *explorer) assign(c *compiledPath, old, next value) error {
	put := func(at int, t *smt.Term) error {
		f, err := x.layout.Compile(t)
		c.slots = append(c.slots, slot{at, f})
		return err
	}
	switch old := old.(type) {
	case scalar:
		if old.Op != smt.OpVar {
			return nil
		}
		return put(x.layout.Place(old.Name), next.(scalar).Term)
	case *record:
		for _, k := range old.keys {
			if err := x.assign(c, old.fields[k], next.(*record).fields[k]); err != nil {
				return err
			}
		}
	case *sequence:
		at := x.layout.Place(old.length.Name)
		if err := put(at, next.(*sequence).length); err != nil {
			return err
		}
		c.lengths = append(c.lengths, c.slots[len(c.slots)-1])
		for i, places := range x.items[at] {
			item := next.(*sequence).at(smt.Number(int64(i + 1)))
			if item == (nowhere{}) {
				continue
			}
			for j, t := range terms(item) {
				if err := put(places[j], t); err != nil {
					return err
				}
			}
		}
	case union:
		for _, b := range old.list {
			for n := int64(0); n <= x.longest; n++ {
				guard := x.presence(b, n)
				at := x.layout.Place(guard.Name)
				var unknowns []*smt.Term
				if len(b.sorts) > 0 {
					unknowns, at = []*smt.Term{smt.Number(n)}, x.layout.TablePlace(guard.Name)+int(n)
				}
				_, member := b.at(unknowns)
				if err := put(at, isSet(next).contains(x.proof.engine, member)); err != nil {
					return err
				}
				if len(b.sorts) == 0 {
					break
				}
			}
		}
	}
	return nil
}

// label writes the step of a path with its arguments.
func (x *explorer) label(w path) (func([]int64) string, error) {
	if len(w.calls) == 0 {
		return func([]int64) string { return initial }, nil
	}
	call := w.calls[0]
	var parts []func([]int64) string
	for _, a := range call.args {
		f, err := x.text(a)
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	return func(instance []int64) string {
		var args []string
		for _, f := range parts {
			args = append(args, f(instance))
		}
		return call.name + "(" + strings.Join(args, ", ") + ")"
	}, nil
}

// text writes a value in TLA+.
func (x *explorer) text(v value) (func([]int64) string, error) {
	switch v := v.(type) {
	case scalar:
		f, err := x.layout.Compile(v.Term)
		return func(instance []int64) string { return x.scalarText(v.Sort, f(instance)) }, err
	case *record:
		var parts []func([]int64) string
		for _, k := range v.keys {
			f, err := x.text(v.fields[k])
			if err != nil {
				return nil, err
			}
			parts = append(parts, func(instance []int64) string { return k + " |-> " + f(instance) })
		}
		return enclosed("[", parts, "]"), nil
	}
	return nil, fmt.Errorf("%s as an argument", v.describe())
}

func enclosed(open string, parts []func([]int64) string, end string) func([]int64) string {
	return func(instance []int64) string {
		var list []string
		for _, f := range parts {
			list = append(list, f(instance))
		}
		return open + strings.Join(list, ", ") + end
	}
}

func (x *explorer) scalarText(sort smt.Sort, n int64) string {
	switch sort {
	case smt.Bool:
		return strings.ToUpper(strconv.FormatBool(n == 1))
	case smt.String:
		return strconv.Quote(x.layout.Text(n))
	}
	return strconv.FormatInt(n, 10)
}

// stateText writes a value of a state in TLA+.
func (x *explorer) stateText(v value, s []int64) string {
	switch v := v.(type) {
	case scalar:
		if v.Op != smt.OpVar {
			return v.Value()
		}
		return x.scalarText(v.Sort, s[x.layout.Place(v.Name)])
	case *record:
		if len(v.keys) == 0 {
			return "<<>>" // the function without arguments
		}
		var parts []string
		for _, k := range v.keys {
			parts = append(parts, k+" |-> "+x.stateText(v.fields[k], s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *sequence:
		at := x.layout.Place(v.length.Name)
		var parts []string
		for i := range s[at] {
			parts = append(parts, x.itemText(v.at(smt.Number(i+1)), s))
		}
		return "<<" + strings.Join(parts, ", ") + ">>"
	case union:
		var parts []string
		for _, b := range v.list {
			for n := int64(0); n <= x.longest; n++ {
				guard := x.presence(b, n)
				if len(b.sorts) == 0 {
					if _, member := b.at(nil); s[x.layout.Place(guard.Name)] == 1 {
						parts = append(parts, x.itemText(member, s))
					}
					break
				}
				if _, member := b.at([]*smt.Term{smt.Number(n)}); s[x.layout.TablePlace(guard.Name)+int(n)] == 1 {
					parts = append(parts, x.itemText(member, s))
				}
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.describe()
}

// itemText writes an item of a sequence or a set, whose scalars are known or in tables.
func (x *explorer) itemText(v value, s []int64) string {
	f, err := x.text(v)
	if err != nil {
		return err.Error()
	}
	return f(s)
}
