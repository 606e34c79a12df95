package smt

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Printer writes commands to a solver. Each symbol is declared before its first use, at the level at which it is first used; a
// subterm without bound variables that comes twice is defined once.
type Printer struct {
	Out io.Writer

	levels []level
	texts  map[string]int // numbers of the known strings
	bound  map[string]int
	next   int
	err    error
}

// level is what was declared since a push.
type level struct {
	declared map[string]bool
	defined  map[uint64][]definition
}

type definition struct {
	term *Term
	name string
}

// NewPrinter returns a printer at its first level.
func NewPrinter(out io.Writer) *Printer {
	return &Printer{Out: out, levels: []level{newLevel()}, texts: map[string]int{}, bound: map[string]int{}}
}

func newLevel() level { return level{map[string]bool{}, map[uint64][]definition{}} }

// Line writes one command.
func (p *Printer) Line(format string, args ...any) {
	if _, err := fmt.Fprintf(p.Out, format+"\n", args...); err != nil && p.err == nil {
		p.err = err
	}
}

// Err returns the first error of writing.
func (p *Printer) Err() error { return p.err }

// Push begins a level.
func (p *Printer) Push() {
	p.Line("(push 1)")
	p.levels = append(p.levels, newLevel())
}

// Pop ends the last level.
func (p *Printer) Pop() {
	p.Line("(pop 1)")
	p.levels = p.levels[:len(p.levels)-1]
}

// Assert asserts each of the formulas.
func (p *Printer) Assert(list ...*Term) {
	for _, t := range list {
		p.prepare(t)
		p.Line("(assert %s)", p.text(t))
	}
}

// prepare declares the symbols of a term, and defines what comes in it more than once.
func (p *Printer) prepare(t *Term) {
	uses := map[*Term]int{}
	closed := map[*Term]bool{}
	order := []*Term{}
	var visit func(t *Term) bool
	visit = func(t *Term) bool {
		if uses[t]++; uses[t] > 1 {
			return closed[t]
		}
		for _, v := range t.Vars {
			p.bound[v.Name]++
		}
		is := true
		for _, a := range t.Args {
			is = visit(a) && is
		}
		for _, v := range t.Vars {
			p.bound[v.Name]--
		}
		switch t.Op {
		case OpVar:
			is = p.bound[t.Name] == 0
			if is {
				p.declare(t)
			}
		case OpApply:
			p.declare(t)
		case OpForall, OpExists:
			is = !slices.ContainsFunc(Free(t), func(v *Term) bool { return p.bound[v.Name] > 0 })
		}
		closed[t] = is
		order = append(order, t)
		return is
	}
	visit(t)
	for _, t := range order {
		if closed[t] && uses[t] > 1 && len(t.Args) > 0 && p.defined(t) == "" {
			p.next++
			name := "d" + strconv.Itoa(p.next)
			p.Line("(define-fun %s () %s %s)", name, sortName(t.Sort), p.text(t))
			top := p.levels[len(p.levels)-1]
			top.defined[t.hash] = append(top.defined[t.hash], definition{t, name})
		}
	}
}

// Free returns the variables that a term does not bind itself.
func Free(t *Term) []*Term { return Frees{}.Of(t) }

// Frees has the free variables of the terms that it was asked for, and of their subterms.
type Frees map[*Term][]*Term

// Of returns the variables that a term does not bind itself, each once.
func (f Frees) Of(t *Term) []*Term {
	if t.Op == OpVar {
		return []*Term{t}
	}
	list, known := f[t]
	if known || len(t.Args) == 0 {
		return list
	}
	has := func(list []*Term, v *Term) bool {
		return slices.ContainsFunc(list, func(x *Term) bool { return x.Name == v.Name })
	}
	for _, a := range t.Args {
		for _, v := range f.Of(a) {
			if !has(t.Vars, v) && !has(list, v) {
				list = append(list, v)
			}
		}
	}
	f[t] = list
	return list
}

// Uses says whether a term has a symbol of this name, or of a name that begins with it and a point.
func Uses(t *Term, name string) bool {
	used := false
	Visit(t, map[*Term]bool{}, func(t *Term) { used = used || t.Name == name || strings.HasPrefix(t.Name, name+".") })
	return used
}

