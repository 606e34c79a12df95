package smt

import (
	"fmt"
	"strings"
)

// Layout says where an instance of the unknowns is kept: variables in a place each, functions of one number as tables.
// Quantifiers over numbers go from Low to High.
type Layout struct {
	Low, High int64
	Any       string // what the names of symbols begin with whose value does not matter: it is 0

	places map[string]int
	tables map[string]table
	texts  *Printer // for the codes of strings
	size   int
}

type table struct {
	first int
	low   int64
	size  int64
}

// NewLayout returns a layout without unknowns.
func NewLayout(low, high int64) *Layout {
	return &Layout{Low: low, High: high, places: map[string]int{}, tables: map[string]table{}, texts: NewPrinter(nil)}
}

// Place gives a variable a place.
func (l *Layout) Place(name string) int {
	if at, known := l.places[name]; known {
		return at
	}
	l.places[name] = l.size
	l.size++
	return l.size - 1
}

// Table gives a function of the numbers from low on a table, and returns the place of its first value. Outside it is 0.
func (l *Layout) Table(name string, low, size int64) int {
	l.tables[name] = table{l.size, low, size}
	l.size += int(size)
	return l.tables[name].first
}

// Size returns how many places there are, those of bound variables included.
func (l *Layout) Size() int { return l.size }

// Code returns the number of a string.
func (l *Layout) Code(text string) int64 { return int64(l.texts.Code(text)) }

// Text returns the string of a number.
func (l *Layout) Text(code int64) string {
	text, known := l.texts.TextOf(code)
	if !known {
		return fmt.Sprintf("string %d", code)
	}
	return text
}

// Compiled evaluates a term on an instance. Truth values are 0 and 1.
type Compiled func(instance []int64) int64

// Compile returns a term as a function of instances.
func (l *Layout) Compile(t *Term) (Compiled, error) {
	c := compiler{l, map[*Term]Compiled{}}
	return c.compile(t)
}

type compiler struct {
	*Layout
	done map[*Term]Compiled
}

func (c compiler) compile(t *Term) (Compiled, error) {
	if f, ok := c.done[t]; ok {
		return f, nil
	}
	for _, v := range t.Vars {
		if v.Sort == String {
			return nil, fmt.Errorf("a quantifier over strings: %s", v.Name)
		}
		c.Place(v.Name)
	}
	args := make([]Compiled, len(t.Args))
	for i, a := range t.Args {
		f, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		args[i] = f
	}
	f, err := c.combine(t, args)
	c.done[t] = f
	return f, err
}

// any says whether the value of a symbol does not matter.
func (l *Layout) any(t *Term) bool { return l.Any != "" && strings.HasPrefix(t.Name, l.Any) }

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c compiler) combine(t *Term, args []Compiled) (Compiled, error) {
	switch t.Op {
	case OpTrue, OpFalse:
		v := bit(t.Op == OpTrue)
		return func([]int64) int64 { return v }, nil
	case OpText:
		code := c.Code(t.Name)
		return func([]int64) int64 { return code }, nil
	case OpVar:
		at, known := c.places[t.Name]
		if !known && c.any(t) {
			at, known = c.Place(t.Name), true
		}
		if !known {
			return nil, fmt.Errorf("no value of %s", t.Name)
		}
		return func(x []int64) int64 { return x[at] }, nil
	case OpApply:
		of, known := c.tables[t.Name]
		if !known && c.any(t) {
			return func([]int64) int64 { return 0 }, nil
		}
		if !known || len(args) != 1 {
			return nil, fmt.Errorf("no table of %s", t.Name)
		}
		return func(x []int64) int64 {
			if i := args[0](x) - of.low; i >= 0 && i < of.size {
				return x[of.first+int(i)]
			}
			return 0
		}, nil
	case OpSum:
		return func(x []int64) int64 {
			sum := t.Number
			for i, a := range args {
				sum += t.Coefficients[i] * a(x)
			}
			return sum
		}, nil
	case OpAnd, OpOr:
		absorbing := bit(t.Op == OpOr)
		return func(x []int64) int64 {
			for _, a := range args {
				if a(x) == absorbing {
					return absorbing
				}
			}
			return 1 - absorbing
		}, nil
	case OpNot:
		return func(x []int64) int64 { return 1 - args[0](x) }, nil
	case OpEqual:
		return func(x []int64) int64 { return bit(args[0](x) == args[1](x)) }, nil
	case OpNotNeg:
		return func(x []int64) int64 { return bit(args[0](x) >= 0) }, nil
	case OpIte:
		return func(x []int64) int64 {
			if args[0](x) == 1 {
				return args[1](x)
			}
			return args[2](x)
		}, nil
	case OpForall, OpExists:
		return c.quantifier(t, args[0]), nil
	}
	return nil, fmt.Errorf("operator %d", t.Op)
}

func (c compiler) quantifier(t *Term, body Compiled) Compiled {
	stop := bit(t.Op == OpExists)
	var from func(i int, x []int64) int64
	from = func(i int, x []int64) int64 {
		if i == len(t.Vars) {
			return body(x)
		}
		low, high := c.Low, c.High
		if t.Vars[i].Sort == Bool {
			low, high = 0, 1
		}
		at := c.places[t.Vars[i].Name]
		for x[at] = low; x[at] <= high; x[at]++ {
			if from(i+1, x) == stop {
				return stop
			}
		}
		return 1 - stop
	}
	return func(x []int64) int64 { return from(0, x) }
}

// TablePlace returns the place of the first value of a function.
func (l *Layout) TablePlace(name string) int { return l.tables[name].first }
