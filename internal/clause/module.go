package clause

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ndkoracle/internal/mutate"
)

// A module is one of tla/, without its comments: blanks are in their place.
type module struct {
	text        string
	extends     []string
	instances   map[string]string // modules by the names that their definitions have before their own
	definitions map[string]mutate.Definition
}

var (
	lineComment  = regexp.MustCompile(`\\\*.*`)
	blockComment = regexp.MustCompile(`(?s)\(\*.*?\*\)`)
	extending    = regexp.MustCompile(`(?m)^EXTENDS (.*)$`)
	instance     = regexp.MustCompile(`(?m)^(\w+) == INSTANCE (\w+)$`)
	notBlank     = regexp.MustCompile(`[^\n]`)
)

func blank(text string) string { return notBlank.ReplaceAllString(text, " ") }

// readModules reads all modules in a folder, by their names.
func readModules(dir string) (map[string]*module, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tla"))
	if err != nil {
		return nil, err
	}
	all := map[string]*module{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".tla")
		all[name] = newModule(name, string(text))
	}
	return all, nil
}

func newModule(name, text string) *module {
	text = blockComment.ReplaceAllStringFunc(lineComment.ReplaceAllStringFunc(text, blank), blank)
	m := &module{text: text, instances: map[string]string{}, definitions: map[string]mutate.Definition{}}
	if found := extending.FindStringSubmatch(text); found != nil {
		for _, extended := range strings.Split(found[1], ",") {
			m.extends = append(m.extends, strings.TrimSpace(extended))
		}
	}
	for _, found := range instance.FindAllStringSubmatch(text, -1) {
		m.instances[found[1]] = found[2]
	}
	for _, d := range mutate.Definitions(name, text) {
		d.Text = strings.TrimSpace(d.Text)
		m.definitions[d.Name] = d
	}
	return m
}

// A name is that of a definition, and of the module where it is.
type name struct{ module, definition string }

func (n name) String() string { return n.module + "!" + n.definition }

// resolve returns the definition that a word stands for in a module, after the name of an instance or "". Words of TLA+, of
// its standard modules, parameters and variables stand for none.
func resolve(modules map[string]*module, in, of, word string) (name, bool) {
	m := modules[in]
	if m == nil {
		return name{}, false
	}
	if of != "" {
		if instantiated, ok := m.instances[of]; ok {
			return resolve(modules, instantiated, "", word)
		}
	} else if _, ok := m.definitions[word]; ok {
		return name{in, word}, m.instances[word] == ""
	}
	for _, extended := range m.extends {
		if found, ok := resolve(modules, extended, of, word); ok {
			return found, true
		}
	}
	return name{}, false
}

// A part is one of a module's text: from one place to another.
type part struct{ from, to int }

// trim leaves out the blanks around a part.
func (m *module) trim(p part) part {
	for p.from < p.to && strings.IndexByte(" \n", m.text[p.from]) >= 0 {
		p.from++
	}
	for p.to > p.from && strings.IndexByte(" \n", m.text[p.to-1]) >= 0 {
		p.to--
	}
	return p
}

func (m *module) at(p part) string { return m.text[p.from:p.to] }

func (m *module) line(at int) int { return 1 + strings.Count(m.text[:at], "\n") }

func (m *module) column(at int) int { return at - 1 - strings.LastIndexByte(m.text[:at], '\n') }

// A lexeme is a word or sign that no bracket encloses, and that divides an expression.
type lexeme struct {
	part
	text string
}

var sign = regexp.MustCompile(`^(?:"[^"]*"|/\\|\\/|<=>|=>|~>|->|\|->|<<|>>|\[\]|\\[A-Za-z]+|[A-Za-z0-9_]+|.|\n)`)

// lexemes returns what divides a part: signs and words outside of all brackets. It is an error if brackets don't match.
func (m *module) lexemes(p part) ([]lexeme, error) {
	var all []lexeme
	depth := 0
	for at := p.from; at < p.to; {
		text := sign.FindString(m.text[at:p.to])
		switch text {
		case ")", "]", "}", ">>":
			depth--
		}
		if depth == 0 && strings.TrimSpace(text) != "" {
			all = append(all, lexeme{part{at, at + len(text)}, text})
		}
		switch text {
		case "(", "[", "{", "<<":
			depth++
		}
		if depth < 0 {
			break
		}
		at += len(text)
	}
	if depth != 0 {
		return nil, fmt.Errorf("line %d: brackets do not match", m.line(p.from))
	}
	return all, nil
}