// Visit calls a function for a term and its subterms, each of them once: those that were seen before are left out.
func Visit(t *Term, seen map[*Term]bool, found func(*Term)) {
	if seen[t] {
		return
	}
	seen[t] = true
	found(t)
	for _, a := range t.Args {
		Visit(a, seen, found)
	}
}

func (p *Printer) declare(t *Term) {
	if slices.ContainsFunc(p.levels, func(l level) bool { return l.declared[t.Name] }) {
		return
	}
	p.levels[len(p.levels)-1].declared[t.Name] = true
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = sortName(a.Sort)
	}
	p.Line("(declare-fun %s (%s) %s)", symbol(t.Name), strings.Join(args, " "), sortName(t.Sort))
}

func (p *Printer) defined(t *Term) string {
	for _, l := range p.levels {
		for _, d := range l.defined[t.hash] {
			if Same(d.term, t) {
				return d.name
			}
		}
	}
	return ""
}

func sortName(s Sort) string {
	if s == Bool {
		return "Bool"
	}
	return "Int"
}

func symbol(name string) string { return "|" + name + "|" }

var operators = map[Op]string{OpAnd: "and", OpOr: "or", OpNot: "not", OpEqual: "=", OpIte: "ite"}

// text returns a term in SMT-LIB.
func (p *Printer) text(t *Term) string {
	var b strings.Builder
	p.write(&b, t, true)
	return b.String()
}

func (p *Printer) write(b *strings.Builder, t *Term, top bool) {
	if len(t.Args) > 0 && !top {
		if name := p.defined(t); name != "" {
			b.WriteString(name)
			return
		}
	}
	switch t.Op {
	case OpTrue:
		b.WriteString("true")
	case OpFalse:
		b.WriteString("false")
	case OpText:
		b.WriteString(numeral(int64(p.Code(t.Name))))
	case OpVar:
		b.WriteString(symbol(t.Name))
	case OpSum:
		p.writeSum(b, t)
	case OpNotNeg:
		b.WriteString("(<= 0 ")
		p.write(b, t.Args[0], false)
		b.WriteString(")")
	case OpApply:
		b.WriteString("(" + symbol(t.Name))
		p.writeArgs(b, t)
	case OpForall, OpExists:
		b.WriteString(map[Op]string{OpForall: "(forall (", OpExists: "(exists ("}[t.Op])
		for _, v := range t.Vars {
			b.WriteString("(" + symbol(v.Name) + " " + sortName(v.Sort) + ")")
		}
		b.WriteString(")")
		p.writeArgs(b, t)
	default:
		b.WriteString("(" + operators[t.Op])
		p.writeArgs(b, t)
	}
}

func (p *Printer) writeArgs(b *strings.Builder, t *Term) {
	for _, a := range t.Args {
		b.WriteString(" ")
		p.write(b, a, false)
	}
	b.WriteString(")")
}

func (p *Printer) writeSum(b *strings.Builder, t *Term) {
	if len(t.Args) == 0 {
		b.WriteString(numeral(t.Number))
		return
	}
	b.WriteString("(+")
	if t.Number != 0 || len(t.Args) == 1 {
		b.WriteString(" " + numeral(t.Number))
	}
	for i, a := range t.Args {
		b.WriteString(" ")
		if t.Coefficients[i] == 1 {
			p.write(b, a, false)
			continue
		}
		b.WriteString("(* " + numeral(t.Coefficients[i]) + " ")
		p.write(b, a, false)
		b.WriteString(")")
	}
	b.WriteString(")")
}

// Code returns the number by which the solver knows a string.
func (p *Printer) Code(text string) int {
	n, known := p.texts[text]
	if !known {
		n = len(p.texts)
		p.texts[text] = n
	}
	return n
}

// TextOf returns the string that has a number, if it is known.
func (p *Printer) TextOf(code int64) (string, bool) {
	for text, n := range p.texts {
		if int64(n) == code {
			return text, true
		}
	}
	return "", false
}

func numeral(n int64) string {
	if n < 0 {
		return "(- " + strconv.FormatInt(-n, 10) + ")"
	}
	return strconv.FormatInt(n, 10)
}
