package prove

import (
	"fmt"
	"strconv"
	"strings"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// Unsupported is the error of a construct of TLA+ that the evaluator has no rule for.
type Unsupported struct {
	What  string
	Where string // module and line
}

func (u *Unsupported) Error() string { return u.Where + ": no rule of evaluation for " + u.What }

func unsupported(format string, args ...any) *Unsupported {
	return &Unsupported{What: fmt.Sprintf(format, args...)}
}

// engine evaluates the expressions of a module, for one configuration.
type engine struct {
	module    *sany.Module
	constants map[string]value
	replace   map[string]string // "CONSTANT a <- b" of a configuration
	names     int               // of fresh variables
	axioms    []axiom           // on new symbols
	axiomOf   map[string]int    // by symbol
	choices   map[choice]*smt.Term
	kept      map[uintptr]map[string]value // states in which something was chosen, by their addresses
	longest   int64                        // of all sequences, where all constants are known; 0 otherwise
	primed    map[change]bool
	anywhere  []elsewhere
	frees     smt.Frees
	where     string // the expression that is being evaluated
}

func newEngine(module *sany.Module) *engine {
	return &engine{
		module: module, constants: map[string]value{}, axiomOf: map[string]int{},
		choices: map[choice]*smt.Term{}, kept: map[uintptr]map[string]value{}, primed: map[change]bool{}, frees: smt.Frees{},
	}
}

// try calls a function, and returns as an error what it has no rule for.
func (e *engine) try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Unsupported:
			r.Where = e.where
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// steady is a state, and the one after it: values of the variables. An action assigns next one variable after the other.
type steady struct {
	now, next map[string]value
	primed    bool // this is the next state of another
}

// scope gives values to parameters and bound variables, by their numbers, and holds the definitions of a LET.
type scope struct {
	outer       *scope
	name        string
	value       value
	flexible    bool // the value is of an expression that has another one in the next state,
	primed      bool // and was evaluated there
	definitions map[string]bool
}

func (s *scope) bind(name string, v value) *scope { return &scope{outer: s, name: name, value: v} }

// at is the name of what @ stands for in an EXCEPT.
const at = "@"

func (s *scope) lookup(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// in checks that what has a value in the state before is not asked for in the next one.
func (s *scope) in(st steady, what string) *scope {
	if st.primed && s.flexible && !s.primed {
		panic(unsupported("the prime of %s: its value is that of the state before", what))
	}
	return s
}

// defining returns the scope of the LET that defines an operator, or nil.
func (s *scope) defining(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.definitions[name] {
			return s
		}
	}
	return nil
}

func (e *engine) name(ref *sany.Node) string {
	if symbol := e.module.Symbols[ref.Field("UID")]; symbol != nil {
		return symbol.Field("uniquename")
	}
	panic(unsupported("a reference to nothing that SANY lists"))
}

// eval returns the value of an expression.
func (e *engine) eval(n *sany.Node, s *scope, st steady) value {
	before := e.where
	e.where = n.Where
	v := e.node(n, s, st)
	e.where = before
	return v
}

func (e *engine) node(n *sany.Node, s *scope, st steady) value {
	switch n.Tag {
	case "OpApplNode":
		return e.application(n, s, st)
	case "NumeralNode":
		i, err := strconv.ParseInt(n.Field("IntValue"), 10, 32)
		if err != nil {
			panic(unsupported("the number %s", n.Field("IntValue")))
		}
		return number(i)
	case "StringNode":
		return text(n.Field("StringValue"))
	case "LetInNode":
		return e.eval(only(n.Child("body")), let(n, s), st)
	case "AtNode":
		return s.lookup(at).in(st, "@").value
	case "SubstInNode":
		e.identity(n)
		return e.eval(only(n.Child("body")), s, st)
	}
	panic(unsupported("an expression of the kind %s", n.Tag))
}

func only(n *sany.Node) *sany.Node {
	if n == nil || len(n.Children) != 1 {
		panic(unsupported("an expression without a body"))
	}
	return n.Children[0]
}

func let(n *sany.Node, s *scope) *scope {
	inner := &scope{outer: s, definitions: map[string]bool{}}
	for _, ref := range n.Child("opDefs").Children {
		inner.definitions[ref.Field("UID")] = true
	}
	return inner
}

// identity checks that an instance substitutes for each name the same name.
func (e *engine) identity(n *sany.Node) {
	for _, substitution := range n.Child("substs").Children {
		declared, by := substitution.Children[0], substitution.Children[1]
		if by.Tag != "OpApplNode" || len(by.Child("operands").Children) > 0 || e.name(only(by.Child("operator"))) != e.name(declared) {
			panic(unsupported("INSTANCE with a substitution for %s", e.name(declared)))
		}
	}
}

func (e *engine) application(n *sany.Node, s *scope, st steady) value {
	ref, operands := only(n.Child("operator")), n.Child("operands").Children
	switch ref.Tag {
	case "FormalParamNodeRef":
		return e.parameter(ref, operands, s, st)
	case "OpDeclNodeRef":
		return e.declared(e.name(ref), st)
	case "UserDefinedOpKindRef":
		return e.defined(ref, operands, s, st)
	case "BuiltInKindRef":
		if rule, ok := builtin[e.name(ref)]; ok {
			return rule(e, call{n, operands, s, st})
		}
		panic(unsupported("the operator %s", e.name(ref)))
	}
	panic(unsupported("an operator of the kind %s", ref.Tag))
}

func (e *engine) parameter(ref *sany.Node, operands []*sany.Node, s *scope, st steady) value {
	bound := s.lookup(ref.Field("UID"))
	if bound == nil {
		panic(unsupported("the parameter %s, which has no value", e.name(ref)))
	}
	if op, ok := bound.in(st, "the parameter "+e.name(ref)).value.(operator); ok {
		var args []value
		for _, o := range operands {
			args = append(args, e.eval(o, s, st))
		}
		return op.apply(args)
	}
	return bound.value
}

// declared returns the value of a variable or a constant.
func (e *engine) declared(name string, st steady) value {
	if v, ok := st.now[name]; ok {
		return v
	}
	if v, ok := e.constants[name]; ok {
		return v
	}
	if by, ok := e.replace[name]; ok {
		return e.definition(by, st)
	}
	panic(unsupported("%s, which has no value here", name))
}

// definition returns the value of a definition without parameters.
func (e *engine) definition(name string, st steady) value {
	uid, err := e.module.Definition(name)
	if err != nil {
		panic(unsupported("%s: %v", name, err))
	}
	return e.eval(only(e.module.Symbols[uid].Child("body")), nil, st)
}

// defined applies an operator that a module defines.
func (e *engine) defined(ref *sany.Node, operands []*sany.Node, s *scope, st steady) value {
	if rule := e.standard(ref, s); rule != nil {
		var args []value
		for _, o := range operands {
			args = append(args, e.argument(o, s, st))
		}
		return rule(e, args)
	}
	body, inner := e.enter(ref, operands, s, st)
	return e.eval(body, inner, st)
}

// enter returns the body of a defined operator, and the scope in which its parameters have the values of the operands.
func (e *engine) enter(ref *sany.Node, operands []*sany.Node, s *scope, st steady) (body *sany.Node, inner *scope) {
	uid, home := e.resolve(ref, s)
	definition := e.module.Symbols[uid]
	inner = home
	var parameters []*sany.Node
	if list := definition.Child("params"); list != nil {
		parameters = list.Children
	}
	if len(parameters) != len(operands) {
		panic(unsupported("%s with %d operands in the place of %d", definition.Field("uniquename"), len(operands), len(parameters)))
	}
	for i, p := range parameters {
		inner = inner.bind(p.Child("FormalParamNodeRef").Field("UID"), e.argument(operands[i], s, st))
		inner.flexible, inner.primed = e.isFlexible(operands[i], s), st.primed
	}
	return only(definition.Child("body")), inner
}

// resolve returns the number of the operator that is meant, after the configuration's replacements, and the scope around it.
func (e *engine) resolve(ref *sany.Node, s *scope) (string, *scope) {
	uid := ref.Field("UID")
	home := s.defining(uid)
	by, ok := e.replace[e.name(ref)]
	if !ok {
		by, ok = e.replace[instanceName(e.home(ref), base(e.name(ref)))]
	}
	if ok && home == nil {
		replaced, err := e.module.Definition(by)
		if err != nil {
			panic(unsupported("%s: %v", by, err))
		}
		uid = replaced
	}
	return uid, home
}

// home returns the module that has the text of a definition: of one that an instance has, that which is instantiated.
func (e *engine) home(ref *sany.Node) string {
	symbol := e.module.Symbols[ref.Field("UID")]
	where := symbol.Where
	if body := symbol.Child("body"); body != nil && len(body.Children) == 1 && body.Children[0].Tag == "SubstInNode" {
		where = only(body.Children[0].Child("body")).Where
	}
	module, _, _ := strings.Cut(where, ",")
	return module
}

// isFlexible says whether an operand has another value in the next state.
func (e *engine) isFlexible(n *sany.Node, s *scope) bool {
	if n.Level != "" && n.Level != "0" {
		return true
	}
	return !n.Walk(func(x *sany.Node) bool {
		if x.Tag != "FormalParamNodeRef" {
			return true
		}
		bound := s.lookup(x.Field("UID"))
		return bound == nil || !bound.flexible
	})
}

// argument evaluates an operand, which may be an operator itself.
func (e *engine) argument(n *sany.Node, s *scope, st steady) value {
	if n.Tag != "OpArgNode" {
		return e.eval(n, s, st)
	}
	ref := only(n.Child("argument"))
	if ref.Tag != "UserDefinedOpKindRef" {
		panic(unsupported("an operator of the kind %s as an argument", ref.Tag))
	}
	return operator{func(args []value) value {
		uid, inner := e.resolve(ref, s)
		definition := e.module.Symbols[uid]
		for i, p := range definition.Child("params").Children {
			inner = inner.bind(p.Child("FormalParamNodeRef").Field("UID"), args[i])
			inner.flexible, inner.primed = true, st.primed
		}
		return e.eval(only(definition.Child("body")), inner, st)
	}}
}

// prime returns the value of an expression in the next state.
func (e *engine) prime(n *sany.Node, s *scope, st steady) value {
	if st.next == nil {
		panic(unsupported("a prime where no next state is known"))
	}
	return e.eval(n, s, steady{now: st.next, primed: true})
}
