package prove

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// configuration is what a TLC configuration says.
type configuration struct {
	constants  map[string]constant
	replace    map[string]string
	invariants []string
	properties []string
}

// constant is the value of a constant: a truth value, a number, a string, a set of them, or unknown, if it is its own value.
type constant struct {
	value   value
	unknown bool
}

var (
	comment = regexp.MustCompile(`\\\*[^\n]*`)
	tokens  = regexp.MustCompile(`"[^"]*"|<-|[={},]|[\w!]+|\S`)
)

var sections = map[string]string{
	"CONSTANT": "constants", "CONSTANTS": "constants", "INVARIANT": "invariants", "INVARIANTS": "invariants",
	"PROPERTY": "properties", "PROPERTIES": "properties", "SPECIFICATION": "specification", "CHECK_DEADLOCK": "deadlock",
	"INIT": "", "NEXT": "", "CONSTRAINT": "", "CONSTRAINTS": "", "ACTION_CONSTRAINT": "", "ACTION_CONSTRAINTS": "", "SYMMETRY": "", "VIEW": "", "ALIAS": "", "POSTCONDITION": "",
}

// readAll reads the texts of configurations, of which a later one overrides constants.
func readAll(texts []string) (c configuration, err error) {
	for _, t := range texts {
		if err := c.read(t); err != nil {
			return c, err
		}
	}
	return c, nil
}

// read adds what the text of a configuration says; a later one overrides constants.
func (c *configuration) read(text string) error {
	if c.constants == nil {
		c.constants, c.replace = map[string]constant{}, map[string]string{}
	}
	list := tokens.FindAllString(comment.ReplaceAllString(text, ""), -1)
	section := ""
	for i := 0; i < len(list); i++ {
		word := list[i]
		if s, ok := sections[word]; ok {
			if s == "" {
				return fmt.Errorf("%s in a configuration has no meaning for a proof", word)
			}
			section = s
			continue
		}
		switch section {
		case "invariants":
			c.invariants = append(c.invariants, word)
		case "properties":
			c.properties = append(c.properties, word)
		case "specification", "deadlock":
		case "constants":
			if i+2 >= len(list) {
				return fmt.Errorf("the constant %s has no value", word)
			}
			switch list[i+1] {
			case "<-":
				by := i + 2
				if list[by] == "[" && by+3 < len(list) { // of the operators of a module, also in instances
					word, by = instanceName(list[by+1], word), by+3
				}
				c.replace[word] = list[by]
				delete(c.constants, word)
				i = by
			case "=":
				v, used, err := parseConstant(word, list[i+2:])
				if err != nil {
					return err
				}
				c.constants[word] = v
				delete(c.replace, word)
				i += 1 + used
			default:
				return fmt.Errorf("%s %s in a configuration", word, list[i+1])
			}
		default:
			return fmt.Errorf("%s in a configuration, before any section", word)
		}
	}
	return nil
}

// instanceName is the key of a replacement of an operator of one module.
func instanceName(module, operator string) string { return module + "!" + operator }

// parseConstant reads the value of a constant, and says how many tokens it has.
func parseConstant(name string, list []string) (constant, int, error) {
	word := list[0]
	switch {
	case word == name:
		return constant{unknown: true}, 1, nil
	case word == "{":
		var members []value
		for i := 1; i < len(list); i++ {
			switch list[i] {
			case "}":
				return constant{value: enumerated(members...)}, i + 1, nil
			case ",":
			default:
				v, _, err := parseConstant(name, list[i:])
				if err != nil {
					return constant{}, 0, err
				}
				members = append(members, v.value)
			}
		}
		return constant{}, 0, fmt.Errorf("the set %s has no end", name)
	case word[0] == '"':
		return constant{value: text(strings.Trim(word, `"`))}, 1, nil
	case word == "TRUE" || word == "FALSE":
		return constant{value: truth(word == "TRUE")}, 1, nil
	}
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		return constant{}, 0, fmt.Errorf("the value %s of the constant %s", word, name)
	}
	return constant{value: number(n)}, 1, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
