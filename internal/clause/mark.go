package clause

import (
	"fmt"
	"regexp"
	"strings"
)

// A marker changes modules so that TLC says which clauses it evaluates: each is marked before, and each that has to be true
// after, too.
type marker struct {
	modules map[string]*module
	initial bool // initial states are evaluated: then definitions without parameters are, too
	marked  []mark
	texts   map[name]string // of the definitions that are marked
	roles   map[name]role
	waiting []name
	err     error
}

// A role is what an expression is for.
type role int

const (
	value     role = iota
	condition      // of IF or CASE
	guard          // without it the step is not there
)

// A mark is a clause with what is known of it before TLC runs.
type mark struct {
	Clause
	part
	role    role
	whole   bool   // it is made of others, which are marked themselves
	of      Clause // the definition
	besides []note
}

// A note is a clause that has no mark of its own: a LET around a marked one, or a definition without parameters that it uses.
type note struct {
	Clause
	part
	of Clause
}

// The module that prints, and what it is called.
const (
	marksModule = "Marks"
	before      = "ClauseBefore"
	after       = "ClauseAfter"
	marksText   = `---- MODULE ` + marksModule + ` ----
LOCAL INSTANCE TLC
` + before + `(n) == PrintT(<<"before", n>>)
` + after + `(n) == PrintT(<<"after", n>>)
====
`
)

// visit has a definition marked, for the most that any use of it wants.
func (m *marker) visit(n name, r role) {
	if before, seen := m.roles[n]; !seen || r > before {
		m.roles[n] = r
		m.waiting = append(m.waiting, n)
	}
}

// markAll marks the definition and all that it uses.
func (m *marker) markAll(root name) error {
	m.visit(root, guard)
	for len(m.waiting) > 0 && m.err == nil {
		n := m.waiting[0]
		m.waiting = m.waiting[1:]
		in := m.in(n)
		m.texts[n] = in.module.at(part{in.from, in.body.from}) + "\n" + in.expression(in.body, m.roles[n])
	}
	return m.err
}

// A definition is one that is being marked.
type definition struct {
	*marker
	*module
	name name
	from int
	body part
}

func (m *marker) in(n name) *definition {
	mod := m.modules[n.module]
	d := mod.definitions[n.definition]
	body := d.At + strings.Index(d.Text, "==") + len("==")
	return &definition{m, mod, n, d.At, part{body, d.At + len(d.Text)}}
}

// parameters reports whether the definition has any. One that has none may be evaluated only once, before all steps.
func (d *definition) parameters() bool { return strings.Contains(d.at(part{d.from, d.body.from}), "(") }

func (d *definition) clause(p part) Clause {
	return Clause{"tla/" + d.name.module + ".tla", d.line(p.from), d.line(p.to), d.name.definition, oneLine(d.at(p))}
}

// place returns where the definition is.
func (d *definition) place() Clause {
	c := d.clause(part{d.from, d.body.to})
	c.Text = ""
	return c
}

func (d *definition) note(p part) note { return note{d.clause(p), p, d.place()} }

// copied returns a part on lines of its own, in its columns: lists of conjuncts stand as they stood.
func (d *definition) copied(p part) string {
	return "(\n" + strings.Repeat(" ", d.column(p.from)) + d.at(p) + "\n)"
}

// leaf marks a part whose text stands as it is, or is another one that is made of its marked parts.
func (d *definition) leaf(p part, r role, whole bool, text string) string {
	n := len(d.marked)
	d.marked = append(d.marked, mark{Clause: d.clause(p), part: p, role: r, whole: whole, of: d.place()})
	d.marked[n].besides = d.uses(p)
	if r != value {
		return fmt.Sprintf("(%s(%d) /\\ %s /\\ %s(%d))", before, n, text, after, n)
	}
	return fmt.Sprintf("(IF %s(%d) THEN %s ELSE {})", before, n, text)
}

var use = regexp.MustCompile(`"[^"]*"|(?:\b(\w+)!)?\b([A-Za-z]\w*)`)

// uses has the definitions marked that a part uses, and returns the bodies of those that have no parameters.
func (d *definition) uses(p part) []note {
	var besides []note
	for _, found := range use.FindAllStringSubmatch(d.at(p), -1) {
		n, ok := resolve(d.modules, d.name.module, found[1], found[2])
		if !ok {
			continue
		}
		if used := d.in(n); used.parameters() {
			d.visit(n, value)
		} else if _, marked := d.roles[n]; !marked {
			body := used.trim(used.body)
			besides = append(append(besides, used.note(body)), used.uses(body)...)
		}
	}
	return besides
}

var application = regexp.MustCompile(`^(?:(\w+)!)?(\w+)$`)

// greedy begin what goes on as far as it can.
var greedy = map[string]bool{`\E`: true, `\A`: true, "IF": true, "CASE": true, "LET": true, "CHOOSE": true}

