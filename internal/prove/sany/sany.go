// Package sany reads TLA+ modules as SANY parses them: the parser inside TLC's jar writes the specification as XML, with every
// name resolved to the definition that it means.
package sany

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Node is an element of the XML. Locations and levels are not among its children.
type Node struct {
	Tag      string
	Text     string
	Children []*Node
	Where    string // module and line, of an expression or a definition
	Level    string // of an expression: 0 constant, 1 state, 2 action, 3 temporal
}

// Child returns the first child with a tag, or nil.
func (n *Node) Child(tag string) *Node {
	for _, c := range n.Children {
		if c.Tag == tag {
			return c
		}
	}
	return nil
}

// Field returns the text of the first child with a tag.
func (n *Node) Field(tag string) string {
	if c := n.Child(tag); c != nil {
		return c.Text
	}
	return ""
}

// Walk calls a function for the node and all below it, until the function says no.
func (n *Node) Walk(visit func(*Node) bool) bool {
	return visit(n) && !slices.ContainsFunc(n.Children, func(c *Node) bool { return !c.Walk(visit) })
}

// Module is a module with all that it extends and instantiates.
type Module struct {
	Name        string
	Symbols     map[string]*Node // definitions and declarations by their number
	Variables   []string
	Constants   []string
	definitions map[string][]string // numbers by name
}

// Definition returns the number of the operator that a module or one that it extends defines.
func (m *Module) Definition(name string) (string, error) {
	switch list := m.definitions[name]; len(list) {
	case 0:
		return "", fmt.Errorf("module %s defines no %s", m.Name, name)
	case 1:
		return list[0], nil
	default:
		return "", fmt.Errorf("module %s has several definitions of %s", m.Name, name)
	}
}

// wrapper is the name of the module that extends what is to be read.
const wrapper = "Everything"

// Reader runs SANY.
type Reader struct {
	Jar     string
	Folders []string // where modules are looked for, in this order
}

var errEmpty = errors.New("it writes nothing")

// Read has SANY parse a module that extends these modules and adds nothing.
func (r Reader) Read(ctx context.Context, modules ...string) (*Module, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return nil, errors.New("java is missing: SANY, the parser of TLA+, runs on it. On Debian: apt-get install openjdk-17-jre-headless")
	}
	jar, err := filepath.Abs(r.Jar)
	if err != nil {
		return nil, err
	}
	// SANY unpacks the standard modules into Java's folder for such things: two that share it race.
	scratch, err := os.MkdirTemp("", "sany")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	names := strings.Join(modules, ", ")
	text := "---- MODULE " + wrapper + " ----\nEXTENDS " + names + "\n====\n"
	if err := os.WriteFile(filepath.Join(scratch, wrapper+".tla"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	args := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + scratch, "-cp", jar, "tla2sany.xml.XMLExporter", "-o"}
	for _, folder := range r.Folders {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		args = append(args, "-I", absolute)
	}
	var out, said bytes.Buffer
	java := exec.CommandContext(ctx, "java", append(args, wrapper)...)
	java.Dir, java.Stdout, java.Stderr = scratch, &out, &said
	if err := java.Run(); err != nil || out.Len() == 0 {
		return nil, fmt.Errorf("SANY cannot parse %s: %w\n%s", names, cmp.Or(err, errEmpty), said.String())
	}
	// SANY says that it was successful all the same.
	if bytes.Contains(said.Bytes(), []byte("*** Errors:")) {
		return nil, fmt.Errorf("SANY finds errors in %s:\n%s", names, said.String())
	}
	m, err := parse(&out)
	if err != nil {
		return nil, fmt.Errorf("SANY's XML of %s: %w", names, err)
	}
	m.Name = names
	return m, nil
}

func parse(xmlText io.Reader) (*Module, error) {
	root, err := element(xml.NewDecoder(xmlText))
	if err != nil {
		return nil, err
	}
	all := root.Child("context")
	if all == nil {
		return nil, errors.New("it has no context")
	}
	m := &Module{Symbols: map[string]*Node{}, definitions: map[string][]string{}}
	for _, entry := range all.Children {
		for _, n := range entry.Children {
			if n.Tag != "UID" {
				m.Symbols[entry.Field("UID")] = n
			}
		}
	}
	for _, n := range m.Symbols {
		if n.Tag != "ModuleNode" || n.Field("uniquename") != root.Field("RootModule") {
			continue
		}
		for _, ref := range n.Children {
			number := ref.Field("UID")
			symbol := m.Symbols[number]
			if symbol == nil {
				continue
			}
			name := symbol.Field("uniquename")
			switch {
			case ref.Tag == "UserDefinedOpKindRef":
				m.definitions[name] = append(m.definitions[name], number)
			case ref.Tag == "OpDeclNodeRef" && symbol.Field("kind") == "3":
				m.Variables = append(m.Variables, name)
			case ref.Tag == "OpDeclNodeRef" && symbol.Field("kind") == "2":
				m.Constants = append(m.Constants, name)
			}
		}
	}
	slices.Sort(m.Variables)
	slices.Sort(m.Constants)
	return m, nil
}

// element reads the next element with all that is in it.
func element(d *xml.Decoder) (*Node, error) {
	var stack []*Node
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			stack = append(stack, &Node{Tag: t.Name.Local})
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].Text += string(t)
			}
		case xml.EndElement:
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return last, nil
			}
			last.attach(stack[len(stack)-1])
		}
	}
}

func (n *Node) attach(parent *Node) {
	switch n.Tag {
	case "location":
		line := ""
		if l := n.Child("line"); l != nil {
			line = l.Field("begin")
		}
		parent.Where = strings.TrimSpace(n.Field("filename")) + ", line " + line
	case "level":
		parent.Level = n.Text
	case "leibniz":
	default:
		parent.Children = append(parent.Children, n)
	}
}