// expression returns a part with its clauses marked.
func (d *definition) expression(p part, r role) string {
	p = d.trim(p)
	words, err := d.lexemes(p)
	if err != nil || len(words) == 0 {
		d.err = fmt.Errorf("%s: %w", d.name, err)
		return ""
	}
	first, last := words[0], words[len(words)-1]
	find := func(from int, opens, closes string) int { // the word that ends what the one at from begins
		depth := 0
		for i := from; i < len(words); i++ {
			switch words[i].text {
			case opens:
				depth++
			case closes:
				if depth--; depth == 0 {
					return i
				}
			}
		}
		return -1
	}
	switch first.text {
	case "(":
		if words[1].from == last.from {
			return "(" + d.expression(part{first.to, last.from}, r) + ")"
		}
	case `/\`, `\/`:
		return d.list(p, words, max(r, condition))
	case "LET":
		if in := find(0, "LET", "IN"); in > 0 {
			n := len(d.marked)
			head := part{p.from, words[in].to}
			text := "(\n" + strings.Repeat(" ", d.column(p.from)) + d.at(head) + "\n" + d.expression(part{head.to, p.to}, r) + ")"
			besides := append(d.uses(head), d.note(head))
			for i := n; i < len(d.marked); i++ {
				d.marked[i].besides = append(d.marked[i].besides, besides...)
			}
			return text
		}
	case "IF":
		then := find(0, "IF", "THEN")
		if otherwise := find(0, "IF", "ELSE"); then > 0 && otherwise > then {
			return "(IF " + d.expression(part{first.to, words[then].from}, condition) +
				"\nTHEN " + d.expression(part{words[then].to, words[otherwise].from}, r) +
				"\nELSE " + d.expression(part{words[otherwise].to, p.to}, r) + ")"
		}
	case "CASE":
		if text, ok := d.cases(p, words, r); ok {
			return text
		}
	case `\E`:
		for _, t := range words {
			if t.text == ":" && r != value {
				head := part{p.from, t.to}
				begin, end, _ := strings.Cut(d.leaf(head, r, true, "(\n"+strings.Repeat(" ", d.column(p.from))+d.at(head)+"\n\x00)"), "\x00")
				return begin + d.expression(part{head.to, p.to}, r) + end
			}
		}
	}
	if r != value {
		if text, ok := d.infix(p, words, r); ok {
			return text
		}
		if n, ok := d.applied(p, words); ok && (d.initial || d.in(n).parameters()) {
			d.visit(n, r)
			return d.leaf(p, r, true, d.copied(p))
		}
	}
	return d.leaf(p, r, false, d.copied(p))
}

// list marks the items of a list of conjuncts or disjuncts, which stand below each other.
func (d *definition) list(p part, words []lexeme, r role) string {
	bullet := words[0]
	var items []string
	from := bullet.to
	for _, t := range words[1:] {
		if t.text == bullet.text && d.column(t.from) == d.column(bullet.from) {
			items = append(items, d.expression(part{from, t.from}, r))
			from = t.to
		}
	}
	items = append(items, d.expression(part{from, p.to}, r))
	return "(" + strings.Join(items, "\n"+bullet.text+" ") + ")"
}

// infix marks the operands of a conjunction or disjunction on one line. What is implied is no clause by itself.
func (d *definition) infix(p part, words []lexeme, r role) (string, bool) {
	for i, t := range words {
		if greedy[t.text] {
			words = words[:i]
			break
		}
	}
	for _, sign := range []string{"=>", "<=>", "~>", `\/`, `/\`} {
		var operands []string
		from := p.from
		for _, t := range words {
			if t.text != sign {
				continue
			}
			if strings.HasSuffix(sign, ">") {
				return "", false
			}
			operands = append(operands, d.expression(part{from, t.from}, r))
			from = t.to
		}
		if operands != nil {
			operands = append(operands, d.expression(part{from, p.to}, r))
			return "(" + strings.Join(operands, "\n"+sign+" ") + ")", true
		}
	}
	return "", false
}

// applied returns the definition that a part is the application of, and nothing else.
func (d *definition) applied(p part, words []lexeme) (name, bool) {
	to := p.to
	if last := len(words) - 1; last > 0 && words[last].text == ")" && words[last-1].text == "(" {
		to = words[last-1].from
	}
	found := application.FindStringSubmatch(d.at(part{p.from, to}))
	if found == nil {
		return name{}, false
	}
	return resolve(d.modules, d.name.module, found[1], found[2])
}

// cases marks conditions and values of a CASE that has no other one in it.
func (d *definition) cases(p part, words []lexeme, r role) (string, bool) {
	var b strings.Builder
	from := words[0].to
	b.WriteString("(CASE ")
	for i, t := range words {
		switch {
		case t.text == "CASE" && i > 0:
			return "", false
		case t.text == "->":
			if guarding := d.trim(part{from, t.from}); d.at(guarding) == "OTHER" {
				b.WriteString("OTHER")
			} else {
				b.WriteString(d.expression(guarding, condition))
			}
			b.WriteString(" -> ")
			from = t.to
		case t.text == "[]":
			b.WriteString(d.expression(part{from, t.from}, r) + "\n[] ")
			from = t.to
		}
	}
	b.WriteString(d.expression(part{from, p.to}, r) + ")")
	return b.String(), true
}
